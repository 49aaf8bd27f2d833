"""From the folder that a learner handed in to one sound notebook, or one line that says why there is none."""

import hashlib
import json
import math
import os
import re
import stat
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from attnlab.course import COURSE
from attnlab.problem import Problem

MOST_BYTES = 50_000_000
"""Of one notebook file."""
MOST_VALUES = 3_000_000
"""Of one notebook's JSON: short values take many times their length in memory."""
MOST_CELLS = 2_000
MOST_NOTEBOOKS = 20
"""How many notebooks of one folder are looked into."""
MOST_ENTRIES = 2_000
"""How many files of one folder are looked at."""
_DEPTH = 3
TIMESTAMP = "timestamp.txt"
"""Where nbgrader keeps the time of handing in."""
_OF_NBGRADER = (TIMESTAMP, "submission_secret.txt")
_CELL_TYPES = ("code", "markdown", "raw")
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml")


@dataclass(frozen=True)
class Taken:
    """What a learner handed in, ready to be graded."""

    notebook: NotebookNode
    """Valid nbformat 4, without outputs."""
    remarks: list[str]
    """What an instructor should know, a line each."""
    digest: str
    """SHA-256 of the notebook's bytes, in hexadecimal."""


@dataclass
class _Found:
    """One notebook file that may be the submission."""

    path: str
    name: str
    """Relative to the folder, fit to be printed."""
    expected: bool
    depth: int
    raw: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    known: int = 0
    problem: str = ""


def grade_ids(root: Path, lesson: str) -> list[str]:
    """Return the grade ids of a lesson's source notebook, in order; Problem where it cannot be read."""
    path = root / "source" / lesson / f"{lesson}.ipynb"
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return [grader["grade_id"] for cell in cells if (grader := cell["metadata"].get("nbgrader"))]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Problem(f"{path}: no source notebook can be read there ({type(error).__name__})") from None


def take(folder: Path, lesson: str, known: Sequence[str]) -> Taken:
    """Return the one notebook in `folder` that is about `lesson`, whose grade ids are `known`.

    Problem, with one line, where there is nothing to grade. Symbolic links are not followed.
    """
    where = printable(str(folder))
    remarks: list[str] = []
    found: list[_Found] = []
    others: list[str] = []
    refused: list[str] = []
    try:
        if stat.S_ISLNK(folder.lstat().st_mode):
            raise Problem(f"{where}: is a symbolic link; put the submission itself there")
        if not folder.is_dir():
            raise Problem(f"{where}: is not a folder; put the submission into a folder of this name")
        for entry, depth in _entries(folder):
            name = printable(os.path.relpath(entry.path, folder))
            if not _is_notebook(entry.name):
                if entry.name not in _OF_NBGRADER:
                    others.append(name)
            elif entry.is_symlink():
                refused.append(f"{name} is a symbolic link; ask for the file itself")
            elif not entry.is_file(follow_symlinks=False):
                refused.append(f"{name} is no file; ask for the notebook")
            else:
                found.append(_Found(entry.path, name, _folded(entry.name) == _folded(f"{lesson}.ipynb"), depth))
    except OSError as error:
        raise Problem(f"{where}: cannot be read ({error.strerror}); give yourself access to it") from None
    if others:
        remarks.append(f"ignored, only the notebook counts: {_listed(others)}")
    found.sort(key=lambda one: (not one.expected, one.depth, one.name))
    if len(found) > MOST_NOTEBOOKS:
        remarks.append(f"{len(found)} notebooks, of which {MOST_NOTEBOOKS} were looked into")
    best: _Found | None = None
    for one in found[:MOST_NOTEBOOKS]:
        _look_into(one, set(known))
        if one.problem:
            refused.append(f"{one.name} {one.problem}")
        # The first of equals stays: the expected name, then the one that lies highest.
        elif best is None or one.known > best.known:
            if best:
                best.raw = {}  # one at a time is held in memory
            best = one
        else:
            one.raw = {}
    if best is None:
        if not refused:
            raise Problem(f"{where}: no notebook there; ask for {lesson}.ipynb")
        raise Problem(f"{where}: {'; '.join(refused[:3])}")
    if not best.known:
        _refuse_strangers(where, best, lesson)
    remarks += [f"not used: {line}" for line in refused]
    more = [one.name for one in found if one is not best and not one.problem]
    if more:
        remarks.append(
            f"{len(more) + 1} notebooks: {best.name} has most cells of the lesson; not used: {_listed(more)}"
        )
    elif not best.expected:
        remarks.append(f"{best.name} was graded as {lesson}.ipynb: its cells are of this lesson")
    if not best.known:
        remarks.append(f"{best.name} has none of the lesson's cells left as they were handed out")
    try:
        notebook, mended = sound(best.raw)
    except Problem as problem:
        raise Problem(f"{where}: {best.name} {problem.lines[0]}") from None
    return Taken(notebook, remarks + [f"{best.name}: {line}" for line in mended], best.digest)


