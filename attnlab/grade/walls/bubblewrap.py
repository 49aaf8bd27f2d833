"""The walls around the warm process, built by bubblewrap: what can be seen behind them, and whether they can be had."""

import contextlib
import functools
import importlib.util
import os
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import attnlab
from attnlab.folder import course_root
from attnlab.inside import jail
from attnlab.problem import Problem

# Nothing else of the machine: no /home, /root, /tmp, /var, /run, /sys, no passwd, hosts or resolv.conf.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/fonts", "/etc/localtime"),
    "/sys/devices/system/cpu",  # torch asks it for the processor, and complains on stderr where it is missing
)
_DEVICES = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/full")  # /dev/zero, shared, is memory nobody counts
_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
_COURSE = ("__init__.py", "course.py", "problem.py", "llm", "learn", "inside")
"""The parts of this package that a lesson's notebook needs."""
_EXCHANGE = "/usr/local/share/nbgrader"
# What the warm process needs to set kernels apart; no kernel keeps any of it.
_RIGHTS = ("CAP_SYS_ADMIN", "CAP_SETPCAP", "CAP_SETUID", "CAP_SETGID")
_SECONDS = 30
HINT = "sudo apt install bubblewrap"


def environment() -> dict[str, str]:
    """Return all environment variables of a kernel."""
    return {
        "PATH": f"{Path(sys.prefix, 'bin')}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": jail.HOME,
        "LOGNAME": "learner",
        "TMPDIR": jail.TMP,
        "IPYTHONDIR": jail.HOME + "/.ipython",
        "MPLCONFIGDIR": jail.TMP + "/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "OMP_NUM_THREADS": "1",
        "NBGRADER_EXECUTION": "autograde",
    }


def hidden(more: Iterable[str | os.PathLike[str]] = ()) -> tuple[str, ...]:
    """Return the folders that stay out of sight wherever they lie: HOME, the course's, nbgrader's exchange, `more`."""
    folders = {Path.home(), Path(tempfile.gettempdir()), Path(_EXCHANGE), *map(Path, more)}
    with contextlib.suppress(Problem, OSError):
        folders.add(course_root())
    return tuple(sorted({os.path.realpath(folder) for folder in folders}))


def python_folders() -> list[str]:
    """Return where this Python and its packages lie, each as it is called and as it is without symbolic links."""
    prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    program = sys.executable
    for _ in range(20):  # a virtual environment's python is a link, often to another
        prefixes.append(os.path.dirname(os.path.dirname(os.path.abspath(program))))
        if not os.path.islink(program):
            break
        program = os.path.join(os.path.dirname(program), os.readlink(program))
    wanted = [os.path.join(prefix, part) for prefix in prefixes for part in _PYTHON]
    return [*wanted, *_package_folders()]


def _package_folders() -> list[str]:
    """Return the folders of sys.path that hold packages, also where they lie outside of Python's own folders."""
    folders = list(site.getsitepackages())
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    for name in ("torch", "numpy", "matplotlib", "ipykernel"):
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            folders.append(os.path.dirname(os.path.dirname(spec.origin)))
    return [folder for folder in dict.fromkeys(map(os.path.abspath, folders)) if os.path.isdir(folder)]


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _links(path: str) -> tuple[dict[str, str], str]:
    """Return the symbolic links on the way along `path`, with what they say, and where the way ends."""
    links: dict[str, str] = {}
    done, rest = "/", [part for part in path.split("/") if part]
    while rest:
        here = os.path.join(done, rest.pop(0))
        if here.endswith("/.."):
            done = os.path.dirname(done)
        elif os.path.islink(here):
            if len(links) > 40:
                break  # in a circle
            target = links[here] = os.readlink(here)
            rest = [part for part in target.split("/") if part] + rest
            done = "/" if target.startswith("/") else done
        elif not here.endswith("/."):
            done = here
    return links, done


def view(hide: Sequence[str]) -> list[str]:
    """Return bubblewrap's options for what can be seen, all of it read-only; `hide` as `hidden` gives it.

    Everything is mounted once, where it lies; other ways to it are links there, too, so that a cover covers them all.
    """
    links: dict[str, str] = {}
    seen = set()
    for path in [*_SYSTEM, *python_folders()]:
        if os.path.exists(path):
            on_the_way, real = _links(path)
            links |= on_the_way
            seen.add(real)
    covers = [os.path.realpath(os.path.join(folder, "attnlab")) for folder in _package_folders()]
    # A cover is an empty folder over one that would be seen; what is needed below it is mounted after it.
    covered = {
        path for path in (*hide, *covers) if os.path.isdir(path) and any(_inside(path, one) for one in seen - {path})
    }
    options: list[str] = []
    done: dict[str, bool] = {"/": False}
    for path in sorted(seen | covered, key=lambda one: (one.count("/"), one)):
        shown = path not in covered
        nearest = max((one for one in done if _inside(path, one)), key=len)
        if done[nearest] == shown:
            continue
        done[path] = shown
        if shown:
            options += [*_parents(path), "--ro-bind", path, path]
        else:
            options += ["--perms", "0755", "--tmpfs", path]
    for path, target in links.items():
        nearest = max((one for one in done if _inside(path, one)), key=len)
        if not done[nearest]:
            options += [*_parents(path), "--symlink", target, path]
    if not done.get("/tmp") and not any(_inside(path, "/tmp") for path in (*done, *links)):
        options += ["--symlink", jail.TMP, "/tmp"]
    for path, shown in done.items():
        if not shown and path != "/":
            options += ["--remount-ro", path]
    return options


