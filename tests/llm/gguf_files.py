"""Small GGUF files for the tests, written byte by byte as the format has it."""

import struct
from typing import Any

_UINT32, _FLOAT32, _STRING, _ARRAY, _INT32 = 4, 6, 8, 9, 5


def string(words: str) -> bytes:
    """Return a string as the format has it: its length in bytes, then the bytes."""
    return struct.pack("<Q", len(words.encode())) + words.encode()


def value(given: Any) -> bytes:
    """Return a value with its kind before it: an int, a float, a string, or a list of strings or of ints."""
    if isinstance(given, int):
        return struct.pack("<II", _UINT32, given)
    if isinstance(given, float):
        return struct.pack("<If", _FLOAT32, given)
    if isinstance(given, str):
        return struct.pack("<I", _STRING) + string(given)
    of_strings = isinstance(given[0], str)
    head = struct.pack("<IIQ", _ARRAY, _STRING if of_strings else _INT32, len(given))
    return head + b"".join(string(one) if of_strings else struct.pack("<i", one) for one in given)


def file(values: dict[str, bytes], tensors: dict[str, tuple[list[int], int, bytes]], version: int = 3) -> bytes:
    """Return a whole file of `values` as `value` gives them and of `tensors`: name → shape, type, data."""
    alignment = 32
    offset, infos, data = 0, b"", b""
    for name, (shape, kind, content) in tensors.items():
        infos += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
        data += content + bytes(-len(content) % alignment)
        offset = len(data)
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    head += b"".join(string(key) + given for key, given in values.items()) + infos
    return head + bytes(-len(head) % alignment) + data


def babbler() -> bytes:
    """Return a model of the qwen2 kind that llama.cpp loads at once and that answers "ooo" up to its limit.

    Its one layer adds nothing, all its tokens have the same embedding, and of the 259 only "o" gets a score.
    """
    width, heads, inner = 32, 2, 64
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    shown = {byte: chr(byte) for byte in printable}
    for number, byte in enumerate(byte for byte in range(256) if byte not in shown):
        shown[byte] = chr(256 + number)
    tokens = [shown[byte] for byte in range(256)] + ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    values = {
        "general.architecture": "qwen2",
        "general.name": "babbler",
        "qwen2.block_count": 1,
        "qwen2.context_length": 8192,
        "qwen2.embedding_length": width,
        "qwen2.feed_forward_length": inner,
        "qwen2.attention.head_count": heads,
        "qwen2.attention.head_count_kv": 1,
        "qwen2.attention.layer_norm_rms_epsilon": 1e-6,
        "qwen2.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [1] * 256 + [3] * 3,
        "tokenizer.ggml.merges": ["a b"],
        "tokenizer.ggml.eos_token_id": 258,
    }

    def filled(number: float, *shape: int) -> tuple[list[int], int, bytes]:
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        return list(shape), 0, struct.pack("<f", number) * count

    rows = b"".join(struct.pack("<f", 3.0 if token == "o" else -3.0) * width for token in tokens)
    tensors = {
        "token_embd.weight": filled(1.0, width, len(tokens)),
        "output_norm.weight": filled(1.0, width),
        "output.weight": ([width, len(tokens)], 0, rows),
        "blk.0.attn_norm.weight": filled(1.0, width),
        "blk.0.attn_q.weight": filled(0.0, width, width),
        "blk.0.attn_q.bias": filled(0.0, width),
        "blk.0.attn_k.weight": filled(0.0, width, width // heads),
        "blk.0.attn_k.bias": filled(0.0, width // heads),
        "blk.0.attn_v.weight": filled(0.0, width, width // heads),
        "blk.0.attn_v.bias": filled(0.0, width // heads),
        "blk.0.attn_output.weight": filled(0.0, width, width),
        "blk.0.ffn_norm.weight": filled(1.0, width),
        "blk.0.ffn_gate.weight": filled(0.0, width, inner),
        "blk.0.ffn_up.weight": filled(0.0, width, inner),
        "blk.0.ffn_down.weight": filled(0.0, inner, width),
    }
    return file({key: value(given) for key, given in values.items()}, tensors)
