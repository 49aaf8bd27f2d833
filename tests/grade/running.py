"""Run `attnlab grade` as a terminal would, and see to it that nothing of it is left."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from attnlab.grade.walls import Limits
from attnlab.teach.grader import grader, load_config, succeed
from tests.gradecells import ROOT

_CHILD_SUBREAPER = 36
_LONG = 1200
"""Seconds that no run takes, however busy the machine: a run that has not ended by then does not end by itself."""


def make_course(folder: Path, lesson: str, *settings: str) -> Path:
    """Return a course folder with this lesson in its gradebook; `settings` are lines for its nbgrader_config.py."""
    shutil.copytree(ROOT / "source" / lesson, folder / "source" / lesson)
    config = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8")
    (folder / "nbgrader_config.py").write_text("\n".join((config, *settings)) + "\n", encoding="utf-8")
    loaded = load_config(folder, "zh")
    loaded.CourseDirectory.root = str(folder)
    succeed(grader(loaded).generate_assignment(lesson, force=True, create=True), lesson)
    (folder / "submitted").mkdir()
    return folder


def limits(**fewer: int) -> str:
    """Return the line for nbgrader_config.py that sets these limits (see `attnlab.grade.walls.Limits`)."""
    return f"c.WalledKernel.limits = {asdict(Limits(**fewer))}"


def scores(course: Path) -> dict[str, dict[str, float | None]]:
    """Return, by learner, the automatic score of each grade cell in the gradebook; all submissions, none twice."""
    found: dict[str, dict[str, float | None]] = {}
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "attention") as gradebook:
        for assignment in gradebook.assignments:
            for submission in gradebook.assignment_submissions(assignment.name):
                cells = [grade for notebook in submission.notebooks for grade in notebook.grades]
                assert len({cell.name for cell in cells}) == len(cells)
                assert submission.student_id not in found
                found[submission.student_id] = {cell.name: cell.auto_score for cell in cells}
    return found


def as_user(user: int, held: Path, command: Sequence[str]) -> list[str]:
    """Return the command that runs `command` as this user, to whom root opens what it needs of root's own folders.

    Python, its packages and this course are seen where they lie, in a mount namespace of the command's own; nothing
    else of a folder that is closed to others. `held`: a folder to be made, for mounting.
    """
    needed = [Path(os.path.realpath(one)) for one in (sys.base_prefix, sys.prefix, ROOT)]
    needed = [one for one in dict.fromkeys(needed) if not any(other in one.parents for other in needed)]
    closed = {
        path: shut
        for path in needed
        if (shut := next((one for one in reversed((path, *path.parents)) if not one.stat().st_mode & 0o001), None))
    }
    steps = []
    for number, path in enumerate(closed):
        (held / str(number)).mkdir(parents=True, exist_ok=True)
        steps.append(f'mount --rbind "{path}" "{held / str(number)}"')
    steps += [f'mount -t tmpfs -o mode=755 none "{shut}"' for shut in dict.fromkeys(closed.values())]
    for number, path in enumerate(closed):
        steps.append(f'mkdir -p "{path}" && mount --move "{held / str(number)}" "{path}"')
    steps.append(f'exec setpriv --reuid={user} --regid={user} --clear-groups "$@"')
    return ["unshare", "--mount", "sh", "-c", " && ".join(steps), "sh", *command]


@dataclass
class Run:
    """One run of the command line in a course's folder."""

    process: subprocess.Popen[str]
    temporary: Path
    """The run's TMPDIR."""

    def result(self) -> tuple[int, str]:
        """Return its exit status and what it said, once it has ended by itself."""
        said, _ = self.process.communicate(timeout=_LONG)
        return self.process.returncode, said


def start(course: Path, arguments: Sequence[str], temporary: Path, user: int | None = None, **environment: str) -> Run:
    """Start `attnlab` with these arguments."""
    command = [sys.executable, "-m", "attnlab", *arguments]
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As where a shell has put the tests into the background; what they start would ignore it, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command if user is None else as_user(user, course.parent / "held", command),
        cwd=course,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": "1",
            "COLUMNS": "1000",
            "TMPDIR": str(temporary),
            **environment,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    return Run(process, temporary)


@contextlib.contextmanager
def nothing_left() -> Iterator[Path]:
    """Give a TMPDIR; at the end no process started meanwhile may be there any more, and no file in that folder."""
    # Whatever loses its parent becomes a child of this process, so that none is overlooked.
    libc = ctypes.CDLL(None)
    libc.prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = set(_descendants())
    temporary = Path(tempfile.mkdtemp(prefix="h", dir="/tmp"))  # short: paths of sockets are
    temporary.chmod(0o1777)
    try:
        yield temporary
        ends = time.monotonic() + 60
        while (left := set(_descendants()) - before) and time.monotonic() < ends:
            time.sleep(0.05)
        commands, files = [_command(one) for one in left], [path.name for path in temporary.iterdir()]
        assert (commands, files) == ([], []), f"left over: {commands} {files}"
    finally:
        libc.prctl(_CHILD_SUBREAPER, 0, 0, 0, 0)
        for one in set(_descendants()) - before:
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        shutil.rmtree(temporary, ignore_errors=True)


def _descendants() -> list[int]:
    """Return the processes below this one; without those that have ended."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                state, parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    parents[int(name)] = int(parent)
    found = [os.getpid()]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def _command(process: int) -> str:
    with contextlib.suppress(OSError):
        return f"{process} " + Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
    return f"{process} (gone)"
