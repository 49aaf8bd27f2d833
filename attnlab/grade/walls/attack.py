"""Attack the walls from inside, as a learner's notebook could, and tell which of them hold.

Each attack is a function that is sent into a walled kernel as text, so that it imports what it needs by itself; it is
told what there is to be found outside, and returns what it got at: None where the wall holds.
"""

import asyncio
import contextlib
import inspect
import json
import os
import socket
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attnlab
from attnlab.folder import course_root
from attnlab.grade import walls
from attnlab.grade.walls import bubblewrap
from attnlab.grade.walls.limits import Limits
from attnlab.problem import Problem

if TYPE_CHECKING:
    from traitlets.config import Config

_SECONDS = 120
# Small enough that an attack on them is over soon.
LIMITS = Limits(memory_mb=400, processes=40, scratch_mb=16, file_mb=8, cpu_seconds=60, wall_seconds=100)

Outside = dict[str, Any]


@dataclass(frozen=True)
class Attack:
    """One attack."""

    wall: str
    """What should hold, in a few words."""
    code: Callable[[Outside], str | None]
    """Runs inside; returns what got through."""
    ends: str = ""
    """Where the wall holds by ending the kernel: a part of its reason."""


@dataclass(frozen=True)
class Outcome:
    """What came of a notebook cell behind the walls."""

    printed: str
    ended: str | None
    """Why the kernel ended, or None."""


def execute(code: str, config: "Config | None" = None) -> Outcome:
    """Run one cell in a kernel of its own, behind the walls unless `config` says else; Problem where it is too slow."""
    return asyncio.run(_execute(code, config or walls.settings(LIMITS)))


async def _execute(code: str, config: "Config") -> Outcome:
    from attnlab.grade.walls.kernel import GradingKernelManager

    printed: list[str] = []

    def listen(message: dict) -> None:
        content = message["content"]
        printed.append(content.get("text", "") or "\n".join(content.get("traceback", [])))

    manager = GradingKernelManager(kernel_name=config.Execute.kernel_name, config=config)
    try:
        await manager.start_kernel()
        client = manager.client()
        client.start_channels()
        try:
            await client.wait_for_ready(timeout=_SECONDS)
            running = asyncio.ensure_future(client.execute_interactive(code, timeout=_SECONDS, output_hook=listen))
            while not running.done() and await manager.is_alive():
                await asyncio.wait([running], timeout=0.05)
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
        except TimeoutError as error:
            raise Problem(f"no answer from behind the walls in {_SECONDS} s") from error
        finally:
            client.stop_channels()
        return Outcome("".join(printed), manager.ended_because)
    finally:
        await manager.shutdown_kernel(now=True)


def attempt(attack: Attack, outside: Outside, config: "Config | None" = None) -> str | None:
    """Make one attack, as `execute` does; return what got through, None where the wall holds."""
    source = textwrap.dedent(inspect.getsource(attack.code))
    call = f"import json\nprint('\\nANSWER', json.dumps({attack.code.__name__}(json.loads({json.dumps(outside)!r}))))"
    outcome = execute(f"Outside = dict\n{source}\n{call}", config)
    if attack.ends:
        if outcome.ended and attack.ends in outcome.ended:
            return None
        return outcome.ended or "it went on"
    if outcome.ended:
        return f"the kernel {outcome.ended}"
    _, found, answer = outcome.printed.rpartition("\nANSWER ")
    return json.loads(answer) if found else (outcome.printed.strip().splitlines() or ["no answer"])[-1]


