import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="no make on this system")


@pytest.fixture
def course(tmp_path):
    """A copy of the Makefile in a folder with a space, and a PATH of its own, without a Python."""
    root = tmp_path / "a course"
    (root / "attnlab").mkdir(parents=True)
    shutil.copy(TOP / "Makefile", root)
    for name in ("pyproject.toml", "requirements.txt"):
        (root / name).touch()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "find", "rm", "touch", "mkdir", "cat", "make", "echo", "chmod"):
        (tools / name).symlink_to(shutil.which(name))
    return root


def program(course, name, text):
    file = course.parent / "tools" / name
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def make(course, *arguments):
    # Nothing of the `make test` that may be running this.
    environment = {"PATH": str(course.parent / "tools"), "LANG": "C"}
    return subprocess.run(["make", *arguments], cwd=course, env=environment, capture_output=True, text=True)


def test_the_default_prints_the_targets_and_makes_nothing(course):
    done = make(course)
    assert done.returncode == 0
    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        "lab", "lab-en", "demo", "test", "truth", "bench", "build", "check",
    ]  # fmt: skip
    assert not (course / ".venv").exists()


def test_without_a_python_that_fits_is_one_line(course):
    program(course, "python3", "exit 1")  # too old: what the version test answers
    done = make(course, "lab")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith("No Python 3.11, 3.12 or 3.13 here")


def test_a_python_that_makes_no_environment_leaves_none_half_made(course):
    # Debian's python3 without python3-venv makes the folder, then fails.
    program(
        course,
        "python3",
        'case "$1 $2" in "-m venv") mkdir -p .venv/bin; echo "ensurepip is not available"; exit 1;; esac',
    )
    done = make(course, "lab")
    assert done.returncode == 2
    assert "sudo apt install python3-venv" in done.stderr.splitlines()[0]
    assert "ensurepip" not in done.stdout + done.stderr
    assert not (course / ".venv").exists()


def test_the_next_python_is_tried_and_its_tools_come_first_on_the_path(course):
    # An environment whose pip notes what it installs, and whose attnlab shows what it was called with.
    program(course, "python3", 'case "$1" in -m) exit 1;; esac')
    program(
        course,
        "python3.12",
        'case "$1" in -m) mkdir -p .venv/bin; for name in python attnlab; do '
        'printf \'#!/bin/sh\\necho "$0 $*" >> calls\\necho "$PATH" > path\\n\' > .venv/bin/$name; '
        "chmod +x .venv/bin/$name; done;; esac",
    )
    done = make(course, "lab-en", "ARGS=--no-browser")
    assert done.returncode == 0, done.stderr
    calls = (course / "calls").read_text(encoding="utf-8").splitlines()
    assert any("pip install" in call and "-r requirements.txt" in call for call in calls)
    assert calls[-1] == ".venv/bin/attnlab lab --language en --no-browser"
    assert (course / "path").read_text(encoding="utf-8").startswith(f"{course}/.venv/bin:")

    make(course, "lab")
    again = (course / "calls").read_text(encoding="utf-8").splitlines()[len(calls) :]
    assert again == [".venv/bin/attnlab lab"]  # nothing has changed: nothing is installed
