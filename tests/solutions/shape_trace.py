# %% right: written down
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 2, 4), (2, 4, 8), (2, 4, 8)]

# %% right: from letters
b, n, d, h = 2, 4, 8, 2
whole, apart, heads = (b, n, d), (b, n, h, d // h), (b, h, n, d // h)
shape_trace = [whole, whole, apart, heads, heads, apart, whole, whole]

# %% right: measured on the way
x = torch.zeros(2, 4, 8)
steps = [x, nn.Linear(8, 8)(x)]
steps.append(steps[-1].view(2, 4, 2, 4))
steps.append(steps[-1].transpose(1, 2))
steps.append(torch.ones(2, 2, 4, 4) @ steps[-1])
steps.append(steps[-1].transpose(1, 2))
steps.append(steps[-1].reshape(2, 4, 8))
steps.append(nn.Linear(8, 8)(steps[-1]))
shape_trace = [step.shape for step in steps]

# %% right: measured, as tuples
x = torch.zeros(2, 4, 8)
heads = x.reshape(2, 4, 2, 4)
shape_trace = [tuple(one.shape) for one in (x, x, heads, heads.transpose(1, 2))]
shape_trace += shape_trace[::-1]

# %% wrong: no transpose | trace_without_transpose
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 4), (2, 4, 2, 4), (2, 4, 2, 4), (2, 4, 2, 4), (2, 4, 8), (2, 4, 8)]

# %% wrong: heads at once | trace_heads_at_once
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 2, 4, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 8), (2, 4, 8)]

# %% wrong: heads behind the features | trace_features_before_heads
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 4, 2), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 4, 2), (2, 4, 8), (2, 4, 8)]

# %% wrong: reshape and transpose in the other order on the way out | trace_way_out_swapped
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 8), (2, 4, 2, 4), (2, 4, 8)]

# %% wrong: sizes of one head in the projection | trace_projection_of_one_head
shape_trace = [(2, 4, 8), (2, 4, 4), (2, 4, 2, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 2, 4), (2, 4, 8), (2, 4, 8)]

# %% wrong: one step missing | trace_too_short
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 4), (2, 2, 4, 4), (2, 4, 2, 4), (2, 4, 8), (2, 4, 8)]

# %% wrong: head_dim 8 | trace_head_dim_whole
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 8), (2, 2, 4, 8), (2, 2, 4, 8), (2, 4, 2, 8), (2, 4, 16), (2, 4, 8)]

# %% wrong: merged over the tokens | trace_merged_over_tokens
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 2, 4), (2, 8, 4), (2, 4, 8)]

# %% wrong: batch and sequence swapped | trace_batch_and_tokens_swapped
shape_trace = [(4, 2, 8), (4, 2, 8), (4, 2, 2, 4), (4, 2, 2, 4), (4, 2, 2, 4), (4, 2, 2, 4), (4, 2, 8), (4, 2, 8)]

# %% wrong: lists | trace_lists
shape_trace = [[2, 4, 8], [2, 4, 8], [2, 4, 2, 4], [2, 2, 4, 4], [2, 2, 4, 4], [2, 4, 2, 4], [2, 4, 8], [2, 4, 8]]

# %% wrong: texts | trace_texts
shape_trace = ["(2, 4, 8)", "(2, 4, 8)", "(2, 4, 2, 4)", "(2, 2, 4, 4)", "(2, 2, 4, 4)", "(2, 4, 2, 4)", "(2, 4, 8)", "(2, 4, 8)"]

# %% wrong: floats from a division | trace_floats
e = 8 / 2
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, e), (2, 2, 4, e), (2, 2, 4, e), (2, 4, 2, e), (2, 4, 8), (2, 4, 8)]

# %% wrong: counted by one | trace_one_shape
shape_trace = (2, 4, 8)

# %% wrong: every step the input | trace_all_the_same
shape_trace = [(2, 4, 8)] * 8

# %% wrong: the weights flattened in out_proj | trace_weight_shape
shape_trace = [(2, 4, 8), (2, 4, 8), (2, 4, 2, 4), (2, 2, 4, 4), (2, 2, 4, 4), (2, 4, 2, 4), (2, 4, 8), (8, 8)]
