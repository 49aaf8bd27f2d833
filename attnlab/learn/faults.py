"""The one exception of a failed check: it shows a learner its lines of text, and no traceback."""


class CheckFailed(AssertionError):
    """A property does not hold; `lines` say what came out, in the learner's language."""

    def __init__(self, *lines: str) -> None:
        """Keep the lines, the first of which names the property."""
        super().__init__("\n".join(lines))
        self.lines = list(lines)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython prints instead of a traceback (its hook for exceptions of one's own)."""
        return self.lines
