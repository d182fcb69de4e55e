"""Figures that compare: which model wins more elements of STEER, and what a form does to each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from matplotlib import colormaps
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from rationale.figures.panels import small_panels
from rationale.figures.rows import (
    as_numbers,
    draw_key,
    kinds_of,
    name_cells,
    short_name,
    words_figure,
)
from rationale.figures.steer import PLAIN, of_one_form
from rationale.figures.style import BY_KIND, INK

UNRESOLVED = "not resolved"
_MOST_NUMBERS = 14  # with more models the cells are too small for numbers
_ABSENT = "#d9dce1"
_GREY = "#6d7380"
_LINE = "#a9afb9"
_COLOURS = colormaps["RdBu"]
_SHARES = Normalize(0, 1)
_SHOTS = re.compile(r"shots-(\d+)")


def wins_figure(
    differences: pl.DataFrame, steer: pl.DataFrame, labels: Mapping[str, str]
) -> Figure:
    """Share of elements that the model of a row wins over the model of a column, ties half.

    ``differences`` has a row a pair: form, model_1, model_2, win_share (of model_1), verdict; ``steer``
    gives the kinds of the models (model, respondent). One form is drawn (`of_one_form`). A pair whose
    verdict is 'not resolved' is hatched; a pair without a common element is grey. The model with the
    largest mean share stands first. Fewer than two models: a figure that says so.
    """
    table = as_numbers(of_one_form(differences), "win_share")
    if table.is_empty():
        return words_figure(
            "No wins to show: it takes two models that answered the same questions."
        )
    models = _by_share(table)
    shares, open_ = _matrices(table, models)
    figure, axes = _map_axes(models, labels)
    _draw_shares(axes, shares, open_)
    kinds = kinds_of(steer)
    name_cells(axes, models, labels, kinds)
    axes.set_xlabel("against this one")
    axes.set_ylabel("this model wins")
    beside = axes.inset_axes((1.02, 0, min(0.08, 0.3 / len(models)), 1))
    scale = figure.colorbar(
        ScalarMappable(_SHARES, _COLOURS), cax=beside, label="share of elements"
    )
    scale.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    scale.outline.set_visible(False)
    hatched = Patch(fc="white", ec=_GREY, hatch="/////", lw=0.5, label="not resolved")
    draw_key(figure, [kinds[model] for model in models], [hatched])
    return figure


def _by_share(table: pl.DataFrame) -> list[str]:
    """Models, the largest mean share of wins first."""
    turned = table.select(model=pl.col("model_2"), share=1 - pl.col("win_share"))
    own = table.select(model=pl.col("model_1"), share=pl.col("win_share"))
    means = pl.concat([own, turned]).group_by("model").agg(pl.col("share").mean())
    return list(means.sort("share", "model", descending=[True, False], nulls_last=True)["model"])


def _matrices(table: pl.DataFrame, models: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Shares (m, m), NaN where there is none, and which pairs are not resolved (m, m)."""
    place = {model: number for number, model in enumerate(models)}
    shares = np.full((len(models), len(models)), np.nan)
    open_ = np.zeros(shares.shape, dtype=bool)
    for row in table.drop_nulls("win_share").iter_rows(named=True):
        i, j = place[row["model_1"]], place[row["model_2"]]
        shares[i, j], shares[j, i] = row["win_share"], 1 - row["win_share"]
        open_[i, j] = open_[j, i] = row["verdict"] == UNRESOLVED
    return shares, open_


def _map_axes(models: Sequence[str], labels: Mapping[str, str]) -> tuple[Figure, Axes]:
    cells = max(1.7, float(np.clip(7 / len(models), 0.17, 0.5)) * len(models))  # inches
    longest = 0.068 * max(len(short_name(model, labels)) for model in models)
    size = max(cells + longest + 1.5, 5.2), cells + 0.87 * longest + 1.1
    figure, axes = plt.subplots(figsize=size)
    axes.spines["bottom"].set_visible(False)
    return figure, axes


def _draw_shares(axes: Axes, shares: np.ndarray, open_: np.ndarray) -> None:
    own = np.eye(len(shares), dtype=bool)
    colours = _COLOURS(_SHARES(np.nan_to_num(shares)))
    colours[np.isnan(shares)] = to_rgba(_ABSENT)
    colours[own] = (1, 1, 1, 1)
    axes.imshow(colours)
    boxes = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(open_)]
    hatch = {"facecolor": "none", "edgecolor": _LINE, "hatch": "/////", "linewidth": 0}
    axes.add_collection(PatchCollection(boxes, **hatch))
    if len(shares) <= _MOST_NUMBERS:
        for i, j in np.argwhere(~own):
            _write(axes, int(i), int(j), shares[i, j], open_[i, j])


def _write(axes: Axes, i: int, j: int, share: float, open_: bool) -> None:
    words = "–" if np.isnan(share) else f"{share:.2f}".replace("0.", ".", 1)
    colour = "white" if abs(share - 0.5) > 0.33 and not open_ else INK
    box = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.85}
    look = {"ha": "center", "va": "center", "fontsize": 7, "color": colour}
    axes.text(j, i, words, bbox=box if open_ else None, **look)


