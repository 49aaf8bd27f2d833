"""Run a submitted notebook: the learner's cells in a kernel, the grade cells here.

`Isolated` takes the place of nbgrader's own `Execute` among `c.Autograde.autograde_preprocessors`. Whatever a notebook
does, every cell of it ends with its outputs or with an error that says why it did not run: a grade cell without
outputs would earn full marks.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Mapping
from queue import Empty
from typing import Any

import nbformat
import zmq
from jupyter_core.utils import ensure_async, run_sync
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbformat.v4.nbbase import validate
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute
from traitlets import Bool, Integer
from traitlets.config import Config

from attnlab.course import COURSE, exercise_of
from attnlab.grade import NOT_RUN, walls
from attnlab.grade.outside.cell import run as run_grade_cell
from attnlab.grade.outside.standin import Desk, Late, Lost
from attnlab.inside.agent import QUESTION
from attnlab.learn import messages
from attnlab.learn.messages import text
from attnlab.problem import Problem
from attnlab.teach.notebooks import language_of

_COUNTED = ("stream", "display_data", "execute_result", "error", "update_display_data")
_COMMS = ("comm_open", "comm_msg", "comm_close")
_AFTER_INTERRUPT = 3.0  # seconds that a kernel has to answer once it was told to stop
_AFTER_LATE = 5.0  # seconds for an exercise's other checks, once one of them has taken too long


class Isolated(Execute):
    """nbgrader's Execute, with the learner's kernel behind walls and the verdicts on this side of them."""

    walls = Bool(True, help="Run learners' code behind walls (bubblewrap); refuse where there are none.").tag(
        config=True
    )
    notebook_timeout = Integer(600, help="Seconds for a whole notebook.").tag(config=True)
    most_output = Integer(2_000_000, help="Bytes of output that are kept of one cell.").tag(config=True)
    most_output_in_all = Integer(10_000_000, help="Bytes of output that are kept of a notebook.").tag(config=True)

    runner: Callable[[NotebookNode, dict[str, str]], NotebookNode] | None = None
    """Where set, it runs notebooks in the place of this process: (notebook, tests by grade id) → notebook."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: Any = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Run the notebook; the tests are those of the gradebook, whatever stands in the notebook."""
        tests = tests_of(resources["nbgrader"])
        runner = type(self).runner
        return (runner(nb, tests) if runner else self.run(nb, tests)), resources

    def run(self, notebook: NotebookNode, tests: Mapping[str, str]) -> NotebookNode:
        """Return the notebook with the outputs of every cell; `tests` are the sources of the grade cells by id.

        Problem where no kernel can be had: that is nothing of the learner's.
        """
        self._tests, self._ended, self._late = tests, "", set[str]()
        self._bytes = self._bytes_in_all = 0
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        if self.walls and (missing := walls.why_not()):
            raise Problem(missing)
        settings = walls.settings() if self.walls else walls.without_walls()
        settings.merge({name: self.config[name] for name in ("WalledKernel", "ColdKernel") if name in self.config})
        self.update_config(settings)
        self.update_config(Config({type(self).__name__: {"iopub_timeout": 4, "raise_on_iopub_timeout": True}}))
        before = messages.get_language()
        messages.set_language(language_of(notebook))
        try:
            self._deadline = time.monotonic() + self.notebook_timeout
            super().preprocess(notebook, ResourcesDict())
            _keep_what_a_notebook_can(notebook)
        except Exception as problem:
            # Each cell looks after its own trouble: what comes here is a kernel that did not start.
            raise Problem(f"no kernel: {type(problem).__name__}: {problem}") from problem
        finally:
            messages.set_language(before)
        return notebook

    def start_new_kernel_client(self, **options: Any) -> Any:
        """Return nbclient's client, once the agent beside the learner's objects is there too."""
        client = super().start_new_kernel_client(**options)
        self._desk = Desk(self)
        self._limit = float(self.startup_timeout)
        self._limit_ends = time.monotonic() + self._limit
        run_sync(self._let_it_listen)()
        self._desk.ask("graded")
        self._deadline = time.monotonic() + self.notebook_timeout  # the kernel's own start is none of the learner's
        return client

    def preprocess_cell(self, cell: NotebookNode, resources: Any, index: int) -> tuple[NotebookNode, Any]:
        """Run one cell; nothing that goes wrong in it is raised."""
        if cell.cell_type != "code":
            return cell, resources
        if not self._ended and time.monotonic() > self._deadline:
            self._ended = text("grade.out_of_time", seconds=self.notebook_timeout)
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        graded = utils.is_grade(cell) and not utils.is_solution(cell)
        if self._ended:
            cell.outputs = [_error(NOT_RUN, text("grade.not_run", why=self._ended))]
        elif graded:
            self._grade(cell, grade_id)
        else:
            self._execute(cell, index)
        return cell, resources

    def _execute(self, cell: NotebookNode, index: int) -> None:
        """Run a cell of the learner's in the kernel."""
        self._bytes = 0
        source = cell.source
        try:
            self.execute_cell(cell, index, store_history=True)
        except CellTimeoutError:
            self._hear_again(cell)
        except DeadKernelError:
            self._end(cell)
        except Exception as problem:  # a message from the kernel that is none
            self._end(cell, text("grade.unreadable", error=type(problem).__name__))
        cell.source = source
        count = cell.get("execution_count")
        cell.execution_count = count if type(count) is int else None

    def _hear_again(self, cell: NotebookNode) -> None:
        """Go on after a cell whose outputs did not come: a message too long to be taken ends its connection."""
        cell.outputs = [*cell.get("outputs", []), _error("OutputLost", text("grade.output_lost"))]
        assert self.kc is not None
        try:
            self.kc.iopub_channel.stop()
            self.kc._iopub_channel = None
            self.kc.iopub_channel.start()
            run_sync(self.kc.wait_for_ready)(timeout=self.startup_timeout)
        except Exception:  # it has died meanwhile
            self._end(cell)

    def _grade(self, cell: NotebookNode, grade_id: str) -> None:
        """Run a grade cell here, and write what came of it into the notebook's cell."""
        if grade_id not in self._tests:
            cell.outputs = [_error(NOT_RUN, text("grade.unknown_cell"))]
            return
        exercise = next((one for lesson in COURSE if (one := exercise_of(lesson, grade_id))), None)
        most = min(self.timeout, self.notebook_timeout)
        self._limit = min(most, _AFTER_LATE) if exercise in self._late else most
        self._limit_ends = time.monotonic() + self._limit
        outcome = run_grade_cell(self._tests[grade_id], grade_id, self._desk)
        if self._desk.late and exercise:
            self._late.add(exercise)
        self._desk.late = False
        cell.outputs = []
        if outcome.printed:
            cell.outputs.append(new_output("stream", name="stdout", text=outcome.printed))
        if outcome.error:
            name, said, trace = outcome.error
            cell.outputs.append(_error(name, said, trace))
        if self._desk.lost:
            self._end(cell, self._desk.lost)
        else:
            self._drain()

    def _end(self, cell: NotebookNode, why: str = "") -> None:
        """Note that nothing more will run, and why; say it in this cell too."""
        self._ended = why or self._why()
        cell.outputs = [*cell.get("outputs", []), _error(NOT_RUN, self._ended)]
        if self.km is not None:
            run_sync(self._kill)()

    def _why(self) -> str:
        key = f"grade.ended_{getattr(self.km, 'ended_by', None)}"
        return text(key if messages.has_text(key) else "grade.ended")

    async def _kill(self) -> None:
        assert self.km is not None
        provisioner = self.km.provisioner
        if provisioner is not None and provisioner.has_process:
            await provisioner.kill()

    # What the stand-ins ask by (see `outside.standin.Link`).

    def ask(self, question: str) -> str:
        """Return the agent's answer; Late or Lost where there is none in time."""
        return run_sync(self._ask)(question)

    async def _let_it_listen(self) -> None:
        """Have the agent take questions, before any code of the learner's runs."""
        assert self.kc is not None
        begin = {"listen": "__import__('attnlab.inside.agent', fromlist=['agent']).listen()"}
        sent = self.kc.execute("", silent=True, store_history=False, user_expressions=begin)
        reply = await self._reply(sent, float(self.startup_timeout))
        if reply is None or reply["content"]["user_expressions"]["listen"]["status"] != "ok":
            raise RuntimeError("the agent in the kernel does not listen")

    async def _ask(self, question: str) -> str:
        client = self.kc
        assert client is not None
        message = client.session.msg(QUESTION, {"question": question})
        client.shell_channel.send(message)
        sent = message["header"]["msg_id"]
        reply = await self._reply(sent, self._left())
        if reply is None:
            await ensure_async(self.km.interrupt_kernel())
            if await self._reply(sent, _AFTER_INTERRUPT) is None:
                raise Lost(text("grade.ended_stuck"))
            raise Late(self._limit)
        answer = reply["content"].get("answer")
        if type(answer) is not str:
            raise Lost(text("grade.unreadable", error="answer"))
        return answer

    def _left(self) -> float:
        return max(0.1, min(self._limit_ends, self._deadline) - time.monotonic())

    async def _reply(self, sent: str, seconds: float) -> dict[str, Any] | None:
        """Return the kernel's reply to the message `sent`, or None after so many seconds; Lost where it is dead."""
        client, ends = self.kc, time.monotonic() + seconds
        assert client is not None
        while (left := ends - time.monotonic()) > 0:
            try:
                message = await ensure_async(client.shell_channel.get_msg(timeout=min(0.5, left)))
            except Empty:
                if not await ensure_async(client.is_alive()):
                    raise Lost(self._why()) from None
                continue
            except Exception as problem:
                raise Lost(text("grade.unreadable", error=type(problem).__name__)) from None
            if message["parent_header"].get("msg_id") == sent:
                return message
        return None

    def _drain(self) -> None:
        """Throw away what the learner's code has printed for a grade cell."""
        assert self.kc is not None
        # Unread: it may be no message at all, and nothing in it is wanted.
        waiting: zmq.Socket[bytes] = zmq.Socket.shadow(self.kc.iopub_channel.socket)
        with contextlib.suppress(zmq.Again):
            for _ in range(10_000):
                waiting.recv_multipart(zmq.NOBLOCK)

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        """Take one message of a cell's, up to a number of bytes; a cell that sends more is stopped."""
        kind = msg["msg_type"]
        if kind in _COMMS:
            return None
        if kind in _COUNTED:
            size = len(json.dumps(msg["content"], default=str))
            if self._bytes > self.most_output or self._bytes_in_all > self.most_output_in_all:
                return None
            self._bytes += size
            self._bytes_in_all += min(size, self.most_output)
            if self._bytes > self.most_output or self._bytes_in_all > self.most_output_in_all:
                cell.outputs.append(new_output("stream", name="stdout", text="\n" + text("grade.output_cut") + "\n"))
                self._stopping = asyncio.ensure_future(ensure_async(self.km.interrupt_kernel()))
                return None
        return super().process_message(msg, cell, cell_index)


def tests_of(nbgrader: Mapping[str, str]) -> dict[str, str]:
    """Return the source of every automatic grade cell of a notebook, by id, from the gradebook."""
    with Gradebook(nbgrader["db_url"]) as gradebook:
        notebook = gradebook.find_notebook(nbgrader["notebook"], nbgrader["assignment"])
        by_hand = {cell.name for cell in notebook.solution_cells}
        graded = {cell.name for cell in notebook.grade_cells} - by_hand
        return {cell.name: cell.source for cell in notebook.source_cells if cell.name in graded}


def _keep_what_a_notebook_can(notebook: NotebookNode) -> None:
    """Put a line in the place of outputs that no notebook can hold, which would make it unreadable as a whole."""
    try:
        nbformat.validate(notebook)
        return
    except Exception:  # found by cell, below
        pass
    for cell in notebook.cells:
        try:
            validate(json.loads(json.dumps(cell)), f"{cell.cell_type}_cell")
        except Exception:
            cell.outputs = [_error("Unreadable", text("grade.unreadable_output"))]


def _error(name: str, said: str, trace: list[str] | None = None) -> NotebookNode:
    return new_output("error", ename=name, evalue=said, traceback=trace or [said])
