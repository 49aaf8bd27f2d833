# %% right: copy_ without a graph
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v1.W_k.copy_(v2.W_k.weight.T)
        v1.W_v.copy_(v2.W_v.weight.T)

# %% right: data, cloned
def copy_weights(v2, v1):
    v1.W_q.data = v2.W_q.weight.data.T.clone()
    v1.W_k.data = v2.W_k.weight.data.T.clone()
    v1.W_v.data = v2.W_v.weight.data.T.clone()

# %% right: copy_ into data
def copy_weights(v2, v1):
    v1.W_q.data.copy_(v2.W_q.weight.data.t())
    v1.W_k.data.copy_(v2.W_k.weight.data.t())
    v1.W_v.data.copy_(v2.W_v.weight.data.t())

# %% right: new parameters
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(v2.W_q.weight.detach().T.clone())
    v1.W_k = nn.Parameter(v2.W_k.weight.detach().T.clone())
    v1.W_v = nn.Parameter(v2.W_v.weight.detach().T.clone())

# %% right: new parameters of clones with a graph
def copy_weights(v2, v1):
    v1.W_q = torch.nn.Parameter(v2.W_q.weight.T.clone())
    v1.W_k = torch.nn.Parameter(v2.W_k.weight.T.clone())
    v1.W_v = torch.nn.Parameter(v2.W_v.weight.T.clone())

# %% right: load_state_dict
def copy_weights(v2, v1):
    v1.load_state_dict({name: v2.get_submodule(name).weight.T for name in ("W_q", "W_k", "W_v")})

# %% right: load_state_dict from state_dict
def copy_weights(v2, v1):
    v1.load_state_dict({name.removesuffix(".weight"): w.T for name, w in v2.state_dict().items()})

# %% right: getattr in a loop, contiguous copies
def copy_weights(v2, v1):
    for name in ("W_q", "W_k", "W_v"):
        weight = getattr(v2, name).weight.detach()
        setattr(v1, name, nn.Parameter(weight.T.contiguous().clone()))

# %% right: decorated, returns the module
@torch.no_grad()
def copy_weights(v2, v1):
    for name in ("W_q", "W_k", "W_v"):
        getattr(v1, name).copy_(getattr(v2, name).weight.transpose(0, 1))
    return v1

# %% right: item by item
def copy_weights(v2, v1):
    with torch.no_grad():
        for mine, other in ((v1.W_q, v2.W_q.weight), (v1.W_k, v2.W_k.weight), (v1.W_v, v2.W_v.weight)):
            for i in range(mine.shape[0]):
                for j in range(mine.shape[1]):
                    mine[i, j] = other[j, i]

# %% right: a slice assigned
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q[:] = v2.W_q.weight.T
        v1.W_k[:] = v2.W_k.weight.T
        v1.W_v[:] = v2.W_v.weight.T

# %% right: what the layer gives for the unit vectors
def copy_weights(v2, v1):
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v"):
            mine = getattr(v1, name)
            mine.copy_(getattr(v2, name)(torch.eye(mine.shape[0], dtype=mine.dtype)))

# %% right: deepcopy
import copy
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(copy.deepcopy(v2.W_q.weight).data.T)
    v1.W_k = nn.Parameter(copy.deepcopy(v2.W_k.weight).data.T)
    v1.W_v = nn.Parameter(copy.deepcopy(v2.W_v.weight).data.T)

# %% wrong: shared through data | memory_shared
def copy_weights(v2, v1):
    v1.W_q.data = v2.W_q.weight.data.T
    v1.W_k.data = v2.W_k.weight.data.T
    v1.W_v.data = v2.W_v.weight.data.T

# %% wrong: shared through a parameter | memory_shared
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(v2.W_q.weight.T)
    v1.W_k = nn.Parameter(v2.W_k.weight.T)
    v1.W_v = nn.Parameter(v2.W_v.weight.T)

# %% wrong: shared through detach | memory_shared
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(v2.W_q.weight.detach().T)
    v1.W_k = nn.Parameter(v2.W_k.weight.detach().T)
    v1.W_v = nn.Parameter(v2.W_v.weight.detach().T)

