"""Whatever the shape, dtype and magnitude: references agree with a formula written another way, and so do solutions."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnlab.learn import check, probe, reference
from tests.gradecells import lesson_with, solutions, source

settings.register_profile("course", derandomize=True, deadline=None, max_examples=20, database=None)
settings.load_profile("course")

SIZES = st.integers(1, 6)
FRONT = st.lists(st.integers(1, 3), max_size=2).map(tuple)
SEEDS = st.integers(0, 10_000)
DTYPES = st.sampled_from([torch.float32, torch.float64])
SCALES = st.sampled_from([0.01, 1.0, 30.0])
TO_COMPARE = {torch.float32: 2e-4, torch.float64: 1e-9}


def close(got: Tensor, want: Tensor, within: float | None = None) -> None:
    """Assert that shape, dtype and numbers agree, these to within rounding."""
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    within = TO_COMPARE[want.dtype] if within is None else within
    torch.testing.assert_close(got, want, rtol=within, atol=within)


def softmax64(scores: Tensor) -> Tensor:
    """exp over sum, in float64."""
    shifted = scores.double() - scores.double().amax(-1, keepdim=True)
    return shifted.exp() / shifted.exp().sum(-1, keepdim=True)


def attention64(q: Tensor, k: Tensor, v: Tensor, factor: float, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Dot products one by one, then exp over sum, in float64."""
    scores = (q.double()[..., :, None, :] * k.double()[..., None, :, :]).sum(-1) * factor
    weights = softmax64(scores if hidden is None else scores.masked_fill(hidden, -math.inf))
    return (weights[..., None] * v.double()[..., None, :, :]).sum(-2), weights


def future(n: int) -> Tensor:
    """True where the key comes after the query."""
    return torch.arange(n)[None, :] > torch.arange(n)[:, None]


def written(exercise: str, name: str) -> list[Any]:
    """Return what each right solution of an exercise calls `name`, run after the lesson's other solutions."""
    others = [
        cell.source
        for cell in source(lesson_with(exercise).name).cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    ]
    found = []
    for solution in solutions():
        if (solution.exercise, solution.kind) == (exercise, "right"):
            namespace: dict[str, Any] = {"torch": torch, "nn": nn, "math": math, "__name__": "__main__"}
            for code in (*others, solution.code):
                exec(code, namespace)
            found.append(namespace[name])
    assert found
    return found


@given(FRONT, SIZES, SEEDS, SCALES, DTYPES)
def test_softmax_is_exp_over_sum_adds_up_to_one_and_ignores_a_shift(
    front: tuple[int, ...], n: int, seed: int, scale: float, dtype: torch.dtype
) -> None:
    scores = check.numbers(*front, n, seed=seed, scale=scale, dtype=dtype)
    want = softmax64(scores).to(dtype)
    for softmax in (reference.softmax, *SOFTMAX):
        got = softmax(scores.clone())
        close(got, want)
        close(got.sum(-1), torch.ones(front, dtype=dtype))
        close(softmax(scores + 4.0), want, within=1e-3 if dtype == torch.float32 else 1e-9)


@given(FRONT, SIZES, SIZES, SIZES, SEEDS, SCALES, DTYPES)
def test_scores_are_all_the_dot_products(
    front: tuple[int, ...], n: int, m: int, d: int, seed: int, scale: float, dtype: torch.dtype
) -> None:
    queries, keys = (check.numbers(*front, size, d, seed=seed + size, scale=scale, dtype=dtype) for size in (n, m + 6))
    want = (queries.double()[..., :, None, :] * keys.double()[..., None, :, :]).sum(-1).to(dtype)
    close(reference.scores(queries, keys), want)
    own = (queries.double()[..., :, None, :] * queries.double()[..., None, :, :]).sum(-1).to(dtype)
    for attention_scores in ATTENTION_SCORES:
        check.equal(attention_scores(queries.clone()), own)


@given(FRONT, SIZES, SIZES, SIZES, SIZES, SEEDS, DTYPES)
def test_attention_is_a_weighted_mean_of_the_values(
    front: tuple[int, ...], n: int, m: int, d_k: int, d_v: int, seed: int, dtype: torch.dtype
) -> None:
    q, k, v = (
        check.numbers(*front, *shape, seed=seed + more, dtype=dtype)
        for more, shape in enumerate([(n, d_k), (m, d_k), (m, d_v)])
    )
    context, weights = (one.to(dtype) for one in attention64(q, k, v, 1 / math.sqrt(d_k)))
    for attention in (reference.attention, *SCALED):
        got = attention(q.clone(), k.clone(), v.clone())
        # A root taken in float32 is a right way too, and inexact in float64.
        within = TO_COMPARE[dtype] if attention is reference.attention else max(TO_COMPARE[dtype], 1e-6)
        close(got[0], context, within)
        close(got[1], weights, within)
        assert bool((got[0] <= v.amax(-2, keepdim=True) + 1e-4).all())
    simple = [one.to(dtype) for one in attention64(k, k, k, 1.0)]
    for got in (reference.attention(k, k, k, scale=1.0), *(one(k.clone()) for one in SIMPLE)):
        close(got[0], simple[0])
        close(got[1], simple[1])


