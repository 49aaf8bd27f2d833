"""The model itself, dequantised from its GGUF file into float32 by transformers."""

import contextlib
import functools
import io
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.messages import text
from attnlab.learn.real_model.seen import Inside, Look, read_tokens
from attnlab.learn.real_model.stored import KEPT, Stored
from attnlab.problem import Problem

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Queries, keys, values, each (b, heads, n, head_dim) → the context, likewise."""

_OWN, _OTHER = "eager", "attnlab"


class Live(Stored):
    """A loaded model; it answers for every prompt."""

    live = True

    def __init__(self, path: Path) -> None:
        """Load the file, which takes some ten seconds for 135M parameters; Problem where transformers cannot."""
        self.name = path.name
        try:
            with _quietly():
                self._model, self._tokenizer = _load(path)
        except Exception as error:
            said = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
            raise Problem(text("model.refused", path=path.name, said=said)) from error
        config = self._model.config
        self.n_layers, self.n_heads = config.num_hidden_layers, config.num_attention_heads
        self.looks: dict[str, Look] = {}
        self.asked: dict[tuple[str, tuple[int, ...]], dict[str, float]] = {}
        self.insides: dict[tuple[str, int], Inside] = {}
        self._attention: Attention | None = None
        self._called: list[int] = []

    def look(self, prompt: str) -> Look:
        """Return the tokens and the maps of a prompt."""
        if prompt not in self.looks:
            ids = self._ids(prompt)
            tokens, spans = read_tokens(ids, self._decode)
            maps = self._forward(ids, output_attentions=True).attentions
            self.looks[prompt] = Look(prompt, tokens, spans, torch.cat(list(maps)))
        return self.looks[prompt]

    def ask(self, prompt: str, removed: Sequence[int] = ()) -> dict[str, float]:
        """Return the next token's probabilities, where later tokens can see none of the positions `removed`."""
        key = prompt, tuple(removed)
        if key not in self.asked:
            ids = self._ids(prompt)
            hidden = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1)
            hidden[:, list(removed)] = True
            hidden.fill_diagonal_(False)
            added = torch.zeros(len(ids), len(ids)).masked_fill(hidden, torch.finfo(torch.float32).min)
            self.asked[key] = self._kept(self._forward(ids, attention_mask=added[None, None]).logits[0, -1])
        return self.asked[key]

    def inside(self, prompt: str, layer: int) -> Inside:
        """Return what the attention of one layer gets and gives."""
        key = prompt, range(self.n_layers)[layer]
        if key not in self.insides:
            seen: list[Inside] = []

            def watch(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
                context = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
                seen.append(Inside(queries, keys, values, context))
                return context

            with self._with(watch):
                self._forward(self._ids(prompt))
            self.insides[key] = seen[key[1]]
        return self.insides[key]

    def run(self, prompt: str, attention: Attention | None = None, tokens: int = 16) -> tuple[Tensor, str, int]:
        """Return (probabilities of the whole vocabulary, greedy text, layers that ran `attention`) for a prompt.

        attention: put in place of the model's own in every layer; None leaves its own.
        """
        ids = self._ids(prompt)
        begin, first, layers = len(ids), torch.empty(0), 0
        with self._with(attention) if attention else contextlib.nullcontext():
            for step in range(tokens):
                self._called.clear()
                logits = self._forward(ids).logits[0, -1]
                if step == 0:
                    first, layers = logits.softmax(dim=-1), len(set(self._called))
                ids = [*ids, int(logits.argmax())]
                if ids[-1] == self._tokenizer.eos_token_id:
                    break
        return first, self._decode(ids[begin:]), layers

    @torch.no_grad()
    def _forward(self, ids: Sequence[int], **options: Any) -> Any:
        return self._model(torch.tensor([list(ids)]), use_cache=False, **options)

    @contextlib.contextmanager
    def _with(self, attention: Attention) -> Iterator[None]:
        """Put `attention` into every layer, and afterwards the model's own again."""
        self._attention = attention
        with _quietly():
            _register(_OTHER, self._call)
            self._model.set_attn_implementation(_OTHER)
        try:
            yield
        finally:
            with _quietly():
                self._model.set_attn_implementation(_OWN)
            self._attention = None

    def _call(
        self, module: Any, query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any
    ) -> tuple[Tensor, Tensor | None]:
        """Hand over from transformers: repeat the key and value heads, swap the context's axes."""
        assert self._attention is not None
        self._called.append(module.layer_idx)
        groups = query.shape[1] // key.shape[1]
        keys, values = (one.repeat_interleave(groups, dim=1) for one in (key, value))
        context = self._attention(query, keys, values)
        if not isinstance(context, Tensor) or context.shape != query.shape:
            found = tuple(context.shape) if isinstance(context, Tensor) else type(context).__name__
            raise ValueError(text("model.context_shape", expected=tuple(query.shape), found=found))
        return context.transpose(1, 2).contiguous(), None

    def _ids(self, prompt: str) -> list[int]:
        ids: list[int] = self._tokenizer(prompt).input_ids
        if not ids:
            raise ValueError(text("model.empty"))
        return ids

    def _decode(self, ids: Sequence[int]) -> str:
        decoded: str = self._tokenizer.decode(list(ids), clean_up_tokenization_spaces=False)
        return decoded

    def _kept(self, logits: Tensor) -> dict[str, float]:
        """Return the most probable tokens; parts of a character, which have no text, by their number."""
        found: dict[str, float] = {}
        chances, ids = logits.softmax(dim=-1).topk(min(KEPT, len(logits)))
        for chance, one in zip(chances.tolist(), ids.tolist(), strict=True):
            token = self._decode([one])
            found[f"<{one}>" if "\ufffd" in token or token in found else token] = chance
        return found


def _load(path: Path) -> tuple[Any, Any]:
    # Nothing is asked of any server: the file is here, and whatever a library would like to look up, it does without.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    folder = str(path.parent)
    with _read_once():
        tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=path.name)
        model = AutoModelForCausalLM.from_pretrained(
            folder, gguf_file=path.name, attn_implementation=_OWN, dtype=torch.float32
        )
    return model.eval(), tokenizer


@contextlib.contextmanager
def _read_once() -> Iterator[None]:
    """Let transformers read a GGUF's head, and make its table of names, once: it does so anew at every step."""
    import gguf

    kept = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    try:
        for name, slow in kept.items():
            setattr(gguf, name, functools.cache(slow))
        yield
    finally:
        for name, slow in kept.items():
            setattr(gguf, name, slow)


def _register(name: str, function: Callable[..., Any]) -> None:
    from transformers import AttentionInterface

    AttentionInterface.register(name, function)


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep what libraries print and warn of out of the notebook."""
    with (
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
