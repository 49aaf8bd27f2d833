"""Look into a real language model from a GGUF file: its tokens, its attention maps, its next-token probabilities.

    real = real_model.open()  # the model where it is installed, else maps that were stored from it
    seen = real.look("The loan was refused because")
    seen.tokens, seen.weights  # 5 texts, (layers, heads, 5, 5)
    real.ask("The loan was refused because", removed=[1])  # token text → probability

The model is SmolLM2-135M-Instruct (4-bit, 98 MB, 30 layers of 9 heads), or a GGUF file of the learner's own. While
nbgrader runs a notebook nothing is ever loaded.
"""

import os
from pathlib import Path

from attnlab.learn.messages import text
from attnlab.learn.real_model.files import examine, packaged
from attnlab.learn.real_model.seen import Inside, Look, best, change
from attnlab.learn.real_model.stored import Stored
from attnlab.learn.real_model.trial import trial
from attnlab.problem import Problem

SETTING = "ATTNLAB_GGUF"
"""The environment variable that names a GGUF file of one's own, or `stored` for the stored maps."""
STORED = "stored"

__all__ = ["SETTING", "STORED", "Inside", "Look", "best", "change", "open", "trial"]

_opened: dict[Path, Stored] = {}


def open(file: str | os.PathLike[str] | None = None) -> Stored:
    """Return a model to look into, and print in one line which: `file`, the setting's, the packaged or the stored.

    file: a GGUF file, or `stored`. What cannot be loaded is told in the line, and the stored maps take its place.
    """
    wanted = os.fspath(file or os.environ.get(SETTING) or "")
    if os.environ.get("NBGRADER_EXECUTION"):
        print(text("model.grading"))
        return Stored()
    if wanted == STORED:
        print(text("model.stored"))
        return Stored()
    try:
        path = examine(Path(wanted).expanduser()) if wanted else packaged()
        if path not in _opened:
            print(text("model.loading", name=path.name), flush=True)
            from attnlab.learn.real_model.live import Live

            _opened[path] = Live(path)
    except Problem as problem:
        print(text("model.not_loaded", why="; ".join(problem.lines)))
        return Stored()
    real = _opened[path]
    print(text("model.live", name=real.name, layers=real.n_layers, heads=real.n_heads))
    return real
