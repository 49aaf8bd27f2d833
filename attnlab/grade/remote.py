"""`attnlab grade --scheduler`: notebooks run on Dask's workers, the gradebook is written here alone.

A worker gets bytes and gives bytes: the notebook as nbgrader has sanitized it with the sources of its tests, and the
notebook with its outputs. It needs neither the course's folder nor the gradebook.
"""

import importlib.metadata
import threading
from collections.abc import Iterator
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde
from nbgrader.utils import setenv
from traitlets.config import Config

from attnlab.grade.execute import Isolated, tests_of
from attnlab.grade.receipts import Submission
from attnlab.grade.worker import Graded, Setting, Worker
from attnlab.problem import Problem

_RETRIES = 3
_FOR_WORKERS = ("ExecutePreprocessor", "Isolated", "WalledKernel")
"""The parts of nbgrader_config.py that a notebook runs by."""
_ONE_AT_A_TIME = threading.Lock()


def grade_by(address: str, setting: Setting, submissions: list[Submission]) -> Iterator[Graded]:
    """Yield each submission's result, run by the workers of the scheduler at `address`.

    A worker that dies costs a retry. Problem where there is no such scheduler, or none of its workers fits.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise Problem('Dask is not installed here: pip install ".[dask]" in the course\'s folder') from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise Problem(f"{address}: no Dask scheduler answers ({type(problem).__name__})") from None
    with client:
        _require_fit_workers(client, address)
        clerk = _Clerk(setting)
        waiting: dict[Any, Submission] = {}
        for submission in submissions:
            with_tests = clerk.prepare(submission)
            if isinstance(with_tests, Graded):
                yield with_tests
                continue
            # Not pure: two learners may hand in the same bytes, and each is run for itself.
            future = client.submit(run, *with_tests, clerk.options, retries=_RETRIES, pure=False)
            waiting[future] = submission
        for future in as_completed(list(waiting), loop=client.loop):
            submission = waiting.pop(future)
            failure = future.exception()
            if failure is not None:
                said = f"on the workers: {type(failure).__name__}: {failure}".splitlines()[0]
                yield Graded(submission, problem=said)
            else:
                yield clerk.enter(submission, future.result())
            future.release()


def run(notebook: bytes, tests: dict[str, str], options: dict[str, Any]) -> bytes:
    """Run a sanitized notebook on a worker, and return it with its outputs."""
    # The language of messages, stdout and the random state are the process's: one notebook at a time in each.
    with _ONE_AT_A_TIME, setenv(NBGRADER_EXECUTION="autograde"):
        isolated = Isolated(config=Config(options))
        found = isolated.run(nbformat.reads(notebook.decode(), as_version=4), tests)
    return nbformat.writes(found).encode()


def version() -> str:
    """Return the version of the course's package, which a worker must have too."""
    return importlib.metadata.version("attnlab")


def _require_fit_workers(client: Any, address: str) -> None:
    """Raise Problem unless there are workers, and all have this version of the course's package."""
    if not client.scheduler_info(n_workers=-1)["workers"]:
        raise Problem(f"{address}: the scheduler has no workers; start some: dask worker {address} --nthreads 1")
    own = version()
    for worker, found in client.run(version, on_error="return").items():
        if found != own:
            raise Problem(f"{worker}: this worker has not attnlab {own} ({found}); install it there")


class _Clerk(Worker):
    """Prepares submissions for the workers and enters what comes back: nbgrader's own steps, before and after."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        config = self._api.config
        self.options = {name: dict(config[name]) for name in _FOR_WORKERS if name in config}

    def prepare(self, submission: Submission) -> tuple[bytes, dict[str, str]] | Graded:
        """Return the sanitized notebook and its tests, or the result where there will be none."""
        try:
            taken = self._take(submission)
            names = {"notebook": submission.lesson, "assignment": submission.lesson, "student": submission.student}
            resources = {"nbgrader": {**names, "db_url": self._api.coursedir.db_url}}
            exporter = NotebookExporter(config=self._api.config)
            exporter._preprocessors = []
            for one in Autograde(coursedir=self._api.coursedir, parent=self._api).sanitize_preprocessors:
                exporter.register_preprocessor(one)
            sanitized, _ = exporter.from_notebook_node(taken.notebook, resources)
            return sanitized.encode(), tests_of(resources["nbgrader"])
        except Exception as problem:
            return self._failed(submission, problem, 0.0)

    def enter(self, submission: Submission, executed: bytes) -> Graded:
        """Write the scores of a notebook that a worker has run into the gradebook."""
        notebook = nbformat.reads(executed.decode(), as_version=4)
        Isolated.runner = staticmethod(lambda _notebook, _tests: notebook)
        try:
            return self.grade(submission)
        finally:
            Isolated.runner = None
