"""Reference outputs: each quantity of the course computed by torch's own routines, in double precision.

The functions are bound when this module is imported, before any cell of a learner's has run.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as _torch_attention

_softmax = torch.softmax
_einsum = torch.einsum


def softmax(scores: Tensor) -> Tensor:
    """Return softmax over the last axis, same shape and dtype as `scores`, computed in float64."""
    return _softmax(scores.double(), dim=-1).to(scores.dtype)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """Return all dot products: (..., n, d), (..., m, d) → (..., n, m), computed in float64."""
    return _einsum("...nd,...md->...nm", queries.double(), keys.double()).to(queries.dtype)


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
