"""Whatever a learner hands in becomes one sound notebook, or one line that says what to do."""

import copy
import json
import os
from pathlib import Path

import nbformat
import pytest

from attnlab.grade import intake
from attnlab.grade.intake import grade_ids, printable, sound, take
from attnlab.problem import Problem
from tests.gradecells import ROOT

LESSON = "01_simplified_attention"
EXPECTED = f"{LESSON}.ipynb"
KNOWN = grade_ids(ROOT, LESSON)


def released(lesson: str = LESSON) -> dict:
    return json.loads((ROOT / "release" / "zh" / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8"))


def put(folder: Path, name: str, what: object) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(what if isinstance(what, bytes) else json.dumps(what).encode())
    return path


def test_an_ordinary_submission_is_taken_without_a_remark(tmp_path: Path) -> None:
    put(tmp_path, EXPECTED, released())
    put(tmp_path, "timestamp.txt", b"2026-11-30 00:00:00 UTC")
    put(tmp_path, f".ipynb_checkpoints/{EXPECTED}", b"{")
    taken = take(tmp_path, LESSON, KNOWN)
    assert taken.remarks == []
    assert [cell.source for cell in taken.notebook.cells] == ["".join(cell["source"]) for cell in released()["cells"]]
    assert len(taken.digest) == 64
    nbformat.validate(taken.notebook)


def test_a_renamed_notebook_is_found_by_its_cells(tmp_path: Path) -> None:
    put(tmp_path, "我的作业 ‮ (final)\n.IPYNB", released())
    taken = take(tmp_path, LESSON, KNOWN)
    assert len(taken.notebook.cells) == len(released()["cells"])
    (remark,) = taken.remarks
    assert "我的作业" in remark
    assert remark.isprintable()


def test_of_several_notebooks_the_one_with_most_of_the_lesson_counts(tmp_path: Path) -> None:
    few = released()
    few["cells"] = few["cells"][:9]
    put(tmp_path, EXPECTED, few)
    put(tmp_path, "b.ipynb", released())
    taken = take(tmp_path, LESSON, KNOWN)
    assert len(taken.notebook.cells) == len(released()["cells"])
    assert any("b.ipynb" in one and EXPECTED in one for one in taken.remarks)


def test_of_equals_the_expected_name_counts(tmp_path: Path) -> None:
    mine = released()
    mine["cells"][0]["source"] = "mine"
    put(tmp_path, "A.ipynb", released())
    put(tmp_path, EXPECTED, mine)
    assert take(tmp_path, LESSON, KNOWN).notebook.cells[0].source == "mine"


def test_a_folder_in_the_folder_is_looked_into(tmp_path: Path) -> None:
    put(tmp_path, f"{LESSON}/{EXPECTED}", released())
    assert take(tmp_path, LESSON, KNOWN).notebook.cells


def test_modules_and_hidden_files_are_named_and_ignored(tmp_path: Path) -> None:
    put(tmp_path, EXPECTED, released())
    for name in ("torch.py", ".bashrc", "sitecustomize.py", ".hidden.ipynb"):
        put(tmp_path, name, b"raise SystemExit")
    (remark,) = take(tmp_path, LESSON, KNOWN).remarks
    assert all(name in remark for name in ("torch.py", ".bashrc", "sitecustomize.py", ".hidden.ipynb"))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"cells": [', "is broken"),
        (json.dumps(released())[:-500].encode(), "is broken"),
        ("笔记".encode("gbk"), "not UTF-8"),
        (json.dumps(released()).encode("utf-16"), "not UTF-8"),
        (b"[1, 2]", "no notebook"),
        (b'{"a": 1}', "no notebook"),
        (b'{"cells": 3, "nbformat": 4}', "no notebook"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"cells": [], "nbformat": ' + b"9" * 5000 + b"}", "too long"),
        (b'{"cells": [' + b"1," * 3_000_000 + b"1]}", "too much"),
        ({**released(), "nbformat": 5}, "notebook format 5"),
        ({**released(), "nbformat": "4"}, "does not say its notebook format"),
        ({"worksheets": 7, "nbformat": 3}, "cannot be converted"),
        ({"cells": [{}] * 2001, "nbformat": 4}, "2001 cells"),
        (released("02_self_attention"), "notebook of 02_self_attention"),
        ({"cells": [7, {"cell_type": "x"}], "nbformat": 4}, "no cell that can be read"),
    ],
)
def test_what_cannot_be_graded_gets_one_line_that_names_the_file(tmp_path: Path, what: object, said: str) -> None:
    put(tmp_path, EXPECTED, what)
    with pytest.raises(Problem, match=said) as caught:
        take(tmp_path, LESSON, KNOWN)
    (line,) = caught.value.lines
    assert EXPECTED in line
    assert line.isprintable()


def test_a_folder_without_a_notebook_of_the_lesson_gets_a_line(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=f"ask for {EXPECTED}"):
        take(tmp_path, LESSON, KNOWN)
    put(tmp_path, "essay.ipynb", {"cells": [], "nbformat": 4, "metadata": {}})
    with pytest.raises(Problem, match=r"essay\.ipynb has no cell of"):
        take(tmp_path, LESSON, KNOWN)
    with pytest.raises(Problem, match="No such file"):
        take(tmp_path / "missing", LESSON, KNOWN)


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    with put(tmp_path, EXPECTED, b"").open("wb") as file:
        file.truncate(10_000_000_000)  # sparse
    with pytest.raises(Problem, match="10000 MB"):
        take(tmp_path, LESSON, KNOWN)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of Unix")
def test_links_pipes_and_folders_are_not_followed(tmp_path: Path) -> None:
    elsewhere = put(tmp_path, "elsewhere/secret.ipynb", released())
    folder = tmp_path / "handed_in"
    folder.mkdir()
    (folder / EXPECTED).symlink_to(elsewhere)
    with pytest.raises(Problem, match="symbolic link"):
        take(folder, LESSON, KNOWN)
    (folder / "in").symlink_to(elsewhere.parent)
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "folder.ipynb").mkdir()
    put(folder, "real.ipynb", released())
    taken = take(folder, LESSON, KNOWN)
    assert "real.ipynb was graded" in " ".join(taken.remarks)
    assert "pipe.ipynb is no file" in " ".join(taken.remarks)
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(Problem, match="symbolic link"):
        take(tmp_path / "link", LESSON, KNOWN)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is closed to root")
def test_a_file_that_is_closed_gets_a_line(tmp_path: Path) -> None:
    put(tmp_path, EXPECTED, released()).chmod(0)
    with pytest.raises(Problem, match="Permission denied"):
        take(tmp_path, LESSON, KNOWN)


def test_a_file_that_cannot_be_opened_gets_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, EXPECTED, released())

    def closed(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(intake.os, "open", closed)
    with pytest.raises(Problem, match="Permission denied"):
        take(tmp_path, LESSON, KNOWN)


def test_an_older_format_is_converted_and_a_newer_minor_one_read(tmp_path: Path) -> None:
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "metadata": {},
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "T", "metadata": {}},
                    {
                        "cell_type": "code",
                        "input": "x = 1",
                        "language": "python",
                        "outputs": [],
                        "metadata": {"nbgrader": {"grade_id": "softmax"}},
                    },
                ],
            }
        ],
    }
    put(tmp_path, EXPECTED, old)
    cells = take(tmp_path, LESSON, KNOWN).notebook.cells
    assert [cell.source for cell in cells] == ["## T", "x = 1"]
    put(tmp_path, EXPECTED, {**released(), "nbformat_minor": 9})
    assert len(take(tmp_path, LESSON, KNOWN).notebook.cells) == len(released()["cells"])
    put(tmp_path, EXPECTED, b"\xef\xbb\xbf" + json.dumps(released()).encode())
    assert take(tmp_path, LESSON, KNOWN).notebook.cells


