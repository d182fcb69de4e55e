"""Figures of STEER: accuracy of each respondent, over grades and in its worst domain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MultipleLocator

from rationale.figures.panels import small_panels
from rationale.figures.point_labels import label_points
from rationale.figures.rows import (
    as_numbers,
    draw_estimate,
    draw_key,
    kinds_of,
    name_rows,
    row_panels,
    short_name,
    words_figure,
)
from rationale.figures.style import BY_KIND

PLAIN = "plain"
_GREY = "#6d7380"
_LINE = "#a9afb9"
_ABSENT = {"color": "#8a8f98", "fontsize": 8, "va": "center"}
_GAPS = 8  # gaps that carry a label
_ENOUGH = 5  # answers read in a worst domain that is named
_FAINT = 0.16  # of what unread replies leave open


def accuracy_figure(steer: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A row a model: normalised accuracy, and the share of questions answered right beside it.

    ``steer`` has a row a model and form: model, respondent, form, questions, answered, guess_rate,
    accuracy_worst, accuracy_best, accuracy and normalised, each of the last two with its ends _low and
    _high; of the forms, one is drawn (`of_one_form`). Faint bars reach from the worst to the best
    accuracy where these differ. Null estimates and intervals are not drawn. The largest normalised
    accuracy is on top; at the right, questions read of those put.
    """
    table = as_numbers(of_one_form(steer), "normalised", "accuracy", "guess_rate")
    table = as_numbers(table, "accuracy_worst", "accuracy_best")
    if table.is_empty():
        return words_figure("No accuracy: no question was put.")
    table = table.sort("normalised", "model", descending=[True, False], nulls_last=True)
    kinds = kinds_of(table)
    figure, panels = row_panels(2, 2.6, len(table))
    panels[0].axvline(0, color=_LINE, lw=0.8, ls=(0, (2, 2)), zorder=0.8)
    for axes, measure in zip(panels, ("normalised", "accuracy"), strict=True):
        for place, row in enumerate(table.iter_rows(named=True)):
            draw_estimate(axes, place, row, measure, marker="o", color=BY_KIND[row["respondent"]])
        name_rows(axes, table["model"], labels)
    for place, row in enumerate(table.iter_rows(named=True)):
        _guess_and_count(panels, place, row)
        _draw_unread(panels[1], place, row)
    for axes in panels:
        axes.xaxis.set_major_locator(MultipleLocator(0.25))
        axes.xaxis.set_major_formatter("{x:g}")
    panels[0].set(xlim=(min(-0.05, 1.03 * panels[0].get_xlim()[0]), 1.03))
    panels[0].set_xlabel("normalised accuracy\n(0: guessing, 1: every answer right)")
    panels[1].set(xlim=(-0.03, 1.03), xlabel="accuracy\n(exact match)")
    beside = panels[1].get_yaxis_transform()
    panels[1].text(1.03, -0.75, "read", transform=beside, fontsize=7, color=_GREY)
    guess = Line2D([], [], color=_GREY, marker="|", ls="", ms=8, label="guess rate")
    unread = Patch(fc=_GREY, alpha=_FAINT, label="unread all wrong to all right")
    short = table["accuracy_worst"] < table["accuracy_best"]
    draw_key(figure, kinds.values(), [guess, unread] if short.any() else [guess])
    return figure


def of_one_form(table: pl.DataFrame) -> pl.DataFrame:
    """The rows of the plain form; of the first one where plain was not put."""
    forms = table["form"].unique(maintain_order=True).to_list()
    drawn = PLAIN if PLAIN in forms or not forms else forms[0]
    return table.filter(pl.col("form") == drawn)


def _guess_and_count(panels: list[Axes], place: int, row: Mapping) -> None:
    right = panels[-1]
    if row["normalised"] is None and row["accuracy"] is None:
        for axes in panels:
            axes.text(0.02, place, "no answer read", **_ABSENT)
    elif row["guess_rate"] is not None:
        right.plot(row["guess_rate"], place, "|", color=_GREY, ms=8, zorder=2)
    whole = row["answered"] == row["questions"]
    words = f"{row['answered']}" if whole else f"{row['answered']} of {row['questions']}"
    beside = right.get_yaxis_transform()
    right.text(1.03, place, words, transform=beside, va="center", fontsize=7, color=_GREY)


