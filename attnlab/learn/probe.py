"""Measure a learner's functions and modules where they live, and hand back plain data for `check` to judge.

Random state: no function here leaves torch's global random state other than it found it.
"""

import contextlib
import copy
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

# Bound before any cell of a learner's has run; as the class has them, not as a module may say for itself.
_dumps = json.dumps
_named_parameters, _named_buffers = nn.Module.named_parameters, nn.Module.named_buffers


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


def gradients(function: Callable[..., Any], *inputs: Any) -> list[Tensor | None]:
    """Return the gradient by each tensor given of a fixed weighted sum of all outputs; None where none comes through.

    Inputs that have no gradient (a mask, a number of heads) are handed on as they are.
    """
    leaves = [isinstance(one, Tensor) and one.is_floating_point() for one in inputs]
    given = [one.detach().clone().requires_grad_() if leaf else one for one, leaf in zip(inputs, leaves, strict=True)]
    return _gradients_of(function(*given), [one for one, leaf in zip(given, leaves, strict=True) if leaf])


def parameter_gradients(module: nn.Module, inputs: Tensor) -> dict[str, Tensor | None]:
    """Return, by parameter name, the gradient of a fixed weighted sum of the module's output."""
    named = dict(_named_parameters(module))
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


def changed_inputs(function: Callable[..., Any], *inputs: Any) -> list[int]:
    """Return the numbers (from 1) of the inputs (tensors or plain data) that are not after the call what they were."""
    given = [one.clone() if isinstance(one, Tensor) else copy.deepcopy(one) for one in inputs]
    function(*given)
    return [
        number
        for number, (before, after) in enumerate(zip(inputs, given, strict=True), start=1)
        if not (_same(before, after) if isinstance(before, Tensor) else before == after)
    ]


def _same(one: Tensor, other: Tensor) -> bool:
    """Tell whether two tensors are the same; one that has been given another class in the meantime is not."""
    return type(one) is type(other) and torch.equal(one, other)


def as_json(function: Callable[..., Any], *inputs: Any) -> dict[str, str]:
    """Return what `json.dumps` makes of `function(*inputs)`: its `json` text, or why it was `refused`, and its `kind`.

    `kind` is the name of the result's type; of `json` and `refused`, one is empty.
    """
    result = function(*inputs)
    try:
        written, refused = _dumps(result), ""
    except (TypeError, ValueError) as problem:
        written, refused = "", str(problem)
    return {"kind": type(result).__name__, "json": written, "refused": refused}


