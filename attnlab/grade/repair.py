"""The first step of autograding: every cell of the lesson is there once, as it was handed out, in an order that works.

nbgrader stops a whole class at a copied cell, and trusts what a notebook says about its own cells. After this step
its own ones (DeduplicateIds, OverwriteCells, CheckCellMetadata) find nothing left to do.
"""

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from attnlab.course import exercise_of, lesson_named
from attnlab.grade.intake import printable, sound

DELETED_ANSWER = "*（这一格被删掉了，批改时补回。 / This cell had been deleted and was put back for grading.）*\n\n"
_LONGEST = 200_000
"""Characters of a cell up to which its code is looked at."""
_DEFINITION = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)
_MARKS = ("grade_id", "grade", "solution", "locked", "points")
_UNFINISHED = re.compile(r"^\s*raise NotImplementedError\b", re.MULTILINE)


@dataclass(frozen=True)
class LessonCell:
    """One cell of the lesson, as the gradebook knows it."""

    name: str
    """Its grade id."""
    cell_type: str
    source: str
    """As handed out; of a test cell, with its hidden tests."""
    checksum: str
    locked: bool
    """The learner's text of it does not count."""
    grade: bool = False
    solution: bool = False
    task: bool = False
    points: float = 0.0

    @property
    def tests(self) -> bool:
        """Whether its code decides on points."""
        return self.grade and not self.solution


def lesson_cells(gradebook: Gradebook, notebook: str, lesson: str) -> list[LessonCell]:
    """Return the cells that a notebook of a lesson should have, in the order of the gradebook."""
    known = gradebook.find_notebook(notebook, lesson)
    points = {cell.name: cell.max_score for cell in [*known.grade_cells, *known.task_cells]}
    graded = {cell.name for cell in known.grade_cells}
    solutions = {cell.name for cell in known.solution_cells}
    tasks = {cell.name for cell in known.task_cells}
    return [
        LessonCell(
            cell.name,
            cell.cell_type,
            cell.source or "",
            cell.checksum or "",
            cell.locked,
            cell.name in graded,
            cell.name in solutions,
            cell.name in tasks,
            points.get(cell.name, 0.0),
        )
        for cell in known.source_cells
    ]


class Repair(NbGraderPreprocessor):
    """Make a learner's notebook whole again; first of `c.Autograde.sanitize_preprocessors`."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Return a notebook that has every cell of the lesson once; say in the log what was changed."""
        known = resources["nbgrader"]
        with Gradebook(known["db_url"]) as gradebook:
            cells = lesson_cells(gradebook, known["notebook"], known["assignment"])
        whole, remarks = repaired(nb, cells, known["assignment"])
        for line in remarks:
            self.log.info("%s, %s: %s", printable(known["student"]), known["notebook"], line)
        return whole, resources


def repaired(notebook: NotebookNode, cells: Sequence[LessonCell], lesson: str) -> tuple[NotebookNode, list[str]]:
    """Return a sound copy of `notebook` that has each of `cells` once, with its own metadata, and what was changed.

    Test cells stand below a cell with their exercise's solution. Where several cells give one exercise's solution, all
    run, as they do in the learner's own kernel; cells that are still as they were handed out make way for others.
    """
    whole, remarks = sound(notebook)
    _Repair(whole, {cell.name: cell for cell in cells}, lesson, remarks).run()
    return whole, remarks


