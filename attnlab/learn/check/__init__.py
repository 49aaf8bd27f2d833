"""Check a learner's results, and say in their language what should hold and what came out.

    with check.holds("softmax", "rows"):
        weights = softmax(check.numbers(2, 3, seed=1))
        check.equal(weights.sum(-1), torch.ones(2))

Results are judged as plain data: types are looked at first, values are read out with functions bound when this
module was imported, so that an object which only claims to be equal is not. Code that has to run beside the
learner's own objects (gradients, parameters, random state) lives in `attnlab.learn.probe`.
"""

from attnlab.learn.check.claims import fail, holds, that
from attnlab.learn.check.inputs import causal_weights, numbers, whole_numbers
from attnlab.learn.check.modules import (
    accepted,
    dropped_weights,
    fits,
    linear,
    mask,
    mask_among,
    moves,
    no_other_parameters,
    parameter_gradients,
    parameters,
    refused,
)
from attnlab.learn.check.plain import (
    columns,
    entries,
    floats,
    form,
    json_object,
    near,
    positions,
    same_numbers,
    shapes,
    spread,
    table,
)
from attnlab.learn.check.tensors import (
    equal,
    from_scratch,
    gradients,
    pair,
    rows_sum_to_one,
    same_twice,
    tensor,
    unchanged,
    zero_where,
)

__all__ = [
    "accepted",
    "causal_weights",
    "columns",
    "dropped_weights",
    "entries",
    "equal",
    "fail",
    "fits",
    "floats",
    "form",
    "from_scratch",
    "gradients",
    "holds",
    "json_object",
    "linear",
    "mask",
    "mask_among",
    "moves",
    "near",
    "no_other_parameters",
    "numbers",
    "pair",
    "parameter_gradients",
    "parameters",
    "positions",
    "refused",
    "rows_sum_to_one",
    "same_numbers",
    "same_twice",
    "shapes",
    "spread",
    "table",
    "tensor",
    "that",
    "unchanged",
    "whole_numbers",
    "zero_where",
]