def parameters(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """Return the shape of every registered parameter, by name."""
    return {name: tuple(parameter.shape) for name, parameter in _named_parameters(module)}


def trainable(module: nn.Module) -> list[str]:
    """Return the names of the parameters that training would change."""
    return [name for name, parameter in _named_parameters(module) if parameter.requires_grad]


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
    return dict(_named_parameters(module))[name].detach().clone()


def load(module: nn.Module, values: dict[str, Tensor]) -> None:
    """Copy `values` into the parameters of those names; the module keeps its own Parameter objects."""
    named = dict(_named_parameters(module))
    with torch.no_grad():
        for name, value in values.items():
            named[name].copy_(value)


def fill(module: nn.Module, seed: int, names: Sequence[str] | None = None) -> None:
    """Overwrite every parameter with normal random numbers, those included that nobody asked for.

    With `names`, only the parameters so named, where there are any.
    """
    source = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in _named_parameters(module):
            if names is not None and name not in names:
                continue
            parameter.copy_(torch.randn(parameter.shape, generator=source, dtype=torch.float64))


def double(module: nn.Module) -> nn.Module:
    """Return the module with its parameters and buffers in float64."""
    return module.double()


def reseeds(action: Callable[..., Any], *inputs: Any) -> bool:
    """Tell whether `action(*inputs)` sets the global random state: two seeds give the same numbers after it."""
    drawn = []
    with _random_state_kept():
        for seed in (1, 2):
            torch.manual_seed(seed)
            action(*inputs)
            drawn.append(torch.rand(4))
    return torch.equal(*drawn)


def run(module: nn.Module, *inputs: Any, training: bool = False, seed: int = 0) -> Any:
    """Return `module(*inputs)`, called in training or evaluation mode with the global random state at `seed`.

    The module's mode and the random state are put back afterwards.
    """
    was_training = module.training
    with _random_state_kept():
        torch.manual_seed(seed)
        module.train(training)
        try:
            return module(*inputs)
        finally:
            module.train(was_training)


def samples(module: nn.Module, inputs: Tensor, *, count: int, seed: int = 0) -> Tensor:
    """Return the outputs of `count` calls in training mode, stacked: (count, *output shape).

    The random state is set once, before the first call; no gradients are kept.
    """
    was_training = module.training
    with _random_state_kept(), torch.no_grad():
        torch.manual_seed(seed)
        module.train()
        try:
            return torch.stack([module(inputs.clone()) for _ in range(count)])
        finally:
            module.train(was_training)


def refuses(action: Callable[..., Any], *inputs: Any) -> bool:
    """Tell whether `action(*inputs)` raises an exception, whichever it is."""
    try:
        action(*inputs)
    except Exception:
        return True
    return False


def buffers(module: nn.Module) -> dict[str, Tensor]:
    """Return a copy of every registered buffer, persistent or not, by name."""
    return {name: buffer.detach().clone() for name, buffer in _named_buffers(module)}


def changed_state(module: nn.Module, *inputs: Any) -> list[str]:
    """Return the names of the parameters and buffers that a call changes, adds or removes."""
    before = _state(module)
    with _random_state_kept():
        module(*inputs)
    after = _state(module)
    return sorted(
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or not _same(before[name], after[name])
    )


def _state(module: nn.Module) -> dict[str, Tensor]:
    named = [*_named_parameters(module), *_named_buffers(module)]
    return {name: tensor.detach().clone() for name, tensor in named}


def left_behind(module: nn.Module) -> list[str]:
    """Return the names of the attributes whose tensors stay where they are when the module moves to a device.

    Works on a copy, moved to the meta device. Looks into lists, tuples and dicts. Tensors without axes count
    as numbers, which torch lets meet any device. Ask a module that has not been called yet: what a call keeps
    to be looked at later is no mistake.
    """
    moved = copy.deepcopy(module).to("meta")
    return [
        f"{prefix}.{name}" if prefix else name
        for prefix, part in moved.named_modules()
        for name, value in vars(part).items()
        if name not in ("_parameters", "_buffers", "_modules")
        and any(one.dim() and one.device.type != "meta" for one in _tensors_in(value))
    ]


def _tensors_in(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [tensor for one in value for tensor in _tensors_in(one)]
    return []


def device_clash(module: nn.Module, inputs: Tensor) -> bool:
    """Tell whether a call makes tensors that stay on the CPU when module and inputs are on another device.

    Works on a copy, moved to the meta device; whatever else that device cannot do is no clash.
    """
    moved = copy.deepcopy(module)
    with _random_state_kept():
        # Cheap, and enough for most: no tensor is made without a device of its own, or the result would show it.
        with contextlib.suppress(Exception), torch.device("meta"):
            if moved(inputs.clone()).device.type != "meta":
                return False
        try:
            moved.to("meta")(inputs.to("meta"))
        except Exception as problem:
            return "device" in str(problem) and "expected" in str(problem).lower()
    return False


def error_of(action: Callable[..., Any], *inputs: Any) -> str | None:
    """Return the name of the exception that `action(*inputs)` raises, or None.

    A subclass of AssertionError or ValueError counts as what it is a kind of. The NotImplementedError of an
    unwritten exercise is no answer and goes through.
    """
    try:
        action(*inputs)
    except NotImplementedError:
        raise
    except Exception as problem:
        kinds = (kind.__name__ for kind in (AssertionError, ValueError) if isinstance(problem, kind))
        return next(kinds, type(problem).__name__)
    return None


def on_strided(function: Callable[..., Any], x: Tensor, first: int, second: int, *others: Any) -> Any:
    """Return `function(x, *others)` for an x that lies in memory with two axes swapped: not contiguous."""
    return function(x.transpose(first, second).contiguous().transpose(first, second), *others)
