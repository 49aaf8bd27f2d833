"""How numbers, places and shapes are written in a message."""

from collections.abc import Sequence
from typing import Any


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as Python writes a tuple."""
    return str(tuple(shape))


def place_text(place: Sequence[int]) -> str:
    """Return a place in a tensor or table, such as [0, 2]."""
    return "[" + ", ".join(map(str, place)) + "]"


def number_text(value: float, unlike: float | None = None) -> str:
    """Return a number to four digits, or to as many as tell it from `unlike`."""
    for digits in (4, 7, 10):
        if unlike is None or f"{value:.{digits}g}" != f"{unlike:.{digits}g}":
            return f"{value:.{digits}g}"
    return repr(value)


def kind_text(thing: Any) -> str:
    """Name a type, with its length where it is a list or a tuple."""
    return type(thing).__name__ + (f", {len(thing)}" if type(thing) in (tuple, list) else "")
