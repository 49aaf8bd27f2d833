"""Look an installation over: what is as it should be, what is not, and how to mend it, in plain words."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from packaging.version import Version
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from attnlab.course import LANGUAGES
from attnlab.folder import CONFIG, course_root
from attnlab.problem import Problem

_KERNEL_SECONDS = 120
_STYLES = {"ok": "green", "note": "yellow", "problem": "bold red"}


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    state: Literal["ok", "note", "problem"]
    """A note may well be meant; a problem keeps something of the course from working."""
    what: str
    """What was looked at, in a few words."""
    found: str
    """What it is like."""
    mend: str = ""
    """What to type or do; empty where all is well."""


def examine(start: Path, console: Console | None = None) -> int:
    """Run all checks from the folder `start`, print what they find; return 0 without a problem, else 1."""
    console = console or Console()
    findings: list[Finding] = []
    with Progress(
        SpinnerColumn("line"),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("")
        for what, check in _checks(start):
            bar.update(task, description=what)
            findings.extend(_safely(what, check))
    console.print(table(findings))
    if to_mend := [finding for finding in findings if finding.mend]:
        console.print("How to mend it, from the top down:", style="bold")
    for number, finding in enumerate(to_mend, start=1):
        # Neither cut nor wrapped: a command is there to be copied.
        console.print(Text(f"{number}. {finding.what} ({finding.state})\n   {finding.mend}"), soft_wrap=True)
    if any(finding.state == "problem" for finding in findings):
        return 1
    console.print("All is well.", style="green")
    return 0


def _checks(start: Path) -> list[tuple[str, Callable[[], Iterable[Finding]]]]:
    try:
        root: Path | None = course_root(start)
    except Problem:
        root = None
    anywhere: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("Python", python),
        ("the course's folder", partial(folder, root, start)),
        ("packages", partial(packages, root)),
        ("torch computes", torch),
        ("a notebook's kernel", kernel),
        ("nbgrader's Validate button", buttons),
        ("jupyter-ai's unprotected port", port),
        ("alembic, for the gradebook", alembic),
        ("walls, for grading", walls),
        ("a local model", model),
    ]
    if root is None:
        return anywhere
    return [
        *anywhere,
        (CONFIG, partial(configuration, root)),
        ("the exchange folder", partial(exchange, root)),
        ("lessons in release/", partial(lessons, root)),
        ("your work/ folder", partial(work, root)),
    ]


def table(findings: Iterable[Finding]) -> Table:
    """Return the findings as a table: state, check, what was found."""
    drawn = Table("", "check")
    drawn.add_column("found", overflow="fold")
    for finding in findings:
        # Text, not str: a path such as [zh] must not be read as a style.
        state = Text(finding.state, style=_STYLES[finding.state])
        drawn.add_row(state, Text(finding.what), Text(finding.found))
    return drawn


def _safely(what: str, check: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """Run a check; one that breaks in a broken installation is a finding too."""
    try:
        return list(check())
    except Exception as problem:
        return [Finding("problem", what, _last_line(problem), _install())]


def _last_line(problem: BaseException) -> str:
    said = str(problem).strip().splitlines()
    return f"{type(problem).__name__}: {said[-1][:200]}" if said else type(problem).__name__


def _install(what: str = "-r requirements.txt") -> str:
    """Return the command that installs `what` into this very Python, whatever `python` means here."""
    program = Path(sys.executable)
    if program.is_relative_to(Path.cwd()):
        program = program.relative_to(Path.cwd())
    quoted = f'"{program}"' if " " in str(program) else str(program)
    return f"{quoted} -m pip install {what}"


def python() -> Iterable[Finding]:
    """Python."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        yield Finding("ok", "Python", f"{version}, {sys.executable}")
    else:
        yield Finding("problem", "Python", version, "make the environment with Python 3.11, 3.12 or 3.13")


def folder(root: Path | None, start: Path) -> Iterable[Finding]:
    """Tell whether the course was found."""
    what = "the course's folder"
    if root:
        yield Finding("ok", what, str(root))
    else:
        mend = "go to the folder that you downloaded or cloned (cd ...), then again: attnlab doctor"
        yield Finding("problem", what, f"no {CONFIG} in {start} or above it", mend)


def pins(root: Path | None) -> dict[str, str | None]:
    """Return the packages that the course needs, with the versions in requirements.txt if that is here."""
    file = root / "requirements.txt" if root else None
    if file and file.is_file():
        lines = file.read_text(encoding="utf-8").splitlines()
        pinned = (re.match(r"\s*([A-Za-z0-9._-]+)\s*==\s*([^\s;#]+)", line) for line in lines)
        return {found[1]: found[2] for found in pinned if found}
    try:
        needed = importlib.metadata.requires("attnlab") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    return {re.split(r"[^A-Za-z0-9._-]", line)[0]: None for line in needed if "extra ==" not in line}


