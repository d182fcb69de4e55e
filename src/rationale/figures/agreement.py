"""Figure of agreement between models: correlations of their beliefs, in the order of a dendrogram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from rationale.figures.rows import draw_key, name_cells, short_name
from rationale.figures.style import INK

_MOST_NUMBERS = 14  # with more models the cells are too small for numbers
_ABSENT = "#d9dce1"


def agreement_figure(
    correlations: np.ndarray,
    models: Sequence[str],
    linkage: np.ndarray | None,
    order: Sequence[int],
    labels: Mapping[str, str],
    kinds: Mapping[str, str],
    left_out: Sequence[tuple[str, str]],
) -> Figure:
    """Pearson correlations between models under the tree of their clustering (Scherrer et al., Fig. 5).

    ``correlations`` (m, m) and ``models`` (m) share one order; ``order`` holds the m places in the
    tree's order and ``linkage`` (m - 1, 4) is scipy's on the distances 1 - r, None for no tree.
    ``left_out`` holds (model, reason), told below the map. Fewer than two models: a figure that
    says so. A missing correlation is a grey cell.

    Raises ValueError where the shapes do not agree.
    """
    _check_shapes(correlations, models, linkage, order)
    note = _left_out_words(left_out, labels)
    if len(models) < 2:
        return _too_few(models, labels, note)
    ordered = [models[place] for place in order]
    figure, tree, heat, scale = _axes(ordered, labels, note)
    image = _draw_map(heat, correlations[np.ix_(order, order)])
    name_cells(heat, ordered, labels, kinds)
    _draw_tree(tree, linkage, order)
    figure.colorbar(image, cax=scale, label="Pearson's r", ticks=[-1, -0.5, 0, 0.5, 1])
    draw_key(figure, [kinds[model] for model in models])
    return figure


def _check_shapes(
    correlations: np.ndarray,
    models: Sequence[str],
    linkage: np.ndarray | None,
    order: Sequence[int],
) -> None:
    m = len(models)
    if m >= 2 and (np.shape(correlations) != (m, m) or sorted(order) != list(range(m))):
        raise ValueError(
            f"{m} models need ({m}, {m}) correlations and an order of 0..{m - 1}; "
            f"found {np.shape(correlations)} and {list(order)}"
        )
    if m >= 2 and linkage is not None and np.shape(linkage) != (m - 1, 4):
        raise ValueError(f"{m} models need ({m - 1}, 4) merges; found {np.shape(linkage)}")


def _left_out_words(left_out: Sequence[tuple[str, str]], labels: Mapping[str, str]) -> str:
    """Names by reason, so that a reason shared by many is said once."""
    reasons: dict[str, list[str]] = {}
    for model, reason in left_out:
        reasons.setdefault(reason, []).append(short_name(model, labels))
    parts = [f"{', '.join(names)} ({reason})" for reason, names in reasons.items()]
    return f"Left out: {'; '.join(parts)}." if parts else ""


def _too_few(models: Sequence[str], labels: Mapping[str, str], note: str) -> Figure:
    found = f"only {short_name(models[0], labels)} is" if models else "no model is"
    words = fill(f"No agreement to show: {found} left, and a correlation takes two models.", 84)
    words += f"\n{fill(note, 84)}" if note else ""
    figure, axes = plt.subplots(figsize=(6.4, 0.5 + 0.17 * len(words.splitlines())))
    axes.set_axis_off()
    axes.text(0, 0.5, words, va="center", color=INK, transform=axes.transAxes)
    return figure


def _axes(
    models: Sequence[str], labels: Mapping[str, str], note: str
) -> tuple[Figure, Axes, Axes, Axes]:
    """Tree, map and scale at sizes in inches, so that the tree stands exactly over its columns."""
    cells = float(np.clip(7 / len(models), 0.16, 0.5)) * len(models)
    longest = 0.068 * max(len(short_name(model, labels)) for model in models)
    left, below, above = longest + 0.5, 0.87 * longest + 0.4, 1.35
    width = max(left + cells + 1.0, 5.2)
    words = fill(note, int(14.5 * width))
    below += 0.16 * len(words.splitlines())
    height = below + cells + above
    figure = plt.figure(figsize=(width, height), layout="none")
    figure.text(0.08 / width, 0.08 / height, words, fontsize=7.5, va="bottom")

    def place(x: float, y: float, wide: float, high: float) -> Axes:
        return figure.add_axes((x / width, y / height, wide / width, high / height))

    heat = place(left, below, cells, cells)
    tree = place(left, below + cells + 0.06, cells, 0.8)
    return figure, tree, heat, place(left + cells + 0.12, below, 0.16, cells)


def _draw_map(axes: Axes, shown: np.ndarray) -> AxesImage:
    own = np.eye(len(shown), dtype=bool)
    absent = ListedColormap(["white", _ABSENT])
    axes.imshow(np.isnan(shown) & ~own, cmap=absent, vmin=0, vmax=1)
    values = np.ma.masked_invalid(np.where(own, np.nan, shown))
    image = axes.imshow(values, cmap="RdBu", vmin=-1, vmax=1)
    axes.spines["bottom"].set_visible(False)
    if len(shown) <= _MOST_NUMBERS:
        for i, j in np.argwhere(~own):
            _write(axes, int(i), int(j), shown[i, j])
    return image


def _write(axes: Axes, i: int, j: int, r: float) -> None:
    shown = f"{round(float(r), 2) + 0:.2f}"  # + 0 turns a rounded -0 into 0
    words = "–" if np.isnan(r) else shown.replace("0.", ".", 1).replace("-", "−")
    colour = "white" if abs(r) > 0.65 else INK
    axes.text(j, i, words, ha="center", va="center", fontsize=7, color=colour)


def _draw_tree(axes: Axes, linkage: np.ndarray | None, order: Sequence[int]) -> None:
    """Merges stand over the middle of what they join, so any order that fits the tree is drawn true."""
    if linkage is None:
        axes.set_axis_off()
        return
    nodes = {int(place): (float(x), 0.0) for x, place in enumerate(order)}
    for merge, (left, right, height, _) in enumerate(linkage, start=len(order)):
        (x1, y1), (x2, y2) = nodes[int(left)], nodes[int(right)]
        axes.plot([x1, x1, x2, x2], [y1, height, height, y2], color="#6d7380", lw=0.9)
        nodes[merge] = ((x1 + x2) / 2, float(height))
    axes.xaxis.set_visible(False)
    axes.spines["bottom"].set_visible(False)
    axes.spines["left"].set_visible(True)
    axes.tick_params(left=True, labelsize=7)
    axes.yaxis.set_major_locator(MaxNLocator(2))
    axes.set_ylabel("1 − r", fontsize=7)
    axes.set_xlim(-0.5, len(order) - 0.5)
    axes.set_ylim(0, 1.04 * max(y for _, y in nodes.values()) or 1)