class _Repair:
    """One notebook's repair."""

    def __init__(self, notebook: NotebookNode, known: dict[str, LessonCell], lesson: str, remarks: list[str]) -> None:
        self.notebook = notebook
        self.known = known
        self.remarks = remarks
        self.exercise_of = _exercises(lesson)
        # The cell, by Python's identity, that stands for each of the lesson's.
        self.holder: dict[str, NotebookNode] = {}

    def run(self) -> None:
        claims = self._claims()
        for name, known in self.known.items():
            if known.solution:
                self._choose_solution(known, claims.get(name, []))
        for name, known in self.known.items():
            if not known.solution:
                self._choose(known, claims.get(name, []))
        self._free_the_rest()
        self._order_tests()
        self._add_missing()

    def _claims(self) -> dict[str, list[NotebookNode]]:
        """Return, by grade id, the cells that say they are it; a cell that lost its metadata still has its id."""
        claims: dict[str, list[NotebookNode]] = {}
        strangers = 0
        for cell in self.notebook.cells:
            said = cell.metadata.get("nbgrader", {}).get("grade_id")
            # Copying keeps the metadata and gives a new id, so that the id, where it is the lesson's, is the safer.
            name = cell.id if cell.id in self.known else said if said in self.known else None
            strangers += name is None and "nbgrader" in cell.metadata
            if name is not None:
                claims.setdefault(name, []).append(cell)
        if strangers:
            self._say(f"{strangers} cells with nbgrader's marks are none of the lesson's; nothing is graded in them")
        return claims

    def _choose_solution(self, known: LessonCell, claims: list[NotebookNode]) -> None:
        """Choose which cell bears a solution's grade id, and take away copies that are as they were handed out."""
        name = known.name
        written = [cell for cell in claims if not _untouched(cell, known)]
        if not written and known.cell_type == "code":
            # Nothing in the cell that was made for it: perhaps the code was written into another one.
            names = _defined(known.source)
            written = [
                cell
                for cell in self.notebook.cells
                if cell.cell_type == "code"
                and not any(cell is one for one in claims)
                and not ({cell.metadata.get("nbgrader", {}).get("grade_id"), cell.id} & set(self.known))
                and names
                and names <= _defined(cell.source)
                and not _UNFINISHED.search(cell.source[:_LONGEST])
            ]
            if written:
                self._say(f"{name}: its solution was found in another cell")
        holder = self._nearest(known, written or claims)
        if holder is None:
            if known.cell_type == "code":
                self._say(f"{name}: no cell has its solution")
            return
        if len(claims) > 1:
            self._say(f"{name}: {len(claims)} cells bear this grade id; the points go by what they give together")
        self.holder[name] = holder
        if written:
            self._remove([cell for cell in claims if _untouched(cell, known)])
        self._restore(holder, known)

    def _nearest(self, known: LessonCell, candidates: list[NotebookNode]) -> NotebookNode | None:
        """Return the last candidate above the exercise's first test, as "Run All" has it, or else the last of all."""
        if not candidates:
            return None
        above = []
        for cell in self.notebook.cells:
            if self._tested_by(cell) == known.name:
                break
            above.append(cell)
        fits = [one for one in candidates if any(one is cell for cell in above)]
        return (fits or candidates)[-1]

    def _choose(self, known: LessonCell, claims: list[NotebookNode]) -> None:
        """Choose which cell bears the grade id of a cell that is no solution; its text is the lesson's where locked."""
        if not claims:
            return
        holder = next((cell for cell in claims if cell.id == known.name), claims[-1])
        if len(claims) > 1:
            self._say(f"{known.name}: {len(claims)} cells bear this grade id; one keeps it")
        # A copy that was put to another use stays, as a cell of the learner's own.
        handed_out = _without_hidden_tests(known.source)
        self._remove([cell for cell in claims if cell is not holder and cell.source.strip() == handed_out])
        self.holder[known.name] = holder
        self._restore(holder, known)

    def _restore(self, cell: NotebookNode, known: LessonCell) -> None:
        """Give a cell back its type, its metadata and, where it is locked, its text."""
        marks = cell.metadata.get("nbgrader", {})
        expected = _metadata(known)
        wrong = [key for key in _MARKS if marks.get(key) != expected.get(key)]
        if wrong:
            self._say(f"{known.name}: nbgrader's marks are the lesson's again ({', '.join(wrong)})")
        if cell.cell_type != known.cell_type:
            self._say(f"{known.name}: was made a {cell.cell_type} cell and is a {known.cell_type} cell again")
            new = getattr(nbformat.v4, f"new_{known.cell_type}_cell")(cell.source, id=cell.id)
            cell.clear()
            cell.update(new)
        # All of it anew: a tag can keep a cell from being run, and a test that does not run has not failed.
        cell.metadata = nbformat.from_dict(
            {"nbgrader": expected, "deletable": False, **({"editable": False} if known.locked else {})}
        )
        if known.locked:
            if cell.source.strip() not in (known.source.strip(), _without_hidden_tests(known.source)):
                self._say(f"{known.name}: its text was edited and is the lesson's again")
            cell.source = known.source

    def _remove(self, cells: list[NotebookNode]) -> None:
        self.notebook.cells = [cell for cell in self.notebook.cells if not any(cell is one for one in cells)]

    def _free_the_rest(self) -> None:
        for cell in self.notebook.cells:
            if not any(cell is one for one in self.holder.values()):
                cell.metadata = NotebookNode()

    def _tested_by(self, cell: NotebookNode) -> str | None:
        """Return the exercise that a cell tests, if it is one of the lesson's tests."""
        said = cell.metadata.get("nbgrader", {}).get("grade_id")
        known = self.known.get(said) if isinstance(said, str) else None
        known = known or self.known.get(cell.id)
        return self.exercise_of(known.name) if known and known.tests else None

    def _order_tests(self) -> None:
        """Move tests that stand above all solutions of their exercise to below it; all else stays where it is."""
        for name, solution in self.holder.items():
            if not self.known[name].solution:
                continue
            early = []
            for cell in self.notebook.cells:
                if cell is solution:
                    break
                if self._tested_by(cell) == name:
                    early.append(cell)
            if early:
                rest = [cell for cell in self.notebook.cells if not any(cell is one for one in early)]
                at = next(index for index, cell in enumerate(rest) if cell is solution) + 1
                self.notebook.cells = [*rest[:at], *early, *rest[at:]]
                self._say(f"{name}: {len(early)} test cells stood above the solution and run below it")

    def _add_missing(self) -> None:
        """Put back graded cells that were deleted: tests below their exercise, answers at the end."""
        for name, known in self.known.items():
            if name in self.holder or not (known.grade or known.task):
                continue
            cell = getattr(nbformat.v4, f"new_{known.cell_type}_cell")(known.source)
            cell.id = name if all(one.id != name for one in self.notebook.cells) else f"{name[:50]}-again"
            self._restore_silently(cell, known)
            if known.solution:
                # Not as it was handed out, so that a person looks whether the answer stands elsewhere.
                cell.source = DELETED_ANSWER + known.source if known.cell_type == "markdown" else known.source
            self.notebook.cells.insert(self._place_for(known), cell)
            self.holder[name] = cell
            self._say(f"{name}: was deleted and is there again")

    def _restore_silently(self, cell: NotebookNode, known: LessonCell) -> None:
        said = len(self.remarks)
        self._restore(cell, known)
        del self.remarks[said:]

    def _place_for(self, known: LessonCell) -> int:
        """Return where a test belongs: below its exercise's other tests, or its solution, or at the end."""
        exercise = self.exercise_of(known.name) if known.tests else None
        above = self.holder.get(exercise) if exercise else None
        after = [
            index
            for index, cell in enumerate(self.notebook.cells)
            if exercise and (cell is above or self._tested_by(cell) == exercise)
        ]
        return after[-1] + 1 if after else len(self.notebook.cells)

    def _say(self, line: str) -> None:
        self.remarks.append(line)


