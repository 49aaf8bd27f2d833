# %% right: sum over the queries, counted
def attention_received(weights):
    n = weights.shape[-1]
    counts = torch.arange(n, 0, -1, dtype=weights.dtype, device=weights.device)
    return weights.sum(dim=-2) / counts

# %% right: loops over the keys
def attention_received(weights):
    n = weights.shape[-1]
    return torch.stack([weights[..., j:, j].mean(dim=-1) for j in range(n)], dim=-1)

# %% right: nanmean of the visible part
def attention_received(weights):
    n = weights.shape[-1]
    hidden = torch.ones(n, n, device=weights.device).triu(1).bool()
    return weights.masked_fill(hidden, float("nan")).nanmean(dim=-2)

# %% right: einsum with a triangle of shares
def attention_received(weights):
    n = weights.shape[-1]
    share = torch.ones(n, n, dtype=weights.dtype).tril()
    return torch.einsum("...ij,ij->...j", weights, share / share.sum(0))

# %% right: in double precision and back
def attention_received(weights):
    n = weights.shape[-1]
    return (weights.double().sum(-2) / (n - torch.arange(n))).to(weights.dtype)

# %% right: recursion over the batch axes
def attention_received(weights):
    if weights.dim() > 2:
        return torch.stack([attention_received(one) for one in weights])
    n = len(weights)
    received = torch.empty(n, dtype=weights.dtype)
    for j in range(n):
        received[j] = sum(weights[i, j] for i in range(j, n)) / (n - j)
    return received

# %% right: mean over all, put right
def attention_received(weights):
    n = weights.size(-1)
    return weights.mean(-2) * n / torch.arange(1, n + 1, dtype=weights.dtype).flip(0)

# %% wrong: divided by n for every key | divided_by_all_queries
def attention_received(weights):
    return weights.mean(dim=-2)

# %% wrong: mean along the row | rows_for_columns
def attention_received(weights):
    return weights.mean(dim=-1)

# %% wrong: row sums over the count | rows_for_columns
def attention_received(weights):
    n = weights.shape[-1]
    return weights.sum(dim=-1) / torch.arange(n, 0, -1, dtype=weights.dtype)

# %% wrong: the sum, not the mean | sum_for_mean
def attention_received(weights):
    return weights.sum(dim=-2)

# %% wrong: counts the wrong way round | counts_reversed
def attention_received(weights):
    n = weights.shape[-1]
    return weights.sum(dim=-2) / torch.arange(1, n + 1, dtype=weights.dtype)

# %% wrong: without the token's own query | own_query_left_out
def attention_received(weights):
    n = weights.shape[-1]
    others = weights.tril(-1).sum(dim=-2)
    return others / torch.arange(n - 1, -1, -1, dtype=weights.dtype).clamp(min=1)

# %% wrong: own weight left out of the sum, counted all the same | own_query_left_out
def attention_received(weights):
    n = weights.shape[-1]
    return weights.tril(-1).sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)

# %% wrong: counts only the weights above zero | zero_weights_not_counted
def attention_received(weights):
    return weights.sum(dim=-2) / (weights > 0).sum(dim=-2).clamp(min=1)

# %% wrong: the last query alone | last_query_for_all
def attention_received(weights):
    return weights[..., -1, :]

# %% wrong: the largest, not the mean | largest_for_mean
def attention_received(weights):
    return weights.amax(dim=-2)

# %% wrong: made to add up to 1 | received_made_to_sum_to_one
def attention_received(weights):
    n = weights.shape[-1]
    received = weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)
    return received / received.sum(dim=-1, keepdim=True)

# %% wrong: off by one in the count | count_off_by_one
def attention_received(weights):
    n = weights.shape[-1]
    return weights.sum(dim=-2) / torch.arange(n + 1, 1, -1, dtype=weights.dtype)

# %% wrong: only the first map of a batch | first_map_only
def attention_received(weights):
    n = weights.shape[-1]
    while weights.dim() > 2:
        weights = weights[0]
    return weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)

# %% wrong: averaged over the heads as well | maps_averaged
def attention_received(weights):
    n = weights.shape[-1]
    received = weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)
    return received.mean(dim=tuple(range(received.dim() - 1))) if received.dim() > 1 else received

# %% wrong: first axis instead of the query axis | first_axis_summed
def attention_received(weights):
    n = weights.shape[-1]
    return weights.sum(dim=0) / torch.arange(n, 0, -1, dtype=weights.dtype)

# %% wrong: only two and four axes | fixed_number_of_axes
def attention_received(weights):
    n = weights.shape[-1]
    counts = torch.arange(n, 0, -1, dtype=weights.dtype)
    if weights.dim() == 2:
        return weights.sum(0) / counts
    b, h, n, n = weights.shape
    return weights.sum(2) / counts

# %% wrong: always float32 | always_float32
def attention_received(weights):
    n = weights.shape[-1]
    return weights.float().sum(dim=-2) / torch.arange(n, 0, -1)

# %% wrong: changes its input | input_changed
def attention_received(weights):
    n = weights.shape[-1]
    weights /= torch.arange(n, 0, -1, dtype=weights.dtype)
    return weights.sum(dim=-2)

# %% wrong: a list comes back | list_returned
def attention_received(weights):
    n = weights.shape[-1]
    return (weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)).tolist()

# %% wrong: a numpy array comes back | numpy_returned
def attention_received(weights):
    n = weights.shape[-1]
    return (weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)).numpy()

# %% wrong: prints and returns nothing | returned_nothing
def attention_received(weights):
    n = weights.shape[-1]
    print(weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype))

# %% wrong: the docstring's example | received_example_only
def attention_received(weights):
    return torch.tensor([0.7, 0.2, 0.5])

# %% wrong: rounded to two places | rounded
def attention_received(weights):
    n = weights.shape[-1]
    return (weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)).round(decimals=2)

# %% wrong: rows made to sum to 1 first | rows_renormalised
def attention_received(weights):
    n = weights.shape[-1]
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    return weights.sum(dim=-2) / torch.arange(n, 0, -1, dtype=weights.dtype)

# %% wrong: a count fixed to the example's length | received_example_only
def attention_received(weights):
    return weights.sum(dim=-2) / torch.tensor([3.0, 2.0, 1.0])
