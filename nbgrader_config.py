"""What nbgrader reads when it is run in this folder: one course, two languages, one gradebook."""

import contextlib
import os
from pathlib import Path

from nbconvert.preprocessors import TagRemovePreprocessor
from nbgrader.converters import GenerateAssignment

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

# Handing out and in on one machine, without root: learners' accounts need to reach this folder.
exchange = Path(os.environ.get("ATTNLAB_EXCHANGE") or here / "exchange")
c.Exchange.root = str(exchange)
with contextlib.suppress(OSError):  # formgrader warns while it is missing; nbgrader's own commands say what is wrong
    exchange.mkdir(parents=True, exist_ok=True)
