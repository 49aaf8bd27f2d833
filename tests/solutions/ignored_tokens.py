# %% right: all over samples and heads
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% right: the largest of all maps
def ignored_tokens(weights, threshold):
    most = attention_received(weights).amax(dim=(0, 1))
    return [position for position, share in enumerate(most.tolist()) if share < threshold]

# %% right: without attention_received
def ignored_tokens(weights, threshold):
    n = weights.shape[-1]
    received = weights.sum(-2) / torch.arange(n, 0, -1)
    return torch.where((received >= threshold).flatten(0, 1).sum(0) == 0)[0].tolist()

# %% right: loops
def ignored_tokens(weights, threshold):
    samples, heads, n, _ = weights.shape
    found = []
    for j in range(n):
        seen = False
        for s in range(samples):
            for h in range(heads):
                if float(weights[s, h, j:, j].mean()) >= threshold:
                    seen = True
        if not seen:
            found.append(j)
    return found

# %% right: intersection of sets
def ignored_tokens(weights, threshold):
    received = attention_received(weights)
    candidates = set(range(weights.shape[-1]))
    for sample in received:
        for head in sample:
            candidates &= {j for j, share in enumerate(head) if share < threshold}
    return sorted(candidates)

# %% right: numpy, made plain
def ignored_tokens(weights, threshold):
    import numpy as np
    low = attention_received(weights).numpy() < threshold
    return [int(j) for j in np.flatnonzero(low.all(axis=(0, 1)))]

# %% wrong: in any sample and head | any_for_every
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).any(dim=0).any(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: mean over samples and heads | averaged_before_comparing
def ignored_tokens(weights, threshold):
    low = attention_received(weights).mean(dim=(0, 1)) < threshold
    return low.nonzero().flatten().tolist()

# %% wrong: mean over the heads, all samples | averaged_before_comparing
def ignored_tokens(weights, threshold):
    low = (attention_received(weights).mean(dim=1) < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: mean over the samples, all heads | averaged_before_comparing
def ignored_tokens(weights, threshold):
    low = (attention_received(weights).mean(dim=0) < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: the first sample only | part_of_the_maps
def ignored_tokens(weights, threshold):
    low = (attention_received(weights)[0] < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: the first head only | part_of_the_maps
def ignored_tokens(weights, threshold):
    low = (attention_received(weights)[:, 0] < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: the last head only | part_of_the_maps
def ignored_tokens(weights, threshold):
    low = (attention_received(weights)[:, -1] < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: any head in every sample | any_for_every
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).any(dim=1).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: some sample in every head | any_for_every
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).any(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: above the threshold | above_threshold
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) > threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: column means over n | divided_by_all_queries
def ignored_tokens(weights, threshold):
    low = (weights.mean(dim=-2) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: every single weight below the threshold | single_weights_compared
def ignored_tokens(weights, threshold):
    low = (weights < threshold).all(dim=-2).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: what a query gives, not what a key gets | rows_for_columns
def ignored_tokens(weights, threshold):
    low = (weights.mean(dim=-1) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: a fixed threshold | threshold_fixed
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < 0.25).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: a tensor comes back | not_a_plain_list
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten()

# %% wrong: a list of tensors | tensors_or_numpy_in_list
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return list(low.nonzero().flatten())

# %% wrong: nested lists | list_in_list
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().tolist()

# %% wrong: a set | not_a_plain_list
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return set(low.nonzero().flatten().tolist())

# %% wrong: numpy integers | tensors_or_numpy_in_list
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return list(low.numpy().nonzero()[0])

# %% wrong: a list of booleans | booleans_for_positions
def ignored_tokens(weights, threshold):
    return (attention_received(weights) < threshold).all(dim=0).all(dim=0).tolist()

# %% wrong: positions from the end | positions_unsorted
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().flip(0).tolist()

# %% wrong: sorted by attention received | positions_unsorted
def ignored_tokens(weights, threshold):
    most = attention_received(weights).amax(dim=(0, 1))
    return [j for j in most.argsort().tolist() if most[j] < threshold]

# %% wrong: counted from 1 | counted_from_one
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return [j + 1 for j in low.nonzero().flatten().tolist()]

# %% wrong: the last position left out | end_left_out
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low[:-1].nonzero().flatten().tolist()

# %% wrong: the first position left out | end_left_out
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return [j for j in low.nonzero().flatten().tolist() if j > 0]

# %% wrong: one for every map | listed_per_map
def ignored_tokens(weights, threshold):
    low = attention_received(weights) < threshold
    return sorted(low.nonzero()[:, -1].tolist())

# %% wrong: None where nobody is ignored | none_for_empty
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist() or None

# %% wrong: squeezed, so one position is a number | not_a_plain_list
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().squeeze().tolist()

# %% wrong: changes its input | input_changed
def ignored_tokens(weights, threshold):
    n = weights.shape[-1]
    weights /= torch.arange(n, 0, -1)
    low = (weights.sum(-2) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: prints and returns nothing | returned_nothing
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    print(low.nonzero().flatten().tolist())
