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

# %% wrong: inverted | mask_inverted
def causal_mask(n):
    return torch.tril(torch.ones(n, n, dtype=torch.bool))

# %% wrong: the diagonal hidden too | mask_hides_diagonal
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool))

# %% wrong: the next token leaks | mask_leaks_next
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=2)

# %% wrong: transposed | mask_transposed
def causal_mask(n):
    return torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=-1)

# %% wrong: the past hidden, the diagonal too | mask_inverted
def causal_mask(n):
    return torch.arange(n) <= torch.arange(n)[:, None]

# %% wrong: only the next token hidden | mask_hides_next_only
def causal_mask(n):
    return torch.arange(n) == torch.arange(n)[:, None] + 1

# %% wrong: everything but the diagonal | mask_hides_others
def causal_mask(n):
    return ~torch.eye(n, dtype=torch.bool)

# %% wrong: nothing hidden | no_mask
def causal_mask(n):
    return torch.zeros(n, n, dtype=torch.bool)

# %% wrong: everything hidden | mask_hides_everything
def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool)

# %% wrong: the last column alone | mask_hides_last_only
def causal_mask(n):
    mask = torch.zeros(n, n, dtype=torch.bool)
    mask[:-1, -1] = True
    return mask

# %% wrong: mirrored along the other diagonal | mask_mirrored
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1).flip(1)

# %% wrong: floats | mask_not_bool
def causal_mask(n):
    return torch.triu(torch.ones(n, n), diagonal=1)

# %% wrong: whole numbers | mask_not_bool
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.int64), diagonal=1)

# %% wrong: minus infinity | mask_not_bool
def causal_mask(n):
    return torch.full((n, n), -torch.inf).triu(1)

# %% wrong: minus infinity, bool by mistake of nan | mask_hides_everything
def causal_mask(n):
    return (torch.triu(torch.ones(n, n), 1) * -torch.inf).bool()

# %% wrong: a batch axis in front | mask_extra_axis
def causal_mask(n):
    return torch.triu(torch.ones(1, n, n, dtype=torch.bool), diagonal=1)

# %% wrong: one axis | mask_one_axis
def causal_mask(n):
    return torch.arange(n) > 0

# %% wrong: the example's size | mask_fixed_size
def causal_mask(n):
    return torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)

# %% wrong: the example | mask_fixed_size
def causal_mask(n):
    return torch.tensor([[False, True, True], [False, False, True], [False, False, False]])

# %% wrong: a list | list_returned
def causal_mask(n):
    return [[j > i for j in range(n)] for i in range(n)]

# %% wrong: numpy | numpy_returned
def causal_mask(n):
    import numpy
    return numpy.triu(numpy.ones((n, n), dtype=bool), k=1)

# %% wrong: one too small | mask_one_too_small
def causal_mask(n):
    return torch.triu(torch.ones(n - 1, n - 1, dtype=torch.bool), diagonal=1)

# %% wrong: one token squeezed away | axis_squeezed
def causal_mask(n):
    return torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1).squeeze()

# %% wrong: a list of pairs
def causal_mask(n):
    return torch.triu_indices(n, n, offset=1)

# %% wrong: lost in bytes | mask_not_bool
def causal_mask(n):
    return torch.triu(torch.ones(n, n), diagonal=1).byte()

# %% wrong: at most 16 tokens
def causal_mask(n):
    mask = torch.zeros(n, n, dtype=torch.bool)
    mask[:16, :16] = torch.ones(n, n, dtype=torch.bool).triu(1)[:16, :16]
    return mask

# %% wrong: returns nothing | returned_nothing
def causal_mask(n):
    print(torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1))
