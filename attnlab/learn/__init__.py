"""What a lesson's notebook imports: checks, probes, pictures and the lesson's own progress.

Nothing here needs nbgrader or anything else of an instructor's, and nothing here imports `attnlab.teach`.
"""

import sys

from attnlab.learn import check, guard, plot, probe, reference
from attnlab.learn.lesson import checklist, start
from attnlab.learn.show import show

__all__ = ["check", "checklist", "plot", "probe", "reference", "show", "start"]

guard.keep_own(__name__)
guard.seal(check, sys.modules[__name__])
