"""Check a learner's results, and say in their language what should hold and what came out.

    with check.holds("softmax", "rows"):
        weights = softmax(check.numbers(2, 3, seed=1))
        check.equal(weights.sum(-1), torch.ones(2))

Results are judged as plain data: types are looked at first, values are read out with functions bound when this
module was imported, so that an object which only claims to be equal is not. Code that has to run beside the
learner's own objects (gradients, parameters, random state) lives in `attnlab.learn.probe`.
"""

import contextlib
import math
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnlab.learn import lesson
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


def _shape(shape: Sequence[int]) -> str:
    return str(tuple(shape))


def _place(place: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, place)) + "]"


def _number(value: float) -> str:
    return f"{value:.4g}"
