"""Figures of the rationality test: null distributions, and the table as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rationale.figures.style import BY_KIND, FAINT, GRID, INK, KIND_WORDS

Nulls = Mapping[tuple[str, str], np.ndarray]
_ROW = 0.36  # inches a row
_BASE = 0.36  # where the bars of a row stand, in rows below its middle


def null_figure(table: pl.DataFrame, nulls: Nulls, labels: Mapping[str, str]) -> Figure:
    """A row a respondent: how often random choice reaches each CCEI, and where the respondent is.

    ``nulls`` maps (model, form) to the CCEIs of its random data sets. Forms stand side by side.
    """
    forms = sorted(table["form"].unique())
    models = _order(table)
    figure, panels = _panels(forms, len(models))
    for axes, form in zip(panels, forms, strict=True):
        rows = {
            row["model"]: row for row in table.filter(pl.col("form") == form).iter_rows(named=True)
        }
        for place, model in enumerate(models):
            _null_row(axes, place, nulls[model, form], rows[model])
        _name_rows(axes, models, labels)
        axes.set_xlabel("CCEI")
        axes.set_xlim(0, 1.03)
        if len(forms) > 1:
            axes.set_title(form)
    _key(
        figure,
        table,
        [
            Line2D([], [], color=FAINT, lw=5, label="random choice"),
            Line2D([], [], marker="^", ls="", color="#6d7380", ms=4.5, label="its 95th percentile"),
        ],
    )
    return figure


def rationality_figure(table: pl.DataFrame, nulls: Nulls, labels: Mapping[str, str]) -> Figure:
    """The table as a picture: CCEI over the middle 90 % of random choice, and p with its interval."""
    forms = sorted(table["form"].unique())
    models = _order(table)
    figure, panels = _panels([part for form in forms for part in (form, form)], len(models))
    for index, form in enumerate(forms):
        rows = {
            row["model"]: row for row in table.filter(pl.col("form") == form).iter_rows(named=True)
        }
        left, right = panels[2 * index], panels[2 * index + 1]
        for place, model in enumerate(models):
            _ccei_row(left, place, nulls[model, form], rows[model])
            _p_row(right, place, rows[model])
        _dress_pair(left, right, models, labels)
        if len(forms) > 1:
            left.set_title(form)
    ceiling = Line2D([], [], marker="|", ls="", color="#6d7380", ms=9, mew=1.4, label="ceiling")
    band = Line2D([], [], color=FAINT, lw=5, label="random choice, 5th to 95th percentile")
    _key(figure, table, [band, ceiling])
    return figure


def _order(table: pl.DataFrame) -> list[str]:
    """Models by their first form's row in the table, so the best p-value is on top."""
    return list(dict.fromkeys(table["model"]))


def _panels(columns: Sequence[str], rows: int) -> tuple[Figure, list[Axes]]:
    width = 7.4 if len(columns) <= 2 else 2.2 + 2.7 * len(columns)
    size = (width, 1.35 + _ROW * rows)
    figure, grid = plt.subplots(1, len(columns), figsize=size, sharey=True, squeeze=False)
    return figure, list(grid[0])


def _name_rows(axes: Axes, models: Sequence[str], labels: Mapping[str, str]) -> None:
    axes.set_yticks(range(len(models)), [labels.get(model, model) for model in models])
    axes.set_ylim(len(models) - 0.4, -0.75)
    axes.set_axisbelow(True)
    axes.grid(axis="x", color=GRID)


def _null_row(axes: Axes, place: int, null: np.ndarray, row: Mapping) -> None:
    if len(null) == 0:
        axes.text(0.02, place, "too few rounds answered", va="center", color="#8a8f98", fontsize=8)
        return
    values, counts = np.unique(null, return_counts=True)
    heights = 0.75 * counts / counts.max()
    width = 0.75 * min(np.diff(values).min(initial=0.05), 0.05)
    axes.bar(values, -heights, width, bottom=place + _BASE, color=FAINT)
    axes.hlines(place + _BASE, 0, 1, color=FAINT, lw=0.8)
    axes.plot(np.quantile(null, 0.95), place + _BASE, "^", color="#6d7380", ms=4.5, zorder=3)
    colour = BY_KIND[row["respondent"]]
    axes.plot(row["ccei"], place, "D", color=colour, ms=5.5, mec="white", mew=0.8, zorder=3)
    axes.annotate(
        f"{row['ccei']:.3f}{row['stars']}",
        (row["ccei"], place),
        xytext=(6, 4),
        textcoords="offset points",
        fontsize=7.5,
        color=colour,
    )


def _ccei_row(axes: Axes, place: int, null: np.ndarray, row: Mapping) -> None:
    if len(null) == 0:
        axes.text(0.02, place, "too few rounds answered", va="center", color="#8a8f98", fontsize=8)
        return
    low, high = np.quantile(null, [0.05, 0.95])
    axes.hlines(place, low, high, color=FAINT, lw=6)
    if row["ceiling"] is not None:
        axes.plot(row["ceiling"], place, "|", color="#6d7380", ms=9, mew=1.4)
    axes.plot(row["ccei"], place, "D", color=BY_KIND[row["respondent"]], ms=6, mec="white", mew=0.8)


def _p_row(axes: Axes, place: int, row: Mapping) -> None:
    if row["p_value"] is None:
        return
    colour, floor = BY_KIND[row["respondent"]], _floor(row)
    axes.hlines(place, max(row["p_low"], floor), max(row["p_high"], floor), color=colour, lw=1.4)
    axes.plot(max(row["p_value"], floor), place, "o", color=colour, ms=5, mec="white", mew=0.8)
    axes.plot(row["p_holm"], place, "|", color=colour, ms=9, mew=1.6)


def _floor(row: Mapping) -> float:
    """Where a share of zero stands on a logarithmic axis: half of one draw."""
    return 0.5 / row["draws"]


def _dress_pair(left: Axes, right: Axes, models: Sequence[str], labels: Mapping[str, str]) -> None:
    for axes in (left, right):
        _name_rows(axes, models, labels)
    left.set_xlim(0, 1.03)
    left.set_xlabel("CCEI")
    right.set_xscale("log")
    right.set_xlim(right.get_xlim()[0], 1.15)
    right.set_xlabel("p (dot, 95 % interval) and Holm's p (bar)")
    for level in (0.01, 0.05, 0.1):
        right.axvline(level, color="#8a8f98", lw=0.8, ls=(0, (2, 2)), zorder=0)
        right.text(level, -0.72, f"{level:.0%}", ha="center", va="bottom", fontsize=7, color=INK)


def _key(figure: Figure, table: pl.DataFrame, extra: Sequence[Line2D]) -> None:
    kinds = [kind for kind in BY_KIND if kind in set(table["respondent"])]
    marks = [
        Line2D([], [], marker="D", ls="", color=BY_KIND[kind], ms=5.5, label=KIND_WORDS[kind])
        for kind in kinds
    ]
    figure.legend(
        handles=[*extra, *marks], loc="outside upper left", ncols=5, frameon=False, fontsize=8
    )
