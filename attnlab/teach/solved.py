"""Make the notebooks to read: the source in one language, solved, executed, without hidden tests."""

import copy
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

import attnlab
from attnlab.learn.local_llm import SETTING
from attnlab.problem import Problem
from attnlab.teach.localise import localise_notebook, other_languages
from attnlab.teach.sources import REGIONS, cell_name

_NO_MODEL = "http://127.0.0.1:9"  # where nothing listens: no answer of a local model gets into the pages
_TIMEOUT = 120  # seconds a cell
_LINK = re.compile(r"\.\./(\w+)/\1\.ipynb")


def without_region(source: str, region: str) -> str:
    """Return the text of a cell without the lines from `### BEGIN <region>` to `### END <region>`."""
    kept, inside = [], False
    for line in source.split("\n"):
        if f"### BEGIN {region}" in line:
            inside = True
        elif f"### END {region}" in line:
            inside = False
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def solved(source: NotebookNode, language: str) -> NotebookNode:
    """Return the solved notebook in one language, not yet executed."""
    notebook = copy.deepcopy(source)
    dropped = other_languages(language)
    notebook.cells = [cell for cell in notebook.cells if not dropped & set(cell.metadata.get("tags", []))]
    localise_notebook(notebook, language)
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)
        for region in REGIONS[1:]:
            cell.source = without_region(cell.source, region)
        cell.source = "\n".join(
            line for line in cell.source.split("\n") if not re.search(r"### (BEGIN|END) SOLUTION", line)
        )
        cell.source = _LINK.sub(r"\1.ipynb", cell.source)  # they lie side by side, not in folders of their own
    return notebook


def fingerprint(notebook: NotebookNode) -> str:
    """Return a hash of all that the outputs depend on: the cells, and the code and texts that they import."""
    digest = hashlib.sha256(json.dumps([cell.source for cell in notebook.cells]).encode())
    package = Path(attnlab.__file__).parent
    for path in sorted([package / "course.py", *(package / "learn").rglob("*")]):
        if path.suffix in (".py", ".toml"):
            digest.update(path.read_text(encoding="utf-8").encode())
        elif path.suffix == ".npz":
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _outputs_hash(notebook: NotebookNode) -> str:
    outputs = [cell.get("outputs", []) for cell in notebook.cells]
    return hashlib.sha256(json.dumps(outputs, sort_keys=True).encode()).hexdigest()


def is_current(path: Path, wanted: NotebookNode) -> bool:
    """Tell whether the file is this notebook, executed with the present code, its outputs as they were written.

    Pictures and timings differ a little from machine to machine, so a notebook is executed anew only where what
    it was made from has changed.
    """
    try:
        there = nbformat.read(path, as_version=4)
    except Exception:
        return False
    made = there.metadata.get("attnlab", {})
    return (
        [(cell.get("id"), cell.cell_type, cell.source) for cell in there.cells]
        == [(cell.get("id"), cell.cell_type, cell.source) for cell in wanted.cells]
        and made.get("made_from") == fingerprint(wanted)
        and made.get("outputs") == _outputs_hash(there)
    )


def execute(notebook: NotebookNode, name: str, folder: Path) -> NotebookNode:
    """Run every cell in `folder` and keep the outputs; Problem where a cell fails or writes to stderr."""
    client = NotebookClient(
        notebook,
        timeout=_TIMEOUT,
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,  # a progress bar is one output, not one a step
        resources={"metadata": {"path": str(folder)}},
    )
    # The kernel's own log is not the notebook's: what cells write to stderr comes back as an output all the same.
    env = {**os.environ, "PYTHONHASHSEED": "0", SETTING: _NO_MODEL, "ATTNLAB_GGUF": "stored"}
    client.execute(env=env, stderr=subprocess.DEVNULL)
    wrong = list(_failures(notebook, name))
    if wrong:
        raise Problem(*wrong)
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.metadata["attnlab"] = {"made_from": fingerprint(notebook), "outputs": _outputs_hash(notebook)}
    return notebook


def _failures(notebook: NotebookNode, name: str) -> Iterator[str]:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"{name}: {cell_name(cell)}: {output.ename}: {output.evalue}".replace("\n", " ")[:300]
            elif output.output_type == "stream" and output.name == "stderr":
                yield f"{name}: {cell_name(cell)}: writes to stderr: {output.text.strip().splitlines()[0][:120]}"
