"""The lesson that a notebook is about: its start, and what has passed in it so far."""

from attnlab.course import DEFAULT_LANGUAGE, Lesson, lesson_named
from attnlab.learn import messages
from attnlab.learn.messages import text

_current: Lesson | None = None
_results: dict[tuple[str, str], bool] = {}
_elsewhere = False


def start(name: str, language: str = DEFAULT_LANGUAGE) -> None:
    """Open the lesson `name` in `language` ("zh" or "en") and print how far one is in it."""
    global _current
    messages.set_language(language)
    if _current is None or _current.name != name:
        _results.clear()
    _current = lesson_named(name)
    title = text("say.lesson", number=int(name[:2]), title=_current.title[language], points=_current.points)
    print(title if _elsewhere else title + " · " + progress())


def graded_elsewhere() -> None:
    """Say nothing of progress from here on: the checks run in another process, and this one never hears of them."""
    global _elsewhere
    _elsewhere = True


def record(exercise: str, claim: str, *, passed: bool) -> None:
    """Note how the check `claim` of `exercise` came out, in place of what it gave before."""
    _results[exercise, claim] = passed


def claims_of(exercise: str) -> list[str]:
    """Return the names of all checks of an exercise, in the order of their texts."""
    prefix = f"check.{exercise}."
    return [key.removeprefix(prefix) for key in messages.catalogue() if key.startswith(prefix)]


def _passed(exercise: str) -> int:
    return sum(_results.get((exercise, claim), False) for claim in claims_of(exercise))


def progress() -> str:
    """Return how many of the lesson's checks have passed, in words."""
    exercises = _current.exercises if _current else ()
    total = sum(len(claims_of(exercise)) for exercise in exercises)
    return text("say.progress", passed=sum(map(_passed, exercises)), total=total)


def checklist() -> None:
    """Print the lesson's exercises, each ticked once all its checks have passed in this session."""
    if _elsewhere:
        print(text("say.graded_elsewhere"))
        return
    for exercise in _current.exercises if _current else ():
        claims = claims_of(exercise)
        if not claims:
            print("✎ " + text("say.by_hand", exercise=exercise))
            continue
        passed = _passed(exercise)
        print(("☑ " if passed == len(claims) else "☐ ") + f"{exercise}  {passed}/{len(claims)}")
    print(progress())
