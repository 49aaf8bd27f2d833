# %% right: textbook
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: textbook, masked_fill in place, mask of ones
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: the lesson's own functions
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries, keys, values = (split_heads(layer(x), self.n_heads) for layer in (self.W_q, self.W_k, self.W_v))
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = merge_heads(weights @ values)
        return self.out_proj(context)

# %% right: ValueError, heads kept under another name
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        if d_out % n_heads != 0:
            raise ValueError("d_out must be divisible by n_heads")
        self.d_out, self.num_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: einsum
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries, keys, values = (
            layer(x).reshape(b, n, self.n_heads, self.head_dim) for layer in (self.W_q, self.W_k, self.W_v)
        )
        scores = torch.einsum("bqhe,bkhe->bhqk", queries, keys) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = torch.einsum("bhqk,bkhe->bqhe", weights, values).flatten(2)
        return self.out_proj(context)

# %% right: a loop over heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        queries, keys, values = self.W_q(x), self.W_k(x), self.W_v(x)
        contexts = []
        for h in range(self.n_heads):
            part = slice(h * self.head_dim, (h + 1) * self.head_dim)
            scores = queries[..., part] @ keys[..., part].transpose(1, 2) / self.head_dim**0.5
            scores = scores.masked_fill(self.mask[:n, :n], float("-inf"))
            contexts.append(self.dropout(scores.softmax(-1)) @ values[..., part])
        return self.out_proj(torch.cat(contexts, dim=-1))

# %% right: chunk and cat
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        contexts = [
            self.dropout(((q @ k.mT) / k.shape[-1] ** 0.5).masked_fill(self.mask[:n, :n], -torch.inf).softmax(-1)) @ v
            for q, k, v in zip(*(layer(x).chunk(self.n_heads, dim=-1) for layer in (self.W_q, self.W_k, self.W_v)))
        ]
        return self.out_proj(torch.cat(contexts, dim=-1))

# %% right: slices of the weights, head by head
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        contexts = []
        for q, k, v in zip(*(layer.weight.chunk(self.n_heads) for layer in (self.W_q, self.W_k, self.W_v))):
            scores = (x @ q.T) @ (x @ k.T).transpose(-2, -1) / self.head_dim**0.5
            scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
            contexts.append(self.dropout(torch.softmax(scores, -1)) @ (x @ v.T))
        return self.out_proj(torch.cat(contexts, -1))

# %% right: one fused projection from the three
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        fused = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        qkv = nn.functional.linear(x, fused).view(b, n, 3, self.n_heads, self.head_dim)
        queries, keys, values = qkv.permute(2, 0, 3, 1, 4)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: F.scaled_dot_product_attention with a mask
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        context = nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=~self.mask[:n, :n], dropout_p=self.dropout.p if self.training else 0.0
        )
        context = context.transpose(1, 2).reshape(b, n, self.d_out)
        return self.out_proj(context)

# %% right: F.scaled_dot_product_attention with a float mask
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((context_length, context_length), -torch.inf).triu(1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        context = nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=self.mask[:n, :n].to(x.dtype),
            dropout_p=self.dropout.p if self.training else 0.0,
        ).transpose(1, 2).flatten(2)
        return self.out_proj(context)

