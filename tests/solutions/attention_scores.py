# %% right: textbook
def attention_scores(x):
    return torch.matmul(x, x.transpose(-1, -2))

# %% right: mT
def attention_scores(x):
    return x @ x.mT

# %% right: einsum
def attention_scores(x):
    return torch.einsum("...id,...jd->...ij", x, x)

# %% right: broadcast and sum
def attention_scores(x):
    return (x.unsqueeze(-2) * x.unsqueeze(-3)).sum(-1)

# %% right: loops
def attention_scores(x):
    if x.dim() > 2:
        return torch.stack([attention_scores(one) for one in x])
    n = x.shape[0]
    out = torch.empty(n, n, dtype=x.dtype)
    for i in range(n):
        for j in range(n):
            out[i, j] = torch.dot(x[i], x[j])
    return out

# %% right: linear
def attention_scores(x):
    flat = x.reshape(-1, *x.shape[-2:])
    return torch.stack([torch.nn.functional.linear(one, one) for one in flat]).reshape(*x.shape[:-1], x.shape[-2])

# %% wrong: T on a batch | all_axes_transposed
def attention_scores(x):
    return x @ x.T

# %% wrong: t for two axes alone | all_axes_transposed
def attention_scores(x):
    return x @ x.t()

# %% wrong: features times features | features_times_features
def attention_scores(x):
    return x.transpose(-2, -1) @ x

# %% wrong: elementwise product | elementwise_product
def attention_scores(x):
    return x * x

# %% wrong: cosine similarity | cosine_similarity
def attention_scores(x):
    unit = x / x.norm(dim=-1, keepdim=True)
    return unit @ unit.transpose(-2, -1)

# %% wrong: distances | distances
def attention_scores(x):
    return torch.cdist(x, x)

# %% wrong: scaled | scaled_already
def attention_scores(x):
    return x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5

# %% wrong: softmax already | softmax_in_scores
def attention_scores(x):
    return torch.softmax(x @ x.transpose(-2, -1), dim=-1)

# %% wrong: a token's own product left out | self_left_out
def attention_scores(x):
    s = x @ x.transpose(-2, -1)
    return s - torch.diag_embed(s.diagonal(dim1=-2, dim2=-1))

# %% wrong: one query for all | first_query_for_all
def attention_scores(x):
    return (x[..., :1, :] @ x.transpose(-2, -1)).expand(*x.shape[:-1], x.shape[-2])

# %% wrong: the query one off | query_one_off
def attention_scores(x):
    return x.roll(1, dims=-2) @ x.transpose(-2, -1)

# %% wrong: the keys one off | key_one_off
def attention_scores(x):
    return x @ x.roll(1, dims=-2).transpose(-2, -1)

# %% wrong: upper half only | upper_half_only
def attention_scores(x):
    return torch.triu(x @ x.transpose(-2, -1))

# %% wrong: only the first of the batch | first_of_batch
def attention_scores(x):
    x = x[0] if x.dim() > 2 else x
    return x @ x.transpose(-2, -1)

# %% wrong: three axes only | all_axes_transposed
def attention_scores(x):
    return torch.bmm(x, x.transpose(1, 2)) if x.dim() == 3 else x @ x.T

# %% wrong: across the batch | across_the_batch
def attention_scores(x):
    flat = x.reshape(-1, x.shape[-1])
    return flat @ flat.T

# %% wrong: the notebook's tokens, not the argument | example_returned
tokens_of_the_notebook = torch.tensor([[1.0, 0.0], [2.0, 3.0]])
def attention_scores(x):
    return tokens_of_the_notebook @ tokens_of_the_notebook.T

# %% wrong: detached | gradient_cut
def attention_scores(x):
    return x.detach() @ x.detach().transpose(-2, -1)

# %% wrong: half the gradient | gradient_partly_cut
def attention_scores(x):
    return x @ x.detach().transpose(-2, -1)

# %% wrong: item by item into a new tensor | gradient_cut
def attention_scores(x):
    if x.dim() > 2:
        return torch.stack([attention_scores(one) for one in x])
    return torch.tensor([[(a @ b).item() for b in x] for a in x], dtype=x.dtype)

# %% wrong: always float32 | always_float32
def attention_scores(x):
    return x.float() @ x.float().transpose(-2, -1)

# %% wrong: rounded to four places | rounded
def attention_scores(x):
    s = x @ x.transpose(-2, -1)
    return s + ((s * 1e3).round() / 1e3 - s).detach()

# %% wrong: scales its input in place | input_changed
def attention_scores(x):
    s = x @ x.transpose(-2, -1)
    x.data /= x.data.abs().max()
    return s

# %% wrong: a list comes back | list_returned
def attention_scores(x):
    return (x @ x.transpose(-2, -1)).tolist()

# %% wrong: at most four tokens | fixed_number_of_tokens
def attention_scores(x):
    x = x[..., :4, :]
    return x @ x.transpose(-2, -1)
