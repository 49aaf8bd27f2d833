# %% right: textbook
def masked_softmax(scores, mask):
    masked = scores.masked_fill(mask, -torch.inf)
    return torch.softmax(masked, dim=-1)

# %% right: in place on a copy
def masked_softmax(scores, mask):
    scores = scores.clone()
    scores.masked_fill_(mask, float("-inf"))
    return torch.nn.functional.softmax(scores, dim=-1)

# %% right: where
def masked_softmax(scores, mask):
    return torch.where(mask, -torch.inf, scores).softmax(-1)

# %% right: minus infinity added
def masked_softmax(scores, mask):
    return (scores + torch.zeros_like(scores).masked_fill(mask, -torch.inf)).softmax(-1)

# %% right: the smallest float, then exactly 0
def masked_softmax(scores, mask):
    weights = scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(-1)
    return weights * ~mask

# %% right: by hand, powers set to 0
def masked_softmax(scores, mask):
    highest = scores.masked_fill(mask, -torch.inf).amax(-1, keepdim=True)
    powers = (scores - highest).masked_fill(mask, -torch.inf).exp()
    return powers / powers.sum(-1, keepdim=True)

# %% right: loops over rows, only what is seen
def masked_softmax(scores, mask):
    if scores.dim() > 2:
        return torch.stack([masked_softmax(one, mask) for one in scores])
    rows = []
    for row, hidden in zip(scores, mask):
        weights = torch.zeros_like(row)
        weights = weights.masked_scatter(~hidden, torch.softmax(row[~hidden], dim=0))
        rows.append(weights)
    return torch.stack(rows)

# %% right: through the logarithm
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).log_softmax(dim=-1).exp()

# %% right: index assignment on a copy
def masked_softmax(scores, mask):
    masked = scores.clone()
    masked[..., mask] = -torch.inf
    return torch.softmax(masked, -1)

# %% right: minus 1e9
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -1e9).softmax(-1)

# %% right: torch's attention with the identity as values
def masked_softmax(scores, mask):
    eye = torch.eye(scores.shape[-1], dtype=scores.dtype)
    return torch.nn.functional.scaled_dot_product_attention(
        scores, eye.expand_as(scores), eye.expand_as(scores), attn_mask=~mask, scale=1.0
    )

# %% wrong: mask ignored | no_mask
def masked_softmax(scores, mask):
    return scores.softmax(-1)

# %% wrong: the result of masked_fill thrown away | no_mask
def masked_softmax(scores, mask):
    scores.masked_fill(mask, -torch.inf)
    return scores.softmax(-1)

# %% wrong: inverted | mask_inverted
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)

# %% wrong: always causal | mask_argument_ignored
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    return scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf).softmax(-1)

# %% wrong: mask transposed | mask_transposed
def masked_softmax(scores, mask):
    return scores.masked_fill(mask.T, -torch.inf).softmax(-1)

# %% wrong: causal or hidden | causal_mask_added
def masked_softmax(scores, mask):
    return scores.masked_fill(mask | torch.ones_like(mask).triu(1), -torch.inf).softmax(-1)

# %% wrong: the upper part of the mask alone | upper_part_of_mask
def masked_softmax(scores, mask):
    return scores.masked_fill(mask.triu(1), -torch.inf).softmax(-1)

# %% wrong: filled with 0 | hidden_scores_zero
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, 0.0).softmax(-1)

# %% wrong: filled with 1e-9 | hidden_scores_zero
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, 1e-9).softmax(-1)

# %% wrong: filled with -1e-9 | hidden_scores_zero
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -1e-9).softmax(-1)

# %% wrong: filled with -10 | hidden_scores_finite
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -10.0).softmax(-1)

# %% wrong: filled with -1000 | hidden_scores_finite
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -1000.0).softmax(-1)

# %% wrong: filled with -10000 | hidden_scores_finite
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -10000.0).softmax(-1)

# %% wrong: the row's smallest less 20 | hidden_scores_finite
def masked_softmax(scores, mask):
    return torch.where(mask, scores.amin(-1, keepdim=True) - 20, scores).softmax(-1)

# %% wrong: 1e4 taken off the hidden ones | hidden_scores_finite
def masked_softmax(scores, mask):
    return (scores - 1e4 * mask).softmax(-1)

# %% wrong: 0 after softmax | masked_after_softmax
def masked_softmax(scores, mask):
    return scores.softmax(-1).masked_fill(mask, 0.0)

# %% wrong: 0 after softmax, then normalised | masked_then_renormalised
def masked_softmax(scores, mask):
    weights = scores.softmax(-1).masked_fill(mask, 0.0)
    return weights / weights.sum(-1, keepdim=True)

