"""A second implementation of the Llama architecture, from a GGUF file's own tensors, and a tiny such file."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor


class Llama:
    """Ids → (maps (layers, heads, n, n), next token's probabilities), computed without transformers."""

    def __init__(self, path: Path) -> None:
        from gguf import GGUFReader, dequantize

        reader = GGUFReader(path)
        self.w = {t.name: torch.tensor(np.array(dequantize(t.data, t.tensor_type))) for t in reader.tensors}
        one = {
            name.removeprefix("llama."): field.contents() for name, field in reader.fields.items() if "llama." in name
        }
        self.layers, self.heads = one["block_count"], one["attention.head_count"]
        self.groups = self.heads // one["attention.head_count_kv"]
        self.eps, self.base = one["attention.layer_norm_rms_epsilon"], one["rope.freq_base"]

    def __call__(self, ids, removed=()) -> tuple[Tensor, Tensor]:
        x, n = self.w["token_embd.weight"][list(ids)], len(ids)
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
        hidden[:, list(removed)] = True
        hidden.fill_diagonal_(False)
        maps = []
        for number in range(self.layers):
            w = {name.split(".", 2)[2]: value for name, value in self.w.items() if name.startswith(f"blk.{number}.")}
            y = self._norm(x, w["attn_norm.weight"])
            q, k, v = (
                (y @ w[f"attn_{one}.weight"].T).unflatten(-1, (-1, self._dim(w))).transpose(0, 1) for one in "qkv"
            )
            q, k = self._turned(q), self._turned(k).repeat_interleave(self.groups, 0)
            scores = torch.einsum("hqe,hke->hqk", q, k) / self._dim(w) ** 0.5
            maps.append(torch.exp(scores.masked_fill(hidden, -torch.inf) - scores.amax(-1, keepdim=True)))
            maps[-1] = maps[-1] / maps[-1].sum(-1, keepdim=True)
            context = maps[-1] @ v.repeat_interleave(self.groups, 0)
            x = x + context.transpose(0, 1).flatten(1) @ w["attn_output.weight"].T
            y = self._norm(x, w["ffn_norm.weight"])
            gate = y @ w["ffn_gate.weight"].T
            x = x + (gate * gate.sigmoid() * (y @ w["ffn_up.weight"].T)) @ w["ffn_down.weight"].T
        last = self._norm(x, self.w["output_norm.weight"])[-1]
        logits = self.w.get("output.weight", self.w["token_embd.weight"]) @ last
        return torch.stack(maps), torch.exp(logits - logits.logsumexp(0))

    def _dim(self, w) -> int:
        return w["attn_q.weight"].shape[0] // self.heads

    def _norm(self, x: Tensor, weight: Tensor) -> Tensor:
        return x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() * weight

    def _turned(self, x: Tensor) -> Tensor:
        """Rotary positions as the file lays them out: neighbouring numbers are the two parts of one rotated pair."""
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
        speeds = self.base ** (-torch.arange(pairs.shape[-1]) / pairs.shape[-1])
        angles = torch.arange(x.shape[-2])[:, None] * speeds
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def tiny_llama(path: Path, without: int = 0) -> Path:
    """Write a random Llama of 2 layers, 4 heads of 8, 2 key/value heads; the last `without` layers lack attention."""
    from gguf import GGUFWriter
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    d, heads, kv, hidden, layers = 32, 4, 2, 48, 2
    tokens = [*bytes_to_unicode().values(), "<s>", "</s>", "Ġr"]
    source = np.random.default_rng(0)
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(layers)
    writer.add_context_length(128)
    writer.add_embedding_length(d)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(d // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 256 + [3, 3, 1])
    writer.add_token_merges(["Ġ r"])
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(257)

    def tensor(name: str, *shape: int, scale: float = 0.4) -> None:
        writer.add_tensor(name, (source.standard_normal(shape) * scale).astype(np.float32))

    tensor("token_embd.weight", len(tokens), d, scale=1.0)
    tensor("output_norm.weight", d, scale=1.0)
    tensor("output.weight", len(tokens), d)
    for layer in range(layers):
        shapes = {
            "attn_norm": (d,), "attn_q": (d, d), "attn_k": (d * kv // heads, d), "attn_v": (d * kv // heads, d),
            "attn_output": (d, d), "ffn_norm": (d,),
            "ffn_gate": (hidden, d), "ffn_up": (hidden, d), "ffn_down": (d, hidden),
        }  # fmt: skip
        for name, shape in shapes.items():
            if not (name.startswith("attn_q") and layer >= layers - without):
                tensor(f"blk.{layer}.{name}.weight", *shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