# %% wrong: shared through numpy | memory_shared
def copy_weights(v2, v1):
    v1.W_q.data = torch.from_numpy(v2.W_q.weight.detach().numpy().T)
    v1.W_k.data = torch.from_numpy(v2.W_k.weight.detach().numpy().T)
    v1.W_v.data = torch.from_numpy(v2.W_v.weight.detach().numpy().T)

# %% wrong: shared through as_tensor | memory_shared
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(torch.as_tensor(v2.W_q.weight.T.data))
    v1.W_k = nn.Parameter(torch.as_tensor(v2.W_k.weight.T.data))
    v1.W_v = nn.Parameter(torch.as_tensor(v2.W_v.weight.T.data))

# %% wrong: one of three shared | memory_shared
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v1.W_k.copy_(v2.W_k.weight.T)
        v1.W_v.data = v2.W_v.weight.T

# %% wrong: shared, V2 made to look at V1 | memory_shared
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v2.W_q.weight.data = v1.W_q.data.T
        v1.W_k.copy_(v2.W_k.weight.T)
        v2.W_k.weight.data = v1.W_k.data.T
        v1.W_v.copy_(v2.W_v.weight.T)
        v2.W_v.weight.data = v1.W_v.data.T

# %% wrong: shared with contiguous alone | memory_shared
def copy_weights(v2, v1):
    v1.W_q.data = v2.W_q.weight.data.T if v1.W_q.shape[0] == v1.W_q.shape[1] else v2.W_q.weight.data.T.contiguous().clone()
    v1.W_k.data = v2.W_k.weight.data.T if v1.W_k.shape[0] == v1.W_k.shape[1] else v2.W_k.weight.data.T.contiguous().clone()
    v1.W_v.data = v2.W_v.weight.data.T if v1.W_v.shape[0] == v1.W_v.shape[1] else v2.W_v.weight.data.T.contiguous().clone()

# %% wrong: not transposed | copied_untransposed
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight)
        v1.W_k.copy_(v2.W_k.weight)
        v1.W_v.copy_(v2.W_v.weight)

# %% wrong: not transposed, new parameters | copied_untransposed
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(v2.W_q.weight.detach().clone())
    v1.W_k = nn.Parameter(v2.W_k.weight.detach().clone())
    v1.W_v = nn.Parameter(v2.W_v.weight.detach().clone())

# %% wrong: not transposed when it fits | copied_untransposed
def copy_weights(v2, v1):
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v"):
            mine, other = getattr(v1, name), getattr(v2, name).weight
            mine.copy_(other if other.shape == mine.shape else other.T)

# %% wrong: reshaped instead of transposed | reshaped_for_transposed
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.reshape(v1.W_q.shape))
        v1.W_k.copy_(v2.W_k.weight.reshape(v1.W_k.shape))
        v1.W_v.copy_(v2.W_v.weight.reshape(v1.W_v.shape))

# %% wrong: view of data in the other shape | reshaped_for_transposed
def copy_weights(v2, v1):
    v1.W_q.data = v2.W_q.weight.data.clone().view(v1.W_q.shape)
    v1.W_k.data = v2.W_k.weight.data.clone().view(v1.W_k.shape)
    v1.W_v.data = v2.W_v.weight.data.clone().view(v1.W_v.shape)

# %% wrong: the other direction | nothing_arrived, copied_the_other_way
def copy_weights(v2, v1):
    with torch.no_grad():
        v2.W_q.weight.copy_(v1.W_q.T)
        v2.W_k.weight.copy_(v1.W_k.T)
        v2.W_v.weight.copy_(v1.W_v.T)

# %% wrong: the other direction, through data | nothing_arrived, copied_the_other_way
def copy_weights(v2, v1):
    v2.W_q.weight.data = v1.W_q.data.T.clone()
    v2.W_k.weight.data = v1.W_k.data.T.clone()
    v2.W_v.weight.data = v1.W_v.data.T.clone()

# %% wrong: in place without no_grad | leaf_changed_in_place
def copy_weights(v2, v1):
    v1.W_q.copy_(v2.W_q.weight.T)
    v1.W_k.copy_(v2.W_k.weight.T)
    v1.W_v.copy_(v2.W_v.weight.T)

# %% wrong: a tensor assigned to a parameter | tensor_for_parameter
def copy_weights(v2, v1):
    v1.W_q = v2.W_q.weight.T
    v1.W_k = v2.W_k.weight.T
    v1.W_v = v2.W_v.weight.T

