"""Let other attention functions run in every layer of the model, and hold what it says against its own."""

from collections.abc import Mapping

from attnlab.learn.messages import text
from attnlab.learn.real_model.files import INSTALL
from attnlab.learn.real_model.live import Attention, Live
from attnlab.learn.real_model.stored import Stored
from attnlab.learn.show import attempt


def trial(real: Stored, prompt: str, attentions: Mapping[str, Attention], tokens: int = 12) -> None:
    """Print a line for the model's own attention and one for each of `attentions`: how it goes on with a prompt.

    layers: in how many the function ran, of all; apart: the largest difference of any of the next token's probabilities
    from the model's own; then the next `tokens` tokens, each the most probable. Without a model, one line says so.
    """
    if not isinstance(real, Live):
        print(text("model.needed", command=INSTALL))
        return
    own, said, _ = real.run(prompt, tokens=tokens)
    print(f"{'':10}  {'layers':>6}  {'apart':>9}")
    print(f"{'its own':10}  {real.n_layers:>3}/{real.n_layers}  {'':>9}  {said!r}")
    for name, attention in attentions.items():
        done, result = attempt(lambda attention=attention: real.run(prompt, attention, tokens))  # type: ignore[misc]
        if done:
            chances, said, layers = result
            apart = (chances - own).abs().max().item()
            print(f"{name:10}  {layers:>3}/{real.n_layers}  {apart:9.7f}  {said!r}")
