"""Find and ask a model server with an OpenAI-compatible API on this machine.

Spoken with the standard library's client: it takes no proxy from the environment, follows no redirect, tries
nothing twice and sends no key that a learner may have set, so that nothing goes anywhere but to the endpoint.
"""

import contextlib
import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

SETTING = "ATTNLAB_LLM_URL"
"""The environment variable that names the endpoint, such as http://127.0.0.1:8080; nothing else is tried then."""
USUAL = ("http://127.0.0.1:8080", "http://127.0.0.1:1234", "http://127.0.0.1:11434")
"""Where llama-server, LM Studio and Ollama listen."""
MAX_TOKENS = 2048
"""The longest answer asked for, what a model thinks before it answers included."""

_SEARCH_SECONDS = 3.0
_LONGEST = 4_000_000  # bytes read of any one reply


@dataclass(frozen=True)
class Endpoint:
    """Something that answered with a list of models."""

    url: str
    """Its base: what stands before /v1."""
    model: str
    """The name of the model to ask for."""


@dataclass(frozen=True)
class Search:
    """What a look at the candidates came to."""

    endpoint: Endpoint | None
    """The first candidate that lists a model, or None."""
    why_not: "dict[str, NoAnswer]"
    """Each candidate that is none → why."""


class NoAnswer(Exception):
    """There is no model, or it gave no answer."""

    def __init__(self, kind: str, said: str = "") -> None:
        """Keep what happened, and a status or the server's own words where they tell more.

        Of a search: nobody, silent, loading, status, no_model, no_address.
        Of a question: nobody, broke_off, status, empty, thinking, nonsense, too_long.
        """
        super().__init__(f"{kind} {said}".strip())
        self.kind = kind
        self.said = said


def search() -> Search:
    """Look at the setting, else at the usual ports, all at once; takes no longer than about 3 seconds."""
    urls = candidates()
    found: dict[str, str] = {}
    why_not = {url: NoAnswer("silent") for url in urls}

    def look(url: str) -> None:
        try:
            model = choose(list_models(url))
            if model is None:
                raise NoAnswer("no_model")
            found[url] = model
        except NoAnswer as problem:
            why_not[url] = problem

    # In threads, since a server that hangs must not hold up the others; as daemons, so that it holds up nothing.
    threads = [threading.Thread(target=look, args=(url,), daemon=True) for url in urls]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + _SEARCH_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    endpoint = next((Endpoint(url, found[url]) for url in urls if url in found), None)
    return Search(endpoint, {url: why for url, why in why_not.items() if url not in found})


def candidates() -> tuple[str, ...]:
    """Return the addresses to look at, each up to what stands before /v1."""
    setting = os.environ.get(SETTING, "").strip().rstrip("/").removesuffix("/v1")
    if not setting:
        return USUAL
    return (setting if "://" in setting else f"http://{setting}",)


