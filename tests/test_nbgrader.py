"""The commands that instructors know work in the course's folder, by nbgrader_config.py alone."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from attnlab.teach.notebooks import read, write
from tests.gradecells import source

pytestmark = pytest.mark.slow
LESSON = "01_simplified_attention"


def nbgrader(*arguments: str, folder: Path, home: Path, **environment: str) -> str:
    """Run one nbgrader command as a terminal would, with LANG=C; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=folder,
        env={**os.environ, "HOME": str(home), "LANG": "C", "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def solve(path: Path, but: tuple[str, ...] = ()) -> None:
    """Fill in the source's solutions, except those of the exercises in `but`."""
    solved = {
        cell.metadata.nbgrader.grade_id: cell.source for cell in source(LESSON).cells if "nbgrader" in cell.metadata
    }
    notebook = read(path)
    for cell in notebook.cells:
        grader = cell.metadata.get("nbgrader", {})
        if grader.get("solution") and grader["grade_id"] not in but:
            cell.source = solved[grader["grade_id"]]
    write(notebook, path)


def test_from_release_through_the_exchange_to_feedback(course: Path, tmp_path: Path) -> None:
    released_before = (course / "release" / "zh" / LESSON / f"{LESSON}.ipynb").read_bytes()
    here = {"folder": course, "home": tmp_path / "instructor"}
    nbgrader("generate_assignment", LESSON, **here)
    assert (course / "release" / "zh" / LESSON / f"{LESSON}.ipynb").read_bytes() == released_before
    nbgrader("release_assignment", LESSON, **here)

    learner = tmp_path / "learner's folder"
    learner.mkdir()
    shutil.copyfile(course / "nbgrader_config.py", learner / "nbgrader_config.py")
    there = {"folder": learner, "home": tmp_path / "home", "ATTNLAB_EXCHANGE": str(course / "exchange")}
    nbgrader("fetch_assignment", LESSON, **there)
    solve(learner / LESSON / f"{LESSON}.ipynb", but=("softmax",))
    nbgrader("submit", LESSON, **there)

    nbgrader("collect", LESSON, **here)
    (handed_in,) = (course / "submitted").iterdir()
    nbgrader("autograde", LESSON, **here)
    nbgrader("generate_feedback", LESSON, **here)
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "attention") as gradebook:
        # Without softmax its own 5 points and the 4 of simplified_attention, which calls it, are lost.
        assert gradebook.find_submission(LESSON, handed_in.name).score == 6
    page = (course / "feedback" / handed_in.name / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "还没有写" in page


def test_validate_tells_a_learner_in_words_what_is_wrong(course: Path, tmp_path: Path) -> None:
    path = course / "release" / "en" / LESSON / f"{LESSON}.ipynb"
    solve(path, but=("softmax",))
    said = nbgrader("validate", str(path), folder=tmp_path, home=tmp_path)
    assert "not written yet" in said
    assert "Traceback" not in said
    solve(path)
    assert "Success" in nbgrader("validate", str(path), folder=tmp_path, home=tmp_path)


def test_a_deleted_test_cell_comes_back_and_an_english_submission_fits_the_same_gradebook(
    course: Path, tmp_path: Path
) -> None:
    here = {"folder": course, "home": tmp_path}
    nbgrader("generate_assignment", LESSON, **here)
    path = course / "submitted" / "学生乙" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    shutil.copyfile(course / "release" / "en" / LESSON / path.name, path)
    solve(path)
    notebook = read(path)
    notebook.cells = [cell for cell in notebook.cells if cell.id != "test_softmax_rows"]
    write(notebook, path)
    nbgrader("autograde", LESSON, **here)
    nbgrader("generate_feedback", LESSON, **here)
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "attention") as gradebook:
        assert gradebook.find_submission(LESSON, "学生乙").score == 15
    graded = read(course / "autograded" / "学生乙" / LESSON / path.name)
    outputs = [
        output for cell in graded.cells if cell.metadata.get("nbgrader", {}).get("grade") for output in cell.outputs
    ]
    assert len(outputs) == 14
    assert not [output for output in outputs if output.get("name") == "stderr"]
    page = (course / "feedback" / "学生乙" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert re.search(r"softmax: each row of weights should sum to 1", page)
    assert "How much are two tokens alike?" in page  # the learner's own language, prose included
