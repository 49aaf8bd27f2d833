"""After the repair every cell of the lesson is there once, as it was handed out, below what it tests."""

import copy
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import compute_checksum

from attnlab.grade.repair import LessonCell, lesson_cells, repaired
from attnlab.teach.grader import grader, load_config, succeed
from tests.gradecells import ROOT, source

LESSON = "01_simplified_attention"
WRITTEN = "05_scaling_experiment"
LINES = """
from nbgrader.converters import Autograde
from attnlab.grade.repair import Repair
c.Autograde.sanitize_preprocessors = [Repair, *Autograde.class_traits()["sanitize_preprocessors"].default()]
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course's folder whose gradebook knows two lessons."""
    folder = tmp_path_factory.mktemp("course")
    for name in ("source", "release"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    config = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(config if "Repair" in config else config + LINES, encoding="utf-8")
    api = grader(load_config(folder, "zh"))
    for lesson in (LESSON, WRITTEN):
        succeed(api.generate_assignment(lesson), lesson)
    return folder


@pytest.fixture(scope="module")
def known(made: Path) -> dict[str, list[LessonCell]]:
    with Gradebook(f"sqlite:///{made / 'gradebook.db'}", "attention") as gradebook:
        return {lesson: lesson_cells(gradebook, lesson, lesson) for lesson in (LESSON, WRITTEN)}


def released(language: str = "zh", lesson: str = LESSON) -> NotebookNode:
    return nbformat.read(ROOT / "release" / language / lesson / f"{lesson}.ipynb", as_version=4)


def solution(grade_id: str) -> str:
    return source(LESSON).cells[place(source(LESSON), grade_id)].source


def place(notebook: NotebookNode, grade_id: str) -> int:
    """Return where the one cell with this grade id is."""
    (found,) = [
        number
        for number, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    ]
    return found


def solved(language: str = "zh") -> NotebookNode:
    notebook = released(language)
    for exercise in ("attention_scores", "softmax"):
        notebook.cells[place(notebook, exercise)].source = solution(exercise)
    return notebook


Change = Callable[[NotebookNode], None]


def copied(notebook: NotebookNode, grade_id: str, text: str | None = None, at: int | None = None) -> None:
    """Copy a cell as JupyterLab does: the metadata stays, the id is new."""
    here = place(notebook, grade_id)
    new = copy.deepcopy(notebook.cells[here])
    new.id = f"copied-{len(notebook.cells)}"
    new.source = new.source if text is None else text
    notebook.cells.insert(here + 1 if at is None else at, new)


def deleted(*grade_ids: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        for grade_id in grade_ids:
            del notebook.cells[place(notebook, grade_id)]

    return change


def first(*grade_ids: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        for grade_id in grade_ids:
            notebook.cells.insert(0, notebook.cells.pop(place(notebook, grade_id)))

    return change


def retyped(cell_type: str, *grade_ids: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        for grade_id in grade_ids:
            at = place(notebook, grade_id)
            old = notebook.cells[at]
            new = getattr(nbformat.v4, f"new_{cell_type}_cell")(old.source, id=old.id, metadata=old.metadata)
            notebook.cells[at] = new

    return change


def marks(grade_id: str, /, **changes: object) -> Change:
    def change(notebook: NotebookNode) -> None:
        cell = notebook.cells[place(notebook, grade_id)]
        for key, value in changes.items():
            if value is None:
                del cell.metadata.nbgrader[key]
            else:
                cell.metadata.nbgrader[key] = value

    return change


def unmarked(*grade_ids: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        for grade_id in grade_ids:
            notebook.cells[place(notebook, grade_id)].metadata = NotebookNode()

    return change


def forged(notebook: NotebookNode) -> None:
    grade = {"grade": True, "solution": False, "locked": True, "points": 90, "schema_version": 3, "task": False}
    notebook.cells.append(new_code_cell("1", metadata={"nbgrader": {**grade, "grade_id": "mine"}}))
    notebook.cells.append(new_code_cell("1", metadata={"nbgrader": {}}))
    notebook.cells.append(new_code_cell("1", metadata={"nbgrader": {**grade}}))
    notebook.cells.append(new_code_cell("1", metadata={"nbgrader": {"grade_id": ["softmax"], "grade": "yes"}}))


def edited(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.id.startswith("test_"):
            cell.source = "100"
            cell.metadata.tags = ["skip-execution"]


CHANGES = {
    "nothing": lambda notebook: None,
    "copied test": lambda notebook: copied(notebook, "test_softmax_rows"),
    "copied test, empty": lambda notebook: copied(notebook, "test_softmax_rows", ""),
    "copied solution": lambda notebook: copied(notebook, "softmax"),
    "copied thrice": lambda notebook: [copied(notebook, "softmax", at=at) for at in (1,)],
    "edited and tagged tests": edited,
    "deleted tests": deleted("test_softmax_rows", "test_softmax_masked", "test_attention_scores_values"),
    "deleted solution": deleted("softmax"),
    "deleted exercise": deleted(
        "softmax", *(f"test_softmax_{claim}" for claim in ("rows", "values", "stable", "masked", "careful"))
    ),
    "tests first": first("test_softmax_rows", "test_softmax_values"),
    "markdown": retyped("markdown", "softmax", "test_softmax_rows"),
    "raw": retyped("raw", "softmax", "test_softmax_rows"),
    "more points": marks("test_softmax_rows", points=50),
    "no points": marks("test_softmax_rows", points=None),
    "points in words": marks("test_softmax_rows", points="all"),
    "no grade": marks("test_softmax_rows", grade=False),
    "graded solution": marks("softmax", grade=True, points=40, solution=True),
    "old schema": marks("test_softmax_rows", schema_version=1),
    "new schema": marks("test_softmax_rows", schema_version=9),
    "schema in words": marks("test_softmax_rows", schema_version="3"),
    "no schema": marks("softmax", schema_version=None),
    "renamed id": marks("test_softmax_rows", grade_id="test_softmax_mine"),
    "swapped id": marks("softmax", grade_id="test_softmax_rows"),
    "lost marks": unmarked("softmax", "test_softmax_rows"),
    "forged": forged,
    "another lesson": lambda notebook: notebook.update(released("zh", "02_self_attention")),
    "no cells": lambda notebook: notebook.cells.clear(),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", CHANGES)
def test_every_graded_cell_is_there_once_and_as_it_was(
    name: str, language: str, known: dict[str, list[LessonCell]]
) -> None:
    notebook = solved(language)
    CHANGES[name](notebook)
    whole, remarks = repaired(notebook, known[LESSON], LESSON)
    assert bool(remarks) == (name not in ("nothing", "old schema", "new schema", "schema in words", "no schema"))
    nbformat.validate(whole)
    MetadataValidator().validate_nb(whole)  # at this one nbgrader stops a class
    for cell in known[LESSON]:
        if not cell.grade:
            continue
        at = place(whole, cell.name)
        assert whole.cells[at].source == cell.source
        assert whole.cells[at].metadata.nbgrader.points == cell.points
        assert compute_checksum(whole.cells[at]) == cell.checksum
        assert "tags" not in whole.cells[at].metadata
    names = {cell.metadata.nbgrader.grade_id for cell in whole.cells if "nbgrader" in cell.metadata}
    assert names <= {cell.name for cell in known[LESSON]}
    tests = [place(whole, cell.name) for cell in known[LESSON] if cell.name.startswith("test_softmax")]
    text = solution("softmax")
    if name not in ("another lesson", "no cells", "deleted solution", "deleted exercise"):
        (above,) = {cell.source for cell in whole.cells[: min(tests)] if cell.source.startswith("def softmax(")}
        assert above == text
        assert all(cell.cell_type == "code" for cell in whole.cells if cell.source == text)


def test_an_untouched_notebook_stays_as_it_is(known: dict[str, list[LessonCell]]) -> None:
    for lesson in (LESSON, WRITTEN):
        for language in ("zh", "en"):
            whole, remarks = repaired(released(language, lesson), known[lesson], lesson)
            assert remarks == []
            tests = {cell.name for cell in known[lesson] if cell.tests}
            assert [(cell.id, cell.source) for cell in whole.cells if cell.id not in tests] == [
                (cell.id, cell.source) for cell in released(language, lesson).cells if cell.id not in tests
            ]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("at", ["above", "below", "at the end"])
def test_a_copy_that_is_still_as_handed_out_does_not_undo_the_solution(
    at: str, language: str, known: dict[str, list[LessonCell]]
) -> None:
    notebook = released(language)
    here = place(notebook, "softmax")
    number = {"above": here, "below": here + 1, "at the end": len(notebook.cells)}[at]
    copied(notebook, "softmax", solution("softmax"), at=number)
    whole, _ = repaired(notebook, known[LESSON], LESSON)
    (only,) = [cell for cell in whole.cells if cell.source.startswith("def softmax(")]
    assert only.source == solution("softmax")
    assert place(whole, "softmax") < place(whole, "test_softmax_rows")


def test_of_two_versions_the_last_above_the_tests_is_what_they_test(known: dict[str, list[LessonCell]]) -> None:
    notebook = solved()
    copied(notebook, "softmax", "def softmax(scores):\n    return scores")
    copied(notebook, "test_softmax_rows", "an idea = of mine")
    whole, _ = repaired(notebook, known[LESSON], LESSON)
    versions = [
        cell.source for cell in whole.cells[: place(whole, "test_softmax_rows")] if "def softmax(" in cell.source
    ]
    assert versions == [solution("softmax"), "def softmax(scores):\n    return scores"]
    assert whole.cells[place(whole, "softmax")].source == versions[1]
    assert "an idea = of mine" in [cell.source for cell in whole.cells]


def test_a_solution_pasted_into_a_new_cell_is_found(known: dict[str, list[LessonCell]]) -> None:
    for change in (deleted("softmax"), lambda notebook: None):
        notebook = released()
        change(notebook)
        notebook.cells.append(new_code_cell("%matplotlib inline\n" + solution("softmax"), id="new"))
        whole, remarks = repaired(notebook, known[LESSON], LESSON)
        assert whole.cells[place(whole, "softmax")].id == "new"
        assert place(whole, "softmax") < place(whole, "test_softmax_rows")
        assert any("another cell" in line for line in remarks)


def test_a_solution_that_keeps_the_stubs_last_line_counts_as_written(known: dict[str, list[LessonCell]]) -> None:
    notebook = released()
    mine = "def softmax(scores):\n    return scores.softmax(-1)\n    raise NotImplementedError()"
    notebook.cells[place(notebook, "softmax")].source = mine
    notebook.cells.append(new_code_cell("def softmax(scores):\n    return 1"))
    whole, remarks = repaired(notebook, known[LESSON], LESSON)
    assert whole.cells[place(whole, "softmax")].source == mine
    assert remarks == []


def test_a_deleted_answer_is_left_to_a_person_and_an_untouched_one_is_not(known: dict[str, list[LessonCell]]) -> None:
    notebook = released("en", WRITTEN)
    whole, _ = repaired(notebook, known[WRITTEN], WRITTEN)
    answer = whole.cells[place(whole, "scaling_explained")]
    assert compute_checksum(answer) == answer.metadata.nbgrader.checksum  # which nbgrader gives 0
    del notebook.cells[place(notebook, "scaling_explained")]
    notebook.cells.append(new_markdown_cell("My answer, in a cell of its own"))
    whole, remarks = repaired(notebook, known[WRITTEN], WRITTEN)
    answer = whole.cells[place(whole, "scaling_explained")]
    assert compute_checksum(answer) != answer.metadata.nbgrader.checksum
    assert "This cell had been deleted" in answer.source
    assert len(remarks) == 1


def test_code_that_breaks_parsers_breaks_no_repair(known: dict[str, list[LessonCell]]) -> None:
    for text in (
        "(" * 50_000,
        "-" * 100_000 + "1",
        "x" + ".a" * 90_000,
        "\x00",
        "f'{" * 500,
        "\\" * 9999,
        "é" * 300_000,
    ):
        notebook = solved()
        notebook.cells[place(notebook, "softmax")].source = text
        notebook.cells.append(new_code_cell(text))
        whole, _ = repaired(notebook, known[LESSON], LESSON)
        assert whole.cells[place(whole, "softmax")].source == text


@pytest.mark.slow
def test_a_class_with_broken_notebooks_is_graded_by_nbgraders_own_command(made: Path) -> None:
    def tampered(notebook: NotebookNode) -> None:
        for change in (edited, forged, unmarked("softmax", "test_softmax_rows")):
            change(notebook)

    expected = {
        "honest": (lambda notebook: None, 8),
        "copied": (lambda notebook: copied(notebook, "softmax"), 8),
        "tampered": (tampered, 8),
    }
    for learner, (change, _) in expected.items():
        notebook = solved()
        change(notebook)
        # The cells that take long are not what this is about.
        notebook.cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata or "softmax" in cell.id]
        path = made / "submitted" / learner / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    succeed(grader(load_config(made, "zh")).autograde(LESSON, "*"), "autograde")
    with Gradebook(f"sqlite:///{made / 'gradebook.db'}", "attention") as gradebook:
        scores = {one: gradebook.find_submission(LESSON, one).score for one in expected}
    assert scores == {learner: points for learner, (_, points) in expected.items()}
