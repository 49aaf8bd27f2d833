"""Print results of the learner's own functions, or in one line why there is nothing to print yet."""

import os
from collections.abc import Callable
from typing import Any

from torch import Tensor

from attnlab.learn.messages import text


def attempt(action: Callable[[], Any]) -> tuple[bool, Any]:
    """Return (True, the result), or print why there is none and return (False, None).

    A picture or a "what if" comes after the exercise it shows; whoever runs the whole notebook with
    unfinished exercises gets one line here, not a traceback that stops the run.
    """
    try:
        result = action()
    except NotImplementedError:
        print(text("say.not_yet"))
    except NameError as problem:
        print(text("say.not_yet_name", name=problem.name))
    except Exception as problem:
        said = str(problem).strip().splitlines()
        print(text("say.not_yet_error", error=type(problem).__name__, said=said[0][:160] if said else ""))
    else:
        if result is not None:
            return True, result
        print(text("say.not_yet_none"))
    return False, None


def show(label: str, action: Callable[[], Any], digits: int = 3, *, heavy: bool = False) -> None:
    """Print `label` and what `action()` returns, tensors rounded to `digits` places.

    heavy: the action takes seconds; while nbgrader runs the notebook, one line stands in its place.
    """
    if heavy and os.environ.get("NBGRADER_EXECUTION"):
        print(text("say.left_out"))
        return
    done, result = attempt(action)
    if done:
        results = result if isinstance(result, tuple) else (result,)
        printed = "\n".join(_printed(one, digits) for one in results)
        print(label + ("\n" if "\n" in printed else " ") + printed)


def _printed(value: Any, digits: int) -> str:
    if isinstance(value, Tensor):
        value = value.detach().tolist()
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "\n".join(_printed(row, digits) for row in value)
    if isinstance(value, list):
        return "  ".join(_printed(one, digits) for one in value)
    return f"{value:{digits + 4}.{digits}f}" if isinstance(value, float) else str(value)
