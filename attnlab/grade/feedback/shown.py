"""What formgrader shows of a submission, with nothing in it that runs: it is shown inside the instructor's session."""

from typing import Any

from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

from attnlab.grade.feedback import clean


class Harmless(Preprocessor):
    """Take out of prose what could run; for `c.HTMLExporter.preprocessors`, beside `sanitize_html` for outputs."""

    def preprocess_cell(self, cell: NotebookNode, resources: ResourcesDict, index: int) -> tuple[NotebookNode, Any]:
        """Put cleaned HTML in the place of a cell's Markdown."""
        if cell.cell_type != "code":
            made = clean.from_markdown(cell.source)
            # It goes through Markdown once more, which begins anew after an empty line: there is none.
            cell.source = "\n".join(line if line.strip() else "&#10;" for line in made.split("\n"))
        return cell, resources