@given(FRONT, SIZES, SIZES, SIZES, SEEDS, st.booleans())
def test_one_head_of_self_attention_is_projection_and_attention(
    front: tuple[int, ...], n: int, d_in: int, d_out: int, seed: int, bias: bool
) -> None:
    x = check.numbers(*front, n, d_in, seed=seed)
    w = [check.numbers(d_in, d_out, seed=seed + more) for more in (1, 2, 3)]
    b = tuple(check.numbers(d_out, seed=seed + more) for more in (4, 5, 6)) if bias else None
    made = [x.double() @ one.double() for one in w]
    if b:
        made = [one + more.double() for one, more in zip(made, b, strict=True)]
    want = attention64(*made, 1 / math.sqrt(d_out))[0].float()
    close(reference.self_attention(x, *w, biases=b), want, within=1e-3)


@given(SIZES, SIZES, st.integers(1, 3), SIZES, SEEDS)
def test_causal_attention_of_a_prefix_is_the_prefix_of_causal_attention(
    n: int, d_in: int, n_heads: int, head_dim: int, seed: int
) -> None:
    d_out = n_heads * head_dim
    x = check.numbers(2, n, d_in, seed=seed, dtype=torch.float64)
    w = [check.numbers(d_out, d_in, seed=seed + more, dtype=torch.float64) for more in (1, 2, 3)]
    whole, weights = reference.causal_attention(x, *w)
    want = attention64(*(x @ one.T for one in w), 1 / math.sqrt(d_out), hidden=future(n))
    close(whole, want[0])
    close(weights, want[1])
    named = reference.multi_head_weights(d_in, d_out, seed=seed, dtype=torch.float64)
    heads = reference.multi_head_attention(x, named, n_heads=n_heads)
    for length in range(1, n + 1):
        close(reference.causal_attention(x[:, :length], *w)[0], whole[:, :length])
        close(reference.multi_head_attention(x[:, :length], named, n_heads=n_heads), heads[:, :length])
    parts = [
        attention64(
            *(x @ named[f"W_{name}.weight"][h * head_dim : (h + 1) * head_dim].T for name in "qkv"),
            1 / math.sqrt(head_dim),
            hidden=future(n),
        )[0]
        for h in range(n_heads)
    ]
    close(heads, torch.cat(parts, -1) @ named["out_proj.weight"].T + named["out_proj.bias"])


@given(SIZES, SEEDS, st.sampled_from([1.0, 50.0]), DTYPES)
def test_masks_hide_the_future_and_masked_weights_add_up_to_one(
    n: int, seed: int, scale: float, dtype: torch.dtype
) -> None:
    for causal_mask in (reference.causal_mask, *CAUSAL_MASK):
        assert torch.equal(causal_mask(n), future(n))
    scores = check.numbers(2, n, n, seed=seed, scale=scale, dtype=dtype)
    want = softmax64(scores.masked_fill(future(n), -math.inf)).to(dtype)
    for masked_softmax in (reference.masked_softmax, *MASKED):
        got = masked_softmax(scores.clone(), future(n))
        close(got, want)
        assert not got[:, future(n)].any()


@given(st.integers(1, 3), SIZES, st.integers(1, 4), SIZES, SEEDS, DTYPES)
def test_split_and_merge_are_each_others_inverse_and_heads_are_slices(
    batch: int, n: int, n_heads: int, head_dim: int, seed: int, dtype: torch.dtype
) -> None:
    x = check.numbers(batch, n, n_heads * head_dim, seed=seed, dtype=dtype)
    for split_heads in (reference.split_heads, *SPLIT):
        heads = split_heads(x.clone(), n_heads)
        for h in range(n_heads):
            assert torch.equal(heads[:, h], x[..., h * head_dim : (h + 1) * head_dim])
        for merge_heads in (reference.merge_heads, *MERGE):
            assert torch.equal(merge_heads(heads), x)


@given(FRONT, SIZES, SEEDS, SCALES, DTYPES)
def test_entropy_lies_between_0_and_log_n(
    front: tuple[int, ...], n: int, seed: int, scale: float, dtype: torch.dtype
) -> None:
    weights = softmax64(check.numbers(*front, n, seed=seed, scale=scale)).to(dtype)
    logs = torch.where(weights > 0, weights, 1.0).double().log()
    want = -(weights.double() * logs).sum(-1).to(dtype)
    for entropy in (reference.entropy, *ENTROPY):
        got = entropy(weights.clone())
        close(got, want)
        assert bool(((got >= -1e-6) & (got <= math.log(n) + 1e-5)).all())
        close(entropy(torch.full((n,), 1 / n, dtype=dtype)), torch.tensor(math.log(n), dtype=dtype))


