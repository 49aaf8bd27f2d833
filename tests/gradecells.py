"""Run one solution of one exercise through the real grade cells of its lesson's source notebook, in this process.

Scores by nbgrader's rule: an exception or any text on stderr loses the cell's points.
"""

import contextlib
import io
import linecache
import warnings
from builtins import compile, exec, float, isinstance, str  # noqa: UP029  (before a solution replaces them)
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
import torch

from attnlab.course import COURSE, Lesson, exercise_of
from attnlab.grade.outside.cell import run as run_outside
from attnlab.grade.outside.standin import Desk
from attnlab.inside.agent import Agent
from attnlab.learn.faults import CheckFailed

ROOT = Path(__file__).parent.parent
SOLUTIONS = Path(__file__).parent / "solutions"


@dataclass(frozen=True)
class Solution:
    """One way to solve an exercise, right or wrong."""

    exercise: str
    kind: str
    """"right" or "wrong"."""
    name: str
    code: str
    mistakes: tuple[str, ...] = ()
    """The keys of the catalogue's mistakes in it; none where the catalogue does not cover it."""

    def __str__(self) -> str:
        return f"{self.exercise}-{self.kind}-{self.name}"


@dataclass(frozen=True)
class Verdict:
    """What one grade cell gave."""

    grade_id: str
    points: float
    earned: float
    said: str
    mistake: str | None = None
    """The mistake that the learner is told of."""


def solutions() -> list[Solution]:
    """Read all solutions: `solutions/<exercise>.py`, in sections that begin `# %% right: name` or `wrong: name`.

    A wrong one may name its mistake in the catalogue: `# %% wrong: name | key`.
    """
    found = []
    for path in sorted(SOLUTIONS.glob("*.py")):
        for section in path.read_text(encoding="utf-8").split("# %% ")[1:]:
            head, _, code = section.partition("\n")
            kind, _, name = head.partition(": ")
            if kind not in ("right", "wrong"):
                raise ValueError(f"{path.name}: the section {head!r} is neither right nor wrong")
            name, _, keys = name.partition(" | ")
            mistakes = tuple(key.strip() for key in keys.split(",") if key.strip())
            found.append(Solution(path.stem, kind, name.strip(), code, mistakes))
    return found


@cache
def source(lesson: str) -> nbformat.NotebookNode:
    """Return the source notebook of a lesson."""
    return nbformat.read(ROOT / "source" / lesson / f"{lesson}.ipynb", as_version=4)


def lesson_with(exercise: str) -> Lesson:
    """Return the lesson that has this exercise."""
    return next(lesson for lesson in COURSE if exercise in lesson.exercises)


def grade(exercise: str, code: str, language: str = "zh", *, outside: bool = False) -> list[Verdict]:
    """Return the verdict of every grade cell of `exercise`, with `code` as its solution cell.

    `outside`: as `attnlab grade` runs the cell, which knows the solution's objects only by what can be asked of them.
    """
    return grade_work(lesson_with(exercise), {exercise: code}, language, only=exercise, outside=outside)


class _Beside:
    """The agent, without a kernel between it and the desk."""

    def __init__(self, namespace: dict) -> None:
        self._agent = Agent(namespace)

    def ask(self, question: str) -> str:
        return self._agent.answer(question)


def grade_work(
    lesson: Lesson,
    work: dict[str, str],
    language: str = "zh",
    only: str | None = None,
    *,
    outside: bool = False,
) -> list[Verdict]:
    """Return the verdict of the grade cells of a lesson (of the exercise `only`), with `work` as its solution cells.

    The setup cell runs first, then the solution cells in order (exercises that `work` lacks solved as in the
    source), then the grade cells.
    """
    cells = [cell for cell in source(lesson.name).cells if cell.cell_type == "code"]
    tests = [
        cell
        for cell in cells
        if (tested := exercise_of(lesson, cell.metadata.get("nbgrader", {}).get("grade_id", "")))
        and only in (None, tested)
    ]
    namespace: dict = {"__name__": "__main__"}
    state = torch.get_rng_state()
    try:
        for cell in cells:
            grader = cell.metadata.get("nbgrader", {})
            if cell.id == "setup":
                _run(cell.source.replace('language="zh"', f'language="{language}"'), "setup", namespace)
            elif grader.get("solution"):
                _run(work.get(grader["grade_id"], cell.source), grader["grade_id"], namespace)
        if outside:
            desk = Desk(_Beside(namespace))
            return [_verdict_outside(cell, desk) for cell in tests]
        return [_verdict(cell, namespace) for cell in tests]
    finally:
        torch.set_rng_state(state)


def _run(code: str, name: str, namespace: dict) -> tuple[str, str, Exception | None]:
    """Run a cell; return its stdout, its stderr and the exception that ended it, if any."""
    filename = f"<cell {name}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    out, err, problem = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("always")
        try:
            exec(compile(code, filename, "exec"), namespace)
        except Exception as error:
            problem = error
    return out.getvalue(), err.getvalue(), problem


def _verdict(cell: nbformat.NotebookNode, namespace: dict) -> Verdict:
    grader = cell.metadata["nbgrader"]
    points = float(grader["points"])
    out, err, problem = _run(cell.source, grader["grade_id"], namespace)
    if isinstance(problem, CheckFailed):
        return Verdict(grader["grade_id"], points, 0.0, str(problem), problem.mistake)
    if problem is not None:
        return Verdict(grader["grade_id"], points, 0.0, f"{type(problem).__name__}: {problem}")
    return Verdict(grader["grade_id"], points, 0.0 if err else points, err or out)


def _verdict_outside(cell: nbformat.NotebookNode, desk: Desk) -> Verdict:
    grader = cell.metadata["nbgrader"]
    points = float(grader["points"])
    outcome = run_outside(cell.source, grader["grade_id"], desk)
    if outcome.error:
        return Verdict(grader["grade_id"], points, 0.0, outcome.error[1], outcome.mistake)
    return Verdict(grader["grade_id"], points, points, outcome.printed)
