"""Reference outputs: each quantity of the course computed by torch's own routines, in double precision.

The functions are bound when this module is imported, before any cell of a learner's has run.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as _torch_attention

from attnlab.learn.guard import not_for_learners
from attnlab.learn.mistakes.evidence import Made

_softmax = torch.softmax
_einsum = torch.einsum
_entr = torch.special.entr
_norm = torch.linalg.matrix_norm

Function = TypeVar("Function", bound=Callable[..., Any])


def _traced(function: Function) -> Function:
    """Write on each tensor that the function returns how it was made: `made_by`, for the catalogue of mistakes.

    While a check runs, the function answers the check alone.
    """

    @functools.wraps(function)
    def traced(*arguments: Any, **options: Any) -> Any:
        not_for_learners()
        result = function(*arguments, **options)
        for index, one in enumerate(result if isinstance(result, tuple) else (result,)):
            number = index if isinstance(result, tuple) else None
            one.made_by = Made(function.__name__, arguments, options, number)
        return result

    del traced.__wrapped__  # would answer everybody
    return traced  # type: ignore[return-value]


@_traced
def softmax(scores: Tensor) -> Tensor:
    """Return softmax over the last axis, same shape and dtype as `scores`, computed in float64."""
    return _softmax(scores.double(), dim=-1).to(scores.dtype)


@_traced
def causal_mask(n: int) -> Tensor:
    """Return the causal mask for n tokens: bool (n, n), True where the key comes after the query."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


@_traced
def masked_softmax(scores: Tensor, hidden: Tensor) -> Tensor:
    """Return softmax over the last axis of what `hidden` (n, n) leaves of the scores (..., n, n), in float64."""
    return _softmax(scores.double().masked_fill(hidden, -math.inf), dim=-1).to(scores.dtype)


@_traced
def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """Return all dot products: (..., n, d), (..., m, d) → (..., n, m), computed in float64."""
    return _einsum("...nd,...md->...nm", queries.double(), keys.double()).to(queries.dtype)


