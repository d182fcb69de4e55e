"""Labels written beside points of a figure, with leaders where they stand apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from rationale.figures.labelling import nearest_on_box, spread_labels

_GREY = "#8a8f98"


def label_points(
    axes: Axes, words: Sequence[str], places: np.ndarray, colours: Sequence[str], bars: np.ndarray
) -> None:
    """Write ``words`` beside ``places`` (n, 2) in data coordinates, once the layout is final.

    ``bars`` (k, 4) are what labels should keep clear of: left, bottom, right, top in pixels.
    """
    scale = 72 / axes.figure.dpi
    points = axes.transData.transform(places) * scale
    sizes = np.array([_size(axes, word) for word in words]).reshape(-1, 2) * scale
    frame = axes.get_window_extent().padded(-2).extents * scale
    centres = spread_labels(points, sizes, frame, bars * scale)
    for word, place, colour, shift, size in zip(
        words, places, colours, centres - points, sizes, strict=True
    ):
        _annotate(axes, word, place, colour, shift, size)


def _size(axes: Axes, word: str) -> tuple[float, float]:
    text = axes.text(0, 0, word, fontsize=7)
    box = text.get_window_extent()
    text.remove()
    return box.width, box.height


def _annotate(
    axes: Axes, word: str, place: np.ndarray, colour: str, shift: np.ndarray, size: np.ndarray
) -> None:
    """Write at ``shift`` points from the place; a word that is not close gets a leader."""
    end = nearest_on_box(np.zeros(2), shift, size)
    look = {"arrowstyle": "-", "lw": 0.5, "color": _GREY, "shrinkA": 0, "shrinkB": 3}
    leader = {**look, "relpos": tuple((end - shift) / size + 0.5)} if np.hypot(*end) > 8 else None
    text = axes.annotate(
        word, place, shift, textcoords="offset points", ha="center", va="center", fontsize=7,
        color=colour, arrowprops=leader, zorder=5,
    )  # fmt: skip
    text.set_in_layout(False)
