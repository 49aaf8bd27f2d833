# %% right: the matrix
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    jacobian = torch.diag_embed(p) - torch.einsum("...i,...j->...ij", p, p)
    return torch.linalg.norm(jacobian, dim=(-2, -1))

# %% right: the expanded sum, clamped
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    square = (p**2).sum(-1) - 2 * (p**3).sum(-1) + (p**2).sum(-1) ** 2
    return square.clamp(min=0).sqrt()

# %% right: the expanded sum in double precision
def softmax_gradient_norm(scores):
    p = torch.softmax(scores.double(), dim=-1)
    s2, s3 = p.pow(2).sum(-1), p.pow(3).sum(-1)
    return torch.sqrt(torch.relu(s2 - 2 * s3 + s2**2)).to(scores.dtype)

# %% right: a delta of its own, loops over rows
def softmax_gradient_norm(scores):
    if scores.dim() > 1:
        return torch.stack([softmax_gradient_norm(row) for row in scores])
    e = (scores - scores.max()).exp()
    p = e / e.sum()
    n = len(p)
    jacobian = p.unsqueeze(1) * (torch.eye(n, dtype=p.dtype) - p.unsqueeze(0))
    return (jacobian * jacobian).sum().sqrt()

# %% right: autograd's Jacobian, row by row
def softmax_gradient_norm(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    norms = [
        torch.autograd.functional.jacobian(lambda s: torch.softmax(s, dim=-1), row).norm() for row in rows
    ]
    return torch.stack(norms).reshape(scores.shape[:-1])

# %% right: vmap of jacrev
def softmax_gradient_norm(scores):
    one = torch.func.jacrev(lambda s: torch.softmax(s, dim=-1))
    jacobians = torch.func.vmap(one)(scores.reshape(-1, scores.shape[-1]))
    return torch.linalg.matrix_norm(jacobians).reshape(scores.shape[:-1])

# %% right: diagonal and the rest
def softmax_gradient_norm(scores):
    p = scores.softmax(-1)
    others = (p.unsqueeze(-1) * p.unsqueeze(-2)) ** 2
    off = others.sum((-2, -1)) - others.diagonal(dim1=-2, dim2=-1).sum(-1)
    return (((p * (1 - p)) ** 2).sum(-1) + off.clamp(min=0)).sqrt()

# %% wrong: the expanded sum, nan where rounding goes below 0 | root_of_a_negative
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return ((p**2).sum(-1) - 2 * (p**3).sum(-1) + (p**2).sum(-1) ** 2).sqrt()

# %% wrong: the root forgotten | root_forgotten
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    jacobian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return jacobian.square().sum(dim=(-2, -1))

# %% wrong: diagonal only | diagonal_only
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return (p * (1 - p)).norm(dim=-1)

# %% wrong: off-diagonal only | off_diagonal_only
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    jacobian = p.unsqueeze(-1) * p.unsqueeze(-2)
    return (jacobian - torch.diag_embed(jacobian.diagonal(dim1=-2, dim2=-1))).square().sum((-2, -1)).sqrt()

# %% wrong: plus instead of minus | plus_for_minus
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return (torch.diag_embed(p) + p.unsqueeze(-1) * p.unsqueeze(-2)).square().sum(dim=(-2, -1)).sqrt()

# %% wrong: spectral norm | spectral_norm
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return torch.linalg.matrix_norm(torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2), ord=2)

# %% wrong: largest entry | largest_entry
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).abs().amax(dim=(-2, -1))

# %% wrong: sum of absolute values | sum_of_absolute_values
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).abs().sum(dim=(-2, -1))

# %% wrong: root of the mean square | root_mean_square
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).square().mean(dim=(-2, -1)).sqrt()

# %% wrong: weights instead of scores expected | scores_taken_for_weights
def softmax_gradient_norm(weights):
    return (torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)).square().sum((-2, -1)).sqrt()

# %% wrong: overflow | no_shift
def softmax_gradient_norm(scores):
    p = scores.exp() / scores.exp().sum(dim=-1, keepdim=True)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).square().sum(dim=(-2, -1)).sqrt()

# %% wrong: norm of all rows together | rows_thrown_together
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).norm()

# %% wrong: gradient of the sum of weights, which is always 0 | gradient_of_the_sum
def softmax_gradient_norm(scores):
    s = scores.clone().requires_grad_()
    (grad,) = torch.autograd.grad(s.softmax(dim=-1).sum(), s)
    return grad.norm(dim=-1)

# %% wrong: gradient of the largest weight alone | gradient_of_the_largest
def softmax_gradient_norm(scores):
    s = scores.clone().requires_grad_()
    (grad,) = torch.autograd.grad(s.softmax(dim=-1).amax(dim=-1).sum(), s)
    return grad.norm(dim=-1)

# %% wrong: Jacobian of log softmax | jacobian_of_log_softmax
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    jacobian = torch.eye(p.shape[-1], dtype=p.dtype) - p.unsqueeze(-2)
    return jacobian.square().sum(dim=(-2, -1)).sqrt()

# %% wrong: softmax over the wrong axis | softmax_over_queries, softmax_over_first_axis
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=0)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).square().sum(dim=(-2, -1)).sqrt()

# %% wrong: scores shifted in place | input_changed
def softmax_gradient_norm(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    p = torch.softmax(scores, dim=-1)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).square().sum(dim=(-2, -1)).sqrt()

# %% wrong: norm of the weights | norm_of_the_weights
def softmax_gradient_norm(scores):
    return torch.softmax(scores, dim=-1).norm(dim=-1)

# %% wrong: scores clamped | clamped_for_shifted
def softmax_gradient_norm(scores):
    p = torch.softmax(scores.clamp(-5, 5), dim=-1)
    return (torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)).square().sum(dim=(-2, -1)).sqrt()

# %% wrong: axis kept | last_axis_kept
def softmax_gradient_norm(scores):
    p = torch.softmax(scores, dim=-1)
    jacobian = torch.diag_embed(p) - p.unsqueeze(-1) * p.unsqueeze(-2)
    return jacobian.square().sum(dim=(-2, -1)).sqrt().unsqueeze(-1)
