"""Pictures made by the learner's own functions.

All words inside a figure are plain Latin letters, which every matplotlib has glyphs for, but for a model's tokens:
Chinese ones are drawn where a font for them is there, and otherwise stand as numbers, with a list printed below. What
to look for is printed below a figure in the learner's language. Colours run from light to dark in one hue, so that they
read without colour vision and in grey.
"""

import math
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import matplotlib.pyplot as plt
import torch
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import NullLocator
from torch import Tensor

from attnlab.learn.messages import text
from attnlab.learn.show import attempt

_COLOURS = "Blues"
_CHINESE = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Source Han Sans SC", "Microsoft YaHei", "SimHei"),
    *("PingFang SC", "Hiragino Sans GB", "Heiti SC", "Arial Unicode MS", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
)
_LONGEST = 12


def _layout() -> str | None:
    """Return how a figure is laid out: with care under a learner's eyes, at half the cost while a class is graded."""
    return None if os.environ.get("NBGRADER_EXECUTION") else "constrained"


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
        done, result = attempt(partial(_square_of, action, len(tokens)))
        if not done:
            return
        maps[title] = result
    low, high = limits or (
        min(float(one.min()) for one in maps.values()),
        max(float(one.max()) for one in maps.values()),
    )
    side = max(2.6, 0.45 * len(tokens))
    figure, axes = plt.subplots(
        1, len(maps), figsize=((side + 0.6) * len(maps) + 0.8, side + 0.7), squeeze=False, layout=_layout()
    )
    for axis, (title, values) in zip(axes[0], maps.items(), strict=True):
        image = axis.imshow(values, cmap=_COLOURS, vmin=low, vmax=high)
        axis.set_title(title, fontsize=11)
        _name_axes(axis, tokens)
        if len(tokens) <= 8:
            _write_numbers(axis, values, low, high)
    figure.colorbar(image, ax=axes[0].tolist(), shrink=0.8)
    _finish(caption, tokens)


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


def compare(want: Any, got: Any) -> None:
    """Draw expected, yours and the difference of two small matrices in a notebook; nothing where that makes no sense.

    For a check that failed under a learner's eyes; a grader's run draws nothing.
    """
    watched = "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None
    if os.environ.get("NBGRADER_EXECUTION") or not watched or type(got) is not Tensor or type(want) is not Tensor:
        return
    if got.shape != want.shape or got.dim() != 2 or not 1 < max(got.shape) <= 12 or not got.is_floating_point():
        return
    expected, yours = want.detach().double(), got.detach().double()
    panels = {"expected": expected, "yours": yours, "difference": yours - expected}
    axes = plt.subplots(1, 3, figsize=(9, 0.4 * len(expected) + 1.6), layout=_layout())[1]
    low, high = _range(torch.cat([expected, yours]))
    far = 1.7 * max(map(abs, _range(panels["difference"])))  # never quite to the dark ends, where no number can be read
    for axis, (title, values) in zip(axes, panels.items(), strict=True):
        differs = title == "difference"
        ends = (-far, far) if differs else (low, high)
        axis.imshow(values, cmap="PuOr" if differs else _COLOURS, vmin=ends[0], vmax=ends[1])
        axis.set_title(title, fontsize=10)
        axis.set_xticks(range(values.shape[1]))
        axis.set_yticks(range(values.shape[0]))
        if max(values.shape) <= 8:
            _write_numbers(axis, values, low, math.inf if differs else high)
    plt.show()
    plt.close()


def _range(values: Tensor) -> tuple[float, float]:
    """Return the smallest and the largest of the finite numbers."""
    finite = values.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0)
    return float(finite.min()), float(finite.max())


def lines(
    curves: dict[str, Callable[[], tuple[Any, Any]]],
    caption: str,
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    heavy: bool = False,
) -> None:
    """Draw curves in one frame: name → a function without arguments that returns (x, y); line styles differ too.

    heavy: the curves take seconds to compute; while nbgrader runs the notebook, one line stands in their place.
    """
    if heavy and os.environ.get("NBGRADER_EXECUTION"):
        print(text("say.left_out"))
        return
    figure, axis = plt.subplots(figsize=(6, 3.6), layout=_layout())
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
    if log_x and len(x) <= 12:  # every point has its own tick, instead of powers of ten between them
        axis.set_xticks(x, [f"{one:g}" for one in x])
        axis.xaxis.set_minor_locator(NullLocator())
    axis.legend()
    axis.grid(alpha=0.3)
    _finish(caption)