def list_models(url: str, seconds: float = _SEARCH_SECONDS / 2) -> list[str]:
    """Return the names of the models that an endpoint lists.

    NoAnswer where it doesn't, whatever it is that listens there.
    """
    try:
        connection, path = _connect(url, seconds)
    except ValueError:
        raise NoAnswer("no_address") from None
    with contextlib.closing(connection):
        try:
            connection.connect()
        except (OSError, ValueError):
            raise NoAnswer("nobody") from None
        try:
            connection.request("GET", f"{path}/v1/models", headers={"Connection": "close"})
            response = connection.getresponse()
            said = response.read(_LONGEST)
        except TimeoutError:
            raise NoAnswer("silent") from None
        except (OSError, ValueError, http.client.HTTPException):
            raise NoAnswer("no_model") from None
    if response.status == 503:  # llama.cpp, as long as it loads its model
        raise NoAnswer("loading")
    if response.status != 200:
        raise NoAnswer("status", str(response.status))
    try:
        listed = json.loads(said)
    except ValueError:
        raise NoAnswer("no_model") from None
    entries = listed.get("data") if isinstance(listed, dict) else None
    names = [one.get("id") for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []
    return [name for name in names if isinstance(name, str)]


def choose(names: list[str]) -> str | None:
    """Choose among an endpoint's models: the one that the lesson names where it is there, else the first that chats."""
    chatting = [name for name in names if "embed" not in name.lower()]
    named = [name for name in chatting if "qwen3.5-9b" in name.lower().replace(":", "-")]
    return next(iter(named or chatting), None)


class Question:
    """One question, asked in a thread of its own; the answer grows in `text` as it comes."""

    def __init__(self, endpoint: Endpoint, messages: list[dict[str, str]], seconds: float) -> None:
        """Ask at once; `seconds` bounds the whole answer."""
        self.text = ""
        """The answer so far."""
        self.cut = False
        """Whether the answer was longer than MAX_TOKENS and ends where it was cut."""
        self.problem: NoAnswer | None = None
        """Why there is no answer, or no more of it."""
        self.done = threading.Event()
        """Set when nothing more will come."""
        self.last_sign = time.monotonic()
        """When something last came, by the monotonic clock."""
        self._endpoint, self._messages = endpoint, messages
        self._deadline = time.monotonic() + seconds
        self._socket: socket.socket | None = None
        self._dropped = False
        self._thought = False
        self._when_done: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def when_done(self, act: Callable[[], None]) -> None:
        """Call `act` when nothing more will come, from the question's thread; at once where that is so already."""
        with self._lock:
            if not self.done.is_set():
                self._when_done.append(act)
                return
        act()

    def drop(self) -> None:
        """Want no answer any more: hang up, so that the server stops, and call nobody."""
        with self._lock:
            self._dropped = True
            self._when_done.clear()
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        try:
            self._ask()
            if not self.text.strip():
                raise NoAnswer("thinking" if self._thought else "empty")
        except NoAnswer as problem:
            self.problem = problem
        except TimeoutError:
            self.problem = NoAnswer("too_long")
        except (OSError, http.client.HTTPException):
            self.problem = NoAnswer("broke_off" if self._socket else "nobody")
        except Exception as problem:
            self.problem = NoAnswer("nonsense", str(problem))
        with self._lock:
            self.done.set()
            to_call = list(self._when_done)
        for act in to_call:
            with contextlib.suppress(Exception):
                act()

    def _ask(self) -> None:
        asked: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": self._messages,
            "max_tokens": MAX_TOKENS,
            "stream": True,
        }
        # A model that thinks first takes minutes longer on a machine without a graphics card. llama.cpp reads the
        # first of these, Ollama the second; a server that minds what it doesn't know is asked without them.
        answer_at_once = {"chat_template_kwargs": {"enable_thinking": False}, "reasoning_effort": "none"}
        response = self._post({**asked, **answer_at_once})
        if response.status in (400, 422):
            response = self._post(asked)
        if response.status != 200:
            raise NoAnswer("status", f"{response.status} {_complaint(response.read(_LONGEST))}".strip())
        if "event-stream" in (response.getheader("Content-Type") or ""):
            self._read_stream(response)
        else:  # a server that does not stream
            reply = json.loads(response.read(_LONGEST))
            choice = reply["choices"][0]
            self._take(choice.get("message") or {}, choice.get("finish_reason"))

    def _post(self, asked: dict[str, Any]) -> http.client.HTTPResponse:
        connection, path = _connect(self._endpoint.url, max(0.1, self._deadline - time.monotonic()))
        connection.connect()
        with self._lock:
            self._socket = connection.sock
            if self._dropped:
                raise NoAnswer("broke_off")
        body = json.dumps(asked).encode()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer none", "Connection": "close"}
        connection.request("POST", f"{path}/v1/chat/completions", body, headers)
        return connection.getresponse()

    def _read_stream(self, response: http.client.HTTPResponse) -> None:
        ended = False
        for event in _events(response):
            if time.monotonic() > self._deadline:
                raise TimeoutError
            self.last_sign = time.monotonic()
            if event == "[DONE]":
                return
            chunk = json.loads(event)
            if "error" in chunk:
                raise NoAnswer("status", _complaint(event.encode()))
            for choice in chunk.get("choices") or []:
                ended = bool(choice.get("finish_reason")) or ended
                self._take(choice.get("delta") or {}, choice.get("finish_reason"))
        if not ended:
            raise NoAnswer("broke_off")

    def _take(self, part: dict[str, Any], finish_reason: Any) -> None:
        self.text += part.get("content") or ""
        self._thought = self._thought or bool(part.get("reasoning_content") or part.get("reasoning"))
        self.cut = self.cut or finish_reason == "length"


def _connect(url: str, seconds: float) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection, not yet open, and the path before /v1; ValueError where `url` is no address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or " " in url:
        raise ValueError(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname, parts.port, timeout=seconds), parts.path


def _events(response: http.client.HTTPResponse) -> Iterator[str]:
    """Yield the data of each server-sent event."""
    while line := response.readline(_LONGEST):
        if line.startswith(b"data:"):
            yield line[5:].decode("utf-8", "replace").strip()


def _complaint(body: bytes) -> str:
    """Return the first line of what a server says went wrong, however it wraps it."""
    said: Any = body.decode("utf-8", "replace")
    with contextlib.suppress(ValueError):
        said = json.loads(said)
    for key in ("error", "message", "detail"):
        if isinstance(said, dict) and key in said:
            said = said[key]
    lines = [line.strip() for line in said.splitlines() if line.strip()] if isinstance(said, str) else []
    # A page of HTML says nothing to a learner.
    return "" if not lines or lines[0].startswith("<") else lines[0][:200]
