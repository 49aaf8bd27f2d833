"""Judge what `attnlab.learn.probe` found of a learner's module: parameters, masks, dropout."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.check.claims import fail, judging
from attnlab.learn.check.tensors import equal, tensor
from attnlab.learn.check.words import number_text, place_text, shape_text
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import text
from attnlab.learn.mistakes.evidence import Made
from attnlab.learn.reference import causal_mask

# Bound before any cell of a learner's has run.
_detach, _to, _isfinite = Tensor.detach, Tensor.to, torch.isfinite


def _unlike(sizes: Sequence[int], wanted: Sequence[int]) -> bool:
    return any(type(one) is not int for one in sizes) or tuple(sizes) != tuple(wanted)


@judging
def parameters(got: dict[str, tuple[int, ...]], want: dict[str, tuple[int, ...]]) -> None:
    """Fail unless each parameter in `want` is registered with its shape (see `probe.parameters`); others may be too."""
    for name, shape in want.items():
        if name not in got:
            fail("no_parameter", name=name, found=", ".join(got) or "-")
        if _unlike(got[name], shape):
            fail("parameter_shape", name=name, expected=shape_text(shape), found=shape_text(got[name]))


@judging
def fits(got: dict[str, tuple[int, ...]], weights: dict[str, Tensor]) -> None:
    """Fail unless there is a parameter with the name and the shape of each of `weights`, to load them into."""
    parameters(got, {name: tuple(value.shape) for name, value in weights.items()})


@judging
def parameter_gradients(
    got: dict[str, Tensor | None], want: dict[str, Tensor | None], *, rtol: float | None = None
) -> None:
    """Compare gradients as `probe.parameter_gradients` gives them, for the names in `want`."""
    for name, other in want.items():
        mine = got.get(name)
        if other is not None:
            if mine is None:
                fail("no_gradient", name=name)
            equal(mine, other, rtol=rtol, name=text("fault.gradient_by_name", name=name))


@judging
def no_other_parameters(found: Sequence[str], known: Sequence[str]) -> None:
    """Fail where `found` names a parameter that is not among the `known`."""
    others = [name for name in found if name not in known]
    if others:
        fail("other_parameter", name=others[0])


def linear(got: dict[str, Any], name: str, *, d_in: int, d_out: int, bias: bool) -> None:
    """Fail unless `got` (see `probe.layer`) is an nn.Linear of these sizes, with a bias or without."""
    _layer(got, {"kind": "Linear", "in_features": d_in, "out_features": d_out, "bias": bias}, name)


@judging
def _layer(got: dict[str, Any], want: dict[str, Any], name: str) -> None:
    if got.get("kind") != "Linear":
        fail("not_linear", name=name, found=got.get("kind"))
    expected, found = ((one["in_features"], one["out_features"]) for one in (want, got))
    if _unlike(found, expected):
        fail("linear_sizes", name=name, expected=shape_text(expected), found=shape_text(found))
    if got["bias"] is not want["bias"]:
        fail("bias_missing" if want["bias"] else "bias_present", name=name)


@judging
def accepted(error: str | None, *, n_heads: int, d_out: int) -> None:
    """Fail where a right number of heads raised an `error` (see `probe.error_of`)."""
    if error is not None:
        fail("refused_right", n_heads=n_heads, d_out=d_out)


@judging
def refused(error: str | None, *, n_heads: int, d_out: int) -> None:
    """Fail unless `error` (see `probe.error_of`) is what a wrong number of heads is to raise."""
    if error is None:
        fail("accepted_wrong", n_heads=n_heads, d_out=d_out)
    if error not in ("AssertionError", "ValueError"):
        fail("refused_otherwise", n_heads=n_heads, d_out=d_out, found=error)


def mask(got: Any, n: int, *, hidden: bool) -> None:
    """Fail unless the (n, n) mask `got` hides every key after its query (`hidden`), or none of the others."""
    future = causal_mask(n)
    try:
        tensor(got, (n, n))
        wrong = (future & ~_to(_detach(got), torch.bool)) if hidden else (~future & _to(_detach(got), torch.bool))
        if bool(wrong.any()):
            row, column = wrong.nonzero()[0].tolist()
            fail("mask_open" if hidden else "mask_closed", row=row, column=column)
    except CheckFailed as problem:
        problem.got, problem.want = got, future
        raise


@judging
def mask_among(buffers: dict[str, Tensor], length: int) -> None:
    """Fail unless one of the buffers (see `probe.buffers`) holds a causal mask for `length` tokens.

    Whatever its numbers: one for every key after its query, another for all others (or the same transposed).
    """
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    for buffer in buffers.values():
        if type(buffer) is not Tensor or buffer.dim() < 2 or min(buffer.shape[-2:]) < length:
            continue
        square = buffer.reshape(-1, *buffer.shape[-2:])[0, :length, :length]
        for one in (square, square.T):
            after, others = one[future], one[~future]
            if bool((after == after[0]).all() and (others == others[0]).all() and after[0] != others[0]):
                return
    fail("no_mask_buffer", found=", ".join(buffers) or "0", length=length)


@judging
def moves(left_behind: Sequence[str], clash: bool) -> None:
    """Fail where part of a module stays on its device (see `probe.left_behind`, `probe.device_clash`)."""
    if left_behind:
        fail("left_behind", name=left_behind[0])
    if clash:
        fail("device_clash")


def dropped_weights(samples: Tensor, weights: Tensor, values: Tensor, p: float) -> None:
    """Fail unless contexts drawn in training come from weights dropped with probability `p`.

    samples (draws, ..., n, d), the weights without dropout (..., n, n), values (..., n, d) with d > n and
    linearly independent rows, so that a context tells the weights it was mixed with. Each of these should be
    0 or its weight / (1 − p), be 0 in a part p of the draws, and be so independently of every other. Weights
    below 0.001 count as 0: choose inputs that make none of the visible ones so small.
    """
    tensor(samples, samples.shape)
    contexts, weights, values = (_to(_detach(one), torch.float64) for one in (samples, weights, values))
    mixed = contexts @ torch.linalg.pinv(values)
    try:
        _dropped_weights(contexts, mixed, weights, values, p)
    except CheckFailed as problem:
        problem.got, problem.want = mixed, weights
        weights.made_by = Made("dropped_weights", (contexts, values), {"p": p})  # type: ignore[attr-defined]
        raise


def _dropped_weights(contexts: Tensor, mixed: Tensor, weights: Tensor, values: Tensor, p: float) -> None:
    if not bool(_isfinite(contexts).all()):
        fail("dropout_value", where=place_text((0, 0)), found="nan", expected="0")
    if bool(((mixed @ values - contexts).abs() > 1e-3 * (1 + contexts.abs().max())).any()):
        fail("dropout_elsewhere")
    near = 1e-3
    seen = weights > near
    if bool(((mixed - weights).abs() < near).all()):
        fail("dropout_none", p=p)
    kept = mixed.abs() > 1e-2 * weights
    wanted = torch.where(kept & seen, weights / (1 - p), 0.0)
    wrong = (mixed - wanted).abs() > near
    if bool(wrong.any()):
        if bool(((mixed - torch.where(kept & seen, weights, 0.0)).abs() < near).all()):
            fail("dropout_unscaled", p=p)
        sums = mixed.sum(-1)
        if bool(((sums - 1).abs() < near).logical_or(sums.abs() < near).all()):  # 0: a whole row dropped
            fail("dropout_renormalised")
        place = tuple(wrong.nonzero()[0].tolist())
        fail(
            "dropout_value",
            where=place_text(place[-2:]),
            found=number_text(mixed[place].item()),
            expected=number_text((weights / (1 - p))[place[1:]].item()),
        )
    draws = len(mixed)
    gone = _to(~kept[:, seen], torch.float64)
    rates = gone.mean(0)
    far = (rates - p).abs() > 6 * math.sqrt(p * (1 - p) / draws)
    if bool(far.any()):
        first = int(far.nonzero()[0])
        where = place_text(seen.nonzero()[first].tolist()[-2:])
        fail("dropout_rate", where=where, found=number_text(rates[first].item()), p=p)
    together = torch.corrcoef(gone.T) - torch.eye(gone.shape[1], dtype=torch.float64)
    if bool((together.abs() > 6 / math.sqrt(draws)).any()):
        fail("dropout_together")
