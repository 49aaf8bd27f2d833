"""Read and write notebook files, in one way for the whole project."""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from attnlab.course import DEFAULT_LANGUAGE, LANGUAGES

_START = re.compile(r"""\bstart\(\s*["'][^"']*["']\s*,\s*(?:language\s*=\s*)?["'](\w+)["']""")


def read(path: Path) -> NotebookNode:
    """Return the notebook in this file."""
    return nbformat.read(path, as_version=4)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook, with the same bytes on every system."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        nbformat.write(notebook, file)


def language_of(notebook: NotebookNode) -> str:
    """Return the language that the notebook's setup cell chooses."""
    for cell in notebook.cells:
        found = _START.search(cell.source) if cell.cell_type == "code" else None
        if found and found[1] in LANGUAGES:
            return found[1]
    return DEFAULT_LANGUAGE