# %% wrong: the names bound anew | nothing_arrived
def copy_weights(v2, v1):
    W_q, W_k, W_v = v1.W_q, v1.W_k, v1.W_v
    W_q = v2.W_q.weight.T.clone()
    W_k = v2.W_k.weight.T.clone()
    W_v = v2.W_v.weight.T.clone()

# %% wrong: v1 bound anew | nothing_arrived
def copy_weights(v2, v1):
    new = SelfAttentionV1(v2.W_q.in_features, v2.W_q.out_features)
    with torch.no_grad():
        new.W_q.copy_(v2.W_q.weight.T)
        new.W_k.copy_(v2.W_k.weight.T)
        new.W_v.copy_(v2.W_v.weight.T)
    v1 = new
    return v1

# %% wrong: into a clone of the parameter | nothing_arrived
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.clone().copy_(v2.W_q.weight.T)
        v1.W_k.clone().copy_(v2.W_k.weight.T)
        v1.W_v.clone().copy_(v2.W_v.weight.T)

# %% wrong: only queries and keys | nothing_arrived
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v1.W_k.copy_(v2.W_k.weight.T)

# %% wrong: W_q for the keys too | another_matrix_copied
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v1.W_k.copy_(v2.W_q.weight.T)
        v1.W_v.copy_(v2.W_v.weight.T)

# %% wrong: queries and keys swapped | another_matrix_copied
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_k.weight.T)
        v1.W_k.copy_(v2.W_q.weight.T)
        v1.W_v.copy_(v2.W_v.weight.T)

# %% wrong: queries and keys with the sign turned
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(-v2.W_q.weight.T)
        v1.W_k.copy_(-v2.W_k.weight.T)
        v1.W_v.copy_(v2.W_v.weight.T)

# %% wrong: parameters that no longer train | frozen
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(v2.W_q.weight.detach().T.clone(), requires_grad=False)
    v1.W_k = nn.Parameter(v2.W_k.weight.detach().T.clone(), requires_grad=False)
    v1.W_v = nn.Parameter(v2.W_v.weight.detach().T.clone(), requires_grad=False)

# %% wrong: V1 frozen while copying, and after | copied_with_the_graph
def copy_weights(v2, v1):
    v1.requires_grad_(False)
    v1.W_q.copy_(v2.W_q.weight.T)
    v1.W_k.copy_(v2.W_k.weight.T)
    v1.W_v.copy_(v2.W_v.weight.T)

# %% wrong: V1 frozen, the values thawed | copied_with_the_graph
def copy_weights(v2, v1):
    v1.requires_grad_(False)
    v1.W_q.copy_(v2.W_q.weight.T)
    v1.W_k.copy_(v2.W_k.weight.T)
    v1.W_v.copy_(v2.W_v.weight.T)
    v1.W_v.requires_grad_(True)

# %% wrong: V2 frozen | frozen
def copy_weights(v2, v1):
    v2.requires_grad_(False)
    v1.W_q.data.copy_(v2.W_q.weight.T)
    v1.W_k.data.copy_(v2.W_k.weight.T)
    v1.W_v.data.copy_(v2.W_v.weight.T)

# %% wrong: plain tensors instead of parameters | matrices_not_registered
def copy_weights(v2, v1):
    del v1.W_q
    v1.W_q = v2.W_q.weight.detach().T.clone()
    del v1.W_k
    v1.W_k = v2.W_k.weight.detach().T.clone()
    del v1.W_v
    v1.W_v = v2.W_v.weight.detach().T.clone()

# %% wrong: buffers instead of parameters | matrices_not_registered
def copy_weights(v2, v1):
    del v1.W_q
    v1.register_buffer("W_q", v2.W_q.weight.detach().T.clone())
    del v1.W_k
    v1.register_buffer("W_k", v2.W_k.weight.detach().T.clone())
    del v1.W_v
    v1.register_buffer("W_v", v2.W_v.weight.detach().T.clone())

# %% wrong: layers instead of parameters | layers_instead_of_parameters
def copy_weights(v2, v1):
    import copy
    del v1.W_q
    v1.W_q = copy.deepcopy(v2.W_q)
    del v1.W_k
    v1.W_k = copy.deepcopy(v2.W_k)
    del v1.W_v
    v1.W_v = copy.deepcopy(v2.W_v)

