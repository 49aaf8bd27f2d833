"""Find the course's top folder and the places in it, as nbgrader_config.py lays them out."""

from pathlib import Path

from attnlab.problem import Problem

CONFIG = "nbgrader_config.py"


def course_root(start: Path | None = None) -> Path:
    """Return the nearest folder, from `start` (here) upwards, that holds nbgrader_config.py; Problem if none."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise Problem(f"{start}: no {CONFIG} here or in a folder above; run this inside the course's top folder")