# %% right: float mask added
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.full((context_length, context_length), float("-inf")).triu(diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores + self.mask[:n, :n]
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: tril buffer, true where one may look
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("tril", torch.tril(torch.ones(context_length, context_length)))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.tril[:n, :n] == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: mask of four axes, not persistent
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        mask = torch.ones(1, 1, context_length, context_length, dtype=torch.bool).tril()
        self.register_buffer("bias", mask, persistent=False)

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = torch.where(self.bias[:, :, :n, :n], scores, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: the smallest finite number instead of minus infinity
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: minus 1e9
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -1e9)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: scale on the queries
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = (queries * self.head_dim**-0.5) @ keys.transpose(-2, -1)
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: scale on both, half each
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = (queries / self.head_dim**0.25) @ (keys / self.head_dim**0.25).transpose(-2, -1)
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: scale after the mask
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(-2, -1)
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: heads and batch in one axis
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        def split(t):
            return t.view(b, n, self.n_heads, -1).transpose(1, 2).reshape(b * self.n_heads, n, -1)
        queries, keys, values = split(self.W_q(x)), split(self.W_k(x)), split(self.W_v(x))
        scores = torch.bmm(queries, keys.transpose(1, 2)) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = torch.bmm(weights, values).view(b, self.n_heads, n, -1).transpose(1, 2).reshape(b, n, -1)
        return self.out_proj(context)

# %% right: softmax by hand, functional dropout
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p = dropout
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = powers / powers.sum(-1, keepdim=True)
        weights = nn.functional.dropout(weights, self.p, self.training)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: functions as methods, output projection summed by head
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        rows = self.out_proj.weight.view(self.d_out, self.n_heads, self.head_dim)
        return torch.einsum("bhne,ohe->bno", weights @ values, rows) + self.out_proj.bias

# %% right: layers in another order, buffer first
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.out_proj = nn.Linear(d_out, d_out)
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: a longer input refused by an assert
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        assert n <= self.mask.shape[0], "too long"
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: xavier initialisation
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        for layer in (self.W_q, self.W_k, self.W_v):
            nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(self.out_proj.bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% right: weights kept to look at
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        self.last_weights = weights.detach()
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: view without a transpose on the way in | view_without_transpose_in
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, self.n_heads, n, self.head_dim)
        keys = self.W_k(x).view(b, self.n_heads, n, self.head_dim)
        values = self.W_v(x).view(b, self.n_heads, n, self.head_dim)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: view without a transpose on the way out | view_without_transpose_out
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).reshape(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: view without a transpose on both ways | view_without_transpose_both_ways
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, self.n_heads, n, self.head_dim)
        keys = self.W_k(x).view(b, self.n_heads, n, self.head_dim)
        values = self.W_v(x).view(b, self.n_heads, n, self.head_dim)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).reshape(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: features before heads | heads_interleaved_in
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.head_dim, self.n_heads).permute(0, 3, 1, 2)
        keys = self.W_k(x).view(b, n, self.head_dim, self.n_heads).permute(0, 3, 1, 2)
        values = self.W_v(x).view(b, n, self.head_dim, self.n_heads).permute(0, 3, 1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: features before heads on both ways | heads_interleaved_both_ways
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.head_dim, self.n_heads).permute(0, 3, 1, 2)
        keys = self.W_k(x).view(b, n, self.head_dim, self.n_heads).permute(0, 3, 1, 2)
        values = self.W_v(x).view(b, n, self.head_dim, self.n_heads).permute(0, 3, 1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).permute(0, 2, 3, 1).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: features before heads on the way out | heads_interleaved_out
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).permute(0, 2, 3, 1).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: attention across heads inside a token | heads_behind_tokens
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries, keys, values = (layer(x).view(b, n, self.n_heads, self.head_dim) for layer in (self.W_q, self.W_k, self.W_v))
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.out_proj((weights @ values).reshape(b, n, self.d_out))

# %% wrong: batch and heads mixed by view | view_without_transpose_both_ways
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries, keys, values = (
            layer(x).view(b * self.n_heads, n, self.head_dim) for layer in (self.W_q, self.W_k, self.W_v)
        )
        scores = queries @ keys.transpose(1, 2) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mean over heads | mean_over_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).mean(1).repeat(1, 1, self.n_heads)
        return self.out_proj(context)

# %% wrong: sum over heads | sum_over_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).sum(1).repeat(1, 1, self.n_heads)
        return self.out_proj(context)

# %% wrong: mean of the weights over heads | weights_averaged_over_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights).mean(1, keepdim=True)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: one slice for every head | one_head_for_all
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)[:, :1].expand(-1, self.n_heads, -1, -1)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)[:, :1].expand(-1, self.n_heads, -1, -1)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)[:, :1].expand(-1, self.n_heads, -1, -1)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: the first head's queries and keys for all | first_scores_for_all
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries[:, :1] @ keys[:, :1].transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: head_dim a float | head_dim_a_float
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out / n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: head_dim is d_out | every_head_the_whole
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: n_heads ignored, one head | one_head_only
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, 1, d_out
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: n_heads ignored, two heads | two_heads_always
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, 2, d_out // 2
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: heads in reverse | heads_in_reverse
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).flip(1).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: view right after transpose | view_of_non_contiguous
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: no output projection called | no_output_projection, parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return context

