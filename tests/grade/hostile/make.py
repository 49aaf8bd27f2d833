"""From an entry of the corpus to the folder that this learner hands in."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from attnlab.course import lesson_named
from attnlab.teach.demo_class.learners import CLASS, submission
from attnlab.teach.notebooks import read, write
from tests.gradecells import ROOT, source

LESSON = "01_simplified_attention"
POINTS = {
    cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points)
    for cell in source(LESSON).cells
    if cell.metadata.get("nbgrader", {}).get("grade")
}
"""Points by the id of the grade cell, in the order of the notebook."""
ALL = ("attention_scores", "softmax", "simplified_attention", "hand_calculation")


@dataclass(frozen=True)
class Places:
    """What attacks are aimed at; in their code it stands as @home@, @course@, @other@, @port@, @pid@ and @word@."""

    home: str
    course: str
    other: str
    """A folder that has nothing to do with the course and holds a file of the word."""
    port: str
    """Of a listener on 127.0.0.1."""
    pid: str
    """A process of the one who grades."""
    word: str
    """What no learner's code may ever get to see."""


@dataclass(frozen=True)
class Entry:
    """One learner who hands in something hostile or broken for lesson 1."""

    name: str
    what: str
    """What it does, in a few words."""
    points: float | None
    """What it must get, exactly; None for no score and a line."""
    work: dict[str, str] = field(default_factory=dict)
    """What stands in a solution cell instead of the solution."""
    solved: tuple[str, ...] = ("attention_scores", "hand_calculation")
    """The exercises that are solved honestly; the rest is as it was handed out."""
    after: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Code cells that are added below a cell."""
    ended: str = ""
    """The cell (by id) in which its kernel ends: no grade cell from there on runs, and each of them says so; "?"
    where the time of the machine decides where that is, if anywhere."""
    line: str = ""
    """What the line for the instructor contains."""
    change: Callable[[NotebookNode], None] | None = None
    """What is done to the notebook itself."""
    put: Callable[[Path, NotebookNode, Places], None] | None = None
    """Puts the files of the submission into its folder, in the place of the one notebook."""


def _filled(code: str, places: Places) -> str:
    # The word itself is for files and the environment only: whoever prints it has found it there.
    for name in ("home", "course", "other", "port", "pid"):
        code = code.replace(f"@{name}@", getattr(places, name))
    return code


@cache
def _released() -> NotebookNode:
    return read(ROOT / "release" / "zh" / LESSON / f"{LESSON}.ipynb")


def notebook(entry: Entry, places: Places) -> NotebookNode:
    """Return what the learner made of the released notebook."""
    made = nbformat.from_dict(_released())
    solved = {
        cell.id: cell.source for cell in source(LESSON).cells if cell.metadata.get("nbgrader", {}).get("solution")
    }
    cells = []
    for cell in made.cells:
        if cell.id in entry.work:
            cell.source = _filled(entry.work[cell.id], places)
        elif cell.id in entry.solved:
            cell.source = solved[cell.id]
        cells.append(cell)
        for number, code in enumerate(entry.after.get(cell.id, ())):
            cells.append(nbformat.v4.new_code_cell(_filled(code, places), id=f"more-{cell.id[:40]}-{number}"))
    made.cells = cells
    if entry.change:
        entry.change(made)
    return made


def hand_in(entry: Entry, submitted: Path, places: Places) -> None:
    """Put the learner's submission into the folder of all submissions."""
    folder = submitted / entry.name / LESSON
    folder.mkdir(parents=True)
    made = notebook(entry, places)
    if entry.put:
        entry.put(folder, made, places)
    else:
        # Not by nbformat, which would mend it.
        (folder / f"{LESSON}.ipynb").write_text(json.dumps(made), encoding="utf-8")


def hand_in_honestly(submitted: Path) -> dict[str, float]:
    """Put in four honest learners, whose names stand between the others'; return the points of each."""
    lesson = lesson_named(LESSON)
    honest = {}
    for number, learner in enumerate((CLASS[0], CLASS[1], CLASS[7], CLASS[0])):
        made = read(ROOT / "release" / learner.language / LESSON / f"{LESSON}.ipynb")
        folder = submitted / f"{'aint'[number]}_{learner.name}" / LESSON
        folder.mkdir(parents=True)
        write(submission(learner, lesson, made, source(LESSON)), folder / f"{LESSON}.ipynb")
        honest[folder.parent.name] = learner.points(lesson)
    return honest


def unrun(entry: Entry) -> set[str] | None:
    """Return the ids of the grade cells at or below the cell in which the kernel ends; None where nobody can tell."""
    if entry.ended == "?":
        return None
    if not entry.ended:
        return set()
    order = [cell.id for cell in source(LESSON).cells]
    return {name for name in POINTS if order.index(name) >= order.index(entry.ended)}
