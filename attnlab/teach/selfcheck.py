"""`attnlab check`: grade one's own notebook, hidden tests included, in a gradebook that is thrown away."""

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import determine_grade
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from attnlab.course import COURSE, LANGUAGES, Lesson, exercise_of
from attnlab.folder import CONFIG, course_root
from attnlab.learn import messages
from attnlab.learn.messages import text
from attnlab.problem import Problem
from attnlab.teach.grader import release_grader, succeed
from attnlab.teach.notebooks import language_of, read
from attnlab.teach.sources import source_path

_STUB = "raise NotImplementedError()"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LEARNER = "me"


@dataclass(frozen=True)
class Cell:
    """What one grade cell gave."""

    id: str
    points: float
    earned: float
    message: str | None
    """What the learner is told; None where the property holds."""


@dataclass(frozen=True)
class Exercise:
    """One exercise of the notebook."""

    name: str
    points: float
    """Earned."""
    of: float
    by_hand: bool
    """Graded by a person: no points here."""
    written: bool
    """The stub has been replaced."""
    cells: list[Cell]


@dataclass(frozen=True)
class Result:
    """What a notebook gets, as far as it is graded without a person."""

    lesson: str
    language: str
    points: float
    of: float
    by_hand: float
    """The points that a person gives besides."""
    exercises: list[Exercise]


def check(path: Path, *, as_json: bool = False, console: Console | None = None) -> int:
    """Grade the notebook and print what it gets; return 0 for all the points that no person gives, else 1.

    Problem where it is no notebook of this course or cannot be graded. Nothing of the learner's is written to.
    """
    console = console or Console()
    waiting = Console(stderr=True) if as_json else console
    before = messages.get_language()
    try:
        result = grade(path, waiting)
        if as_json:
            print(json.dumps(asdict(result), ensure_ascii=False))
        else:
            _print(result, console)
    finally:
        messages.set_language(before)
    return 0 if result.points == result.of else 1


def grade(path: Path, console: Console) -> Result:
    """Return what the notebook gets; the messages from here on are in its language."""
    messages.set_language(LANGUAGES[1])  # as every command, until the notebook says otherwise
    notebook = _read(path)
    messages.set_language(language_of(notebook))
    lesson = _lesson(path, notebook)
    root = _root(path)
    source = source_path(root, lesson)
    if not source.is_file():
        raise Problem(text("selfcheck.no_source", path=source))
    _complete(path, notebook, read(source), root)
    what = text("selfcheck.grading", name=path.name)
    if not console.is_terminal:
        print(what, file=sys.stderr)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with (
        tempfile.TemporaryDirectory(prefix="attnlab-check-", ignore_cleanup_errors=True) as folder,
        _apart(Path(folder)) as terminal,
        Progress(*columns, console=terminal(console), transient=True) as progress,
    ):
        progress.add_task(what)
        graded = _autograde(path, lesson, root, Path(folder))
    return _result(lesson, graded)


def _read(path: Path) -> NotebookNode:
    """Return the notebook; Problem where the file is none."""
    if path.is_dir():
        raise Problem(text("selfcheck.folder", path=path))
    try:
        written = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problem(text("selfcheck.no_file", path=path)) from None
    except (OSError, UnicodeDecodeError):
        raise Problem(text("selfcheck.not_a_notebook", path=path)) from None
    try:
        json.loads(written)
    except ValueError as error:
        if path.suffix != ".ipynb":
            raise Problem(text("selfcheck.not_a_notebook", path=path)) from None
        raise Problem(text("selfcheck.broken", path=path, said=error)) from None
    try:
        notebook: NotebookNode = nbformat.reader.reads(written)
        nbformat.validate(notebook, relax_add_props=True)
        known = notebook.nbformat == nbformat.current_nbformat
    except Exception:
        known = False
    if not known:
        raise Problem(text("selfcheck.not_a_notebook", path=path))
    return notebook


def _grade_ids(notebook: NotebookNode) -> list[str]:
    graders = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    return [one["grade_id"] for one in graders if one.get("grade_id") and (one.get("grade") or one.get("solution"))]


def _lesson(path: Path, notebook: NotebookNode) -> Lesson:
    """Return the lesson whose cells these are, whatever the file is called."""
    found = Counter(
        lesson
        for lesson in COURSE
        for one in _grade_ids(notebook)
        if one in lesson.exercises or exercise_of(lesson, one)
    )
    if not found:
        raise Problem(text("selfcheck.no_lesson", path=path))
    return found.most_common(1)[0][0]


def _root(path: Path) -> Path:
    """Return the course's folder: around the notebook, or else around where one is."""
    try:
        return course_root(path.parent)
    except Problem:
        pass
    try:
        return course_root()
    except Problem:
        raise Problem(text("selfcheck.no_course", config=CONFIG)) from None


def _complete(path: Path, notebook: NotebookNode, source: NotebookNode, root: Path) -> None:
    """Raise Problem where a cell that counts stands twice or is missing."""
    ids = Counter(_grade_ids(notebook))
    twice = [one for one, times in ids.items() if times > 1]
    if twice:
        raise Problem(text("selfcheck.twice", path=path, cells=", ".join(twice)))
    missing = [one for one in _grade_ids(source) if one not in ids]
    if missing:
        raise Problem(text("selfcheck.missing", path=path, cells=", ".join(missing), release=root / "release"))


