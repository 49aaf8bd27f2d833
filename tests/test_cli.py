import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

TOP = Path(__file__).parent.parent


def attnlab(*arguments, cwd, before="", **environment):
    """Run `python -m attnlab` in the folder `cwd`; `before` is Python that runs first."""
    program = (
        f"{before}\nimport runpy, sys\nsys.argv = ['attnlab', *{arguments!r}]\n"
        "runpy.run_module('attnlab', run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(TOP), "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def one_line(done):
    """What a run that failed said, which must be one line and no traceback."""
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_help_names_every_command(tmp_path):
    done = attnlab("--help", cwd=tmp_path)
    assert done.returncode == 0
    for command in ("lab", "build", "check", "grade", "demo", "doctor", "llm"):
        assert f" {command} " in done.stdout


def test_help_loads_nothing_heavy(tmp_path):
    report = "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules))"
    loaded = attnlab("--help", cwd=tmp_path, before=report).stdout.split("LOADED")[1].split()
    assert not {"torch", "nbgrader", "nbconvert", "jupyterlab", "matplotlib"} & set(loaded)


@pytest.mark.parametrize("command", ["lab", "build", "demo"])
def test_outside_a_course_folder_is_one_clear_line(tmp_path, command):
    assert "no nbgrader_config.py here" in one_line(attnlab(command, cwd=tmp_path))


@pytest.mark.parametrize(
    "encoding", [{"LANG": "C", "LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "cp936"}]
)
def test_a_terminal_that_lacks_characters_stops_nothing(tmp_path, encoding):
    folder = tmp_path / "课程 é"
    folder.mkdir()
    assert "nbgrader_config.py" in one_line(attnlab("lab", cwd=folder, **encoding))
    assert attnlab("--help", cwd=folder, **encoding).returncode == 0


def test_an_unknown_language_is_one_clear_line(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    assert "--language fr: the lessons are written in zh and en" in one_line(
        attnlab("lab", "--language", "fr", cwd=tmp_path)
    )


def test_jupyters_own_options_pass_through(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    caught = "import attnlab.lab; attnlab.lab.open_lab = lambda root, **rest: print(root.name, rest) or 5"
    done = attnlab("lab", "-l", "en", "--no-browser", "--port", "9000", cwd=tmp_path, before=caught)
    assert done.returncode == 5
    said = f"{tmp_path.name} " + "{'language': 'en', 'instructor': False, 'extra': ['--no-browser', '--port', '9000']}"
    assert done.stdout.strip() == said


@pytest.mark.parametrize("version", [(3, 10, 9), (3, 14, 0)])
def test_another_python_is_one_clear_line(tmp_path, version):
    before = f"import sys; sys.version_info = {version}"
    assert "attnlab needs Python 3.11, 3.12 or 3.13" in one_line(attnlab("--help", cwd=tmp_path, before=before))


def test_a_python_without_the_packages_is_one_clear_line(tmp_path):
    before = "import sys; sys.modules['typer'] = None"
    assert "pip install -r requirements.txt" in one_line(attnlab("--help", cwd=tmp_path, before=before))


def test_the_environments_own_programs_come_first_on_the_path(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    caught = "import os, attnlab.lab; attnlab.lab.open_lab = lambda *_, **__: print(os.environ['PATH']) or 0"
    done = attnlab("lab", cwd=tmp_path, before=caught)
    assert done.stdout.split(os.pathsep)[0] == sysconfig.get_path("scripts")
