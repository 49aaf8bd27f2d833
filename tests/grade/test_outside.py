"""A grade cell, run outside the learner's process: what it borrows, what it tells, what it survives."""

import json
import re
from typing import Any

import pytest
import torch

from attnlab.grade.outside.cell import borrowed, hidden_lines, run
from attnlab.grade.outside.standin import Desk, Late, Lost
from attnlab.inside.agent import Agent
from attnlab.learn import messages

CELL = """
import torch
from attnlab.learn import check, probe, reference

with check.holds("softmax", "values"):
    s = torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    check.from_scratch(probe.operations(softmax, s.clone()))
    check.equal(softmax(s.clone()), reference.softmax(s))
    ### BEGIN HIDDEN TESTS
    s_hidden = check.numbers(2, 7, seed=3)
    check.equal(softmax(s_hidden.clone()), reference.softmax(s_hidden))
    ### END HIDDEN TESTS
"""
RIGHT = """
import torch
def softmax(scores):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)
"""


class Beside:
    """The agent of a namespace, as if it were in a kernel."""

    def __init__(self, code: str) -> None:
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        exec(code, self.namespace)
        self.agent = Agent(self.namespace)
        self.questions: list[dict[str, Any]] = []

    def ask(self, question: str) -> str:
        self.questions.append(json.loads(question))
        return self.agent.answer(question)


@pytest.fixture(autouse=True)
def english() -> Any:
    messages.set_language("en")
    yield
    messages.set_language("zh")


def said(code: str, cell: str = CELL) -> str:
    outcome = run(cell, "test_softmax_values", Desk(Beside(code)))
    return outcome.error[1] if outcome.error else outcome.printed


def test_a_right_solution_passes_and_the_learners_process_hears_of_inputs_alone() -> None:
    beside = Beside(RIGHT)
    outcome = run(CELL, "test_softmax_values", Desk(beside))
    assert outcome.error is None
    assert outcome.printed.startswith("✓ softmax")
    assert {one["do"] for one in beside.questions} == {"names_of", "probe", "call"}
    sent = json.dumps(beside.questions)
    assert "expected" not in sent
    assert "check" not in sent
    assert "check" not in beside.namespace


def test_names_of_a_cell_are_borrowed_where_it_neither_defines_nor_imports_them() -> None:
    assert borrowed(CELL) == ("softmax",)
    assert borrowed("import a.b as c\nfor i, (j, k) in d: e = [f(x) for x in i if (g := x)]\nlambda h: h + m") == (
        "d",
        "f",
        "m",
    )
    assert list(hidden_lines(CELL)) == [9, 10, 11]
    assert list(hidden_lines("check.that(True, 'x')")) == [0][1:]


def test_a_failed_visible_comparison_names_the_expected_number_and_a_hidden_one_does_not() -> None:
    assert "expected 0.09003" in said(
        RIGHT.replace("amax(-1", "amin(-1") + "\n_s = softmax\ndef softmax(s): return _s(s) * 2"
    )
    hidden = said(RIGHT + "\n_s = softmax\ndef softmax(s): return _s(s) * (2 if s.shape[-1] == 7 else 1)")
    assert re.search(r"at \[0, 0\]: expected \(not shown\), found [\d.]+ \(14 of 14 numbers differ\)", hidden)


def test_an_exception_is_told_with_the_learners_own_line() -> None:
    import linecache

    code = "import torch\ndef softmax(scores):\n    return scores.reshape(100, 100)\n"
    linecache.cache["<learner>"] = (len(code), None, code.splitlines(keepends=True), "<learner>")
    beside = Beside("")
    exec(compile(code, "<learner>", "exec"), beside.namespace)
    outcome = run(CELL, "test_softmax_values", Desk(beside))
    assert outcome.error
    assert "your code raised RuntimeError: shape '[100, 100]' is invalid" in outcome.error[1]
    assert "at line 3: return scores.reshape(100, 100)" in outcome.error[1]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("", "there is no softmax"),
        ("def softmax(s): raise NotImplementedError", "not written yet"),
        ("softmax = 3", "TypeError"),
        ("def softmax(s): raise SystemExit(0)", "your code raised SystemExit"),
        ("def softmax(s): raise KeyboardInterrupt", "your code raised KeyboardInterrupt"),
        ("import torch\ndef softmax(s): return torch.softmax(s, -1)", "ready"),
        (
            "def softmax(s):\n    from attnlab.learn import reference\n    return reference.softmax(s)",
            "does not answer your code",
        ),
        ("def softmax(s): return s.numpy()", "ndarray"),
        ("class Odd: pass\ndef softmax(s): return Odd()", "found Odd"),
        ("def softmax(s): return [[]] * 300_000", "cannot be handed over"),
        ("class E(Exception):\n    def __str__(self): raise ValueError\ndef softmax(s): raise E", "your code raised E"),
    ],
)
def test_what_is_no_result_fails_in_words(code: str, told: str) -> None:
    assert told in said(code)


def test_always_equal_objects_and_answers_looked_up_in_frames_gain_nothing() -> None:
    assert "found Yes" in said("class Yes:\n    def __eq__(self, other): return True\ndef softmax(s): return Yes()")
    peeking = """
import sys, gc, torch
def softmax(s):
    frame = sys._getframe(1)
    while frame:
        if "want" in frame.f_locals or "check" in frame.f_globals: return frame.f_locals["want"]
        frame = frame.f_back
    return s
"""
    assert said(peeking).startswith("✗")


class Answers:
    """A kernel that answers what it is told to."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def ask(self, question: str) -> str:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)


HERE = {"ok": {"found": {"softmax": {"handle": 0, "kind": "function"}}, "replaced": None}}


@pytest.mark.parametrize(
    "answer",
    [
        "no json",
        "[]",
        {"raised": {}},
        {"raised": {"kinds": [], "said": "", "frames": []}},
        {"raised": {"kinds": ["E"], "said": "", "frames": [[1]]}},
        {"ok": {"tensor": "x"}},
        {"ok": {"list": [{"list": 3}], "kind": "list"}},
    ],
    ids=str,
)
def test_forged_answers_earn_nothing_and_end_the_asking(answer: Any) -> None:
    desk = Desk(Answers(HERE, answer))
    outcome = run(CELL, "test_softmax_values", desk)
    assert outcome.error
    assert desk.lost
    assert "cannot be read" in outcome.error[1]
    assert run(CELL, "test_softmax_values", desk).error  # and the next cell is not asked about at all


def test_late_and_lost_are_told_apart() -> None:
    late = Desk(Answers(HERE, Late(7.0)))
    outcome = run(CELL, "test_softmax_values", late)
    assert outcome.error
    assert "had not finished after 7 s" in outcome.error[1]
    assert late.late
    assert not late.lost
    lost = Desk(Answers(HERE, Lost("it is gone")))
    outcome = run(CELL, "test_softmax_values", lost)
    assert outcome.error
    assert "it is gone" in outcome.error[1]
    assert lost.lost


def test_what_the_learner_has_replaced_costs_the_points_as_it_does_in_their_own_kernel() -> None:
    original = torch.allclose
    try:
        code = RIGHT + "\ntorch.allclose = lambda *a, **k: True\n"
        assert "torch.allclose has been replaced" in said(code)
    finally:
        torch.allclose = original


def test_this_process_keeps_its_random_state_its_builtins_and_its_modules() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    run(CELL + "\ntorch.rand(3)\nfloat = str\n", "test_softmax_values", Desk(Beside(RIGHT)))
    assert torch.equal(torch.get_rng_state(), before)
    assert float("1") == 1.0
