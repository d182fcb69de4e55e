"""Small panels, one a respondent, on the same scales: what stays readable with many respondents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rationale.figures.rows import short_name
from rationale.figures.style import BY_KIND, GRID

_MOST_COLUMNS = 5


def small_panels(
    models: Sequence[str],
    kinds: Mapping[str, str],
    labels: Mapping[str, str],
    size: tuple[float, float],
) -> tuple[Figure, list[Axes]]:
    """A panel of this size (inches) a model, named in the colour of its kind, up to five a line."""
    lines = math.ceil(len(models) / _MOST_COLUMNS)
    columns = math.ceil(len(models) / lines)
    width, height = max(0.6 + size[0] * columns, 5.4), 1.15 + size[1] * lines
    figure, grid = plt.subplots(
        lines, columns, figsize=(width, height), sharex=True, sharey=True, squeeze=False
    )
    panels = list(grid.flat)
    for axes, model in zip(panels, models, strict=False):
        axes.set_title(short_name(model, labels), fontsize=7.5, color=BY_KIND[kinds[model]], pad=3)
        axes.set_axisbelow(True)
        axes.grid(axis="y", color=GRID)
        axes.tick_params(labelsize=7)
    for place, axes in enumerate(panels):
        _end_of_column(axes, place, len(models), columns)
    return figure, panels[: len(models)]


def _end_of_column(axes: Axes, place: int, used: int, columns: int) -> None:
    """Unused panels vanish; the last used one of a column carries the numbers of the x axis."""
    if place >= used:
        axes.set_visible(False)
    elif place + columns >= used:
        axes.tick_params(labelbottom=True)
