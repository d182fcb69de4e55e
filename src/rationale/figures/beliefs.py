"""Figures of moral beliefs, a row a model: likelihoods of action 1, question forms, decodings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rationale.figures.rows import (
    AMBIGUITIES,
    draw_estimate,
    draw_key,
    kinds_of,
    name_rows,
    present,
    row_panels,
    words_figure,
)
from rationale.figures.style import BY_KIND, FAINT

_TITLES = {
    "low": "low ambiguity: action 1\nis the commonsense one",
    "high": "high ambiguity\n",
}
_GREY = "#6d7380"
_BASE = 0.36  # where the bars of a row stand, in rows below its middle
_BINS = np.linspace(0, 1, 21)
_MARKERS = "DosX^vP"
_ABSENT = {"color": "#8a8f98", "bbox": {"color": "white", "pad": 1}}


def likelihood_figure(beliefs: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A row a model: how its likelihoods of action 1 spread over scenarios (Scherrer et al., Fig. 3).

    ``beliefs`` has a row a model and scenario: model, respondent, ambiguity, scenario_id and
    p_action1, the marginal action likelihood; a null is no answer and is left out of its row's n.
    Each row's bars reach to its own fullest bin. The largest mean in low ambiguity is on top (in high
    ambiguity for models or surveys without low).
    """
    beliefs = beliefs.with_columns(pl.col("p_action1").cast(pl.Float64).fill_nan(None))
    if beliefs.is_empty():
        return words_figure("No likelihoods: no scenario was answered.")
    shown, models, kinds = present(beliefs), _by_mean(beliefs), kinds_of(beliefs)
    figure, panels = row_panels(len(shown), 2.55, len(models))
    for axes, ambiguity in zip(panels, shown, strict=True):
        part = beliefs.filter(pl.col("ambiguity") == ambiguity).drop_nulls("p_action1")
        values = {model: rows["p_action1"].to_numpy() for (model,), rows in part.group_by("model")}
        axes.axvline(0.5, color="#a9afb9", lw=0.8, ls=(0, (2, 2)), zorder=0.8)
        for place, model in enumerate(models):
            _ridge(axes, place, values.get(model, np.empty(0)), BY_KIND[kinds[model]])
        name_rows(axes, models, labels)
        axes.set(xlim=(-0.03, 1.03), xlabel="likelihood of action 1")
        axes.set_title(
            _TITLES[ambiguity] if len(shown) > 1 else _TITLES[ambiguity].rstrip(), fontsize=9
        )
        axes.text(1.03, -0.75, "n", transform=axes.get_yaxis_transform(), fontsize=7, color=_GREY)
    bars = Patch(color=FAINT, label="scenarios, scaled by row")
    middle = Line2D([], [], color=_GREY, marker="o", mec="white", label="median and quartiles")
    draw_key(figure, kinds.values(), [bars, middle])
    return figure


