"""A notebook, run with its kernel behind walls and its grade cells here: every cell ends with what it earned."""

from collections.abc import Iterator

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets.config import Config

from attnlab.course import COURSE, Lesson
from attnlab.grade import NOT_RUN, walls
from attnlab.grade.execute import Isolated
from attnlab.problem import Problem
from attnlab.teach.localise import localise
from tests.gradecells import source

pytestmark = pytest.mark.slow
SETUP = 'from attnlab.learn import start\nstart("01_simplified_attention", language="en")\nprint("started")'
TEST = """
import torch
from attnlab.learn import check, reference
with check.holds("attention_scores", "values"):
    x = check.numbers(3, 2, seed=1)
    check.equal(attention_scores(x.clone()), reference.scores(x, x))
"""
RIGHT = "def attention_scores(x): return x @ x.transpose(-2, -1)"


@pytest.fixture(scope="module", autouse=True)
def behind_walls() -> Iterator[None]:
    missing = walls.why_not()
    if missing:
        pytest.skip(missing)
    yield
    walls.shut_down()


def checked(grade_id: str = "test_attention_scores_values", code: str = TEST) -> NotebookNode:
    grader = {"grade": True, "solution": False, "locked": True, "grade_id": grade_id, "points": 2, "schema_version": 3}
    return new_code_cell(code, metadata={"nbgrader": grader | {"cell_type": "code", "task": False}})


def run(*cells: str | NotebookNode, **settings: object) -> list[NotebookNode]:
    """Return the code cells after the setup cell, as they come out."""
    parts = [new_code_cell(one) if isinstance(one, str) else one for one in cells]
    notebook = new_notebook(cells=[new_code_cell(SETUP), new_markdown_cell("text"), *parts])
    tests = {one.metadata.nbgrader.grade_id: one.source for one in parts if is_grade(one)}
    found = Isolated(config=Config({"Isolated": {"timeout": 30, **settings}})).run(notebook, tests)
    nbformat.validate(found)
    return found.cells[2:]


def error(cell: NotebookNode) -> tuple[str, str]:
    found = [one for one in cell.outputs if one.output_type == "error"]
    return (found[-1].ename, found[-1].evalue) if found else ("", "")


def earned(cell: NotebookNode) -> float | None:
    return determine_grade(cell)[0]


@pytest.mark.parametrize("lesson", COURSE, ids=lambda lesson: lesson.name)
def test_the_solved_lessons_earn_every_point_in_both_languages(lesson: Lesson) -> None:
    language = "en" if int(lesson.name[:2]) % 2 else "zh"
    other = {"en": "zh", "zh": "en"}[language]
    notebook = nbformat.from_dict(source(lesson.name))
    notebook.cells = [one for one in notebook.cells if other not in one.metadata.get("tags", [])]
    for cell in notebook.cells:
        cell.source = localise(cell.source, language)
    graded = [one for one in notebook.cells if is_grade(one) and not is_solution(one)]
    tests = {one.metadata.nbgrader.grade_id: one.source for one in graded}
    found = Isolated(config=Config({"Isolated": {"timeout": 60}})).run(notebook, tests)
    lost = {one.metadata.nbgrader.grade_id: error(one) for one in graded if earned(one) != one.metadata.nbgrader.points}
    assert lost == {}
    assert sum(earned(one) or 0 for one in graded) == lesson.points - lesson.by_hand_points
    assert [error(one) for one in found.cells if one.cell_type == "code" and error(one)[0]] == []
    said = [one.text for cell in graded for one in cell.outputs]
    assert all(("✓" in one) for one in said)


def test_grade_cells_run_here_and_the_learners_cells_behind_walls() -> None:
    cells = run(
        RIGHT + "\nimport os\nprint(os.getuid() and 'nobody', os.listdir('/home') if os.path.exists('/home') else [])",
        checked(),
        "print('check' in globals(), 'reference' in globals(), 'x' in globals())",
    )
    assert cells[0].outputs[0].text == "nobody []\n"
    assert earned(cells[1]) == 2
    said = "✓ attention_scores: row i, column j should be the dot product of tokens i and j\n"
    assert cells[1].outputs[0].text == said
    assert cells[2].outputs[0].text == "False False False\n"


def test_a_test_cell_that_the_gradebook_does_not_have_earns_nothing() -> None:
    notebook = new_notebook(cells=[new_code_cell(SETUP), checked(code="pass")])
    found = Isolated(config=Config()).run(notebook, {})
    assert earned(found.cells[1]) == 0
    changed = new_notebook(cells=[new_code_cell(SETUP), checked(code="pass")])
    found = Isolated(config=Config()).run(changed, {"test_attention_scores_values": TEST})
    assert earned(found.cells[1]) == 0  # by the gradebook's own test
    assert "there is no attention_scores" in error(changed.cells[1])[1]


@pytest.mark.parametrize("code", ["import os; os._exit(0)", "import os; os.kill(os.getpid(), 9)"])
def test_after_a_kernels_end_every_cell_says_that_it_did_not_run(code: str) -> None:
    before, dead, after, test = run(RIGHT, code, "print(1)", checked())
    assert error(before) == ("", "")
    assert error(dead)[0] == error(after)[0] == error(test)[0] == NOT_RUN
    assert "died" in error(dead)[1]
    assert "did not run" in error(after)[1]
    assert earned(test) == 0


def test_a_loop_costs_its_own_cell_and_nothing_else() -> None:
    loop, _, passed = run("while True: pass", RIGHT, checked(), timeout=2)
    assert error(loop)[0]
    assert earned(passed) == 2
    loop, failed, later = run(
        "def attention_scores(x):\n    while True: pass", checked(), "print('still here')", timeout=2
    )
    assert "had not finished after 2 s" in error(failed)[1]
    assert later.outputs[0].text == "still here\n"


def test_a_loop_that_will_not_stop_ends_the_kernel_and_the_rest_did_not_run() -> None:
    stubborn = """
import signal
def attention_scores(x):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: pass
"""
    _, failed, later = run(stubborn, checked(), "print('never')", timeout=2)
    assert earned(failed) == 0
    assert error(later)[0] == NOT_RUN
    assert "would not stop" in error(later)[1]


def test_the_time_of_a_whole_notebook_is_bounded() -> None:
    *_, last = run(*["import time; time.sleep(1.5)"] * 4, checked(), notebook_timeout=3)
    assert error(last)[0] == NOT_RUN
    assert "3 s" in error(last)[1]


def test_output_is_kept_up_to_a_limit_and_a_flood_is_stopped() -> None:
    flood, after = run("while True: print('x' * 1000)", "print('after')", most_output=50_000)
    assert sum(len(one.get("text", "")) for one in flood.outputs) < 100_000
    assert any("too much output" in one.get("text", "") for one in flood.outputs)
    assert after.outputs[0].text == "after\n"


def test_without_walls_everything_counts_the_same() -> None:
    cells = run(RIGHT, checked(), "import os; print(os.environ['NBGRADER_EXECUTION'])", walls=False)
    assert earned(cells[1]) == 2


def test_where_no_walls_can_be_had_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "why_not", lambda: "no walls: install bubblewrap")
    with pytest.raises(Problem, match="install bubblewrap"):
        run(RIGHT)
