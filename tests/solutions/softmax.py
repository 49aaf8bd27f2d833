# %% right: textbook
def softmax(scores):
    exps = torch.exp(scores - torch.max(scores, dim=-1, keepdim=True).values)
    return exps / torch.sum(exps, dim=-1, keepdim=True)

# %% right: logsumexp
def softmax(scores):
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))

# %% right: loops
def softmax(scores):
    if scores.dim() == 1:
        powers = [(s - max(scores)).exp() for s in scores]
        return torch.stack([p / sum(powers) for p in powers])
    return torch.stack([softmax(row) for row in scores])

# %% right: in double precision and back
def softmax(scores):
    wide = scores.double()
    powers = (wide - wide.amax(-1, keepdim=True)).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(scores.dtype)

# %% right: einsum for the sum, unsqueeze for the axis
def softmax(scores):
    e = torch.exp(scores - scores.amax(dim=-1).unsqueeze(-1))
    return e / torch.einsum("...n->...", e).unsqueeze(-1)

# %% right: detached maximum
def softmax(scores):
    e = (scores - scores.detach().max(-1, keepdim=True)[0]).exp()
    return e / (e.sum(-1, keepdim=True) + 1e-12)

# %% wrong: over the first axis | softmax_over_first_axis, softmax_over_queries
def softmax(scores):
    e = (scores - scores.amax(dim=0, keepdim=True)).exp()
    return e / e.sum(dim=0, keepdim=True)

# %% wrong: over the query axis | softmax_over_queries
def softmax(scores):
    dim = -2 if scores.dim() > 1 else -1
    e = (scores - scores.amax(dim=dim, keepdim=True)).exp()
    return e / e.sum(dim=dim, keepdim=True)

# %% wrong: over the flattened matrix | softmax_over_everything
def softmax(scores):
    e = (scores - scores.max()).exp()
    return e / e.sum()

# %% wrong: no shift | no_shift
def softmax(scores):
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: shifted by the largest of all | shifted_by_largest_of_all
def softmax(scores):
    e = (scores - scores.max()).exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: shifted by the mean | shifted_by_mean
def softmax(scores):
    e = (scores - scores.mean(-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: shifted by the smallest | shifted_by_smallest
def softmax(scores):
    e = (scores - scores.amin(-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: clamped instead of shifted | clamped_for_shifted, nearly_zero
def softmax(scores):
    e = scores.clamp(-80, 80).exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: not normalised | not_normalised
def softmax(scores):
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()

# %% wrong: divided by the sum without exp | sum_instead_of_softmax
def softmax(scores):
    return scores / scores.sum(dim=-1, keepdim=True)

# %% wrong: absolute values instead of exp | absolute_instead_of_exp
def softmax(scores):
    return scores.abs() / scores.abs().sum(dim=-1, keepdim=True)

# %% wrong: powers of two | base_two
def softmax(scores):
    e = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: sum without keepdim | axis_not_kept
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1)

# %% wrong: nan hidden as zero | nan_hidden
def softmax(scores):
    e = scores.exp()
    return torch.nan_to_num(e / e.sum(dim=-1, keepdim=True))

# %% wrong: changes its input | input_changed
def softmax(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: changes its input behind autograd | input_changed
def softmax(scores):
    scores.data -= scores.data.amax(dim=-1, keepdim=True)
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: detached | gradient_cut
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return (e / e.sum(dim=-1, keepdim=True)).detach()

# %% wrong: through numpy | gradient_cut
def softmax(scores):
    import numpy
    a = scores.detach().numpy()
    e = numpy.exp(a - a.max(-1, keepdims=True))
    return torch.tensor(e / e.sum(-1, keepdims=True))

# %% wrong: a numpy array comes back | numpy_returned
def softmax(scores):
    import numpy
    a = scores.detach().numpy()
    e = numpy.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)

# %% wrong: always float32 | always_float32
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).float().exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: through half precision | through_half_precision
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).half().exp().to(scores.dtype)
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: torch.softmax | ready_made
def softmax(scores):
    return torch.softmax(scores, dim=-1)

# %% wrong: the ready one through getattr | ready_made
def softmax(scores):
    return getattr(scores, "soft" + "max")(-1)

# %% wrong: nn.Softmax | ready_made
def softmax(scores):
    return torch.nn.Softmax(dim=-1)(scores)

# %% wrong: exp of log_softmax | ready_made
def softmax(scores):
    return torch.nn.functional.log_softmax(scores, -1).exp()

# %% wrong: a floor under every weight | nearly_zero
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp() + 1e-6
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: minus infinity replaced by a small score | nearly_zero
def softmax(scores):
    scores = scores.clamp(min=-20.0) if (scores == -torch.inf).any() else scores
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: the sign turned round | sign_turned
def softmax(scores):
    e = (scores.amin(dim=-1, keepdim=True) - scores).exp()
    return e / e.sum(dim=-1, keepdim=True)

# %% wrong: log weights | log_weights
def softmax(scores):
    return scores - scores.logsumexp(-1, keepdim=True)

# %% wrong: the lesson's example | example_returned
def softmax(scores):
    return torch.tensor([[0.0900, 0.2447, 0.6652], [1 / 3, 1 / 3, 1 / 3]])

# %% wrong: prints and returns nothing | returned_nothing
def softmax(scores):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    print(e / e.sum(dim=-1, keepdim=True))
