"""A GGUF file loaded by transformers: maps, interventions, another attention in every layer.

The tiny model is made here; the small real one is looked at where it is installed.
"""

import os
import subprocess
import sys

import pytest
import torch

from attnlab.learn import check, messages, real_model
from attnlab.learn.real_model.files import packaged
from attnlab.learn.real_model.seen import change
from attnlab.learn.real_model.trial import trial
from attnlab.problem import Problem
from tests.model.llama import Llama, tiny_llama

pytest.importorskip("transformers")
pytest.importorskip("gguf")
pytest.importorskip("accelerate")


def installed() -> bool:
    try:
        return packaged().is_file()
    except Problem:
        return False


@pytest.fixture(scope="module", params=["tiny", "real"])
def model(request, tmp_path_factory):
    from attnlab.learn.real_model.live import Live

    messages.set_language("en")
    if request.param == "real" and not installed():
        pytest.skip("the package with the real model is not installed")
    path = packaged() if request.param == "real" else tiny_llama(tmp_path_factory.mktemp("model") / "tiny.gguf")
    yield Live(path), Llama(path)
    messages.set_language("zh")


PROMPTS = ["The loan was refused because", "red blue red", "A b", "银行拒绝了她", "红蓝红", "是"]


def mine(queries, keys, values):
    n = queries.shape[-2]
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    return scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf).softmax(-1) @ values


def no_scale(queries, keys, values):
    return mine(queries * queries.shape[-1] ** 0.5, keys, values)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_maps_are_causal_and_those_of_a_second_implementation(model, prompt) -> None:
    live, second = model
    look = live.look(prompt)
    n = len(look.tokens)
    maps, chances = second(live._ids(prompt))
    torch.testing.assert_close(look.weights.sum(-1), torch.ones(look.weights.shape[:-1]))
    assert not look.weights.triu(1).any()
    assert look.weights.shape == (live.n_layers, live.n_heads, n, n)
    torch.testing.assert_close(look.weights, maps, atol=1e-4, rtol=0)
    torch.testing.assert_close(live.run(prompt, tokens=1)[0], chances, atol=1e-4, rtol=0)


def test_anothers_attention_runs_in_every_layer_and_says_the_same(model) -> None:
    live, _ = model
    own, said, _ = live.run(PROMPTS[0], tokens=3)
    chances, text, layers = live.run(PROMPTS[0], mine, tokens=3)
    assert layers == live.n_layers
    torch.testing.assert_close(chances, own, atol=1e-4, rtol=0)
    assert text == said
    broken, _, layers = live.run(PROMPTS[0], no_scale, tokens=1)
    assert layers == live.n_layers
    assert (broken - own).abs().max() > 1e-4
    torch.testing.assert_close(live.run(PROMPTS[0], tokens=1)[0], own)  # its own attention is back


def test_a_trial_goes_on_after_an_attention_that_fails(model, capsys) -> None:
    live, _ = model
    trial(live, PROMPTS[0], {"bad": lambda q, k, v: q[0], "todo": _not_written, "mine": mine}, tokens=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert "shape" in lines[2]
    assert f"{live.n_layers}/{live.n_layers}" in lines[4]
    assert live.run(PROMPTS[0], tokens=1)[2] == 0


def _not_written(queries, keys, values):
    raise NotImplementedError


def test_a_removed_token_is_not_seen_by_later_ones(model) -> None:
    live, second = model
    before, after = live.ask(PROMPTS[0]), live.ask(PROMPTS[0], removed=[1])
    assert change(before, live.ask(PROMPTS[0], removed=[])) == 0
    assert change(before, after) > 0
    chances = second(live._ids(PROMPTS[0]), removed=[1])[1]
    assert max(after.values()) == pytest.approx(float(chances.max()), abs=1e-4)


def test_what_stands_inside_a_layer_gives_its_map(model) -> None:
    live, _ = model
    layer = live.inside(PROMPTS[0], -1)
    torch.testing.assert_close(mine(layer.queries, layer.keys, layer.values), layer.context, atol=1e-4, rtol=1e-4)


def test_a_check_still_passes_after_a_model_was_loaded(model, capsys) -> None:
    with check.holds("softmax", "rows"):
        check.equal(torch.ones(2), torch.ones(2))
    assert "✓" in capsys.readouterr().out


def test_a_truncated_file_is_one_line(tmp_path, capsys) -> None:
    messages.set_language("en")
    path = tiny_llama(tmp_path / "whole.gguf")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:20_000])
    assert not real_model.open(cut).live
    assert "incomplete or damaged" in capsys.readouterr().out
    messages.set_language("zh")


def test_a_model_with_layers_without_attention_is_refused_with_their_number(tmp_path, capsys) -> None:
    messages.set_language("en")
    assert not real_model.open(tiny_llama(tmp_path / "hybrid.gguf", without=1)).live
    assert "1 of the 2 layers" in capsys.readouterr().out
    messages.set_language("zh")


@pytest.mark.skipif(not installed(), reason="the package with the real model is not installed")
@pytest.mark.skipif(sys.platform != "linux", reason="reads the most memory of a process from /proc")
def test_the_real_model_fits_into_1500_mb() -> None:
    # Not ru_maxrss: what a process had in memory before it became another counts in that one.
    code = (
        "from attnlab.learn import real_model; real = real_model.open();"
        "real.look('The loan was refused because'); assert real.live;"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    )
    environment = {
        name: value for name, value in os.environ.items() if name not in ("ATTNLAB_GGUF", "NBGRADER_EXECUTION")
    }
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    assert int(done.stdout.split()[-1]) * 1024 < 1.5e9
