"""Finding and asking a model server, against a stub of the protocol that fails in every way that we know of."""

import threading
from typing import Any

import pytest

from attnlab.llm import endpoint
from attnlab.llm.endpoint import Endpoint, Question
from tests.llm.stub import ANSWER, NOBODY, Stub, serving

MESSAGES = [{"role": "user", "content": r"Why $\frac{q \cdot k}{\sqrt{d_k}}$, {x}, {{y}} and }{?"}]


def asked(server: Stub, seconds: float = 20) -> Question:
    question = Question(Endpoint(server.url, "small.gguf"), MESSAGES, seconds)
    assert question.done.wait(20)
    return question


@pytest.mark.parametrize("mode", ["stream", "plain", "strict", "cut"])
def test_the_answer_comes_whole_and_the_question_went_out_as_it_was(mode: str) -> None:
    with serving(mode) as server:
        question = asked(server)
    assert question.text == ANSWER
    assert question.problem is None
    assert question.cut == (mode == "cut")
    assert server.asked[-1]["messages"] == MESSAGES
    assert server.asked[-1]["model"] == "small.gguf"
    assert server.asked[-1]["max_tokens"] == endpoint.MAX_TOKENS


@pytest.mark.parametrize(
    ("mode", "kind", "said"),
    [
        ("404", "status", "404 too busy"),
        ("500", "status", "500 too busy"),
        ("redirect", "status", "307"),
        ("dies", "broke_off", ""),
        ("empty", "empty", ""),
        ("thinks", "thinking", ""),
        ("html", "nonsense", ""),
    ],
)
def test_why_there_is_no_answer_is_told_apart(mode: str, kind: str, said: str) -> None:
    with serving(mode) as server:
        question = asked(server)
    assert question.problem is not None
    assert question.problem.kind == kind
    assert said in question.problem.said
    assert len(server.asked) == 1  # never tried again: a slow model would begin anew


def test_a_redirect_is_not_followed() -> None:
    with serving() as other, serving("redirect") as server:
        server.elsewhere = other.url
        asked(server)
    assert other.asked == []


def test_an_answer_that_takes_too_long_is_given_up() -> None:
    with serving("hang") as server:
        question = asked(server, seconds=0.3)
    assert question.problem is not None
    assert question.problem.kind == "too_long"


def test_a_server_that_is_gone_is_said_to_be_gone() -> None:
    question = Question(Endpoint(NOBODY, "small.gguf"), MESSAGES, 5)
    assert question.done.wait(10)
    assert question.problem is not None
    assert question.problem.kind == "nobody"


def test_a_question_that_is_dropped_hangs_up_and_calls_nobody() -> None:
    called = threading.Event()
    with serving("slow") as server:
        question = Question(Endpoint(server.url, "small.gguf"), MESSAGES, 20)
        question.when_done(called.set)
        while not question.text:
            threading.Event().wait(0.01)
        question.drop()
        assert question.done.wait(10)
    assert not called.is_set()


def test_who_asks_late_to_be_called_is_called() -> None:
    called = threading.Event()
    with serving() as server:
        asked(server).when_done(called.set)
    assert called.is_set()


@pytest.mark.parametrize("proxy", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
def test_neither_proxy_nor_key_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv(proxy, NOBODY)
    monkeypatch.setenv("OPENAI_API_KEY", "a-real-key")
    with serving() as server:
        monkeypatch.setenv(endpoint.SETTING, server.url)
        assert endpoint.search().endpoint == Endpoint(server.url, "small.gguf")
        assert asked(server).text == ANSWER
    assert "a-real-key" not in str(server.headers)


@pytest.mark.parametrize(
    "listed",
    [
        {"data": []},
        {"data": [{"id": "nomic-embed-text"}]},
        {"data": [{"name": 3}, 4]},
        {"data": 3},
        [],
        {},
        "text",
        None,
    ],
)
def test_what_lists_no_chat_model_is_no_endpoint(monkeypatch: pytest.MonkeyPatch, listed: Any) -> None:
    with serving() as server:
        server.models = listed
        monkeypatch.setenv(endpoint.SETTING, server.url)
        found = endpoint.search()
    assert found.endpoint is None
    assert found.why_not[server.url].kind == "no_model"


@pytest.mark.parametrize(("status", "kind"), [(404, "status"), (500, "status"), (503, "loading")])
def test_a_status_is_named(monkeypatch: pytest.MonkeyPatch, status: int, kind: str) -> None:
    with serving() as server:
        server.models_status = status
        monkeypatch.setenv(endpoint.SETTING, server.url)
        assert endpoint.search().why_not[server.url].kind == kind


def test_a_server_that_hangs_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving("hang_models") as hung, serving() as server:
        monkeypatch.setattr(endpoint, "_SEARCH_SECONDS", 0.4)
        monkeypatch.delenv(endpoint.SETTING, raising=False)
        monkeypatch.setattr(endpoint, "USUAL", (hung.url, server.url))
        found = endpoint.search()
    assert found.endpoint == Endpoint(server.url, "small.gguf")
    assert found.why_not[hung.url].kind == "silent"


@pytest.mark.parametrize("setting", ["{url}/", "{url}/v1", " {url}/v1/ ", "{place}", "{place}/v1"])
def test_the_setting_may_be_as_people_write_it(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    with serving() as server:
        place = server.url.removeprefix("http://")
        monkeypatch.setenv(endpoint.SETTING, setting.format(url=server.url, place=place))
        assert endpoint.search().endpoint == Endpoint(server.url, "small.gguf")


@pytest.mark.parametrize("setting", ["ftp://127.0.0.1", "http://127.0.0.1:port", "x y", "http://[::1"])
def test_a_setting_that_is_no_address_is_said_to_be_none(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv(endpoint.SETTING, setting)
    assert [why.kind for why in endpoint.search().why_not.values()] == ["no_address"]


def test_without_a_setting_the_usual_ports_are_tried_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(endpoint.SETTING, raising=False)
    assert endpoint.candidates() == tuple(f"http://127.0.0.1:{port}" for port in (8080, 1234, 11434))
    with serving() as first, serving() as second:
        monkeypatch.setattr(endpoint, "USUAL", (NOBODY, first.url, second.url))
        assert endpoint.search().endpoint == Endpoint(first.url, "small.gguf")


@pytest.mark.parametrize("name", ["qwen3.5:9b", "Qwen3.5-9B-Q4_K_M.gguf", "unsloth/Qwen3.5-9B-GGUF"])
def test_among_several_models_the_one_that_the_lesson_names_is_asked(name: str) -> None:
    assert endpoint.choose(["other", name]) == name
    assert endpoint.choose(["some-embed-text", "other"]) == "other"
