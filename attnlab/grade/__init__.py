"""Grade a class: each notebook behind walls, the verdicts outside of it, the scores in nbgrader's gradebook."""

import sys

# jsonschema loads this one where it is installed, and builds 38 grammars by it for kinds of addresses that no notebook
# has: more than a second in every process that grades.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

NOT_RUN = "NotRun"
"""The name of the error in a cell that did not run."""
