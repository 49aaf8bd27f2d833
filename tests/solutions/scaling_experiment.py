# %% right: the global seed, keys in two axes
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    torch.manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k)
        k = torch.randn(n_samples, n_keys, d_k)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% right: one set of keys for all queries
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_keys, d_k, generator=g)
        raw = q @ k.T
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% right: d_k as floats, lists made beforehand
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(float(d_k))
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% right: one sample at a time
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    gen = torch.Generator()
    gen.manual_seed(seed)
    names = ["raw_entropy", "scaled_entropy", "raw_gradient", "scaled_gradient"]
    result = {name: [] for name in names}
    result["d_k"] = list(dims)
    for d in dims:
        sums = dict.fromkeys(names, 0.0)
        for _ in range(n_samples):
            query = torch.randn(d, generator=gen)
            scores = torch.randn(n_keys, d, generator=gen) @ query
            for name, s in (("raw", scores), ("scaled", scores / d ** 0.5)):
                sums[name + "_entropy"] += float(softmax_entropy(torch.softmax(s, dim=0)))
                sums[name + "_gradient"] += float(softmax_gradient_norm(s))
        for name in names:
            result[name].append(sums[name] / n_samples)
    return result

# %% right: numpy throughout, a generator for each d_k
import numpy as np

def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    out = {"d_k": [int(d) for d in dims]}
    for name in ("raw_entropy", "scaled_entropy", "raw_gradient", "scaled_gradient"):
        out[name] = []
    for d in dims:
        rng = np.random.default_rng([seed, d])
        q = rng.standard_normal((n_samples, 1, d))
        k = rng.standard_normal((n_samples, n_keys, d))
        s = (q * k).sum(-1)
        for name, one in (("raw", s), ("scaled", s / np.sqrt(d))):
            e = np.exp(one - one.max(-1, keepdims=True))
            p = e / e.sum(-1, keepdims=True)
            out[name + "_entropy"].append(float(-(p * np.log(p + 1e-300)).sum(-1).mean()))
            p2, p3 = (p**2).sum(-1), (p**3).sum(-1)
            out[name + "_gradient"].append(float(np.sqrt(np.maximum(p2 - 2 * p3 + p2**2, 0)).mean()))
    return out

# %% right: the same seed anew for each d_k, a defaultdict
from collections import defaultdict

def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    found = defaultdict(list)
    for d_k in dims:
        g = torch.Generator().manual_seed(seed)
        q = torch.randn(n_samples, 1, d_k, generator=g, dtype=torch.float64)
        k = torch.randn(n_samples, d_k, n_keys, generator=g, dtype=torch.float64)
        raw = torch.bmm(q, k)[:, 0]
        scaled = torch.bmm(q * d_k ** -0.5, k)[:, 0]
        found["d_k"].append(d_k)
        for name, s in zip(("raw", "scaled"), (raw, scaled)):
            p = torch.softmax(s, -1)
            found[name + "_entropy"].append(torch.special.entr(p).sum(-1).mean().item())
            J = torch.diag_embed(p) - p[..., None] * p[..., None, :]
            found[name + "_gradient"].append(J.norm(dim=(1, 2)).mean().item())
    return found

# %% wrong: divided by d_k | divided_by_d_k
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: scaled twice | divided_by_d_k
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5 / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: scaled by the root of n_keys | divided_by_root_of_n_keys
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / n_keys ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: not scaled | scale_left_out
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: scale after softmax | divided_after_softmax
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(raw.softmax(-1) / d_k ** 0.5).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: raw and scaled swapped | raw_and_scaled_swapped
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["scaled_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["raw_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: entropy and gradient swapped | entropy_and_gradient_swapped
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_gradient"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_entropy"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: gradient by the unscaled scores | gradient_by_raw_scores
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item() / d_k ** 0.5)
    return found

# %% wrong: gradient of the weights, not of the scores | weights_taken_for_scores
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw.softmax(-1)).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: softmax over the samples | softmax_over_samples
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(0)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(0)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: n_keys ignored | n_keys_ignored
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, 64, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: n_samples ignored | n_samples_ignored
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    n_samples = 200
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: one sample only | too_few_draws
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    n_samples = 1
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: one query for all samples | too_few_draws
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(1, d_k, generator=g).expand(n_samples, d_k)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: scores drawn instead of dot products
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = torch.randn(n_samples, n_keys, generator=g) * d_k ** 0.5
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: seed ignored | seed_argument_ignored
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(0)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: not seeded | drawn_without_seed
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k)
        k = torch.randn(n_samples, n_keys, d_k)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: entropy of the mean weights | averaged_too_early
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1).mean(0)).item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1).mean(0)).item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: mean scores first | averaged_too_early
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1).mean(0, keepdim=True)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: median instead of mean | median_for_mean
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).median().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).median().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).median().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).median().item())
    return found

# %% wrong: sum instead of mean | samples_summed
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).sum().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).sum().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).sum().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).sum().item())
    return found

# %% wrong: largest instead of mean | largest_sample
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).max().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).max().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).max().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).max().item())
    return found

# %% wrong: tensors in the lists | tensors_left
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean())
    return found

# %% wrong: tensors instead of lists | tensors_left
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return {name: torch.tensor(column) for name, column in found.items()}

# %% wrong: a list of rows | list_of_rows
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return [dict(zip(found, row)) for row in zip(*found.values())]

# %% wrong: one list missing
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    del found["scaled_gradient"]
    return found

# %% wrong: lists of samples | not_averaged
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).tolist())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).tolist())
        found["raw_gradient"].append(softmax_gradient_norm(raw).tolist())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).tolist())
    return found

# %% wrong: sorted dims | dims_sorted
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in sorted(dims):
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: each d_k once | dims_without_repeats
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dict.fromkeys(dims):
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: only the last d_k | only_the_last_d_k
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        found = {name: [] for name in found}
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: the lesson's dims | dims_of_the_example
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in [4, 16, 64]:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: uniform queries and keys | uniform_for_normal
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.rand(n_samples, d_k, generator=g)
        k = torch.rand(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: queries and keys of length 1 | unit_vectors
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        raw = raw / q.norm(dim=-1, keepdim=True) / k.norm(dim=-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: the query among its keys | query_among_its_keys
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        k[:, 0] = q
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: entropy in bits | entropy_in_bits
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item() / 0.6931)
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item() / 0.6931)
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item())
    return found

# %% wrong: squared gradient | root_forgotten
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item())
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item())
        found["raw_gradient"].append(softmax_gradient_norm(raw).square().mean().item())
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).square().mean().item())
    return found

# %% wrong: rounded to one place | rounded_means
def scaling_experiment(dims, n_keys=64, n_samples=200, seed=0):
    g = torch.Generator().manual_seed(seed)
    found = {"d_k": [], "raw_entropy": [], "scaled_entropy": [], "raw_gradient": [], "scaled_gradient": []}
    for d_k in dims:
        q = torch.randn(n_samples, d_k, generator=g)
        k = torch.randn(n_samples, n_keys, d_k, generator=g)
        raw = (k @ q.unsqueeze(-1)).squeeze(-1)
        scaled = raw / d_k ** 0.5
        found["d_k"].append(d_k)
        found["raw_entropy"].append(softmax_entropy(raw.softmax(-1)).mean().item().__round__(0))
        found["scaled_entropy"].append(softmax_entropy(scaled.softmax(-1)).mean().item().__round__(0))
        found["raw_gradient"].append(softmax_gradient_norm(raw).mean().item().__round__(0))
        found["scaled_gradient"].append(softmax_gradient_norm(scaled).mean().item().__round__(0))
    return found
