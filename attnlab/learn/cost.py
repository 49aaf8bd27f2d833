"""What a call costs: seconds, and the memory of the tensors that live while it runs."""

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode


def seconds(function: Callable[..., Any], *inputs: Tensor, runs: int = 3) -> float:
    """Return how many seconds the fastest of `runs` calls takes, after one call that is not counted."""
    times = []
    with torch.no_grad():
        function(*inputs)
        for _ in range(runs):
            begin = time.perf_counter()
            function(*inputs)
            times.append(time.perf_counter() - begin)
    return min(times)


def megabytes(function: Callable[..., Any], *inputs: Tensor) -> float:
    """Return how many MB (10⁶ bytes) of tensors that a call makes are alive at once, at the most.

    Counts what torch's operations return; what one operation uses inside itself is not seen.
    """
    with torch.no_grad(), _Living() as living:
        function(*inputs)
    return living.most / 1e6


class _Living(TorchDispatchMode):
    """Keep count of the bytes of all tensors made while it is on and not yet given back."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 0
        self._sizes: dict[int, tuple[StorageWeakRef, int]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = {one.untyped_storage()._cdata for one in args if isinstance(one, Tensor)}
        result = func(*args, **(kwargs or {}))
        self._sizes = {key: pair for key, pair in self._sizes.items() if not pair[0].expired()}
        for one in result if isinstance(result, tuple | list) else (result,):
            if isinstance(one, Tensor) and one.untyped_storage()._cdata not in given:
                storage = one.untyped_storage()
                self._sizes[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())
        self.most = max(self.most, sum(size for _, size in self._sizes.values()))
        return result
