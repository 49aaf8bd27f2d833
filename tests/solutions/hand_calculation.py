# %% right: three decimals
hand_weights = [[0.731, 0.269], [0.018, 0.982]]
hand_context = [[0.731, 0.538], [0.018, 1.964]]

# %% right: two decimals
hand_weights = [[0.73, 0.27], [0.02, 0.98]]
hand_context = [[0.731, 0.54], [0.02, 1.96]]

# %% right: computed by the functions above
pq = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
hand_context, hand_weights = (one.tolist() for one in simplified_attention(pq))

# %% wrong: scores instead of weights | scores_for_weights
hand_weights = [[1.0, 0.0], [0.0, 4.0]]
hand_context = [[1.0, 0.0], [0.0, 8.0]]

# %% wrong: columns | softmax_over_queries, mixed_by_columns
hand_weights = [[0.731, 0.018], [0.269, 0.982]]
hand_context = [[0.731, 0.036], [0.269, 1.964]]

# %% wrong: scaled by the root of two | scaled_already
hand_weights = [[0.670, 0.330], [0.056, 0.944]]
hand_context = [[0.670, 0.660], [0.056, 1.888]]

# %% wrong: divided by the sum | sum_instead_of_softmax
hand_weights = [[1.0, 0.0], [0.0, 1.0]]
hand_context = [[1.0, 0.0], [0.0, 2.0]]

# %% wrong: the product of Q with itself taken as 2 | square_forgotten
hand_weights = [[0.731, 0.269], [0.119, 0.881]]
hand_context = [[0.731, 0.538], [0.119, 1.762]]

# %% wrong: rows swapped | rows_swapped
hand_weights = [[0.018, 0.982], [0.731, 0.269]]
hand_context = [[0.018, 1.964], [0.731, 0.538]]

# %% wrong: context by columns of the weights | mixed_by_columns
hand_weights = [[0.731, 0.269], [0.018, 0.982]]
hand_context = [[0.731, 0.036], [0.269, 1.964]]

# %% wrong: rounded to one place | rounded_too_early
hand_weights = [[0.7, 0.3], [0.0, 1.0]]
hand_context = [[0.7, 0.5], [0.0, 2.0]]

# %% wrong: a tensor | tensors_left
hand_weights = torch.tensor([[0.731, 0.269], [0.018, 0.982]])
hand_context = torch.tensor([[0.731, 0.538], [0.018, 1.964]])

# %% wrong: the context forgotten
hand_weights = [[0.731, 0.269], [0.018, 0.982]]

# %% wrong: an object that is equal to everything
class Anything(float):
    def __eq__(self, other): return True
    def __le__(self, other): return True
    def __ge__(self, other): return True
    def __sub__(self, other): return Anything(0.0)
    def __abs__(self): return Anything(0.0)
    __lt__, __gt__, __hash__, __radd__, __add__ = __le__, __ge__, float.__hash__, __sub__, __sub__
hand_weights = [[Anything(), Anything()], [Anything(), Anything()]]
hand_context = [[Anything(), Anything()], [Anything(), Anything()]]
