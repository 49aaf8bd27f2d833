"""The feedback page of one graded notebook, as nbgrader's generate_feedback writes it."""

import base64
import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources as files
from typing import Any
from urllib.parse import urlsplit

import jinja2
from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import GetGrades
from pygments.formatters import HtmlFormatter
from traitlets import Unicode

from attnlab.course import exercise_of, lesson_named
from attnlab.grade import NOT_RUN
from attnlab.grade.feedback import clean
from attnlab.learn import messages
from attnlab.teach.notebooks import language_of

MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/3.2.2/es5/tex-svg.js"
MOST_OUTPUTS = 40
"""Of one cell."""
MOST_MARKUP = 12_000_000
"""Characters of all outputs of a page."""
MOST_TAGS = 12_000
"""Of all HTML on a page that comes from the notebook; beyond, it is shown as text."""
_NO_RESPONSE = "No response."  # nbgrader's own words, in its gradebook
# Formulas alone, in prose alone: no package that loads others or makes links, no menu.
_MATHJAX_SETUP = """window.MathJax = {
  tex: {inlineMath: [["$", "$"], ["\\\\(", "\\\\)"]], packages: ["base", "ams", "newcommand", "noundefined"]},
  options: {ignoreHtmlClass: "fb-page", processHtmlClass: "fb-prose", enableMenu: false}
};"""


@dataclass(frozen=True)
class Check:
    """One test cell and how it came out."""

    anchor: str
    name: str
    """The property that it checks, in words."""
    headline: str
    """The same with its exercise."""
    points: float
    earned: float
    state: str
    """"passed", "partly" or "failed"."""
    message: str = ""
    note: str = ""
    """A sentence of the page's own about it."""
    picture: Markup | None = None


@dataclass(frozen=True)
class Piece:
    """One part of the page, in the notebook's order."""

    kind: str
    """"prose", "code", "solution", "answer" or "check"."""
    source: Markup | None = None
    outputs: tuple[Markup, ...] = ()
    anchor: str = ""
    exercise: str = ""
    check: Check | None = None
    comment: Markup | None = None
    earned: float = 0.0
    points: float = 0.0
    waits: bool = False


@dataclass
class Row:
    """One exercise in the table of points."""

    exercise: str
    anchor: str = ""
    earned: float = 0.0
    points: float = 0.0
    waits: bool = False
    checks: list[Check] = field(default_factory=list)


class Points(GetGrades):
    """nbgrader's GetGrades, which also notes what still waits for a person; for `c.GenerateFeedback.preprocessors`."""

    def _get_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        super()._get_score(cell, resources)
        grade = self.gradebook.find_grade(
            cell.metadata["nbgrader"]["grade_id"], self.notebook_id, self.assignment_id, self.student_id
        )
        cell.metadata["nbgrader"]["waits"] = bool(grade.needs_manual_grade and grade.manual_score is None)


class FeedbackExporter(Exporter):
    """From a graded notebook to its page; for `c.GenerateFeedback.exporter_class`."""

    mathjax_url = Unicode(
        MATHJAX, help="Where the page gets MathJax 3 for formulas; empty: formulas stay as they are written."
    ).tag(config=True)

    def __init__(self, **options: Any) -> None:
        """Set it up as nbconvert does, and let it read the points itself."""
        super().__init__(**options)
        self.register_preprocessor(Points, enabled=True)

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(  # type: ignore[override]  # as nbconvert's own exporters to text do
        self, nb: NotebookNode, resources: Any | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the page of a notebook that has nbgrader's points in its cells' metadata."""
        graded, resources = super().from_notebook_node(nb, resources, **kw)
        # A notebook's own files stay where they are.
        resources["outputs"] = {}
        return page(graded, resources["nbgrader"], self.mathjax_url), resources


def page(notebook: NotebookNode, about: dict[str, Any], mathjax_url: str = MATHJAX) -> str:
    """Return the page; `about` is nbgrader's: student, assignment, score, max_score, late_penalty."""
    language = language_of(notebook)
    pieces = _Pieces(language, about["assignment"]).of(notebook)
    styles = f"{_file('page.css')}\n{HtmlFormatter().get_style_defs('.highlight')}"

    def words(key: str, **values: Any) -> str:
        return messages.catalogue()[f"feedback.{key}"][language].format(**values)

    return _template().render(
        language={"zh": "zh-CN"}.get(language, language),
        words=words,
        mark={"passed": "✓", "partly": "◐", "failed": "✗"}.get,
        points=_points,
        title=_title(about["assignment"], language),
        learner=about["student"],
        score=about.get("score") or 0.0,
        most=about.get("max_score") or 0.0,
        late=about.get("late_penalty") or 0.0,
        pieces=pieces,
        rows=_rows(pieces),
        styles=Markup(styles),
        policy=_policy(mathjax_url),
        mathjax_url=mathjax_url,
        mathjax_setup=Markup(_MATHJAX_SETUP),
    )


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_file("page.html.j2"))


