"""Plain data between two processes, as JSON: what a grade cell gives to a learner's code and what comes back.

No pickles: whatever is read here is checked, and nothing that is read can run. What is not plain data stays where it
is and is known on the other side by a number, its `Handle`.
"""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

_DEPTH = 40
_MOST_BYTES = 32 << 20  # of one tensor; as base64 it fits into the longest message that is taken
_MOST_TEXT = 1_000_000  # characters
_MOST_ITEMS = 200_000  # of one list
_DTYPES = {
    str(one).removeprefix("torch."): one
    for one in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
        *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    )
}
_PLAIN = (type(None), bool, int, float, str)


class Unreadable(Exception):
    """What came is not what this side knows how to read; the text says what."""


@dataclass(frozen=True)
class Handle:
    """An object that stays in the other process."""

    number: int
    kind: str
    """The name of its class."""


def pack(value: Any, keep: Callable[[Any], Handle]) -> Any:
    """Return `value` as JSON's own types; `keep` gives the handle of what is no plain data.

    Unreadable for what is nested too deeply or too large.
    """
    return _pack(value, keep, _DEPTH)


def _pack(value: Any, keep: Callable[[Any], Handle], depth: int) -> Any:
    kind = type(value)
    if kind is str and len(value) > _MOST_TEXT:
        raise Unreadable(f"a text of {len(value)} characters")
    if kind in _PLAIN:
        return value
    if not depth:
        raise Unreadable("nested too deeply")
    if kind is Tensor or kind is nn.Parameter:
        if value.layout is torch.strided and value.device.type == "cpu" and _name(value.dtype) in _DTYPES:
            return _pack_tensor(value)
    elif isinstance(value, np.generic) and value.dtype.name in _DTYPES and value.dtype.kind != "c":
        return {"number": value.item(), "dtype": value.dtype.name}
    elif kind is np.ndarray and value.dtype.name in _DTYPES:
        return _pack_tensor(torch.from_numpy(np.ascontiguousarray(value))) | {"numpy": True}
    elif kind in (list, tuple, torch.Size):
        if len(value) > _MOST_ITEMS:
            raise Unreadable(f"a {kind.__name__} of {len(value)} entries")
        return {"list": [_pack(one, keep, depth - 1) for one in value], "kind": kind.__name__}
    elif isinstance(value, dict):
        if dict.__len__(value) > _MOST_ITEMS:
            raise Unreadable(f"a dict of {dict.__len__(value)} entries")
        return {"dict": [[_pack(part, keep, depth - 1) for part in pair] for pair in dict.items(value)]}
    elif kind is torch.dtype and _name(value) in _DTYPES:
        return {"dtype": _name(value)}
    handle = keep(value)
    return {"handle": handle.number, "kind": handle.kind}


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _pack_tensor(value: Tensor) -> dict[str, Any]:
    size = value.numel() * value.element_size()
    if size > _MOST_BYTES:
        raise Unreadable(f"a tensor of {size >> 20} MB")
    plain = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    # Through numpy's buffer: the bytes as they lie in memory, whatever the dtype.
    raw = plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return {
        "tensor": base64.b64encode(raw).decode(),
        "dtype": _name(value.dtype),
        "shape": list(value.shape),
        "parameter": type(value) is nn.Parameter,
    }


def unpack(data: Any, find: Callable[[Handle], Any]) -> Any:
    """Return what `pack` made of a value; `find` gives what stands for a handle. Unreadable where it is not that."""
    try:
        return _unpack(data, find, _DEPTH)
    except Unreadable:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError, OverflowError) as problem:
        raise Unreadable(f"{type(problem).__name__}: {problem}"[:200]) from None


def _unpack(data: Any, find: Callable[[Handle], Any], depth: int) -> Any:
    if type(data) in _PLAIN:
        return data
    if not depth or type(data) is not dict:
        raise Unreadable("nested too deeply" if not depth else f"a {type(data).__name__}")
    if "tensor" in data:
        return _unpack_tensor(data)
    if "list" in data:
        parts = [_unpack(one, find, depth - 1) for one in data["list"]]
        return {"list": list, "tuple": tuple, "Size": torch.Size}[data["kind"]](parts)
    if "dict" in data:
        return {_unpack(key, find, depth - 1): _unpack(value, find, depth - 1) for key, value in data["dict"]}
    if "number" in data:
        kind: Any = str(_DTYPES[data["dtype"]]).removeprefix("torch.")
        return np.dtype(kind).type(_number(data["number"]))
    if "dtype" in data:
        return _DTYPES[data["dtype"]]
    number, kind = data["handle"], data["kind"]
    if type(number) is not int or type(kind) is not str or not kind.isidentifier() or len(kind) > 100:
        raise Unreadable("a handle that is none")
    return find(Handle(number, kind))


def _number(value: Any) -> Any:
    if type(value) not in (bool, int, float):
        raise Unreadable("a number that is none")
    return value


def _unpack_tensor(data: dict[str, Any]) -> Tensor | np.ndarray:
    shape, dtype = data["shape"], _DTYPES[data["dtype"]]
    if type(shape) is not list or len(shape) > 16 or any(type(one) is not int or one < 0 for one in shape):
        raise Unreadable("a tensor without a shape")
    count = 1
    for one in shape:
        count *= one
    if count * dtype.itemsize > _MOST_BYTES:
        raise Unreadable("a tensor too large")
    try:
        raw = base64.b64decode(data["tensor"], validate=True)
    except binascii.Error:
        raise Unreadable("a tensor without bytes") from None
    if len(raw) != count * dtype.itemsize:
        raise Unreadable("a tensor whose bytes do not fill its shape")
    if not raw:
        value = torch.empty(shape, dtype=dtype)
    elif dtype is torch.bool:  # any other byte would be a bool that is neither True nor False
        value = (torch.frombuffer(bytearray(raw), dtype=torch.uint8) != 0).reshape(shape)
    else:
        value = torch.frombuffer(bytearray(raw), dtype=dtype).reshape(shape)
    if data.get("numpy") is True:
        return value.numpy()
    return nn.Parameter(value) if data["parameter"] is True and value.is_floating_point() else value
