"""The stored maps: what lessons 5 and 6 look at where no model is installed."""

import pytest
import torch

from attnlab.learn import messages, real_model
from attnlab.learn.real_model.seen import best, change, read_tokens
from attnlab.learn.real_model.stored import NotStored, Stored, _content
from attnlab.learn.real_model.trial import trial

LOOKS = list(_content()[1].values())
EN = "The bank asked for her age and her job. The loan was refused because of her"


@pytest.fixture(autouse=True)
def english(monkeypatch):
    messages.set_language("en")
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    yield
    messages.set_language("zh")


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.prompt)
def test_rows_sum_to_1_and_nothing_is_above_the_diagonal(look) -> None:
    n = len(look.tokens)
    assert look.weights.shape == (30, 9, n, n)
    torch.testing.assert_close(look.weights.sum(-1), torch.ones(30, 9, n))
    assert not look.weights.triu(1).any()
    assert (look.weights >= 0).all()


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.prompt)
def test_tokens_can_be_read_and_cover_the_prompt(look) -> None:
    assert "\ufffd" not in "".join(look.tokens)
    places = {place for start, stop in look.spans for place in range(start, stop)}
    assert places == set(range(len(look.prompt)))


def test_a_part_of_a_prompt_is_found_as_its_tokens() -> None:
    look = Stored().look(EN)
    assert look.tokens[slice(*look.where("because of"))] == ["because", "of"]
    chinese = Stored().look("银行拒绝了她的贷款，因为她")
    assert chinese.tokens[slice(*chinese.where("贷款"))] == ["贷·1", "贷·2", "款·1", "款·2", "款·3"]


def test_a_character_cut_into_bytes_is_numbered() -> None:
    pieces = [b"\xe9", b"\x93", b"\xb6", b" a"]
    texts, spans = read_tokens(range(4), lambda ids: b"".join(pieces[i] for i in ids).decode(errors="replace"))
    assert texts == ["银·1", "银·2", "银·3", "a"]
    assert spans == [(0, 1), (0, 1), (0, 1), (1, 3)]


def test_the_change_between_probabilities() -> None:
    assert change({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}) == 0
    assert change({"a": 1.0}, {"b": 1.0}) == 1
    assert change({"a": 0.6, "b": 0.4}, {"a": 0.4, "b": 0.6}) == pytest.approx(0.2)
    assert best({" a": 0.2, " b": 0.8}) == "b 0.80"


def test_a_prompt_that_is_not_stored_is_one_line_that_says_how_to_get_the_model() -> None:
    with pytest.raises(NotStored) as told:
        Stored().look("something else")
    assert len(told.value.lines) == 1
    assert "python -m attnlab.learn.real_model" in told.value.lines[0]


def test_nothing_is_loaded_while_nbgrader_runs(monkeypatch, capsys) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr(real_model, "packaged", lambda: pytest.fail("looked for a model"))
    assert not real_model.open().live
    assert capsys.readouterr().out.count("\n") == 1


def test_without_the_model_a_trial_says_how_to_get_it(capsys) -> None:
    trial(Stored(), "hello", {"mine": lambda q, k, v: v})
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize(("content", "said"), [(None, "no file"), (b"hello", "not a GGUF"), (b"", "not a GGUF")])
def test_a_file_that_is_no_model_is_one_line_and_the_stored_maps_are_used(content, said, tmp_path, capsys) -> None:
    path = tmp_path / "mine.gguf"
    if content is not None:
        path.write_bytes(content)
    assert not real_model.open(path).live
    out = capsys.readouterr().out
    assert said in out
    assert out.count("\n") == 1
