# %% right: textbook
def scaled_dot_product_attention(queries, keys, values):
    d_k = keys.shape[-1]
    attn_scores = torch.matmul(queries, keys.transpose(-2, -1))
    attn_weights = torch.softmax(attn_scores / d_k**0.5, dim=-1)
    context = torch.matmul(attn_weights, values)
    return context, attn_weights

# %% right: scale as a float32 tensor, softmax as a module
import math
def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.mT / torch.sqrt(torch.tensor(queries.size(-1), dtype=torch.float32))
    weights = nn.Softmax(dim=-1)(scores)
    return weights @ values, weights

# %% right: einsum, scale on the queries
def scaled_dot_product_attention(queries, keys, values):
    queries = queries * keys.shape[-1] ** -0.5
    weights = torch.einsum("...nd,...md->...nm", queries, keys).softmax(-1)
    return torch.einsum("...nm,...mv->...nv", weights, values), weights

# %% right: half the scale on either side
def scaled_dot_product_attention(queries, keys, values):
    part = queries.shape[-1] ** -0.25
    weights = ((queries * part) @ (keys * part).transpose(-1, -2)).softmax(dim=-1)
    return weights @ values, weights

# %% right: loops
def scaled_dot_product_attention(queries, keys, values):
    if queries.dim() > 2:
        pairs = [scaled_dot_product_attention(q, k, v) for q, k, v in zip(queries, keys, values)]
        return torch.stack([c for c, w in pairs]), torch.stack([w for c, w in pairs])
    rows, contexts = [], []
    for query in queries:
        row = torch.stack([(query * key).sum() / len(query) ** 0.5 for key in keys])
        row = (row - row.max()).exp()
        row = row / row.sum()
        rows.append(row)
        contexts.append(sum(w * value for w, value in zip(row, values)))
    return torch.stack(contexts), torch.stack(rows)

# %% right: float64 inside, the input's dtype outside
def scaled_dot_product_attention(queries, keys, values):
    q, k, v = queries.double(), keys.double(), values.double()
    weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
    return (weights @ v).to(values.dtype), weights.to(values.dtype)

# %% right: softmax of its own, a list of two
def scaled_dot_product_attention(queries, keys, values):
    scores = queries.matmul(keys.swapaxes(-1, -2)).div(keys.shape[-1] ** 0.5)
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = powers / powers.sum(-1, keepdim=True)
    return [weights.matmul(values), weights]

# %% right: torch's own for the context
def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    weights = torch.nn.functional.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
    return torch.nn.functional.scaled_dot_product_attention(queries, keys, values), weights

# %% right: exp of scores less logsumexp
def scaled_dot_product_attention(queries, keys, values):
    scores = (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(-1) / queries.shape[-1] ** 0.5
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return weights @ values, weights

# %% wrong: no scale | no_scale
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)
    return weights @ values, weights

# %% wrong: divided by d_k | scaled_by_d_k
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1], dim=-1)
    return weights @ values, weights

# %% wrong: divided by the root of m | scaled_by_root_n
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-2] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: divided by the root of n | scaled_by_root_n
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / queries.shape[-2] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: divided by the root of d_v | scaled_by_root_d_v
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / values.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: divided by the root of the first axis | scaled_by_root_n, scaled_by_another_number
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[0] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: multiplied by the root | scale_multiplied
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) * keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: scaled twice | scaled_by_d_k
def scaled_dot_product_attention(queries, keys, values):
    scores = (queries / queries.shape[-1] ** 0.5) @ keys.transpose(-2, -1)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: scaled after softmax | scaled_after_softmax
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) / keys.shape[-1] ** 0.5
    return weights @ values, weights

# %% wrong: a fixed scale | scaled_by_another_number
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / 2**0.5, dim=-1)
    return weights @ values, weights

# %% wrong: floor division of the exponent | no_scale
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** (1 // 2), dim=-1)
    return weights @ values, weights

# %% wrong: T on a batch | all_axes_transposed
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: axes counted from the front | fixed_number_of_axes
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: two and three axes only | fixed_number_of_axes
def scaled_dot_product_attention(queries, keys, values):
    if queries.dim() == 2:
        return tuple(one[0] for one in scaled_dot_product_attention(queries[None], keys[None], values[None]))
    weights = torch.softmax(torch.bmm(queries, keys.transpose(1, 2)) / keys.shape[-1] ** 0.5, dim=-1)
    return torch.bmm(weights, values), weights

# %% wrong: only the first of the batch | first_of_batch
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    weights = weights[:1].expand_as(weights) if weights.dim() > 2 else weights
    return weights @ values, weights

# %% wrong: softmax over the queries | softmax_over_queries
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-2)
    return weights @ values, weights