@given(FRONT, SIZES, SEEDS, st.sampled_from([0.01, 1.0, 4.0]))
def test_the_gradient_norm_is_that_of_autograds_jacobian(
    front: tuple[int, ...], n: int, seed: int, scale: float
) -> None:
    scores = check.numbers(*front, n, seed=seed, scale=scale, dtype=torch.float64)
    jacobians = [torch.autograd.functional.jacobian(softmax64, row) for row in scores.reshape(-1, n)]
    want = torch.stack([(one**2).sum().sqrt() for one in jacobians]).reshape(front)
    for norm in (reference.softmax_gradient_norm, *GRADIENT):
        close(norm(scores.clone()), want, within=1e-7)


@given(st.integers(1, 3), st.integers(1, 3), SIZES, SEEDS, DTYPES)
def test_received_attention_is_a_mean_over_who_can_see(
    count: int, heads: int, n: int, seed: int, dtype: torch.dtype
) -> None:
    weights = check.causal_weights(count, heads, n, n, seed=seed, scale=2.0, dtype=dtype)
    want = torch.stack([weights[..., key:, key].double().mean(-1) for key in range(n)], -1).to(dtype)
    uniform = torch.ones(n, n, dtype=dtype).tril() / torch.arange(1, n + 1, dtype=dtype)[:, None]
    harmonic = [sum(1 / (i + 1) for i in range(key, n)) / (n - key) for key in range(n)]
    for received in (reference.received, *RECEIVED):
        close(received(weights.clone()), want)
        close(received(uniform.clone()), torch.tensor(harmonic, dtype=dtype))
    last = weights[..., n - 1, :].double()
    for share in (reference.share, *SHARE):
        for start in range(n):
            close(share(weights.clone(), start, n), sum(last[..., j] for j in range(start, n)).to(dtype))


@given(SIZES, SEEDS)
def test_audit_rows_are_each_querys_own_variance_and_entropy(n: int, seed: int) -> None:
    weights = check.causal_weights(n, n, seed=seed, scale=1.5, dropped=0.3, dtype=torch.float64)
    found = reference.audit([str(i) for i in range(n)], weights)
    assert found["max_attention"].item() == max(max(row) for row in weights.tolist())
    for i in range(n):
        row = weights[i, : i + 1].tolist()
        mean = sum(row) / len(row)
        variance = sum((one - mean) ** 2 for one in row) / len(row)
        entropy = -sum(one * math.log(one) for one in row if one > 0)
        assert found["variance"][i].item() == pytest.approx(variance, abs=1e-12)
        assert found["entropy"][i].item() == pytest.approx(entropy, abs=1e-12)
        for audit_record in AUDIT:
            record = audit_record([str(i) for i in range(n)], weights.clone())
            assert record["variance"][i] == pytest.approx(variance, abs=1e-6)
            assert record["entropy"][i] == pytest.approx(entropy, abs=1e-6)


@given(st.integers(1, 3), SIZES, SIZES, st.integers(1, 3), SIZES, SEEDS)
def test_every_right_class_computes_what_the_reference_does(
    batch: int, n: int, d_in: int, n_heads: int, head_dim: int, seed: int
) -> None:
    d_out = n_heads * head_dim
    x = check.numbers(batch, n, d_in, seed=seed)
    w = [check.numbers(d_out, d_in, seed=seed + more, scale=0.5) for more in (1, 2, 3)]
    names = ("W_q", "W_k", "W_v")
    for module_class in V1:
        module = module_class(d_in, d_out)
        probe.load(module, {name: one.T for name, one in zip(names, w, strict=True)})
        close(module(x.clone()).detach(), reference.self_attention(x, *(one.T for one in w)))
    layers = {f"{name}.weight": one for name, one in zip(names, w, strict=True)}
    for module_class in V2:
        module = module_class(d_in, d_out)
        probe.load(module, layers)
        close(module(x.clone()).detach(), reference.self_attention(x, *(one.T for one in w)))
    for module_class in CAUSAL:
        module = module_class(d_in, d_out, n + 2)
        probe.load(module, layers)
        close(module(x.clone()).detach(), reference.causal_attention(x, *w)[0])
    named = reference.multi_head_weights(d_in, d_out, seed=seed)
    for module_class in MULTI:
        module = module_class(d_in, d_out, n + 2, n_heads=n_heads)
        probe.load(module, named)
        close(module(x.clone()).detach(), reference.multi_head_attention(x, named, n_heads=n_heads))


