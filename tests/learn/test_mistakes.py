"""The catalogue of mistakes: whole in both languages, readable where it is shown, and never the solution itself."""

import re

import pytest
import torch

from attnlab.course import COURSE, Lesson
from attnlab.learn import messages, reference
from attnlab.learn.mistakes import Mistake, catalogue, recognise
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.faulty import STEPS
from attnlab.teach.notebooks import read
from tests.gradecells import ROOT, solutions

HAN = re.compile(r"[一-鿿]")


def release(lesson: Lesson):
    return read(ROOT / "release" / "en" / lesson.name / f"{lesson.name}.ipynb")


def exercises() -> set[str]:
    return {exercise for lesson in COURSE for exercise in lesson.exercises if exercise != lesson.by_hand}


def test_there_are_at_least_70_and_every_exercise_is_served() -> None:
    assert len(catalogue()) >= 70
    assert {exercise for mistake in catalogue() for exercise in mistake.exercises} == exercises()


@pytest.mark.parametrize("mistake", catalogue(), ids=lambda one: one.key)
def test_an_entry_is_whole(mistake: Mistake) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", mistake.key)
    assert mistake.gives or mistake.attention or mistake.faults or mistake.when
    assert set(mistake.attention) <= set(STEPS)
    for function in mistake.gives:
        assert hasattr(reference, function)
    for fault in mistake.faults:
        assert messages.has_text(f"fault.{fault}"), fault
    assert HAN.search(mistake.zh)
    assert not HAN.search(mistake.en)
    # nbgrader's Validate cuts a line after some 75 characters.
    assert max(map(len, mistake.en.split("\n"))) <= 76
    assert max(map(len, mistake.zh.split("\n"))) <= 70


def test_no_text_holds_a_line_that_solves_an_exercise() -> None:
    lines = {
        line.split("  #")[0].strip().removeprefix("return ")
        for solution in solutions()
        if solution.kind == "right"
        for line in solution.code.splitlines()
    }
    given = "\n".join(cell.source for lesson in COURSE for cell in release(lesson).cells)  # stubs hand some lines out
    solving = {line for line in lines if len(line) > 14 and re.search(r"[@(\[=]", line) and line not in given}
    texts = [text for mistake in catalogue() for text in (mistake.zh, mistake.en)]
    texts += [text for entry in messages.catalogue().values() for text in entry.values()]
    assert solving
    for text in texts:
        assert not [line for line in solving if line in text]


def test_a_mistake_is_named_by_its_numbers() -> None:
    scores = torch.tensor([[1.0, 2.0, 4.0], [0.5, 0.0, -1.0]])
    want = reference.softmax(scores)
    found = recognise(
        Evidence("softmax", "values", "value", got=torch.softmax(scores, 0), want=want, made=want.made_by)
    )
    assert found is not None
    assert found.key in ("softmax_over_queries", "softmax_over_first_axis")


def test_where_no_mistake_gives_these_numbers_none_is_named() -> None:
    scores = torch.tensor([[1.0, 2.0, 4.0], [0.5, 0.0, -1.0]])
    want = reference.softmax(scores)
    got = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.2, 0.7]])
    assert recognise(Evidence("softmax", "values", "value", got=got, want=want, made=want.made_by)) is None


def test_a_right_result_is_no_mistake() -> None:
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    for want in (*reference.attention(x, x, x), reference.scores(x, x), reference.softmax(x)):
        for exercise in exercises():
            assert recognise(Evidence(exercise, "values", None, got=want.clone(), want=want, made=want.made_by)) is None
