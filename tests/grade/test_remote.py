"""`attnlab grade --scheduler` against a real Dask scheduler with real workers, on loopback."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from attnlab.grade import walls
from attnlab.teach.demo_class.learners import CLASS, submission
from attnlab.teach.notebooks import read, write
from tests.grade.running import make_course, scores, start
from tests.gradecells import ROOT, lesson_with, source

LESSON = lesson_with("softmax")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(walls.why_not() is not None, reason=str(walls.why_not()))]


@contextlib.contextmanager
def dask(*arguments: str, log: Path) -> Iterator[subprocess.Popen]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with log.open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], stdout=said, stderr=said, env=environment, cwd=log.parent
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with dask("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", log=tmp_path / "s.log"):
        yield f"tcp://127.0.0.1:{port}"


def worker(address: str, folder: Path, name: str) -> contextlib.AbstractContextManager[subprocess.Popen]:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", "--name", name)
    return dask("worker", address, *options, "--local-directory", str(folder / name), log=folder / f"{name}.log")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = tmp_path / "course"
    root.mkdir()
    make_course(root, LESSON.name)
    learners = [one for one in CLASS if not one.slow][:6]
    for learner in learners:
        path = root / "submitted" / learner.name / LESSON.name / f"{LESSON.name}.ipynb"
        path.parent.mkdir(parents=True)
        released = read(root / "release" / "zh" / LESSON.name / path.name)
        write(submission(learner, LESSON, released, source(LESSON.name)), path)
    broken = root / "submitted" / "broken" / LESSON.name / f"{LESSON.name}.ipynb"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    return root


def busy(process: subprocess.Popen) -> bool:
    """Tell whether a worker has a notebook's warm process, so that it is at work."""
    with contextlib.suppress(psutil.Error):
        return any("zygote" in " ".join(one.cmdline()) for one in psutil.Process(process.pid).children(recursive=True))
    return False


def test_a_worker_killed_in_mid_run_costs_a_retry_and_no_score(address: str, course: Path, tmp_path: Path) -> None:
    with worker(address, tmp_path, "one") as one, worker(address, tmp_path, "two") as two:
        run = start(course, ["grade", "1", "--scheduler", address], tmp_path)
        ends = time.monotonic() + 300
        while not busy(one) and run.process.poll() is None and time.monotonic() < ends:
            time.sleep(0.1)
        assert busy(one)
        one.send_signal(signal.SIGKILL)
        status, said = run.result()
        assert two.poll() is None
    assert status == 1, said  # the broken one has no score, and is told of
    assert "broken/" in said
    assert "6 of 7 have a score" in said
    expected = {one.name: one.points(LESSON) for one in CLASS}
    found = {name: sum(value or 0 for value in cells.values()) for name, cells in scores(course).items()}
    assert found == {name: expected[name] for name in found}
    assert len(found) == 6
    # What has been graded over there counts here as well.
    status, said = start(course, ["grade", "1", "--without-walls"], tmp_path).result()
    assert "6 had been graded" in said, said


def test_no_scheduler_and_no_workers_are_one_line_each(address: str, course: Path, tmp_path: Path) -> None:
    status, said = start(course, ["grade", "1", "--scheduler", address], tmp_path).result()
    assert status == 1
    assert "the scheduler has no workers" in said
    assert "Traceback" not in said
    status, said = start(course, ["grade", "1", "--scheduler", "tcp://127.0.0.1:9"], tmp_path).result()
    assert status == 1
    assert "no Dask scheduler answers" in said
    assert "Traceback" not in said