@given(SIZES, SIZES, SEEDS, DTYPES)
def test_copied_weights_make_both_classes_compute_the_same(
    d_in: int, d_out: int, seed: int, dtype: torch.dtype
) -> None:
    x = check.numbers(3, d_in, seed=seed, dtype=dtype)
    for copy_weights in COPY:
        v2, v1 = V2[0](d_in, d_out).to(dtype), V1[0](d_in, d_out).to(dtype)
        probe.fill(v2, seed=seed)
        copy_weights(v2, v1)
        close(v1(x).detach(), v2(x).detach())
        close(v1.W_q.detach(), v2.W_q.weight.detach().T)


@given(st.integers(1, 3), st.integers(1, 3), SIZES, SEEDS, st.sampled_from([0.11, 0.31, 0.53]))
def test_ignored_tokens_stay_below_the_threshold_in_every_map(
    samples: int, heads: int, n: int, seed: int, threshold: float
) -> None:
    weights = check.causal_weights(samples, heads, n, n, seed=seed, scale=1.5)
    received = [[[one[i:, i].mean().item() for i in range(n)] for one in sample] for sample in weights]
    want = [i for i in range(n) if all(one[i] < threshold for sample in received for one in sample)]
    for ignored_tokens in IGNORED:
        assert ignored_tokens(weights.clone(), threshold) == want


@given(st.integers(1, 200), st.integers(0, 50))
def test_the_variance_of_a_dot_product_is_its_length(d_k: int, seed: int) -> None:
    for dot_product_variance in VARIANCE:
        raw, scaled = dot_product_variance(d_k, n_samples=2000, seed=seed)
        # q·k has kurtosis 3 + 6/d_k: a sample variance strays by √((2 + 6/d_k) / n_samples).
        stray = 6 * math.sqrt((2 + 6 / d_k) / 2000)
        assert abs(raw / d_k - 1) < stray
        assert abs(scaled - 1) < stray


@settings(max_examples=5)
@given(
    st.lists(st.sampled_from([2, 5, 16, 60]), min_size=1, max_size=3, unique=True),
    st.integers(2, 40),
    st.integers(0, 9),
)
def test_the_experiment_of_a_right_solution_lies_near_the_reference(dims: list[int], n_keys: int, seed: int) -> None:
    for scaling_experiment in EXPERIMENT:
        found = scaling_experiment(dims, n_keys=n_keys, n_samples=100, seed=seed)
        assert [float(one) for one in found["d_k"]] == [float(one) for one in dims]
        for place, d_k in enumerate(dims):
            for name, (mean, spread) in reference.scaling(d_k, n_keys).items():
                # One set of keys for all queries is a right way too, and its samples are not independent.
                assert abs(found[name][place] - mean) < 8 * spread / math.sqrt(100) + 0.05 * (1 + abs(mean))


@pytest.mark.parametrize("d_k", [4, 64])
def test_the_scaling_experiment_finds_what_drawing_queries_and_keys_finds(d_k: int) -> None:
    queries, keys = check.numbers(400, 1, d_k, seed=1), check.numbers(400, 32, d_k, seed=2)
    raw = (queries * keys).sum(-1).double()
    for name, scores in (("raw", raw), ("scaled", raw / math.sqrt(d_k))):
        weights = softmax64(scores)
        entropy = -(weights * weights.clamp_min(1e-300).log()).sum(-1).mean().item()
        mean, spread = reference.scaling(d_k, 32)[f"{name}_entropy"]
        assert abs(entropy - mean) < 5 * spread / math.sqrt(400) + 5 * spread / math.sqrt(2000)


SOFTMAX = written("softmax", "softmax")
ATTENTION_SCORES = written("attention_scores", "attention_scores")
SCALED = written("scaled_dot_product_attention", "scaled_dot_product_attention")
CAUSAL_MASK = written("causal_mask", "causal_mask")
MASKED = written("masked_softmax", "masked_softmax")
SPLIT = written("split_heads", "split_heads")
MERGE = written("merge_heads", "merge_heads")
ENTROPY = written("softmax_entropy", "softmax_entropy")
GRADIENT = written("softmax_gradient_norm", "softmax_gradient_norm")
RECEIVED = written("attention_received", "attention_received")
SHARE = written("injection_share", "injection_share")
SIMPLE = written("simplified_attention", "simplified_attention")
V1 = written("self_attention_v1", "SelfAttentionV1")
V2 = written("self_attention_v2", "SelfAttentionV2")
CAUSAL = written("causal_attention", "CausalAttention")
MULTI = written("multi_head_attention", "MultiHeadAttention")
AUDIT = written("audit_record", "audit_record")
COPY = written("copy_weights", "copy_weights")
IGNORED = written("ignored_tokens", "ignored_tokens")
VARIANCE = written("dot_product_variance", "dot_product_variance")
EXPERIMENT = written("scaling_experiment", "scaling_experiment")
