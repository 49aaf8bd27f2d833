"""Judge tensors: type first, then shape, dtype and values."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.check.claims import fail
from attnlab.learn.check.words import number_text, place_text, shape_text
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import text

# Bound before any cell of a learner's has run.
_detach, _to, _isfinite = Tensor.detach, Tensor.to, torch.isfinite
# Loose enough for any right order of float32 operations, tight enough for a slip of one part in a thousand.
_TOLERANCE = {torch.float32: (1e-4, 1e-5), torch.float64: (1e-9, 1e-10)}


def tensor(got: Any, shape: Sequence[int], dtype: torch.dtype | None = None) -> None:
    """Fail unless `got` is a plain tensor of this shape and (where given) dtype."""
    if type(got) is not Tensor:
        fail("returned_nothing") if got is None else fail("not_a_tensor", found=type(got).__name__)
    if tuple(got.shape) != tuple(shape):
        fail("shape", expected=shape_text(shape), found=shape_text(got.shape))
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


def _compare(got: Tensor, want: Tensor, dtype: torch.dtype, rtol: float | None, atol: float | None) -> None:
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
        fail("not_finite", where=place_text(place), found=number_text(found), expected=number_text(want[place].item()))
    fail(
        "value",
        where=place_text(place),
        expected=number_text(want[place].item(), unlike=found),
        found=number_text(found, unlike=want[place].item()),
        wrong=len(wrong),
        total=want.numel(),
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
        fail("row_sum", row=row, found=number_text(sums[row].item()))
    if bool((values < 0).any()):
        fail("negative", found=number_text(values.min().item()))


def zero_where(weights: Tensor, hidden: Tensor) -> None:
    """Fail unless `weights`, of `hidden`'s shape, is exactly 0 wherever `hidden` is True."""
    leaking = hidden & (_detach(weights) != 0)
    if bool(leaking.any()):
        place = tuple(leaking.nonzero()[0].tolist())
        fail("not_zero", where=place_text(place), found=number_text(_detach(weights)[place].item()))


def gradients(got: Any, want: Sequence[Tensor | None], *, rtol: float | None = None) -> None:
    """Compare gradients as `probe.gradients` gives them; None means that no gradient came through."""
    for number, (mine, other) in enumerate(zip(got, want, strict=True), start=1):
        if other is not None:
            if mine is None:
                fail("gradient_cut", number=number)
            equal(mine, other, rtol=rtol, name=text("fault.gradient_of", number=number))


def unchanged(changed: Sequence[int]) -> None:
    """Fail where an input was changed by the call (see `probe.changed_inputs`)."""
    if changed:
        fail("input_changed", number=changed[0])


def from_scratch(operations: Sequence[str]) -> None:
    """Fail where the operations that ran (see `probe.operations`) hold a ready softmax or attention."""
    ready = [name for name in operations if "softmax" in name or "attention" in name]
    if ready:
        fail("ready_made", found=ready[0])
