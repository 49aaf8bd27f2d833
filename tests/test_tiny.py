"""The tiny language model: seeded, small, and measured as the lessons say."""

import pytest
import torch
from torch import Tensor, nn

from attnlab.learn import tiny


class Attention(nn.Module):
    """Causal attention of several heads in the form that the course's contract asks for."""

    def __init__(self, d: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.out_proj = nn.Linear(d, d)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            layer(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for layer in (self.W_q, self.W_k, self.W_v)
        )
        context = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(context.transpose(1, 2).flatten(2))


class OneHead(nn.Module):
    """One head whose projections are plain parameters (d_in, d_out)."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Parameter(torch.rand(d, d)) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.scaled_dot_product_attention(x @ self.W_q, x @ self.W_k, x @ self.W_v, is_causal=True)


def model_of(n_heads: int = 2, layers: int = 2, seed: int = 0) -> tiny.TinyModel:
    return tiny.TinyModel([Attention(8, n_heads) for _ in range(layers)], 8, 5, 12, seed)


def test_the_second_half_repeats_the_first() -> None:
    tokens = tiny.repeated_sequences(7, 6, 5, seed=1)
    assert tokens.shape == (7, 12)
    assert torch.equal(tokens[:, :6], tokens[:, 6:])
    assert set(tokens.unique().tolist()) == {0, 1, 2, 3, 4}
    assert torch.equal(tokens, tiny.repeated_sequences(7, 6, 5, seed=1))
    assert not torch.equal(tokens, tiny.repeated_sequences(7, 6, 5, seed=2))


def test_batches_have_every_length_asked_for_and_no_other() -> None:
    make_batch = tiny.repeats(5, shortest=3, longest=6, count=2)
    assert {make_batch(seed).shape for seed in range(60)} == {(2, 6), (2, 8), (2, 10), (2, 12)}


def test_logits_have_one_entry_for_every_token_of_the_vocabulary() -> None:
    assert model_of()(tiny.repeated_sequences(3, 4, 5, seed=0)).shape == (3, 8, 5)


def test_the_same_seed_gives_the_same_training_whatever_the_global_state() -> None:
    runs = []
    for state in (1, 2):
        torch.manual_seed(state)
        runs.append(tiny.train(model_of(), tiny.repeats(5, 3, 6), steps=4, seed=3, label="test"))
        assert torch.initial_seed() == state
    assert runs[0] == runs[1]
    assert runs[0] != tiny.train(model_of(seed=1), tiny.repeats(5, 3, 6), steps=4, seed=3, label="test")


def test_training_lowers_the_loss_and_says_so_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny.repeated_sequences(4, 3, 5, seed=0)
    losses = tiny.train(model_of(), data, steps=40, seed=0, label="two heads")
    assert len(losses) == 40
    assert losses[-1] < losses[0] / 2
    printed = capsys.readouterr()
    assert printed.out.startswith("two heads ====================")
    assert printed.out.count("\n") == 1
    assert not printed.err


@pytest.mark.parametrize("mode", ["autograde", "validate"])
def test_grading_does_not_wait_for_training(
    mode: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", mode)
    assert len(tiny.train(model_of(), tiny.repeats(5, 3, 6), steps=10_000, seed=0, label="test")) <= 5
    assert capsys.readouterr().out.count("\n") == 2


def test_maps_are_causal_weights_of_every_head() -> None:
    maps = tiny.attention_maps(model_of(n_heads=4), tiny.repeated_sequences(3, 4, 5, seed=0))
    assert [one.shape for one in maps] == [(3, 4, 8, 8)] * 2
    for one in maps:
        torch.testing.assert_close(one.sum(-1), torch.ones(3, 4, 8))
        assert not one.triu(1).any()


def test_maps_are_those_that_the_layers_use() -> None:
    model = model_of(n_heads=2)
    tokens = tiny.repeated_sequences(3, 4, 5, seed=0)
    x = model.embed(tokens)
    for layer, weights in zip(model.layers, tiny.attention_maps(model, tokens, n_heads=2), strict=True):
        values = layer.W_v(x).unflatten(-1, (2, -1)).transpose(1, 2)
        torch.testing.assert_close(layer(x), layer.out_proj((weights @ values).transpose(1, 2).flatten(2)))
        x = x + layer(x)


def test_maps_can_leave_the_scale_out() -> None:
    model, tokens = model_of(n_heads=2), tiny.repeated_sequences(3, 4, 5, seed=0)
    x = model.embed(tokens)
    scaled = tiny.attention_maps(model, tokens)[0]
    unscaled = tiny.attention_maps(model, tokens, scaled=False)[0]
    q, k = (layer(x).unflatten(-1, (2, -1)).transpose(1, 2) for layer in (model.layers[0].W_q, model.layers[0].W_k))
    hidden = torch.ones(8, 8).triu(1) > 0
    scores = (q @ k.transpose(-2, -1)).masked_fill(hidden, -torch.inf)
    torch.testing.assert_close(unscaled, scores.softmax(-1))
    torch.testing.assert_close(scaled, (scores / 4**0.5).softmax(-1))


def test_projections_may_be_plain_parameters_of_one_head() -> None:
    model = tiny.TinyModel([OneHead(8)], 8, 5, 12, seed=0)
    tokens = tiny.repeated_sequences(2, 3, 5, seed=0)
    x = model.embed(tokens)
    (weights,) = tiny.attention_maps(model, tokens)
    assert weights.shape == (2, 1, 6, 6)
    torch.testing.assert_close(weights[:, 0] @ (x @ model.layers[0].W_v), model.layers[0](x))


def test_scores_of_perfect_heads_are_one() -> None:
    half, n = 4, 8
    back = {places: torch.zeros(n, n) for places in (1, 2, half - 1)}
    for places, one in back.items():
        for query in range(n):
            one[query, query - places if query >= places else query] = 1.0
    maps = [torch.stack([back[1], back[2], back[half - 1]])[None]]
    assert tiny.score_previous_token(maps)[0].tolist() == [1.0, 0.0, 0.0]
    assert tiny.score_looking_back(maps, 2)[0].tolist() == [0.0, 1.0, 0.0]
    assert tiny.score_induction(maps, half)[0].tolist() == [0.0, 0.0, 1.0]


def test_a_smoothed_curve_ends_at_the_last_step() -> None:
    assert tiny.smoothed([4.0, 2.0, 3.0, 1.0, 7.0], every=2) == ([2, 4, 5], [3.0, 2.0, 7.0])
