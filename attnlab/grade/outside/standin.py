"""What stands in a grade cell for a learner's objects, which are in another process."""

import builtins
import json
import traceback
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from attnlab.inside.agent import PROBES
from attnlab.inside.wire import Handle, Unreadable, pack, unpack
from attnlab.learn import guard
from attnlab.learn.faults import CheckFailed
from attnlab.learn.messages import text

_MOST_LINES = 12


class Link(Protocol):
    """A way to the agent (`attnlab.inside.agent`) beside a learner's objects."""

    def ask(self, question: str) -> str:
        """Return the agent's JSON answer to a JSON question; Lost where none will come."""


class Lost(Exception):
    """The learner's process does not answer any more: nothing else can be asked in this notebook."""


class Late(Exception):
    """The learner's code took longer than it may, and has been stopped."""

    def __init__(self, seconds: float) -> None:
        """Note how many seconds it had."""
        super().__init__(seconds)
        self.seconds = seconds


class Standin:
    """One object of a learner's. It can be called and its attributes read; nothing else of it is to be had here."""

    def __init__(self, desk: "Desk", number: int) -> None:
        """Stand for the object of this number."""
        self.__dict__.update(_desk=desk, _number=number)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the object where it is."""
        return self._desk.ask("call", target=self, arguments=list(arguments), options=options)

    def __getattr__(self, name: str) -> Any:
        """Read an attribute where the object is; none that begins with an underscore."""
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._desk.ask("attribute", target=self, name=name)


class Desk:
    """Asks for one notebook: packs what is asked, unpacks and checks what comes back."""

    def __init__(self, link: Link) -> None:
        """Ask by this link."""
        self._link = link
        self._standins: dict[Handle, Standin] = {}
        self.lost = ""
        """Why the learner's process is asked no more; empty as long as it answers."""
        self.late = False
        """Some of the learner's code has taken too long."""

    def names(self, names: Sequence[str]) -> tuple[dict[str, Any], str | None]:
        """Return what the learner has under these names, and the name of something that their code has replaced.

        What there is not is not in the first; the second (see `attnlab.learn.guard`) is None where nothing has been.
        """
        answer = self._answer({"do": "names_of", "names": names})
        try:
            found, replaced = answer["found"], answer["replaced"]
            there = {name: found[name] for name in names if name in found}
        except (KeyError, TypeError) as wrong:
            raise self._unreadable(wrong) from None
        return {name: self._unpack(one) for name, one in there.items()}, str(replaced)[:100] if replaced else None

    def ask(self, operation: str, **details: Any) -> Any:
        """Return what the operation gives; raises what the learner's code raised."""
        for part in ("target", "arguments"):
            if part in details:
                value = details[part]
                details[part] = [self._pack(one) for one in value] if part == "arguments" else self._pack(value)
        if "options" in details:
            details["options"] = {name: self._pack(value) for name, value in details["options"].items()}
        return self._unpack(self._answer({"do": operation, **details}))

    def _answer(self, question: dict[str, Any]) -> Any:
        try:
            if self.lost:
                raise Lost(self.lost)
            answer = json.loads(self._link.ask(json.dumps(question)))
            if "raised" in answer:
                problem = _raised(answer["raised"])
            else:
                return answer["ok"]
        except Late as late:
            self.late = True
            raise CheckFailed(text("grade.too_slow", seconds=f"{late.seconds:.0f}")) from None
        except Lost as lost:
            self.lost = self.lost or str(lost)
            raise CheckFailed(str(lost)) from None
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as wrong:
            raise self._unreadable(wrong) from None
        raise problem

    def _unreadable(self, wrong: Exception) -> CheckFailed:
        # A kernel that sends anything else than answers is asked no more.
        self.lost = text("grade.unreadable", error=type(wrong).__name__)
        return CheckFailed(self.lost)

    def _pack(self, value: Any) -> Any:
        return pack(value, self._handle)

    def _handle(self, value: Any) -> Handle:
        if isinstance(value, Standin):
            return Handle(value._number, type(value).__name__)
        raise TypeError(f"a grade cell gave the learner's code a {type(value).__name__}, which is no plain data")

    def _unpack(self, data: Any) -> Any:
        try:
            return unpack(data, self._find)
        except (Unreadable, RecursionError) as wrong:
            raise self._unreadable(wrong) from None

    def _find(self, handle: Handle) -> Standin:
        if handle not in self._standins:
            # A class of its own for each, so that a check can say what was found.
            kind = type(handle.kind, (Standin,), {})
            self._standins[handle] = kind(self, handle.number)
        return self._standins[handle]


def _raised(described: dict[str, Any]) -> BaseException:
    """Return the learner's exception, as near as can be: its name, what it says, the lines that it came through."""
    kinds = [str(one)[:100] for one in described["kinds"][:20]]
    said = str(described["said"])[:2000]
    if kinds[0] == "CheckFailed":
        fault = described.get("fault")
        return CheckFailed(*said.split("\n")[:_MOST_LINES], fault=fault if fault in guard.FAULTS else None)
    base: type[BaseException] = next((one for name in kinds if (one := _builtin(name))), Exception)
    kind = base if base.__name__ == kinds[0] or not kinds[0].isidentifier() else type(kinds[0], (base,), {})
    problem = kind(said)
    if isinstance(problem, NameError):
        problem.name = str(described.get("name", ""))[:100]
    problem.frames = [  # type: ignore[attr-defined]
        traceback.FrameSummary(str(filename), int(number), str(name), line=str(line), lookup_line=False)
        for filename, number, name, line in described["frames"]
    ]
    return problem


def _builtin(name: str) -> type[Exception] | None:
    """Return the builtin exception of this name that can be made from a text; the learner's SystemExit is none."""
    found = getattr(builtins, name, None)
    if not isinstance(found, type) or not issubclass(found, Exception) or issubclass(found, UnicodeError):
        return None
    return None if found in (Exception, ExceptionGroup) else found


def at_the_desk(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of `attnlab.learn.probe` that goes where its arguments are: to the learner's or here."""

    def measured(*arguments: Any, **options: Any) -> Any:
        for one in (*arguments, *options.values()):
            if isinstance(one, Standin):
                asked = {"name": function.__name__, "arguments": list(arguments), "options": options}
                return one._desk.ask("probe", **asked)
        return function(*arguments, **options)

    measured.__name__ = function.__name__
    return measured


def measure_elsewhere() -> Any:
    """Return what a grade cell gets for `attnlab.learn.probe`."""
    return type("probe", (), {name: staticmethod(at_the_desk(value)) for name, value in PROBES.items()})
