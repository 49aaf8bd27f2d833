"""The real grade cells tell every right solution from every wrong one."""

import pytest

from tests.gradecells import Solution, grade, solutions

ALL = solutions()


@pytest.mark.parametrize("solution", [one for one in ALL if one.kind == "right"], ids=str)
def test_a_right_solution_loses_no_point(solution: Solution) -> None:
    lost = [verdict for verdict in grade(solution.exercise, solution.code) if verdict.earned < verdict.points]
    assert not lost, "\n".join(f"{verdict.grade_id}: {verdict.said}" for verdict in lost)


@pytest.mark.parametrize("solution", [one for one in ALL if one.kind == "wrong"], ids=str)
def test_a_wrong_solution_does_not_keep_full_marks(solution: Solution) -> None:
    verdicts = grade(solution.exercise, solution.code)
    assert verdicts
    lost = [verdict for verdict in verdicts if verdict.earned < verdict.points]
    assert lost
    # What it says is the check's own text, not a traceback of the checker.
    assert all(verdict.said.startswith("✗ ") for verdict in lost), lost


def test_no_two_solutions_share_a_name() -> None:
    names = [str(one) for one in ALL]
    assert len(set(names)) == len(names)
