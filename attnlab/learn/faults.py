"""The one exception of a failed check: it shows a learner its lines of text, and no traceback."""

from typing import Any


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
