"""Figure of STEER: what each form does to accuracy in each module."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rationale.figures.rows import draw_key, kinds_of, name_rows, short_name, words_figure
from rationale.figures.steer import PLAIN
from rationale.figures.steer_compared import UNRESOLVED, forms_in_order
from rationale.figures.style import BY_KIND

_MARKS = ("o", "s", "^", "D", "v", "P", "<", "X")  # of as many models as have a point each
_MOST_COLUMNS = 5
_WIDTH = 1.6  # inches a panel
_GREY = "#6d7380"
_LINE = "#a9afb9"


def module_effects_figure(forms: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A panel a form, a row a module: the form's effect on accuracy against plain.

    ``forms`` has model, respondent, form, by, part, effect (accuracy of the form minus that of plain on
    the same questions), low, high and verdict; rows by module are drawn, in their order. Up to eight
    models have a mark each, with its interval; a hollow mark is not resolved. More models: the median
    over the models of a kind, on a line from the smallest to the largest effect.
    """
    table = forms.filter((pl.col("by") == "module") & (pl.col("form") != PLAIN))
    table = table.with_columns(pl.col("effect", "low", "high").cast(pl.Float64).fill_nan(None))
    table = table.drop_nulls("effect")
    if table.is_empty():
        return words_figure(
            "No effects by module: they are of other forms against plain, on the same questions."
        )
    kinds, modules = kinds_of(table), list(dict.fromkeys(table["part"]))
    marks = dict(zip(sorted(kinds), _MARKS, strict=False)) if len(kinds) <= len(_MARKS) else {}
    lines = max(len(marks), len(set(kinds.values())))
    names = forms_in_order(set(table["form"]))
    figure, panels = _panels(len(names), len(modules), max(0.2, 0.045 * lines + 0.08))
    for axes, form in zip(panels, names, strict=True):
        rows = table.filter(pl.col("form") == form)
        axes.axvline(0, color=_LINE, lw=0.8, zorder=0.9)
        axes.set_title(form.replace("-", " "), fontsize=9)
        if marks:
            _draw_models(axes, rows, modules, marks)
        else:
            _draw_ranges(axes, rows, modules, sorted(set(kinds.values())))
        name_rows(axes, [module.replace("-", " ") for module in modules], {})
    reach = np.abs(table.select("effect", *(("low", "high") if marks else ())).to_numpy())
    reach = 1.06 * np.nanmax(reach.astype(float), initial=0.05)
    panels[0].set_xlim(-reach, reach)
    panels[0].xaxis.set_major_formatter("{x:g}")
    figure.supxlabel("effect on accuracy, against plain", fontsize=9)
    draw_key(figure, kinds.values(), _key(marks, labels))
    return figure


def _panels(count: int, rows: int, row: float) -> tuple[Figure, list[Axes]]:
    """Panels in lines of at most five, with ``rows`` rows of so many inches each."""
    lines = math.ceil(count / _MOST_COLUMNS)
    columns = math.ceil(count / lines)
    size = max(2.3 + _WIDTH * columns, 5.4), 1.1 + (0.5 + row * (rows + 0.35)) * lines
    figure, grid = plt.subplots(
        lines, columns, figsize=size, sharex=True, sharey=True, squeeze=False
    )
    panels = list(grid.flat)
    for place, axes in enumerate(panels):
        axes.set_visible(place < count)
        axes.tick_params(labelbottom=place + columns >= count)
    return figure, panels[:count]


def _shifts(count: int) -> np.ndarray:
    """(count,) where so many lines of a row stand, the first above the others."""
    return (np.arange(count) - (count - 1) / 2) * 0.8 / count


def _draw_models(
    axes: Axes, table: pl.DataFrame, modules: Sequence[str], marks: Mapping[str, str]
) -> None:
    shifts = dict(zip(marks, _shifts(len(marks)), strict=True))
    for row in table.iter_rows(named=True):
        place = modules.index(row["part"]) + shifts[row["model"]]
        colour = BY_KIND[row["respondent"]]
        if row["low"] is not None and row["high"] is not None:
            axes.hlines(place, row["low"], row["high"], color=colour, lw=0.7, alpha=0.5)
        face = "white" if row["verdict"] == UNRESOLVED else colour
        look = {"color": colour, "mfc": face, "ms": 3.2, "mew": 0.8, "zorder": 3}
        axes.plot(row["effect"], place, marks[row["model"]], **look)


def _draw_ranges(
    axes: Axes, table: pl.DataFrame, modules: Sequence[str], kinds: Sequence[str]
) -> None:
    shifts = dict(zip(kinds, _shifts(len(kinds)), strict=True))
    effect = pl.col("effect")
    found = table.group_by("part", "respondent", maintain_order=True).agg(
        low=effect.min(), high=effect.max(), median=effect.median()
    )
    for row in found.iter_rows(named=True):
        place, colour = modules.index(row["part"]) + shifts[row["respondent"]], row["respondent"]
        axes.hlines(place, row["low"], row["high"], color=BY_KIND[colour], lw=1.2, alpha=0.6)
        axes.plot(row["median"], place, "o", color=BY_KIND[colour], ms=4, zorder=3)


def _key(marks: Mapping[str, str], labels: Mapping[str, str]) -> list[Line2D]:
    """Entries that say which mark is which model, or that a mark is a median."""
    look = {"color": _GREY, "ls": "", "ms": 4.5}
    if not marks:
        return [Line2D([], [], marker="o", color=_GREY, lw=1.2, ms=4, label="median and range")]
    hollow = Line2D([], [], marker="o", mfc="white", label=UNRESOLVED, **look)
    named = [
        Line2D([], [], marker=mark, label=short_name(model, labels), **look)
        for model, mark in marks.items()
    ]
    return [*named, hollow]
