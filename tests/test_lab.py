import subprocess
import sys

import pytest

from attnlab import lab
from attnlab.problem import Problem


@pytest.fixture
def course(tmp_path):
    """A course folder, with a space in its name, of two lessons in each language."""
    root = tmp_path / "a course"
    for language in ("zh", "en"):
        for lesson in ("01_simplified_attention", "02_self_attention"):
            folder = root / "release" / language / lesson
            folder.mkdir(parents=True)
            (folder / f"{lesson}.ipynb").write_text(f"{language} {lesson}", encoding="utf-8")
    return root


def contents(folder):
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_lays_every_released_file_of_the_language_and_says_so(course, capsys):
    (course / "release/zh/01_simplified_attention/data").mkdir()
    (course / "release/zh/01_simplified_attention/data/tokens.csv").write_text("a,b", encoding="utf-8")
    lab.lay(course, "zh")
    assert contents(course / "work/zh") == contents(course / "release/zh")
    assert not (course / "work/en").exists()
    said = capsys.readouterr().out
    assert "work/zh/01_simplified_attention/data/tokens.csv: new" in said.splitlines()
    assert said.count(": new") == 3


def test_leaves_what_a_learner_has_and_adds_only_what_is_missing(course, capsys):
    mine = course / "work/zh/01_simplified_attention/01_simplified_attention.ipynb"
    mine.parent.mkdir(parents=True)
    mine.write_text("my own work", encoding="utf-8")
    laid, left = lab.lay(course, "zh")
    assert mine.read_text(encoding="utf-8") == "my own work"
    assert [path.name for path in laid] == ["02_self_attention.ipynb"]
    assert [path.name for path in left] == ["01_simplified_attention.ipynb"]
    assert f"{mine.relative_to(course).as_posix()}: yours, left as it is" in capsys.readouterr().out


def test_a_second_start_changes_nothing(course):
    lab.lay(course, "en")
    before = contents(course / "work")
    laid, _ = lab.lay(course, "en")
    assert (laid, contents(course / "work")) == ([], before)


def test_leaves_a_link_that_leads_nowhere(course):
    link = course / "work/zh/01_simplified_attention/01_simplified_attention.ipynb"
    link.parent.mkdir(parents=True)
    try:
        link.symlink_to(course / "elsewhere.ipynb")
    except OSError:
        pytest.skip("no links on this system")
    lab.lay(course, "zh")
    assert link.is_symlink()
    assert not (course / "elsewhere.ipynb").exists()


def test_does_not_lay_what_editors_hide_in_the_release(course):
    hidden = course / "release/zh/01_simplified_attention/.ipynb_checkpoints"
    hidden.mkdir()
    (hidden / "01_simplified_attention-checkpoint.ipynb").write_text("old", encoding="utf-8")
    lab.lay(course, "zh")
    assert not any(".ipynb_checkpoints" in name for name in contents(course / "work"))


def test_a_copy_that_breaks_off_leaves_no_half_notebook(course, monkeypatch):
    def full(source, target):
        target.write(source.read(3))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lab.shutil, "copyfileobj", full)
    with pytest.raises(Problem, match=r"^work/zh/.*\.ipynb: cannot be written \(No space left on device\)$"):
        lab.lay(course, "zh")
    assert contents(course / "work") == {}


@pytest.mark.parametrize(("language", "said"), [("zh", "release/zh: no lessons"), ("de", "--language de")])
def test_missing_lessons_and_unknown_languages_are_one_clear_line(tmp_path, language, said):
    with pytest.raises(Problem, match=said) as problem:
        lab.open_lab(tmp_path, language=language)
    assert len(problem.value.lines) == 1
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("instructor", [False, True])
def test_the_second_port_is_off_whoever_starts(course, instructor):
    line = lab.command(course, language="zh", instructor=instructor)
    assert line[:3] == [sys.executable, "-m", "jupyterlab"]
    assert "--ServerApp.jpserver_extensions=jupyter_server_mcp=False" in line


def test_a_learner_starts_on_lesson_one_of_the_language_without_the_instructors_tools(course):
    lab.lay(course, "en")
    own = course / "work" / "en" / "00_notes" / "00_notes.ipynb"
    own.parent.mkdir()
    own.touch()
    line = lab.command(course, language="en")
    assert f"--ServerApp.root_dir={course / 'work' / 'en'}" in line
    assert "--LabApp.default_url=/lab/tree/01_simplified_attention/01_simplified_attention.ipynb" in line
    assert "--ServerApp.jpserver_extensions=nbgrader.server_extensions.formgrader=False" in line
    assert not any("validate_assignment" in part for part in line)


def test_an_instructor_starts_on_the_whole_course_with_formgrader(course):
    line = lab.command(course, language="zh", instructor=True)
    assert f"--ServerApp.root_dir={course}" in line
    assert not any("formgrader" in part for part in line)


def test_what_the_user_adds_comes_last(course):
    assert lab.command(course, language="zh", extra=["--port", "9000"])[-2:] == ["--port", "9000"]


def test_the_lab_ends_with_jupyters_own_status_from_the_top_folder(course, monkeypatch, capfd):
    program = "import os, sys; print(os.getcwd()); sys.exit(7)"
    monkeypatch.setattr(lab, "command", lambda *_, **__: [sys.executable, "-c", program])
    assert lab.open_lab(course, language="zh") == 7
    assert capfd.readouterr().out.splitlines()[-1] == str(course)


def test_ctrl_c_is_left_to_jupyterlab(course, monkeypatch):
    class Interrupted(subprocess.Popen):
        times = 2

        def wait(self, timeout=None):
            if Interrupted.times:
                Interrupted.times -= 1
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(lab.subprocess, "Popen", Interrupted)
    monkeypatch.setattr(lab, "command", lambda *_, **__: [sys.executable, "-c", "raise SystemExit(3)"])
    assert lab.open_lab(course, language="zh") == 3