def packages(root: Path | None) -> Iterable[Finding]:
    """Compare what is installed with what is pinned."""
    well = []
    for name, wanted in {**pins(root), "attnlab": None}.items():
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding("problem", name, "not installed", _install())
            continue
        # torch's own builds add to the number, as in 2.13.0+cpu.
        if wanted and Version(version).public != Version(wanted).public:
            yield Finding("problem", name, f"version {version}, the course needs {wanted}", _install())
        else:
            well.append(f"{name} {version}")
    if well:
        yield Finding("ok", "packages", ", ".join(well))


def torch() -> Iterable[Finding]:
    """Torch."""
    # In a process of its own: a torch that does not fit the processor ends it without a word.
    done = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.tensor([3.0, 4.0]).norm().item())"],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=tempfile.gettempdir(),
    )
    if done.returncode == 0 and done.stdout.strip() == "5.0":
        yield Finding("ok", "torch computes", "√(3² + 4²) = 5")
        return
    said = done.stderr.strip().splitlines()
    mend = _install("--force-reinstall --no-deps torch==" + importlib.metadata.version("torch"))
    if os.name == "nt":
        mend += "; if it names a DLL, install Microsoft's Visual C++ Redistributable (x64) first"
    yield Finding("problem", "torch computes", said[-1] if said else f"ended with {done.returncode}", mend)


