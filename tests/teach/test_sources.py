"""A source notebook with a slip is refused by name of file and cell, and nothing is written."""

import copy
import shutil
from pathlib import Path

import nbformat
import pytest

from attnlab.course import COURSE
from attnlab.problem import Problem
from attnlab.teach.build import build
from attnlab.teach.notebooks import read
from attnlab.teach.sources import problems, read_sources
from tests.gradecells import ROOT

LESSON = COURSE[0]
FILE = f"source/{LESSON.name}/{LESSON.name}.ipynb"


@pytest.fixture
def notebook() -> nbformat.NotebookNode:
    return read(ROOT / FILE)


def cell(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    return next(one for one in notebook.cells if one.id == name)


def test_every_source_is_sound() -> None:
    assert read_sources(ROOT)


def _no_twin(notebook):
    notebook.cells.remove(cell(notebook, "softmax-idea-en"))


def _no_first_twin(notebook):
    notebook.cells.remove(cell(notebook, "softmax-idea-zh"))


def _no_tag(notebook):
    cell(notebook, "end-en").metadata.tags = []


def _same_id(notebook):
    cell(notebook, "scores-picture").id = "softmax-picture"


def _same_grade_id(notebook):
    notebook.cells.append(copy.deepcopy(cell(notebook, "softmax")))
    notebook.cells[-1].id = "another"


def _no_points(notebook):
    del cell(notebook, "test_softmax_rows").metadata.nbgrader["points"]


def _ungraded_test(notebook):
    cell(notebook, "test_softmax_rows").metadata.nbgrader.update(grade=False)


def _hidden_in_plain(notebook):
    cell(notebook, "scores-picture").source += "\n### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS"


def _open_region(notebook):
    target = cell(notebook, "softmax")
    target.source = target.source.replace("### END SOLUTION", "")


def _other_total(notebook):
    cell(notebook, "test_softmax_rows").metadata.nbgrader.points = 2


def _no_exercise(notebook):
    notebook.cells.remove(cell(notebook, "softmax"))


def _unknown_property(notebook):
    target = cell(notebook, "test_softmax_rows")
    target.metadata.nbgrader.grade_id = "test_softmax_lines"


def _half_marked(notebook):
    target = cell(notebook, "tokens")
    target.source = target.source.replace("# [en] Three tokens", "# Three tokens")


def _output(notebook):
    cell(notebook, "tokens").outputs = [nbformat.v4.new_output("stream", text="hello")]


def _no_setup(notebook):
    cell(notebook, "setup").source = "import torch"


@pytest.mark.parametrize(
    ("slip", "named"),
    [
        (_no_twin, "softmax-idea-zh"),
        (_no_first_twin, "softmax-idea-en"),
        (_no_tag, "end-en"),
        (_same_id, "softmax-picture"),
        (_same_grade_id, "softmax"),
        (_no_points, "test_softmax_rows"),
        (_ungraded_test, "test_softmax_rows"),
        (_hidden_in_plain, "scores-picture"),
        (_open_region, "softmax"),
        (_other_total, "16"),
        (_no_exercise, "softmax"),
        (_unknown_property, "test_softmax_lines"),
        (_half_marked, "tokens"),
        (_output, "tokens"),
        (_no_setup, "start("),
    ],
    ids=lambda one: getattr(one, "__name__", one).strip("_"),
)
def test_a_slip_is_told_with_file_and_cell_and_nothing_is_written(
    slip, named: str, notebook: nbformat.NotebookNode, tmp_path: Path
) -> None:
    assert problems(notebook, LESSON) == []
    slip(notebook)
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(nbformat.v4.writes(notebook), encoding="utf-8")  # as it is, nothing mended
    shutil.copyfile(ROOT / "nbgrader_config.py", tmp_path / "nbgrader_config.py")
    with pytest.raises(Problem) as told:
        build(tmp_path)
    assert any(line.startswith(FILE) and named in line for line in told.value.lines), told.value.lines
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nbgrader_config.py", "source"]


@pytest.mark.parametrize("content", ["", "{", '{"cells": 3}', "[1, 2]"])
def test_a_file_that_is_no_notebook_is_told_by_name(content: str, tmp_path: Path) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(content, encoding="utf-8")
    with pytest.raises(Problem, match=FILE):
        read_sources(tmp_path)


def test_no_source_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Problem) as told:
        read_sources(tmp_path)
    assert len(told.value.lines) == 1


def test_a_folder_that_is_no_lesson_is_told(tmp_path: Path) -> None:
    (tmp_path / "source" / "07_more").mkdir(parents=True)
    with pytest.raises(Problem, match="07_more"):
        read_sources(tmp_path)