def printable(name: str, most: int = 120) -> str:
    """Return a name of a learner's as one harmless line: what cannot be printed is written as an escape."""
    line = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in name)
    return line if len(line) <= most else f"{line[:most]}…"


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _is_notebook(name: str) -> bool:
    return name.casefold().endswith(".ipynb") and not name.startswith(".")


def _entries(folder: Path, depth: int = 0, seen: list[int] | None = None) -> Iterator[tuple[os.DirEntry, int]]:
    """Yield what lies in a folder and, for those who hand in a folder in a folder, a little below it."""
    seen = [0] if seen is None else seen
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            seen[0] += 1
            if seen[0] > MOST_ENTRIES:
                return
            if entry.name == ".ipynb_checkpoints" or (
                depth == 0 and entry.name == "feedback" and entry.is_dir(follow_symlinks=False)
            ):
                continue
            hidden = entry.name.startswith(".") or _is_notebook(entry.name)
            if entry.is_dir(follow_symlinks=False) and not hidden and depth < _DEPTH:
                try:
                    yield from _entries(Path(entry.path), depth + 1, seen)
                    continue
                except PermissionError:
                    pass  # named by the caller, among what was ignored
            yield entry, depth


def _look_into(one: _Found, known: set[str]) -> None:
    """Read a notebook, count the lesson's cells in it, and keep it; or note in words what is wrong with it."""
    try:
        data = _bytes_of(one.path)
        one.raw = parsed(data)
    except Problem as problem:
        one.problem = problem.lines[0]
        return
    one.digest = hashlib.sha256(data).hexdigest()
    one.known = len(known & {name for cell in one.raw["cells"] for name in _names_of(cell)})


