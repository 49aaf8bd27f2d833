"""Lay the released lessons out for a learner, and start JupyterLab on them."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from attnlab.course import COURSE, LANGUAGES
from attnlab.problem import Problem

_SETTINGS = Path(__file__).parent / "lab_settings"
# Opens a second port, without a password, to whoever is on the machine; two JupyterLabs cannot share it.
_ALWAYS_OFF = ("jupyter_server_mcp",)
# For instructors, or for a shared exchange folder: buttons that lead a learner to error messages.
_OFF_FOR_LEARNERS = (
    "nbgrader.server_extensions.formgrader",
    "nbgrader.server_extensions.assignment_list",
    "nbgrader.server_extensions.course_list",
)


def open_lab(root: Path, *, language: str, instructor: bool = False, extra: Sequence[str] = ()) -> int:
    """Lay out the lessons, run JupyterLab until it is stopped, return its exit status.

    For an instructor nothing is laid out, and JupyterLab opens on the whole course. Problem where the
    language is unknown or the lessons are not there.
    """
    if not instructor:
        lay(root, language)
    return _run(command(root, language=language, instructor=instructor, extra=extra), root)


def lay(root: Path, language: str) -> tuple[list[Path], list[Path]]:
    """Copy each file of release/<language>/ that work/<language>/ lacks.

    Prints and returns what was laid and what was left alone, as paths relative to `root`. Problem where there
    are no lessons, or work/ cannot be written.
    """
    if language not in LANGUAGES:
        raise Problem(f"--language {language}: the lessons are written in {' and '.join(LANGUAGES)}")
    released = root / "release" / language
    files = sorted(_files(released))
    if not any(file.suffix == ".ipynb" for file in files):
        raise Problem(
            f"release/{language}: no lessons here; `attnlab build` makes them from source/, "
            "or get a whole copy of the course"
        )
    laid: list[Path] = []
    left: list[Path] = []
    for file in files:
        target = Path("work", language) / file.relative_to(released)
        try:
            (laid if _copy_new(file, root / target) else left).append(target)
        except OSError as problem:
            raise Problem(f"{target.as_posix()}: cannot be written ({problem.strerror})") from None
    for files_done, word in ((laid, "new"), (left, "yours, left as it is")):
        for target in files_done:
            print(f"{target.as_posix()}: {word}", flush=True)
    return laid, left


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder`, without what editors and systems hide in it."""
    for file in folder.rglob("*"):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file


def _copy_new(source: Path, target: Path) -> bool:
    """Copy, or return False where something of that name is there."""
    if os.path.lexists(target):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        copy = target.open("xb")
    except FileExistsError:
        return False
    try:
        with copy, source.open("rb") as original:
            shutil.copyfileobj(original, copy)
    except BaseException:
        target.unlink()  # half a notebook would stay for ever, as it counts as the learner's
        raise
    return True


def command(root: Path, *, language: str, instructor: bool = False, extra: Sequence[str] = ()) -> list[str]:
    """Return the command line that starts JupyterLab; what the user added comes last and wins."""
    off = _ALWAYS_OFF if instructor else _ALWAYS_OFF + _OFF_FOR_LEARNERS
    folder = root if instructor else root / "work" / language
    notebooks = [f"{lesson.name}/{lesson.name}.ipynb" for lesson in COURSE]
    first = next((name for name in notebooks if (folder / name).is_file()), None)
    return [
        sys.executable,
        "-m",
        "jupyterlab",
        *(f"--ServerApp.jpserver_extensions={name}=False" for name in off),
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url={f'/lab/tree/{first}' if first else '/lab'}",
        f"--LabApp.app_settings_dir={_SETTINGS / ('instructor' if instructor else 'learner')}",
        "--Application.log_level=WARN",  # a hundred lines of other people's news would hide the address
        *extra,
    ]


def _run(arguments: Sequence[str], root: Path) -> int:
    environment = dict(os.environ)
    # A part of jupyter-ai fetches a list of prices at every start, and waits long where there is no internet.
    environment.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    print("JupyterLab starts; Ctrl-C in this window stops it.", flush=True)
    # In the top folder, wherever the command was typed: nbgrader looks for its configuration where it runs.
    process = subprocess.Popen(arguments, cwd=root, env=environment)
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue  # the terminal has sent it to JupyterLab as well, which asks whether to stop
    finally:
        signal.signal(signal.SIGTERM, before)