# %% wrong: 0 after softmax, then normalised with a little more | masked_then_renormalised
def masked_softmax(scores, mask):
    weights = scores.softmax(-1).masked_fill(mask, 0.0)
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)

# %% wrong: softmax twice | masked_between_two_softmaxes
def masked_softmax(scores, mask):
    return scores.softmax(-1).masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: minus infinity into the weights | minus_infinity_in_weights
def masked_softmax(scores, mask):
    return scores.softmax(-1).masked_fill(mask, -torch.inf)

# %% wrong: multiplied before softmax | hidden_scores_zero
def masked_softmax(scores, mask):
    return (scores * ~mask).softmax(-1)

# %% wrong: infinity times the mask | infinity_times_mask
def masked_softmax(scores, mask):
    return (scores - torch.inf * mask).softmax(-1)

# %% wrong: over the query axis | softmax_over_queries
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-2)

# %% wrong: over the first axis | softmax_over_queries, softmax_over_first_axis
def masked_softmax(scores, mask):
    return torch.nan_to_num(scores.masked_fill(mask, -torch.inf).softmax(0))

# %% wrong: over the second axis | softmax_over_queries
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(1)

# %% wrong: no shift | no_shift
def masked_softmax(scores, mask):
    powers = scores.exp().masked_fill(mask, 0.0)
    return powers / powers.sum(-1, keepdim=True)

# %% wrong: shifted by the largest of all, hidden ones too | masked_then_renormalised
def masked_softmax(scores, mask):
    powers = (scores - scores.amax(-1, keepdim=True)).exp().masked_fill(mask, 0.0)
    return powers / powers.sum(-1, keepdim=True)

# %% wrong: nan turned into 0 | nan_hidden
def masked_softmax(scores, mask):
    powers = scores.exp().masked_fill(mask, 0.0)
    return torch.nan_to_num(powers / powers.sum(-1, keepdim=True))

# %% wrong: scaled | scores_scaled_again
def masked_softmax(scores, mask):
    return (scores / scores.shape[-1] ** 0.5).masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: not normalised | not_normalised
def masked_softmax(scores, mask):
    masked = scores.masked_fill(mask, -torch.inf)
    return (masked - masked.amax(-1, keepdim=True)).exp()

# %% wrong: even shares | uniform_weights
def masked_softmax(scores, mask):
    seen = (~mask).to(scores.dtype)
    return (seen / seen.sum(-1, keepdim=True)).expand_as(scores) + 0 * scores

# %% wrong: changes the scores | input_changed
def masked_softmax(scores, mask):
    scores.masked_fill_(mask, -torch.inf)
    return scores.softmax(-1)

# %% wrong: changes the scores behind autograd | input_changed
def masked_softmax(scores, mask):
    scores.data.masked_fill_(mask, -torch.inf)
    return scores.softmax(-1)

# %% wrong: changes the mask | input_changed
def masked_softmax(scores, mask):
    weights = scores.masked_fill(mask, -torch.inf).softmax(-1)
    mask.logical_not_()
    return weights

# %% wrong: detached | gradient_cut
def masked_softmax(scores, mask):
    return scores.detach().masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: always float32 | always_float32
def masked_softmax(scores, mask):
    return scores.float().masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: through half precision | through_half_precision
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1).half().to(scores.dtype)

# %% wrong: a floor under every weight
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1).clamp(min=1e-9)

# %% wrong: two axes only | mask_row_by_sentence
def masked_softmax(scores, mask):
    rows = [torch.where(mask[i], -torch.inf, scores[i]) for i in range(len(scores))]
    return torch.stack(rows).softmax(-1)

# %% wrong: only the first of the batch masked | first_sentence_masked
def masked_softmax(scores, mask):
    if scores.dim() == 2:
        return scores.masked_fill(mask, -torch.inf).softmax(-1)
    return torch.cat([scores[:1].masked_fill(mask, -torch.inf), scores[1:]]).softmax(-1)

# %% wrong: at most three axes | no_mask
def masked_softmax(scores, mask):
    if scores.dim() > 3:
        return scores.softmax(-1)
    return scores.masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: the batch flattened | batch_axes_flattened
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    return scores.reshape(-1, n, n).masked_fill(mask, -torch.inf).softmax(-1)

# %% wrong: sigmoid
def masked_softmax(scores, mask):
    return scores.sigmoid().masked_fill(mask, 0.0)

# %% wrong: hidden entries taken away | hidden_entries_removed
def masked_softmax(scores, mask):
    return scores[..., ~mask].softmax(-1)

# %% wrong: a list comes back | list_returned
def masked_softmax(scores, mask):
    return scores.masked_fill(mask, -torch.inf).softmax(-1).tolist()

# %% wrong: returns nothing | returned_nothing
def masked_softmax(scores, mask):
    scores.masked_fill(mask, -torch.inf).softmax(-1)
