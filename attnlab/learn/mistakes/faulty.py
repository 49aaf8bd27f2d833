"""Attention in single steps, each of which a mistake can replace.

    project → split → score → scale → hide → normalise → weigh → mix → merge → output

Every step takes what the step before gave and the `State`, and serves all reference functions that are attention of
some kind (`FAMILY`), so that a mistake such as "no scale" is written down once.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.mistakes.evidence import Made

FAMILY = ("attention", "self_attention", "causal_attention", "multi_head_attention", "masked_softmax")
STEPS = ("project", "split", "score", "scale", "hide", "normalise", "weigh", "mix", "merge", "output")


@dataclass
class State:
    """What a mistaken step may look at, all in float64."""

    x: Tensor | None = None
    """(..., n, d_in), where there are projections."""
    weights: dict[str, Tensor] = field(default_factory=dict)
    """`W_q`, `W_k`, `W_v` as (d_in, d_out); `out_proj`, `bias` as nn.Linear keeps them."""
    biases: tuple[Tensor, Tensor, Tensor] | None = None
    n_heads: int | None = None
    """None where nothing is split."""
    hidden: Tensor | None = None
    """(n, m), True where a query may not look."""
    factor: float | None = None
    """What scores are multiplied by, where the check says so."""
    queries: Tensor | None = None
    keys: Tensor | None = None
    values: Tensor | None = None

    @property
    def d_k(self) -> int:
        """The length of a query."""
        assert self.queries is not None
        return self.queries.shape[-1]


def project(state: State) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values before any split."""
    assert state.x is not None
    made = [state.x @ state.weights[name] for name in ("W_q", "W_k", "W_v")]
    if state.biases is not None:
        made = [one + bias for one, bias in zip(made, state.biases, strict=True)]
    return made[0], made[1], made[2]


def split(t: Tensor, state: State) -> Tensor:
    """(..., n, d) → (..., heads, n, d / heads)."""
    assert state.n_heads is not None
    return t.unflatten(-1, (state.n_heads, -1)).transpose(-3, -2)


def score(state: State) -> Tensor:
    """Return all dot products (..., n, m)."""
    assert state.queries is not None
    assert state.keys is not None
    return state.queries @ state.keys.transpose(-2, -1)


def scale(scores: Tensor, state: State) -> Tensor:
    """Divide by √d_k, or multiply by the factor that the check says."""
    return scores / math.sqrt(state.d_k) if state.factor is None else scores * state.factor


def hide(scores: Tensor, state: State) -> Tensor:
    """Put −∞ where a query may not look."""
    return scores if state.hidden is None else scores.masked_fill(state.hidden, -math.inf)


def normalise(scores: Tensor, state: State) -> Tensor:
    """Softmax over the keys."""
    return torch.softmax(scores, dim=-1)


def weigh(weights: Tensor, state: State) -> Tensor:
    """Leave the weights as they are: a place for what a mistake does after softmax."""
    return weights


def mix(weights: Tensor, state: State) -> Tensor:
    """Return the weighted sums of the values."""
    assert state.values is not None
    return weights @ state.values


def merge(context: Tensor, state: State) -> Tensor:
    """(..., heads, n, e) → (..., n, heads · e)."""
    return context.transpose(-3, -2).flatten(-2)


def output(merged: Tensor, state: State) -> Tensor:
    """Apply the output projection."""
    return merged @ state.weights["out_proj"].T + state.weights["bias"]


def faulty(made: Made, replaced: Mapping[str, Callable[..., Any]]) -> Any:
    """Return what the reference function of `made` would give with some of its steps replaced."""
    step = {name: replaced.get(name, globals()[name]) for name in STEPS}
    unknown = set(replaced) - set(STEPS)
    if unknown:
        raise KeyError(f"no such step of attention: {unknown}")
    state = _state(made)
    if made.function == "masked_softmax":  # scores are given, and weights are what comes out
        return step["weigh"](step["normalise"](step["hide"](made.arguments[0].double(), state), state), state)
    if state.x is not None:
        state.queries, state.keys, state.values = step["project"](state)
        if state.n_heads is not None:
            state.queries = step["split"](state.queries, state)
            state.keys = step["split"](state.keys, state)
            state.values = step["split"](state.values, state)
    scores = step["hide"](step["scale"](step["score"](state), state), state)
    weights = step["weigh"](step["normalise"](scores, state), state)
    context = step["mix"](weights, state)
    if made.function in ("attention", "causal_attention"):
        return context, weights
    if made.function == "self_attention":
        return context
    return step["output"](step["merge"](context, state), state)


def _state(made: Made) -> State:
    given = [one.double() if isinstance(one, Tensor) else one for one in made.arguments]
    options = made.options
    if made.function == "attention":
        return State(
            queries=given[0], keys=given[1], values=given[2], factor=options.get("scale"), hidden=options.get("hidden")
        )
    if made.function == "masked_softmax":
        return State(hidden=made.arguments[1])
    x = given[0]
    if made.function == "self_attention":
        biases = options.get("biases")
        return State(
            x=x,
            weights=dict(zip(("W_q", "W_k", "W_v"), given[1:], strict=True)),
            biases=None if biases is None else tuple(one.double() for one in biases),
            hidden=options.get("hidden"),
        )
    future = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
    if made.function == "causal_attention":
        weights = {name: one.T for name, one in zip(("W_q", "W_k", "W_v"), given[1:], strict=True)}
        return State(x=x, weights=weights, hidden=future, n_heads=options.get("n_heads"))
    named = {name: one.double() for name, one in made.arguments[1].items()}
    weights = {name: named[f"{name}.weight"].T for name in ("W_q", "W_k", "W_v")}
    weights |= {"out_proj": named["out_proj.weight"], "bias": named["out_proj.bias"]}
    return State(x=x, weights=weights, hidden=future, n_heads=options["n_heads"])