# %% wrong: no output projection | no_output_projection
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return context

# %% wrong: output projection without bias | output_without_bias
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: output projection per head before the merge | output_projection_per_head
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out // n_heads, d_out // n_heads)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return self.out_proj(weights @ values).transpose(1, 2).flatten(2)

# %% wrong: output projection before the merge by a wrong view | view_without_transpose_out
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        return self.out_proj((weights @ values).reshape(b, n, self.d_out))

# %% wrong: output projection twice | output_projection_twice
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(self.out_proj(context))

# %% wrong: output projection transposed | output_projection_transposed
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return context @ self.out_proj.weight + self.out_proj.bias

# %% wrong: residual added where sizes allow | residual_added
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        out = self.out_proj(context)
        return out + x if out.shape == x.shape else out

# %% wrong: layer norm at the end | layer_norm_added
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        out = self.out_proj(context)
        return nn.functional.layer_norm(out, out.shape[-1:])

# %% wrong: heads in a Python list | layers_unseen
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.heads = [
            [nn.Linear(d_in, d_out // n_heads, bias=False) for _ in range(n_heads)] for _ in "qkv"
        ]
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = torch.cat([w(x) for w in self.heads[0]], -1).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = torch.cat([w(x) for w in self.heads[1]], -1).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = torch.cat([w(x) for w in self.heads[2]], -1).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: layers in a Python list | layers_unseen
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.layers = [self.W_q, self.W_k, self.W_v]
        del self.W_q, self.W_k, self.W_v
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.layers[0](x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.layers[1](x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.layers[2](x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: one head repeated | one_head_for_all
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        q, k, v = (layer(x)[..., : self.head_dim] for layer in (self.W_q, self.W_k, self.W_v))
        scores = (q @ k.transpose(1, 2) / self.head_dim**0.5).masked_fill(self.mask[:n, :n], -torch.inf)
        head = self.dropout(scores.softmax(-1)) @ v
        return self.out_proj(torch.cat([head] * self.n_heads, dim=-1))

# %% wrong: heads of full width, added | not_split
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        scores = (q @ k.transpose(1, 2) / self.head_dim**0.5).masked_fill(self.mask[:n, :n], -torch.inf)
        return self.out_proj(self.dropout(scores.softmax(-1)) @ v)

# %% wrong: q and k swapped | queries_and_keys_swapped
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: keys used for values | keys_used_for_values, parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: one projection for queries and keys | queries_used_for_keys, parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: bias on q, k, v | bias_not_wanted
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=True)
        self.W_k = nn.Linear(d_in, d_out, bias=True)
        self.W_v = nn.Linear(d_in, d_out, bias=True)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: bias on the values alone | bias_not_wanted
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: layers made in forward | state_changed_by_call, parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        self.W_v = nn.Linear(d_in, self.d_out, bias=False)
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: weights detached | parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = nn.functional.linear(x, self.W_k.weight.detach()).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: keys without gradient | parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.detach().transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: no super init | no_super_init
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: no grad | parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        with torch.no_grad():
            b, n, d_in = x.shape
            queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
            keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
            values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
            scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
            scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
            weights = torch.softmax(scores, dim=-1)
            weights = self.dropout(weights)
            context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
            return self.out_proj(context)

# %% wrong: frozen values | frozen
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.W_v.weight.requires_grad_(False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: an extra layer | layer_too_many, parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.extra = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: T on a batch | all_axes_transposed
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.T / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: not scaled | no_scale
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / 1
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by head_dim | scaled_by_d_k
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the root of d_out | scaled_by_root_d_out
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.d_out**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the root of d_in | scaled_by_root_d_in
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / d_in**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the root of n | scaled_by_root_n
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / n**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the root of n_heads | scaled_by_root_n_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.n_heads**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the root of the context length | scaled_by_another_number
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / len(self.mask)**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: multiplied by the root | scale_multiplied
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / (self.head_dim**-0.5)
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled twice | scaled_by_d_k
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = (queries / self.head_dim**0.5) @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the fixed root of 64 | scaled_by_another_number, scaled_by_d_k
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / 8.0
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled by the root of head_dim plus one | scaled_by_another_number, scaled_by_root_d_in
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / (self.head_dim + 1)**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scaled after softmax | scaled_after_softmax
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) 
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1) / self.head_dim**0.5
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: no mask | no_mask
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: result of masked_fill thrown away | no_mask
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask inverted | mask_inverted
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(~self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: diagonal hidden too | mask_hides_diagonal
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=0))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: one token leaks | mask_leaks_next
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=2))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask transposed | mask_transposed
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n].T, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask filled with 0.0 | hidden_scores_zero
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], 0.0)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask filled with 1e-9 | hidden_scores_zero
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], 1e-9)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask filled with -1e-9 | hidden_scores_zero
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -1e-9)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask filled with -10.0 | hidden_scores_finite, hidden_scores_zero
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -10.0)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask filled with -1000.0 | hidden_scores_finite
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -1000.0)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask filled with torch.inf | hidden_scores_plus_infinity
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask after softmax without renormalising | masked_after_softmax
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        weights = torch.softmax(scores, dim=-1)
        weights = weights.masked_fill(self.mask[:n, :n], 0.0)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scores multiplied by the mask | hidden_scores_zero
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores * ~self.mask[:n, :n]
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: minus infinity into the weights | minus_infinity_in_weights
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        weights = torch.softmax(scores, dim=-1)
        weights = weights.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask not cut | mask_size_differs
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask, -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask cut on one axis | mask_size_differs
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask from the wrong end | mask_cut_wrong_corner, mask_leaks_next, no_mask
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[-n:, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask per head by mistake | mask_on_first_head
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.clone()
        scores[:, 0] = scores[:, 0].masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: softmax over the queries | softmax_over_queries
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-2)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: softmax over the heads | softmax_over_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: no softmax
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = scores.masked_fill(self.mask[:n, :n], 0.0)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask made in forward, longer inputs accepted | context_length_not_enforced, mask_not_a_buffer
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: longer inputs cut short | context_length_not_enforced
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        x = x[:, : len(self.mask)]
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask grows for longer inputs | context_length_not_enforced
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        if n > len(self.mask):
            self.mask = torch.ones(n, n, dtype=torch.bool).triu(1)
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: fixed length of 4 | mask_size_differs
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:4, :4], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask a plain attribute | mask_not_a_buffer
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.mask = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1)

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask a parameter | mask_a_parameter, mask_not_a_buffer
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.mask = nn.Parameter(torch.full((context_length, context_length), -torch.inf).triu(1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores + self.mask[:n, :n]
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask a frozen parameter | mask_a_parameter, mask_not_a_buffer
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.mask = nn.Parameter(torch.full((context_length, context_length), -torch.inf).triu(1), requires_grad=False)

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores + self.mask[:n, :n]
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: keys and values kept from the call before
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        self.seen = getattr(self, 'seen', 0) + 1
        scores = queries @ keys.transpose(2, 3) / (self.head_dim + 0.1 * (self.seen > 12)) ** 0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mask shrinks in the state | mask_size_differs, state_changed_by_call
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        self.mask = self.mask[:n, :n]
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: manual softmax without the shift | exp_overflows
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        powers = scores.exp()
        weights = powers / powers.sum(-1, keepdim=True)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: scores clamped | scores_clamped
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.clamp(-50, 50).masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout on the scores | dropout_on_scores
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        scores = self.dropout(scores)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout on the scores before the mask | dropout_on_scores
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = self.dropout(scores)
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout on the context | dropout_on_context
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        context = self.dropout(context)
        return self.out_proj(context)

# %% wrong: dropout on the output | dropout_on_context
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.dropout(self.out_proj(context))

# %% wrong: dropout on the values | dropout_on_values
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ self.dropout(values)).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout on the weights and on the context | dropout_twice
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        context = self.dropout(context)
        return self.out_proj(context)

# %% wrong: dropout always on | dropout_always_on
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = nn.functional.dropout(weights, self.dropout.p, training=True)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout forgotten | dropout_forgotten
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout not rescaled | dropout_not_rescaled
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.dropout.p)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout renormalised | dropout_renormalised
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-9)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: p taken as the part to keep | p_as_part_to_keep
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        if self.training and self.dropout.p > 0:
            weights = nn.functional.dropout(weights, 1 - self.dropout.p)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout fixed at 0.1 | dropout_p_fixed
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: one dropout mask for all heads | dropout_not_independent
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = weights * self.dropout(torch.ones_like(weights[:, :1]))
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: whole heads dropped | dropout_not_independent
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = weights * self.dropout(torch.ones_like(weights[..., :1, :1]))
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: dropout drops keys for every query | dropout_not_independent
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = weights * self.dropout(torch.ones_like(weights[..., :1, :]))
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: default dropout | dropout_by_default
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.1, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: input changed in place | input_changed
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        x.mul_(1.0).sub_(x.mean())
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: first of the batch alone | first_of_batch
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        x = x[:1].expand(x.shape)
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: fixed batch of 2 | fixed_batch_size
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = 2, *x.shape[1:]
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: mean over the batch taken off
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        x = x - x.mean(0, keepdim=True) * (b > 1)
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: a notebook variable instead of the argument | context_length_not_enforced
max_length = 1024


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(max_length, max_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: a notebook variable for the heads
HEADS = 2


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // HEADS
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: seed set in the constructor | reseeded
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        torch.manual_seed(123)
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: seed set in forward | dropout_pattern_fixed, reseeded
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        torch.manual_seed(0)
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: rounded through float16
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context.half().to(x.dtype))

