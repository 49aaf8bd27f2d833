"""Check a learner's results, and say in their language what should hold and what came out.

    with check.holds("softmax", "rows"):
        weights = softmax(check.numbers(2, 3, seed=1))
        check.equal(weights.sum(-1), torch.ones(2))

Results are judged as plain data: types are looked at first, values are read out with functions bound when this
module was imported, so that an object which only claims to be equal is not. Code that has to run beside the
learner's own objects (gradients, parameters, random state) lives in `attnlab.learn.probe`.
"""

import contextlib
import json
import math
import statistics
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnlab.learn import lesson, reference
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import section, text

_PACKAGE = str(Path(__file__).parent)
_detach, _to, _isfinite = Tensor.detach, Tensor.to, torch.isfinite
# Loose enough for any right order of float32 operations, tight enough for a slip of one part in a thousand.
_TOLERANCE = {torch.float32: (1e-4, 1e-5), torch.float64: (1e-9, 1e-10)}


@contextlib.contextmanager
def holds(exercise: str, claim: str) -> Iterator[None]:
    """Check one property of one exercise: the text `check.<exercise>.<claim>` says which.

    Prints one line where it holds. Raises CheckFailed where it does not, whatever went wrong inside: a failed
    comparison, a missing name, an exception in the learner's code. Warnings and stderr of the code inside are
    kept from the grader, who takes any text on stderr for a failure.
    """
    key = f"check.{exercise}.{claim}"
    headline = text("say.claim", exercise=exercise, claim=text(key))
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(sys.stdout):
            warnings.simplefilter("ignore")
            yield
    except KeyboardInterrupt:
        raise  # the grader's time limit, or the learner's stop button
    except BaseException as problem:
        lesson.record(exercise, claim, passed=False)
        lines = problem.lines if isinstance(problem, CheckFailed) else _explain(problem)
        where = section(key)
        ending = [text("say.see", section=where)] if where else []
        raise CheckFailed("✗ " + headline, *("  " + line for line in [*lines, *ending])) from None
    lesson.record(exercise, claim, passed=True)
    print("✓ " + headline)


def _explain(problem: BaseException) -> list[str]:
    """Say what an exception from inside a check means for the learner."""
    if isinstance(problem, NotImplementedError):
        return [text("fault.not_written")]
    if isinstance(problem, NameError) and problem.name:
        return [text("fault.not_defined", name=problem.name)]
    said = str(problem).strip().splitlines()
    lines = [text("fault.raised", error=type(problem).__name__, said=said[0][:200] if said else "")]
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)[2:]  # without this file's and the grade cell's
        if not frame.filename.startswith(_PACKAGE) and "site-packages" not in frame.filename
        and "/lib/python" not in frame.filename and "\\lib\\" not in frame.filename.lower()
    ]
    if frames and frames[-1].line:
        lines.append(text("fault.at_line", number=frames[-1].lineno, code=frames[-1].line.strip()[:100]))
    return lines


def fail(key: str, **values: Any) -> None:
    """Fail the check that this stands in, with the text `fault.<key>`."""
    raise CheckFailed(text(f"fault.{key}", **values))


def that(condition: bool, key: str, **values: Any) -> None:
    """Fail with the text `fault.<key>` unless `condition` is True itself (a plain bool)."""
    if condition is not True:
        fail(key, **values)