def kernel() -> Iterable[Finding]:
    """A notebook's kernel."""
    from jupyter_client.manager import start_new_kernel

    what = "a notebook's kernel"
    where: list[str] = []

    def listen(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream" and message["content"]["name"] == "stdout":
            where.append(message["content"]["text"])

    # Elsewhere than in the course's folder, where a copy of the package that isn't installed would be found.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as elsewhere:
        try:
            manager, client = start_new_kernel(
                startup_timeout=_KERNEL_SECONDS, kernel_name="python3", cwd=elsewhere,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except Exception as problem:
            mend = _install("--force-reinstall --no-deps ipykernel")
            yield Finding("problem", what, f"does not start: {_last_line(problem)}", mend)
            return
        try:
            code = "import sys, torch, attnlab.learn; print(1 + 1, sys.prefix)"
            reply = client.execute_interactive(code, timeout=_KERNEL_SECONDS, output_hook=listen)["content"]
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    answer, _, prefix = "".join(where).strip().partition(" ")
    if reply["status"] != "ok":
        error = f"{reply.get('ename', reply['status'])}: {reply.get('evalue', '')}".splitlines()[0]
        yield Finding("problem", what, f"starts, but: {error}", _install())
    elif Path(prefix).resolve() != Path(sys.prefix).resolve():
        yield Finding(
            "problem",
            what,
            f"starts another Python, in {prefix}",
            "jupyter kernelspec remove python3, then start again",
        )
    else:
        yield Finding("ok", what, f"starts, imports torch and the course, 1 + 1 = {answer}")


def buttons() -> Iterable[Finding]:
    """nbgrader in JupyterLab."""
    from jupyter_core.paths import jupyter_path
    from jupyterlab_server.config import get_federated_extensions, get_static_page_config

    what = "nbgrader's Validate button"
    name = "@jupyter/nbgrader"
    found = get_federated_extensions(jupyter_path("labextensions")).get(name)
    disabled = get_static_page_config().get("disabledExtensions", {})
    wanted = importlib.metadata.version("nbgrader")
    again = _install("--force-reinstall --no-deps nbgrader==" + wanted)
    server = "nbgrader.server_extensions.validate_assignment"
    if not found:
        yield Finding("problem", what, "JupyterLab does not have its part of nbgrader", again)
    elif found["version"] != wanted:
        mend = f"jupyter labextension list says where the old one lies; remove it, then {again}"
        yield Finding("problem", what, f"JupyterLab finds version {found['version']}, nbgrader is {wanted}", mend)
    elif disabled.get(name) or disabled.get(f"{name}:validate-assignment"):
        yield Finding("problem", what, "switched off", f"jupyter labextension enable {name}")
    elif not _server_parts().get(server):
        yield Finding("problem", what, "its part in the server is off", f"jupyter server extension enable {server}")
    else:
        yield Finding("ok", what, f"in JupyterLab, version {wanted}")


def _server_parts() -> dict[str, bool]:
    """Return the server extensions that a plain `jupyter lab` turns on (True) or off."""
    from jupyter_core.paths import jupyter_config_path
    from jupyter_server.extension.config import ExtensionConfigManager

    return dict(ExtensionConfigManager(read_config_path=jupyter_config_path()).get_jpserver_extensions())


def port() -> Iterable[Finding]:
    """jupyter-ai's port."""
    what = "jupyter-ai's unprotected port"
    if _server_parts().get("jupyter_server_mcp"):
        yield Finding(
            "problem",
            what,
            "open to everybody on this machine if you start `jupyter lab` by itself, not with `attnlab lab`",
            _install("--force-reinstall --no-deps .")
            + " (without -e); if it stays: jupyter server extension disable jupyter_server_mcp",
        )
    else:
        yield Finding("ok", what, "shut")


def alembic() -> Iterable[Finding]:
    """alembic, which nbgrader calls."""
    what = "alembic, for the gradebook"
    scripts = sysconfig.get_path("scripts")
    if not shutil.which("alembic", path=scripts):
        yield Finding("problem", what, f"not in {scripts}", _install("--force-reinstall --no-deps alembic"))
    else:
        yield Finding("ok", what, "there")


def walls() -> Iterable[Finding]:
    """The walls behind which learners' notebooks are graded, attacked one by one."""
    from attnlab.grade.walls import attack, shut_down, why_not

    what = "walls, for grading"
    if reason := why_not():
        _, _, mend = reason.partition(": ")
        yield Finding("note", what, f"{reason}; nothing to do for learners", mend)
        return
    try:
        with attack.bait() as outside:
            for one in attack.ATTACKS:
                through = attack.attempt(one, outside)
                if through is None:
                    yield Finding("ok", f"wall: {one.wall}", "holds")
                else:
                    mend = "grade nobody's work on this machine until this holds"
                    yield Finding("problem", f"wall: {one.wall}", f"does not hold: {through}", mend)
    finally:
        shut_down()


def model() -> Iterable[Finding]:
    """A model on this machine that the lessons' %%ai cells can ask; nobody has to have one."""
    from attnlab.llm.endpoint import search

    found = search().endpoint
    if found:
        yield Finding("ok", "a local model", f"{found.model} at {found.url}")
    else:
        yield Finding("note", "a local model", "none answers", "only for the %%ai cells: attnlab llm")


def configuration(root: Path) -> Iterable[Finding]:
    """The instructor's configuration."""
    try:
        _configuration(root)
    except Exception as problem:
        yield Finding(
            "problem",
            CONFIG,
            _last_line(problem),
            f"mend that line of {CONFIG}, or take the course's own again",
        )
    else:
        yield Finding("ok", CONFIG, "can be read")


def _configuration(root: Path) -> Any:
    from traitlets.config import PyFileConfigLoader

    return PyFileConfigLoader(CONFIG, path=str(root)).load_config()


def exchange(root: Path) -> Iterable[Finding]:
    """The exchange folder."""
    what = "the exchange folder"
    if os.name == "nt":
        yield Finding(
            "note",
            what,
            "nbgrader has none on Windows",
            "collect notebooks by hand; nothing to do for learners",
        )
        return
    try:
        named = _configuration(root).Exchange.root
    except Exception:
        return  # said by `configuration`
    path = Path(named) if isinstance(named, str) else Path("/usr/local/share/nbgrader/exchange")
    if path.is_dir() and os.access(path, os.W_OK | os.X_OK):
        yield Finding("ok", what, str(path))
    else:
        mend = f'only for handing out and in on one machine: mkdir -p "{path}"; chmod 777 "{path}"'
        yield Finding("note", what, f"{path}: missing, or not to be written in", mend)


def lessons(root: Path) -> Iterable[Finding]:
    """The lessons in both languages."""
    released = {
        language: {file.parent.name for file in (root / "release" / language).glob("*/*.ipynb")}
        for language in LANGUAGES
    }
    everything = sorted(set().union(*released.values()))
    missing = [f"{one} ({language})" for language in LANGUAGES for one in everything if one not in released[language]]
    if not everything:
        yield Finding("problem", "lessons in release/", "none", "attnlab build, or download the whole course again")
    elif missing:
        mend = "attnlab build, or download the whole course again"
        yield Finding("problem", "lessons in release/", "missing: " + ", ".join(missing), mend)
    else:
        yield Finding("ok", "lessons in release/", f"{len(everything)}, in {' and '.join(LANGUAGES)}")


def work(root: Path) -> Iterable[Finding]:
    """The learner's folder."""
    place = root / "work" if (root / "work").is_dir() else root
    try:
        with tempfile.NamedTemporaryFile(dir=place):
            pass
    except OSError as problem:
        mend = "move the course to a folder of your own, as in Documents, or free the disk"
        yield Finding("problem", "your work/ folder", f"{place} can't be written in ({problem.strerror})", mend)
    else:
        yield Finding("ok", "your work/ folder", "can be written in")
