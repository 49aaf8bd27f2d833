"""The `%%ai` cell of lesson 5: it asks a language model on the learner's own machine, or says that there is none.

`connect()` looks for an endpoint with an OpenAI-compatible API on the loopback interface and gives the notebook
its cell magic `ai`. Whatever is or isn't there, the cell never fails and writes nothing to stderr.
"""

import contextlib
import functools
import http.client
import importlib
import io
import json
import os
import shlex
import threading
import time
import warnings
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from attnlab.learn.messages import text

SETTING = "ATTNLAB_LLM_URL"
"""The environment variable that names the endpoint, such as http://127.0.0.1:8080; nothing else is tried then."""
USUAL = ("http://127.0.0.1:8080", "http://127.0.0.1:1234", "http://127.0.0.1:11434")
"""Where llama-server, LM Studio and Ollama listen."""
MODEL = "openai-chat-custom:Qwen3.5-9B-Q4_K_M.gguf"
"""The model that the lesson's cell names; any model that the endpoint serves stands in for it."""

_SEARCH_SECONDS = 3.0
_ANSWER_SECONDS = 600.0  # a 9B model that thinks before it answers takes minutes without a graphics card
_EXTENSION = "jupyter_ai_magic_commands"


@dataclass(frozen=True)
class Endpoint:
    """Something that answered with a list of models."""

    url: str
    """Its base: what stands before /v1."""
    model: str
    """The name of the model to ask for."""


def connect() -> None:
    """Give the notebook its `%%ai` cell, and print in one line which model it will ask, or that there is none."""
    ipython = _shell()
    if ipython is not None:
        ipython.register_magic_function(_ask, magic_kind="cell", magic_name="ai")
    if _grading():
        print(text("llm.grading"))
        return
    endpoint = find()
    if endpoint is None:
        _say_none()
    elif ipython is not None and _magics(ipython) is None:
        print(text("llm.not_installed", url=endpoint.url))
    else:
        print(text("llm.found", model=endpoint.model, url=endpoint.url))


def find() -> Endpoint | None:
    """Return the first endpoint that lists a model, or None; takes no longer than about 3 seconds."""
    found: dict[str, str] = {}

    def look(url: str) -> None:
        # Whatever else listens there may say anything, and an address may be no address: neither is an endpoint.
        with contextlib.suppress(Exception):
            model = _choose(_models(url))
            if model:
                found[url] = model

    # In threads, since a server that hangs must not hold up the others; as daemons, so that it holds up nothing.
    threads = [threading.Thread(target=look, args=(url,), daemon=True) for url in _candidates()]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _SEARCH_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return next((Endpoint(url, found[url]) for url in _candidates() if url in found), None)


def _candidates() -> tuple[str, ...]:
    setting = os.environ.get(SETTING, "").strip().rstrip("/").removesuffix("/v1")
    return (setting,) if setting else USUAL


def _models(url: str) -> list[str]:
    """Return the names of the models that an endpoint lists, asked without a proxy and without redirects."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=_SEARCH_SECONDS / 2)
    try:
        connection.request("GET", f"{parts.path}/v1/models")
        response = connection.getresponse()
        listed = json.loads(response.read(1_000_000)) if response.status == 200 else {}
    finally:
        connection.close()
    entries = listed.get("data") if isinstance(listed, dict) else None
    names = [one.get("id") for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    return [name for name in names if isinstance(name, str)]


def _choose(names: list[str]) -> str | None:
    """Choose among an endpoint's models: the one that the lesson names where it is there, else the first that chats."""
    chatting = [name for name in names if "embed" not in name.lower()]
    named = [name for name in chatting if "qwen3.5-9b" in name.lower().replace(":", "-")]
    return next(iter(named or chatting), None)


def _ask(line: str, cell: str) -> Any:
    """Ask the model what stands in the cell, and show its answer, or in one line why there is none (the magic)."""
    if _grading():
        print(text("llm.grading"))
        return None
    endpoint = find()
    if endpoint is None:
        _say_none()
        return None
    magics = _magics(_shell())
    if magics is None:
        print(text("llm.not_installed", url=endpoint.url))
        return None
    _without_proxy(endpoint.url)
    litellm: Any = importlib.import_module("litellm")
    completion, said = litellm.completion, io.StringIO()
    try:
        # The magic hands neither a time limit nor a number of tries on. The key keeps a real one from being sent.
        litellm.completion = functools.partial(completion, timeout=_ANSWER_SECONDS, max_retries=0, api_key="none")
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target = f"openai/{endpoint.model}"
            magics.ai(shlex.join(["alias", MODEL, target, "--api-base", f"{endpoint.url}/v1"]))
            answer = magics.ai(line, cell)
    except Exception as problem:
        print(text("llm.failed", url=endpoint.url, said=_first_line(str(problem))))
        return None
    finally:
        litellm.completion = completion
    if answer is None or isinstance(answer, str):  # the magic's own way to tell of an error
        print(text("llm.failed", url=endpoint.url, said=_first_line(answer or said.getvalue())))
        return None
    return answer


def _magics(ipython: Any) -> Any:
    """Return the extension's magics, loaded now where they weren't; None where it isn't installed."""
    # Before it is imported: it would look for a list of prices on the internet.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    if "AiMagics" not in ipython.magics_manager.registry:
        try:
            with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(_EXTENSION).load_ipython_extension(ipython)
        except ImportError:
            return None
        # The extension also takes over how errors are shown, and has just put its own magic in this one's place.
        ipython.set_custom_exc((), None)
        ipython.register_magic_function(_ask, magic_kind="cell", magic_name="ai")
    return ipython.magics_manager.registry["AiMagics"]


def _without_proxy(url: str) -> None:
    """Keep requests to `url` from going through a proxy that the environment names."""
    host = urlsplit(url).hostname or ""
    for name in ("no_proxy", "NO_PROXY"):
        hosts = os.environ.get(name, "")
        if host not in hosts.split(","):
            os.environ[name] = f"{hosts},{host}".strip(",")


def _say_none() -> None:
    print(text("llm.none", tried=", ".join(url.removeprefix("http://") for url in _candidates())))


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.strip().splitlines() if line.strip()]
    return lines[0][:200] if lines else "-"


def _grading() -> bool:
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def _shell() -> Any:
    """Return the running IPython, or None in plain Python."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()