@contextlib.contextmanager
def _apart(folder: Path) -> Iterator:
    """Let what nbgrader and the kernel say and leave behind go to `folder`; yields a way to reach the terminal."""
    settings = {
        "IPYTHONDIR": str(folder / "ipython"),
        "ATTNLAB_EXCHANGE": str(folder / "exchange"),
        "MPLBACKEND": os.environ.get("MPLBACKEND", "agg"),
    }
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    here = Path.cwd()
    saved = [os.dup(1), os.dup(2)]
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    opened = []

    def terminal(console: Console) -> Console:
        """Return `console`, on what its stream was before it went to the log."""
        if not console.is_terminal:
            return Console(quiet=True)  # what comes and goes is nothing for a file
        opened.append(os.fdopen(os.dup(saved[1 if console.stderr else 0]), "w", encoding="utf-8", errors="replace"))
        return Console(file=opened[-1], force_terminal=True, width=console.width)

    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        yield terminal
    finally:
        for file in opened:
            file.close()
        for number, old in enumerate(saved, start=1):
            os.dup2(old, number)
            os.close(old)
        os.close(log)
        os.chdir(here)  # nbgrader goes elsewhere
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def _autograde(path: Path, lesson: Lesson, root: Path, folder: Path) -> NotebookNode:
    """Return the notebook as nbgrader has graded it, by the course's own settings."""
    submitted = folder / "submitted" / _LEARNER / lesson.name / f"{lesson.name}.ipynb"
    submitted.parent.mkdir(parents=True)
    shutil.copyfile(path, submitted)
    # One's own code, run as oneself: no walls, which not every system has.
    api = release_grader(root, folder, messages.get_language(), walls=False)
    succeed(api.generate_assignment(lesson.name, force=True, create=True), f"source/{lesson.name}")
    succeed(api.autograde(lesson.name, _LEARNER, force=True, create=True), text("selfcheck.stopped", path=path))
    return read(folder / "autograded" / _LEARNER / lesson.name / submitted.name)


def _result(lesson: Lesson, graded: NotebookNode) -> Result:
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in graded.cells if "nbgrader" in cell.metadata}
    exercises = []
    for name in lesson.exercises:
        if name == lesson.by_hand:
            exercises.append(Exercise(name, 0.0, float(lesson.by_hand_points), True, True, []))
            continue
        tests = [_cell(cell) for one, cell in cells.items() if exercise_of(lesson, one) == name]
        points, of = sum(one.earned for one in tests), sum(one.points for one in tests)
        exercises.append(Exercise(name, points, of, False, _STUB not in cells[name].source, tests))
    automatic = [one for one in exercises if not one.by_hand]
    return Result(
        lesson.name,
        messages.get_language(),
        sum(one.points for one in automatic),
        sum(one.of for one in automatic),
        float(lesson.by_hand_points),
        exercises,
    )


def _cell(cell: NotebookNode) -> Cell:
    earned, points = determine_grade(cell)
    earned = 0.0 if earned is None else earned
    return Cell(cell.metadata.nbgrader.grade_id, points, earned, None if earned == points else "\n".join(_said(cell)))


def _said(cell: NotebookNode) -> list[str]:
    """Return what a grade cell that lost points says."""
    for output in cell.outputs:
        if output.output_type == "error":
            if output.ename == "CheckFailed":
                return _COLOUR.sub("", output.evalue).split("\n")
            said = _COLOUR.sub("", output.evalue).strip().split("\n")[0]
            return [text("selfcheck.error", cell=cell.metadata.nbgrader.grade_id, error=output.ename, said=said)]
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            said = _COLOUR.sub("", output.text).strip().split("\n")[0]
            return [text("selfcheck.stderr", cell=cell.metadata.nbgrader.grade_id, said=said)]
    return [text("selfcheck.not_run", cell=cell.metadata.nbgrader.grade_id)]


def _print(result: Result, console: Console) -> None:
    lesson = next(one for one in COURSE if one.name == result.lesson)
    table = Table(title=f"{int(lesson.name[:2])} · {lesson.title[result.language]}")
    table.add_column(text("selfcheck.exercise"))
    table.add_column(text("selfcheck.points"), justify="right")
    table.add_column(text("selfcheck.state"))
    for one in result.exercises:
        table.add_row(one.name, "–" if one.by_hand else f"{one.points:g} / {one.of:g}", _state(one))
    console.print(table)
    for one in result.exercises:
        for cell in one.cells if one.written else []:
            if cell.message:
                console.print(cell.message, markup=False, highlight=False, soft_wrap=True)
    console.print(text("selfcheck.total", points=f"{result.points:g}", of=f"{result.of:g}"))
    if result.by_hand:
        console.print(text("selfcheck.besides", points=f"{result.by_hand:g}"))


def _state(exercise: Exercise) -> str:
    if exercise.by_hand:
        return text("selfcheck.by_hand", points=f"{exercise.of:g}")
    if exercise.points == exercise.of:
        return f"[green]{text('selfcheck.done')}[/]"
    if not exercise.written:
        return text("selfcheck.not_written")
    passed = sum(cell.message is None for cell in exercise.cells)
    return f"[red]{text('selfcheck.partly', passed=passed, total=len(exercise.cells))}[/]"
