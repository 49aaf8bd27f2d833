"""A real kernel, driven as a notebook does: what each cell shows, later changes of it included."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_client.manager import start_new_kernel

from tests.gradecells import ROOT


class Cell:
    """What a cell has shown."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.error = ""
        self.stderr = ""
        self.parts: list[dict[str, Any]] = []

    @property
    def text(self) -> str:
        """All that a reader of the page sees, the Markdown of an answer as its source."""
        return "".join(part["text"] for part in self.parts)


class Notebook:
    """Cells that run one after another in one kernel."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._by_message: dict[str, Cell] = {}
        self._by_display: dict[str, dict[str, Any]] = {}

    def run(self, code: str, seconds: float = 90) -> Cell:
        """Run a cell to its end."""
        cell, began = Cell(), time.monotonic()
        asked = self._client.execute(code)
        self._by_message[asked] = cell
        while True:
            message = self._client.get_iopub_msg(timeout=seconds)
            self._take(message)
            idle = message["msg_type"] == "status" and message["content"]["execution_state"] == "idle"
            if idle and message["parent_header"].get("msg_id") == asked:
                cell.seconds = time.monotonic() - began
                return cell

    def wait_until(self, cell: Cell, words: str, seconds: float = 60) -> None:
        """Go on reading what the kernel says until `cell` shows `words`."""
        while words not in cell.text:
            self._take(self._client.get_iopub_msg(timeout=seconds))

    def _take(self, message: dict[str, Any]) -> None:
        kind, content = message["msg_type"], message["content"]
        cell = self._by_message.get(message["parent_header"].get("msg_id", ""))
        if kind == "update_display_data":
            shown = self._by_display.get(content["transient"]["display_id"])
            if shown is not None:
                shown["text"] = _text(content["data"])
        elif cell is None:
            return
        elif kind == "stream" and content["name"] == "stderr":
            cell.stderr += content["text"]
        elif kind == "stream":
            cell.parts.append({"text": content["text"]})
        elif kind in ("display_data", "execute_result"):
            cell.parts.append({"text": _text(content["data"])})
            if display_id := content.get("transient", {}).get("display_id"):
                self._by_display[display_id] = cell.parts[-1]
        elif kind == "error":
            cell.error = f"{content['ename']}: {content['evalue']}"


def _text(data: dict[str, str]) -> str:
    return data.get("text/markdown", data.get("text/plain", ""))


@contextmanager
def opened(**environment: str) -> Iterator[Notebook]:
    """Start a kernel with this environment, and end it with the block."""
    env = {name: value for name, value in os.environ.items() if name != "NBGRADER_EXECUTION"}
    env |= {"PYTHONPATH": str(ROOT), **environment}
    manager, client = start_new_kernel(kernel_name="python3", env=env, startup_timeout=120)
    try:
        yield Notebook(client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