@contextlib.contextmanager
def bait() -> Iterator[Outside]:
    """Yield what there is outside, with some things put there for the attacks to find."""
    home, package = Path.home(), Path(attnlab.__file__).resolve().parent
    in_sight = {Path(folder) for folder in bubblewrap.python_folders()}
    places = [home, Path(tempfile.gettempdir()), package / "teach", package / "grade"]
    with contextlib.suppress(Problem):
        places.append(course_root())
    with tempfile.NamedTemporaryFile(prefix="attnlab-bait-") as file, socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        hidden_socket = socket.socket(socket.AF_UNIX)
        with hidden_socket:
            name = f"attnlab-bait-{os.getpid()}"
            hidden_socket.bind("\0" + name)
            hidden_socket.listen()
            entries = [entry for place in places if place.is_dir() for entry in place.iterdir()]
            yield {
                "paths": [
                    str(entry)
                    for entry in entries
                    if not any(folder == entry or entry in folder.parents for folder in in_sight)
                ],
                "package": str(package),
                "file": file.name,
                "port": listening.getsockname()[1],
                "abstract": name,
                "process": os.getpid(),
                "user": os.getuid() if os.getuid() else -1,
                "environment": [one for one in os.environ if one not in bubblewrap.environment()],
                "limits": {"processes": LIMITS.processes, "scratch_mb": LIMITS.scratch_mb, "file_mb": LIMITS.file_mb},
            }


def read_files(outside: Outside) -> str | None:
    """Look for the files of HOME, of the course and of the temporary folder."""
    import os

    seen = [path for path in [*outside["paths"], outside["file"]] if os.path.lexists(path)]
    return f"sees {seen[0]}" if seen else None


def read_system(outside: Outside) -> str | None:
    """Look for what tells about the machine and its users."""
    import os

    for path in ("/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/etc/ssh", "/var", "/run", "/home"):
        if os.path.isdir(path):
            files = [name for _, _, names in os.walk(path) for name in names]
            if files and path not in outside["package"]:
                return f"sees {path} ({files[0]})"
        elif os.path.lexists(path):
            return f"sees {path}"
    return None


def import_the_answers(outside: Outside) -> str | None:
    """Import what only the grading may: the instructor's part of the course."""
    import importlib
    import os
    import sys

    for name in ("attnlab.teach", "attnlab.grade", "attnlab.cli"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return f"imports {name}"
    for folder in [outside["package"], *(os.path.join(one, "attnlab") for one in sys.path)]:
        for part in ("teach", "grade", "cli.py"):
            if os.path.exists(os.path.join(folder, part)):
                return f"sees {folder}/{part}"
    return None


def meet_other_notebooks(outside: Outside) -> str | None:
    """Look for other kernels' sockets, and change one's own into something else."""
    import os

    if os.listdir("/attnlab/runs"):
        return f"sees {os.listdir('/attnlab/runs')}"
    for change in (os.unlink, lambda path: os.symlink("/etc", path + "-"), lambda path: os.rename(path, path + "-")):
        try:
            change("/attnlab/sockets/s-1")
        except OSError:
            continue
        return "changes the folder of its sockets"
    return None


def reach_out(outside: Outside) -> str | None:
    """Reach a host, a name server, a port and a socket of this machine."""
    import socket

    def tcp() -> None:
        with socket.create_connection(("127.0.0.1", outside["port"]), timeout=2):
            pass

    def abstract() -> None:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect("\0" + outside["abstract"])

    def datagram() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"?", ("192.0.2.1", 53))  # nobody's address

    def name() -> None:
        socket.getaddrinfo("example.com", 80)

    for way in (tcp, abstract, datagram, name):
        try:
            way()
        except OSError:
            continue
        return f"gets out: {way.__name__}"
    with open("/proc/net/route") as routes:
        lines = routes.read().splitlines()[1:]
    return f"has a network: {lines[0].split()[0]}" if lines else None


def open_special_sockets(outside: Outside) -> str | None:
    """Open sockets that no network namespace holds, or that see what passes."""
    import socket

    for family, kind in ((40, socket.SOCK_STREAM), (17, socket.SOCK_RAW), (2, socket.SOCK_RAW), (38, 5)):
        try:
            socket.socket(family, kind).close()
        except OSError:
            continue
        return f"opens a socket of family {family}"
    return None


def look_at_processes(outside: Outside) -> str | None:
    """Look for processes that are not one's own."""
    import os

    found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    strange = set(found) - {1, os.getpid()}
    if strange:
        return f"sees processes {sorted(strange)[:5]}"
    if outside["process"] > 2:
        try:
            os.kill(outside["process"], 0)
        except ProcessLookupError:
            return None
        return "reaches the grading process"
    return None


