"""Make the stored maps anew from the small real model: `python -m attnlab.teach.maps`, in the course's folder.

The lessons' own cells are run with the model loaded, those whose id begins with `real-` and the solutions that they
use; whatever they ask of the model is stored. So the prompts stand in the lessons alone.
"""

import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from attnlab.course import DEFAULT_LANGUAGE
from attnlab.folder import course_root
from attnlab.learn import real_model
from attnlab.learn.real_model.files import packaged
from attnlab.learn.real_model.live import Live
from attnlab.learn.real_model.stored import FILE, pack
from attnlab.problem import Problem
from attnlab.teach import solved
from attnlab.teach.sources import read_sources

LESSONS = ("05_scaling_experiment", "06_audit_lens")


def make(root: Path, target: Path) -> int:
    """Write the stored file to `target`, return its size in bytes; Problem where the model isn't installed."""
    matplotlib.use("agg")
    live = Live(packaged())
    kept = real_model.open
    real_model.open = lambda *_: live
    try:
        for lesson, source in read_sources(root).items():
            if lesson.name in LESSONS:
                _run(solved.solved(source, DEFAULT_LANGUAGE), set(lesson.exercises))
    finally:
        real_model.open = kept
    arrays = pack(live.name, list(live.looks.values()), live.asked, live.insides)
    with target.open("wb") as file:
        np.savez_compressed(file, **arrays)
    return target.stat().st_size


def _run(notebook: Any, exercises: set[str]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in notebook.cells:
        wanted = cell.id == "setup" or cell.id in exercises or cell.id.startswith("real-")
        if cell.cell_type == "code" and wanted:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.source, cell.id, "exec"), names)


def main() -> int:
    """Make the file in the package's folder."""
    os.environ.pop("NBGRADER_EXECUTION", None)
    root = course_root()
    target = root / "attnlab" / "learn" / "real_model" / FILE
    try:
        size = make(root, target)
    except Problem as problem:
        print(*problem.lines, sep="\n", file=sys.stderr)
        return 1
    print(f"wrote {target.relative_to(root).as_posix()}, {size // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
