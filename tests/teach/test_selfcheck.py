"""`attnlab check` says what one's own notebook gets, and leaves everything of the learner's as it was."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from attnlab.course import lesson_named
from attnlab.problem import Problem
from attnlab.teach.notebooks import read, write
from attnlab.teach.selfcheck import check
from tests.gradecells import ROOT, source

SIMPLE, SCALING = "01_simplified_attention", "05_scaling_experiment"


def released(lesson: str, language: str, path: Path, work: dict[str, str] | None = None) -> Path:
    """Write a released notebook to `path`, with `work` in its solution cells and the others solved as in the source."""
    notebook = read(ROOT / "release" / language / lesson / f"{lesson}.ipynb")
    if work is not None:
        solved = {
            cell.metadata.nbgrader.grade_id: cell.source for cell in source(lesson).cells if "nbgrader" in cell.metadata
        }
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                grade_id = cell.metadata.nbgrader.grade_id
                cell.source = work.get(grade_id, solved[grade_id])
    path.parent.mkdir(parents=True, exist_ok=True)
    write(notebook, path)
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file and folder below `folder`, with its content."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


def changed(path: Path, change: str) -> Path:
    """Spoil a notebook in one way."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    place = next(i for i, cell in enumerate(cells) if cell.get("id") == "test_softmax_rows")
    if change == "twice":
        cells.append({**cells[place], "id": "copied"})
    elif change == "missing":
        del cells[place]
    elif change == "no lesson":
        notebook["cells"] = [cell for cell in cells if "nbgrader" not in cell["metadata"]]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def bad_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield files that cannot be graded, and what is said of each."""
    yield folder / "nowhere.ipynb", "there is no such file"
    yield folder, "this is a folder"
    (folder / "notes.txt").write_text("notes", encoding="utf-8")
    yield folder / "notes.txt", "not a Jupyter notebook"
    (folder / "picture.ipynb").write_bytes(b"\x89PNG\xff\xfe")
    yield folder / "picture.ipynb", "not a Jupyter notebook"
    (folder / "data.ipynb").write_text('{"a": [1, 2]}', encoding="utf-8")
    yield folder / "data.ipynb", "not a Jupyter notebook"
    (folder / "cut.ipynb").write_text('{"cells": [', encoding="utf-8")
    yield folder / "cut.ipynb", "broken"
    for change, said in (
        ("twice", "cell test_softmax_rows stands twice"),
        ("missing", "cell test_softmax_rows is missing"),
        ("no lesson", "no exercise of this course"),
    ):
        path = released(SIMPLE, "en", folder / f"{change}.ipynb")
        yield changed(path, change), said


def test_what_cannot_be_graded_is_one_clear_line(course: Path) -> None:
    for path, said in bad_files(course):
        with pytest.raises(Problem) as problem:
            check(path)
        (line,) = problem.value.lines
        assert said in line
        assert str(path) in line
        assert "\n" not in line


def test_a_line_about_a_chinese_notebook_is_chinese(course: Path) -> None:
    path = changed(released(SIMPLE, "zh", course / "work" / "mine.ipynb"), "missing")
    with pytest.raises(Problem, match="缺少单元格 test_softmax_rows"):
        check(path)


def test_without_the_courses_folder_it_says_where_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem, match=r"run this in the course's folder"):
        check(released(SIMPLE, "en", tmp_path / "mine.ipynb"))
    (tmp_path / "nbgrader_config.py").touch()
    with pytest.raises(Problem, match=r"source/ included"):
        check(tmp_path / "mine.ipynb")


@pytest.mark.slow
def test_each_failed_property_is_told_in_the_notebooks_language_and_nothing_is_touched(course: Path) -> None:
    work = {
        "softmax_entropy": "def softmax_entropy(weights):\n    return -(weights * weights.log()).sum(dim=-1)",
        "softmax_gradient_norm": "raise NotImplementedError()",
    }
    path = released(SCALING, "en", course / "work" / "my try (2).ipynb", work)
    before = tree(course)
    console = Console(record=True, width=200)
    assert check(path, console=console) == 1
    assert tree(course) == before
    said = console.export_text()
    rows = {line.split("│")[1].strip(): line.split("│")[2:4] for line in said.splitlines() if line.startswith("│")}
    assert [cell.strip() for cell in rows["dot_product_variance"]][1] == "all checks pass"
    assert "not written yet" in rows["softmax_gradient_norm"][1]
    assert "graded by a person (4 points)" in rows["scaling_explained"][1]
    assert "✗ softmax_entropy: " in said
    assert "✗ softmax_gradient_norm" not in said  # one line in the table says it
    assert "Traceback" not in said


@pytest.mark.slow
def test_full_marks_end_with_0_and_json_is_all_there_is_on_stdout(course: Path, tmp_path: Path) -> None:
    path = released(SIMPLE, "zh", tmp_path / "elsewhere" / "我的.ipynb", work={})
    done = subprocess.run(
        [sys.executable, "-m", "attnlab", "check", str(path), "--json"],
        cwd=course,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    lesson = lesson_named(SIMPLE)
    assert (result["lesson"], result["points"], result["of"], result["by_hand"]) == (SIMPLE, 15, lesson.points, 0)
    assert [one["name"] for one in result["exercises"]] == list(lesson.exercises)
    cells = [cell for one in result["exercises"] for cell in one["cells"]]
    assert sum(cell["points"] for cell in cells) == 15
    assert all(cell["id"].startswith("test_") and cell["message"] is None for cell in cells)
    assert list(path.parent.iterdir()) == [path]
    assert done.stderr == "正在批改 我的.ipynb，包括隐藏测试；大约要十秒\n"
