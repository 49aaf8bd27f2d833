"""Build `release/` and `notebooks/`, in every language, from `source/`."""

import filecmp
import shutil
import tempfile
from pathlib import Path

from nbformat import NotebookNode
from rich.console import Console
from rich.progress import Progress

from attnlab.course import LANGUAGES, Lesson
from attnlab.problem import Problem
from attnlab.teach import solved
from attnlab.teach.grader import release_grader, succeed
from attnlab.teach.notebooks import write
from attnlab.teach.sources import read_sources


def build(root: Path, *, check: bool = False, console: Console | None = None) -> None:
    """Make both folders, or with `check` only compare; Problem where something is wrong, and then nothing is written.

    Everything is made in a temporary folder first and laid in place at the end, file by file, where it differs.
    """
    console = console or Console()
    sources = read_sources(root)
    with tempfile.TemporaryDirectory(prefix="attnlab-build-") as folder:
        made = Path(folder)
        with Progress(console=console, transient=True) as progress:
            task = progress.add_task("build", total=2 * len(LANGUAGES) * len(sources))
            for language in LANGUAGES:
                api = release_grader(root, made, language)
                for lesson, source in sources.items():
                    progress.update(task, description=f"release/{language}/{lesson.name}")
                    result = api.generate_assignment(lesson.name, force=True, create=True)
                    succeed(result, f"source/{lesson.name}: nbgrader could not make the release")
                    progress.advance(task)
                    progress.update(task, description=f"notebooks/{language}/{lesson.name}")
                    _read(root, made, lesson, source, language, check)
                    progress.advance(task)
        different = _differences(root, made)
        if check:
            if different:
                raise Problem(*(f"{name}: not what source/ gives; run `attnlab build`" for name in different))
            console.print(f"release/ and notebooks/ are what source/ gives ({len(sources)} lessons)")
            return
        for name in different:
            _lay(root, made, name)
            console.print(f"wrote {name}" if (root / name).exists() else f"removed {name}")
        console.print(f"{len(sources)} lessons in {len(LANGUAGES)} languages, {len(different)} files changed")


def _read(root: Path, made: Path, lesson: Lesson, source: NotebookNode, language: str, check: bool) -> None:
    """Make one notebook to read; one that is current is taken over, and with `check` nothing is executed."""
    name = f"notebooks/{language}/{lesson.name}.ipynb"
    notebook = solved.solved(source, language)
    target = made / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if solved.is_current(root / name, notebook):
        shutil.copyfile(root / name, target)
    elif not check:
        solved.execute(notebook, name, root)
        write(notebook, target)
    else:
        target.touch()  # differs from whatever stands there


def _differences(root: Path, made: Path) -> list[str]:
    names = {
        path.relative_to(base).as_posix()
        for base in (root, made)
        for top in ("release", "notebooks")
        for path in (base / top).rglob("*")
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }
    return sorted(
        name
        for name in names
        if not ((root / name).is_file() and (made / name).is_file())
        or not filecmp.cmp(root / name, made / name, shallow=False)
    )


def _lay(root: Path, made: Path, name: str) -> None:
    if (made / name).is_file():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made / name, root / name)
    else:
        (root / name).unlink()