def look_into_the_first_process(outside: Outside) -> str | None:
    """Look into the memory, the files and the environment of the process that watches."""
    import os

    for name in ("mem", "environ", "maps", "fd", "root", "cwd", "ns/mnt"):
        path = f"/proc/1/{name}"
        try:
            if name in ("fd",):
                os.listdir(path)
            elif name in ("root", "cwd", "ns/mnt"):
                os.readlink(path)
            else:
                open(path, "rb").close()
        except OSError:
            continue
        return f"opens {path}"
    return None


def signal_the_first_process(outside: Outside) -> str | None:
    """Kill and stop the process that watches: what can be told is that one lives on."""
    import os
    import signal
    import time

    for number in set(signal.Signals) - {signal.SIGCHLD}:
        try:
            os.kill(1, number)
            os.kill(0, 0)
        except OSError:
            pass
    time.sleep(0.3)
    with open("/proc/1/stat") as stat:
        state = stat.read().rpartition(")")[2].split()[0]
    return None if state in "SRD" else f"the watching process is in state {state}"


def write_outside(outside: Outside) -> str | None:
    """Write anywhere but in the scratch folder."""
    import os
    import sys

    folders = ["/", "/usr", "/usr/local", "/etc", "/dev", "/attnlab", "/attnlab/course", "/attnlab/course/attnlab"]
    folders += ["/attnlab/course/attnlab/learn", "/attnlab/runs", "/attnlab/sockets", "/var/tmp", "/opt", "/root"]
    for folder in [*folders, *filter(os.path.isabs, sys.path)]:
        try:
            with open(os.path.join(folder, "attnlab-was-here"), "w") as file:
                file.write("x")
        except OSError:
            continue
        return f"writes in {folder}"
    for path in ("/proc/sys/kernel/hostname", "/proc/self/oom_score_adj", "/attnlab/course/attnlab/course.py"):
        try:
            with open(path, "a") as file:
                file.write("0")
        except OSError:
            continue
        return f"writes to {path}"
    return None


def fill_the_disk(outside: Outside) -> str | None:
    """Write as much as there is room for."""
    import os
    import signal
    import tempfile

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    most = outside["limits"]
    total = 0
    for number in range(1000):
        for folder in (os.getcwd(), tempfile.gettempdir(), "/dev/shm"):
            size = 0
            try:
                with open(f"{folder}/{number}", "wb", buffering=0) as file:
                    while written := file.write(bytes(1 << 20)):
                        size += written
            except OSError:
                pass
            if size > most["file_mb"] << 20:
                return f"writes a file of {size >> 20} MB"
            total += size
        if total > most["scratch_mb"] << 20:
            return f"writes {total >> 20} MB"
        if size == 0:
            return None
    return None


def fork_bomb(outside: Outside) -> str | None:
    """Start as many processes as it gets, each of which does the same."""
    import os
    import time

    end = time.monotonic() + 2
    while time.monotonic() < end:
        try:
            if os.fork() == 0:
                continue
        except OSError:
            time.sleep(0.01)
    if os.getpid() != 2:
        time.sleep(3600)
    found = [name for name in os.listdir("/proc") if name.isdigit()]
    most = outside["limits"]["processes"]
    return f"{len(found)} processes" if len(found) > most + 1 else None


def eat_memory(outside: Outside) -> str | None:
    """Take memory in one process until it is refused, 4 GB at most."""
    taken = []
    try:
        for _ in range(64):
            taken.append(bytearray(b"\x01") * (64 << 20))
    except MemoryError:
        return None
    return f"takes {len(taken) * 64} MB"


def eat_memory_together(outside: Outside) -> str | None:
    """Take memory in many processes, each of which stays within its own limit."""
    import os
    import time

    for _ in range(10):
        if os.fork() == 0:
            try:
                held = bytearray(b"\x01") * (100 << 20)
            finally:
                time.sleep(3600)
            del held
    time.sleep(20)
    return "takes 1000 MB"


def hide_memory(outside: Outside) -> str | None:
    """Take memory that is in no process's books."""
    import ctypes
    import mmap
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    try:
        mmap.mmap(-1, 1 << 20).close()
    except OSError:
        pass
    else:
        return "shares memory that has no file"
    if hasattr(os, "memfd_create"):
        try:
            os.close(os.memfd_create("x"))
        except OSError:
            pass
        else:
            return "makes a file in memory"
    if libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600) >= 0:
        return "makes a System V segment"
    return None


