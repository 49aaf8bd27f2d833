"""What is known of a failed check: the learner's result, the expected one, and how that was made."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Made:
    """How an expected tensor was made: by which function of `attnlab.learn.reference`, from what."""

    function: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    index: int | None = None
    """Which of several results it is, where there are several."""


@dataclass(frozen=True)
class Evidence:
    """One failed check."""

    exercise: str
    claim: str
    fault: str | None
    """The key of the fault's text, without `fault.`; None where an exception ended the check."""
    got: Any = None
    """What the learner's code gave."""
    want: Any = None
    made: Made | None = None
    problem: BaseException | None = None
    """The exception that ended the check, where one did."""