# %% wrong: softmax over the first axis | softmax_over_queries, softmax_over_first_axis
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=0)
    return weights @ values, weights

# %% wrong: softmax over dim 1 | softmax_over_queries
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=1)
    return weights @ values, weights

# %% wrong: q and k swapped | queries_and_keys_swapped
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(keys @ queries.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: keys for values | keys_used_for_values
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ keys, weights

# %% wrong: keys with themselves | keys_used_for_queries, gradient_cut
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(keys @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: weights transposed | weights_transposed
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights.transpose(-2, -1) @ values, weights

# %% wrong: the two results swapped | results_swapped
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights, weights @ values

# %% wrong: context alone | one_result
def scaled_dot_product_attention(queries, keys, values):
    return torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1) @ values

# %% wrong: scores returned for weights | scores_returned
def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values, scores

# %% wrong: scores not softmaxed | no_softmax
def scaled_dot_product_attention(queries, keys, values):
    weights = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    return weights @ values, weights

# %% wrong: context from unscaled weights | no_scale
def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1)
    return torch.softmax(scores, -1) @ values, torch.softmax(scores / keys.shape[-1] ** 0.5, -1)

# %% wrong: exp without a shift | no_shift
def scaled_dot_product_attention(queries, keys, values):
    powers = torch.exp(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5)
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ values, weights

# %% wrong: shifted by the largest of all | shifted_by_largest_of_all
def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    powers = torch.exp(scores - scores.max())
    weights = powers / powers.sum(-1, keepdim=True)
    return weights @ values, weights

# %% wrong: scores clamped | scores_clamped
def scaled_dot_product_attention(queries, keys, values):
    scores = (queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5).clamp(-50, 50)
    weights = torch.softmax(scores, dim=-1)
    return weights @ values, weights

# %% wrong: cosine similarity | cosine_for_dot_product
def scaled_dot_product_attention(queries, keys, values):
    q, k = nn.functional.normalize(queries, dim=-1), nn.functional.normalize(keys, dim=-1)
    weights = torch.softmax(q @ k.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: causal already | masked_already
def scaled_dot_product_attention(queries, keys, values):
    scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
    weights = torch.softmax(scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf), dim=-1)
    return weights @ values, weights

# %% wrong: queries scaled in place | input_changed
def scaled_dot_product_attention(queries, keys, values):
    queries.data /= queries.shape[-1] ** 0.5
    weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)
    return weights @ values, weights

# %% wrong: values overwritten | input_changed
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    context = weights @ values
    values.data.zero_()
    return context, weights

# %% wrong: weights detached | gradient_partly_cut
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights.detach() @ values, weights

# %% wrong: keys detached | gradient_cut
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.detach().transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: no gradient at all | gradient_cut
@torch.no_grad()
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: always float32 | always_float32
def scaled_dot_product_attention(queries, keys, values):
    q, k, v = queries.float(), keys.float(), values.float()
    weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
    return weights @ v, weights

# %% wrong: float32 inside | float32_inside
def scaled_dot_product_attention(queries, keys, values):
    q, k, v = queries.float(), keys.float(), values.float()
    weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
    return (weights @ v).to(values.dtype), weights.to(values.dtype)

# %% wrong: through half precision | through_half_precision
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    weights = weights.half().to(values.dtype)
    return weights @ values, weights

# %% wrong: weights rounded to two places | rounded
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    weights = weights + ((weights * 100).round() / 100 - weights).detach()
    return weights @ values, weights

# %% wrong: a residual added
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    context = weights @ values
    return context + queries if context.shape == queries.shape else context, weights

# %% wrong: numpy arrays come back | numpy_returned
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return (weights @ values).detach().numpy(), weights.detach().numpy()

# %% wrong: dropout on the weights | random_in_forward
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    weights = nn.functional.dropout(weights, 0.1)
    return weights @ values, weights

# %% wrong: sets the seed | reseeded
def scaled_dot_product_attention(queries, keys, values):
    torch.manual_seed(123)
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    return weights @ values, weights

# %% wrong: the notebook's example | example_returned
def scaled_dot_product_attention(queries, keys, values):
    return torch.tensor([[2.660]]), torch.tensor([[0.6698, 0.3302]])

# %% wrong: nothing comes back | returned_nothing
def scaled_dot_product_attention(queries, keys, values):
    weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
    print(weights @ values)
