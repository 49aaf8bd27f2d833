"""Pictures made by the learner's own functions.

All words inside a figure are plain Latin letters, which every matplotlib has glyphs for; what to look for is
printed below it in the learner's language. Colours run from light to dark in one hue, so that they read without colour
vision and in grey.
"""

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from torch import Tensor

from attnlab.learn.messages import text
from attnlab.learn.show import attempt

_COLOURS = "Blues"


def heatmaps(
    panels: dict[str, Callable[[], Tensor]],
    tokens: Sequence[str],
    caption: str,
    *,
    limits: tuple[float, float] | None = None,
) -> None:
    """Draw square maps (queries down, keys across) side by side on one colour scale, with a printed caption.

    panels: title → a function without arguments that returns a map (n, n); tokens: n names; caption: a key
    below `caption.` in the texts; limits: the ends of the colour scale, where None those of the numbers drawn.
    """
    maps = {}
    for title, action in panels.items():
        done, result = attempt(lambda action=action: _square(action(), len(tokens)))
        if not done:
            return
        maps[title] = result
    low, high = limits or (
        min(float(one.min()) for one in maps.values()),
        max(float(one.max()) for one in maps.values()),
    )
    side = max(2.6, 0.45 * len(tokens))
    figure, axes = plt.subplots(
        1, len(maps), figsize=((side + 0.6) * len(maps) + 0.8, side + 0.7), squeeze=False, layout="constrained"
    )
    for axis, (title, values) in zip(axes[0], maps.items(), strict=True):
        image = axis.imshow(values, cmap=_COLOURS, vmin=low, vmax=high)
        axis.set_title(title, fontsize=11)
        _name_axes(axis, tokens)
        if len(tokens) <= 8:
            _write_numbers(axis, values, low, high)
    figure.colorbar(image, ax=axes[0].tolist(), shrink=0.8)
    _finish(caption)


def heatmap(
    action: Callable[[], Tensor],
    tokens: Sequence[str],
    caption: str,
    *,
    title: str = "",
    limits: tuple[float, float] | None = None,
) -> None:
    """Draw one square map: queries down, keys across (see `heatmaps`)."""
    heatmaps({title: action}, tokens, caption, limits=limits)


def lines(
    curves: dict[str, Callable[[], tuple[Any, Any]]], caption: str, *, x_label: str, y_label: str,
    log_x: bool = False, log_y: bool = False,
) -> None:
    """Draw curves in one frame: name → a function without arguments that returns (x, y); line styles differ too."""
    figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
    styles = ["-o", "--s", "-.^", ":D"]
    for number, (name, action) in enumerate(curves.items()):
        done, result = attempt(action)
        if not done:
            plt.close(figure)
            return
        x, y = (one.detach().tolist() if isinstance(one, Tensor) else list(one) for one in result)
        axis.plot(x, y, styles[number % len(styles)], color=f"C{number}", markersize=4, label=name)
    axis.set(xlabel=x_label, ylabel=y_label)
    axis.set_xscale("log" if log_x else "linear")
    axis.set_yscale("log" if log_y else "linear")
    axis.legend()
    axis.grid(alpha=0.3)
    _finish(caption)


def arrows(vectors: dict[str, Callable[[], Tensor]], caption: str) -> None:
    """Draw vectors of two numbers as arrows from the origin, each with its name at the tip."""
    figure, axis = plt.subplots(figsize=(4.2, 4.2), layout="constrained")
    longest = 0.0
    for number, (name, action) in enumerate(vectors.items()):
        done, result = attempt(action)
        if not done:
            plt.close(figure)
            return
        x, y = (float(one) for one in result)
        longest = max(longest, abs(x), abs(y))
        style = ["-", "--", "-.", ":"][number % 4]
        axis.add_patch(
            FancyArrowPatch(
                (0, 0), (x, y), arrowstyle="-|>", mutation_scale=14, linestyle=style, color=f"C{number}",
                shrinkA=0, shrinkB=0, linewidth=1.8,
            )
        )
        offset = (5, 5) if number % 4 < 2 else (6, -14)  # two arrows that nearly coincide keep their names apart
        axis.annotate(name, (x, y), xytext=offset, textcoords="offset points")
    axis.set(xlim=(-0.1 * longest, 1.25 * longest), ylim=(-0.1 * longest, 1.25 * longest), aspect="equal")
    axis.set(xlabel="first number", ylabel="second number")
    axis.grid(alpha=0.3)
    _finish(caption)


def _square(values: Any, size: int) -> Tensor | None:
    if values is None:
        return None
    if not isinstance(values, Tensor) or tuple(values.shape) != (size, size):
        found = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
        raise ValueError(text("say.not_square", size=size, found=found))
    return values.detach().float()


def _name_axes(axis: Axes, tokens: Sequence[str]) -> None:
    axis.set_xticks(range(len(tokens)), tokens)
    axis.set_yticks(range(len(tokens)), tokens)
    axis.set(xlabel="key", ylabel="query")


def _write_numbers(axis: Axes, values: Tensor, low: float, high: float) -> None:
    dark = low + 0.6 * (high - low)
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            axis.text(
                j, i, f"{value:.2f}", ha="center", va="center", fontsize=9,
                color="white" if value > dark else "black",
            )


def _finish(caption: str) -> None:
    plt.show()
    plt.close()
    print(text(f"caption.{caption}"))
