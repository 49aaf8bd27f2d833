"""The catalogue of mistakes: what each is called, what it means, and how to know it by its numbers.

One mistake is one `Mistake` in one of the files beside this one, each of which has a list `MISTAKES`. It is
recognised in one of two ways:

- by what the mistaken computation gives on the very inputs of the check: `gives` maps the name of a function of
  `attnlab.learn.reference` to its mistaken twin (same arguments, same kind of result); `attention` replaces single
  steps of attention (see `faulty.py`) and so serves every reference function that is attention of some kind;
- by a symptom: the fault that a check ended with (a key below `fault.` in the texts), where `when`, if given, says
  yes to the evidence.

A mistake is named only where its numbers agree with the learner's and those of no other mistake do.
"""

import importlib
import pkgutil
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.messages import get_language
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.faulty import FAMILY, faulty

Symptom = Callable[[Evidence], bool]


@dataclass(frozen=True)
class Mistake:
    """One mistake that learners make."""

    key: str
    """Its name in the truth table and in tests."""
    exercises: tuple[str, ...]
    """Where it can happen."""
    zh: str
    """What happened, why it matters, where to look; never the code that puts it right."""
    en: str
    gives: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Reference function → what the mistake would make of the same arguments."""
    attention: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Step of attention → what the mistake does there."""
    faults: tuple[str, ...] = ()
    """Faults of a check that this mistake explains."""
    when: Symptom | None = None
    """A closer look at the evidence; without `faults`, at any failed check."""

    def text(self) -> str:
        """Return the text in the language in use."""
        return {"zh": self.zh, "en": self.en}[get_language()]


@cache
def catalogue() -> tuple[Mistake, ...]:
    """Return all mistakes; ValueError where two have one key."""
    found: dict[str, Mistake] = {}
    for module in pkgutil.iter_modules(__path__):
        for mistake in getattr(importlib.import_module(f"{__name__}.{module.name}"), "MISTAKES", ()):
            if mistake.key in found:
                raise ValueError(f"mistakes/{module.name}.py: the key {mistake.key} stands twice")
            found[mistake.key] = mistake
    return tuple(found.values())


def recognise(evidence: Evidence) -> Mistake | None:
    """Return the one mistake that explains a failed check, or None where none or more than one does.

    Numbers count before symptoms, and among symptoms those that look closer (`when`) before the others.
    """
    known = [mistake for mistake in catalogue() if evidence.exercise in mistake.exercises]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mistaken code may well warn, and stderr is the grader's
        by_numbers = [mistake for mistake in known if _gives_the_same(mistake, evidence)]
        symptoms = [] if by_numbers else [mistake for mistake in known if _shows(mistake, evidence)]
    if by_numbers:
        return by_numbers[0] if len(by_numbers) == 1 else None
    closer = [mistake for mistake in symptoms if mistake.when is not None]
    for group in (closer, symptoms):
        if group:
            return group[0] if len(group) == 1 else None
    return None


def _shows(mistake: Mistake, evidence: Evidence) -> bool:
    if not (mistake.faults or mistake.when) or (mistake.faults and evidence.fault not in mistake.faults):
        return False
    if mistake.when is None:
        return True
    try:
        return bool(mistake.when(evidence))
    except Exception:  # the evidence is not of the kind that this symptom looks at
        return False


def _gives_the_same(mistake: Mistake, evidence: Evidence) -> bool:
    evidence = _as_tensors(evidence)
    made = evidence.made
    if made is None or type(evidence.got) is not Tensor:
        return False
    twin = mistake.gives.get(made.function)
    try:
        with torch.no_grad():
            if twin is not None:
                result = twin(*made.arguments, **made.options)
            elif mistake.attention and made.function in FAMILY:
                result = faulty(made, mistake.attention)
            else:
                return False
        if made.index is not None:
            result = result[made.index]
        return _same(result, evidence.got) and _explains(result, evidence)
    except Exception:  # on these inputs the mistake would fail, not give a number
        return False


def _as_tensors(evidence: Evidence) -> Evidence:
    """Return the evidence with a tensor for a list of numbers, and of two dicts the first entry that differs."""
    got, want = evidence.got, evidence.want
    try:
        if isinstance(got, dict) and isinstance(want, dict):
            for name, other in want.items():
                if not isinstance(other, Tensor) or isinstance(got[name], Tensor):
                    continue
                mine = torch.tensor(got[name], dtype=torch.float64)
                if not _same(other, mine):
                    return replace(evidence, got=mine, want=other, made=getattr(other, "made_by", None))
        if type(got) is list and str(evidence.fault).startswith("positions"):
            return replace(evidence, got=torch.tensor(got, dtype=torch.float64))
    except Exception:  # no numbers, or not as many in every row
        return evidence
    return evidence


def _same(one: Tensor, other: Tensor) -> bool:
    if one.shape != other.shape:
        return False
    one, other = one.detach().double(), other.detach().double()
    largest = max(1.0, float(torch.nan_to_num(one, posinf=0.0, neginf=0.0).abs().max())) if one.numel() else 1.0
    return bool(torch.allclose(one, other, rtol=1e-3, atol=1e-4 * largest, equal_nan=True))


def _explains(result: Tensor, evidence: Evidence) -> bool:
    """Tell whether a mistake's result says most of how the learner's differs from the expected one.

    Where the learner's numbers are right (and, say, the dtype is not), a mistake without effect on these inputs
    would agree with them, and so would one that does next to nothing.
    """
    if evidence.got.shape != evidence.want.shape:
        return True
    rounding = 1e-6 if torch.float32 in (evidence.got.dtype, evidence.want.dtype) else 1e-10
    result, got, want = (one.detach().double() for one in (result, evidence.got, evidence.want))
    if not torch.equal(got.isfinite(), want.isfinite()):
        return True
    finite = got.isfinite()
    if not bool(finite.any()):
        return False
    differs, left = (got - want)[finite].abs().max(), (result - got)[finite].abs().max()
    return bool(differs > rounding * want[finite].abs().max().clamp(min=1.0) and left <= 0.1 * differs)
