"""A language model of attention layers alone, small enough to train inside a notebook.

    make_batch = tiny.repeats(vocabulary=4, shortest=8, longest=12)
    layers = [MultiHeadAttention(32, 32, 24, n_heads=4) for _ in range(2)]  # the learner's own modules
    model = tiny.TinyModel(layers, d_model=32, vocabulary=4, context_length=24, seed=0)
    losses = tiny.train(model, make_batch, steps=600, seed=0, label="4 heads")
    maps = tiny.attention_maps(model, tiny.repeated_sequences(8, 12, 4, seed=1), n_heads=4)
    tiny.score_previous_token(maps), tiny.score_induction(maps, half=12)

Everything random comes from generators made from `seed`: the same seed gives the same numbers on one machine.
Source for the two scores: Olsson et al. 2022 (arXiv 2209.11895).
"""

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab.learn.messages import text

_STEPS_WHILE_GRADING = 5
_BAR = 20


def repeated_sequences(count: int, half: int, vocabulary: int, seed: int) -> Tensor:
    """Return random token ids (count, 2·half) from 0 … vocabulary−1, the second half repeating the first."""
    source = torch.Generator().manual_seed(seed)
    first = torch.randint(vocabulary, (count, half), generator=source)
    return torch.cat([first, first], dim=1)


def repeats(vocabulary: int, shortest: int, longest: int, count: int = 64) -> Callable[[int], Tensor]:
    """Return a function seed → `repeated_sequences` of `count` rows, their half as long as the seed draws.

    Lengths differ from batch to batch: with one fixed length, a model could learn to look a fixed number of
    places back, and would never need to look at the tokens.
    """

    def make_batch(seed: int) -> Tensor:
        source = torch.Generator().manual_seed(seed)
        half = int(torch.randint(shortest, longest + 1, (1,), generator=source))
        return repeated_sequences(count, half, vocabulary, seed + 1)

    return make_batch


def rule_texts(
    vocabulary: int, rules: int, pairs: int, *, renewed: float = 0.2, count: int = 32
) -> Callable[[int], Tensor]:
    """Return a function seed → token ids (count, 1 + 2·pairs): texts of (question, answer) pairs after token 0.

    Each text has `rules` questions of its own, asked in random order. A question's answer is the one it had
    last, but for a part `renewed` of the times, when a new one takes its place from then on.
    """

    def make_batch(seed: int) -> Tensor:
        source = torch.Generator().manual_seed(seed)
        row = torch.arange(count)
        questions = torch.rand(count, vocabulary - 1, generator=source).argsort(dim=1)[:, :rules] + 1
        answers = torch.randint(1, vocabulary, (count, rules), generator=source)
        text = [torch.zeros(count, dtype=torch.long)]
        for _ in range(pairs):
            asked = torch.randint(rules, (count,), generator=source)
            new = torch.rand(count, generator=source) < renewed
            other = torch.randint(1, vocabulary, (count,), generator=source)
            answers[row, asked] = torch.where(new, other, answers[row, asked])
            text += [questions[row, asked], answers[row, asked]]
        return torch.stack(text, dim=1)

    return make_batch


class TinyModel(nn.Module):
    """Token and position embeddings, the given attention layers with a residual round each, unembedding."""

    def __init__(
        self,
        attention_layers: Sequence[nn.Module],
        d_model: int,
        vocabulary: int,
        context_length: int,
        seed: int,
    ) -> None:
        """Take layers that map (b, n, d_model) to the same; all their weights are drawn anew from `seed`."""
        super().__init__()
        source = torch.Generator().manual_seed(seed)
        self.token_embedding = nn.Parameter(torch.randn(vocabulary, d_model, generator=source) / 2)
        self.position_embedding = nn.Parameter(torch.randn(context_length, d_model, generator=source) / 2)
        self.layers = nn.ModuleList(attention_layers)
        reach = 1 / math.sqrt(d_model)
        self.unembedding = nn.Parameter(torch.randn(d_model, vocabulary, generator=source) * reach)
        with torch.no_grad():
            for parameter in self.layers.parameters():
                if parameter.dim() > 1:
                    parameter.uniform_(-reach, reach, generator=source)
                else:
                    parameter.zero_()

    def embed(self, tokens: Tensor) -> Tensor:
        """Return what the first layer sees: token ids (b, n) → (b, n, d_model)."""
        return self.token_embedding[tokens] + self.position_embedding[: tokens.shape[1]]

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of the next token after each: token ids (b, n) → (b, n, vocabulary)."""
        x = self.embed(tokens)
        for layer in self.layers:
            x = x + layer(x)
        return x @ self.unembedding


def second_half_loss(model: nn.Module, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy, in nats, of the next tokens in the second half of each sequence.

    The first half is random, so there is nothing to learn in it.
    """
    half = tokens.shape[1] // 2
    logits = model(tokens)[:, half:-1]
    return cross_entropy(logits.flatten(0, 1), tokens[:, half + 1 :].flatten())


