"""Maps and probabilities that were stored from the small model, for where it isn't installed.

One file beside this module, made by `python -m attnlab.teach.maps`: weights in steps of 1/2048, queries, keys and
values in float16.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import torch

from attnlab.learn.messages import text
from attnlab.learn.real_model.files import INSTALL
from attnlab.learn.real_model.seen import Inside, Look
from attnlab.problem import Problem

FILE = "stored.npz"
KEPT = 64
"""So many of the next token's probabilities are kept."""
_STEPS = 2048


class NotStored(Problem):
    """What was asked for is not among what is stored; in a notebook, one line."""

    def _render_traceback_(self) -> list[str]:
        return self.lines


class Stored:
    """Answers for the prompts of the lessons, from the stored file."""

    live = False
    """Whether a model is loaded, which answers for every prompt."""

    def __init__(self) -> None:
        """Take the sizes from the file."""
        described = _content()[0]
        self.name: str = described["name"]
        self.n_layers: int = described["layers"]
        self.n_heads: int = described["heads"]

    def look(self, prompt: str) -> Look:
        """Return the tokens and the maps of a prompt; NotStored where it isn't among the stored ones."""
        return self._found(_content()[1], prompt, prompt)

    def ask(self, prompt: str, removed: Sequence[int] = ()) -> dict[str, float]:
        """Return the next token's probabilities (the largest), where later tokens can see none of `removed`."""
        return dict(self._found(_content()[2], (prompt, tuple(removed)), prompt))

    def inside(self, prompt: str, layer: int) -> Inside:
        """Return what the attention of one layer gets and gives; IndexError for a layer that there isn't."""
        return self._found(_content()[3], (prompt, range(self.n_layers)[layer]), prompt)

    def _found(self, among: Mapping[Any, Any], key: Any, prompt: str) -> Any:
        if key not in among:
            raise NotStored(text("model.not_stored", prompt=prompt[:40], command=INSTALL))
        return among[key]


def pack(
    name: str,
    looks: Sequence[Look],
    asked: Mapping[tuple[str, tuple[int, ...]], Mapping[str, float]],
    insides: Mapping[tuple[str, int], Inside],
) -> dict[str, Any]:
    """Return the arrays of the stored file."""
    described = {
        "name": name,
        "layers": looks[0].weights.shape[0],
        "heads": looks[0].weights.shape[1],
        "looks": [[look.prompt, look.tokens, look.spans] for look in looks],
        "asked": [
            [prompt, removed, {token: round(chance, 5) for token, chance in chances.items()}]
            for (prompt, removed), chances in asked.items()
        ],
        "insides": list(insides),
    }
    arrays = {"described": np.frombuffer(json.dumps(described, ensure_ascii=False).encode(), dtype=np.uint8)}
    for number, look in enumerate(looks):
        below = torch.tril_indices(len(look.tokens), len(look.tokens))
        steps = (look.weights[..., below[0], below[1]] * _STEPS).round()
        arrays[f"look{number}"] = steps.numpy().astype(np.uint16)
    for number, one in enumerate(insides.values()):
        parts = torch.cat([one.queries, one.keys, one.values])
        arrays[f"inside{number}"] = parts.numpy().astype(np.float16)
    return arrays


@cache
def _content() -> tuple[dict[str, Any], dict[Any, Look], dict[Any, dict[str, float]], dict[Any, Inside]]:
    with resources.files(__package__).joinpath(FILE).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        described = json.loads(arrays["described"].tobytes())
        looks = {}
        for number, (prompt, tokens, spans) in enumerate(described["looks"]):
            n = len(tokens)
            below = torch.tril_indices(n, n)
            weights = torch.zeros(described["layers"], described["heads"], n, n)
            weights[..., below[0], below[1]] = torch.from_numpy(arrays[f"look{number}"].astype(np.float32))
            weights = weights / weights.sum(dim=-1, keepdim=True)
            looks[prompt] = Look(prompt, tokens, [(a, b) for a, b in spans], weights)
        asked = {(prompt, tuple(removed)): chances for prompt, removed, chances in described["asked"]}
        insides = {}
        for number, (prompt, layer) in enumerate(described["insides"]):
            parts = torch.from_numpy(arrays[f"inside{number}"].astype(np.float32))
            queries, keys, values = parts.split(1)
            context = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
            insides[prompt, layer] = Inside(queries, keys, values, context)
    return described, looks, asked, insides
