"""Grade one submission after the other into the gradebook: what each process of `attnlab grade` does."""

import contextlib
import functools
import gc
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbgrader.api
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde
from nbgrader.utils import capture_log, parse_utc, temp_attrs

from attnlab.grade.intake import TIMESTAMP, Taken, grade_ids, take
from attnlab.grade.pool import quiet
from attnlab.grade.receipts import Submission, handed_in_digest, receipt_of, scores_of, write_receipt
from attnlab.problem import Problem
from attnlab.teach.grader import grader, load_config, succeed
from attnlab.teach.notebooks import write


@dataclass(frozen=True)
class Setting:
    """What all processes of one run share."""

    root: Path
    staged: Path
    """Where submissions are laid out for nbgrader, one sound notebook each."""
    log: Path
    walls: bool


@dataclass(frozen=True)
class Graded:
    """What became of one submission."""

    submission: Submission
    points: float | None = None
    of: float = 0.0
    problem: str | None = None
    """Why there is no score, in one line."""
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0


def start(setting: Setting) -> Callable[[Submission], Graded]:
    """Return what grades a submission, with this process's output going to the log."""
    quiet(setting.log)
    # nbgrader makes an engine a dozen times for one notebook, and each compiles the same statements anew.
    nbgrader.api.create_engine = functools.cache(nbgrader.api.create_engine)
    gc.collect()
    gc.freeze()  # what has been imported is never garbage, and need not be looked through again and again
    return Worker(setting).grade


class _AsLaidOut(Autograde):
    """nbgrader's step for the one notebook that has been laid out.

    Its own looks for notebooks by a pattern, by which a learner named [a] hands in what one named a did.
    """

    def init_notebooks(self) -> None:
        folder = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        self.assignments = {folder: [os.path.join(folder, f"{self.coursedir.assignment_id}.ipynb")]}
        self.notebooks: list[str] = []


class Worker:
    """nbgrader, set up to grade what is staged."""

    def __init__(self, setting: Setting) -> None:
        """Read the course's configuration once."""
        self._setting = setting
        config = load_config(setting.root)
        config.CourseDirectory.root = str(setting.root)
        config.CourseDirectory.submitted_directory = str(setting.staged)
        config.Isolated.walls = setting.walls
        config.NotebookExporter.optimistic_validation = True  # once, at the end, in the place of after each step
        self._api = grader(config)
        self._known: dict[str, list[str]] = {}

    def grade(self, submission: Submission) -> Graded:
        """Grade one submission; whatever is wrong with it is told in one line."""
        begun = time.monotonic()
        try:
            points, of, remarks = self._grade(submission)
        except Exception as problem:  # one submission's trouble is not the class's
            return self._failed(submission, problem, time.monotonic() - begun)
        return Graded(submission, points, of, None, remarks, time.monotonic() - begun)

    def _failed(self, submission: Submission, problem: Exception, seconds: float) -> Graded:
        if isinstance(problem, Problem):
            return Graded(submission, problem=problem.lines[-1], seconds=seconds)
        said = f"{type(problem).__name__}: {problem}".splitlines()[0][:300]
        return Graded(submission, problem=said, seconds=seconds)

    def _take(self, submission: Submission) -> Taken:
        lesson = submission.lesson
        if lesson not in self._known:
            self._known[lesson] = grade_ids(self._setting.root, lesson)
        return take(submission.folder, lesson, self._known[lesson])

    def _grade(self, submission: Submission) -> tuple[float, float, list[str]]:
        lesson, student = submission.lesson, submission.student
        handed_in = handed_in_digest(submission)  # before it is read: what comes in later has not been graded
        taken = self._take(submission)
        staged = self._setting.staged / student / lesson
        with _laid_out(staged):
            write(taken.notebook, staged / f"{lesson}.ipynb")
            stamp = submission.folder / TIMESTAMP
            if stamp.is_file() and not stamp.is_symlink():
                if _is_time(stamp):
                    shutil.copyfile(stamp, staged / TIMESTAMP)
                else:
                    taken.remarks.append(f"{TIMESTAMP} holds no time; graded as if there were no such file")
            with temp_attrs(self._api.coursedir, assignment_id=lesson, student_id=student):
                step = _AsLaidOut(coursedir=self._api.coursedir, parent=self._api)
                step.force = step.create_student = True
                succeed(capture_log(step), "nbgrader")
        with Gradebook(self._api.coursedir.db_url, self._api.coursedir.course_id) as gradebook:
            try:
                found = gradebook.find_submission(lesson, student)
            except MissingEntry:
                raise Problem("nbgrader gave it no score and does not say why") from None
            scores = scores_of(found)
            points, of = found.score, found.max_score
        write_receipt(self._setting.root, submission, receipt_of(submission, handed_in, scores))
        return points, of, taken.remarks


def _is_time(stamp: Path) -> bool:
    """Tell whether nbgrader can read this as a time: it stops at one that it cannot read."""
    try:
        with stamp.open(encoding="utf-8") as file:
            said = file.read(200)
        return not said.strip() or parse_utc(said.strip()) is not None
    except (OSError, ValueError, OverflowError, TypeError):
        return False


@contextlib.contextmanager
def _laid_out(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
