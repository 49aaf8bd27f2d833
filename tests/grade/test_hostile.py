"""A class of hostile and broken submissions with honest ones among them: nothing gained, nobody harmed."""

import hashlib
import os
import re
import secrets
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from attnlab.grade import NOT_RUN, walls
from attnlab.teach.notebooks import read
from tests.grade.hostile.corpus import CORPUS
from tests.grade.hostile.make import LESSON, POINTS, Entry, Places, hand_in, hand_in_honestly, unrun
from tests.grade.running import limits, make_course, nothing_left, scores, start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(walls.why_not() is not None, reason=f"hostile code is run behind walls only: {walls.why_not()}"),
]
NOBODY = 65534
# What a notebook of this lesson needs is a tenth of it, and the whole class ends in minutes.
SETTINGS = (
    "c.Isolated.timeout = 3",
    "c.Isolated.notebook_timeout = 30",
    "c.Isolated.most_output = 200_000",
    "c.Isolated.most_output_in_all = 500_000",
    limits(memory_mb=512, processes=48, scratch_mb=24, file_mb=8, cpu_seconds=40, wall_seconds=50),
)
# Of all kinds, and quick.
AS_A_USER = (
    "allclose",
    "reads",
    "proc",
    "writes",
    "sockets",
    "fork_bomb",
    "kills_others",
    "swallows",
    "link_folder",
    "a*b",
)


@dataclass
class Class:
    """A class that has been graded, and all that could be seen from outside while it was."""

    course: Path
    entries: tuple[Entry, ...]
    honest: dict[str, float]
    word: str
    status: int = 0
    said: str = ""
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)
    visits: list[str] = field(default_factory=list)

    def graded(self, name: str) -> Path:
        return self.course / "autograded" / name / LESSON / f"{LESSON}.ipynb"


def _seen(folder: Path) -> dict[str, str]:
    """Return every file below a folder with what is in it."""
    found = {}
    for place, folders, names in os.walk(folder):
        # What the one who grades has in HOME of its own: caches and settings of Jupyter and matplotlib.
        folders[:] = [name for name in folders if name not in (".cache", ".config", ".ipython", ".jupyter", ".local")]
        for name in (*folders, *names):
            path = Path(place) / name
            if path.is_symlink():
                found[str(path)] = os.readlink(path)
            elif path.is_file():
                with path.open("rb") as file:
                    found[str(path)] = hashlib.file_digest(file, "sha256").hexdigest()
            else:
                found[str(path)] = "no file"
    return found


def grade(folder: Path, entries: tuple[Entry, ...], user: int | None = None) -> Class:
    """Let these hand in, with honest learners among them, and grade the class by one command."""
    word = "word-of-graders-" + secrets.token_hex(16)
    home, other = folder / "home", folder / "other"
    for place in (home, other):
        place.mkdir()
        (place / "secret").write_text(word)
    course = make_course(folder / "the course", LESSON, *SETTINGS)
    submitted = course / "submitted"
    listening = socket.create_server(("127.0.0.1", 0))
    places = Places(str(home), str(course), str(other), str(listening.getsockname()[1]), str(os.getpid()), word)
    made = Class(course, entries, hand_in_honestly(submitted), word)
    for entry in entries:
        hand_in(entry, submitted, places)
    if user is not None:
        for place, folders, names in os.walk(folder):
            for name in (*folders, *names):
                os.chown(Path(place) / name, user, user, follow_symlinks=False)
        os.chown(folder, user, user)
    watched = (home, other, course / "source", submitted)
    made.before = {path: text for place in watched for path, text in _seen(place).items()}

    def listen() -> None:
        while True:
            try:
                _, address = listening.accept()
            except OSError:
                return
            made.visits.append(str(address))

    threading.Thread(target=listen, daemon=True).start()
    with nothing_left() as temporary:
        (temporary / "secret").write_text(word)
        run = start(course, ["grade", "1", "--workers", "2"], temporary, user, HOME=str(home), ATTNLAB_SECRET=word)
        made.status, made.said = run.result()
        assert (temporary / "secret").read_text() == word
        (temporary / "secret").unlink()
    listening.close()
    made.after = {path: text for place in watched for path, text in _seen(place).items()}
    made.scores = scores(course)
    return made