def test_what_is_wrong_inside_cells_is_mended() -> None:
    raw = copy.deepcopy(released())
    cells = raw["cells"]
    raw["metadata"] = {"kernelspec": 5, "language_info": {"name": "x", "pygments_lexer": "../x"}}
    cells[2]["outputs"] = {"a": 1}
    cells[2]["execution_count"] = "x"
    cells[2]["metadata"] = [1]
    cells[3]["id"] = cells[2]["id"]
    cells[4]["id"] = "中文"
    cells[5]["source"] = ["a\n", 5]
    cells[6]["metadata"] = {"nbgrader": "x", "tags": ["skip-execution"]}
    cells[7]["source"] = "\ud800 half"
    cells[8]["attachments"] = {"a.png": {"image/png": "QUJD", "text/html": "<script>"}, "b": 7}
    cells[8]["cell_type"] = "markdown"
    cells.append({"cell_type": "code", "metadata": {"nbgrader": {"grade_id": [1], "points": float("nan")}}})
    notebook, remarks = sound(raw)
    nbformat.validate(notebook)
    json.dumps(notebook).encode()
    nbformat.writes(notebook).encode("utf-8")
    assert len(notebook.cells) == len(cells) - 1
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert len(remarks) == 2
    assert not [cell for cell in notebook.cells if "tags" in cell.metadata]
    assert {"a.png": {"image/png": "QUJD"}} in [cell.get("attachments") for cell in notebook.cells]
    assert notebook.cells[-1].metadata.nbgrader == {}
    assert notebook.metadata == {"language_info": {"name": "python"}}


def test_names_are_shown_on_one_line_that_does_nothing() -> None:
    shown = printable("a\nb\x1b[31m\u202e" + os.fsdecode(b"\xff") + "中" + "x" * 500)
    assert shown.isprintable()
    assert "中" in shown
    assert len(shown) < 150
