"""The `%%ai` cell: with a stub of an endpoint on loopback, with none, while grading, without jupyter-ai."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from attnlab.learn import local_llm, messages

LINE = f"{local_llm.MODEL} --format markdown"
NOBODY = "http://127.0.0.1:9"  # the port "discard": nothing listens there


class Stub(ThreadingHTTPServer):
    """A server that lists `models` and answers every chat with `reply`, keeping what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models: Any = {"data": [{"id": "some-embed-text"}, {"id": "small.gguf"}]}
        self.status = 200
        self.hangs = threading.Event()
        self.asked: list[dict] = []
        self.keys: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_GET(self) -> None:
        if self.server.hangs.is_set():
            threading.Event().wait(20)
        self._send(200 if self.path == "/v1/models" else 404, self.server.models)

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.server.keys.append(self.headers.get("Authorization", ""))
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "small.gguf",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "**A lens.**"}}
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        self._send(self.server.status, answer if self.server.status == 200 else {"error": {"message": "too busy"}})

    def _send(self, status: int, body: Any) -> None:
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    server = Stub()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    monkeypatch.setenv(local_llm.SETTING, server.url)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    for name in ("no_proxy", "NO_PROXY"):  # put back what the code under test adds
        monkeypatch.setenv(name, "")
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    messages.set_language("en")
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()
    messages.set_language("zh")


def run_cell(shell: InteractiveShell) -> Any:
    """Run the lesson's cell; return what it shows. It must not fail, whatever there is to ask."""
    result = shell.run_cell(f"%%ai {LINE}\nWhy divide by the square root?", store_history=False)
    result.raise_error()
    return result.result


def test_a_model_that_answers_is_asked_under_its_own_name(stub: Stub, shell: InteractiveShell, monkeypatch, capsys):
    pytest.importorskip("jupyter_ai_magic_commands")
    monkeypatch.setenv("OPENAI_API_KEY", "a-real-key")
    monkeypatch.setenv("HTTP_PROXY", NOBODY)
    monkeypatch.setenv("http_proxy", NOBODY)
    local_llm.connect()
    local_llm.connect()  # once more changes nothing
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [f"Local model small.gguf ({stub.url}): the %%ai cell below will ask it."] * 2
    assert printed.err == ""
    shown = run_cell(shell)
    assert shown.data == "**A lens.**"
    assert [one["model"] for one in stub.asked] == ["small.gguf"]
    assert stub.asked[0]["messages"][-1]["content"] == "Why divide by the square root?"
    assert "a-real-key" not in stub.keys[0]
    assert capsys.readouterr().err == ""


def test_an_error_of_the_server_is_one_line(stub: Stub, shell: InteractiveShell, capsys):
    pytest.importorskip("jupyter_ai_magic_commands")
    stub.status = 500
    local_llm.connect()
    capsys.readouterr()
    assert run_cell(shell) is None
    printed = capsys.readouterr()
    assert printed.out.startswith(f"The local model gave no answer ({stub.url})")
    assert printed.out.count("\n") == 1
    assert printed.err == ""
    assert len(stub.asked) == 1  # no second try: a slow model would be asked all over again


def test_errors_look_as_before_once_the_extension_is_loaded(stub: Stub, shell: InteractiveShell):
    pytest.importorskip("jupyter_ai_magic_commands")
    local_llm.connect()
    assert shell.custom_exceptions == ()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_with_nothing_listening_the_cell_says_so_in_one_line(shell, monkeypatch, capsys, language):
    monkeypatch.setenv(local_llm.SETTING, NOBODY)
    messages.set_language(language)
    local_llm.connect()
    assert run_cell(shell) is None
    printed = capsys.readouterr()
    first, second = printed.out.splitlines()
    assert first == second
    assert "llama-server -m FILE.gguf --port 8080" in first
    assert "127.0.0.1:9" in first
    assert printed.err == ""


def test_a_server_that_hangs_counts_as_none(stub: Stub, shell: InteractiveShell, monkeypatch, capsys):
    monkeypatch.setattr(local_llm, "_SEARCH_SECONDS", 0.4)
    stub.hangs.set()
    local_llm.connect()
    assert run_cell(shell) is None
    assert capsys.readouterr().out.count("No local model answers") == 2


def test_a_model_started_after_connect_is_found(stub: Stub, shell: InteractiveShell, monkeypatch, capsys):
    pytest.importorskip("jupyter_ai_magic_commands")
    monkeypatch.setenv(local_llm.SETTING, NOBODY)
    local_llm.connect()
    monkeypatch.setenv(local_llm.SETTING, stub.url)
    assert run_cell(shell).data == "**A lens.**"


def test_while_grading_nothing_is_asked(stub: Stub, shell: InteractiveShell, monkeypatch, capsys):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr(local_llm, "find", lambda: pytest.fail("looked for an endpoint"))
    local_llm.connect()
    assert run_cell(shell) is None
    printed = capsys.readouterr()
    assert printed.out == "(No model is asked while grading.)\n" * 2
    assert printed.err == ""


def test_without_jupyter_ai_the_cell_says_what_to_install(stub: Stub, shell: InteractiveShell, monkeypatch, capsys):
    monkeypatch.setattr(local_llm, "_EXTENSION", "no_such_package_of_magics")
    monkeypatch.setattr(shell.magics_manager, "registry", {})
    local_llm.connect()
    assert run_cell(shell) is None
    printed = capsys.readouterr()
    assert printed.out.count("pip install") == 2
    assert printed.err == ""


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
def test_what_lists_no_chat_model_is_no_endpoint(stub: Stub, listed: Any):
    stub.models = listed
    assert local_llm.find() is None


@pytest.mark.parametrize("setting", ["{url}/", "{url}/v1", " {url}/v1/ "])
def test_the_setting_may_end_as_people_write_it(stub: Stub, monkeypatch, setting: str):
    monkeypatch.setenv(local_llm.SETTING, setting.format(url=stub.url))
    assert local_llm.find() == local_llm.Endpoint(stub.url, "small.gguf")


@pytest.mark.parametrize("setting", ["127.0.0.1:8080", "http://", "ftp://127.0.0.1", "http://127.0.0.1:port", "x y"])
def test_a_setting_that_is_no_address_finds_nothing(monkeypatch, setting: str):
    monkeypatch.setenv(local_llm.SETTING, setting)
    assert local_llm.find() is None


def test_without_a_setting_the_usual_ports_are_tried_in_order(stub: Stub, monkeypatch):
    other = Stub()
    threading.Thread(target=other.serve_forever, args=(0.05,), daemon=True).start()
    monkeypatch.delenv(local_llm.SETTING)
    monkeypatch.setattr(local_llm, "USUAL", (NOBODY, stub.url, other.url))
    assert local_llm.find() == local_llm.Endpoint(stub.url, "small.gguf")
    other.shutdown()
    other.server_close()


@pytest.mark.parametrize("name", ["qwen3.5:9b", "Qwen3.5-9B-Q4_K_M.gguf", "unsloth/Qwen3.5-9B-GGUF"])
def test_among_several_models_the_one_that_the_lesson_names_is_asked(stub: Stub, name: str):
    stub.models = {"data": [{"id": "other"}, {"id": name}]}
    assert local_llm.find() == local_llm.Endpoint(stub.url, name)
