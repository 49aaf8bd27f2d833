"""Run one grade cell here, with stand-ins for the names that it uses and does not define."""

import ast
import builtins
import contextlib
import functools
import io
import linecache
import types
import warnings
from dataclasses import dataclass
from typing import Any

import torch

import attnlab.learn
from attnlab.grade.outside.standin import Desk, measure_elsewhere
from attnlab.learn.check import claims
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import text

_PROBE = measure_elsewhere()
_COURSE = attnlab.learn.__name__


@dataclass(frozen=True)
class Outcome:
    """What a grade cell came to."""

    printed: str
    error: tuple[str, str, list[str]] | None = None
    """The exception's name, what it says and its traceback as nbformat keeps them; None where all held."""
    mistake: str | None = None
    """The key of the mistake that the learner is told of."""


@functools.cache
def borrowed(source: str) -> tuple[str, ...]:
    """Return the names that a cell uses, and neither defines nor imports nor finds among the builtins."""
    tree = ast.parse(source)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    defined = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            defined.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and node.name:
            defined.add(node.name)
    return tuple(sorted({node.id for node in names} - defined - set(vars(builtins))))


def hidden_lines(source: str) -> range:
    """Return the numbers of the lines between nbgrader's marks for hidden tests."""
    begin = end = 0
    for number, line in enumerate(source.split("\n"), start=1):
        begin = number if "### BEGIN HIDDEN TESTS" in line else begin
        end = number if "### END HIDDEN TESTS" in line else end
    return range(begin, end)


def run(source: str, name: str, desk: Desk) -> Outcome:
    """Run the grade cell `name` and return what it came to; whatever happens in it, nothing is raised.

    `desk` is asked for the learner's objects. The random state of this process stays as it was.
    """
    filename = f"<grade cell {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    printed = io.StringIO()
    state = torch.get_rng_state()
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(io.StringIO()),  # of this process, not of the learner's
            warnings.catch_warnings(),
            claims.concealing(filename, hidden_lines(source)),
        ):
            warnings.simplefilter("ignore")
            namespace: dict[str, Any] = {"__name__": "grade_cell", "__builtins__": _builtins()}
            namespace |= _undisturbed(*desk.names(borrowed(source)))
            exec(compile(source, filename, "exec"), namespace)
    except CheckFailed as problem:
        return Outcome(printed.getvalue(), ("CheckFailed", str(problem), problem.lines), problem.mistake)
    except BaseException as problem:
        said = f"{type(problem).__name__}: {problem}"
        return Outcome(printed.getvalue(), (type(problem).__name__, str(problem), [said]))
    finally:
        torch.set_rng_state(state)
        linecache.cache.pop(filename, None)
    return Outcome(printed.getvalue())


def _undisturbed(names: dict[str, Any], replaced: str | None) -> dict[str, Any]:
    """Return the names; CheckFailed where the learner's code has replaced what measures its objects.

    No verdict hangs on it: it gives the same points as the same check in the learner's own kernel.
    """
    if replaced is not None:
        raise CheckFailed("✗ " + text("guard.replaced", name=replaced), fault="replaced")
    return names


def _builtins() -> dict[str, Any]:
    return {**vars(builtins), "__import__": _import}


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """Import as always, but for `attnlab.learn.probe`: that one measures where the learner's objects are."""
    module = __import__(name, globals, locals, fromlist, level)
    if name == _COURSE and fromlist and "probe" in fromlist:
        return types.SimpleNamespace(**{one: getattr(module, one) for one in fromlist} | {"probe": _PROBE})
    return module
