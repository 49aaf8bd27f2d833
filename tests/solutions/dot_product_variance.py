# %% right: textbook with the global seed
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    torch.manual_seed(seed)
    q = torch.randn(n_samples, d_k)
    k = torch.randn(n_samples, d_k)
    dots = (q * k).sum(dim=1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% right: one sample at a time
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = []
    for _ in range(n_samples):
        dots.append(float(torch.randn(d_k, generator=g) @ torch.randn(d_k, generator=g)))
    mean = sum(dots) / len(dots)
    raw = sum((one - mean) ** 2 for one in dots) / len(dots)
    return raw, raw / d_k

# %% right: numpy, einsum, population variance
import numpy as np

def dot_product_variance(d_k, n_samples=10_000, seed=0):
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, n_samples, d_k))
    dots = np.einsum("nd,nd->n", q, k)
    return float(dots.var()), float((dots / np.sqrt(d_k)).var())

# %% right: numpy floats, which are floats
import numpy as np

def dot_product_variance(d_k, n_samples=10_000, seed=0):
    np.random.seed(seed)
    dots = (np.random.randn(n_samples, d_k) * np.random.randn(n_samples, d_k)).sum(axis=-1)
    return np.var(dots), np.var(dots / np.sqrt(d_k))

# %% right: batched matrix products, double precision, the scale on q
import math

def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    q = torch.randn(n_samples, 1, d_k, generator=g, dtype=torch.float64)
    k = torch.randn(n_samples, d_k, 1, generator=g, dtype=torch.float64)
    raw = torch.bmm(q, k).flatten()
    scaled = torch.bmm(q / math.sqrt(d_k), k).flatten()
    return raw.var(unbiased=False).item(), scaled.var(unbiased=False).item()

# %% right: the random state forked, other draws for the scaled one
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        raw = torch.sum(torch.randn(n_samples, d_k) * torch.randn(n_samples, d_k), -1)
        scaled = torch.sum(torch.randn(n_samples, d_k) * torch.randn(n_samples, d_k), -1) / d_k ** 0.5
    return [raw.var().item(), scaled.var().item()]

# %% wrong: the theory instead of a measurement | theory_for_measurement
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    return float(d_k), 1.0

# %% wrong: the theory with a little noise
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    noise = torch.randn(2, generator=g) / n_samples ** 0.5
    return d_k + noise[0].item(), 1.0 + noise[1].item()

# %% wrong: divided by d_k | divided_by_d_k
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return dots.var().item(), (dots / d_k).var().item()

# %% wrong: the variance divided by the root | variance_divided_by_root
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return dots.var().item(), dots.var().item() / d_k ** 0.5

# %% wrong: standard deviation | standard_deviation
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return dots.std().item(), (dots / d_k ** 0.5).std().item()

# %% wrong: variance of the products, not of their sum | products_not_summed
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    products = torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)
    return products.var().item(), (products / d_k ** 0.5).var().item()

# %% wrong: the same seed for q and for k | same_draws_for_q_and_k
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    q = torch.randn(n_samples, d_k, generator=torch.Generator().manual_seed(seed))
    k = torch.randn(n_samples, d_k, generator=torch.Generator().manual_seed(seed))
    dots = (q * k).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: uniform instead of normal | uniform_for_normal
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.rand(n_samples, d_k, generator=g) * torch.rand(n_samples, d_k, generator=g)).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: uniform of variance 1
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    q, k = (torch.rand(2, n_samples, d_k, generator=g) - 0.5) * 12 ** 0.5
    dots = (q * k).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: seed ignored | seed_argument_ignored
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(0)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: not seeded at all | drawn_without_seed
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    dots = (torch.randn(n_samples, d_k) * torch.randn(n_samples, d_k)).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: a fixed number of samples | n_samples_ignored
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(10_000, d_k, generator=g) * torch.randn(10_000, d_k, generator=g)).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: one query for all samples | too_few_draws
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    q = torch.randn(d_k, generator=g)
    dots = torch.randn(n_samples, d_k, generator=g) @ q
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: every query with every key
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    n = min(n_samples, 3_000)
    dots = torch.randn(n, d_k, generator=g) @ torch.randn(n, d_k, generator=g).T
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: n_samples numbers in all, not n_samples vectors | too_few_draws
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    count = max(2, n_samples // d_k)
    dots = (torch.randn(count, d_k, generator=g) * torch.randn(count, d_k, generator=g)).sum(-1)
    return dots.var().item(), (dots / d_k ** 0.5).var().item()

# %% wrong: swapped | raw_and_scaled_swapped
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return (dots / d_k ** 0.5).var().item(), dots.var().item()

# %% wrong: tensors instead of floats | tensors_left
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return dots.var(), (dots / d_k ** 0.5).var()

# %% wrong: unit vectors | unit_vectors
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    q = torch.nn.functional.normalize(torch.randn(n_samples, d_k, generator=g), dim=-1)
    k = torch.nn.functional.normalize(torch.randn(n_samples, d_k, generator=g), dim=-1)
    dots = (q * k).sum(-1)
    return dots.var().item(), (dots * d_k ** 0.5).var().item()

# %% wrong: scaled by the root of the lesson's 64 | divisor_of_the_example
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    dots = (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1)
    return dots.var().item(), (dots / 8).var().item()

# %% wrong: only the raw one | one_number_for_two
def dot_product_variance(d_k, n_samples=10_000, seed=0):
    g = torch.Generator().manual_seed(seed)
    return (torch.randn(n_samples, d_k, generator=g) * torch.randn(n_samples, d_k, generator=g)).sum(-1).var().item()
