"""Inputs for checks, the same for a seed; the global random state is not touched."""

import torch
from torch import Tensor

from attnlab.learn import reference


def numbers(*shape: int, seed: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return normal random numbers × `scale`, the same for the same seed; the global random state is not touched."""
    source = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=source, dtype=torch.float64) * scale).to(dtype)


def whole_numbers(*shape: int, seed: int, most: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Return random whole numbers from −most to most as floats: their dot products are exact in float32."""
    source = torch.Generator().manual_seed(seed)
    return torch.randint(-most, most + 1, shape, generator=source).to(dtype)


def causal_weights(
    *shape: int, seed: int, scale: float = 1.0, dropped: float = 0.0, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return random causal weights (..., n, n): each query's lie on itself and what came before, and sum to 1.

    `dropped` is the part of them that is then 0, as dropout leaves them: the others are divided by 1 − dropped.
    """
    scores = numbers(*shape, seed=seed, scale=scale, dtype=torch.float64)
    future = torch.ones(shape[-2:], dtype=torch.bool).triu(1)
    weights = reference.softmax(scores.masked_fill(future, -torch.inf))
    if dropped:
        kept = numbers(*shape, seed=seed + 1000, dtype=torch.float64).argsort(-1).argsort(-1) >= dropped * shape[-1]
        weights = weights * kept / (1 - dropped)
    return weights.to(dtype)
