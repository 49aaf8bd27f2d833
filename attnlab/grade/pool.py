"""Processes that work on tasks one by one, and may die at any moment without taking anything else with them."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from attnlab.problem import Problem

Task = TypeVar("Task")
Result = TypeVar("Result")
_TRIES = 2
DIED = "the process that graded it died, twice"
"""What to say of a task that has no result."""


@dataclass
class Done(Generic[Task, Result]):
    """One task and what became of it."""

    task: Task
    result: Result | None
    """None where the processes that worked on it died, each time."""


@dataclass
class _Unfit:
    """What a process sends that could not start to work at all."""

    why: str


class _Process:
    def __init__(self, context: Any, start: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, start, arguments), daemon=True)
        self.process.start()
        other.close()
        self.task: Any = None
        self.tries = 0

    def give(self, task: Any, tries: int) -> None:
        self.task, self.tries = task, tries
        with contextlib.suppress(OSError):  # died while it waited: `wait` will tell
            self.connection.send(task)

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def work_through(
    tasks: Sequence[Task], workers: int, start: Callable[..., Callable[[Task], Result]], arguments: tuple[Any, ...]
) -> Iterator[Done[Task, Result]]:
    """Yield each task's result as it is ready, from `workers` processes; a task whose process dies is tried again.

    Each process calls `start(*arguments)` once, and with what that returns it works on its tasks. The processes end
    with this one, however it ends. Problem where one cannot start.
    """
    context = multiprocessing.get_context("spawn")  # none inherits this process's threads or state
    waiting = deque((task, 0) for task in tasks)
    processes: list[_Process] = []
    try:
        while waiting or any(one.task is not None for one in processes):
            while waiting and len(processes) < workers:
                processes.append(_Process(context, start, arguments))
            for one in processes:
                if one.task is None and waiting:
                    one.give(*waiting.popleft())
            busy = {one.connection: one for one in processes if one.task is not None}
            for connection in multiprocessing.connection.wait(list(busy)):
                one = busy[connection]  # type: ignore[index]
                task, tries = one.task, one.tries
                try:
                    result = one.connection.recv()
                except (EOFError, OSError):
                    processes.remove(one)
                    one.end()
                    if tries + 1 < _TRIES:
                        waiting.appendleft((task, tries + 1))
                    else:
                        yield Done(task, None)
                    continue
                one.task = None
                if isinstance(result, _Unfit):
                    raise Problem(result.why)
                yield Done(task, result)
    finally:
        for one in processes:
            one.end()


def quiet(log: Path) -> None:
    """Send what this process, nbgrader and the kernels print to a file, so that a progress bar stays whole."""
    os.environ["OMP_NUM_THREADS"] = "1"  # with one thread a process, results and times do not depend on the cores
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)


def _work(connection: Any, start: Callable[..., Callable[[Any], Any]], arguments: tuple[Any, ...]) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt, EOFError):
        try:
            work = start(*arguments)
        except Exception as problem:
            connection.recv()
            connection.send(
                _Unfit(str(problem) if isinstance(problem, Problem) else f"{type(problem).__name__}: {problem}")
            )
            return
        while True:
            connection.send(work(connection.recv()))


def _end_with(sentinel: int) -> None:
    """End this process as soon as the one that started it is gone, in the middle of whatever it does."""
    multiprocessing.connection.wait([sentinel])
    os._exit(1)
