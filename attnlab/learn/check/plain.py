"""Judge plain data: lists, numbers, dicts, shapes."""

import json
import math
import statistics
from collections.abc import Sequence
from typing import Any

import torch

from attnlab.learn.check.claims import fail, judging, that
from attnlab.learn.check.words import kind_text, number_text, place_text, shape_text
from attnlab.learn.faults import CheckFailed

_loads = json.loads


@judging
def form(got: Any, *, rows: int, columns: int) -> None:
    """Fail unless `got` is a nested list of plain numbers with so many rows and columns."""
    if type(got) is not list or len(got) != rows or any(type(row) is not list or len(row) != columns for row in got):
        fail("not_a_table", rows=rows, columns=columns)
    for i, row in enumerate(got):
        for j, number in enumerate(row):
            if type(number) not in (int, float):
                fail("not_a_number", where=place_text((i, j)), found=type(number).__name__)


@judging
def table(got: Any, want: Sequence[Sequence[float]], *, within: float) -> None:
    """Fail unless `got` is a nested list of plain numbers, each within `within` of the one in `want`."""
    form(got, rows=len(want), columns=len(want[0]))
    for i, (row, wanted) in enumerate(zip(got, want, strict=True)):
        for j, (number, expected) in enumerate(zip(row, wanted, strict=True)):
            if not abs(number - expected) <= within:
                fail("hand_value", where=place_text((i, j)), found=number_text(float(number)))


@judging
def positions(got: Any, want: Sequence[int]) -> None:
    """Fail unless `got` is a plain list of plain ints, those of `want` in the same order."""
    if type(got) is not list:
        fail("returned_nothing") if got is None else fail("not_a_list", found=type(got).__name__)
    for i, one in enumerate(got):
        if type(one) is not int:
            fail("not_an_int", where=place_text((i,)), found=type(one).__name__)
    missing, extra = sorted(set(want) - set(got)), sorted(set(got) - set(want))
    if missing or extra:
        fail("positions", missing=missing or "-", extra=extra or "-")
    that(got == list(want), "positions_order")


@judging
def json_object(found: dict[str, str]) -> dict[str, Any]:
    """Return the dict that went through JSON (see `probe.as_json`); fail where the result was none or was refused."""
    if found["kind"] == "NoneType":
        fail("returned_nothing")
    if found["refused"]:
        fail("json_refused", said=found["refused"])
    parsed = _loads(found["json"])
    if type(parsed) is not dict:
        fail("not_a_dict", found=found["kind"])
    return parsed


@judging
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
                fail("entry_value", name=name, expected=number_text(float(expected)), found=number_text(float(number)))


@judging
def floats(got: Any, count: int) -> list[float]:
    """Return the numbers of `got`; fail unless it is a tuple or list of so many floats."""
    if got is None:
        fail("returned_nothing")
    if type(got) not in (tuple, list) or len(got) != count:
        fail("not_floats", count=count, found=kind_text(got))
    for one in got:
        if not isinstance(one, float):
            fail("not_floats", count=count, found=kind_text(one))
    return [float.__pos__(one) for one in got]


@judging
def near(got: float, want: float, *, within: float, name: str, among: dict[str, Any] | None = None) -> None:
    """Fail unless a float lies within `within` of `want`: for averages over random draws.

    `among` is all that was found, and how, by name: for the catalogue of mistakes.
    """
    if not abs(got - want) <= within:
        try:
            fail("not_near", name=name, expected=number_text(want), within=number_text(within), found=number_text(got))
        except CheckFailed as problem:
            problem.got, problem.want = among or got, want
            raise


@judging
def same_numbers(got: Sequence[float], other: Sequence[float], *, same: bool) -> None:
    """Fail unless two runs gave the same numbers to within rounding (`same`), or other numbers (not `same`)."""
    equal = all(math.isclose(one, two, rel_tol=1e-4, abs_tol=1e-6) for one, two in zip(got, other, strict=True))
    if equal is not same:
        fail("seed_differs" if same else "seed_ignored", first=number_text(got[0]), second=number_text(other[0]))


@judging
def spread(values: Sequence[float], low: float, high: float, *, n_samples: int) -> None:
    """Fail unless the standard deviation of `values`, each a mean over `n_samples` draws, is in low … high."""
    found = statistics.stdev(values)
    if not low <= found <= high:
        limits = {"low": number_text(low), "high": number_text(high)}
        fail("spread", n_samples=n_samples, runs=len(values), found=number_text(found), **limits)


@judging
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
            fail("columns_length", name=name, length=length, found=kind_text(column))
        for place, one in enumerate(column):
            if type(one) is not float and not (name == whole and type(one) is int):
                fail("columns_entry", where=f"{name}[{place}]", found=type(one).__name__)
        found[name] = [float(one) for one in column]
    return found


@judging
def shapes(
    got: Any,
    *,
    count: int,
    numbers: int,
    first: int,
    want: dict[int, tuple[int, ...]] | None = None,
    axes: dict[int, int] | None = None,
) -> None:
    """Fail unless `got` is a list of `count` tuples of ints, the four from `first` on each of so many numbers.

    `want` says which places should hold which shape, `axes` how many sizes a place should have.
    """
    if type(got) is not list or len(got) != count:
        fail("not_shapes", count=count, found=kind_text(got))
    for place, shape in enumerate(got):
        if type(shape) not in (tuple, torch.Size) or any(type(size) is not int for size in shape):
            fail("not_a_shape", place=place, found=str(shape)[:60])
        if first <= place < first + 4 and math.prod(shape) != numbers:
            fail("shape_count", place=place, found=shape_text(shape), product=math.prod(shape), numbers=numbers)
    for place, length in (axes or {}).items():
        if len(got[place]) != length:
            fail("shape_at", place=place, found=shape_text(got[place]))
    for place, shape in (want or {}).items():
        if tuple(got[place]) != shape:
            fail("shape_at", place=place, found=shape_text(got[place]))
