"""Make one language's notebook out of the source, which holds both.

Prose stands in the source as two cells tagged `zh` and `en`, and nbconvert's TagRemovePreprocessor drops one.
Code stands once; inside it, whole lines of comments and docstrings that begin with `[zh]` or `[en]` belong to
one language.
"""

import re

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

from attnlab.course import DEFAULT_LANGUAGE, LANGUAGES

CODE_STUB = {
    "zh": "# 在这里写你的代码\nraise NotImplementedError()",
    "en": "# your code here\nraise NotImplementedError()",
}
# One text for both: nbgrader gives an untouched answer 0 only where it equals what the gradebook has.
ANSWER_STUB = "*在这里写你的回答。* / *Write your answer here.*"

LANGUAGE_SETTING = 'language="{}"'
_MARKED = re.compile(r'^(?P<lead>\s*(?:#\s*)?(?P<quotes>"""|\'\'\')?)\[(?P<language>[a-z]{2})\] ?(?P<text>.*)$')


def other_languages(language: str) -> set[str]:
    """Return the course's languages without this one; ValueError for one that it does not have."""
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r}: this course has {' and '.join(LANGUAGES)}")
    return set(LANGUAGES) - {language}


def marked_language(line: str) -> str | None:
    """Return the language that a line of code is marked with, or None."""
    found = _MARKED.match(line)
    return found["language"] if found and found["language"] in LANGUAGES else None


def localise(source: str, language: str) -> str:
    """Return a code cell's text with the marked lines of `language` alone, their marks taken off.

    Where a dropped line opened a docstring, the line kept after it opens it instead.
    """
    kept = []
    opening = ""
    for line in source.split("\n"):
        if marked_language(line) is None:
            kept.append(line)
            continue
        found = _MARKED.match(line)
        assert found is not None
        if found["language"] == language:
            lead = found["lead"]
            if opening and not found["quotes"]:
                lead += opening
            kept.append(lead + found["text"])
            opening = ""
        elif found["quotes"]:
            opening = found["quotes"]
    return "\n".join(kept)


def localise_notebook(notebook: NotebookNode, language: str) -> NotebookNode:
    """Return the notebook, changed in place, with code and language setting in `language` and no language tags."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = localise(cell.source, language).replace(
                LANGUAGE_SETTING.format(DEFAULT_LANGUAGE), LANGUAGE_SETTING.format(language)
            )
        tags = [tag for tag in cell.metadata.get("tags", []) if tag not in LANGUAGES]
        if tags:
            cell.metadata["tags"] = tags
        else:
            cell.metadata.pop("tags", None)
    return notebook


def go_on_after_errors(notebook: NotebookNode) -> NotebookNode:
    """Tag graded cells and stubs so that JupyterLab's "Run All" goes on past one that fails; scores don't change."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader"):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "raises-exception"]
    return notebook


class Localise(NbGraderPreprocessor):
    """The step of nbgrader's GenerateAssignment that makes a learner's notebook in one language."""

    language = Unicode(DEFAULT_LANGUAGE, help="The language that is kept in code cells.").tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Localise one notebook."""
        return go_on_after_errors(localise_notebook(nb, self.language)), resources
