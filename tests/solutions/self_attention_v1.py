# %% right: textbook
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        attn_scores = queries @ keys.transpose(-2, -1)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec

# %% right: the lesson's function
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        return scaled_dot_product_attention(queries, keys, values)[0]

# %% right: torch's attention
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        return nn.functional.scaled_dot_product_attention(queries, keys, values)

# %% right: einsum
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        scores = torch.einsum("...nd,...md->...nm", queries, keys) * keys.shape[-1] ** -0.5
        return torch.einsum("...nm,...md->...nd", scores.softmax(-1), values)

# %% right: loops
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        if x.dim() > 2:
            return torch.stack([self.forward(one) for one in x])
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        rows = []
        for query in queries:
            row = torch.stack([query @ key for key in keys]) / len(query) ** 0.5
            row = torch.softmax(row, dim=0)
            rows.append(sum(w * value for w, value in zip(row, values)))
        return torch.stack(rows)

# %% right: made in another order, d_out kept
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.d_out = d_out
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        queries = queries / self.d_out**0.5
        return torch.softmax(queries @ keys.mT, -1) @ values

# %% right: a batch axis added where there is none
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, *shape[-2:])
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(torch.bmm(queries, keys.transpose(1, 2)) / keys.shape[-1] ** 0.5, dim=-1)
        out = torch.bmm(weights, values)
        return out.reshape(*shape[:-1], out.shape[-1])

# %% right: keeps the last weights to look at
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        self.last_weights = weights.detach()
        return weights @ values

# %% right: float64 inside
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        q, k, v = queries.double(), keys.double(), values.double()
        weights = torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)
        return (weights @ v).to(x.dtype)

# %% right: randn, setattr, float32 scale tensor
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_q", "W_k", "W_v"):
            setattr(self, name, nn.Parameter(torch.randn(d_in, d_out)))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        scores = queries @ keys.transpose(-2, -1) / torch.sqrt(torch.tensor(keys.shape[-1]))
        return torch.softmax(scores, dim=-1) @ values

# %% right: one product for all three
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        qkv = x @ torch.cat([self.W_q, self.W_k, self.W_v], dim=1)
        queries, keys, values = qkv.chunk(3, dim=-1)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% right: the product of W_q and W_k first
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        scores = x @ (self.W_q @ self.W_k.T) @ x.mT / self.W_q.shape[1] ** 0.5
        return torch.softmax(scores, dim=-1) @ x @ self.W_v

# %% right: a generator of its own, xavier
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        source = torch.Generator().manual_seed(0)
        self.W_q = nn.Parameter(torch.empty(d_in, d_out))
        self.W_k = nn.Parameter(torch.empty(d_in, d_out))
        self.W_v = nn.Parameter(torch.empty(d_in, d_out))
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter, generator=source)

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% right: register_parameter and matmul
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.register_parameter("W_q", nn.Parameter(torch.rand(d_in, d_out)))
        self.register_parameter("W_k", nn.Parameter(torch.rand(d_in, d_out)))
        self.register_parameter("W_v", nn.Parameter(torch.rand(d_in, d_out)))

    def forward(self, x):
        queries = torch.matmul(x, self.W_q)
        keys = torch.matmul(x, self.W_k)
        values = torch.matmul(x, self.W_v)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return torch.matmul(weights, values)

# %% right: functional linear
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        linear = nn.functional.linear
        queries, keys, values = linear(x, self.W_q.T), linear(x, self.W_k.T), linear(x, self.W_v.T)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: no scale | no_scale
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)
        return weights @ values

# %% wrong: divided by d_out | scaled_by_d_k
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1], dim=-1)
        return weights @ values

# %% wrong: divided by the root of d_in | scaled_by_root_d_in
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / x.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: divided by the root of n | scaled_by_root_n
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-2] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: multiplied by the root | scale_multiplied
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) * keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: scaled twice | scaled_by_d_k
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        queries = queries / queries.shape[-1] ** 0.5
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: scaled after softmax | scaled_after_softmax
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1) / keys.shape[-1] ** 0.5
        return weights @ values

