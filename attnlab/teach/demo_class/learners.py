"""Eight learners, told apart by what they hand in, and the points that each should get."""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import resources

import nbformat
from nbformat import NotebookNode

from attnlab.course import COURSE, Lesson
from attnlab.teach.localise import localise

Solve = Callable[[Lesson, str, str], str | None]
"""From a lesson, an exercise and its solved cell to what the learner wrote there; None leaves the stub."""


@dataclass(frozen=True)
class Learner:
    """One of the class."""

    name: str
    """The learner's id in the gradebook."""
    language: str
    handed_in: str
    """What the table says of it."""
    solve: Solve
    lost: dict[str, float] = field(default_factory=dict)
    """Points lost, by lesson, where the learner solves the rest."""
    nothing: bool = False
    """No point is earned at all."""
    slow: bool = False
    """Runs into nbgrader's time limit."""

    def points(self, lesson: Lesson) -> float:
        """Return the automatic points that this learner should get for a lesson."""
        if self.nothing:
            return 0.0
        return lesson.points - lesson.by_hand_points - self.lost.get(lesson.name, 0.0)


def written(file: str) -> dict[str, str]:
    """Read `<file>.txt` beside this one: exercise → code, in sections that begin with `# %% <exercise>`."""
    text = resources.files(__package__).joinpath(f"{file}.txt").read_text(encoding="utf-8")
    sections = (section.partition("\n") for section in text.split("# %% ")[1:])
    return {head.strip(): code.strip() for head, _, code in sections}


def _all(lesson: Lesson, exercise: str, solved: str) -> str:
    return solved


def _none(lesson: Lesson, exercise: str, solved: str) -> None:
    return None


def _half(lesson: Lesson, exercise: str, solved: str) -> str | None:
    return solved if lesson.exercises.index(exercise) < len(lesson.exercises) // 2 else None


def _from(file: str) -> Solve:
    code = written(file)
    return lambda lesson, exercise, solved: code.get(exercise, solved)


_L1, _L2, _L3, _L4, _L5, _L6 = (lesson.name for lesson in COURSE)

CLASS = (
    Learner("all_right_zh", "zh", "all right, in Chinese", _all),
    Learner("another_way_en", "en", "all right, another way, in English", _from("another_way")),
    Learner("untouched", "zh", "nothing written", _none, nothing=True),
    Learner(
        "half_done", "zh", "the first half of each lesson", _half, {_L1: 7, _L2: 8, _L3: 17, _L4: 17, _L5: 3, _L6: 4}
    ),
    Learner("five_mistakes", "en", "five common mistakes", _from("five_mistakes"), {_L1: 4, _L2: 3, _L3: 7, _L4: 10}),
    Learner("syntax_error", "zh", "one cell with a syntax error", _from("syntax_error"), {_L1: 7}),
    Learner("endless_loop", "en", "one cell that loops for ever", _from("endless_loop"), {_L1: 3}, slow=True),
    Learner("学生甲", "zh", "all right, a name in Chinese characters", _all),
)


def submission(learner: Learner, lesson: Lesson, released: NotebookNode, source: NotebookNode) -> NotebookNode:
    """Return the released notebook, changed in place, with the learner's work in its solution cells."""
    solved = {
        cell.metadata.nbgrader.grade_id: localise(cell.source, learner.language)
        for cell in source.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }
    for cell in released.cells:
        grader = cell.metadata.get("nbgrader", nbformat.NotebookNode())
        if grader.get("solution"):
            work = learner.solve(lesson, grader.grade_id, solved[grader.grade_id])
            if work is not None:
                cell.source = work
    return released
