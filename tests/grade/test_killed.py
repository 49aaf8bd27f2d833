"""A run that is cut off at any moment, and the run after it: together they give what one undisturbed run gives."""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attnlab.course import lesson_named
from attnlab.grade import walls
from attnlab.grade.receipts import FOLDER
from attnlab.teach.demo_class.learners import CLASS, submission
from attnlab.teach.notebooks import read, write
from tests.grade.hostile.make import LESSON
from tests.grade.running import Run, make_course, nothing_left, scores, start
from tests.gradecells import source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(walls.why_not() is not None, reason=f"no walls here: {walls.why_not()}"),
]
LEARNERS = [one for one in CLASS if not one.slow]
NUMBER = 12


class Course:
    """A course's folder that can be put back to where nothing has been graded yet."""

    def __init__(self, folder: Path) -> None:
        self.root = make_course(folder / "course", LESSON)
        for number in range(NUMBER):
            learner = LEARNERS[number % len(LEARNERS)]
            path = self.submitted(f"{learner.name}_{number}")
            path.parent.mkdir(parents=True)
            made = read(self.root / "release" / "zh" / LESSON / f"{LESSON}.ipynb")
            write(submission(learner, lesson_named(LESSON), made, source(LESSON)), path)
        self._empty = folder / "gradebook.db"
        shutil.copyfile(self.root / "gradebook.db", self._empty)

    def submitted(self, name: str) -> Path:
        return self.root / "submitted" / name / LESSON / f"{LESSON}.ipynb"

    def put_back(self) -> None:
        for name in ("autograded", FOLDER):
            shutil.rmtree(self.root / name, ignore_errors=True)
        for path in self.root.glob("gradebook.db*"):
            path.unlink()
        shutil.copyfile(self._empty, self.root / "gradebook.db")

    def grade(self, temporary: Path, *arguments: str) -> Run:
        return start(self.root, ["grade", "1", "--workers", "2", *arguments], temporary)

    def receipts(self) -> dict[Path, int]:
        """Return when each receipt was written."""
        return {path: path.stat().st_mtime_ns for path in (self.root / FOLDER / "graded").rglob("*.json")}

    def wait_for(self, number: int, run: Run) -> None:
        """Wait until so many submissions have been graded, or the run has ended."""
        while len(self.receipts()) < number and run.process.poll() is None:
            time.sleep(0.01)

    def is_whole(self) -> None:
        """Assert that every submission has its autograded notebook, whole, and nothing lies about."""
        for folder in (self.root / "submitted").iterdir():
            graded = json.loads(
                (self.root / "autograded" / folder.name / LESSON / f"{LESSON}.ipynb").read_text("utf-8")
            )
            tests = [cell for cell in graded["cells"] if cell["metadata"].get("nbgrader", {}).get("grade")]
            assert len(tests) == 14
        assert not (self.root / FOLDER / "staged").exists()
        assert not list((self.root / FOLDER).rglob("*.part"))
        assert len(self.receipts()) == NUMBER


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    folder = tmp_path_factory.mktemp("killed")
    yield Course(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def undisturbed(course: Course) -> dict[str, dict[str, float | None]]:
    """Return the gradebook of a run that nobody disturbs."""
    course.put_back()
    with nothing_left() as temporary:
        status, said = course.grade(temporary).result()
    assert status == 0, said
    given = scores(course.root)
    expected = [LEARNERS[number % len(LEARNERS)] for number in range(NUMBER)]
    for number, learner in enumerate(expected):
        points = sum(one or 0 for one in given[f"{learner.name}_{number}"].values())
        assert points == learner.points(lesson_named(LESSON))
    course.is_whole()
    return given


# Ten moments, each somewhere in what the run before has left to do: after that many submissions more, and up to as
# long as one takes. Where several follow each other, each run completes what the ones before it have left.
_DRAW = random.Random(5)
MOMENTS = [[(_DRAW.randrange(NUMBER // count), _DRAW.uniform(0, 0.8)) for _ in range(count)] for count in (5, 5)]


@pytest.mark.parametrize("moments", MOMENTS, ids=("first five", "other five"))
def test_the_run_after_killed_ones_completes_them(
    course: Course, undisturbed: dict[str, dict[str, float | None]], moments: list[tuple[int, float]]
) -> None:
    course.put_back()
    with nothing_left() as temporary:
        for more, and_then in moments:
            run = course.grade(temporary)
            course.wait_for(len(course.receipts()) + more, run)
            time.sleep(and_then)
            run.process.send_signal(signal.SIGKILL)
            run.result()
            assert set(scores(course.root)) <= set(undisturbed)
        status, said = course.grade(temporary).result()
    assert status == 0, said
    assert scores(course.root) == undisturbed
    course.is_whole()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_stop_stops(
    course: Course, undisturbed: dict[str, dict[str, float | None]], number: signal.Signals
) -> None:
    course.put_back()
    with nothing_left() as temporary:
        run = course.grade(temporary)
        course.wait_for(3, run)
        os.kill(run.process.pid, number)
        status, said = run.result()
        assert status != 0
        assert "Traceback" not in said
    done = course.receipts()
    assert len(done) >= 3
    with nothing_left() as temporary:
        status, said = course.grade(temporary).result()
    assert status == 0, said
    # What had a score kept it, and was not graded a second time.
    assert {path: when for path, when in course.receipts().items() if path in done} == done
    assert scores(course.root) == undisturbed
    course.is_whole()


def test_only_one_run_at_a_time_and_only_what_changed_is_graded_again(
    course: Course, undisturbed: dict[str, dict[str, float | None]]
) -> None:
    course.put_back()
    with nothing_left() as temporary:
        first = course.grade(temporary)
        course.wait_for(1, first)
        status, said = course.grade(temporary).result()
        assert status == 1
        assert len(said.splitlines()) == 1
        assert "another `attnlab grade` is at work here" in said
        assert first.result()[0] == 0
        before = course.receipts()

        status, said = course.grade(temporary).result()
        assert status == 0
        assert course.receipts() == before
        assert f"{NUMBER} had been graded as they stand" in said

        path = course.submitted("untouched_2")
        handed_in = path.read_bytes()
        changed = json.loads(handed_in)
        for cell in changed["cells"]:
            if cell["id"] == "hand_calculation":
                cell["source"] = "hand_weights = [[0.731, 0.269], [0.018, 0.982]]"
        path.write_text(json.dumps(changed), encoding="utf-8")
        assert course.grade(temporary).result()[0] == 0
        again = {path for path, when in course.receipts().items() if when != before[path]}
        assert len(again) == 1
        given = scores(course.root)
        assert sum(one or 0 for one in given["untouched_2"].values()) == 2
        assert {**given, "untouched_2": None} == {**undisturbed, "untouched_2": None}

        path.write_bytes(handed_in)
        status, said = course.grade(temporary, "--again").result()
        assert status == 0
        assert "as they stand" not in said
        after = course.receipts()
        assert all(after[path] != when for path, when in before.items())
        assert scores(course.root) == undisturbed