# %% wrong: float32 inside | float32_inside
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context.float().to(x.dtype))

# %% wrong: float32 always | always_float32
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context).float()

# %% wrong: head count not checked | head_count_not_checked
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: head count not checked, features lost | head_count_not_checked
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        d_out = d_out // n_heads * n_heads
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: head count checked against d_in | head_count_check_wrong
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_in % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: head count checked in forward | head_count_not_checked
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        assert self.d_out % self.n_heads == 0
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: wrong head count answered with a TypeError | head_count_other_exception
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        if d_out % n_heads:
            raise TypeError("n_heads")
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: wrong head count only printed | head_count_not_checked
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        if d_out % n_heads:
            print("n_heads must divide d_out")
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: head count checked the wrong way round | head_count_check_wrong, head_count_not_checked
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert n_heads % d_out == 0 or d_out == n_heads * 2 or n_heads == 1
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: more than one head demanded | head_count_check_wrong
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        assert n_heads > 1
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: numpy returned | numpy_returned
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context).detach().numpy()

# %% wrong: a list returned | list_returned
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context).tolist()

# %% wrong: weights returned as well | tuple_returned
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context), weights

# %% wrong: output detached | parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context).detach()

# %% wrong: a parameter returned | parameter_returned, parameter_without_gradient
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return nn.Parameter(self.out_proj(context))

