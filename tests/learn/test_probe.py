"""Probes measure the learner's objects and leave everything else as it was."""

import torch
from torch import nn

from attnlab.learn import probe


def test_operations_sees_a_ready_softmax_however_it_is_called() -> None:
    x = torch.randn(2, 3)
    ways = [
        lambda t: torch.softmax(t, -1),
        lambda t: getattr(t, "soft" + "max")(-1),
        nn.Softmax(-1),
        lambda t: nn.functional.log_softmax(t, -1).exp(),
        lambda t: nn.functional.scaled_dot_product_attention(t[None], t[None], t[None]),
    ]
    for way in ways:
        assert any("softmax" in name or "attention" in name for name in probe.operations(way, x))
    by_hand = probe.operations(lambda t: t.exp() / t.exp().sum(-1, keepdim=True), x)
    assert not any("softmax" in name for name in by_hand)


def test_gradients_are_those_of_autograd_and_none_where_the_graph_is_cut() -> None:
    x = torch.randn(3)
    (whole,) = probe.gradients(lambda t: t * 2, x)
    (half,) = probe.gradients(lambda t: t, x)
    assert torch.allclose(whole, 2 * half)
    assert probe.gradients(lambda t: t.detach(), x) == [None]
    first, second = probe.gradients(lambda a, b: a.sum().reshape(1), x, x)
    assert first is not None
    assert second is None


def test_changed_inputs_names_the_one_that_changed_and_spares_the_caller() -> None:
    a, b = torch.ones(2), torch.ones(2)
    assert probe.changed_inputs(lambda one, two: two.add_(1), a, b) == [2]
    assert torch.equal(b, torch.ones(2))
    assert probe.changed_inputs(lambda one, two: one + two, a, b) == []


def test_reseeds_tells_setting_the_seed_from_drawing_numbers() -> None:
    before = torch.get_rng_state()
    assert probe.reseeds(lambda: torch.manual_seed(0))
    assert not probe.reseeds(lambda: torch.rand(3))
    assert torch.equal(before, torch.get_rng_state())


def test_load_and_read_go_by_parameter_name() -> None:
    layer = nn.Linear(2, 3, bias=False)
    probe.load(layer, {"weight": torch.full((3, 2), 5.0)})
    assert torch.equal(probe.read(layer, "weight"), torch.full((3, 2), 5.0))
    probe.read(layer, "weight").zero_()
    assert float(layer.weight.detach().sum()) == 30.0
