"""How fast a class is graded, against stock nbgrader and against the cells' own time, on the same notebooks.

    python -m benchmarks.grading [--submissions 100] [--lesson 01_simplified_attention] [--class 300]

Every way grades a copy of the same class: `nbgrader autograde` as it comes, `attnlab grade` with one worker and with
two, and the floor, which is the notebooks' own cells run one after the other in one process that is warm already.
They take turns, forth and back, since a machine is not equally fast all the time: `attnlab grade` grades the whole
class twice and its mean counts, `nbgrader autograde` half of it each time.
Prints seconds a submission, the ratios, the peak memory of `attnlab grade` and, with `--class`, the time a submission
takes along a class of that size. Ends with 1 where a target is missed or a score differs.
"""

import argparse
import contextlib
import io
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

from attnlab.course import DEFAULT_LANGUAGE, lesson_named
from attnlab.folder import CONFIG, course_root
from attnlab.teach.demo_class.learners import CLASS, submission
from attnlab.teach.grader import grader, load_config, succeed
from attnlab.teach.notebooks import read, write
from attnlab.teach.sources import source_path

_INLINE = "module://matplotlib_inline.backend_inline"
FASTER, SCALES, MOST_MB = 10.0, 1.7, 3000.0
_TWO, _ONE = "attnlab grade, 2 workers", "attnlab grade, 1 worker"
_STOCK, _FLOOR = "nbgrader autograde", "the cells alone"
_AS_IT_COMES = "\nfor name in ('sanitize_preprocessors', 'autograde_preprocessors'):\n    del c.Autograde[name]\n"


def main() -> int:
    """Measure, print, and return 0 where every target is met."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--submissions", type=int, default=100)
    options.add_argument("--lesson", default="01_simplified_attention")
    options.add_argument("--class", dest="many", type=int, default=0, metavar="N", help="also a class of N in one go")
    chosen = options.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    console = Console()
    lesson = lesson_named(chosen.lesson).name
    with tempfile.TemporaryDirectory(prefix="attnlab-bench-") as folder:
        made = _class(Path(folder) / "class", lesson, chosen.submissions)
        seconds, memory = _compare(made, lesson, chosen.submissions, console)
        missed = _report(seconds, memory, chosen.submissions, console)
        if chosen.many:
            many = _class(Path(folder) / "many", lesson, chosen.many)
            missed += _along(many, lesson, chosen.many, console)
    return 1 if missed else 0


def _class(root: Path, lesson: str, count: int) -> Path:
    """Make a course folder with `count` submissions, in turn of every learner of the demo who ends by themselves."""
    course = course_root()
    root.mkdir()
    shutil.copyfile(course / CONFIG, root / CONFIG)
    shutil.copytree(course / "source" / lesson, root / "source" / lesson)
    succeed(grader(load_config(root, DEFAULT_LANGUAGE)).generate_assignment(lesson), lesson)
    source = read(source_path(root, lesson_named(lesson)))
    learners = [one for one in CLASS if not one.slow]
    for number in range(count):
        learner = learners[number % len(learners)]
        released = read(root / "release" / DEFAULT_LANGUAGE / lesson / f"{lesson}.ipynb")
        path = root / "submitted" / f"{number:04d}" / lesson / f"{lesson}.ipynb"
        path.parent.mkdir(parents=True)
        write(submission(learner, lesson_named(lesson), released, source), path)
    return root


def _compare(made: Path, lesson: str, count: int, console: Console) -> tuple[dict[str, float], float]:
    """Return the seconds that each way took for the whole class, and the most memory of `attnlab grade`, in MB."""
    ways = {
        _TWO: ["attnlab", "grade", lesson, "--again", "--workers", "2"],
        _STOCK: ["nbgrader", "autograde", lesson],
        _ONE: ["attnlab", "grade", lesson, "--again", "--workers", "1"],
    }
    roots = {}
    for number, name in enumerate(ways):
        roots[name] = made.with_name(f"way-{number}")
        shutil.copytree(made, roots[name])
    with (roots[_STOCK] / CONFIG).open("a", encoding="utf-8") as config:
        config.write(_AS_IT_COMES)
    submitted, later = roots[_STOCK] / "submitted", roots[_STOCK] / "later"
    later.mkdir()
    for one in sorted(submitted.iterdir())[: count // 2]:
        one.rename(later / one.name)  # out of nbgrader's reach until its second turn
    seconds = dict.fromkeys(ways, 0.0)
    for turn in (list(ways), list(reversed(ways))):
        for name in turn:
            console.print(f"{name} …")
            begun = time.perf_counter()
            _run(ways[name], roots[name])
            seconds[name] += time.perf_counter() - begun
        if later.exists():
            shutil.rmtree(submitted)
            later.rename(submitted)
    for name in (_TWO, _ONE):
        seconds[name] /= 2  # each has graded the whole class twice
    console.print(f"{_FLOOR} …")
    seconds[_FLOOR] = _floor(made, lesson)
    scores = [_scores(root, lesson) for root in roots.values()]
    if any(one != scores[0] for one in scores):
        raise SystemExit(f"the scores differ: {scores}")
    # Once more, to look at its memory.
    root = made.with_name("watched")
    shutil.copytree(made, root)
    return seconds, _run(ways[_TWO], root, watched=True)


def _run(command: list[str], root: Path, watched: bool = False) -> float:
    """Run a command in `root` and return the most memory that it and its processes had at once, in MB.

    0 where it is not `watched`: to look takes time, which the command would then not have.
    """
    program = Path(sys.executable).with_name(command[0])
    with (root / "bench.log").open("w") as log:
        process = subprocess.Popen([program, *command[1:]], cwd=root, stdout=log, stderr=log)
        most, done = [0.0], threading.Event()
        watch = threading.Thread(target=_watch, args=(process.pid, most, done))
        if watched:
            watch.start()
        status = process.wait()
        done.set()
        if watched:
            watch.join()
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}:\n{(root / 'bench.log').read_text()[-2000:]}")
    return most[0]


def _watch(pid: int, most: list[float], done: threading.Event) -> None:
    # Proportional: forked kernels share most of their pages with the process that they come from.
    while not done.wait(2):
        total = 0
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            for one in (root, *root.children(recursive=True)):
                with contextlib.suppress(OSError):
                    lines = Path(f"/proc/{one.pid}/smaps_rollup").read_text().splitlines()
                    total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        most[0] = max(most[0], total * 1024 / 1e6)


def _scores(root: Path, lesson: str) -> list[tuple[str, str, float]]:
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "attention") as gradebook:
        return sorted(
            (found.student_id, grade.name, grade.auto_score)
            for found in gradebook.find_assignment(lesson).submissions
            for notebook in found.notebooks
            for grade in notebook.grades
            if grade.auto_score is not None
        )


def _floor(made: Path, lesson: str) -> float:
    """Return the seconds that the notebooks' own cells take in one process that has everything loaded."""
    from IPython.core.interactiveshell import InteractiveShell
    from matplotlib import pyplot
    from matplotlib_inline.backend_inline import configure_inline_support

    # With the backend of a notebook, which draws every figure; what it shows goes nowhere.
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    shell = InteractiveShell.instance()
    pyplot.switch_backend(_INLINE)
    configure_inline_support(shell, _INLINE)
    shell.display_pub.publish = lambda *arguments, **options: None  # type: ignore[method-assign]
    notebooks = [read(path) for path in sorted((made / "submitted").glob(f"*/{lesson}/*.ipynb"))]
    source = {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in _graded(read(made / "source" / lesson / f"{lesson}.ipynb"))
    }
    total = 0.0
    for number, notebook in enumerate([notebooks[0], *notebooks]):
        shell.reset()
        begun = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for cell in notebook.cells:
                if cell.cell_type == "code":
                    shell.run_cell(source.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source))
        total += (time.perf_counter() - begun) * (number > 0)  # the first one only warms up
    del os.environ["NBGRADER_EXECUTION"]
    return total


