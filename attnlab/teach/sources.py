"""Read the source notebooks, and say of each what nbgrader, a learner or a grader would trip over."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from attnlab.course import COURSE, DEFAULT_LANGUAGE, LANGUAGES, Lesson, exercise_of
from attnlab.learn import messages
from attnlab.problem import Problem
from attnlab.teach.localise import LANGUAGE_SETTING, marked_language

REGIONS = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
_CLAIM = re.compile(r'check\.holds\("(\w+)", "(\w+)"\)')


def source_path(root: Path, lesson: Lesson) -> Path:
    """Return where a lesson's source notebook lies."""
    return root / "source" / lesson.name / f"{lesson.name}.ipynb"


def read_sources(root: Path) -> dict[Lesson, NotebookNode]:
    """Return every lesson that has a source, in the course's order; Problem with all that is wrong with any."""
    folder = root / "source"
    if not folder.is_dir():
        raise Problem(f"{folder}: there is no such folder; the course's notebooks are edited there")
    known = {lesson.name for lesson in COURSE}
    wrong = [
        f"source/{path.name}: not a lesson of the course; known are {', '.join(sorted(known))}"
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".") and path.name not in known
    ]
    found: dict[Lesson, NotebookNode] = {}
    for lesson in COURSE:
        path = source_path(root, lesson)
        if not path.parent.is_dir():
            continue
        name = path.relative_to(root).as_posix()
        try:
            found[lesson] = _read(path)
        except Problem as problem:
            wrong.extend(f"{name}: {line}" for line in problem.lines)
        else:
            wrong.extend(f"{name}: {one}" for one in problems(found[lesson], lesson))
    if wrong:
        raise Problem(*wrong)
    if not found:
        raise Problem(f"{folder}: no lesson in it")
    return found


def _read(path: Path) -> NotebookNode:
    """Return the notebook exactly as it is in the file: `nbformat.read` would mend double cell ids on the way."""
    try:
        notebook: NotebookNode = nbformat.v4.reads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Problem("there is no such file") from None
    except Exception as error:
        raise Problem(f"not a readable notebook ({type(error).__name__}: {error})") from error
    if not isinstance(notebook, dict) or (notebook.get("nbformat"), notebook.get("nbformat_minor", 0)) < (
        4,
        5,
    ):
        raise Problem("not a notebook of nbformat 4.5; open it in JupyterLab and save it")
    wrong = next(nbformat.validator.iter_validate(notebook), None)
    if wrong is not None:
        raise Problem(f"not a valid notebook ({str(wrong).splitlines()[0][:120]})")
    return notebook


def problems(notebook: NotebookNode, lesson: Lesson) -> list[str]:
    """Return what is wrong with a source notebook, a line each, which names the cell."""
    return [
        *_ids(notebook),
        *_twins(notebook),
        *_marked_lines(notebook),
        *_regions(notebook),
        *_graded(notebook, lesson),
        *_outputs(notebook),
        *_setup(notebook, lesson),
    ]


def cell_name(cell: NotebookNode) -> str:
    """Return what to call a cell in a message: its grade_id, or its id and how it begins."""
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
    if grade_id:
        return f"cell {grade_id}"
    begins = cell.source.strip().splitlines()[0][:30] if cell.source.strip() else "empty"
    return f"cell {cell.get('id', '(no id)')} ({begins})"


def _grader(cell: NotebookNode) -> dict:
    return cell.metadata.get("nbgrader", {})


def _ids(notebook: NotebookNode) -> Iterator[str]:
    if any("id" not in cell for cell in notebook.cells):
        yield "some cells have no id: open the notebook in JupyterLab and save it (nbformat 4.5)"
    for what, ids in (
        ("id", Counter(cell.get("id") for cell in notebook.cells)),
        ("grade_id", Counter(_grader(cell).get("grade_id") for cell in notebook.cells)),
    ):
        for one, times in ids.items():
            if one and times > 1:
                yield f"cell {one}: the {what} stands {times} times; each cell needs its own"


def _twins(notebook: NotebookNode) -> Iterator[str]:
    """Prose stands in pairs: a cell in each language, one after the other."""
    waiting: NotebookNode | None = None
    for cell in notebook.cells:
        prose = cell.cell_type != "code" and not _grader(cell)
        tags = [tag for tag in cell.metadata.get("tags", []) if tag in LANGUAGES]
        if prose and len(tags) != 1:
            yield f"{cell_name(cell)}: prose needs one language tag of {', '.join(LANGUAGES)}, found {len(tags)}"
            continue
        if not prose and tags:
            yield f"{cell_name(cell)}: only prose is tagged with a language; code and answers stand once"
        if waiting is not None:
            if prose and tags == [LANGUAGES[1]]:
                waiting = None
                continue
            yield f"{cell_name(waiting)}: no twin in {LANGUAGES[1]} follows it"
            waiting = None
        if prose and tags == [LANGUAGES[0]]:
            waiting = cell
        elif prose:
            yield f"{cell_name(cell)}: no twin in {LANGUAGES[0]} stands before it"
    if waiting is not None:
        yield f"{cell_name(waiting)}: no twin in {LANGUAGES[1]} follows it"


