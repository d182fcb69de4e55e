"""Figure of the profile: a row a model, a column a measure of one of the three studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import NamedTuple

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from rationale.figures.rows import (
    as_numbers,
    draw_estimate,
    draw_key,
    kinds_of,
    name_rows,
    row_panels,
    words_figure,
)
from rationale.figures.style import BY_KIND

_GREY = "#6d7380"
_LINE = "#8a8f98"
_CHANCE = "#a9afb9"
_ABSENT = {"color": "#a9afb9", "fontsize": 6.5, "ha": "center", "va": "center"}
_ABSENT |= {"bbox": {"color": "white", "pad": 1}}
_WIDTH = 1.45  # inches a panel


class _Panel(NamedTuple):
    """What a column shows: estimates one above the other in a row, and lines to hold them against."""

    study: str
    title: str
    axis: str
    measures: tuple[str, ...]
    lines: tuple[float, ...] = ()


def _ways(measure: str) -> tuple[str, str]:
    return f"{measure}_low_ambiguity", f"{measure}_high_ambiguity"


_PANELS = (
    _Panel("priced survey", "rationality", "CCEI", ("ccei",)),
    _Panel("priced survey", "same answers", "share of rounds,\ntwo forms", ("same_answer",)),
    _Panel("MoralChoice", "consistency", "QF-C", _ways("qf_c"), (0.6,)),
    _Panel("MoralChoice", "uncertainty", "QF-E in bits", _ways("qf_e"), (0.7,)),
    _Panel("STEER", "transitivity", "normalised\naccuracy", ("transitivity_normalised",), (0.0,)),
    _Panel("STEER", "independence", "normalised\naccuracy", ("independence_normalised",), (0.0,)),
)
Coin = Mapping[str, tuple[float, float]]


def profile_figure(
    profile: pl.DataFrame, labels: Mapping[str, str], random: Coin | None = None
) -> Figure:
    """A row a model over the three studies, each measure on its own scale.

    ``profile`` has the columns of reporting.profile.SCHEMA. A measure that no model has gets no column
    and is named below; a model without a measure gets a dash. Bars stand at the CCEI's ceiling, at the
    share of same answers of one that takes any option, and, with ``random`` (ambiguity to (QF-E,
    QF-C)), at what choice by coin is expected to give. Dashed lines are the thresholds of
    consistency and certainty, and guessing. Panels of one measure share their range. The largest
    value of the first column is on top.
    """
    table = as_numbers(profile, *(m for panel in _PANELS for m in panel.measures))
    table = as_numbers(table, "ceiling", "same_answer_chance", "ccei_p_plus")
    shown = [panel for panel in _PANELS if _any(table, panel.measures)]
    if not shown:
        return words_figure(
            "No profile: no model has one of its measures (of STEER: transitivity and independence "
            "alone)."
        )
    first = shown[0].measures[0]
    table = table.sort(first, "model", descending=[True, False], nulls_last=True)
    figure, axes_of = row_panels(len(shown), _WIDTH, len(table))
    for number, (axes, panel) in enumerate(zip(axes_of, shown, strict=True)):
        _draw_panel(axes, panel, table, random or {})
        name_rows(axes, table["model"], labels)
        axes.set_title(panel.title, fontsize=9)
        axes.set_xlabel(panel.axis)
        if number == 0 or shown[number - 1].study != panel.study:
            above = {"xycoords": "axes fraction", "textcoords": "offset points"}
            axes.annotate(panel.study, (0, 1), (0, 20), fontweight="bold", **above)
    _share_ranges(axes_of, shown)
    _note_absent(figure, [panel for panel in _PANELS if panel not in shown])
    draw_key(figure, kinds_of(table).values(), _key(shown))
    return figure


def _any(table: pl.DataFrame, measures: Sequence[str]) -> bool:
    return any(table[measure].is_not_null().any() for measure in measures)


def _draw_panel(axes: Axes, panel: _Panel, table: pl.DataFrame, random: Coin) -> None:
    for line in panel.lines:
        axes.axvline(line, color=_LINE, lw=0.8, ls=(0, (2, 2)), zorder=0.8)
    for place, row in enumerate(table.iter_rows(named=True)):
        _draw_row(axes, panel, place, row, random)
    ends = axes.get_xlim()
    axes.set_xlim(min(-0.04, ends[0]), max(1.04, ends[1]))
    axes.xaxis.set_major_locator(MultipleLocator(0.5))
    axes.xaxis.set_major_formatter("{x:g}")
    if panel.measures == ("ccei",):
        _write_p(axes, table)


def _share_ranges(axes_of: Sequence[Axes], shown: Sequence[_Panel]) -> None:
    """One range for the panels of a study that show the same measure."""
    alike: dict[tuple[str, str], list[Axes]] = {}
    for axes, panel in zip(axes_of, shown, strict=True):
        alike.setdefault((panel.study, panel.axis), []).append(axes)
    for group in alike.values():
        lows, highs = zip(*(axes.get_xlim() for axes in group), strict=True)
        for axes in group:
            axes.set_xlim(min(lows), max(highs))


def _draw_row(axes: Axes, panel: _Panel, place: int, row: Mapping, random: Coin) -> None:
    if all(row[measure] is None for measure in panel.measures):
        axes.text(0.5, place, "no data", transform=axes.get_yaxis_transform(), **_ABSENT)
        return
    colour = BY_KIND[row["respondent"]]
    shifts = (0.0,) if len(panel.measures) == 1 else (-0.17, 0.17)
    for measure, shift in zip(panel.measures, shifts, strict=True):
        bar = _reference(measure, row, random)
        if bar is not None and row[measure] is not None:
            colours = _GREY if measure == "ccei" else _CHANCE
            axes.plot(bar, place + shift, "|", color=colours, ms=8 - 18 * abs(shift), mew=1.3)
        face = "white" if measure.endswith("high_ambiguity") else colour
        estimate = {**dict.fromkeys((f"{measure}_low", f"{measure}_high")), **row}
        draw_estimate(axes, place + shift, estimate, measure, marker="o", color=colour, mfc=face)


def _reference(measure: str, row: Mapping, random: Coin) -> float | None:
    """What an estimate is held against: the ceiling, or what chance gives."""
    if measure in ("ccei", "same_answer"):
        return row["ceiling" if measure == "ccei" else "same_answer_chance"]
    way = "low" if "_low_" in measure else "high"
    if measure.startswith("qf_") and way in random:
        return random[way][0 if measure.startswith("qf_e") else 1]
    return None


def _write_p(axes: Axes, table: pl.DataFrame) -> None:
    """The p of the rationality test at the right of the CCEI, over the draws and the data."""
    look = {"transform": axes.get_yaxis_transform(), "fontsize": 7, "color": _GREY}
    axes.text(1.03, -0.75, "p", **look)
    for place, (ccei, p) in enumerate(table.select("ccei", "ccei_p_plus").iter_rows()):
        if ccei is not None and p is not None:
            words = "<.01" if p < 0.01 else f"{p:.2f}".replace("0.", ".", 1)
            axes.text(1.03, place, words, va="center", **look)


def _note_absent(figure: Figure, absent: Sequence[_Panel]) -> None:
    if not absent:
        return
    names = ", ".join(f"{panel.title} ({panel.study})" for panel in absent)
    note = fill(f"Not measured: {names}.", int(15 * figure.get_figwidth()))
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5)


def _key(shown: Sequence[_Panel]) -> list[Line2D]:
    mark = {"color": _GREY, "ls": "", "ms": 5}
    entries = [
        Line2D([], [], marker="|", ls="", ms=8, mew=1.3, color=colour, label=label)
        for colour, label in ((_GREY, "ceiling"), (_CHANCE, "random choice"))
    ]
    if any(panel.lines for panel in shown):
        dashes = {"color": _LINE, "lw": 0.8, "ls": (0, (2, 2))}
        entries.append(Line2D([], [], label="threshold, or guessing", **dashes))
    if any(len(panel.measures) == 2 for panel in shown):
        entries.append(Line2D([], [], marker="o", label="low ambiguity", **mark))
        entries.append(Line2D([], [], marker="o", mfc="white", label="high ambiguity", **mark))
    return entries
