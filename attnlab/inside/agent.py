"""Answer, beside a learner's objects, what a grade cell in another process asks about them.

The answers are plain data (`wire`); whether they are right is judged over there. A learner's code can get at all of
this, as at anything in its own process, and can only spoil its own answers by it.
"""

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from attnlab.inside.wire import Handle, Unreadable, pack, unpack
from attnlab.learn import guard, lesson, probe

PROBES = {
    name: value
    for name, value in vars(probe).items()
    if getattr(value, "__module__", "") == probe.__name__ and not name.startswith("_")
}
"""What may be measured beside the objects, by name; as it was before any code of the learner's ran."""
_MOST_TEXT = 2000  # characters of what an exception says
_MOST_FRAMES = 30
_HERE = __file__
QUESTION, ANSWER = "attnlab_question", "attnlab_answer"
"""The types of the messages."""
_dumps, _loads = json.dumps, json.loads


class Agent:
    """The objects of one notebook, and what may be asked of them."""

    def __init__(self, names: dict[str, Any]) -> None:
        """Answer for the objects under these names, a notebook's globals."""
        self._names = names
        self._kept: list[Any] = []
        self._numbers: dict[int, int] = {}

    def answer(self, question: str) -> str:
        """Return the JSON answer to a JSON question: {"ok": …} or {"raised": …}."""
        asked = _loads(question)
        operation: Callable[..., Any] = getattr(self, "_" + asked.pop("do"))
        try:
            return _dumps({"ok": operation(**asked)})
        except Unreadable as problem:
            return _dumps(
                {"raised": {"kinds": ["TypeError"], "said": f"cannot be handed over: {problem}", "frames": []}}
            )
        except BaseException as problem:  # whatever the learner's code raises, SystemExit too
            return _dumps({"raised": _described(problem)})

    def _names_of(self, names: list[str]) -> dict[str, Any]:
        found = {name: self._pack(self._names[name]) for name in names if name in self._names}
        return {"found": found, "replaced": guard.replaced()}

    def _call(self, target: Any, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self._run(self._unpack(target), arguments, options)

    def _probe(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self._run(PROBES[name], arguments, options)

    def _run(self, function: Callable[..., Any], arguments: list[Any], options: dict[str, Any]) -> Any:
        given = [self._unpack(one) for one in arguments]
        named = {name: self._unpack(value) for name, value in options.items()}
        with guard.asked_from(_HERE):
            return self._pack(function(*given, **named))

    def _attribute(self, target: Any, name: str) -> Any:
        return self._pack(getattr(self._unpack(target), name))

    def _graded(self) -> None:
        lesson.graded_elsewhere()

    def _pack(self, value: Any) -> Any:
        return pack(value, self._keep)

    def _unpack(self, data: Any) -> Any:
        return unpack(data, lambda handle: self._kept[handle.number])

    def _keep(self, value: Any) -> Handle:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._kept)
            self._kept.append(value)  # for good, so that no other object gets its id
        return Handle(number, type(value).__name__)


def _described(problem: BaseException) -> dict[str, Any]:
    try:
        said = str(problem)[:_MOST_TEXT]
    except BaseException:  # its __str__ is the learner's code too
        said = ""
    frames = [
        [frame.filename[:300], frame.lineno, frame.name[:100], (frame.line or "")[:300]]
        for frame in traceback.extract_tb(problem.__traceback__)[-_MOST_FRAMES:]
        if frame.filename != _HERE
    ]
    described = {"kinds": [kind.__name__ for kind in type(problem).__mro__], "said": said, "frames": frames}
    if isinstance(problem, NameError) and isinstance(problem.name, str):
        described["name"] = problem.name[:100]
    if isinstance(problem, guard.CheckFailed) and problem.fault in guard.FAULTS:
        described["fault"] = problem.fault
    return described


def listen() -> None:
    """Answer from now on what comes as a message of its own kind to the kernel that this runs in.

    As an execution, of which IPython makes much more, a question would take several times as long.
    """
    shell = sys.modules["IPython"].get_ipython()
    kernel, agent = shell.kernel, Agent(shell.user_ns)

    def handle(stream: Any, identity: Any, message: dict[str, Any]) -> None:
        answer = {"answer": agent.answer(message["content"]["question"])}
        kernel.session.send(stream, ANSWER, answer, message, identity)

    say = kernel._publish_status

    def say_unless_asked(status: str, channel: str, parent: Any = None) -> None:
        if (parent or kernel.get_parent(channel))["header"]["msg_type"] != QUESTION:
            say(status, channel, parent)

    kernel.shell_handlers[QUESTION] = handle
    kernel._publish_status = say_unless_asked  # that it is busy, or idle again: two messages for each question
