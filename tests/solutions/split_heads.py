# %% right: view and transpose
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.view(b, n, n_heads, d // n_heads).transpose(1, 2)

# %% right: reshape and permute, contiguous
def split_heads(x, n_heads):
    b, n, d = x.size()
    head_dim = int(d / n_heads)
    return torch.reshape(x, (b, n, n_heads, head_dim)).permute(0, 2, 1, 3).contiguous()

# %% right: chunk and stack
def split_heads(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)

# %% right: slices in a loop
def split_heads(x, n_heads):
    head_dim = x.shape[-1] // n_heads
    return torch.cat([x[:, None, :, h * head_dim:(h + 1) * head_dim] for h in range(n_heads)], dim=1)

# %% right: unflatten
def split_heads(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)

# %% right: einsum
def split_heads(x, n_heads):
    return torch.einsum("bnhe->bhne", x.reshape(*x.shape[:2], n_heads, -1))

# %% wrong: view without a transpose | view_without_transpose_in
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b, n_heads, n, d // n_heads)

# %% wrong: without the transpose, heads behind the tokens | heads_behind_tokens
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b, n, n_heads, d // n_heads)

# %% wrong: features before heads | heads_interleaved_in
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b, n, d // n_heads, n_heads).permute(0, 3, 1, 2)

# %% wrong: heads in reverse | heads_in_reverse
def split_heads(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=-1)[::-1], dim=1)

# %% wrong: one slice for every head | one_head_for_all
def split_heads(x, n_heads):
    first = x[..., : x.shape[-1] // n_heads]
    return torch.stack([first] * n_heads, dim=1)

# %% wrong: the whole for every head | every_head_the_whole
def split_heads(x, n_heads):
    return x.unsqueeze(1).expand(-1, n_heads, -1, -1)

# %% wrong: mean over the slices | mean_over_heads
def split_heads(x, n_heads):
    mean = torch.stack(x.chunk(n_heads, dim=-1)).mean(0)
    return torch.stack([mean] * n_heads, dim=1)

# %% wrong: batch and heads mixed | view_without_transpose_in
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b * n_heads, n, d // n_heads).reshape(b, n_heads, n, d // n_heads)

# %% wrong: heads first, then the batch | heads_before_batch
def split_heads(x, n_heads):
    return torch.stack(x.chunk(n_heads, dim=-1), dim=0)

# %% wrong: batch and heads in one axis | batch_and_heads_joined
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b, n, n_heads, d // n_heads).transpose(1, 2).reshape(b * n_heads, n, d // n_heads)

# %% wrong: head_dim a float | head_dim_a_float
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b, n, n_heads, d / n_heads).transpose(1, 2)

# %% wrong: two heads whatever is asked | two_heads_always
def split_heads(x, n_heads):
    return torch.stack(x.chunk(2, dim=-1), dim=1)

# %% wrong: tokens in reverse
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.transpose(1, 2).reshape(b, n_heads, d // n_heads, n).transpose(2, 3).flip(2)

# %% wrong: last two axes swapped | tokens_and_features_swapped
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.reshape(b, n, n_heads, d // n_heads).permute(0, 2, 3, 1)

# %% wrong: first of the batch alone | first_of_batch
def split_heads(x, n_heads):
    b, n, d = x.shape
    return torch.stack(x[:1].expand(b, n, d).chunk(n_heads, dim=-1), dim=1)

# %% wrong: detached | gradient_cut
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.detach().reshape(b, n, n_heads, d // n_heads).transpose(1, 2)

# %% wrong: numpy | numpy_returned
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.detach().numpy().reshape(b, n, n_heads, d // n_heads).swapaxes(1, 2)

# %% wrong: float32 always | always_float32
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.float().reshape(b, n, n_heads, d // n_heads).transpose(1, 2)

# %% wrong: through float16 | through_half_precision
def split_heads(x, n_heads):
    b, n, d = x.shape
    return x.half().to(x.dtype).reshape(b, n, n_heads, d // n_heads).transpose(1, 2)

# %% wrong: input scaled in place | input_changed
def split_heads(x, n_heads):
    b, n, d = x.shape
    out = x.reshape(b, n, n_heads, d // n_heads).transpose(1, 2).clone()
    x.zero_()
    return out

# %% wrong: a list of heads | list_returned
def split_heads(x, n_heads):
    return list(x.chunk(n_heads, dim=-1))

# %% wrong: no return | returned_nothing
def split_heads(x, n_heads):
    b, n, d = x.shape
    x.reshape(b, n, n_heads, d // n_heads).transpose(1, 2)

# %% wrong: as_strided, for contiguous inputs only | contiguous_assumed
def split_heads(x, n_heads):
    b, n, d = x.shape
    e = d // n_heads
    return x.as_strided((b, n_heads, n, e), (n * d, e, d, 1))
