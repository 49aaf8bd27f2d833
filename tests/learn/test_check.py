"""What a check says and when: the learner's view of a verdict."""

import sys
import warnings

import pytest
import torch

from attnlab.learn import check, lesson, messages
from attnlab.learn.faults import CheckFailed


@pytest.fixture(autouse=True)
def _english():
    before = messages.get_language()
    messages.set_language("en")
    yield
    messages.set_language(before)


def said_by(action) -> list[str]:
    """Return the lines of the failed check around `action`."""
    with pytest.raises(CheckFailed) as failed, check.holds("softmax", "rows"):
        action()
    return failed.value.lines


def test_a_check_that_holds_prints_its_property_and_nothing_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with check.holds("softmax", "rows"):
        pass
    out, err = capsys.readouterr()
    assert out == "✓ softmax: each row of weights should sum to 1\n"
    assert err == ""


def test_a_failed_check_names_property_difference_and_section() -> None:
    lines = said_by(lambda: check.equal(torch.tensor([1.0, 2.5]), torch.tensor([1.0, 2.0])))
    assert lines == [
        "✗ softmax: each row of weights should sum to 1",
        "  at [1]: expected 2, found 2.5 (1 of 2 numbers differ)",
        "  → section 1.2",
    ]


def test_a_failed_check_shows_its_lines_instead_of_a_traceback() -> None:
    failure = CheckFailed("one", "two")
    assert failure._render_traceback_() == ["one", "two"]


def test_an_untouched_stub_is_not_written_yet() -> None:
    def stub():
        raise NotImplementedError

    assert said_by(stub)[1].strip().startswith("not written yet")


def test_a_name_that_is_missing_is_named() -> None:
    assert "there is no nowhere" in said_by(lambda: nowhere)[1]  # noqa: F821


def test_an_exception_of_the_learner_is_told_with_their_own_line() -> None:
    namespace: dict = {}
    code = "def mine(x):\n    return x @ x\n"
    import linecache

    linecache.cache["<cell mine>"] = (len(code), None, code.splitlines(keepends=True), "<cell mine>")
    exec(compile(code, "<cell mine>", "exec"), namespace)
    lines = said_by(lambda: namespace["mine"](torch.ones(2, 3)))
    assert lines[1].startswith("  your code raised RuntimeError: mat1 and mat2")
    assert lines[2] == "  at line 2: return x @ x"


def test_the_stop_button_and_the_time_limit_go_through() -> None:
    with pytest.raises(KeyboardInterrupt), check.holds("softmax", "rows"):
        raise KeyboardInterrupt


def test_leaving_the_process_from_a_check_is_a_failure_of_the_check() -> None:
    assert "SystemExit" in said_by(lambda: sys.exit(0))[1]


def test_a_warning_or_a_line_on_stderr_inside_a_check_costs_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with check.holds("softmax", "rows"):
        warnings.warn("something old", DeprecationWarning, stacklevel=1)
        print("looking at x", file=sys.stderr)
    assert capsys.readouterr().err == ""


class _Equal(torch.Tensor):
    __hash__ = None

    def __eq__(self, other):
        return torch.tensor(True)


@pytest.mark.parametrize(
    "got",
    [
        None,
        1.0,
        [1.0, 2.0],
        torch.tensor([1.0, 2.0]).numpy(),
        torch.nn.Parameter(torch.tensor([1.0, 2.0])),
        torch.tensor([1.0, 2.0]).as_subclass(_Equal),
        torch.tensor([1.0, 2.0], dtype=torch.float64),
        torch.tensor([[1.0, 2.0]]),
        torch.tensor([1.0, 2.0 + 1e-3]),
        torch.tensor([1.0, torch.nan]),
        torch.tensor([1.0, torch.inf]),
        torch.tensor([2.0, 1.0]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_equal_refuses_all_but_a_plain_tensor_of_the_same_kind_and_values(got) -> None:
    with pytest.raises(CheckFailed):
        check.equal(got, torch.tensor([1.0, 2.0]))


def test_equal_takes_rounding_for_equal() -> None:
    want = check.numbers(3, 4, seed=0, scale=100.0)
    check.equal(want * (1 + 1e-6), want)
    check.equal(torch.tensor([torch.inf, 1.0]), torch.tensor([torch.inf, 1.0]))


def test_numbers_are_the_same_for_a_seed_and_leave_the_global_state_alone() -> None:
    before = torch.get_rng_state()
    first, again, other = (check.numbers(2, 3, seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.get_rng_state())


def test_a_progress_line_counts_what_has_passed(capsys: pytest.CaptureFixture[str]) -> None:
    lesson.start("01_simplified_attention", language="en")
    total = sum(len(lesson.claims_of(one)) for one in ("attention_scores", "softmax", "simplified_attention"))
    total += len(lesson.claims_of("hand_calculation"))
    for claim in lesson.claims_of("softmax"):
        with check.holds("softmax", claim):
            pass
    with pytest.raises(CheckFailed), check.holds("hand_calculation", "weights"):
        check.fail("not_written")
    capsys.readouterr()
    lesson.checklist()
    lines = capsys.readouterr().out.splitlines()
    done = len(lesson.claims_of("softmax"))
    assert f"☑ softmax  {done}/{done}" in lines
    assert any(line.startswith("☐ hand_calculation") for line in lines)
    assert lines[-1] == f"{done} of {total} checks passed"
