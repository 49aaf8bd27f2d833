"""Measure a learner's functions and modules where they live, and hand back plain data for `check` to judge.

Random state: no function here leaves torch's global random state other than it found it.
"""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode


@contextlib.contextmanager
def _random_state_kept() -> Iterator[None]:
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)


class _Recorder(TorchDispatchMode):
    """Note the name of every operation that reaches torch's dispatcher, whatever Python called it by."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.add(func.name())
        return func(*args, **(kwargs or {}))


def operations(function: Callable[..., Any], *inputs: Any) -> list[str]:
    """Return the sorted names of torch's operations that run while `function(*inputs)` does."""
    with _Recorder() as recorder:
        function(*inputs)
    return sorted(recorder.seen)


def gradients(function: Callable[..., Any], *inputs: Tensor) -> list[Tensor | None]:
    """Return the gradient by each input of a fixed weighted sum of all outputs; None where none comes through."""
    leaves = [one.detach().clone().requires_grad_() for one in inputs]
    return _gradients_of(function(*leaves), leaves)


def parameter_gradients(module: nn.Module, inputs: Tensor) -> dict[str, Tensor | None]:
    """Return, by parameter name, the gradient of a fixed weighted sum of the module's output."""
    named = dict(module.named_parameters())
    return dict(zip(named, _gradients_of(module(inputs), list(named.values())), strict=True))


def _gradients_of(outputs: Any, leaves: list[Any]) -> list[Tensor | None]:
    outputs = outputs if isinstance(outputs, tuple | list) else (outputs,)
    total: Any = 0.0
    for number, output in enumerate(outputs):
        source = torch.Generator().manual_seed(number)
        weights = torch.randn(output.shape, generator=source, dtype=torch.float64).to(output.dtype)
        total = total + (output * weights).sum()
    if not total.requires_grad:
        return [None] * len(leaves)
    return list(torch.autograd.grad(total, leaves, allow_unused=True))


def changed_inputs(function: Callable[..., Any], *inputs: Tensor) -> list[int]:
    """Return the numbers (from 1) of the inputs that are not the same after the call as before."""
    given = [one.clone() for one in inputs]
    function(*given)
    return [
        number
        for number, (before, after) in enumerate(zip(inputs, given, strict=True), start=1)
        if not torch.equal(before, after)
    ]


def parameters(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """Return the shape of every registered parameter, by name."""
    return {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}


def trainable(module: nn.Module) -> list[str]:
    """Return the names of the parameters that training would change."""
    return [name for name, parameter in module.named_parameters() if parameter.requires_grad]


def is_module(thing: Any) -> bool:
    """Tell whether this is an nn.Module whose constructor has called `super().__init__()`."""
    return isinstance(thing, nn.Module) and hasattr(thing, "_parameters")


def layer(module: nn.Module, name: str) -> dict[str, Any]:
    """Return what the layer `name` is: its `kind`, and for an nn.Linear the sizes and whether it has a bias."""
    found = getattr(module, name, None)
    if not isinstance(found, nn.Linear):
        return {"kind": type(found).__name__}
    return {
        "kind": "Linear",
        "in_features": found.in_features,
        "out_features": found.out_features,
        "bias": found.bias is not None,
    }


def read(module: nn.Module, name: str) -> Tensor:
    """Return a copy of the parameter `name` ("W_q", "W_q.weight") as a plain tensor."""
    return dict(module.named_parameters())[name].detach().clone()


def load(module: nn.Module, values: dict[str, Tensor]) -> None:
    """Copy `values` into the parameters of those names; the module keeps its own Parameter objects."""
    named = dict(module.named_parameters())
    with torch.no_grad():
        for name, value in values.items():
            named[name].copy_(value)


def double(module: nn.Module) -> nn.Module:
    """Return the module with its parameters and buffers in float64."""
    return module.double()


def reseeds(action: Callable[[], Any]) -> bool:
    """Tell whether `action` sets the global random state: after it, two different seeds give the same numbers."""
    drawn = []
    with _random_state_kept():
        for seed in (1, 2):
            torch.manual_seed(seed)
            action()
            drawn.append(torch.rand(4))
    return torch.equal(*drawn)
