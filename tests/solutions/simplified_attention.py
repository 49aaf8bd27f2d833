# %% right: textbook with torch.softmax
def simplified_attention(x):
    scores = x @ x.transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    return weights @ x, weights

# %% right: own functions
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    context = torch.matmul(weights, x)
    return (context, weights)

# %% right: einsum
def simplified_attention(x):
    weights = torch.einsum("...id,...jd->...ij", x, x).softmax(-1)
    return torch.einsum("...ij,...jd->...id", weights, x), weights

# %% right: loops
def simplified_attention(x):
    if x.dim() > 2:
        pairs = [simplified_attention(one) for one in x]
        return torch.stack([c for c, w in pairs]), torch.stack([w for c, w in pairs])
    rows, contexts = [], []
    for query in x:
        row = softmax(torch.stack([query @ key for key in x]))
        rows.append(row)
        contexts.append(sum(w * token for w, token in zip(row, x)))
    return torch.stack(contexts), torch.stack(rows)

# %% right: torch's own attention
def simplified_attention(x):
    weights = torch.softmax(x @ x.mT, -1)
    return torch.nn.functional.scaled_dot_product_attention(x, x, x, scale=1.0), weights

# %% right: a list of two
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    return [weights @ x, weights]

# %% wrong: the two swapped | results_swapped
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    return weights, weights @ x

# %% wrong: context only | one_result
def simplified_attention(x):
    return softmax(attention_scores(x)) @ x

# %% wrong: columns of the weights | mixed_by_columns
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    return weights.transpose(-2, -1) @ x, weights

# %% wrong: scaled | scaled_already
def simplified_attention(x):
    weights = softmax(attention_scores(x) / x.shape[-1] ** 0.5)
    return weights @ x, weights

# %% wrong: softmax over the queries | softmax_over_queries, mixed_by_columns
def simplified_attention(x):
    weights = torch.softmax(attention_scores(x), dim=-2)
    return weights @ x, weights

# %% wrong: dim=1 breaks on a batch | softmax_over_queries, mixed_by_columns
def simplified_attention(x):
    weights = torch.softmax(attention_scores(x), dim=1)
    return weights @ x, weights

# %% wrong: scores instead of weights | scores_for_weights
def simplified_attention(x):
    scores = attention_scores(x)
    return softmax(scores) @ x, scores

# %% wrong: context from the scores | context_from_scores
def simplified_attention(x):
    scores = attention_scores(x)
    return scores @ x, softmax(scores)

# %% wrong: divided by the sum | sum_instead_of_softmax
def simplified_attention(x):
    scores = attention_scores(x)
    weights = scores / scores.sum(-1, keepdim=True)
    return weights @ x, weights

# %% wrong: softmax twice | softmax_twice
def simplified_attention(x):
    weights = softmax(softmax(attention_scores(x)))
    return weights @ x, weights

# %% wrong: self excluded | self_left_out
def simplified_attention(x):
    scores = attention_scores(x)
    n = x.shape[-2]
    if n > 1:
        scores = scores.masked_fill(torch.eye(n, dtype=torch.bool), -torch.inf)
    weights = softmax(scores)
    return weights @ x, weights

# %% wrong: the token itself added | input_added
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    return weights @ x + x, weights

# %% wrong: the mean of all tokens | uniform_weights
def simplified_attention(x):
    n = x.shape[-2]
    weights = torch.full((*x.shape[:-1], n), 1.0 / n, dtype=x.dtype)
    return weights @ x, weights

# %% wrong: only the strongest | only_the_strongest
def simplified_attention(x):
    weights = softmax(1e6 * attention_scores(x))
    return weights @ x, weights

# %% wrong: causal already | masked_already
def simplified_attention(x):
    scores = attention_scores(x)
    n = x.shape[-2]
    scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
    weights = softmax(scores)
    return weights @ x, weights

# %% wrong: one context for all tokens | one_context_for_all
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    return (weights @ x).mean(-2, keepdim=True).expand_as(x), weights

# %% wrong: rows one off | query_one_off
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    return weights.roll(1, -2) @ x, weights

# %% wrong: weights detached | gradient_partly_cut
def simplified_attention(x):
    weights = softmax(attention_scores(x)).detach()
    return weights @ x, weights

# %% wrong: only the first of the batch | first_of_batch
def simplified_attention(x):
    x = x[0] if x.dim() > 2 else x
    weights = softmax(attention_scores(x))
    return weights @ x, weights

# %% wrong: keys shared across the batch | across_the_batch
def simplified_attention(x):
    flat = x.reshape(-1, x.shape[-1])
    weights = softmax(x @ flat.T)
    return weights @ flat, weights

# %% wrong: always float32 | always_float32
def simplified_attention(x):
    weights = softmax(attention_scores(x.float()))
    return weights @ x.float(), weights

# %% wrong: changes its input | input_changed
def simplified_attention(x):
    weights = softmax(attention_scores(x))
    context = weights @ x
    x.data.copy_(context.data)
    return context, weights

# %% wrong: reads the notebook's variable | example_returned
x = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
def simplified_attention(inputs):
    weights = softmax(attention_scores(x))
    return weights @ x, weights