def numbers(
    *shape: int, seed: int, scale: float = 1.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return normal random numbers × `scale`, the same for the same seed; the global random state is not touched."""
    source = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=source, dtype=torch.float64) * scale).to(dtype)


def whole_numbers(*shape: int, seed: int, most: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return random whole numbers from −most to most as floats: their dot products are exact in float32."""
    source = torch.Generator().manual_seed(seed)
    return torch.randint(-most, most + 1, shape, generator=source).to(dtype)


def causal_weights(
    *shape: int, seed: int, scale: float = 1.0, dropped: float = 0.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return random causal weights (..., n, n): each query's lie on itself and what came before, and sum to 1.

    `dropped` is the part of them that is then 0, as dropout leaves them: the others are divided by 1 − dropped.
    """
    scores = numbers(*shape, seed=seed, scale=scale, dtype=torch.float64)
    future = torch.ones(shape[-2:], dtype=torch.bool).triu(1)
    weights = reference.softmax(scores.masked_fill(future, -torch.inf))
    if dropped:
        kept = numbers(*shape, seed=seed + 1000, dtype=torch.float64).argsort(-1).argsort(-1) >= dropped * shape[-1]
        weights = weights * kept / (1 - dropped)
    return weights.to(dtype)


def tensor(got: Any, shape: Sequence[int], dtype: torch.dtype | None = None) -> None:
    """Fail unless `got` is a plain tensor of this shape and (where given) dtype."""
    if type(got) is not Tensor:
        fail("returned_nothing") if got is None else fail("not_a_tensor", found=type(got).__name__)
    if tuple(got.shape) != tuple(shape):
        fail("shape", expected=_shape(shape), found=_shape(got.shape))
    if dtype is not None and got.dtype != dtype:
        fail("dtype", expected=str(dtype).removeprefix("torch."), found=str(got.dtype).removeprefix("torch."))


def pair(got: Any) -> None:
    """Fail unless `got` is a tuple (or list) of two, as for `(context, weights)`."""
    if got is None:
        fail("returned_nothing")
    if type(got) not in (tuple, list) or len(got) != 2:
        count = f"{len(got)}" if type(got) in (tuple, list) else "1"
        fail("not_a_pair", found=type(got).__name__, count=count)


def equal(
    got: Any, want: Tensor, *, rtol: float | None = None, atol: float | None = None, name: str | None = None
) -> None:
    """Fail unless `got` is a plain tensor with the shape, dtype and (to within rounding) the values of `want`.

    Names the first place that differs, with the number expected there and the number found. `atol` counts in
    units of the largest expected number (or of 1 where that is smaller). `name` says which of several results
    is meant.
    """
    try:
        tensor(got, want.shape, want.dtype)
        _compare(_to(_detach(got), torch.float64), _to(_detach(want), torch.float64), want.dtype, rtol, atol)
    except CheckFailed as problem:
        if name is None:
            raise
        raise CheckFailed(*(f"{name}: {line}" for line in problem.lines)) from None


def _compare(
    got: Tensor, want: Tensor, dtype: torch.dtype, rtol: float | None, atol: float | None
) -> None:
    default_rtol, default_atol = _TOLERANCE.get(dtype, (1e-2, 1e-3))
    largest = max(1.0, want.abs().max().item()) if want.numel() else 1.0
    allowed = (default_rtol if rtol is None else rtol) * want.abs()
    allowed = allowed + (default_atol if atol is None else atol) * largest
    same = ((got - want).abs() <= allowed) | (got == want)
    if bool(same.all()):
        return
    wrong = (~same).nonzero()
    place = tuple(wrong[0].tolist())
    found = got[place].item()
    if not math.isfinite(found) and not bool(_isfinite(got).all()):
        fail("not_finite", where=_place(place), found=_number(found), expected=_number(want[place].item()))
    fail(
        "value", where=_place(place), expected=_number(want[place].item()), found=_number(found),
        wrong=len(wrong), total=want.numel(),
    )


def rows_sum_to_one(weights: Any) -> None:
    """Fail unless `weights` is a plain tensor whose last axis sums to 1 everywhere, with no negative entry."""
    if type(weights) is not Tensor:
        fail("returned_nothing") if weights is None else fail("not_a_tensor", found=type(weights).__name__)
    values = _to(_detach(weights), torch.float64)
    sums = values.sum(-1).reshape(-1)
    wrong = ((sums - 1).abs() > 1e-4) | ~_isfinite(sums)
    if bool(wrong.any()):
        row = int(wrong.nonzero()[0])
        fail("row_sum", row=row, found=_number(sums[row].item()))
    if bool((values < 0).any()):
        fail("negative", found=_number(values.min().item()))


def gradients(got: Any, want: Sequence[Tensor | None], *, rtol: float | None = None) -> None:
    """Compare gradients as `probe.gradients` gives them; None means that no gradient came through."""
    for number, (mine, other) in enumerate(zip(got, want, strict=True), start=1):
        if other is not None:
            if mine is None:
                fail("gradient_cut", number=number)
            equal(mine, other, rtol=rtol, name=text("fault.gradient_of", number=number))


def parameters(got: dict[str, tuple[int, ...]], want: dict[str, tuple[int, ...]]) -> None:
    """Fail unless each parameter in `want` is registered with its shape (see `probe.parameters`); others may be too."""
    for name, shape in want.items():
        if name not in got:
            fail("no_parameter", name=name, found=", ".join(got) or "-")
        if tuple(got[name]) != tuple(shape):
            fail("parameter_shape", name=name, expected=_shape(shape), found=_shape(got[name]))


def fits(got: dict[str, tuple[int, ...]], weights: dict[str, Tensor]) -> None:
    """Fail unless there is a parameter with the name and the shape of each of `weights`, to load them into."""
    parameters(got, {name: tuple(value.shape) for name, value in weights.items()})


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


def linear(got: dict[str, Any], name: str, *, d_in: int, d_out: int, bias: bool) -> None:
    """Fail unless `got` (see `probe.layer`) is an nn.Linear of these sizes, with a bias or without."""
    if got.get("kind") != "Linear":
        fail("not_linear", name=name, found=got.get("kind"))
    if (got["in_features"], got["out_features"]) != (d_in, d_out):
        fail(
            "linear_sizes", name=name, expected=_shape((d_in, d_out)),
            found=_shape((got["in_features"], got["out_features"])),
        )
    if got["bias"] is not bias:
        fail("bias_missing" if bias else "bias_present", name=name)


def from_scratch(operations: Sequence[str]) -> None:
    """Fail where the operations that ran (see `probe.operations`) hold a ready softmax or attention."""
    ready = [name for name in operations if "softmax" in name or "attention" in name]
    if ready:
        fail("ready_made", found=ready[0])


def unchanged(changed: Sequence[int]) -> None:
    """Fail where an input was changed by the call (see `probe.changed_inputs`)."""
    if changed:
        fail("input_changed", number=changed[0])


def zero_where(weights: Tensor, hidden: Tensor) -> None:
    """Fail unless `weights`, of `hidden`'s shape, is exactly 0 wherever `hidden` is True."""
    leaking = hidden & (_detach(weights) != 0)
    if bool(leaking.any()):
        place = tuple(leaking.nonzero()[0].tolist())
        fail("not_zero", where=_place(place), found=_number(_detach(weights)[place].item()))


def form(got: Any, *, rows: int, columns: int) -> None:
    """Fail unless `got` is a nested list of plain numbers with so many rows and columns."""
    if type(got) is not list or len(got) != rows or any(
        type(row) is not list or len(row) != columns for row in got
    ):
        fail("not_a_table", rows=rows, columns=columns)
    for i, row in enumerate(got):
        for j, number in enumerate(row):
            if type(number) not in (int, float):
                fail("not_a_number", where=_place((i, j)), found=type(number).__name__)


def table(got: Any, want: Sequence[Sequence[float]], *, within: float) -> None:
    """Fail unless `got` is a nested list of plain numbers, each within `within` of the one in `want`."""
    form(got, rows=len(want), columns=len(want[0]))
    for i, (row, wanted) in enumerate(zip(got, want, strict=True)):
        for j, (number, expected) in enumerate(zip(row, wanted, strict=True)):
            if not abs(number - expected) <= within:
                fail("hand_value", where=_place((i, j)), found=_number(float(number)))


def positions(got: Any, want: Sequence[int]) -> None:
    """Fail unless `got` is a plain list of plain ints, those of `want` in the same order."""
    if type(got) is not list:
        fail("returned_nothing") if got is None else fail("not_a_list", found=type(got).__name__)
    for i, one in enumerate(got):
        if type(one) is not int:
            fail("not_an_int", where=_place((i,)), found=type(one).__name__)
    missing, extra = sorted(set(want) - set(got)), sorted(set(got) - set(want))
    if missing or extra:
        fail("positions", missing=missing or "-", extra=extra or "-")
    that(got == list(want), "positions_order")


def json_object(found: dict[str, str]) -> dict[str, Any]:
    """Return the dict that went through JSON (see `probe.as_json`); fail where the result was none or was refused."""
    if found["kind"] == "NoneType":
        fail("returned_nothing")
    if found["refused"]:
        fail("json_refused", said=found["refused"])
    parsed = json.loads(found["json"])
    if type(parsed) is not dict:
        fail("not_a_dict", found=found["kind"])
    return parsed


def entries(got: dict[str, Any], want: dict[str, Any], *, within: float = 1e-4) -> None:
    """Fail unless `got`, read back from JSON, has each key of `want` with its value; other keys are free.

    Texts are compared to the letter, numbers to within `within` of the larger of 1 and the number, lists of numbers
    one by one.
    """
    for key, wanted in want.items():
        if key not in got:
            fail("no_key", name=key, found=", ".join(got) or "-")
        found = got[key]
        if isinstance(wanted, str):
            if type(found) is not str:
                fail("entry_kind", name=key, expected="str", found=type(found).__name__)
            that(found == wanted, "entry_text", name=key, expected=wanted, found=found)
            continue
        if isinstance(wanted, list) and (type(found) is not list or len(found) != len(wanted)):
            count = f"{len(found)}" if type(found) is list else type(found).__name__
            fail("entry_length", name=key, expected=len(wanted), found=count)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, list) else [(found, wanted)]
        for i, (number, expected) in enumerate(pairs):
            name = f"{key}[{i}]" if isinstance(wanted, list) else key
            if type(number) not in (int, float):
                fail("entry_kind", name=name, expected=type(expected).__name__, found=type(number).__name__)
            if not abs(number - expected) <= within * max(1.0, abs(expected)):
                fail("entry_value", name=name, expected=_number(float(expected)), found=_number(float(number)))


def mask(got: Any, n: int, *, hidden: bool) -> None:
    """Fail unless the (n, n) mask `got` hides every key after its query (`hidden`), or none of the others."""
    tensor(got, (n, n))
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    wrong = (future & ~_to(_detach(got), torch.bool)) if hidden else (~future & _to(_detach(got), torch.bool))
    if bool(wrong.any()):
        row, column = wrong.nonzero()[0].tolist()
        fail("mask_open" if hidden else "mask_closed", row=row, column=column)


def no_other_parameters(found: Sequence[str], known: Sequence[str]) -> None:
    """Fail where `found` names a parameter that is not among the `known`."""
    others = [name for name in found if name not in known]
    if others:
        fail("other_parameter", name=others[0])


def mask_among(buffers: dict[str, Tensor], length: int) -> None:
    """Fail unless one of the buffers (see `probe.buffers`) holds a causal mask for `length` tokens.

    Whatever its numbers: one for every key after its query, another for all others (or the same transposed).
    """
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    for buffer in buffers.values():
        if buffer.dim() < 2 or min(buffer.shape[-2:]) < length:
            continue
        square = buffer.reshape(-1, *buffer.shape[-2:])[0, :length, :length]
        for one in (square, square.T):
            after, others = one[future], one[~future]
            if bool((after == after[0]).all() and (others == others[0]).all() and after[0] != others[0]):
                return
    fail("no_mask_buffer", found=", ".join(buffers) or "0", length=length)


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
    contexts, weights, values = (_to(_detach(one), torch.float64) for one in (samples, weights, values))
    if not bool(_isfinite(contexts).all()):
        fail("dropout_value", where=_place((0, 0)), found="nan", expected="0")
    mixed = contexts @ torch.linalg.pinv(values)
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
            "dropout_value", where=_place(place[-2:]), found=_number(mixed[place].item()),
            expected=_number((weights / (1 - p))[place[1:]].item()),
        )
    draws = len(mixed)
    gone = _to(~kept[:, seen], torch.float64)
    rates = gone.mean(0)
    far = (rates - p).abs() > 6 * math.sqrt(p * (1 - p) / draws)
    if bool(far.any()):
        first = int(far.nonzero()[0])
        where = _place(seen.nonzero()[first].tolist()[-2:])
        fail("dropout_rate", where=where, found=_number(rates[first].item()), p=p)
    together = torch.corrcoef(gone.T) - torch.eye(gone.shape[1], dtype=torch.float64)
    if bool((together.abs() > 6 / math.sqrt(draws)).any()):
        fail("dropout_together")


