# %% right: slice and sum
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].sum(dim=-1)

# %% right: a mask over the keys
def injection_share(weights, start, stop):
    position = torch.arange(weights.shape[-1])
    inside = (position >= start) & (position < stop)
    return (weights[..., -1, :] * inside).sum(-1)

# %% right: what is left over by the others
def injection_share(weights, start, stop):
    last = weights[..., -1, :]
    return 1 - last[..., :start].sum(-1) - last[..., stop:].sum(-1)

# %% right: masked_fill
def injection_share(weights, start, stop):
    outside = torch.ones(weights.shape[-1], dtype=torch.bool)
    outside[start:stop] = False
    return weights[..., -1, :].masked_fill(outside, 0).sum(-1)

# %% right: cumulative sums
def injection_share(weights, start, stop):
    upto = torch.nn.functional.pad(weights[..., -1, :].cumsum(-1), (1, 0))
    return upto[..., stop] - upto[..., start]

# %% right: einsum
def injection_share(weights, start, stop):
    inside = torch.zeros(weights.shape[-1], dtype=weights.dtype)
    inside[start:stop] = 1
    return torch.einsum("...k,k->...", weights.select(-2, -1), inside)

# %% right: a loop over the keys
def injection_share(weights, start, stop):
    n = weights.size(-1)
    share = torch.zeros(weights.shape[:-2], dtype=weights.dtype)
    for key in range(start, stop):
        share = share + weights[..., n - 1, key]
    return share

# %% right: narrow
def injection_share(weights, start, stop):
    return weights.narrow(-2, weights.shape[-2] - 1, 1).narrow(-1, start, stop - start).sum((-2, -1))

# %% right: as a part of the row
def injection_share(weights, start, stop):
    last = weights[..., -1, :]
    return last[..., start:stop].sum(-1) / last.sum(-1)

# %% wrong: stop counted in | stop_included
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop + 1].sum(dim=-1)

# %% wrong: start left out | start_left_out
def injection_share(weights, start, stop):
    return weights[..., -1, start + 1:stop].sum(dim=-1)

# %% wrong: positions counted from 1 | passage_counted_from_one
def injection_share(weights, start, stop):
    return weights[..., -1, start - 1:stop - 1].sum(dim=-1)

# %% wrong: stop taken for a length | stop_as_length
def injection_share(weights, start, stop):
    return weights[..., -1, start:start + stop].sum(dim=-1)

# %% wrong: mean of the span | mean_of_passage
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].mean(dim=-1)

# %% wrong: the largest of the span | largest_of_passage
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].amax(dim=-1)

# %% wrong: the first query | another_query
def injection_share(weights, start, stop):
    return weights[..., 0, start:stop].sum(dim=-1)

# %% wrong: the last query but one | another_query
def injection_share(weights, start, stop):
    return weights[..., -2, start:stop].sum(dim=-1)

# %% wrong: the span's last query | another_query
def injection_share(weights, start, stop):
    return weights[..., stop - 1, start:stop].sum(dim=-1)

# %% wrong: mean over all queries | queries_averaged
def injection_share(weights, start, stop):
    return weights[..., start:stop].sum(dim=-1).mean(dim=-1)

# %% wrong: sum over all queries | queries_averaged
def injection_share(weights, start, stop):
    return weights[..., start:stop].sum(dim=(-2, -1))

# %% wrong: mean over the queries from the span on | queries_averaged
def injection_share(weights, start, stop):
    return weights[..., start:, start:stop].sum(dim=-1).mean(dim=-1)

# %% wrong: all queries come back | all_queries_returned
def injection_share(weights, start, stop):
    return weights[..., start:stop].sum(dim=-1)

# %% wrong: queries and keys swapped | query_and_key_axes_swapped
def injection_share(weights, start, stop):
    return weights[..., start:stop, -1].sum(dim=-1)

# %% wrong: part of the whole map | part_of_whole_map
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].sum(dim=-1) / weights.sum(dim=(-2, -1))

# %% wrong: ratio to the rest | ratio_to_the_rest
def injection_share(weights, start, stop):
    inside = weights[..., -1, start:stop].sum(dim=-1)
    return inside / (1 - inside + 1e-9)

# %% wrong: the rest | the_rest
def injection_share(weights, start, stop):
    return 1 - weights[..., -1, start:stop].sum(dim=-1)

# %% wrong: divided by its even share | compared_with_even_share
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].sum(dim=-1) * weights.shape[-1] / (stop - start)

# %% wrong: the last query's own weight left out | own_key_left_out
def injection_share(weights, start, stop):
    last = weights[..., -1, :-1]
    return last[..., start:stop].sum(dim=-1) / last.sum(dim=-1)

# %% wrong: without batch axes only | batch_axes_forgotten
def injection_share(weights, start, stop):
    return weights[-1, start:stop].sum()

# %% wrong: last of the first axis | batch_axes_forgotten
def injection_share(weights, start, stop):
    return weights[-1][..., start:stop].sum(dim=-1)

# %% wrong: averaged over the heads | maps_averaged
def injection_share(weights, start, stop):
    share = weights[..., -1, start:stop].sum(dim=-1)
    return share.mean(-1) if share.dim() else share

# %% wrong: summed over the batch | maps_put_together
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].sum()

# %% wrong: the largest head | maps_put_together
def injection_share(weights, start, stop):
    share = weights[..., -1, start:stop].sum(dim=-1)
    return share.max()

# %% wrong: an axis kept | share_axis_kept
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].sum(dim=-1, keepdim=True)

# %% wrong: in per cent | share_in_per_cent
def injection_share(weights, start, stop):
    return 100 * weights[..., -1, start:stop].sum(dim=-1)

# %% wrong: a list comes back | float_returned, list_returned
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].sum(dim=-1).tolist()

# %% wrong: always float32 | always_float32
def injection_share(weights, start, stop):
    return weights[..., -1, start:stop].float().sum(dim=-1)

# %% wrong: changes its input | input_changed
def injection_share(weights, start, stop):
    weights[..., -1, :start] = 0
    weights[..., -1, stop:] = 0
    return weights[..., -1, :].sum(dim=-1)

# %% wrong: softmax over the weights again | share_of_softmax_again
def injection_share(weights, start, stop):
    return weights[..., -1, :].softmax(-1)[..., start:stop].sum(dim=-1)

# %% wrong: a span that never moves | passage_fixed
def injection_share(weights, start, stop):
    return weights[..., -1, 1:3].sum(dim=-1)

# %% wrong: prints and returns nothing | returned_nothing
def injection_share(weights, start, stop):
    print(weights[..., -1, start:stop].sum(dim=-1))
