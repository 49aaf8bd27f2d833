"""`attnlab demo`: a class from released notebooks to graded feedback, in a folder of its own."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from nbgrader.api import Gradebook
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from attnlab.course import DEFAULT_LANGUAGE, LANGUAGES, Lesson
from attnlab.folder import CONFIG
from attnlab.grade.pool import DIED, quiet, work_through
from attnlab.grade.walls import why_not
from attnlab.problem import Problem
from attnlab.teach.demo_class.learners import CLASS, Learner, submission
from attnlab.teach.grader import grader, load_config, release_grader, succeed
from attnlab.teach.notebooks import read, write
from attnlab.teach.sources import read_sources

FOLDER = "demo"
_MARK = ".made-by-attnlab-demo"
_LOG = "demo.log"


def run(root: Path, console: Console | None = None) -> int:
    """Run the demo class in `root`/demo, print its table, and return 0 where every score is the expected one."""
    console = console or Console()
    sources = read_sources(root)
    demo = _fresh_folder(root)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("generate the assignments", total=len(LANGUAGES) * len(sources))
        for lesson in sources:
            for language in LANGUAGES:
                _release(demo, lesson, language)
                progress.advance(task)
        for learner in CLASS:
            for lesson, source in sources.items():
                path = demo / "submitted" / learner.name / lesson.name / f"{lesson.name}.ipynb"
                released = read(demo / "release" / learner.language / lesson.name / path.name)
                path.parent.mkdir(parents=True)
                write(submission(learner, lesson, released, source), path)
        task = progress.add_task("grade and write feedback", total=len(CLASS) * len(sources))
        for what, problem in _grade_all(demo, list(sources)):
            progress.advance(task)
            if problem:
                console.print(f"[red]{what}: {problem}[/]")
    return _report(demo, list(sources), console)


def _fresh_folder(root: Path) -> Path:
    """Make the demo's folder, in place of one from an earlier run; Problem where something else is there."""
    demo = root / FOLDER
    if demo.exists() and not (demo / _MARK).is_file():
        raise Problem(f"{demo}: is there and was not made by the demo; move it away or run in another copy")
    if demo.exists():
        shutil.rmtree(demo)
    demo.mkdir()
    (demo / _MARK).touch()
    shutil.copyfile(root / CONFIG, demo / CONFIG)
    shutil.copytree(root / "source", demo / "source", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    return demo


def _release(demo: Path, lesson: Lesson, language: str) -> None:
    """Make one lesson's release; the class's gradebook knows the lessons by their default language's."""
    default = language == DEFAULT_LANGUAGE
    api = grader(load_config(demo, language)) if default else release_grader(demo, demo, language)
    succeed(api.generate_assignment(lesson.name), f"source/{lesson.name}")


def _grade_all(demo: Path, lessons: list[Lesson]) -> Iterator[tuple[str, str]]:
    """Grade every submission, one more at a time than there are cores; yield each as it is done, with its problem."""
    # The slowest first: whoever loops for ever mostly waits, until nbgrader's time limit.
    tasks = [
        (lesson.name, learner.name) for learner in sorted(CLASS, key=lambda one: not one.slow) for lesson in lessons
    ]
    for done in work_through(tasks, (os.cpu_count() or 1) + 1, _start, (demo,)):
        lesson_name, learner_name = done.task
        yield f"{learner_name}/{lesson_name}", DIED if done.result is None else done.result


def _start(demo: Path) -> Callable[[tuple[str, str]], str]:
    """Return what grades a submission, by lesson and learner, with this process's output going to the log."""
    quiet(demo / _LOG)
    return lambda task: _grade(demo, *task)


def _grade(demo: Path, lesson: str, learner: str) -> str:
    """Autograde one submission and write its feedback; return what went wrong, or nothing."""
    config = load_config(demo, DEFAULT_LANGUAGE)
    config.Isolated.walls = why_not() is None  # the class is made up: it harms nobody where there are none
    api = grader(config)
    try:
        succeed(api.autograde(lesson, learner), "autograde")
        succeed(api.generate_feedback(lesson, learner), "feedback")
    except Problem as problem:
        return problem.lines[0]
    return ""


def _report(demo: Path, lessons: list[Lesson], console: Console) -> int:
    table = Table(title="learner × lesson × points")
    table.add_column("learner")
    table.add_column("what was handed in")
    for lesson in lessons:
        table.add_column(f"{lesson.name[:2]} ({lesson.points - lesson.by_hand_points})", justify="right")
    table.add_column("all", justify="right")
    config = load_config(demo, DEFAULT_LANGUAGE)
    wrong = 0
    with Gradebook(grader(config).coursedir.db_url, "attention") as gradebook:
        for learner in CLASS:
            scores = [_score(gradebook, lesson, learner) for lesson in lessons]
            cells = []
            for lesson, score in zip(lessons, scores, strict=True):
                expected = learner.points(lesson)
                right = score == expected
                wrong += not right
                shown = "none" if score is None else f"{score:g}"
                cells.append(shown if right else f"[red]{shown}, not {expected:g}[/]")
            table.add_row(learner.name, learner.handed_in, *cells, f"{sum(score or 0 for score in scores):g}")
    console.print(table)
    console.print(f"Points given by hand are not in it. Feedback pages: {demo / 'feedback'}")
    console.print(f"Gradebook, submissions and what nbgrader said ({_LOG}): {demo}")
    if wrong:
        console.print(f"[red]{wrong} scores are not the expected ones[/]")
    return 1 if wrong else 0


def _score(gradebook: Gradebook, lesson: Lesson, learner: Learner) -> float | None:
    try:
        return gradebook.find_submission(lesson.name, learner.name).score
    except Exception:  # nbgrader has no score of it: the table says so
        return None
