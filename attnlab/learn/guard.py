"""Notice where the code of a notebook has replaced what its checks stand on.

Learner and checks share one process, so nothing here is a wall: it makes a check fail, with one clear line, where
what anybody could type into a cell would otherwise have decided it. Walls are the isolated grading's business.
"""

import builtins
import contextlib
import json
import math
import statistics
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.overrides import _get_current_function_mode_stack as _function_modes
from torch.utils._device import DeviceContext
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as _dispatch_modes

from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import text

# Replaced by honest tools too (IPython, torch's compiler, printers of tensors), and no check stands on them.
_FREE = {
    *("__import__", "breakpoint", "copyright", "credits", "exit", "help", "input", "license", "open", "print", "quit"),
    *("manual_seed", "__repr__", "__str__", "__format__"),
}
FAULTS = ("replaced", "shadowed", "reference")
"""The faults that are none of a solution's."""

_frame = sys._getframe
_ABSENT = object()
_BUILTINS = {name: value for name, value in vars(builtins).items() if callable(value)}
_kept: list[tuple[str, Mapping[str, Any], str, Any, types.FunctionType | None, types.CodeType | None]] = []
_running: list[str] = []  # the files (cells) whose checks run


class _Sealed(types.ModuleType):
    """A module whose names cannot be set to something else."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) and not (name.startswith("__") and name != "__class__"):
            raise AttributeError(text("guard.sealed", name=f"{self.__name__}.{name}"))
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(text("guard.sealed", name=f"{self.__name__}.{name}"))


def seal(*modules: types.ModuleType) -> None:
    """Let nobody set a name of these modules to something else by assignment."""
    for module in modules:
        module.__class__ = _Sealed


def keep(label: str, owner: Any) -> None:
    """Remember the functions and classes of a module, or the methods of a class, as they are now."""
    inherited = [name for base in getattr(owner, "__mro__", ())[1:] for name in vars(base)]
    for name in inherited:
        if name not in _FREE and name not in vars(owner):
            _kept.append((f"{label}.{name}", vars(owner), name, _ABSENT, None, None))
    for name, value in vars(owner).items():
        if name not in _FREE and (callable(value) or hasattr(type(value), "__get__")):
            inner = getattr(value, "__wrapped__", value)
            function = inner if isinstance(inner, types.FunctionType) else None
            _kept.append((f"{label}.{name}", vars(owner), name, value, function, function and function.__code__))


def keep_own(package: str) -> None:
    """Remember every module of `package` that has been imported, and the classes that these define."""
    for name, module in sorted(sys.modules.items()):
        if name == package or name.startswith(package + "."):
            keep(name, module)
            for one in list(vars(module).values()):
                if isinstance(one, type) and one.__module__ == name:
                    keep(f"{name}.{one.__name__}", one)


def replaced() -> str | None:
    """Return the name of something that is no longer what it was when the course was imported, or None."""
    # Only what cannot be replaced itself: no builtins, no functions of torch.
    for label, names, name, value, function, code in _kept:
        if names.get(name, _ABSENT) is not value:
            return label
        if function is not None and function.__code__ is not code:
            return label
    for mode in (*_function_modes(), *_dispatch_modes()):
        if type(mode) is not DeviceContext:  # torch.set_default_device is nobody's trick
            return type(mode).__name__
    return None


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the global names that a cell uses, those of its lambdas and comprehensions included."""
    yield from code.co_names
    for one in code.co_consts:
        if type(one) is types.CodeType:
            yield from _names(one)


class Ground:
    """What one check stands on: the cell that it is written in, and the names that this cell uses."""

    def __init__(self, cell: types.FrameType) -> None:
        """Note the names, as they are before any code of the learner's runs."""
        self.filename = cell.f_code.co_filename
        self._globals = cell.f_globals
        used = dict.fromkeys(_names(cell.f_code))
        self._shadowed = [
            name
            for name in used
            if name in _BUILTINS and name in self._globals and name not in _FREE
            if self._globals[name] is not _BUILTINS[name]
        ]
        self._modules = {
            name: self._globals[name] for name in used if isinstance(self._globals.get(name), types.ModuleType)
        }

    def enter(self) -> None:
        """Begin the check; CheckFailed where it would not stand on firm ground."""
        self.inspect()
        if self._shadowed:
            raise CheckFailed(text("guard.shadowed", name=self._shadowed[0]), fault="shadowed")
        _running.append(self.filename)

    def leave(self) -> None:
        """End the check."""
        if self.filename in _running:
            _running.remove(self.filename)

    def inspect(self) -> None:
        """Raise CheckFailed where something that the check stands on has been replaced."""
        label = replaced()
        if label is None:
            for name, module in self._modules.items():
                if name not in self._globals or self._globals[name] is not module:
                    label = name
        if label is not None:
            raise CheckFailed(text("guard.replaced", name=label), fault="replaced")


@contextlib.contextmanager
def asked_from(filename: str) -> Iterator[None]:
    """Let a learner's code run for a check that was asked for by this file."""
    _running.append(filename)
    try:
        yield
    finally:
        _running.clear()


def not_for_learners() -> None:
    """Raise CheckFailed where, while a check runs, the learner's code asks for what it is to be compared with.

    The learner's code is whatever stands between the caller and the cell of the check and is neither the course's
    nor a library's: in notebooks, a cell.
    """
    if not _running:
        return
    cell = _running[-1]
    frame: types.FrameType | None = _frame(1)
    while frame is not None and frame.f_code.co_filename != cell:
        if frame.f_globals.get("__name__") == "__main__":
            raise CheckFailed(text("guard.reference"), fault="reference")
        frame = frame.f_back


for _label, _owner in (
    ("torch", torch),
    ("torch.Tensor", torch.Tensor),
    ("torch.Tensor", torch._C.TensorBase),
    ("torch.Generator", torch.Generator),
    ("torch.autograd", torch.autograd),
    ("torch.linalg", torch.linalg),
    ("torch.special", torch.special),
    ("torch.nn.functional", nn.functional),
    ("torch.nn.Module", nn.Module),
    ("builtins", builtins),
    ("contextlib", contextlib),
    ("json", json),
    ("math", math),
    ("statistics", statistics),
):
    keep(_label, _owner)