def _file(name: str) -> str:
    return files.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(mathjax_url: str) -> str:
    """Return the page's Content-Security-Policy: of scripts, MathJax and its setup alone; of pictures, its own."""
    scripts = "'none'"
    if mathjax_url:
        setup = base64.b64encode(hashlib.sha256(_MATHJAX_SETUP.encode()).digest()).decode()
        # A whole folder would do too, but one file is all that is needed.
        source = mathjax_url if urlsplit(mathjax_url).scheme else "'self'"
        scripts = f"'sha256-{setup}' {source}"
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _points(value: float) -> str:
    return f"{round(value, 2):g}"


def _title(assignment: str, language: str) -> str:
    try:
        return lesson_named(assignment).title[language]
    except KeyError:
        return assignment


def _rows(pieces: list[Piece]) -> list[Row]:
    """Return the table of points, exercises in the order in which they come on the page."""
    rows: dict[str, Row] = {}
    for piece in pieces:
        if not piece.exercise or (piece.kind == "solution" and not piece.anchor):
            continue
        row = rows.setdefault(piece.exercise, Row(piece.exercise))
        row.anchor = row.anchor or piece.anchor
        if piece.check:
            row.checks.append(piece.check)
        row.earned += piece.check.earned if piece.check else piece.earned
        row.points += piece.check.points if piece.check else piece.points
        row.waits |= piece.waits
    return list(rows.values())


