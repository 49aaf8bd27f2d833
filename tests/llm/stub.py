"""A stub of a model server: it speaks the protocol, and fails in each way that a server can."""

import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NOBODY = "http://127.0.0.1:9"  # the port "discard": nothing listens there
FIRST, REST = "**A lens.**", " 透镜。"
ANSWER = FIRST + REST


class Stub(ThreadingHTTPServer):
    """A server that lists `models` and answers every chat as `mode` says, keeping what it was asked.

    Modes: stream, plain (all at once, as a server that can't stream), hang_models, hang (once it was asked), slow
    (only when `release` is set, after a first word), dies (after a first word), empty, thinks, cut, strict (minds what
    it doesn't know), html, redirect, or a status such as 500.
    """

    daemon_threads = True

    def __init__(self, mode: str = "stream", port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.mode = mode
        self.models: Any = {"data": [{"id": "some-embed-text"}, {"id": "small.gguf"}]}
        self.models_status = 200
        self.release = threading.Event()
        self.elsewhere = ""
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serving(mode: str = "stream") -> Iterator[Stub]:
    """Run a stub for as long as the block lasts."""
    server = Stub(mode)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_GET(self) -> None:
        if self.server.mode == "hang_models":
            self.server.release.wait(30)
        self._send(self.server.models_status if self.path == "/v1/models" else 404, self.server.models)

    def do_POST(self) -> None:
        mode = self.server.mode
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers.append(dict(self.headers))
        if mode.isdigit():
            self._send(int(mode), {"error": {"message": "too busy"}})
        elif mode == "redirect":
            self.send_response(307)
            self.send_header("Location", f"{self.server.elsewhere}/v1/chat/completions")
            self.end_headers()
        elif mode == "html":
            self._send(200, "<html><body>Hello</body></html>")
        elif mode == "strict" and "chat_template_kwargs" in asked:
            self._send(422, {"detail": "unknown field"})
        elif mode == "plain":
            message = {"role": "assistant", "content": ANSWER}
            self._send(200, {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
        elif mode == "hang":
            self.server.release.wait(30)
        else:
            self._stream(mode)

    def _stream(self, mode: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        words = {"empty": [], "thinks": []}.get(mode, [FIRST, REST])
        if mode == "thinks":
            self._event({"choices": [{"delta": {"reasoning_content": "Hm."}}]})
        for number, word in enumerate(words):
            if number == 1 and mode == "dies":
                return
            if number == 1 and mode == "slow":
                self.server.release.wait(30)
            if not self._event({"choices": [{"delta": {"content": word}}]}):
                return
        self._event({"choices": [{"delta": {}, "finish_reason": "length" if mode in ("thinks", "cut") else "stop"}]})
        with contextlib.suppress(OSError):
            self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, data: Any) -> bool:
        """Send one event; tell whether there is still somebody to take it."""
        try:
            self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()
        except OSError:
            return False
        return True

    def _send(self, status: int, body: Any) -> None:
        sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *args: Any) -> None:
        pass