def _graded(notebook: NotebookNode) -> Iterator[NotebookNode]:
    for cell in notebook.cells:
        found = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and found.get("grade") and not found.get("solution"):
            yield cell


def _report(seconds: dict[str, float], peak: float, count: int, console: Console) -> int:
    table = Table(title=f"{count} notebooks")
    table.add_column("way")
    table.add_column("seconds in all", justify="right")
    table.add_column("seconds a submission", justify="right")
    for name, whole in seconds.items():
        table.add_row(name, f"{whole:.1f}", f"{whole / count:.2f}")
    console.print(table)
    two, one, stock, cells = (seconds[name] for name in (_TWO, _ONE, _STOCK, _FLOOR))
    targets = [
        (f"times stock nbgrader, with 2 workers (at least {FASTER:g})", stock / two, stock / two >= FASTER),
        (f"times faster with 2 workers than with 1 (at least {SCALES:g})", one / two, one / two >= SCALES),
        (f"MB at most at once, all processes (below {MOST_MB:g})", peak, peak < MOST_MB),
        ("times the cells alone, a submission, with 1 worker", one / cells, True),
        ("times half the cells alone, a submission, with 2 workers", two / (cells / 2), True),
    ]
    return _print(targets, console)


def _print(targets: list[tuple[str, float, bool]], console: Console) -> int:
    for what, found, met in targets:
        console.print(f"{'✓' if met else '✗'} {found:.2f} {what}", highlight=False)
    return sum(not met for _, _, met in targets)


def _along(root: Path, lesson: str, count: int, console: Console) -> int:
    """Grade a large class in one go, and tell whether a submission takes as long at the end as at the beginning."""
    console.print(f"a class of {count}, 2 workers …")
    begun = time.perf_counter()
    peak = _run(["attnlab", "grade", lesson, "--workers", "2"], root, watched=True)
    whole = time.perf_counter() - begun
    written = sorted(path.stat().st_mtime for path in (root / ".attnlab" / "graded" / lesson).glob("*.json"))
    parts = 10
    edges = [written[round(number * (count - 1) / parts)] for number in range(parts + 1)]
    rates = [(later - earlier) / (count / parts) for earlier, later in itertools.pairwise(edges)]
    console.print("seconds a submission, tenth by tenth: " + " ".join(f"{rate:.2f}" for rate in rates), highlight=False)
    middle = sorted(rates)[parts // 2]
    targets = [
        (f"of {count} have a score", float(len(written)), len(written) == count),
        ("seconds a submission", whole / count, True),
        ("times the middle tenth, the last tenth (at most 1.5)", rates[-1] / middle, rates[-1] <= 1.5 * middle),
        (f"MB at most at once, all processes (below {MOST_MB:g})", peak, peak < MOST_MB),
    ]
    return _print(targets, console)


if __name__ == "__main__":
    sys.exit(main())
