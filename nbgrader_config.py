"""What nbgrader reads when it is run in this folder: one course, two languages, one gradebook."""

import contextlib
import os
from pathlib import Path

from nbconvert.preprocessors import TagRemovePreprocessor
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.preprocessors import CheckCellMetadata, Execute

from attnlab.teach.localise import ANSWER_STUB, CODE_STUB, Localise, other_languages

c = get_config()  # noqa: F821  (nbgrader defines it)

# The language of what `nbgrader generate_assignment` makes and what learners fetch: "zh" or "en".
# Submissions in either language are graded against the same gradebook.
LANGUAGE = os.environ.get("ATTNLAB_LANGUAGE") or "zh"

here = Path(__file__).resolve().parent
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(here)
c.CourseDirectory.release_directory = f"release/{LANGUAGE}"

# From source to release: drop the cells of the other language, then the other language's lines inside
# code cells; everything after that is nbgrader's own.
c.GenerateAssignment.preprocessors = [
    TagRemovePreprocessor,
    Localise,
    *GenerateAssignment.class_traits()["preprocessors"].default(),
]
c.GenerateAssignment.force = True  # release/ is made from source/ and holds nothing else
c.TagRemovePreprocessor.enabled = True
c.TagRemovePreprocessor.remove_cell_tags = other_languages(LANGUAGE)
c.Localise.language = LANGUAGE
c.ClearSolutions.code_stub = {"python": CODE_STUB[LANGUAGE]}
c.ClearSolutions.text_stub = ANSWER_STUB

# A test cell that a learner deleted comes back and scores; without this it would wait for a grade for ever.
c.OverwriteCells.add_missing_cells = True
c.ExecutePreprocessor.timeout = 60  # seconds a cell; the slowest of a lesson takes a few

# Learners' code runs behind walls, in a kernel of its own; the grade cells run outside of it. By name, so that only
# what grades has to load torch. On a machine that has no walls: nbgrader autograde --Isolated.walls=False
sanitize, autograde = (
    Autograde.class_traits()[name].default() for name in ("sanitize_preprocessors", "autograde_preprocessors")
)
c.Autograde.sanitize_preprocessors = ["attnlab.grade.repair.Repair", *sanitize]
c.Autograde.autograde_preprocessors = [
    "attnlab.grade.execute.Isolated" if one is Execute else one
    for one in autograde
    if one is not CheckCellMetadata  # sanitize has checked the metadata, which no kernel behind walls can change
]

# Feedback pages: points and messages, no test's code, nothing of a learner's that runs, in the learner's language.
c.GenerateFeedback.exporter_class = "attnlab.grade.feedback.page.FeedbackExporter"
c.GenerateFeedback.preprocessors = []  # the exporter has its own

# What formgrader shows runs nothing of a learner's either: it would do so as the instructor.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.preprocessors = ["attnlab.grade.feedback.shown.Harmless"]
c.Harmless.enabled = True

# Handing out and in on one machine, without root: learners' accounts need to reach this folder.
exchange = Path(os.environ.get("ATTNLAB_EXCHANGE") or here / "exchange")
c.Exchange.root = str(exchange)
with contextlib.suppress(OSError):  # formgrader warns while it is missing; nbgrader's own commands say what is wrong
    exchange.mkdir(parents=True, exist_ok=True)
