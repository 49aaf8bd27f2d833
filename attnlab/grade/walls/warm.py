"""The grading process's end of its warm process: started at first use, again where it has died, ended with us."""

import atexit
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attnlab.grade.walls import bubblewrap
from attnlab.problem import Problem

_PREFIX = "attnlab-walls-"
_START_SECONDS = 120
_ANSWER_SECONDS = 30
# The path of a socket may have 107 bytes; what follows the folder is short.
_LONGEST = 60
# Outlives the grading process by the moment that it takes to tidy up; the lock is held as long as this shell lives.
_TIDY = 'trap : HUP INT TERM; "$@"; rm -rf -- "$0"'


class Warm:
    """A warm process and the folder of its kernels' sockets."""

    def __init__(self, hide: Sequence[str]) -> None:
        """Start it and wait until it has everything imported; Problem where it does not start."""
        if reason := bubblewrap.why_not():
            raise Problem(reason)
        self.hide = tuple(hide)
        self._lock = threading.Lock()
        self._kernels = 0
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_short_folder()))
        lock = _locked(self.folder, "new")
        assert lock is not None
        (self.folder / "new").rename(self.folder / "lock")  # seen by others only once it is held
        runs = self.folder / "runs"
        runs.mkdir()
        runs.chmod(0o755)
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = ["-m", "attnlab.inside.zygote", str(there.fileno())]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _TIDY, str(self.folder), *bubblewrap.command(str(runs), hide, program)],
                pass_fds=[there.fileno(), lock],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # no Ctrl-C of the terminal's
            )
        os.close(lock)
        there.close()
        self._socket.settimeout(_START_SECONDS)
        try:
            said = self._socket.recv(1 << 16)
        except OSError:
            said = b""
        if not said:
            log_lines = self._log()
            self.end()
            raise Problem(f"the process behind the walls does not start: {log_lines[-1] if log_lines else 'no reason'}")
        self._socket.settimeout(_ANSWER_SECONDS)

    def _log(self) -> list[str]:
        with contextlib.suppress(OSError):
            return (self.folder / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return []

    @property
    def alive(self) -> bool:
        """Whether it can fork kernels."""
        return self._process.poll() is None

    def folder_for_kernel(self) -> tuple[Path, int | None]:
        """Return a new folder for a kernel's sockets and the user that it belongs to (None: oneself)."""
        with self._lock:
            self._kernels += 1
            number = self._kernels
        folder = self.folder / "runs" / str(number)
        folder.mkdir(mode=0o700)
        uid = bubblewrap.spare_uid(number)
        if uid is not None:
            os.chown(folder, uid, uid)
        return folder, uid

    def fork(self, request: dict[str, Any], report: int) -> int:
        """Fork a kernel that writes to the pipe `report`; return a descriptor (pidfd) of its first process."""
        with self._lock:
            try:
                socket.send_fds(self._socket, [json.dumps(request).encode()], [report])
                answer, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 16, 1)
            except OSError as error:
                raise Problem(f"the process behind the walls does not answer: {error}") from error
        if descriptors:
            return descriptors[0]
        raise Problem(
            f"no kernel behind the walls: {json.loads(answer or b'{}').get('error', 'the process has ended')}"
        )

    def forget(self) -> None:
        """Let go of it in a forked child of the grading process: it is the parent's."""
        self._socket.close()
        self._process.returncode = 0

    def end(self) -> None:
        """End it, and every kernel with it; its folder is gone when this returns."""
        self._socket.close()
        try:
            self._process.wait(_ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)


def _short_folder() -> str:
    folder = tempfile.gettempdir()
    return folder if len(os.fsencode(folder)) <= _LONGEST else "/tmp"


def _locked(folder: Path, name: str = "lock") -> int | None:
    """Return a descriptor that holds the lock `name` of a folder, or None where somebody else holds it."""
    import fcntl

    lock = os.open(folder / name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def _sweep() -> None:
    """Remove the folders of those that could not tidy up, as after a power cut."""
    for folder in Path(_short_folder()).glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            # A folder without a lock is being made just now.
            if folder.lstat().st_uid != os.geteuid() or not (folder / "lock").exists():
                continue
            lock = _locked(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


_warm: Warm | None = None
_starting = threading.Lock()


def warm(hide: Sequence[str]) -> Warm:
    """Return this process's warm process, with `hide` out of sight; it is started where there is none."""
    global _warm
    with _starting:
        if _warm is not None and (not _warm.alive or not set(hide) <= set(_warm.hide)):
            hide = sorted({*hide, *_warm.hide})
            _warm.end()
            _warm = None
        if _warm is None:
            _warm = Warm(hide)
        return _warm


def end() -> None:
    """End this process's warm process, if there is one."""
    global _warm
    with _starting:
        if _warm is not None:
            _warm.end()
            _warm = None


def _forget() -> None:
    global _warm, _starting
    _starting = threading.Lock()
    if _warm is not None:
        _warm.forget()
        _warm = None


atexit.register(end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
