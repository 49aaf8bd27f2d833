"""What formgrader shows of a submission runs nothing, by the course's configuration alone."""

import re

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from nbgrader.server_extensions.formgrader import handlers

from attnlab.teach.grader import load_config
from tests.grade.test_feedback import TRICKS
from tests.gradecells import ROOT


def shown(notebook: NotebookNode) -> str:
    """Return formgrader's page, made as its server extension makes it."""
    config = load_config(ROOT)
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    for cell in notebook.cells:
        cell.metadata["nbgrader"] = {}
    about = {"base_url": "/", "index": 0, "total": 1, "submission_id": "s"}
    about |= dict.fromkeys(("student", "assignment_id", "notebook_id", "last_name", "first_name", "mathjax_url"), "x")
    return HTMLExporter(config=config).from_notebook_node(notebook, resources=about)[0]


def test_no_trick_is_alive_in_prose_or_outputs() -> None:
    prose = [new_markdown_cell(f"{trick}\n\n> text\n\n{trick}") for trick in TRICKS]
    raw = [new_raw_cell(trick) for trick in TRICKS]
    kinds = ("text/html", "image/svg+xml", "text/markdown", "application/javascript")
    outputs = [new_output("display_data", data={kind: trick}) for trick in TRICKS for kind in kinds]
    page = shown(new_notebook(cells=[*prose, *raw, new_code_cell("1", outputs=outputs)]))
    body = page[page.index('id="notebook-container"') :]
    body = body[: body.index("<script") if "<script" in body else None]  # formgrader's own come at the end
    tags = re.findall(r"<[^>]*>", body)
    assert len(tags) > 100
    assert not [tag for tag in tags if re.search(r"<\s*(script|iframe|object|form|link|meta|base)\b", tag, re.I)]
    assert not [tag for tag in tags if re.search(r"\son\w+\s*=|(href|src)\s*=\s*[\"']?\s*javascript:", tag, re.I)]


def test_prose_looks_as_it_did() -> None:
    page = shown(new_notebook(cells=[new_markdown_cell("# Title\n\n> *quoted* $a<b$\n\n```\none\n\ntwo\n```")]))
    assert "<h1>Title</h1>" in page
    assert re.search(r"<blockquote>\s*<p><em>quoted</em> \$a&lt;b\$</p>", page)
    assert re.search(r"one\s+two", page)