class _Pieces:
    """What a notebook's cells become on the page."""

    def __init__(self, language: str, assignment: str) -> None:
        self.language = language
        self.assignment = assignment
        self.room = MOST_MARKUP
        self.tags = MOST_TAGS
        self.test_lines: set[str] = set()

    def words(self, key: str, **values: Any) -> str:
        return messages.catalogue()[f"feedback.{key}"][self.language].format(**values)

    def of(self, notebook: NotebookNode) -> list[Piece]:
        for cell in notebook.cells:
            marks = cell.metadata.get("nbgrader") or {}
            if marks.get("grade") and not marks.get("solution"):
                self.test_lines |= {line.strip() for line in cell.source.splitlines() if len(line.strip()) > 3}
        return [self.piece(cell, f"cell-{number}") for number, cell in enumerate(notebook.cells)]

    def piece(self, cell: NotebookNode, anchor: str) -> Piece:
        marks = cell.metadata.get("nbgrader") or {}
        grade_id = str(marks.get("grade_id", ""))
        if marks.get("grade") and not marks.get("solution"):
            return Piece(
                "check", anchor=anchor, exercise=self.exercise(grade_id), check=self.check(cell, marks, anchor)
            )
        source = self.source(cell)
        outputs = tuple(self.outputs(cell))
        if marks.get("solution") or marks.get("task"):
            return Piece(
                "solution" if cell.cell_type == "code" else "answer",
                source,
                outputs,
                anchor,
                grade_id,
                comment=self.comment(marks.get("comment")),
                earned=float(marks.get("score") or 0.0),
                points=float(marks.get("points") or 0.0),
                waits=bool(marks.get("waits")),
            )
        return Piece("code" if cell.cell_type == "code" else "prose", source, outputs)

    def exercise(self, grade_id: str) -> str:
        try:
            return exercise_of(lesson_named(self.assignment), grade_id) or grade_id
        except KeyError:
            return grade_id

    def source(self, cell: NotebookNode) -> Markup:
        if cell.cell_type == "markdown":
            return self.markup(cell.source) or clean.from_markdown(cell.source, cell.get("attachments"))
        return clean.from_code(cell.source) if cell.cell_type == "code" else clean.from_text(cell.source)

    def comment(self, said: str | None) -> Markup | None:
        if not said:
            return None
        return clean.from_markdown(self.words("no_response") if said == _NO_RESPONSE else said)

    def check(self, cell: NotebookNode, marks: dict[str, Any], anchor: str) -> Check:
        """Return how a test came out; of its cell neither the code nor what the learner's code printed is told."""
        grade_id = str(marks.get("grade_id", ""))
        exercise = self.exercise(grade_id)
        key = f"check.{exercise}.{grade_id.removeprefix(f'test_{exercise}_')}"
        named = messages.catalogue().get(key, {}).get(self.language)
        points, earned = float(marks.get("points") or 0.0), float(marks.get("score") or 0.0)
        state = "passed" if earned >= points else "partly" if earned > 0 else "failed"
        outputs = cell.get("outputs", [])
        message = note = ""
        picture = None
        errors = [one for one in outputs if one.get("output_type") == "error"]
        on_stderr = [one for one in outputs if one.get("output_type") == "stream" and one.get("name") == "stderr"]
        if errors:
            error = errors[-1]
            said = clean.as_text(error.get("evalue"))
            if error.get("ename") == NOT_RUN:
                note = said or self.words("not_run")
            elif error.get("ename") == "CheckFailed":
                message = self.told(said, headline=named)
                # What expected and found look like beside each other.
                picture = next(filter(None, map(self.picture, reversed(outputs))), None)
            else:
                # A traceback would show the lines of the test.
                message = self.told(f"{error.get('ename')}: {said}")
        elif on_stderr:
            note = self.words("on_stderr")
            message = self.told("".join(clean.as_text(one.get("text")) for one in on_stderr))
        headline = messages.catalogue()["say.claim"][self.language].format(exercise=exercise, claim=named)
        return Check(
            anchor,
            named or grade_id,
            headline if named else grade_id,
            points,
            earned,
            state,
            message[: clean.LONGEST_TEXT],
            note,
            picture,
        )

    def told(self, said: str, headline: str | None = None) -> str:
        """Return a message without lines of tests, nor the line that the page has as its heading."""
        lines = [line for line in said.splitlines() if clean.strip_ansi(line).strip() not in self.test_lines]
        if lines and headline and lines[0].startswith("✗") and lines[0].endswith(headline):
            del lines[0]
        return "\n".join(line.removeprefix("  ") for line in lines)

    def picture(self, output: NotebookNode) -> Markup | None:
        data = output.get("data")
        for mime in clean.PICTURES:
            if isinstance(data, dict) and mime in data:
                return self.fitting(clean.from_picture(mime, clean.as_text(data[mime]), self.words("picture")))
        return None

    def markup(self, source: str) -> Markup | None:
        """Return markup as text once a page has had more of it than a person writes."""
        self.tags -= source.count("<") + source.count("\n") + len(source) // 100
        return clean.from_text(source, self.words("cut")) if self.tags < 0 else None

    def fitting(self, shown: Markup | None) -> Markup | None:
        """Return what is shown if the page has room for it."""
        if shown is not None:
            self.room -= len(shown)
        return shown if self.room > 0 else None

    def outputs(self, cell: NotebookNode) -> list[Markup]:
        shown = []
        outputs = _joined(cell.get("outputs", []))
        for output in outputs[:MOST_OUTPUTS]:
            one = self.fitting(self.output(output))
            if one is not None:
                shown.append(one)
        if len(outputs) > MOST_OUTPUTS or (outputs and self.room <= 0):
            shown.append(clean.from_text(self.words("cut")))
        return shown

    def output(self, output: NotebookNode) -> Markup | None:
        cut = self.words("cut")
        match output.get("output_type"):
            case "stream":
                return clean.from_text(clean.as_text(output.get("text")), cut)
            case "error":
                if output.get("ename") == NOT_RUN:
                    return clean.from_text(clean.as_text(output.get("evalue")) or self.words("cell_not_run"))
                lines = output.get("traceback")
                said = "\n".join(str(one) for one in lines) if isinstance(lines, list) else ""
                return clean.from_text(said or f"{output.get('ename')}: {output.get('evalue')}", cut)
            case "display_data" | "execute_result":
                data = output.get("data")
                return self.displayed(data) if isinstance(data, dict) else None
        return None

    def displayed(self, data: dict[str, Any]) -> Markup | None:
        """Return the richest form of an output that does nothing, or words that say what is left out."""
        for mime in ("text/html", "text/markdown", *clean.PICTURES, "image/svg+xml", "text/latex", "text/plain"):
            text = clean.as_text(data.get(mime))
            if not text.strip():
                continue
            if mime.startswith("text/") and mime != "text/plain" and (made := self.markup(text)):
                pass
            elif mime == "text/html":
                made = clean.from_html(text)
            elif mime in ("text/markdown", "text/latex"):
                made = clean.from_markdown(text)
            elif mime == "text/plain":
                return clean.from_text(text, self.words("cut"))
            else:
                made = clean.from_picture(mime, text, self.words("picture"))
            if made and (made.striptags().strip() or "<img" in made):
                return made if "<img class" in made else Markup('<div class="fb-prose">{}</div>').format(made)
        kinds = ", ".join(sorted(str(kind)[:60] for kind in data)[:3])
        return clean.from_text(self.words("not_shown", kind=kinds)) if kinds else None


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return outputs with neighbouring pieces of one stream in one, as a notebook shows them."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if (
            last
            and output.get("output_type") == last.get("output_type") == "stream"
            and output.get("name") == last.name
        ):
            last["text"] = clean.as_text(last.get("text")) + clean.as_text(output.get("text"))
        else:
            joined.append(NotebookNode(output))
    return joined