# %% wrong: softmax over the queries | softmax_over_queries
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-2)
        return weights @ values

# %% wrong: softmax over dim 1 | softmax_over_queries
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=1)
        return weights @ values

# %% wrong: q and k swapped | queries_and_keys_swapped
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(keys @ queries.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: keys for values | keys_used_for_values
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ keys

# %% wrong: x for values | input_used_for_values
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ x

# %% wrong: queries used twice | queries_used_for_keys
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ queries.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: T on a batch | all_axes_transposed
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: axes counted from the front | fixed_number_of_axes
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: weights transposed | weights_transposed
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights.transpose(-2, -1) @ values

# %% wrong: two results come back | tuple_returned
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values, weights

# %% wrong: only the first of the batch | first_of_batch
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        x = x[0] if x.dim() > 2 else x
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: across the batch | attention_across_the_batch
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return (weights @ values).reshape(*shape[:-1], -1)

# %% wrong: a batch of one in front of a sentence | batch_axis_left_in_front
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        x = x if x.dim() > 2 else x.unsqueeze(0)
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: a residual where it fits | input_added
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        out = weights @ values
        return out + x if out.shape == x.shape else out

# %% wrong: causal already | masked_already
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
        return torch.softmax(scores, -1) @ values

# %% wrong: dropout | random_in_forward
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return nn.functional.dropout(weights, 0.1) @ values

# %% wrong: exp without a shift | no_shift
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        powers = (queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5).exp()
        return powers / powers.sum(-1, keepdim=True) @ values

# %% wrong: scores clamped | scores_clamped
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        scores = queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5
        return torch.softmax(scores.clamp(-100, 100), -1) @ values

# %% wrong: always float32 | always_float32
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return (weights @ values).float()

# %% wrong: float32 inside | float32_inside
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        q, k, v = queries.float(), keys.float(), values.float()
        return (torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v).to(x.dtype)

# %% wrong: keys detached | projection_detached
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        keys = keys.detach()
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: weights of attention detached | attention_weights_detached
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights.detach() @ values

# %% wrong: no gradient | projection_detached
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        with torch.no_grad():
            queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
            weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
            return weights @ values

# %% wrong: input detached for the values | gradient_partly_cut
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x.detach() @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: changes its input | input_changed
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        x.data -= x.data.mean(-1, keepdim=True)
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: changes its input after use | input_changed
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        out = weights @ values
        x.data.mul_(0.5)
        return out

# %% wrong: a seed in the constructor | reseeded
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        torch.manual_seed(123)
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: a seed in forward | reseeded
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        torch.manual_seed(123)
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: the first result kept for ever | gradient_cut
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.cache = {}
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        if x.shape not in self.cache:
            queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
            weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
            self.cache[x.shape] = weights @ values
        return self.cache[x.shape]

# %% wrong: an output layer nobody asked for | parameter_nobody_asked_for
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return self.out_proj(weights @ values)

# %% wrong: an extra bias that starts at zero | parameter_nobody_asked_for
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.extra = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values + self.extra

# %% wrong: a scale that trains | parameter_nobody_asked_for, scaled_by_another_number
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.scale = nn.Parameter(torch.tensor(d_out**0.5))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / self.scale, dim=-1)
        return weights @ values

# %% wrong: at most four tokens | fixed_number_of_tokens
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        x = x[..., :4, :]
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: forward returns nothing | returned_nothing
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        self.context = weights @ values

# %% wrong: a list comes back | list_returned
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return (weights @ values).tolist()

