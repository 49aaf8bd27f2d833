# %% right: where
def softmax_entropy(weights):
    logs = torch.where(weights > 0, weights, torch.ones_like(weights)).log()
    return -(weights * logs).sum(dim=-1)

# %% right: torch.special.entr
def softmax_entropy(weights):
    return torch.special.entr(weights).sum(-1)

# %% right: a tiny number inside the logarithm
def softmax_entropy(weights):
    return -torch.sum(weights * torch.log(weights + 1e-12), dim=-1)

# %% right: clamped logarithm
def softmax_entropy(weights):
    return -(weights * weights.clamp(min=1e-9).log()).sum(axis=-1)

# %% right: nan replaced before the sum
def softmax_entropy(weights):
    return (-weights * torch.log(weights)).nan_to_num(0.0).sum(-1)

# %% right: Categorical
def softmax_entropy(weights):
    return torch.distributions.Categorical(probs=weights).entropy()

# %% right: loops
import math

def softmax_entropy(weights):
    if weights.dim() == 1:
        total = -sum(p * math.log(p) for p in weights.tolist() if p > 0)
        return torch.tensor(total, dtype=weights.dtype)
    return torch.stack([softmax_entropy(row) for row in weights])

# %% right: masked fill of a copy
def softmax_entropy(weights):
    safe = weights.clone()
    safe[safe == 0] = 1.0
    return -torch.einsum("...n,...n->...", weights, torch.log(safe))

# %% wrong: nan for zeros
def softmax_entropy(weights):
    return -(weights * weights.log()).sum(dim=-1)

# %% wrong: nan replaced after the sum
def softmax_entropy(weights):
    return (-(weights * weights.log()).sum(dim=-1)).nan_to_num(0.0)

# %% wrong: bits
def softmax_entropy(weights):
    return -(weights * weights.clamp(min=1e-12).log2()).sum(dim=-1)

# %% wrong: decimal logarithm
def softmax_entropy(weights):
    return -(weights * weights.clamp(min=1e-12).log10()).sum(dim=-1)

# %% wrong: sign
def softmax_entropy(weights):
    return torch.xlogy(weights, weights).sum(dim=-1)

# %% wrong: mean over the keys
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).mean(dim=-1)

# %% wrong: over everything
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum()

# %% wrong: averaged over the rows
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1).mean()

# %% wrong: over the first axis
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=0)

# %% wrong: axis kept
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1, keepdim=True)

# %% wrong: zeros thrown out, rows lost
def softmax_entropy(weights):
    seen = weights[weights > 0]
    return -(seen * seen.log()).sum(dim=-1)

# %% wrong: divided by the largest possible
import math

def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1) / max(math.log(weights.shape[-1]), 1e-9)

# %% wrong: too large a number inside the logarithm
def softmax_entropy(weights):
    return -(weights * (weights + 1e-2).log()).sum(dim=-1)

# %% wrong: softmax taken once more
def softmax_entropy(weights):
    weights = weights.softmax(dim=-1)
    return -(weights * weights.log()).sum(dim=-1)

# %% wrong: e to the entropy
def softmax_entropy(weights):
    return (-torch.xlogy(weights, weights).sum(dim=-1)).exp()

# %% wrong: the zeros of the input overwritten
def softmax_entropy(weights):
    weights[weights == 0] = 1e-12
    return -(weights * weights.log()).sum(dim=-1)

# %% wrong: always float32
def softmax_entropy(weights):
    weights = weights.float()
    return -torch.xlogy(weights, weights).sum(dim=-1)

# %% wrong: a float for a single row
def softmax_entropy(weights):
    found = -torch.xlogy(weights, weights).sum(dim=-1)
    return found.item() if found.dim() == 0 else found

# %% wrong: two axes only
def softmax_entropy(weights):
    rows, keys = weights.shape
    return -torch.xlogy(weights, weights).sum(dim=1)

# %% wrong: logarithm alone
def softmax_entropy(weights):
    return -weights.clamp(min=1e-12).log().sum(dim=-1)