def floats(got: Any, count: int) -> list[float]:
    """Return the numbers of `got`; fail unless it is a tuple or list of so many floats."""
    if got is None:
        fail("returned_nothing")
    if type(got) not in (tuple, list) or len(got) != count:
        fail("not_floats", count=count, found=_kind(got))
    for one in got:
        if not isinstance(one, float):
            fail("not_floats", count=count, found=_kind(one))
    return [float.__pos__(one) for one in got]


def near(got: float, want: float, *, within: float, name: str) -> None:
    """Fail unless a float lies within `within` of `want`: for averages over random draws."""
    if not abs(got - want) <= within:
        fail("not_near", name=name, expected=_number(want), within=_number(within), found=_number(got))


def same_numbers(got: Sequence[float], other: Sequence[float], *, same: bool) -> None:
    """Fail unless two runs gave the same numbers to within rounding (`same`), or other numbers (not `same`)."""
    equal = all(math.isclose(one, two, rel_tol=1e-4, abs_tol=1e-6) for one, two in zip(got, other, strict=True))
    if equal is not same:
        fail("seed_differs" if same else "seed_ignored", first=_number(got[0]), second=_number(other[0]))


def spread(values: Sequence[float], low: float, high: float, *, n_samples: int) -> None:
    """Fail unless the standard deviation of `values`, each a mean over `n_samples` draws, is in low … high."""
    found = statistics.stdev(values)
    if not low <= found <= high:
        limits = {"low": _number(low), "high": _number(high)}
        fail("spread", n_samples=n_samples, runs=len(values), found=_number(found), **limits)


