import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from attnlab import doctor
from attnlab.doctor import Finding


@pytest.fixture
def course(tmp_path):
    """A course folder with one lesson in both languages."""
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\nc.Exchange.root = 'exchange'\n", encoding="utf-8")
    for language in ("zh", "en"):
        folder = tmp_path / "release" / language / "01_simplified_attention"
        folder.mkdir(parents=True)
        (folder / "01_simplified_attention.ipynb").touch()
    return tmp_path


def examine(monkeypatch, *findings):
    """Run the doctor on these findings; return its status and what it prints."""
    monkeypatch.setattr(doctor, "_checks", lambda start: [("a check", lambda: list(findings))])
    console = Console(record=True, width=60)
    return doctor.examine(None, console), console.export_text()


def states(findings):
    return [finding.state for finding in findings]


def test_status_0_only_without_a_problem(monkeypatch):
    fine = Finding("ok", "torch", "works")
    assert examine(monkeypatch, fine)[0] == 0
    assert examine(monkeypatch, fine, Finding("note", "the exchange folder", "missing", "make it"))[0] == 0
    assert examine(monkeypatch, fine, Finding("problem", "torch", "missing", "install it"))[0] == 1


def test_a_mending_command_is_printed_whole_however_narrow_the_terminal(monkeypatch):
    command = "python -m pip install --force-reinstall --no-deps " + "torch==2.13.0" * 5
    _, said = examine(monkeypatch, Finding("problem", "torch", "missing [zh]", command))
    assert command in said
    assert "missing [zh]" in said


def test_a_check_that_breaks_is_a_problem_not_a_traceback():
    def broken():
        raise RuntimeError("first line\nno such library")

    (found,) = doctor._safely("the library", broken)
    assert (found.state, found.what, found.found) == (
        "problem",
        "the library",
        "RuntimeError: no such library",
    )
    assert "pip install -r requirements.txt" in found.mend


def test_outside_the_course_says_where_to_go(tmp_path):
    (found,) = doctor.folder(None, tmp_path)
    assert found.state == "problem"
    assert "cd " in found.mend


@pytest.mark.parametrize("version", [(3, 10, 0), (3, 14, 1)])
def test_a_python_that_does_not_fit(monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)
    assert states(doctor.python()) == ["problem"]


def test_pins_are_read_from_requirements(course):
    lines = "# torch==1\ntorch==2.13.0  # why\n\njupyter-ai==3.2.0\n.\n"
    (course / "requirements.txt").write_text(lines, encoding="utf-8")
    assert doctor.pins(course) == {"torch": "2.13.0", "jupyter-ai": "3.2.0"}


def test_a_package_that_is_missing_or_of_another_version(course, monkeypatch):
    (course / "requirements.txt").write_text("torch==2.13.0\nrich==15.0.0\ntyper==0.29.2\n", encoding="utf-8")
    installed = {"torch": "2.13.0+cpu", "rich": "14.0.0", "attnlab": "0.1.0"}

    def version(name):
        if name not in installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = {finding.what: finding for finding in doctor.packages(course)}
    assert found["rich"].found == "version 14.0.0, the course needs 15.0.0"
    assert found["typer"].found == "not installed"
    assert found["packages"].found == "torch 2.13.0+cpu, attnlab 0.1.0"


def test_a_torch_that_fails_is_told_with_its_own_last_line(monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "Traceback\nImportError: libgomp.so.1: cannot open\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    (found,) = doctor.torch()
    assert (found.state, found.found) == ("problem", "ImportError: libgomp.so.1: cannot open")


def test_torch_computes():
    assert states(doctor.torch()) == ["ok"]


@pytest.mark.parametrize(
    ("parts", "state"),
    [({"jupyter_server_mcp": True}, "problem"), ({"jupyter_server_mcp": False}, "ok"), ({}, "ok")],
)
def test_the_open_port_is_a_problem(monkeypatch, parts, state):
    monkeypatch.setattr(doctor, "_server_parts", lambda: parts)
    assert states(doctor.port()) == [state]


def test_the_validate_button_is_a_problem_where_its_server_part_is_off(monkeypatch):
    assert states(doctor.buttons()) == ["ok"]
    monkeypatch.setattr(doctor, "_server_parts", dict)
    assert states(doctor.buttons()) == ["problem"]


def test_alembic_is_looked_for_in_this_environment(monkeypatch, tmp_path):
    assert states(doctor.alembic()) == ["ok"]
    monkeypatch.setattr(doctor.sysconfig, "get_path", lambda name: str(tmp_path))
    assert states(doctor.alembic()) == ["problem"]


def test_a_configuration_that_cannot_be_read_names_its_error(course):
    assert states(doctor.configuration(course)) == ["ok"]
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.Exchange.root = sharde\n", encoding="utf-8")
    (found,) = doctor.configuration(course)
    assert (found.state, found.found) == ("problem", "NameError: name 'sharde' is not defined")


@pytest.mark.skipif(sys.platform == "win32", reason="nbgrader has no exchange there")
def test_a_missing_exchange_folder_is_only_a_note(course, monkeypatch):
    monkeypatch.chdir(course)
    assert states(doctor.exchange(course)) == ["note"]
    (course / "exchange").mkdir()
    assert states(doctor.exchange(course)) == ["ok"]


def test_a_lesson_that_one_language_lacks_is_named(course):
    assert states(doctor.lessons(course)) == ["ok"]
    (course / "release/en/01_simplified_attention/01_simplified_attention.ipynb").unlink()
    (found,) = doctor.lessons(course)
    assert (found.state, found.found) == ("problem", "missing: 01_simplified_attention (en)")


def test_the_work_folder_is_tried_without_leaving_anything(course):
    assert states(doctor.work(course)) == ["ok"]
    assert not (course / "work").exists()


@pytest.mark.slow
def test_a_kernel_starts_and_computes(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    (found,) = doctor.kernel()
    assert found.state == "ok", found
    assert found.found.endswith("1 + 1 = 2")