def _bytes_of(path: str) -> bytes:
    """Return the bytes of a regular file; Problem where it is none, is too large or cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Problem("is no file; ask for the notebook")
            data = file.read(MOST_BYTES + 1) if status.st_size <= MOST_BYTES else None
    except OSError as error:
        raise Problem(f"cannot be read ({error.strerror}); give yourself access to it") from None
    if data is None or len(data) > MOST_BYTES:
        size = max(status.st_size, MOST_BYTES + 1) / 1e6
        raise Problem(
            f"has {size:.0f} MB, and {MOST_BYTES / 1e6:.0f} are read at most; ask for it with its outputs cleared"
        )
    return data


def parsed(data: bytes) -> dict[str, Any]:
    """Return the JSON of a notebook, converted to nbformat 4 but not checked further.

    Problem, with the end of a line that begins with the file's name, where it is no notebook.
    """
    if not data.strip():
        raise Problem("is empty; ask for it again")
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise Problem("holds too much to be read; ask for it with its outputs cleared")
    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Problem("is not UTF-8 text, as notebooks are; ask for it as Jupyter saved it") from None
    except RecursionError:
        raise Problem("is nested too deeply to be a notebook; ask for it as Jupyter saved it") from None
    except json.JSONDecodeError as error:
        raise Problem(f"is broken: no JSON from line {error.lineno} on; ask for it again, or mend it there") from None
    except ValueError:  # a number with thousands of digits
        raise Problem("is broken: a number in it is too long; ask for it as Jupyter saved it") from None
    if not isinstance(raw, dict) or not ({"cells", "worksheets"} & set(raw)):
        raise Problem("is JSON but no notebook; ask for the notebook")
    version = raw.get("nbformat", 4 if "cells" in raw else 3)
    if type(version) is not int or version < 1:
        raise Problem("does not say its notebook format; ask for it as Jupyter saved it")
    if version > 4:
        raise Problem(f"is in notebook format {version}, and this grader knows 4; ask for it in format 4")
    if version < 4:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                raw = nbformat.convert(nbformat.from_dict({**raw, "nbformat": version}), 4)
        except Exception:  # of any kind: the old converters trust what they are given
            raise Problem(f"is in notebook format {version} and cannot be converted; ask for it in format 4") from None
    if not isinstance(raw.get("cells"), list):
        raise Problem("has no list of cells, so it is no notebook; ask for it as Jupyter saved it")
    if len(raw["cells"]) > MOST_CELLS:
        raise Problem(f"has {len(raw['cells'])} cells, and {MOST_CELLS} are graded at most; look at it yourself")
    return raw


def _names_of(cell: Any) -> Iterator[str]:
    """Yield by what a cell may be known: its grade id and its own id, which the course keeps the same."""
    if isinstance(cell, dict):
        metadata = cell.get("metadata")
        grader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        for name in (grader.get("grade_id") if isinstance(grader, dict) else None, cell.get("id")):
            if isinstance(name, str):
                yield name


def _refuse_strangers(where: str, one: _Found, lesson: str) -> None:
    """Raise Problem where a notebook is another lesson's, or nothing says that it is this one's."""
    names = {name for cell in one.raw["cells"] for name in _names_of(cell)}
    for other in COURSE:
        if other.name != lesson and names.intersection(other.exercises):
            raise Problem(f"{where}: {one.name} is the notebook of {other.name}; ask for that of {lesson}")
    if not one.expected:
        raise Problem(f"{where}: {one.name} has no cell of {lesson}; ask for {lesson}.ipynb")


def sound(raw: Any) -> tuple[NotebookNode, list[str]]:
    """Return a valid nbformat 4 notebook made of what is sound in `raw`, without outputs, and what was mended.

    Kept of a cell: its id, type, source, pasted pictures, and nbgrader's metadata (as they are, if a dictionary).
    Problem, with the end of a line that begins with the file's name, where there is no cell at all to be kept.
    """
    notebook = nbformat.v4.new_notebook(metadata={"language_info": {"name": "python"}})
    remarks: list[str] = []
    used: set[str] = set()
    dropped = repeated = 0
    for number, cell in enumerate(raw["cells"] if isinstance(raw.get("cells"), list) else []):
        source = _text(cell.get("source", "")) if isinstance(cell, dict) else None
        if source is None or not isinstance(cell, dict) or cell.get("cell_type") not in _CELL_TYPES:
            dropped += 1
            continue
        name = cell.get("id")
        if not isinstance(name, str) or not _CELL_ID.fullmatch(name) or name in used:
            repeated += isinstance(name, str)
            name = next(free for free in _free_ids(number) if free not in used)
        used.add(name)
        new = getattr(nbformat.v4, f"new_{cell['cell_type']}_cell")(source, id=name)
        metadata = cell.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("nbgrader"), dict):
            new.metadata["nbgrader"] = nbformat.from_dict(_plain(metadata["nbgrader"]))
        if cell["cell_type"] == "markdown" and (pictures := _pictures(cell.get("attachments"))):
            new.attachments = nbformat.from_dict(pictures)
        notebook.cells.append(new)
    if dropped:
        remarks.append(f"left out, no cells by their type or text: {dropped}")
    if repeated:
        remarks.append(f"cell ids given anew, being taken or no ids: {repeated}")
    if dropped and not notebook.cells:
        raise Problem("has no cell that can be read; ask for it as Jupyter saved it")
    nbformat.validate(notebook, version=4)
    return notebook, remarks


def _free_ids(number: int) -> Iterator[str]:
    yield f"cell-{number}"
    for more in range(MOST_CELLS):
        yield f"cell-{number}-{more}"


def _text(value: Any) -> str | None:
    """Return a source as one text that can be written as UTF-8, or None where it is no text."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    return _encodable(value) if isinstance(value, str) else None


def _encodable(text: str) -> str:
    # JSON can hold halves of surrogate pairs, on which hashing and writing would stop.
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(grader: dict[str, Any]) -> dict[str, Any]:
    """Return nbgrader's metadata without what could not be one of its values."""
    kept: dict[str, Any] = {}
    for key, value in grader.items():
        if isinstance(value, str):
            kept[_encodable(key)] = _encodable(value)
        elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            kept[_encodable(key)] = value
    return kept


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """Return the pictures that were pasted into a cell: file name → MIME type → base64."""
    kept = {}
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        for mime in _PICTURES:
            data = _text(bundle.get(mime)) if isinstance(bundle, dict) else None
            if data and re.fullmatch(r"[A-Za-z0-9+/=\s]+", data):
                kept[_encodable(name)] = {mime: data}
    return kept
