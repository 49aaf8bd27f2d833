"""Read and write notebook files, in one way for the whole project."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode


def read(path: Path) -> NotebookNode:
    """Return the notebook in this file."""
    return nbformat.read(path, as_version=4)


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook, with the same bytes on every system."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        nbformat.write(notebook, file)
