"""Find the GGUF file, and say in one line what is wrong with it."""

import importlib.util
from pathlib import Path

from attnlab.learn.messages import text
from attnlab.llm.model_file import default_model
from attnlab.problem import Problem

INSTALL = "python -m attnlab.learn.real_model"
LIBRARIES = ("transformers", "gguf", "accelerate")


def packaged() -> Path:
    """Return the model file that the package ships, found without importing it; Problem where it isn't installed."""
    _require_libraries()
    file = default_model()
    if file is None:
        raise Problem(text("model.none", command=INSTALL))
    return file


def _require_libraries() -> None:
    if any(importlib.util.find_spec(name) is None for name in LIBRARIES):
        raise Problem(text("model.none", command=INSTALL))


def examine(path: Path) -> Path:
    """Return a GGUF file's absolute path; Problem where it isn't one, or not every layer has an attention matrix."""
    if not path.is_file():
        raise Problem(text("model.no_file", path=path))
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise Problem(text("model.no_gguf", path=path.name))
    _require_libraries()
    import psutil
    from gguf import GGUFReader

    try:
        tensors = {tensor.name: tensor.n_elements for tensor in GGUFReader(path).tensors}
    except Exception as error:
        raise Problem(text("model.broken", path=path.name)) from error
    blocks = {name.split(".")[1] for name in tensors if name.startswith("blk.")}
    with_map = {name.split(".")[1] for name in tensors if name.endswith(("attn_q.weight", "attn_qkv.weight"))}
    without = {name.split(".")[1] for name in tensors if ".ssm_" in name} | (blocks - with_map)
    if without or not blocks:
        raise Problem(text("model.no_maps", path=path.name, without=len(without), layers=len(blocks)))
    needed = 4 * sum(int(count) for count in tensors.values()) * 1.3
    free = psutil.virtual_memory().available
    if needed > free:
        raise Problem(text("model.too_large", path=path.name, needed=f"{needed / 1e9:.1f}", free=f"{free / 1e9:.1f}"))
    return path.resolve()
