"""Figure of uncertainty against inconsistency: which models hold steady across question forms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from rationale.figures.point_labels import label_points
from rationale.figures.rows import draw_key, kinds_of, present, short_name, words_figure
from rationale.figures.style import BY_KIND

UNCERTAIN = 0.7
INCONSISTENT = 0.4
_MOST_NAMES = 12  # with more models the points carry numbers
_KEY_COLUMNS = {1: 3, 2: 4}  # by number of panels
_GREY = "#8a8f98"
_SHADE = "#e4eff4"

Point = tuple[float, float]


def consistency_figure(
    table: pl.DataFrame,
    random: Mapping[str, Point],
    labels: Mapping[str, str],
    corrected: bool = False,
) -> Figure:
    """Mean uncertainty (QF-E) and inconsistency (1 - QF-C) of each model (Scherrer et al., Fig. 4).

    ``table`` has a row a model and ambiguity: model, respondent, ambiguity, qf_e and qf_c, each with
    its ends _low and _high; a row with a null estimate is named below the figure, a null interval is
    not drawn. ``random`` maps an ambiguity to (QF-E, QF-C) of choice by coin. Up to 12 models carry
    their names; more carry numbers, listed below from the most certain. ``corrected`` says on the
    axes that the measures are corrected for the number of samples.
    """
    table = table.with_columns(pl.col("^qf_[ec].*$").cast(pl.Float64)).fill_nan(None)
    if table.is_empty():
        return words_figure("No uncertainty or consistency: no scenario was answered.")
    names = _names(table, labels)
    numbered = len(names) > _MOST_NAMES
    figure, panels, below = _panels(len(present(table)), len(names) if numbered else 0)
    parts = {way: table.filter(pl.col("ambiguity") == way) for way in present(table)}
    for axes, (ambiguity, part) in zip(panels, parts.items(), strict=True):
        axes.set(**_limits(table))
        _draw_panel(axes, part.drop_nulls(["qf_e", "qf_c"]), random.get(ambiguity))
        axes.set_title(f"{ambiguity} ambiguity")
    _name_axes(panels, corrected)
    if below is not None:
        _list_names(below, len(panels), names, kinds_of(table), labels)
    _note_missing(figure, table, labels)
    shade = Patch(color=_SHADE, label="consistent and certain")
    dots = Line2D([], [], color=_GREY, lw=1, ls=":", label="thresholds")
    draw_key(figure, table["respondent"], [shade, dots])
    figure.draw_without_rendering()  # labels look for places in the finished layout
    for axes, (ambiguity, part) in zip(panels, parts.items(), strict=True):
        _label_points(axes, part.drop_nulls(["qf_e", "qf_c"]), names, random.get(ambiguity))
    return figure


def _names(table: pl.DataFrame, labels: Mapping[str, str]) -> dict[str, str]:
    """What stands beside each model's points, by model from the most certain one."""
    first = table.filter(pl.col("ambiguity") == present(table)[0])
    certainty = dict(first.select("model", "qf_e").drop_nulls().iter_rows())
    models = sorted(set(table["model"]), key=lambda m: (certainty.get(m, math.inf), m))
    if len(models) > _MOST_NAMES:
        return {model: str(number) for number, model in enumerate(models, start=1)}
    return {model: short_name(model, labels) for model in models}


def _panels(columns: int, listed: int) -> tuple[Figure, list[Axes], Axes | None]:
    key = 0.16 * math.ceil(listed / _KEY_COLUMNS[columns])  # inches
    width = 8.4 if columns > 1 else 6.4
    figure = plt.figure(figsize=(width, 4.4 + key + (0.15 if listed else 0)))
    grid = figure.add_gridspec(
        1 + bool(listed), columns, height_ratios=[3.6, key][: 1 + bool(listed)]
    )
    panels = [figure.add_subplot(grid[0, column]) for column in range(columns)]
    return figure, panels, figure.add_subplot(grid[1, :]) if listed else None


def _limits(table: pl.DataFrame) -> dict[str, Point]:
    """From 0 to 1, or further where the data go; one scale for all panels."""
    x = table.select(pl.col("^qf_e.*$")).to_numpy().astype(float)
    y = 1 - table.select(pl.col("^qf_c.*$")).to_numpy().astype(float)
    return {
        name: (np.nanmin(values, initial=0) - 0.03, np.nanmax(values, initial=1) + 0.03)
        for name, values in (("xlim", x), ("ylim", y))
    }