def next_token_loss(model: nn.Module, tokens: Tensor) -> Tensor:
    """Return the mean cross-entropy, in nats, of every token after the first."""
    return cross_entropy(model(tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def train(
    model: nn.Module,
    data: Tensor | Callable[[int], Tensor],
    steps: int,
    seed: int,
    label: str,
    *,
    learning_rate: float = 0.01,
    loss_of: Callable[[nn.Module, Tensor], Tensor] = second_half_loss,
) -> list[float]:
    """Train by Adam, drawing a bar after `label` as it goes; return each step's loss. Ends in eval mode.

    data: token ids (count, n), of which each step takes 64 at random, or a function whole number → a batch
    (see `repeats`). loss_of: (model, tokens) → a scalar. While nbgrader runs the notebook only a handful of
    steps are taken, and the printed line says so: no point hangs on what was learnt.
    """
    grading = bool(os.environ.get("NBGRADER_EXECUTION"))
    steps = min(steps, _STEPS_WHILE_GRADING) if grading else steps
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    source = torch.Generator().manual_seed(seed)
    losses: list[float] = []
    model.train()
    print(f"{label} ", end="")
    with torch.random.fork_rng(devices=[]):  # dropout draws from the global state: give it back as it was
        torch.manual_seed(seed)
        for step in range(steps):
            for group in optimizer.param_groups:  # falls to 0 over the second half, which steadies the end
                group["lr"] = learning_rate * min(1.0, 2 * (1 - step / steps))
            number = int(torch.randint(2**31, (1,), generator=source))
            loss = loss_of(model, data(number) if callable(data) else _some_of(data, number))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            # The bar only ever grows: what is kept of the output is one line, with no carriage returns in it.
            print("=" * (_BAR * (step + 1) // steps - _BAR * step // steps), end="")
    model.eval()
    last = losses[-20:]
    print(" " + text("say.trained", steps=steps, loss=f"{sum(last) / len(last):.2f}"))
    if grading:
        print(text("say.trained_briefly"))
    return losses


def smoothed(losses: Sequence[float], every: int = 25) -> tuple[list[int], list[float]]:
    """Return (steps, means) of the losses over each stretch of `every` steps, to draw a curve by."""
    stretches = [losses[i : i + every] for i in range(0, len(losses), every)]
    steps = [i * every + len(one) for i, one in enumerate(stretches)]
    return steps, [sum(one) / len(one) for one in stretches]


def _some_of(data: Tensor, seed: int, count: int = 64) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    return data[torch.randint(len(data), (count,), generator=source)]


@torch.no_grad()
def attention_maps(
    model: TinyModel, tokens: Tensor, n_heads: int | None = None, *, scaled: bool = True
) -> list[Tensor]:
    """Return each layer's causal weights (b, heads, n, n), computed again from its `W_q` and `W_k`.

    n_heads: how many heads each layer has; where None, its attribute `n_heads`, or 1. `W_q`, `W_k` are
    nn.Linear or (d_in, d_out) parameters. scaled=False leaves out the division by √head_dim.
    """
    maps = []
    x = model.embed(tokens)
    hidden = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
    for layer in model.layers:
        heads = n_heads or getattr(layer, "n_heads", 1)
        queries = _project(layer.W_q, x).unflatten(-1, (heads, -1))
        keys = _project(layer.W_k, x).unflatten(-1, (heads, -1))
        scores = torch.einsum("bqhe,bkhe->bhqk", queries, keys)
        if scaled:
            scores = scores / math.sqrt(queries.shape[-1])
        maps.append(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1))
        x = x + layer(x)
    return maps


def _project(projection: Any, x: Tensor) -> Tensor:
    return x @ projection if isinstance(projection, Tensor) else projection(x)


def score_looking_back(maps: Sequence[Tensor], places: int) -> list[Tensor]:
    """Return, for each layer, per head: the mean weight on the key `places` before the query, (heads,)."""
    return [one.diagonal(-places, dim1=-2, dim2=-1).mean(dim=(0, 2)) for one in maps]


def score_previous_token(maps: Sequence[Tensor]) -> list[Tensor]:
    """Return, for each layer, per head: the mean weight on the token just before the query, (heads,)."""
    return score_looking_back(maps, 1)


def score_induction(maps: Sequence[Tensor], half: int) -> list[Tensor]:
    """Return, for each layer, per head: the mean weight on what followed the query's token before, (heads,).

    maps: of `repeated_sequences` whose half is `half`; a query of the second half, at i, is scored on the key
    at i − half + 1.
    """
    return [one.diagonal(1 - half, dim1=-2, dim2=-1)[..., 1:].mean(dim=(0, 2)) for one in maps]
