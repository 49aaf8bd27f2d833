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

# %% wrong: in any sample and head
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).any(dim=0).any(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: mean over samples and heads
def ignored_tokens(weights, threshold):
    low = attention_received(weights).mean(dim=(0, 1)) < threshold
    return low.nonzero().flatten().tolist()

# %% wrong: mean over the heads, all samples
def ignored_tokens(weights, threshold):
    low = (attention_received(weights).mean(dim=1) < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: mean over the samples, all heads
def ignored_tokens(weights, threshold):
    low = (attention_received(weights).mean(dim=0) < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: the first sample only
def ignored_tokens(weights, threshold):
    low = (attention_received(weights)[0] < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: the first head only
def ignored_tokens(weights, threshold):
    low = (attention_received(weights)[:, 0] < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: the last head only
def ignored_tokens(weights, threshold):
    low = (attention_received(weights)[:, -1] < threshold).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: any head in every sample
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).any(dim=1).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: some sample in every head
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).any(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: above the threshold
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) > threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: column means over n
def ignored_tokens(weights, threshold):
    low = (weights.mean(dim=-2) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: every single weight below the threshold
def ignored_tokens(weights, threshold):
    low = (weights < threshold).all(dim=-2).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: what a query gives, not what a key gets
def ignored_tokens(weights, threshold):
    low = (weights.mean(dim=-1) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: a fixed threshold
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < 0.25).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: a tensor comes back
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten()

# %% wrong: a list of tensors
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return list(low.nonzero().flatten())

# %% wrong: nested lists
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().tolist()

# %% wrong: a set
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return set(low.nonzero().flatten().tolist())

# %% wrong: numpy integers
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return list(low.numpy().nonzero()[0])

# %% wrong: a list of booleans
def ignored_tokens(weights, threshold):
    return (attention_received(weights) < threshold).all(dim=0).all(dim=0).tolist()

# %% wrong: positions from the end
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().flip(0).tolist()

# %% wrong: sorted by attention received
def ignored_tokens(weights, threshold):
    most = attention_received(weights).amax(dim=(0, 1))
    return [j for j in most.argsort().tolist() if most[j] < threshold]

# %% wrong: counted from 1
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return [j + 1 for j in low.nonzero().flatten().tolist()]

# %% wrong: the last position left out
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low[:-1].nonzero().flatten().tolist()

# %% wrong: the first position left out
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return [j for j in low.nonzero().flatten().tolist() if j > 0]

# %% wrong: one for every map
def ignored_tokens(weights, threshold):
    low = attention_received(weights) < threshold
    return sorted(low.nonzero()[:, -1].tolist())

# %% wrong: None where nobody is ignored
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist() or None

# %% wrong: squeezed, so one position is a number
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().squeeze().tolist()

# %% wrong: changes its input
def ignored_tokens(weights, threshold):
    n = weights.shape[-1]
    weights /= torch.arange(n, 0, -1)
    low = (weights.sum(-2) < threshold).all(dim=0).all(dim=0)
    return low.nonzero().flatten().tolist()

# %% wrong: prints and returns nothing
def ignored_tokens(weights, threshold):
    low = (attention_received(weights) < threshold).all(dim=0).all(dim=0)
    print(low.nonzero().flatten().tolist())
