"""What is seen of one run: tokens as readable texts, maps, probabilities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Look:
    """One prompt, read once by the model."""

    prompt: str
    """What was read."""
    tokens: list[str]
    """A readable text for each of its n tokens; a character cut into pieces stands as 贷·1, 贷·2, …"""
    spans: list[tuple[int, int]]
    """Where in the prompt each token's characters stand (from, to)."""
    weights: Tensor
    """The attention maps (layers, heads, n, n), causal, rows sum to 1."""

    def where(self, part: str) -> tuple[int, int]:
        """Return (start, stop): the tokens start … stop−1 that hold the last occurrence of `part` in the prompt."""
        begin = self.prompt.rfind(part)
        if not part or begin < 0:
            raise ValueError(f"{part!r} does not stand in the prompt")
        inside = [i for i, (a, b) in enumerate(self.spans) if a < begin + len(part) and b > begin]
        return inside[0], inside[-1] + 1


@dataclass(frozen=True)
class Inside:
    """What one layer's attention gets and gives: each (1, heads, n, head_dim), keys with their rotary positions."""

    queries: Tensor
    keys: Tensor
    values: Tensor
    context: Tensor


def best(chances: Mapping[str, float], count: int = 1) -> str:
    """Return the `count` most probable tokens with their probabilities, as one text."""
    ranked = sorted(chances.items(), key=lambda item: -item[1])[:count]
    return ", ".join(f"{token.strip() or repr(token)} {chance:.2f}" for token, chance in ranked)


def change(before: Mapping[str, float], after: Mapping[str, float]) -> float:
    """Return how far two sets of probabilities are apart, 0 … 1: half the sum of the absolute differences.

    Tokens beyond the kept ones count as one.
    """
    either = set(before) | set(after)
    rest = abs(sum(before.values()) - sum(after.values()))
    return (sum(abs(before.get(token, 0.0) - after.get(token, 0.0)) for token in either) + rest) / 2


def read_tokens(ids: Sequence[int], decode: Callable[[Sequence[int]], str]) -> tuple[list[str], list[tuple[int, int]]]:
    """Return for each token id a readable text and its span of characters in the whole text.

    decode: ids → text, with U+FFFD for a character of which only some bytes are there. Ids are taken together until
    the text is whole.
    """
    texts: list[str] = []
    spans: list[tuple[int, int]] = []
    start = place = 0
    for stop in range(1, len(ids) + 1):
        whole = decode(ids[start:stop])
        if "\ufffd" in whole and stop < len(ids):
            continue
        shown = whole.strip(" ").replace("\n", "↵") or "␣" * len(whole)
        pieces = stop - start
        texts += [shown] if pieces == 1 else [f"{shown}·{piece + 1}" for piece in range(pieces)]
        spans += [(place, place + len(whole))] * pieces
        place += len(whole)
        start = stop
    return texts, spans
