# %% right: transpose, contiguous, view
def merge_heads(x):
    b, h, n, e = x.shape
    return x.transpose(1, 2).contiguous().view(b, n, h * e)

# %% right: permute and reshape with minus one
def merge_heads(x):
    return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)

# %% right: flatten
def merge_heads(x):
    return x.transpose(1, 2).flatten(2)

# %% right: cat of the heads
def merge_heads(x):
    return torch.cat([x[:, head] for head in range(x.shape[1])], dim=-1)

# %% right: cat of unbind
def merge_heads(x):
    return torch.cat(torch.unbind(x, dim=1), dim=-1)

# %% right: einsum
def merge_heads(x):
    return torch.einsum("bhne->bnhe", x).flatten(-2)

# %% right: slices filled in a loop
def merge_heads(x):
    b, h, n, e = x.shape
    out = x.new_zeros(b, n, h * e)
    for head in range(h):
        out[..., head * e:(head + 1) * e] = x[:, head]
    return out

# %% wrong: view without a transpose | view_without_transpose_out
def merge_heads(x):
    b, h, n, e = x.shape
    return x.reshape(b, n, h * e)

# %% wrong: view right after transpose | view_of_non_contiguous
def merge_heads(x):
    b, h, n, e = x.shape
    return x.transpose(1, 2).view(b, n, h * e)

# %% wrong: features before heads | heads_interleaved_out
def merge_heads(x):
    return x.permute(0, 2, 3, 1).flatten(2)

# %% wrong: heads in reverse | heads_in_reverse
def merge_heads(x):
    return x.flip(1).transpose(1, 2).flatten(2)

# %% wrong: mean over heads | mean_over_heads
def merge_heads(x):
    return x.mean(1)

# %% wrong: mean over heads, repeated | mean_over_heads
def merge_heads(x):
    return x.mean(1).repeat(1, 1, x.shape[1])

# %% wrong: sum over heads | sum_over_heads
def merge_heads(x):
    return x.sum(dim=1)

# %% wrong: the first head repeated | one_head_for_all
def merge_heads(x):
    return x[:, 0].repeat(1, 1, x.shape[1])

# %% wrong: along the tokens | joined_along_tokens
def merge_heads(x):
    return torch.cat(x.unbind(1), dim=1)

# %% wrong: transpose of the last two axes | tokens_and_features_swapped
def merge_heads(x):
    b, h, n, e = x.shape
    return x.transpose(2, 3).reshape(b, n, h * e)

# %% wrong: batch and heads in one axis | batch_and_heads_joined
def merge_heads(x):
    b, h, n, e = x.shape
    return x.reshape(b * h, n, e)

# %% wrong: tokens before the batch | tokens_before_batch
def merge_heads(x):
    return x.permute(2, 0, 1, 3).flatten(2)

# %% wrong: transpose left out, axes right | heads_not_joined
def merge_heads(x):
    return x.transpose(1, 2)

# %% wrong: two heads whatever comes | two_heads_always
def merge_heads(x):
    return torch.cat([x[:, 0], x[:, 1]], dim=-1)

# %% wrong: as_strided, for contiguous inputs only | contiguous_assumed
def merge_heads(x):
    b, h, n, e = x.shape
    return x.as_strided((b, n, h, e), (h * n * e, e, n * e, 1)).reshape(b, n, h * e)

# %% wrong: view first, for contiguous inputs only | view_of_non_contiguous
def merge_heads(x):
    b, h, n, e = x.shape
    return x.view(b, h, n * e).view(b, h, n, e).transpose(1, 2).reshape(b, n, h * e)

# %% wrong: first of the batch alone | first_of_batch
def merge_heads(x):
    return x[:1].expand(x.shape).transpose(1, 2).flatten(2)

# %% wrong: detached | gradient_cut
def merge_heads(x):
    return x.detach().transpose(1, 2).flatten(2)

# %% wrong: rebuilt by torch.tensor | gradient_cut
def merge_heads(x):
    return torch.tensor(x.transpose(1, 2).flatten(2).tolist(), dtype=x.dtype)

# %% wrong: float32 always | always_float32
def merge_heads(x):
    return x.float().transpose(1, 2).flatten(2)

# %% wrong: resized in place | input_changed
def merge_heads(x):
    out = x.transpose(1, 2).flatten(2).clone()
    x.mul_(0)
    return out

# %% wrong: a list | list_returned
def merge_heads(x):
    return x.transpose(1, 2).flatten(2).tolist()

# %% wrong: no return | returned_nothing
def merge_heads(x):
    out = x.transpose(1, 2).flatten(2)
