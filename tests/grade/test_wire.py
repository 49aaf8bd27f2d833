"""What goes between a grade cell and a learner's objects: plain data, whole, or nothing at all."""

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from attnlab.inside.wire import Handle, Unreadable, pack, unpack


def there_and_back(value: Any) -> Any:
    kept: list[Any] = []

    def keep(one: Any) -> Handle:
        kept.append(one)
        return Handle(len(kept) - 1, type(one).__name__)

    return unpack(json.loads(json.dumps(pack(value, keep))), lambda handle: kept[handle.number])


@pytest.mark.parametrize(
    "value",
    [None, True, 3, -1.5, "词元", [1, [2.0, "x"]], (1, (2,)), {"a": [1], 2: None}, torch.Size([2, 3]), torch.float64],
    ids=str,
)
def test_plain_data_comes_back_as_it_was(value: Any) -> None:
    back = there_and_back(value)
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        torch.randn(2, 3, generator=torch.Generator().manual_seed(0)),
        torch.randn(2, 0, 3),
        torch.tensor(1.5, dtype=torch.float64),
        torch.tensor([float("nan"), float("inf"), -0.0]),
        torch.arange(12).reshape(3, 4).T,
        torch.ones(3, 1).expand(3, 4),
        torch.tensor([True, False]),
        torch.randn(3, dtype=torch.bfloat16),
        torch.randn(2, dtype=torch.complex64).conj(),
    ],
    ids=lambda one: f"{one.dtype}{tuple(one.shape)}",
)
def test_a_tensor_keeps_every_bit(value: torch.Tensor) -> None:
    back = there_and_back(value)
    assert back.dtype is value.dtype
    assert back.shape == value.shape
    assert torch.equal(
        back.reshape(-1).view(torch.uint8), value.resolve_conj().contiguous().reshape(-1).view(torch.uint8)
    )


def test_what_a_check_tells_apart_stays_apart() -> None:
    assert type(there_and_back(nn.Parameter(torch.ones(2)))) is nn.Parameter
    assert type(there_and_back(np.ones((2, 2)))) is np.ndarray
    assert type(there_and_back(np.float64(0.5))) is np.float64
    assert there_and_back(defaultdict(list, {"a": [1]})) == {"a": [1]}


def test_what_is_no_plain_data_stays_where_it_is() -> None:
    class Odd(torch.Tensor):
        pass

    for value in (object(), nn.Linear(2, 2), torch.ones(2).as_subclass(Odd), torch.ones(2, device="meta")):
        assert there_and_back(value) is value


def test_what_is_too_deep_or_too_large_is_refused_by_the_side_that_sends() -> None:
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    for value in (deep, [0] * 300_000, torch.zeros(20_000_000)):
        with pytest.raises(Unreadable):
            there_and_back(value)


TENSOR = {"tensor": "AACAPw==", "dtype": "float32", "shape": [1], "parameter": False}


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"list": 3, "kind": "list"},
        {"list": [], "kind": "set"},
        {"dict": [[1]]},
        {"dict": [[{"list": [], "kind": "list"}, 1]]},
        {"dtype": "object"},
        {"dtype": []},
        {"number": "1", "dtype": "float64"},
        {"handle": "0", "kind": "A"},
        {"handle": 0, "kind": "not a name"},
        TENSOR | {"shape": [2]},
        TENSOR | {"shape": [-1]},
        TENSOR | {"shape": [True]},
        TENSOR | {"shape": [10**6, 10**6, 10**6]},
        TENSOR | {"shape": [1] * 30},
        TENSOR | {"shape": 1},
        TENSOR | {"dtype": "float33"},
        TENSOR | {"tensor": "%%%%"},
        TENSOR | {"tensor": 5},
    ],
    ids=str,
)
def test_forged_data_is_unreadable_and_nothing_worse(data: Any) -> None:
    with pytest.raises(Unreadable):
        unpack(data, lambda handle: handle)


def test_a_forged_bool_is_true_or_false() -> None:
    forged = {"tensor": "AgA=", "dtype": "bool", "shape": [2], "parameter": False}
    assert unpack(forged, lambda handle: handle).tolist() == [True, False]