def form_effects_figure(forms: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A panel a model: what examples shown and other forms do to its accuracy against the plain form.

    ``forms`` has model, respondent, form, by, effect (accuracy of the form minus that of plain on the
    same questions), low, high and verdict; rows for all questions (by = 'all') are drawn. Few-shot
    forms stand at their number of examples, plain at 0; the other forms follow at the right. A hollow
    mark is not resolved. The model with the largest effect of any form comes first.
    """
    table = forms.filter((pl.col("by") == "all") & (pl.col("form") != PLAIN))
    table = table.with_columns(pl.col("effect", "low", "high").cast(pl.Float64).fill_nan(None))
    if table.is_empty():
        return words_figure(
            "No effects: they are of other forms against plain, on the same questions."
        )
    largest = table.group_by("model").agg(pl.col("effect").max())
    down = {"descending": [True, False], "nulls_last": True}
    models = list(largest.sort("effect", "model", **down)["model"])
    kinds, places = kinds_of(table), _places(set(table["form"]))
    figure, panels = small_panels(models, kinds, labels, (1.72, 1.3))
    for axes, model in zip(panels, models, strict=True):
        rows = table.filter(pl.col("model") == model).rows(named=True)
        _draw_forms(axes, {row["form"]: row for row in rows}, places, BY_KIND[kinds[model]])
    _dress_forms(figure, panels, places, table)
    filled = Line2D([], [], color=_GREY, marker="o", ls="", ms=4, label="resolved")
    hollow = Line2D([], [], color=_GREY, marker="o", ls="", ms=4, mfc="white", label=UNRESOLVED)
    draw_key(figure, kinds.values(), [filled, hollow])
    return figure


def _places(forms: set[str]) -> dict[str, float]:
    """Where each form stands: few-shot at its number of examples, the rest beyond the last of them."""
    ordered = forms_in_order(forms)
    shots = {form: int(found[1]) for form in ordered if (found := _SHOTS.fullmatch(form))}
    rest = [form for form in ordered if form not in shots]
    first = max(shots.values()) + 1.7 if shots else 0
    return {**shots, **{form: first + 1.2 * step for step, form in enumerate(rest)}}


def forms_in_order(forms: Iterable[str]) -> list[str]:
    """Few-shot forms by their number of examples, then the other forms."""
    return sorted(forms, key=_in_order)


def _in_order(form: str) -> tuple[int, int, str]:
    if found := _SHOTS.fullmatch(form):
        return 0, int(found[1]), form
    known = ("together", "apart", "none-correct", "free")
    return 1, known.index(form) if form in known else len(known), form


def _draw_forms(
    axes: Axes, rows: Mapping[str, Mapping], places: Mapping[str, float], colour: str
) -> None:
    axes.axhline(0, color=_LINE, lw=0.8, zorder=0.9)
    shown = [(x, rows[form]) for form, x in places.items() if form in rows]
    shots = [(0, 0.0)] + [(x, row["effect"]) for x, row in shown if _SHOTS.fullmatch(row["form"])]
    shots = sorted((x, effect) for x, effect in shots if effect is not None)
    if len(shots) > 1:
        axes.plot(*zip(*shots, strict=True), color=colour, lw=1, zorder=1.5)
        axes.plot(0, 0, "|", color=colour, ms=5)
    for x, row in shown:
        if row["effect"] is None:
            continue
        if row["low"] is not None and row["high"] is not None:
            axes.vlines(x, row["low"], row["high"], color=colour, lw=1)
        face = "white" if row["verdict"] == UNRESOLVED else colour
        axes.plot(x, row["effect"], "o", color=colour, mfc=face, ms=3.6, mew=0.9, zorder=3)


def _dress_forms(
    figure: Figure, panels: Sequence[Axes], places: Mapping[str, float], table: pl.DataFrame
) -> None:
    shots = [form for form in places if _SHOTS.fullmatch(form)]
    rest = [form for form in places if form not in shots]
    ticks = [(0, "0")] * bool(shots) + [(places[form], form.split("-")[1]) for form in shots]
    named = [(places[form], form.replace("-", " ")) for form in rest]
    ticks = sorted(ticks) + named
    panels[0].set_xticks([x for x, _ in ticks], [name for _, name in ticks])
    panels[0].set_xlim(-0.6, max(places.values()) + 0.6)
    for axes in panels:
        if shots and rest:
            axes.axvline(places[rest[0]] - 0.85, color=_LINE, lw=0.6, ls=":")
        for label in axes.get_xticklabels()[len(ticks) - len(named) :]:
            label.set(rotation=60, ha="right", rotation_mode="anchor", fontsize=6.5)
    reach = np.abs(table.select("effect", "low", "high").to_numpy().astype(float))
    reach = 1.06 * np.nanmax(reach, initial=0.05)
    panels[0].set_ylim(-reach, reach)
    panels[0].yaxis.set_major_formatter("{x:g}")
    figure.supylabel("effect on accuracy", fontsize=9)
    words = " | ".join(["examples shown"] * bool(shots) + ["forms"] * bool(rest))
    figure.supxlabel(f"{words}, against plain", fontsize=9)