# %% wrong: V2 transposed in place | original_transposed
def copy_weights(v2, v1):
    with torch.no_grad():
        v2.W_q.weight.t_()
        v1.W_q.copy_(v2.W_q.weight)
        v2.W_k.weight.t_()
        v1.W_k.copy_(v2.W_k.weight)
        v2.W_v.weight.t_()
        v1.W_v.copy_(v2.W_v.weight)

# %% wrong: V2 transposed through data | original_transposed
def copy_weights(v2, v1):
    v2.W_q.weight.data = v2.W_q.weight.data.T
    v1.W_q.data = v2.W_q.weight.data.clone()
    v2.W_k.weight.data = v2.W_k.weight.data.T
    v1.W_k.data = v2.W_k.weight.data.clone()
    v2.W_v.weight.data = v2.W_v.weight.data.T
    v1.W_v.data = v2.W_v.weight.data.clone()

# %% wrong: V2 emptied | original_changed
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v2.W_q.weight.zero_()
        v1.W_k.copy_(v2.W_k.weight.T)
        v2.W_k.weight.zero_()
        v1.W_v.copy_(v2.W_v.weight.T)
        v2.W_v.weight.zero_()

# %% wrong: through half precision | through_half_precision
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T.half())
        v1.W_k.copy_(v2.W_k.weight.T.half())
        v1.W_v.copy_(v2.W_v.weight.T.half())

# %% wrong: through float32 | always_float32
def copy_weights(v2, v1):
    v1.W_q = nn.Parameter(v2.W_q.weight.detach().float().T.clone())
    v1.W_k = nn.Parameter(v2.W_k.weight.detach().float().T.clone())
    v1.W_v = nn.Parameter(v2.W_v.weight.detach().float().T.clone())

# %% wrong: float32 on the way | float32_inside
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.float().T)
        v1.W_k.copy_(v2.W_k.weight.float().T)
        v1.W_v.copy_(v2.W_v.weight.float().T)

# %% wrong: rounded on the way | rounded
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.copy_((v2.W_q.weight.T * 1e4).round() / 1e4)
        v1.W_k.copy_((v2.W_k.weight.T * 1e4).round() / 1e4)
        v1.W_v.copy_((v2.W_v.weight.T * 1e4).round() / 1e4)

# %% wrong: added instead of copied | added_to_the_old
def copy_weights(v2, v1):
    with torch.no_grad():
        v1.W_q.add_(v2.W_q.weight.T)
        v1.W_k.add_(v2.W_k.weight.T)
        v1.W_v.add_(v2.W_v.weight.T)

# %% wrong: forward borrowed | nothing_arrived
def copy_weights(v2, v1):
    v1.forward = v2.forward

# %% wrong: the state dict with its own names | state_dict_of_other_names
def copy_weights(v2, v1):
    v1.load_state_dict(v2.state_dict())

# %% wrong: the state dict, not strictly | nothing_arrived
def copy_weights(v2, v1):
    v1.load_state_dict(v2.state_dict(), strict=False)

# %% wrong: only the first time | nothing_arrived
def copy_weights(v2, v1):
    if not hasattr(v1, 'copied'):
        with torch.no_grad():
            v1.W_q.copy_(v2.W_q.weight.T)
            v1.W_k.copy_(v2.W_k.weight.T)
            v1.W_v.copy_(v2.W_v.weight.T)
        v1.copied = True

# %% wrong: does nothing | nothing_arrived
def copy_weights(v2, v1):
    pass

# %% wrong: a new pair of random weights
def copy_weights(v2, v1):
    with torch.no_grad():
        for one in v1.parameters():
            one.copy_(torch.rand(one.shape))

# %% wrong: the same matrix for all three | one_matrix_under_several_names
def copy_weights(v2, v1):
    W = nn.Parameter(v2.W_q.weight.detach().T.clone())
    v1.W_q = v1.W_k = v1.W_v = W

# %% wrong: sets the seed | reseeded
def copy_weights(v2, v1):
    torch.manual_seed(0)
    with torch.no_grad():
        v1.W_q.copy_(v2.W_q.weight.T)
        v1.W_k.copy_(v2.W_k.weight.T)
        v1.W_v.copy_(v2.W_v.weight.T)