def _marked_lines(notebook: NotebookNode) -> Iterator[str]:
    """Inside code, so many lines marked [zh] are followed by as many marked [en]."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        marks = [marked_language(line) for line in cell.source.split("\n")]
        runs: list[list[str]] = []
        before = None
        for mark in marks:
            if mark and before:
                runs[-1].append(mark)
            elif mark:
                runs.append([mark])
            before = mark
        for run in runs:
            half = len(run) // 2
            if run != [LANGUAGES[0]] * half + [LANGUAGES[1]] * half:
                yield (
                    f"{cell_name(cell)}: lines marked [{LANGUAGES[0]}] must be followed by as many marked "
                    f"[{LANGUAGES[1]}]; found {' '.join(run)}"
                )


def _regions(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        grader = _grader(cell)
        for region in REGIONS:
            begins = cell.source.count(f"### BEGIN {region}")
            if begins != cell.source.count(f"### END {region}"):
                yield f"{cell_name(cell)}: BEGIN {region} and END {region} do not match"
        if "BEGIN HIDDEN TESTS" in cell.source and not (grader.get("grade") and not grader.get("solution")):
            yield f"{cell_name(cell)}: hidden tests in a cell that grades nothing"
        scheme, end = cell.source.find("### BEGIN MARK SCHEME"), cell.source.find("### END SOLUTION")
        if scheme > end:
            yield f"{cell_name(cell)}: nbgrader takes a mark scheme only inside the region BEGIN SOLUTION"
        if "BEGIN SOLUTION" in cell.source and not grader.get("solution"):
            yield f"{cell_name(cell)}: a solution in a cell that is not marked as one"


def _graded(notebook: NotebookNode, lesson: Lesson) -> Iterator[str]:
    solved: Counter[str] = Counter()
    total = by_hand = 0.0
    for cell in notebook.cells:
        grader = _grader(cell)
        grade_id = grader.get("grade_id", "")
        if grader.get("solution"):
            solved[grade_id] += 1
            if grade_id not in lesson.exercises:
                yield f"{cell_name(cell)}: not an exercise of this lesson ({', '.join(lesson.exercises)})"
            if "BEGIN SOLUTION" not in cell.source:
                yield f"{cell_name(cell)}: no region BEGIN SOLUTION … END SOLUTION"
        if not grader.get("grade"):
            if grade_id.startswith("test_"):
                yield f"{cell_name(cell)}: a test cell that grades nothing; mark it as a test and give it points"
            continue
        points = grader.get("points")
        if not isinstance(points, int | float) or isinstance(points, bool) or points <= 0:
            yield f"{cell_name(cell)}: a graded cell without points"
            continue
        total += points
        if grader.get("solution"):
            by_hand += points
            if grade_id != lesson.by_hand:
                yield f"{cell_name(cell)}: graded by hand, which the contract does not say of it"
            continue
        yield from _test_cell(cell, lesson, grade_id)
    for exercise in lesson.exercises:
        if not solved[exercise]:
            yield f"cell {exercise}: missing; the contract has this exercise"
    if total != lesson.points:
        yield f"its cells give {total:g} points in all; the contract says {lesson.points}"
    elif by_hand != lesson.by_hand_points:
        yield f"its cells give {by_hand:g} points by hand; the contract says {lesson.by_hand_points}"


def _test_cell(cell: NotebookNode, lesson: Lesson, grade_id: str) -> Iterator[str]:
    exercise = exercise_of(lesson, grade_id)
    if exercise is None:
        yield f"{cell_name(cell)}: grades no exercise of this lesson; call it test_<exercise>_<property>"
        return
    claims = _CLAIM.findall(cell.source)
    claim = grade_id.removeprefix(f"test_{exercise}_")
    if claims != [(exercise, claim)]:
        yield f'{cell_name(cell)}: it should hold one `with check.holds("{exercise}", "{claim}"):`'
    elif not messages.has_text(f"check.{exercise}.{claim}"):
        yield f"{cell_name(cell)}: attnlab/learn/texts has no text check.{exercise}.{claim}"


def _outputs(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if cell.get("outputs") or cell.get("execution_count"):
            yield f"{cell_name(cell)}: carries an output; clear all outputs and save"


def _setup(notebook: NotebookNode, lesson: Lesson) -> Iterator[str]:
    setting = LANGUAGE_SETTING.format(DEFAULT_LANGUAGE)
    wanted = f'start("{lesson.name}", {setting})'
    if sum(cell.source.count(wanted) for cell in notebook.cells if cell.cell_type == "code") != 1:
        yield f"no cell, or more than one, with the line {wanted}"