@_traced
def attention(
    queries: Tensor, keys: Tensor, values: Tensor, *, scale: float | None = None, hidden: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return (context, weights) of scaled dot-product attention, computed in float64.

    queries (..., n, d_k), keys (..., m, d_k), values (..., m, d_v) → (..., n, d_v), (..., n, m).
    `scale` multiplies the scores (1/√d_k where None); `hidden` (n, m) is True where a query may not look.
    Source: Vaswani et al. 2017, equation (1).
    """
    queries64, keys64, values64 = queries.double(), keys.double(), values.double()
    scale = 1 / math.sqrt(queries.shape[-1]) if scale is None else scale
    allowed = None if hidden is None else ~hidden
    # torch's routine returns no weights: with the identity as values, its context is the weights.
    identity = torch.eye(keys.shape[-2], dtype=torch.float64).expand(*keys.shape[:-1], keys.shape[-2])
    weights = _torch_attention(queries64, keys64, identity, attn_mask=allowed, scale=scale)
    context = _torch_attention(queries64, keys64, values64, attn_mask=allowed, scale=scale)
    return context.to(queries.dtype), weights.to(queries.dtype)


@_traced
def self_attention(
    x: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    *,
    biases: tuple[Tensor, Tensor, Tensor] | None = None,
    hidden: Tensor | None = None,
) -> Tensor:
    """Return the context of one head of self-attention, scaled by 1/√d_out, computed in float64.

    x (..., n, d_in), matrices (d_in, d_out), biases (d_out) → (..., n, d_out); `hidden` as in `attention`.
    """
    queries, keys, values = (_einsum("...nd,de->...ne", x.double(), one.double()) for one in (w_q, w_k, w_v))
    if biases is not None:
        queries, keys, values = queries + biases[0], keys + biases[1], values + biases[2]
    return attention(queries, keys, values, hidden=hidden)[0].to(x.dtype)


@_traced
def copied(name: str, given: dict[str, Tensor], before: dict[str, Tensor]) -> Tensor:
    """Return what the matrix `name` of the copy should be: the transposed weight of that name, (d_in, d_out).

    given: name → weight (d_out, d_in) that is copied; before: name → matrix of the copy before it became one.
    """
    del before  # what a mistaken copy may still hold
    return given[name].T


@_traced
def kept(name: str, given: dict[str, Tensor], before: dict[str, Tensor]) -> Tensor:
    """Return what the weight `name` that was copied should still be after it: itself. Arguments as in `copied`."""
    del before
    return given[name].clone()


@_traced
def causal_attention(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, *, n_heads: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return (context, weights) of causal self-attention with these projections, computed in float64.

    x (..., n, d_in), weights of nn.Linear (d_out, d_in) → (..., n, d_out), (..., n, n). With `n_heads` the
    features are split: (..., n_heads, n, d_out / n_heads), (..., n_heads, n, n).
    """
    projected = [_einsum("...nd,ed->...ne", x.double(), w.double()) for w in (w_q, w_k, w_v)]
    if n_heads is not None:
        projected = [one.unflatten(-1, (n_heads, -1)).transpose(-3, -2) for one in projected]
    hidden = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
    context, weights = attention(*projected, hidden=hidden)
    return context.to(x.dtype), weights.to(x.dtype)


@_traced
def received(weights: Tensor) -> Tensor:
    """Return the mean weight that each key gets from the queries that can see it: (..., n, n) → (..., n)."""
    seen = torch.ones(weights.shape[-2:], dtype=torch.float64).tril()
    return _einsum("...ij,ij->...j", weights.double(), seen / seen.sum(0)).to(weights.dtype)


@_traced
def ignored(weights: Tensor, threshold: float) -> Tensor:
    """Return the positions that receive less than `threshold` in every map: (samples, heads, n, n) → whole numbers."""
    return (received(weights) < threshold).flatten(0, 1).all(dim=0).nonzero().flatten()


@_traced
def share(weights: Tensor, start: int, stop: int) -> Tensor:
    """Return the part of the last query's weights that lies on keys start … stop − 1: (..., n, n) → (...)."""
    inside = torch.zeros(weights.shape[-1], dtype=torch.float64)
    inside[start:stop] = 1.0
    return (weights[..., weights.shape[-2] - 1, :].double() @ inside).to(weights.dtype)


@_traced
def largest(weights: Tensor) -> Tensor:
    """Return the largest weight of a map: (n, n) → one number."""
    return weights.flatten().sort().values[-1]


@_traced
def variance(weights: Tensor) -> Tensor:
    """Return each query's population variance over the keys it sees: (n, n) → (n), computed in float64."""
    rows = [row[: i + 1] for i, row in enumerate(weights.double())]
    return torch.stack([torch.var(row, correction=0) for row in rows]).to(weights.dtype)


def audit(tokens: list[str], weights: Tensor) -> dict[str, Any]:
    """Return what the record of one inference holds, with tensors where it has numbers: (n, n) weights, n tokens."""
    top = largest(weights)
    query, key = (weights == top).nonzero()[0].tolist()
    return {
        "n_tokens": len(tokens),
        "max_attention": top,
        "max_query": tokens[query],
        "max_key": tokens[key],
        "variance": variance(weights),
        "entropy": entropy(weights),
    }


@_traced
def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """Return the slices of the features, one for each head: (b, n, d) → (b, n_heads, n, d / n_heads)."""
    return torch.stack(x.split(x.shape[-1] // n_heads, dim=-1), dim=1)


@_traced
def merge_heads(x: Tensor) -> Tensor:
    """Return the heads' features side by side: (b, h, n, e) → (b, n, h · e)."""
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=-1)


def multi_head_weights(
    d_in: int, d_out: int, *, seed: int, scale: float = 0.5, dtype: torch.dtype = torch.float32
) -> dict[str, Tensor]:
    """Return random weights of a multi-head module by parameter name, as `multi_head_attention` takes them."""
    source = torch.Generator().manual_seed(seed)
    sizes = {f"W_{name}.weight": (d_out, d_in) for name in "qkv"}
    sizes |= {"out_proj.weight": (d_out, d_out), "out_proj.bias": (d_out,)}  # type: ignore[dict-item]
    return {
        name: (torch.randn(*size, generator=source, dtype=torch.float64) * scale).to(dtype)
        for name, size in sizes.items()
    }


@_traced
def multi_head_attention(x: Tensor, weights: dict[str, Tensor], *, n_heads: int) -> Tensor:
    """Return what causal multi-head attention gives for x (b, n, d_in): (b, n, d_out), computed in float64.

    weights: `W_q.weight`, `W_k.weight`, `W_v.weight` (d_out, d_in), `out_proj.weight` (d_out, d_out) and
    `out_proj.bias` (d_out,).
    """
    w_q, w_k, w_v, w_o, bias = (
        weights[name].double()
        for name in ("W_q.weight", "W_k.weight", "W_v.weight", "out_proj.weight", "out_proj.bias")
    )
    context = causal_attention(x.double(), w_q, w_k, w_v, n_heads=n_heads)[0]
    merged = torch.cat([context[:, head] for head in range(n_heads)], dim=-1)
    return (_einsum("bni,oi->bno", merged, w_o) + bias).to(x.dtype)


@_traced
def entropy(weights: Tensor) -> Tensor:
    """Return the entropy over the last axis in nats: (..., n) → (...), computed in float64."""
    return _entr(weights.double()).sum(-1).to(weights.dtype)


@_traced
def softmax_gradient_norm(scores: Tensor) -> Tensor:
    """Return the Frobenius norm of the Jacobian of softmax: (..., n) → (...), from the matrix itself in float64."""
    weights = _softmax(scores.double(), dim=-1)
    jacobian = torch.diag_embed(weights) - _einsum("...i,...j->...ij", weights, weights)
    return _norm(jacobian, dim=(-2, -1)).to(scores.dtype)


def scaling(d_k: int, n_keys: int, n_samples: int = 2000) -> dict[str, tuple[float, float]]:
    """Return what the scaling experiment should find: name → (mean, standard deviation of one sample).

    For a fixed query, scores with standard normal keys are independent and normal with the query's length as
    their standard deviation: drawing those lengths and scores is the same experiment, without the keys.
    """
    not_for_learners()
    source = torch.Generator().manual_seed(d_k * 1000 + n_keys)
    queries = torch.randn(n_samples, d_k, generator=source, dtype=torch.float64)
    draws = torch.randn(n_samples, n_keys, generator=source, dtype=torch.float64)
    scores = queries.norm(dim=-1, keepdim=True) * draws
    found = {}
    for name, one in (("raw", scores), ("scaled", scores / math.sqrt(d_k))):
        found[f"{name}_entropy"] = entropy(_softmax(one, dim=-1))
        found[f"{name}_gradient"] = softmax_gradient_norm(one)
    return {name: (values.mean().item(), values.std().item()) for name, values in found.items()}