def tables(
    panels: dict[str, Callable[[], Tensor]],
    caption: str,
    *,
    x_label: str,
    y_label: str,
    digits: int = 0,
    limits: tuple[float, float] | None = None,
    numbers: bool = True,
) -> None:
    """Draw tables (rows, columns) of any size side by side, numbers in their cells, on one colour scale.

    numbers=False leaves the numbers out, for tables too large to be read so, and draws the colour scale instead.

    panels: title → a function without arguments that returns a table; caption: a key below `caption.` in the
    texts; limits: the ends of the colour scale, where None those of the numbers drawn.
    """
    drawn = {}
    for title, action in panels.items():
        done, result = attempt(action)
        if not done:
            return
        drawn[title] = torch.as_tensor(result).detach().float()
    low, high = limits or (
        min(float(one.min()) for one in drawn.values()),
        max(float(one.max()) for one in drawn.values()),
    )
    widths = [one.shape[1] for one in drawn.values()]
    height = max(one.shape[0] for one in drawn.values())
    size = (0.52 * sum(widths) + 0.8 * len(drawn), 0.5 * height + 1.1)
    if not numbers:
        size = (0.22 * sum(widths) + 1.1 * len(drawn) + 0.6, 0.17 * height + 1.1)
    figure, axes = plt.subplots(1, len(drawn), figsize=size, squeeze=False, width_ratios=widths, layout=_layout())
    for axis, (title, values) in zip(axes[0], drawn.items(), strict=True):
        image = axis.imshow(values.numpy(), cmap=_COLOURS, vmin=low, vmax=high)
        axis.set_title(title, fontsize=11)
        axis.set_xticks(range(values.shape[1]))
        axis.set_yticks(range(0, values.shape[0], 1 if numbers else 5))
        axis.set(xlabel=x_label, ylabel=y_label)
        if numbers:
            _write_numbers(axis, values, low, high, digits)
    if not numbers:
        figure.colorbar(image, ax=axes[0].tolist(), shrink=0.8)
    _finish(caption)


def head_maps(action: Callable[[], Sequence[Tensor]], tokens: Sequence[str], caption: str) -> None:
    """Draw every head's map of one sentence: a row of maps for each layer, on one colour scale from 0 to 1.

    action: a function without arguments that returns, for each layer, maps (heads, n, n).
    """
    done, layers = attempt(lambda: [one.detach().float() for one in action()])
    if not done:
        return
    heads = max(len(one) for one in layers)
    figure, axes = plt.subplots(
        len(layers), heads, figsize=(2.5 * heads + 1.2, 2.7 * len(layers)), squeeze=False, layout=_layout()
    )
    for i, layer in enumerate(layers):
        for h, values in enumerate(layer):
            image = axes[i][h].imshow(values.numpy(), cmap=_COLOURS, vmin=0, vmax=1)
            axes[i][h].set_title(f"layer {i}, head {h}", fontsize=10)
            _name_axes(axes[i][h], tokens)
            axes[i][h].tick_params(labelsize=7)
            if i + 1 < len(layers):
                axes[i][h].set_xlabel("")
            if h > 0:
                axes[i][h].set_ylabel("")
    figure.colorbar(image, ax=axes, shrink=0.6)
    _finish(caption, tokens)


def arrows(vectors: dict[str, Callable[[], Tensor]], caption: str) -> None:
    """Draw vectors of two numbers as arrows from the origin, each with its name at the tip."""
    figure, axis = plt.subplots(figsize=(4.2, 4.2), layout=_layout())
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
                (0, 0),
                (x, y),
                arrowstyle="-|>",
                mutation_scale=14,
                linestyle=style,
                color=f"C{number}",
                shrinkA=0,
                shrinkB=0,
                linewidth=1.8,
            )
        )
        offset = (5, 5) if number % 4 < 2 else (6, -14)  # two arrows that nearly coincide keep their names apart
        axis.annotate(name, (x, y), xytext=offset, textcoords="offset points")
    axis.set(xlim=(-0.1 * longest, 1.25 * longest), ylim=(-0.1 * longest, 1.25 * longest), aspect="equal")
    axis.set(xlabel="first number", ylabel="second number")
    axis.grid(alpha=0.3)
    _finish(caption)


def _square_of(action: Callable[[], Any], size: int) -> Tensor | None:
    values = action()
    if values is None:
        return None
    if not isinstance(values, Tensor) or tuple(values.shape) != (size, size):
        found = tuple(values.shape) if isinstance(values, Tensor) else type(values).__name__
        raise ValueError(text("say.not_square", size=size, found=found))
    return values.detach().float()


def _name_axes(axis: Axes, tokens: Sequence[str]) -> None:
    labels = [token if len(token) <= _LONGEST else token[: _LONGEST - 1] + "…" for token in tokens]
    fonts: dict[str, Any] = {}
    if _beyond_latin(tokens):
        chinese = _chinese_font()
        if chinese is None:
            labels = [str(number) for number in range(len(tokens))]
        else:
            fonts = {"fontfamily": ["DejaVu Sans", chinese]}
    crowded = len(tokens) > 8 and max(map(len, labels)) > 2
    axis.set_xticks(range(len(tokens)), labels, rotation=90 if crowded else 0, **fonts)
    axis.set_yticks(range(len(tokens)), labels, **fonts)
    axis.set(xlabel="key", ylabel="query")


def _beyond_latin(tokens: Sequence[str]) -> bool:
    return any(ord(character) > 0x2FFF for token in tokens for character in token)


@cache
def _chinese_font() -> str | None:
    """Return the name of an installed font with Chinese characters, or None."""
    there = {font.name for font in font_manager.fontManager.ttflist}
    return next((name for name in _CHINESE if name in there), None)


def _write_numbers(axis: Axes, values: Tensor, low: float, high: float, digits: int = 2) -> None:
    dark = low + 0.6 * (high - low)
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            axis.text(
                j,
                i,
                f"{value:.{digits}f}",
                ha="center",
                va="center",
                fontsize=9,
                color="white" if value > dark else "black",
            )


def _finish(caption: str, tokens: Sequence[str] = ()) -> None:
    plt.show()
    plt.close()
    if _beyond_latin(tokens) and _chinese_font() is None:
        print("  ".join(f"{number} {token}" for number, token in enumerate(tokens)))
    print(text(f"caption.{caption}"))
