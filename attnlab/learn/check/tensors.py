"""Judge tensors: type first, then shape, dtype and values."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.check.claims import fail, judging
from attnlab.learn.check.words import number_text, place_text, shape_text
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import text

# Bound before any cell of a learner's has run.
_detach, _to, _isfinite = Tensor.detach, Tensor.to, torch.isfinite
_shape, _dtype = (vars(torch._C.TensorBase)[name].__get__ for name in ("shape", "dtype"))
_tolist = Tensor.tolist
# Loose enough for any right order of float32 operations, tight enough for a slip of one part in a thousand.
_TOLERANCE = {torch.float32: (1e-4, 1e-5), torch.float64: (1e-9, 1e-10)}


@judging
def tensor(got: Any, shape: Sequence[int], dtype: torch.dtype | None = None) -> None:
    """Fail unless `got` is a plain tensor of this shape and (where given) dtype."""
    if type(got) is not Tensor:
        fail("returned_nothing") if got is None else fail("not_a_tensor", found=type(got).__name__)
    if tuple(_shape(got)) != tuple(shape):
        fail("shape", expected=shape_text(shape), found=shape_text(_shape(got)))
    if dtype is not None and _dtype(got) is not dtype:
        fail("dtype", expected=str(dtype).removeprefix("torch."), found=str(_dtype(got)).removeprefix("torch."))


@judging
def pair(got: Any) -> None:
    """Fail unless `got` is a tuple (or list) of two, as for `(context, weights)`."""
    if got is None:
        fail("returned_nothing")
    if type(got) not in (tuple, list) or len(got) != 2:
        count = f"{len(got)}" if type(got) in (tuple, list) else "1"
        fail("not_a_pair", found=type(got).__name__, count=count)


def equal(
    got: Any,
    want: Tensor,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    name: str | None = None,
    same_as: Tensor | Callable[[], Tensor] | None = None,
) -> None:
    """Fail unless `got` is a plain tensor with the shape, dtype and (to within rounding) the values of `want`.

    Names the first place that differs, with the number expected there and the number found. `atol` counts in
    units of the largest expected number (or of 1 where that is smaller). `name` says which of several results
    is meant. `same_as` is `want` as a reference function gives it, where `want` is written down as numbers (or
    made by the learner's own code): it tells the catalogue of mistakes what the numbers are of. As a function it
    is called only where the comparison fails, and left aside where it fails itself.
    """
    try:
        tensor(got, want.shape, want.dtype)
        _compare(_numbers(got), _numbers(want), want, rtol, atol)
    except CheckFailed as problem:
        problem.got, problem.want = got, want
        try:
            if same_as is not None:
                problem.want = same_as if isinstance(same_as, Tensor) else same_as()
        except Exception:  # the comparison stands without it
            pass
        if name is not None:
            problem.lines = [f"{name}: {line}" for line in problem.lines]
        raise


def _numbers(values: Tensor) -> list[float]:
    """Return all numbers of a tensor, row by row, read straight from its memory."""
    read: Any = _tolist(values)
    for _ in range(values.dim() - 1):
        read = [number for row in read for number in row]
    return [float(number) for number in (read if values.dim() else [read])]


def _compare(got: list[float], want: list[float], like: Tensor, rtol: float | None, atol: float | None) -> None:
    # On Python's own numbers: what compares them cannot be replaced, as methods of tensors can.
    default_rtol, default_atol = _TOLERANCE.get(like.dtype, (1e-2, 1e-3))
    relative = default_rtol if rtol is None else rtol
    largest = max([1.0, *(abs(number) for number in want if math.isfinite(number))])
    absolute = (default_atol if atol is None else atol) * largest
    wrong = [
        index
        for index, (mine, other) in enumerate(zip(got, want, strict=True))
        if not (mine == other or (math.isfinite(other) and abs(mine - other) <= relative * abs(other) + absolute))
    ]
    if not wrong:
        return
    place = _place(wrong[0], like.shape)
    found, expected = got[wrong[0]], want[wrong[0]]
    if not math.isfinite(found):
        fail("not_finite", where=place_text(place), found=number_text(found), expected=number_text(expected))
    fail(
        "value",
        where=place_text(place),
        expected=number_text(expected, unlike=found),
        found=number_text(found, unlike=expected),
        wrong=len(wrong),
        total=len(want),
    )


def _place(index: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the place in a tensor of this shape that is number `index`, row by row."""
    place: list[int] = []
    for size in reversed(shape):
        index, last = divmod(index, size)
        place.insert(0, last)
    return tuple(place)


@judging
def rows_sum_to_one(weights: Any) -> None:
    """Fail unless `weights` is a plain tensor whose last axis sums to 1 everywhere, with no negative entry."""
    if type(weights) is not Tensor:
        fail("returned_nothing") if weights is None else fail("not_a_tensor", found=type(weights).__name__)
    values = _to(_detach(weights), torch.float64)
    sums = values.sum(-1).reshape(-1)
    wrong = ((sums - 1).abs() > 1e-4) | ~_isfinite(sums)
    if bool(wrong.any()):
        row = int(wrong.nonzero()[0])
        fail("row_sum", row=row, found=number_text(sums[row].item()))
    if bool((values < 0).any()):
        fail("negative", found=number_text(values.min().item()))


@judging
def zero_where(weights: Tensor, hidden: Tensor) -> None:
    """Fail unless `weights`, of `hidden`'s shape, is exactly 0 wherever `hidden` is True."""
    tensor(weights, hidden.shape)
    leaking = hidden & (_detach(weights) != 0)
    if bool(leaking.any()):
        place = tuple(leaking.nonzero()[0].tolist())
        fail("not_zero", where=place_text(place), found=number_text(_detach(weights)[place].item()))


@judging
def same_twice(first: Any, second: Any) -> None:
    """Fail where two calls with one input gave different tensors; that they are tensors is for others to judge."""
    if type(first) is type(second) is Tensor and first.shape == second.shape:
        pairs = zip(_numbers(first), _numbers(second), strict=True)
        same = all(math.isclose(one, two, rel_tol=1e-4, abs_tol=1e-6) or one != one != two != two for one, two in pairs)
        if not same:
            fail("differs_between_calls")


def gradients(got: Any, want: Sequence[Tensor | None], *, rtol: float | None = None) -> None:
    """Compare gradients as `probe.gradients` gives them; None means that no gradient came through."""
    for number, (mine, other) in enumerate(zip(got, want, strict=True), start=1):
        if other is not None:
            if mine is None:
                fail("gradient_cut", number=number)
            try:
                equal(mine, other, rtol=rtol, name=text("fault.gradient_of", number=number))
            except CheckFailed as problem:
                problem.fault = "gradient_of"
                raise


@judging
def unchanged(changed: Sequence[int]) -> None:
    """Fail where an input was changed by the call (see `probe.changed_inputs`)."""
    if changed:
        fail("input_changed", number=changed[0])


@judging
def from_scratch(operations: Sequence[str]) -> None:
    """Fail where the operations that ran (see `probe.operations`) hold a ready softmax or attention."""
    ready = [name for name in operations if "softmax" in name or "attention" in name]
    if ready:
        fail("ready_made", found=ready[0])