def _exercises(lesson: str) -> Callable[[str], str | None]:
    """Return how the grade id of a test leads to its exercise's; for lessons that the course lacks, it never does."""
    try:
        known = lesson_named(lesson)
    except KeyError:
        return lambda _: None
    return lambda name: exercise_of(known, name)


def _metadata(known: LessonCell) -> dict:
    """Return nbgrader's metadata of a cell, as generate_assignment writes it."""
    marks = {
        "grade": known.grade,
        "grade_id": known.name,
        "locked": known.locked,
        "schema_version": 3,
        "solution": known.solution,
        "task": known.task,
        "checksum": known.checksum,
        "cell_type": known.cell_type,
    }
    return {**marks, "points": known.points} if known.grade or known.task else marks


def _untouched(cell: NotebookNode, known: LessonCell) -> bool:
    """Tell whether a solution cell is as it was handed out, in whichever language, or empty."""
    if not cell.source.strip() or cell.source.strip() == known.source.strip():
        return True
    if known.cell_type != "code" or not _UNFINISHED.search(cell.source[:_LONGEST]):
        return False
    return (_shape(cell.source) or cell.source) == (_shape(known.source) or known.source)


def _without_hidden_tests(source: str) -> str:
    """Return a test cell's text as learners have it."""
    return re.sub(r"^\s*### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS[^\n]*\n?", "", source, flags=re.M | re.S).strip()


@lru_cache(1000)
def _shape(source: str) -> str | None:
    """Return what Python makes of some code, without comments and docstrings; None where it makes nothing of it."""
    tree = _tree(source)
    if tree is None:
        return None
    try:
        for node in ast.walk(tree):
            if isinstance(body := getattr(node, "body", None), list):
                body[:] = [one for one in body if not _says_nothing(one)]
        return ast.dump(tree)
    except RecursionError:
        return None


def _says_nothing(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _tree(source: str) -> ast.Module | None:
    if len(source) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _defined(source: str) -> set[str]:
    """Return the names that some code defines at its top level; by its lines where Python cannot read it."""
    tree = _tree(source)
    if tree is None:
        return {one or other for one, other in _DEFINITION.findall(source[:_LONGEST])}
    found: set[str] = set()
    for node in tree.body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        found.update(one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
    return found
