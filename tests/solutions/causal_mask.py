# %% right: triu of ones, bool
def causal_mask(n):
    return torch.triu(torch.ones(n, n), diagonal=1).bool()

# %% right: not tril
def causal_mask(n):
    return ~torch.tril(torch.ones((n, n), dtype=torch.bool))

# %% right: columns greater than rows
def causal_mask(n):
    positions = torch.arange(n)
    return positions > positions.unsqueeze(1)

# %% right: loops
def causal_mask(n):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(i + 1, n):
            mask[i, j] = True
    return mask

# %% right: a list of lists
def causal_mask(n):
    return torch.tensor([[j > i for j in range(n)] for i in range(n)])

# %% right: triu_indices
def causal_mask(n):
    mask = torch.full((n, n), False)
    rows, columns = torch.triu_indices(n, n, offset=1)
    mask[rows, columns] = True
    return mask

# %% right: cut from a larger one, row by row
def causal_mask(n):
    return torch.stack([torch.cat([torch.zeros(i + 1), torch.ones(n - i - 1)]) for i in range(n)]) == 1

# %% right: where torch's own mask is minus infinity
def causal_mask(n):
    return torch.nn.Transformer.generate_square_subsequent_mask(n).isinf()

# %% wrong: inverted
def causal_mask(n):
    return torch.tril(torch.ones(n, n, dtype=torch.bool))

# %% wrong: the diagonal hidden too
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool))

# %% wrong: the next token leaks
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=2)

# %% wrong: transposed
def causal_mask(n):
    return torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=-1)

# %% wrong: the past hidden, the diagonal too
def causal_mask(n):
    return torch.arange(n) <= torch.arange(n)[:, None]

# %% wrong: only the next token hidden
def causal_mask(n):
    return torch.arange(n) == torch.arange(n)[:, None] + 1

# %% wrong: everything but the diagonal
def causal_mask(n):
    return ~torch.eye(n, dtype=torch.bool)

# %% wrong: nothing hidden
def causal_mask(n):
    return torch.zeros(n, n, dtype=torch.bool)

# %% wrong: everything hidden
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool)

# %% wrong: the last column alone
def causal_mask(n):
    mask = torch.zeros(n, n, dtype=torch.bool)
    mask[:-1, -1] = True
    return mask

# %% wrong: mirrored along the other diagonal
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1).flip(1)

# %% wrong: floats
def causal_mask(n):
    return torch.triu(torch.ones(n, n), diagonal=1)

# %% wrong: whole numbers
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.int64), diagonal=1)

# %% wrong: minus infinity
def causal_mask(n):
    return torch.full((n, n), -torch.inf).triu(1)

# %% wrong: minus infinity, bool by mistake of nan
def causal_mask(n):
    return (torch.triu(torch.ones(n, n), 1) * -torch.inf).bool()

# %% wrong: a batch axis in front
def causal_mask(n):
    return torch.triu(torch.ones(1, n, n, dtype=torch.bool), diagonal=1)

# %% wrong: one axis
def causal_mask(n):
    return torch.arange(n) > 0

# %% wrong: the example's size
def causal_mask(n):
    return torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)

# %% wrong: the example
def causal_mask(n):
    return torch.tensor([[False, True, True], [False, False, True], [False, False, False]])

# %% wrong: a list
def causal_mask(n):
    return [[j > i for j in range(n)] for i in range(n)]

# %% wrong: numpy
def causal_mask(n):
    import numpy
    return numpy.triu(numpy.ones((n, n), dtype=bool), k=1)

# %% wrong: one too small
def causal_mask(n):
    return torch.triu(torch.ones(n - 1, n - 1, dtype=torch.bool), diagonal=1)

# %% wrong: one token squeezed away
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1).squeeze()

# %% wrong: a list of pairs
def causal_mask(n):
    return torch.triu_indices(n, n, offset=1)

# %% wrong: lost in bytes
def causal_mask(n):
    return torch.triu(torch.ones(n, n), diagonal=1).byte()

# %% wrong: at most 16 tokens
def causal_mask(n):
    mask = torch.zeros(n, n, dtype=torch.bool)
    mask[:16, :16] = torch.ones(n, n, dtype=torch.bool).triu(1)[:16, :16]
    return mask

# %% wrong: returns nothing
def causal_mask(n):
    print(torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1))
