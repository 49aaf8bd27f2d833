"""A property that should hold: where it does not, the learner is told in their language what came out instead."""

import contextlib
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attnlab.learn import lesson
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import section, text

_PACKAGE = str(Path(__file__).parent.parent)


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
        if not frame.filename.startswith(_PACKAGE)
        and "site-packages" not in frame.filename
        and "/lib/python" not in frame.filename
        and "\\lib\\" not in frame.filename.lower()
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
