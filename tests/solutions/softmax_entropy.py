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

# %% wrong: nan for zeros | zero_times_log_of_zero
def softmax_entropy(weights):
    return -(weights * weights.log()).sum(dim=-1)

# %% wrong: nan replaced after the sum | nan_replaced_after_sum
def softmax_entropy(weights):
    return (-(weights * weights.log()).sum(dim=-1)).nan_to_num(0.0)

# %% wrong: bits | entropy_in_bits
def softmax_entropy(weights):
    return -(weights * weights.clamp(min=1e-12).log2()).sum(dim=-1)

# %% wrong: decimal logarithm | decimal_logarithm
def softmax_entropy(weights):
    return -(weights * weights.clamp(min=1e-12).log10()).sum(dim=-1)

# %% wrong: sign | sign_of_entropy
def softmax_entropy(weights):
    return torch.xlogy(weights, weights).sum(dim=-1)

# %% wrong: mean over the keys | mean_over_keys
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).mean(dim=-1)

# %% wrong: over everything | rows_thrown_together
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum()

# %% wrong: averaged over the rows | averaged_over_rows
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1).mean()

# %% wrong: over the first axis | entropy_over_first_axis
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=0)

# %% wrong: axis kept | last_axis_kept
def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1, keepdim=True)

# %% wrong: zeros thrown out, rows lost | rows_thrown_together
def softmax_entropy(weights):
    seen = weights[weights > 0]
    return -(seen * seen.log()).sum(dim=-1)

# %% wrong: divided by the largest possible | entropy_as_a_share
import math

def softmax_entropy(weights):
    return -torch.xlogy(weights, weights).sum(dim=-1) / max(math.log(weights.shape[-1]), 1e-9)

# %% wrong: too large a number inside the logarithm | epsilon_too_large
def softmax_entropy(weights):
    return -(weights * (weights + 1e-2).log()).sum(dim=-1)

# %% wrong: softmax taken once more | softmax_twice
def softmax_entropy(weights):
    weights = weights.softmax(dim=-1)
    return -(weights * weights.log()).sum(dim=-1)

# %% wrong: e to the entropy | e_to_the_entropy
def softmax_entropy(weights):
    return (-torch.xlogy(weights, weights).sum(dim=-1)).exp()

# %% wrong: the zeros of the input overwritten | input_changed
def softmax_entropy(weights):
    weights[weights == 0] = 1e-12
    return -(weights * weights.log()).sum(dim=-1)

# %% wrong: always float32 | always_float32
def softmax_entropy(weights):
    weights = weights.float()
    return -torch.xlogy(weights, weights).sum(dim=-1)

# %% wrong: a float for a single row | float_returned
def softmax_entropy(weights):
    found = -torch.xlogy(weights, weights).sum(dim=-1)
    return found.item() if found.dim() == 0 else found

# %% wrong: two axes only | fixed_number_of_axes
def softmax_entropy(weights):
    rows, keys = weights.shape
    return -torch.xlogy(weights, weights).sum(dim=1)

# %% wrong: logarithm alone | logarithms_without_weights
def softmax_entropy(weights):
    return -weights.clamp(min=1e-12).log().sum(dim=-1)