def call_the_system(outside: Outside) -> str | None:
    """Make the system calls that have been ways out."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    empty = ctypes.create_string_buffer(256)
    for name, arguments in (
        ("ptrace", (0, 0, 0, 0)),
        ("ptrace", (16, 1, 0, 0)),
        ("mount", (b"none", b"/attnlab/scratch/tmp", b"tmpfs", 0, None)),
        ("umount2", (b"/attnlab/runs", 2)),
        ("pivot_root", (b"/", b"/")),
        ("chroot", (b"/usr",)),
        ("unshare", (0x10000000,)),
        ("unshare", (0x20000,)),
        ("setns", (0, 0)),
        ("process_vm_readv", (1, empty, 1, empty, 1, 0)),
        ("setuid", (0,)),
        ("setgid", (0,)),
        ("sethostname", (b"x", 1)),
        ("swapoff", (b"/x",)),
    ):
        if getattr(libc, name)(*arguments) >= 0:
            return f"{name}{arguments[:1]} succeeds"
    # clone with a new user namespace, by number, where the number is known
    import os
    import platform

    if platform.machine() == "x86_64":
        child = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        if child > 0:
            return "makes a user namespace"
        for number in (321, 250, 425, 323, 298, 304, 435, 0x40000000 | 101):
            if libc.syscall(number, 0, 0, 0, 0, 0) >= 0:
                return f"system call {number} succeeds"
    return None


def be_somebody(outside: Outside) -> str | None:
    """Be root, the one who grades, or someone who may become it."""
    import os

    with open("/proc/self/status") as lines:
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if 0 in (*os.getresuid(), *os.getresgid()):
        return "is root"
    for name in ("CapEff", "CapPrm", "CapInh", "CapBnd", "CapAmb"):
        if int(status[name], 16):
            return f"has rights left: {name} {status[name]}"
    if status["NoNewPrivs"] != "1":
        return "can gain rights by a program"
    if status.get("Seccomp") != "2":
        return "no system call is filtered"
    return None


def read_the_environment(outside: Outside) -> str | None:
    """Look for what the grading process has in its environment, and in its open files."""
    import os

    with open("/proc/self/environ", "rb") as file:
        started_with = [one.partition(b"=")[0].decode() for one in file.read().split(b"\0")]
    known = {"PAGER", "GIT_PAGER", "TERM", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "PWD", "PYTHONPATH"}
    known |= {"PYDEVD_USE_FRAME_EVAL", "PYTHONDONTWRITEBYTECODE", "PYTHONSAFEPATH", "PYTHONNOUSERSITE"}
    found = {*os.environ, *started_with} & set(outside["environment"]) - known
    if found:
        return f"knows {sorted(found)[0]}"
    for number in os.listdir("/proc/self/fd"):
        try:
            path = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        if path.startswith("/") and not path.startswith(("/dev/", "/proc/", "/attnlab/scratch/")):
            return f"has {path} open"
    return None


ATTACKS = (
    Attack("files of HOME, the course and /tmp are out of sight", read_files),
    Attack("the system's files are out of sight", read_system),
    Attack("answers and grading code are out of sight", import_the_answers),
    Attack("other notebooks are out of sight", meet_other_notebooks),
    Attack("the environment and open files tell nothing", read_the_environment),
    Attack("no network", reach_out),
    Attack("no special sockets", open_special_sockets),
    Attack("other processes are out of sight", look_at_processes),
    Attack("the watching process is closed", look_into_the_first_process),
    Attack("the watching process survives signals", signal_the_first_process),
    Attack("nothing can be written outside the scratch folder", write_outside),
    Attack("the scratch folder is limited", fill_the_disk),
    Attack("processes are limited", fork_bomb),
    Attack("memory of a process is limited", eat_memory),
    Attack("memory of all processes is limited", eat_memory_together, ends="of memory"),
    Attack("memory is counted", hide_memory),
    Attack("system calls are filtered", call_the_system),
    Attack("no rights, now or later", be_somebody),
)