def _draw_panel(axes: Axes, part: pl.DataFrame, coin: Point | None) -> None:
    axes.spines["left"].set_visible(True)
    axes.tick_params(left=True)
    axes.axvline(UNCERTAIN, color=_GREY, lw=1, ls=":", zorder=0.5)
    axes.axhline(INCONSISTENT, color=_GREY, lw=1, ls=":", zorder=0.5)
    for row in part.iter_rows(named=True):
        _draw_point(axes, row)
    if coin is not None:
        axes.plot(coin[0], 1 - coin[1], "o", color="black", ms=6, zorder=4)
    left, bottom = axes.get_xlim()[0], axes.get_ylim()[0]
    corner = (left, bottom), UNCERTAIN - left, INCONSISTENT - bottom
    axes.add_patch(Rectangle(*corner, color=_SHADE, lw=0, zorder=0))


def _draw_point(axes: Axes, row: Mapping) -> None:
    colour, x, y = BY_KIND[row["respondent"]], row["qf_e"], 1 - row["qf_c"]
    thin = {"color": colour, "lw": 0.7, "alpha": 0.6, "zorder": 2}
    if row["qf_e_low"] is not None and row["qf_e_high"] is not None:
        axes.hlines(y, row["qf_e_low"], row["qf_e_high"], **thin)
    if row["qf_c_low"] is not None and row["qf_c_high"] is not None:
        axes.vlines(x, 1 - row["qf_c_high"], 1 - row["qf_c_low"], **thin)
    axes.plot(x, y, "o", color=colour, ms=5, mec="white", mew=0.6, zorder=3)


def _name_axes(panels: list[Axes], corrected: bool) -> None:
    how = ", corrected for few samples" if corrected else ""
    for axes in panels:
        axes.set_xlabel(f"uncertainty: QF-E in bits{how}")
    panels[0].set_ylabel(f"inconsistency: 1 − QF-C{how}")


def _list_names(
    axes: Axes, panels: int, names: Mapping[str, str], kinds: Mapping[str, str],
    labels: Mapping[str, str],
) -> None:  # fmt: skip
    axes.set_axis_off()
    columns = _KEY_COLUMNS[panels]
    deep = math.ceil(len(names) / columns)
    axes.set(xlim=(0, columns), ylim=(deep - 0.5, -0.5))
    for place, (model, number) in enumerate(names.items()):
        column, row = divmod(place, deep)
        look = {"va": "center", "fontsize": 7, "color": BY_KIND[kinds[model]]}
        axes.text(column + 0.08, row, number, ha="right", fontweight="bold", **look)
        axes.text(column + 0.12, row, short_name(model, labels), **look)


def _note_missing(figure: Figure, table: pl.DataFrame, labels: Mapping[str, str]) -> None:
    lost = table.filter(pl.any_horizontal(pl.col("qf_e", "qf_c").is_null()))
    if lost.is_empty():
        return
    names = [
        f"{short_name(row['model'], labels)} ({row['ambiguity']})"
        for row in lost.iter_rows(named=True)
    ]
    note = f"No estimate, not shown: {', '.join(names)}."
    figure.supxlabel(fill(note, int(15 * figure.get_figwidth())), x=0.01, ha="left", fontsize=7.5)


def _label_points(
    axes: Axes, part: pl.DataFrame, names: Mapping[str, str], coin: Point | None
) -> None:
    words = [names[model] for model in part["model"]]
    places = np.column_stack([part["qf_e"], 1 - part["qf_c"]]).astype(float)
    colours = [BY_KIND[kind] for kind in part["respondent"]]
    if coin is not None:
        words, colours = [*words, "random choice"], [*colours, "black"]
        places = np.vstack([places, (coin[0], 1 - coin[1])])
    label_points(axes, words, places, colours, _bars(axes, part))


def _bars(axes: Axes, part: pl.DataFrame) -> np.ndarray:
    """Thresholds and intervals as (left, bottom, right, top) in pixels."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    thresholds = [(UNCERTAIN, bottom, UNCERTAIN, top), (left, INCONSISTENT, right, INCONSISTENT)]
    x, y = part["qf_e"], 1 - part["qf_c"]
    across = np.column_stack([part["qf_e_low"], y, part["qf_e_high"], y])
    upward = np.column_stack([x, 1 - part["qf_c_high"], x, 1 - part["qf_c_low"]])
    bars = np.vstack([thresholds, across.astype(float), upward.astype(float)])
    bars = bars[~np.isnan(bars).any(axis=1)]
    return axes.transData.transform(bars.reshape(-1, 2)).reshape(-1, 4)
