"""`attnlab grade`: every submission into the gradebook, on all cores, whatever any of them does."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import filelock
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps import NbGraderAPI
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from attnlab.course import COURSE, lesson_named
from attnlab.grade import walls
from attnlab.grade.pool import DIED, work_through
from attnlab.grade.receipts import FOLDER, Submission, is_graded, tests_digest
from attnlab.grade.worker import Graded, Setting, start
from attnlab.problem import Problem
from attnlab.teach.grader import grader, load_config, succeed

_MOST_ROWS = 60


def grade(
    root: Path,
    names: Sequence[str] = (),
    *,
    workers: int | None = None,
    again: bool = False,
    with_walls: bool = True,
    scheduler: str | None = None,
    console: Console | None = None,
) -> int:
    """Grade what has been handed in for these lessons (all), and print the table; return 0 if all have a score.

    What has been graded as it stands is not graded again, unless `again`. Problem where grading cannot begin.
    """
    console = console or Console()
    lessons = [_lesson(name) for name in names] or [lesson.name for lesson in COURSE]
    if with_walls and not scheduler and (missing := walls.why_not()):
        raise Problem(missing, "To run learners' code without walls, as yourself: attnlab grade --without-walls")
    with _alone(root):
        config = load_config(root)
        config.CourseDirectory.root = str(root)
        api = grader(config)
        submissions = _handed_in(api, root, lessons, asked_for=bool(names), console=console)
        staged = root / FOLDER / "staged"
        shutil.rmtree(staged, ignore_errors=True)  # of a run that was cut off
        setting = Setting(root, staged, root / FOLDER / "grade.log", with_walls)
        results = _unchanged(api, root, submissions) if not again else {}
        unchanged = len(results)
        left = [one for one in submissions if one not in results]
        try:
            for graded in _grading(setting, left, workers, scheduler, console):
                results[graded.submission] = graded
        except KeyboardInterrupt:
            console.print("[red]stopped[/]: what has a score keeps it; the next run does the rest")
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    return _report(submissions, results, unchanged, setting.log, console)


def _lesson(name: str) -> str:
    """Return the lesson that is meant: its name, its number or the beginning of its name."""
    found = [lesson.name for lesson in COURSE if lesson.name == name or lesson.name.startswith(f"{name}_")]
    found += [lesson.name for lesson in COURSE if name.isdigit() and int(lesson.name[:2]) == int(name)]
    if not found:
        raise Problem(f"{name}: not a lesson; known are {', '.join(lesson.name for lesson in COURSE)}")
    return lesson_named(found[0]).name


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Keep a second run out of this course's gradebook; the lock is gone with the process."""
    (root / FOLDER).mkdir(exist_ok=True)
    try:
        with filelock.FileLock(root / FOLDER / "grade.lock", timeout=0):
            yield
    except filelock.Timeout:
        raise Problem(f"{root}: another `attnlab grade` is at work here; wait for it, or end it") from None


def _handed_in(
    api: NbGraderAPI, root: Path, lessons: list[str], *, asked_for: bool, console: Console
) -> list[Submission]:
    """Return all submissions of these lessons; what no gradebook knows yet is made known to it."""
    handed_in = root / api.coursedir.submitted_directory
    learners = sorted(one.name for one in handed_in.iterdir() if one.is_dir()) if handed_in.is_dir() else []
    found = []
    for lesson in lessons:
        folders = {name: handed_in / name / lesson for name in learners if os.path.lexists(handed_in / name / lesson)}
        if not folders:
            if asked_for:
                raise Problem(f"{handed_in}: nothing has been handed in for {lesson} (looked for */{lesson})")
            continue
        tests = _tests(api, lesson, console)
        found += [Submission(name, lesson, folder, tests) for name, folder in folders.items()]
    if not found:
        raise Problem(
            f"{handed_in}: nothing has been handed in; collect with `nbgrader zip_collect` or `nbgrader collect`"
        )
    return found


def _tests(api: NbGraderAPI, lesson: str, console: Console) -> str:
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        try:
            return tests_digest(gradebook, lesson)
        except MissingEntry:
            pass
    console.print(f"{lesson}: not in the gradebook yet; generating the assignment")
    succeed(api.generate_assignment(lesson, force=True, create=True), f"source/{lesson}")
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        return tests_digest(gradebook, lesson)


def _unchanged(api: NbGraderAPI, root: Path, submissions: list[Submission]) -> dict[Submission, Graded]:
    results = {}
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        for one in submissions:
            scores = is_graded(root, one, gradebook)
            if scores:
                results[one] = Graded(one, *scores)
    return results


def _grading(
    setting: Setting, submissions: list[Submission], workers: int | None, scheduler: str | None, console: Console
) -> Iterator[Graded]:
    """Yield each submission's result as it comes, with a progress bar and a line for whatever went wrong."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    if not submissions:
        return
    workers = min(workers or os.cpu_count() or 1, len(submissions))
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("grading", total=len(submissions))
        if scheduler:
            from attnlab.grade.remote import grade_by

            results = grade_by(scheduler, setting, submissions)
        else:
            done = work_through(submissions, workers, start, (setting,))
            results = (one.result or Graded(one.task, problem=DIED) for one in done)
        for graded in results:
            progress.advance(task)
            if graded.problem:
                console.print(f"[red]{escape(str(graded.submission))}[/]: {escape(graded.problem)}", highlight=False)
            for remark in graded.remarks:
                console.print(f"{graded.submission}: {remark}", markup=False, highlight=False)
            yield graded


def _report(
    submissions: list[Submission], results: dict[Submission, Graded], unchanged: int, log: Path, console: Console
) -> int:
    without = [one for one in submissions if one not in results or results[one].problem]
    table = Table(title="points, without those given by hand")
    for column in ("lesson", "learner", "points"):
        table.add_column(column, justify="right" if column == "points" else "left")
    rows = submissions if len(submissions) <= _MOST_ROWS else without
    for one in rows:
        graded = results.get(one)
        shown = f"{graded.points:g} / {graded.of:g}" if graded and graded.points is not None else "[red]no score[/]"
        table.add_row(one.lesson, escape(one.student), shown)
    if rows:
        console.print(table)
    for lesson in sorted({one.lesson for one in submissions}):
        scores = [
            graded.points for one, graded in results.items() if one.lesson == lesson and graded.points is not None
        ]
        mean = f", {sum(scores) / len(scores):.1f} points on average" if scores else ""
        total = sum(one.lesson == lesson for one in submissions)
        console.print(f"{lesson}: {len(scores)} of {total} have a score{mean}", highlight=False)
    if unchanged:
        console.print(f"{unchanged} had been graded as they stand, and were left alone (--again grades them too)")
    if without:
        console.print(f"[red]{len(without)} without a score[/]; what nbgrader said: {log}")
    return 1 if without else 0
