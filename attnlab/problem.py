"""The one exception for what a user can mend: the commands print its lines, without a traceback, and end with 1."""


class Problem(Exception):
    """Something is wrong with what the user gave or has; each line says what, where, and how to mend it."""

    def __init__(self, *lines: str) -> None:
        """Keep the lines."""
        super().__init__("\n".join(lines))
        self.lines = list(lines)
