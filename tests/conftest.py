"""What several test files share: copies of the course to run commands in."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.gradecells import ROOT

# As an activated environment has it: nbgrader calls alembic by its bare name.
os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return a fresh copy of the course's folder, without what an instructor's or a learner's work adds."""
    folder = tmp_path / "a course"  # a space in the path, as on many machines
    folder.mkdir()
    for name in ("source", "release"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    shutil.copyfile(ROOT / "nbgrader_config.py", folder / "nbgrader_config.py")
    return folder