def columns(got: Any, names: Sequence[str], length: int, *, whole: str) -> dict[str, list[float]]:
    """Return the lists of the dict `got` under `names`; fail unless each holds so many plain floats.

    The list under the name `whole` may hold whole numbers too.
    """
    if got is None:
        fail("returned_nothing")
    if not isinstance(got, dict):
        fail("columns_kind", found=type(got).__name__)
    found = {}
    for name in names:
        if name not in dict.keys(got):
            fail("columns_missing", name=name, found=", ".join(map(str, dict.keys(got))))
        column = dict.__getitem__(got, name)
        if type(column) is not list or len(column) != length:
            fail("columns_length", name=name, length=length, found=_kind(column))
        for place, one in enumerate(column):
            if type(one) is not float and not (name == whole and type(one) is int):
                fail("columns_entry", where=f"{name}[{place}]", found=type(one).__name__)
        found[name] = [float(one) for one in column]
    return found


def _kind(thing: Any) -> str:
    """Name a type, with its length where it is a list or a tuple."""
    return type(thing).__name__ + (f", {len(thing)}" if type(thing) in (tuple, list) else "")


def shapes(got: Any, *, count: int, numbers: int, first: int) -> None:
    """Fail unless `got` is a list of `count` tuples of ints, the four from `first` on each of so many numbers."""
    if type(got) is not list or len(got) != count:
        fail("not_shapes", count=count, found=_kind(got))
    for place, shape in enumerate(got):
        if type(shape) not in (tuple, torch.Size) or any(type(size) is not int for size in shape):
            fail("not_a_shape", place=place, found=str(shape)[:60])
        if first <= place < first + 4 and math.prod(shape) != numbers:
            fail("shape_count", place=place, found=_shape(shape), product=math.prod(shape), numbers=numbers)


def refused(error: str | None, *, n_heads: int, d_out: int) -> None:
    """Fail unless `error` (see `probe.error_of`) is what a wrong number of heads is to raise."""
    if error is None:
        fail("accepted_wrong", n_heads=n_heads, d_out=d_out)
    if error not in ("AssertionError", "ValueError"):
        fail("refused_otherwise", n_heads=n_heads, d_out=d_out, found=error)


def _shape(shape: Sequence[int]) -> str:
    return str(tuple(shape))


def _place(place: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, place)) + "]"


def _number(value: float) -> str:
    return f"{value:.4g}"
