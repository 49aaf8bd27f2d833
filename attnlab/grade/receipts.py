"""Know which submissions have been graded as they stand, also after a run that was cut off.

A receipt lies in `.attnlab/graded/<lesson>/<student>.json`: what was graded, by which tests, and the scores given.
It counts only while the gradebook holds those very scores.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry

from attnlab.grade.intake import MOST_BYTES, TIMESTAMP

FOLDER = ".attnlab"
_MOST_FILES = 200


@dataclass(frozen=True)
class Submission:
    """What one learner handed in for one lesson."""

    student: str
    lesson: str
    folder: Path
    tests: str
    """The digest of the tests that it is graded by."""

    def __str__(self) -> str:
        """Return it as messages name it."""
        return f"{self.student}/{self.lesson}"


def tests_digest(gradebook: Gradebook, lesson: str) -> str:
    """Return the digest of what a lesson's submissions are graded by; MissingEntry where the gradebook lacks it."""
    found = hashlib.sha256()
    for notebook in gradebook.find_assignment(lesson).notebooks:
        points = {cell.name: cell.max_score for cell in notebook.grade_cells}
        for cell in sorted(notebook.source_cells, key=lambda one: one.name):
            found.update(json.dumps([cell.name, cell.source, points.get(cell.name)]).encode())
    return found.hexdigest()


def scores_of(submission: Any) -> dict[str, float | None]:
    """Return the automatic score of each cell of a submission in the gradebook, by `notebook/cell`."""
    return {
        f"{notebook.name}/{grade.name}": grade.auto_score
        for notebook in submission.notebooks
        for grade in notebook.grades
    }


def receipt_of(submission: Submission, handed_in: str, scores: dict[str, float | None]) -> dict[str, Any]:
    """Return the receipt for these scores of what had this digest."""
    return {"tests": submission.tests, "handed_in": handed_in, "scores": scores}


def write_receipt(root: Path, submission: Submission, receipt: dict[str, Any]) -> None:
    """Write a receipt, whole or not at all."""
    path = _path(root, submission)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(receipt, ensure_ascii=True), encoding="utf-8")
    os.replace(part, path)


def is_graded(root: Path, submission: Submission, gradebook: Gradebook) -> tuple[float, float] | None:
    """Return the points and the possible points of a submission that has been graded as it stands; else None."""
    try:
        receipt = json.loads(_path(root, submission).read_text(encoding="utf-8"))
        found = gradebook.find_submission(submission.lesson, submission.student)
    except (OSError, ValueError, MissingEntry):
        return None
    autograded = root / "autograded" / submission.student / submission.lesson / f"{submission.lesson}.ipynb"
    if not autograded.is_file() or receipt != receipt_of(submission, handed_in_digest(submission), scores_of(found)):
        return None
    return found.score, found.max_score


def _path(root: Path, submission: Submission) -> Path:
    # By digest: a student's name may be as long as a file name can be.
    name = hashlib.sha256(os.fsencode(submission.student)).hexdigest()[:32]
    return root / FOLDER / "graded" / submission.lesson / f"{name}.json"


def handed_in_digest(submission: Submission) -> str:
    """Return the digest of all that a submission's score can depend on."""
    folder, found = submission.folder, hashlib.sha256()
    for number, path in enumerate(_files(folder)):
        if number > _MOST_FILES:
            break
        found.update(os.fsencode(path.relative_to(folder)) + b"\0")
        try:
            if path.is_symlink() or path.stat().st_size > MOST_BYTES:
                status = path.lstat()
                found.update(f"{status.st_size} {status.st_mtime_ns}".encode())
            else:
                found.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError as problem:
            found.update(type(problem).__name__.encode())
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files that a score can depend on, in a fixed order; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place) / name
            if (name.endswith(".ipynb") or name == TIMESTAMP) and (path.is_file() or path.is_symlink()):
                yield path