@pytest.fixture(scope="module")
def everybody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    folder = tmp_path_factory.mktemp("hostile")
    only = os.environ.get("ATTNLAB_HOSTILE", "")  # names to be tried alone, while one works on them
    entries = tuple(one for one in CORPUS if not only or one.name in only.split(","))
    yield grade(folder, entries)
    shutil.rmtree(folder, ignore_errors=True)


def _points(made: Class, name: str) -> float | None:
    given = made.scores.get(name)
    return None if given is None else sum(one or 0.0 for one in given.values())


def test_each_gets_what_the_honest_part_of_its_work_earns(everybody: Class) -> None:
    wanted = {one.name: one.points for one in everybody.entries} | everybody.honest
    given = {name: _points(everybody, name) for name in wanted}
    wrong = {name: (given[name], wanted[name]) for name in wanted if given[name] != wanted[name]}
    assert not wrong, f"(given, wanted): {wrong}"
    assert set(everybody.scores) <= set(wanted)


def test_who_gets_no_score_gets_a_line(everybody: Class) -> None:
    lines = everybody.said.splitlines()
    assert "Traceback" not in everybody.said
    for one in everybody.entries:
        said = [line for line in lines if line.startswith(f"{one.name}/{LESSON}: ")]
        if one.points is None:
            assert len(said) == 1, (one.name, said)
            assert one.line in said[0]
    without = [one for one in everybody.entries if one.points is None]
    assert everybody.status == (1 if without else 0)
    assert f"{len(everybody.scores)} of {len(everybody.entries) + len(everybody.honest)} have a score" in everybody.said


def test_what_did_not_run_says_so_and_nothing_else_earns_points(everybody: Class) -> None:
    """An empty test cell would earn full marks; a grade cell has an error, or it ran and earned its points."""
    for one in everybody.entries:
        if one.points is None:
            assert not everybody.graded(one.name).exists()
            continue
        cells = {
            cell.metadata.nbgrader.grade_id: cell
            for cell in read(everybody.graded(one.name)).cells
            if cell.metadata.get("nbgrader", {}).get("grade")
        }
        assert set(cells) == set(POINTS)
        errors = {name: [out for out in cell.outputs if out.output_type == "error"] for name, cell in cells.items()}
        right = sum(POINTS[name] for name, found in errors.items() if not found)
        assert right == one.points, one.name
        marked = {name for name, found in errors.items() if any(out.ename == NOT_RUN for out in found)}
        assert unrun(one) in (None, marked), one.name
        # Whatever a learner printed, the tests' own cells hold what the tests say.
        for name, cell in cells.items():
            assert all(out.output_type in ("error", "stream") for out in cell.outputs), (one.name, name)


def test_nothing_was_read_outside(everybody: Class) -> None:
    for path in (everybody.course / "autograded").rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert everybody.word not in text, path
            if path.suffix == ".ipynb":
                # Not in errors: there the attack's own line may stand.
                outputs = [
                    [one for one in cell.get("outputs", []) if one.output_type != "error"] for cell in read(path).cells
                ]
                assert not re.findall(r"LEAK[^\\]{0,200}", str(outputs)), path
    assert everybody.word not in everybody.said


def test_nothing_was_written_outside(everybody: Class) -> None:
    assert everybody.after == everybody.before
    assert not list(everybody.course.rglob("*was_here*"))
    assert not everybody.visits


def test_outputs_stay_small(everybody: Class) -> None:
    for one in everybody.entries:
        if one.points is not None:
            assert everybody.graded(one.name).stat().st_size < 3_000_000, one.name


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="already an ordinary user")
def test_an_ordinary_user_grades_as_safely(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    made = grade(tmp_path, tuple(one for one in CORPUS if one.name in AS_A_USER), NOBODY)
    test_each_gets_what_the_honest_part_of_its_work_earns(made)
    test_what_did_not_run_says_so_and_nothing_else_earns_points(made)
    test_nothing_was_read_outside(made)
    test_nothing_was_written_outside(made)
