"""What a failed check raises, and where in a learner's code an exception came through."""

import traceback
from pathlib import Path
from typing import Any

_PACKAGE = str(Path(__file__).parent.parent)
_LIBRARIES = ("site-packages", "/lib/python", "\\lib\\")


def frames_of(problem: BaseException | None) -> list[traceback.FrameSummary]:
    """Return the frames of the learner's own code that an exception came through, outermost first.

    An exception that was raised in another process brings them along, as its `frames`.
    """
    if problem is None:
        return []
    frames = getattr(problem, "frames", None)
    if frames is None:
        frames = traceback.extract_tb(problem.__traceback__)[1:]  # without the grade cell's
    return [
        frame
        for frame in frames
        if not frame.filename.startswith(_PACKAGE) and not any(part in frame.filename.lower() for part in _LIBRARIES)
    ]


class CheckFailed(AssertionError):
    """A property does not hold; `lines` say what came out, in the learner's language."""

    def __init__(self, *lines: str, fault: str | None = None, mistake: str | None = None) -> None:
        """Keep the lines, and the keys of the fault found and, once it is known, of the mistake behind it."""
        super().__init__("\n".join(lines))
        self.lines = list(lines)
        self.fault = fault
        self.mistake = mistake
        self.got: Any = None
        """What was judged, and"""
        self.want: Any = None
        """against what: for the catalogue of mistakes."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints instead of a traceback (its hook for exceptions of one's own)."""
        return self.lines
