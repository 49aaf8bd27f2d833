"""`make truth`: every right and wrong solution through the real grade cells, and what the learner is told.

    python -m tests.truth [EXERCISE ...] [--list]

By exercise: wrong solutions accepted, right ones refused, and of the wrong ones whose mistake the catalogue covers
how many are named rightly, named wrongly, not named. `--list` names each solution that is not as it should be.
Ends with 1 where one is accepted, refused or named wrongly, or where too few are named.
"""

import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

from rich.console import Console
from rich.progress import track
from rich.table import Table

from attnlab.learn.mistakes import catalogue
from tests.gradecells import Solution, Verdict, grade, solutions

NAMED_AT_LEAST = 0.85
COLUMNS = ("right", "refused", "wrong", "accepted", "covered", "named rightly", "named wrongly", "not named")


@dataclass(frozen=True)
class Judged:
    """One solution and what became of it."""

    solution: Solution
    column: str
    """Of the table: one of COLUMNS."""
    said: str = ""
    """What is not as it should be."""
    messages: tuple[str, ...] = ()
    """What the learner is told."""
    verdicts: tuple[Verdict, ...] = ()
    """Of each grade cell."""


@cache
def judge(solution: Solution) -> Judged:
    """Run one solution through its grade cells."""
    verdicts = tuple(grade(solution.exercise, solution.code))
    return replace(_judged(solution, verdicts), verdicts=verdicts)


def _judged(solution: Solution, verdicts: Sequence[Verdict]) -> Judged:
    lost = [verdict for verdict in verdicts if verdict.earned < verdict.points]
    messages = tuple(verdict.said for verdict in lost)
    if solution.kind == "right":
        return Judged(solution, "refused" if lost else "right", "".join(messages[:1]), messages)
    if not lost:
        return Judged(solution, "accepted", "keeps full marks")
    named = {verdict.mistake for verdict in lost if verdict.mistake}
    labels = ", ".join(solution.mistakes) or "-"
    if named - set(solution.mistakes):
        return Judged(solution, "named wrongly", f"named {', '.join(sorted(named))}, is {labels}", messages)
    if not solution.mistakes:
        return Judged(solution, "wrong", "", messages)
    return Judged(solution, *(("named rightly", "") if named else ("not named", f"is {labels}")), messages)


def main(arguments: list[str]) -> int:
    """Print the table and return the exit status."""
    console = Console(width=140)
    wanted = [one for one in arguments if not one.startswith("-")]
    chosen = [one for one in solutions() if not wanted or one.exercise in wanted]
    known = {mistake.key for mistake in catalogue()}
    unknown = sorted({key for one in chosen for key in one.mistakes if key not in known})
    if unknown:
        console.print(f"not in the catalogue: {', '.join(unknown)}")
        return 1
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        results = list(
            track(pool.map(judge, chosen, chunksize=8), "grading", total=len(chosen), console=console, transient=True)
        )
    if "--list" in arguments:
        for one in results:
            if one.said:
                console.print(f"{one.column}: {one.solution}: {one.said}", markup=False, highlight=False)
    return _report(results, console)


def _report(results: list[Judged], console: Console) -> int:
    counts: dict[str, Counter[str]] = {}
    for one in results:
        row = counts.setdefault(one.solution.exercise, Counter())
        row[one.solution.kind] += one.column not in ("right", "wrong")
        row["covered"] += bool(one.solution.mistakes)
        row[one.column] += 1
    total = sum(counts.values(), Counter())
    table = Table(title=f"the truth table; {len(catalogue())} mistakes in the catalogue")
    table.add_column("exercise")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for name, row in [*counts.items(), ("all", total)]:
        table.add_row(name, *(str(row[column]) for column in COLUMNS), style="bold" if name == "all" else "")
    console.print(table)
    share = total["named rightly"] / total["covered"] if total["covered"] else 1.0
    console.print(f"named rightly: {share:.0%} of what the catalogue covers (at least {NAMED_AT_LEAST:.0%})")
    bad = total["accepted"] + total["refused"] + total["named wrongly"]
    return 1 if bad or share < NAMED_AT_LEAST else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