def _parents(path: str) -> list[str]:
    """Return options that make the folders above `path`: bubblewrap's own would be for its user alone."""
    above = [str(folder) for folder in reversed(Path(path).parents) if str(folder) != "/"]
    return [option for folder in above for option in ("--perms", "0755", "--dir", folder)]


def command(runs: str, hide: Sequence[str], program: Sequence[str]) -> list[str]:
    """Return the command that runs Python with the arguments `program` behind the walls.

    runs: the folder that holds one folder for each kernel's sockets.
    """
    bwrap = shutil.which("bwrap") or "bwrap"
    line = [bwrap, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() != 0:
        line.append("--unshare-user")
    line += ["--new-session", "--clearenv"]
    for right in _RIGHTS:
        line += ["--cap-add", right]
    away = [folder for folder in _package_folders() if not any(_inside(folder, prefix) for prefix in site.PREFIXES)]
    variables = environment() | {
        "PYTHONPATH": ":".join([jail.COURSE, *away]),
        "PYTHONSAFEPATH": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    for name, value in variables.items():
        line += ["--setenv", name, value]
    line += [*view(hide), "--proc", "/proc", "--perms", "0755", "--dir", "/dev"]
    for device in _DEVICES:
        line += ["--dev-bind-try", device, device]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        line += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    for folder in ("/dev/shm", "/attnlab", jail.COURSE, jail.COURSE + "/attnlab", jail.SOCKETS):
        line += ["--perms", "0755", "--dir", folder]
    line += ["--perms", "0755", "--tmpfs", jail.SCRATCH, "--bind", runs, jail.RUNS]
    package = Path(attnlab.__file__).resolve().parent
    for part in _COURSE:
        if (package / part).exists():
            line += ["--ro-bind", str(package / part), f"{jail.COURSE}/attnlab/{part}"]
    return [*line, "--remount-ro", "/", "--chdir", "/", "--", sys.executable, *program]


def spare_uid(number: int) -> int | None:
    """Return a user that nobody on this machine is, for this process's kernel `number`; None for an ordinary user."""
    if os.geteuid() != 0:
        return None
    with open("/proc/self/uid_map", encoding="ascii") as lines:
        top = max(int(line.split()[0]) + int(line.split()[2]) for line in lines)
    top = min(top, 1 << 30)
    # One each, as far as there are enough: the system counts processes by user.
    return top - 2 - (os.getpid() << 4 | number & 15) % min(top // 2, 1 << 28)


@functools.cache
def why_not() -> str | None:
    """Return None where walls can be had, otherwise one line that says what is missing and how to get it."""
    if not sys.platform.startswith("linux"):
        return "walls around learners' code need Linux with bubblewrap (on Windows: inside WSL 2)"
    if shutil.which("bwrap") is None:
        return f"walls around learners' code need bubblewrap: {HINT}"
    with tempfile.TemporaryDirectory(prefix="attnlab-probe-") as runs:
        os.mkdir(os.path.join(runs, "probe"))
        program = ["-c", f"from attnlab.inside import jail; jail.probe({spare_uid(0)})"]
        try:
            done = subprocess.run(
                command(runs, hidden(), program),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not run: {error}"
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
    if "Unknown option" in done.stderr:
        return f"bubblewrap is too old, 0.5 or newer is needed: {said[0]}"
    return f"bubblewrap cannot build walls here ({said[-1].removeprefix('bwrap: ')}); {_remedy()}"


def _remedy() -> str:
    """Return what lets bubblewrap do its work on this machine, as far as the machine shows what forbids it."""
    for switch, forbidding, allowing in (
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("user.max_user_namespaces", "0", "10000"),
    ):
        with contextlib.suppress(OSError):
            if Path("/proc/sys", switch.replace(".", "/")).read_text(encoding="ascii").strip() == forbidding:
                return f"allow it: sudo sysctl -w {switch}={allowing}"
    if os.geteuid() == 0:
        return "in a container, start it with the rights to make namespaces (docker run --privileged)"
    return "the system forbids namespaces, or others cannot read this Python"
