"""The demo class gets the points it should, in a folder of its own."""

from pathlib import Path

import pytest
from rich.console import Console

from attnlab.course import COURSE, Lesson
from attnlab.problem import Problem
from attnlab.teach.demo import run
from attnlab.teach.demo_class.learners import CLASS, Learner, written
from tests.gradecells import grade_work, source


@pytest.mark.slow
def test_every_score_is_the_expected_one_and_every_feedback_page_is_there(course: Path) -> None:
    console = Console(record=True, width=160)
    assert run(course, console) == 0, console.export_text()
    table = console.export_text()
    lessons = [lesson for lesson in COURSE if (course / "source" / lesson.name).is_dir()]
    for learner in CLASS:
        assert learner.name in table
        for lesson in lessons:
            assert (course / "demo" / "feedback" / learner.name / lesson.name / f"{lesson.name}.html").is_file()
    assert not (course / "gradebook.db").exists()
    assert not (course / "submitted").exists()


def test_a_folder_that_the_demo_did_not_make_is_left_alone(course: Path) -> None:
    (course / "demo").mkdir()
    (course / "demo" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(Problem, match="demo"):
        run(course)
    assert (course / "demo" / "thesis.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("lesson", COURSE, ids=lambda one: one.name)
@pytest.mark.parametrize("learner", [one for one in CLASS if not one.slow], ids=lambda one: one.name)
def test_the_expected_points_are_what_the_grade_cells_give(learner: Learner, lesson: Lesson) -> None:
    solved = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in source(lesson.name).cells
        if "nbgrader" in cell.metadata
    }
    work = {
        exercise: learner.solve(lesson, exercise, solved[exercise]) or "raise NotImplementedError()"
        for exercise in lesson.exercises
    }
    earned = sum(verdict.earned for verdict in grade_work(lesson, work, learner.language))
    assert earned == learner.points(lesson)


@pytest.mark.parametrize("file", ["another_way", "five_mistakes", "syntax_error", "endless_loop"])
def test_what_the_class_wrote_is_for_exercises_of_the_course(file: str) -> None:
    known = {exercise for lesson in COURSE for exercise in lesson.exercises}
    assert written(file)
    assert set(written(file)) <= known
