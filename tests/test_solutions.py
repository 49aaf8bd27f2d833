"""The real grade cells tell every right solution from every wrong one, and the learner is told the right mistake."""

import pytest

from attnlab.learn.mistakes import catalogue
from tests.gradecells import Solution, grade, solutions
from tests.truth import NAMED_AT_LEAST, judge

ALL = solutions()


@pytest.mark.parametrize("solution", [one for one in ALL if one.kind == "right"], ids=str)
def test_a_right_solution_loses_no_point(solution: Solution) -> None:
    verdict = judge(solution)
    assert verdict.column == "right", verdict.said


@pytest.mark.parametrize("solution", [one for one in ALL if one.kind == "wrong"], ids=str)
def test_a_wrong_solution_is_refused_in_the_words_of_a_check_and_gets_no_wrong_name(solution: Solution) -> None:
    verdict = judge(solution)
    assert verdict.column not in ("accepted", "named wrongly"), verdict.said
    assert all(said.startswith("✗ ") for said in verdict.messages), verdict.messages


@pytest.mark.parametrize("solution", ALL, ids=str)
def test_outside_the_learners_process_every_cell_gives_the_same_points_and_names_the_same_mistake(
    solution: Solution,
) -> None:
    own, outside = judge(solution).verdicts, grade(solution.exercise, solution.code, outside=True)
    said = [one.said for one in outside]
    assert [(one.grade_id, one.earned) for one in outside] == [(one.grade_id, one.earned) for one in own], said
    # Dropout where none belongs shows itself only where it happens to drop something.
    if "random_in_forward" not in solution.mistakes:
        assert [one.mistake for one in outside] == [one.mistake for one in own], said


def test_most_of_what_the_catalogue_covers_is_named() -> None:
    covered = [judge(solution).column for solution in ALL if solution.mistakes]
    assert covered.count("named rightly") >= NAMED_AT_LEAST * len(covered)


def test_labels_are_keys_of_the_catalogue_and_every_exercise_has_mistakes() -> None:
    known = {mistake.key for mistake in catalogue()}
    assert {key for solution in ALL for key in solution.mistakes} <= known
    served = {exercise for mistake in catalogue() for exercise in mistake.exercises}
    assert served == {solution.exercise for solution in ALL}


def test_no_two_solutions_share_a_name() -> None:
    names = [str(one) for one in ALL]
    assert len(set(names)) == len(names)


def test_a_verdict_does_not_hang_on_the_language() -> None:
    one = next(solution for solution in ALL if solution.kind == "wrong")
    assert [v.earned for v in grade(one.exercise, one.code, "zh")] == [
        v.earned for v in grade(one.exercise, one.code, "en")
    ]