# %% wrong: no return | returned_nothing
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        self.out_proj(context)

# %% wrong: default of one head | one_head_only
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=1):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: arguments in another order | arguments_reordered
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, n_heads=2, dropout=0.0):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: other parameter names | other_parameter_names
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        b, n, d_in = x.shape
        queries = self.W_query(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_key(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_value(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: not a module | not_a_module
class MultiHeadAttention:
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        assert d_out % n_heads == 0
        self.d_out, self.n_heads, self.head_dim = d_out, n_heads, d_out // n_heads
        self.W_q = nn.Linear(d_in, d_out, bias=False)
        self.W_k = nn.Linear(d_in, d_out, bias=False)
        self.W_v = nn.Linear(d_in, d_out, bias=False)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.mask = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), diagonal=1)

    def __call__(self, x):
        b, n, d_in = x.shape
        queries = self.W_q(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        keys = self.W_k(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        values = self.W_v(x).view(b, n, self.n_heads, self.head_dim).transpose(1, 2)
        scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        scores = scores.masked_fill(self.mask[:n, :n], -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        context = (weights @ values).transpose(1, 2).contiguous().view(b, n, self.d_out)
        return self.out_proj(context)

# %% wrong: torch's own module | mask_not_a_buffer, ready_made_module
class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):
        super().__init__()
        self.attention = nn.MultiheadAttention(d_out, n_heads, dropout, kdim=d_in, vdim=d_in, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x)[0]