def effects_figure(orders: pl.DataFrame, forms: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A row a model: what the order of the actions and the template do to its likelihoods.

    ``orders`` has model, respondent, ambiguity, order_effect (likelihood of an action listed first
    minus listed second); ``forms`` has model, respondent, ambiguity, template, effect (the template's
    likelihood of action 1 minus the mean over templates); each effect with its ends _low and _high,
    null where there is no interval. The smallest order effect, sign aside, is on top.
    """
    orders, forms = orders.fill_nan(None), forms.fill_nan(None)
    if orders.is_empty() and forms.is_empty():
        return words_figure("No effects of order or template: no scenario was answered.")
    heads = [part.select("model", "respondent", "ambiguity") for part in (orders, forms)]
    both = pl.concat(heads, how="vertical_relaxed")
    models, kinds, shown = _by_order_effect(orders, both["model"]), kinds_of(both), present(both)
    templates = sorted(forms["template"].unique())
    figure, panels = row_panels(1 + len(templates), 1.6, len(models))
    _effects(panels[0], orders, "order_effect", models, shown)
    panels[0].set(title="order of actions", xlabel="listed first\nminus second")
    for axes, template in zip(panels[1:], templates, strict=True):
        _effects(axes, forms.filter(pl.col("template") == template), "effect", models, shown)
        axes.set(title=f"template {template}", xlabel="template\nminus mean")
    _share_scale(panels[1:])
    for axes in panels:
        name_rows(axes, models, labels)
    fills = [
        Line2D(
            [], [], ls="", marker="o", color=_GREY, mfc=_fill(way, _GREY), label=f"{way} ambiguity"
        )
        for way in shown
    ]
    draw_key(figure, kinds.values(), fills)
    return figure


def decoding_figure(table: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """A row a model: its uncertainty and consistency under each way of decoding, joined by a line.

    ``table`` has model, respondent, ambiguity, decoding ("study" or a name), qf_e and qf_c, each with
    its ends _low and _high; nulls are not drawn. Rows keep the table's order.
    """
    table = table.fill_nan(None)
    if table.is_empty():
        return words_figure("No decodings: no scenario was answered.")
    models, kinds = list(dict.fromkeys(table["model"])), kinds_of(table)
    decodings = sorted(table["decoding"].unique(), key=lambda name: (name != "study", name))
    columns = [(measure, way) for measure in ("qf_e", "qf_c") for way in present(table)]
    figure, panels = row_panels(len(columns), 1.6, len(models))
    for axes, (measure, ambiguity) in zip(panels, columns, strict=True):
        part = table.filter(pl.col("ambiguity") == ambiguity)
        _decodings(axes, part, measure, models, decodings)
        name_rows(axes, models, labels)
        axes.set(title=f"{ambiguity} ambiguity", xlabel=measure.upper().replace("_", "-"))
        axes.set_xlim(min(-0.04, axes.get_xlim()[0]), max(1.04, axes.get_xlim()[1]))
        axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    marks = [
        Line2D(
            [],
            [],
            ls="",
            marker=_marker(i),
            color=_GREY,
            mfc=_fill_first(i, _GREY),
            ms=5,
            label=name,
        )
        for i, name in enumerate(decodings)
    ]
    draw_key(figure, kinds.values(), marks)
    return figure


def _by_mean(beliefs: pl.DataFrame) -> list[str]:
    shown = present(beliefs)
    likelihood = pl.col("p_action1")
    means = [likelihood.filter(pl.col("ambiguity") == way).mean().alias(way) for way in shown]
    down = [True] * len(shown)
    table = beliefs.group_by("model").agg(means)
    return list(table.sort(*shown, "model", descending=[*down, False], nulls_last=True)["model"])


def _by_order_effect(orders: pl.DataFrame, models: Iterable[str]) -> list[str]:
    sizes = {
        (model, way): abs(effect)
        for model, way, effect in orders.select("model", "ambiguity", "order_effect").iter_rows()
        if effect is not None
    }
    last = float("inf")
    return sorted(set(models), key=lambda m: (*(sizes.get((m, w), last) for w in AMBIGUITIES), m))


def _ridge(axes: Axes, place: int, values: np.ndarray, colour: str) -> None:
    beside = axes.get_yaxis_transform()
    axes.text(1.03, place, f"{len(values)}", transform=beside, va="center", fontsize=7, color=_GREY)
    if len(values) == 0:
        axes.text(0.02, place, "no scenario answered", va="center", fontsize=8, **_ABSENT)
        return
    counts, _ = np.histogram(values, _BINS)
    base = place + _BASE
    axes.stairs(
        base - 0.8 * counts / counts.max(),
        _BINS,
        baseline=base,
        fill=True,
        color=colour,
        alpha=0.35,
    )
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    axes.hlines(base, 0, 1, color=FAINT, lw=0.8)
    axes.hlines(base, low, high, color=colour, lw=2.2, zorder=2.5)
    axes.plot(median, base, "o", color=colour, ms=5, mec="white", mew=0.8, zorder=3)


def _effects(
    axes: Axes, table: pl.DataFrame, name: str, models: Sequence[str], shown: Sequence[str]
) -> None:
    axes.axvline(0, color="#8a8f98", lw=0.8, zorder=1)
    shifts = {"low": -0.15, "high": 0.15} if len(shown) == 2 else dict.fromkeys(shown, 0.0)
    for row in table.iter_rows(named=True):
        colour, way = BY_KIND[row["respondent"]], row["ambiguity"]
        place = models.index(row["model"]) + shifts[way]
        draw_estimate(axes, place, row, name, marker="o", color=colour, mfc=_fill(way, colour))
    reach = 1.06 * max(0.05, *np.abs(axes.get_xlim()))
    axes.set_xlim(-reach, reach)


def _fill(ambiguity: str, colour: str) -> str:
    return colour if ambiguity == "low" else "white"


def _share_scale(panels: Sequence[Axes]) -> None:
    reach = max((axes.get_xlim()[1] for axes in panels), default=0)
    for axes in panels:
        axes.set_xlim(-reach, reach)


def _decodings(
    axes: Axes, table: pl.DataFrame, measure: str, models: Sequence[str], decodings: Sequence[str]
) -> None:
    step = 0.6 / len(decodings)
    for place, model in enumerate(models):
        rows = table.filter(pl.col("model") == model).drop_nulls(measure).rows(named=True)
        rows.sort(key=lambda row: decodings.index(row["decoding"]))
        turns = [decodings.index(row["decoding"]) for row in rows]
        heights = place + step * (np.arange(len(rows)) - (len(rows) - 1) / 2)
        axes.plot([row[measure] for row in rows], heights, color="#a9afb9", lw=0.8, zorder=1.5)
        for turn, height, row in zip(turns, heights, rows, strict=True):
            colour = BY_KIND[row["respondent"]]
            look = {"marker": _marker(turn), "color": colour, "mfc": _fill_first(turn, colour)}
            draw_estimate(axes, height, row, measure, **look)


def _marker(turn: int) -> str:
    return _MARKERS[turn % len(_MARKERS)]


def _fill_first(turn: int, colour: str) -> str:
    return "white" if turn else colour
