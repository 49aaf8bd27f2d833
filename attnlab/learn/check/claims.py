"""A property that should hold: where it does not, the learner is told in their language what came out instead."""

import contextlib
import functools
import re
import sys
import textwrap
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from attnlab.learn import guard
from attnlab.learn.faults import CheckFailed, frames_of
from attnlab.learn.lesson import record as _record
from attnlab.learn.messages import section, text
from attnlab.learn.mistakes import recognise
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.plot import compare

Judge = TypeVar("Judge", bound=Callable[..., Any])
_frame = sys._getframe
_WIDTH = 100  # characters a line
_ANSWERS = ("value", "not_finite", "entry_value", "entry_text", "positions", "not_near", "dropout_value")
"""The faults whose texts name an expected result."""
_concealed: tuple[str, range] | None = None


class holds:
    """Check one property of one exercise: the text `check.<exercise>.<claim>` says which.

    Prints one line where it holds. Raises CheckFailed where it does not, whatever went wrong inside: a failed
    comparison, a missing name, an exception in the learner's code. Warnings and stderr of the code inside are
    kept from the grader, who takes any text on stderr for a failure.
    """

    # A class of its own and not a generator: contextlib's way out of a `with` could be replaced by a learner's.
    def __init__(self, exercise: str, claim: str) -> None:
        """Name the property; KeyError where there is no text for it."""
        self._exercise, self._claim = exercise, claim
        self._key = f"check.{exercise}.{claim}"
        self._headline = text("say.claim", exercise=exercise, claim=text(self._key))
        self._quiet = contextlib.ExitStack()

    def __enter__(self) -> None:
        """Begin; CheckFailed where the notebook has replaced what the check stands on."""
        self._ground = guard.Ground(_frame(1))
        try:
            self._ground.enter()
        except CheckFailed as problem:
            raise self._failed(problem) from None
        self._quiet.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self._quiet.enter_context(contextlib.redirect_stderr(sys.stdout))

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        """Say how it came out."""
        self._ground.leave()
        try:
            if isinstance(problem, KeyboardInterrupt):
                return  # the grader's time limit, or the learner's stop button
            try:
                self._ground.inspect()
            except CheckFailed as replaced:
                problem = replaced
            if problem is not None:
                raise self._failed(problem) from None
        finally:
            self._quiet.close()
        _record(self._exercise, self._claim, passed=True)
        print("✓ " + self._headline)

    def _failed(self, problem: BaseException) -> CheckFailed:
        """Return what to raise: the property, what went wrong, the mistake behind it, where to read again."""
        _record(self._exercise, self._claim, passed=False)
        lines = problem.lines if isinstance(problem, CheckFailed) else _explain(problem)
        evidence = _evidence(self._exercise, self._claim, problem)
        mistake = recognise(evidence) if evidence.fault not in guard.FAULTS else None
        where = section(self._key)
        ending = [text("say.see", section=where)] if where else []
        named = _wrapped(" ".join([mistake.text().replace("\n", " "), *ending])) if mistake else ending
        compare(evidence.want, evidence.got)
        lines = ["✗ " + self._headline, *("  " + line for line in [*lines, *named])]
        return CheckFailed(*lines, mistake=mistake.key if mistake else None)


def _wrapped(words: str) -> list[str]:
    """Break a text into lines that a notebook shows whole; Chinese, which has no blanks, stands on one."""
    words = re.sub(r"(?<=[。？！：；]) ", "", words)
    return textwrap.wrap(words, width=_WIDTH, break_long_words=False)


def _evidence(exercise: str, claim: str, problem: BaseException) -> Evidence:
    """Return what the catalogue of mistakes looks at."""
    if not isinstance(problem, CheckFailed):
        return Evidence(exercise, claim, fault=None, problem=problem)
    made = getattr(problem.want, "made_by", None)
    return Evidence(exercise, claim, problem.fault, got=problem.got, want=problem.want, made=made)


def judging(function: Judge) -> Judge:
    """Keep with a failure what was judged (the first argument) and against what (the second), if nobody has yet.

    `same_as`, an option of every function so wrapped, is what a reference function gives in the place of `got`.
    """

    @functools.wraps(function)
    def judge(got: Any, *others: Any, same_as: Any = None, **options: Any) -> Any:
        try:
            return function(got, *others, **options)
        except CheckFailed as problem:
            if same_as is not None:
                problem.got, problem.want = got, same_as
            elif problem.got is None and problem.want is None:
                problem.got, problem.want = got, others[0] if others else None
            raise

    return judge  # type: ignore[return-value]


def _explain(problem: BaseException) -> list[str]:
    """Say what an exception from inside a check means for the learner."""
    if isinstance(problem, NotImplementedError):
        return [text("fault.not_written")]
    if isinstance(problem, NameError) and problem.name:
        return [text("fault.not_defined", name=problem.name)]
    said = str(problem).strip().splitlines()
    lines = [text("fault.raised", error=type(problem).__name__, said=said[0][:200] if said else "")]
    frames = frames_of(problem)
    if frames and frames[-1].line:
        lines.append(text("fault.at_line", number=frames[-1].lineno, code=frames[-1].line.strip()[:100]))
    return lines


@contextlib.contextmanager
def concealing(filename: str, lines: range) -> Iterator[None]:
    """Let a check that fails in these lines of a file name no expected result: a grader's hidden inputs."""
    global _concealed
    before, _concealed = _concealed, (filename, lines)
    try:
        yield
    finally:
        _concealed = before


def _is_concealed() -> bool:
    """Tell whether the check that calls stands in lines whose expected results are nobody's to read."""
    if _concealed is None:
        return False
    frame: types.FrameType | None = _frame(1)
    while frame is not None and frame.f_code.co_filename != _concealed[0]:
        frame = frame.f_back
    return frame is not None and frame.f_lineno in _concealed[1]


def fail(key: str, /, **values: Any) -> None:
    """Fail the check that this stands in, with the text `fault.<key>`."""
    if key in _ANSWERS and _is_concealed():
        values |= {name: text("say.not_shown") for name in ("expected", "missing", "extra") if name in values}
    raise CheckFailed(text(f"fault.{key}", **values), fault=key)


def that(condition: bool, key: str, /, *, of: Any = None, **values: Any) -> None:
    """Fail with the text `fault.<key>` unless `condition` is True itself (a plain bool).

    `of` is what the condition is about, for the catalogue of mistakes.
    """
    if condition is not True:
        try:
            fail(key, **values)
        except CheckFailed as problem:
            problem.got = of
            raise