def _draw_unread(axes: Axes, place: int, row: Mapping) -> None:
    """A faint bar over what accuracy of all questions may be, where some were not read."""
    worst, best = row["accuracy_worst"], row["accuracy_best"]
    if worst is not None and best is not None and worst < best:
        look = {"color": BY_KIND[row["respondent"]], "alpha": _FAINT, "lw": 0, "zorder": 0.9}
        axes.barh(place, best - worst, 0.5, worst, **look)


def grades_figure(parts: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A panel a model: accuracy by grade over what guessing gets there (Raman et al., Fig. 6, top).

    ``parts`` has model, respondent, form, by, part, answered, guess_rate and accuracy with its ends
    _low and _high; rows of one form by grade are drawn, ``part`` being the grade. A grade
    without an answer interrupts the line. The model with the largest mean over grades of accuracy
    above guessing comes first.
    """
    table = of_one_form(parts).filter(pl.col("by") == "grade")
    table = as_numbers(table, "accuracy", "guess_rate").with_columns(
        grade=pl.col("part").cast(pl.Int64)
    )
    if table.is_empty():
        return words_figure("No accuracy by grade: no question was put.")
    above = (pl.col("accuracy") - pl.col("guess_rate")).mean().alias("above")
    order = table.group_by("model").agg(above)
    models = order.sort("above", "model", descending=[True, False], nulls_last=True)["model"]
    grades = range(table["grade"].min(), table["grade"].max() + 1)
    kinds = kinds_of(table)
    figure, panels = small_panels(list(models), kinds, labels, (1.72, 1.2))
    for axes, model in zip(panels, models, strict=True):
        _draw_grades(axes, table.filter(pl.col("model") == model), grades, BY_KIND[kinds[model]])
    step = 1 if len(grades) <= 7 else 2
    panels[0].set(xlim=(grades[0] - 0.6, grades[-1] + 0.6), ylim=(-0.06, 1.06))
    panels[0].set_xticks(grades[::step])
    panels[0].set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    figure.supxlabel("grade", fontsize=9)
    figure.supylabel("accuracy", fontsize=9)
    guess = Line2D([], [], color=_GREY, lw=1, ls=(0, (2, 1.5)), label="guess rate of the grade")
    draw_key(figure, kinds.values(), [guess])
    return figure


def _draw_grades(axes: Axes, table: pl.DataFrame, grades: range, colour: str) -> None:
    rows = {row["grade"]: row for row in table.iter_rows(named=True)}
    missing = dict.fromkeys(("accuracy", "accuracy_low", "accuracy_high", "guess_rate"))
    drawn = [rows.get(grade, missing) for grade in grades]
    accuracy, low, high, guess = (
        np.array([row[name] for row in drawn], dtype=float) for name in missing
    )
    axes.plot(grades, guess, color=_GREY, lw=1, ls=(0, (2, 1.5)), zorder=1.5)
    both = ~np.isnan(low + high)
    axes.vlines(np.array(grades)[both], low[both], high[both], color=colour, lw=1, alpha=0.6)
    axes.plot(grades, accuracy, color=colour, lw=1.1, marker="o", ms=3, mec="white", mew=0.4)
    if np.isnan(accuracy).all():
        axes.text(0.5, 0.5, "no answer read", transform=axes.transAxes, ha="center", **_ABSENT)


def domains_figure(elements: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Worst domain against all domains, a point an element and model (Raman et al., Fig. 6, bottom).

    ``elements`` has model, respondent, form, element, worst_domain, worst_answered, normalised and
    worst_normalised; rows of one form are drawn that have both estimates. Of the gaps with at
    least five answers read in the worst domain, the eight largest carry the names of their elements,
    each at the model where its gap is largest.
    """
    table = as_numbers(of_one_form(elements), "normalised", "worst_normalised")
    table = table.drop_nulls(["normalised", "worst_normalised"])
    if table.is_empty():
        return words_figure("No worst domain: no element was answered in two domains or more.")
    figure, axes = plt.subplots(figsize=(6.6, 6.4))
    size = 5 if len(table) <= 200 else 3.5
    for (kind,), rows in table.group_by("respondent", maintain_order=True):
        look = {"color": BY_KIND[kind], "ms": size, "mec": "white", "mew": 0.4, "alpha": 0.7}
        axes.plot(rows["normalised"], rows["worst_normalised"], "o", **look)
    _dress_domains(axes, table)
    diagonal = Line2D([], [], color=_LINE, lw=1, label="no domain is worse")
    guessing = Line2D([], [], color=_LINE, lw=0.8, ls=(0, (2, 2)), label="guessing")
    draw_key(figure, table["respondent"], [diagonal, guessing])
    figure.draw_without_rendering()  # labels look for places in the finished layout
    _number_gaps(axes, table, labels)
    return figure


def _dress_domains(axes: Axes, table: pl.DataFrame) -> None:
    least = min(table["normalised"].min(), table["worst_normalised"].min(), 0)
    ends = (least - 0.05, 1.05)
    axes.plot(ends, ends, color=_LINE, lw=1, zorder=0.9)
    dashes = {"color": _LINE, "lw": 0.8, "ls": (0, (2, 2)), "zorder": 0.8}
    axes.plot([0, 0, ends[1]], [ends[0], 0, 0], **dashes)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    axes.set_xlabel("normalised accuracy of the element, all domains")
    axes.set_ylabel("normalised accuracy of the element in its worst domain")
    axes.spines["left"].set_visible(True)
    axes.tick_params(left=True)


def _number_gaps(axes: Axes, table: pl.DataFrame, labels: Mapping[str, str]) -> None:
    """Numbers at the largest gaps; what they are stands above the diagonal, where no point is."""
    found = table.with_columns(gap=pl.col("normalised") - pl.col("worst_normalised"))
    down = [True, False, False]
    enough = found.filter(pl.col("worst_answered") >= _ENOUGH)
    found = enough.filter(pl.col("gap") > 0).sort("gap", "element", "model", descending=down)
    shown = found.unique("element", keep="first", maintain_order=True).head(_GAPS)
    for number, row in enumerate(shown.iter_rows(named=True), start=1):
        colour, y = BY_KIND[row["respondent"]], 0.975 - 0.024 * number
        x = row["normalised"], row["worst_normalised"]
        axes.plot(*x, "o", color=colour, ms=5.5, mec="black", mew=0.8, zorder=4)
        beside = {"transform": axes.transAxes, "fontsize": 7, "va": "top", "color": colour}
        axes.text(0.045, y, f"{number}", ha="right", fontweight="bold", **beside)
        axes.text(0.055, y, _gap_words(row, labels), **beside)
    heading = "largest gaps (n: answers read in the worst domain)"
    if enough.is_empty():
        heading = f"no gap is named: fewer than {_ENOUGH} answers read in every worst domain"
    elif shown.is_empty():
        heading = f"no gap with {_ENOUGH} answers or more read in the worst domain"
    axes.text(0.02, 0.985, heading, transform=axes.transAxes, fontsize=7.5, va="top")
    places, marks = (
        part.select("normalised", "worst_normalised").to_numpy() for part in (shown, table)
    )
    marks = axes.transData.transform(marks)
    numbers = [f"{number}" for number in range(1, len(shown) + 1)]
    label_points(axes, numbers, places, ["black"] * len(shown), np.hstack([marks - 4, marks + 4]))


def _gap_words(row: Mapping, labels: Mapping[str, str]) -> str:
    where = f": {row['worst_domain']}" if row["worst_domain"] else ""
    gap = f" ({row['gap']:.2f}, n = {row['worst_answered']})"
    return f"{row['element'].replace('-', ' ')}, {short_name(row['model'], labels)}{where}{gap}"