# %% wrong: layer norm on the input | input_normalised
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        x = nn.functional.layer_norm(x, x.shape[-1:])
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: heads nobody asked for
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        if queries.shape[-1] % 2 == 0:
            halves = zip(*(one.chunk(2, -1) for one in (queries, keys, values)))
            return torch.cat([nn.functional.scaled_dot_product_attention(*h) for h in halves], -1)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: plain tensors | matrices_not_registered
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = torch.rand(d_in, d_out)
        self.W_k = torch.rand(d_in, d_out)
        self.W_v = torch.rand(d_in, d_out)

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: plain tensors that require gradients | matrices_not_registered
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = torch.rand(d_in, d_out, requires_grad=True)
        self.W_k = torch.rand(d_in, d_out, requires_grad=True)
        self.W_v = torch.rand(d_in, d_out, requires_grad=True)

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: buffers | matrices_not_registered
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.register_buffer("W_q", torch.rand(d_in, d_out))
        self.register_buffer("W_k", torch.rand(d_in, d_out))
        self.register_buffer("W_v", torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: no super().__init__() | no_super_init
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: not a module | not_a_module
class SelfAttentionV1(object):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

    def __call__(self, x):
        return self.forward(x)

# %% wrong: linear layers | layers_instead_of_parameters
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        queries, keys, values = self.W_q(x), self.W_k(x), self.W_v(x)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: shape (d_out, d_in) | sizes_swapped
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_out, d_in))
        self.W_k = nn.Parameter(torch.rand(d_out, d_in))
        self.W_v = nn.Parameter(torch.rand(d_out, d_in))

    def forward(self, x):
        queries, keys, values = x @ self.W_q.T, x @ self.W_k.T, x @ self.W_v.T
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: transposed when square | matrix_transposed
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        turn = (lambda w: w.T) if self.W_q.shape[0] == self.W_q.shape[1] else (lambda w: w)
        queries, keys, values = x @ turn(self.W_q), x @ turn(self.W_k), x @ turn(self.W_v)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: square matrices | square_matrices
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_in))
        self.W_k = nn.Parameter(torch.rand(d_in, d_in))
        self.W_v = nn.Parameter(torch.rand(d_in, d_in))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: other names | other_names
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: one parameter for all three | one_matrix_under_several_names
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = self.W_q
        self.W_v = self.W_q

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: W_q for the keys too | queries_used_for_keys
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_q, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: W_k for the values too | keys_used_for_values
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_k
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: W_q and W_k swapped | queries_and_keys_swapped
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_k, x @ self.W_q, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: drawn anew in forward | random_in_forward
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries = x @ torch.rand(self.W_q.shape)
        keys = x @ torch.rand(self.W_k.shape)
        values = x @ torch.rand(self.W_v.shape)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: parameters drawn anew in forward | state_changed_by_call
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        for parameter in self.parameters():
            nn.init.normal_(parameter)
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: weights normalised in place | state_changed_by_call
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        for parameter in self.parameters():
            parameter.data /= parameter.data.norm()
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: weights in place after use | state_changed_by_call
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        self.W_v.data.mul_(0.99)
        return weights @ values

# %% wrong: frozen | frozen
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
        self.W_k = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)
        self.W_v = nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: W_v frozen | frozen
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v.requires_grad_(False)

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: data of the parameters | projection_detached
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q.data, x @ self.W_k.data, x @ self.W_v.data
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: W_k through data | projection_detached
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k.data, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: fused once in the constructor
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.fused = torch.cat([self.W_q, self.W_k, self.W_v], dim=1).detach()

    def forward(self, x):
        queries, keys, values = (x @ self.fused.to(x.dtype)).chunk(3, dim=-1)
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: a bias of its own | parameter_nobody_asked_for
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))
        self.b = nn.Parameter(torch.zeros(3, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q + self.b[0], x @ self.W_k + self.b[1], x @ self.W_v + self.b[2]
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values

# %% wrong: the values not projected where square | input_used_for_values
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(d_in, d_out))
        self.W_k = nn.Parameter(torch.rand(d_in, d_out))
        self.W_v = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ (x if x.shape == values.shape else values)

# %% wrong: the notebook's size | sizes_of_the_example
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_q = nn.Parameter(torch.rand(6, 2))
        self.W_k = nn.Parameter(torch.rand(6, 2))
        self.W_v = nn.Parameter(torch.rand(6, 2))

    def forward(self, x):
        queries, keys, values = x @ self.W_q, x @ self.W_k, x @ self.W_v
        weights = torch.softmax(queries @ keys.transpose(-2, -1) / keys.shape[-1] ** 0.5, dim=-1)
        return weights @ values
