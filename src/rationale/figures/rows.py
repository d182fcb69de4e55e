"""What figures of several respondents share: names, kinds, keys, panels with rows, estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rationale.figures.style import BY_KIND, GRID, INK, KIND_WORDS

AMBIGUITIES = ("low", "high")
_LONGEST = 28  # characters of a name
_SEAMS = "-._/ "


def words_figure(words: str) -> Figure:
    """A figure that says in words why there is nothing to draw."""
    figure, axes = plt.subplots(figsize=(6, 1.2))
    axes.set_axis_off()
    axes.text(0, 0.5, words, va="center", color=INK, wrap=True)
    return figure


def short_name(model: str, labels: Mapping[str, str]) -> str:
    """The model's label; a long one loses its middle, since versions differ at the end."""
    name = labels.get(model, model)
    return (
        name if len(name) <= _LONGEST else f"{name[:13].rstrip(_SEAMS)}…{name[-14:].lstrip(_SEAMS)}"
    )


def present(table: pl.DataFrame) -> list[str]:
    """The ambiguities that the table has, low first."""
    return [ambiguity for ambiguity in AMBIGUITIES if ambiguity in set(table["ambiguity"])]


def kinds_of(table: pl.DataFrame) -> dict[str, str]:
    """Kind of respondent (llm, recorded, simulated) by model."""
    return dict(table.select("model", "respondent").unique(maintain_order=True).iter_rows())


def as_numbers(table: pl.DataFrame, *names: str) -> pl.DataFrame:
    """The table with these columns and their ends (_low, _high) as numbers; NaN is missing.

    A column without any value comes out of a CSV file as text.
    """
    wanted = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    there = [name for name in wanted if name in table.columns]
    return table.with_columns(pl.col(there).cast(pl.Float64).fill_nan(None))


def kind_marks(kinds: Iterable[str]) -> list[Line2D]:
    """Entries of a key: a mark for each kind of respondent among ``kinds``."""
    found = set(kinds)
    return [
        Line2D([], [], marker="o", ls="", color=BY_KIND[kind], ms=5, label=KIND_WORDS[kind])
        for kind in BY_KIND
        if kind in found
    ]


def draw_key(figure: Figure, kinds: Iterable[str], extra: Sequence[Line2D | Patch] = ()) -> None:
    """A key above the panels: ``extra`` entries, then the kinds of respondents; one line if it fits."""
    handles = [*extra, *kind_marks(kinds)]
    widths = [0.45 + 0.066 * len(handle.get_label()) for handle in handles]  # inches
    room = figure.get_figwidth()
    columns = len(handles) if sum(widths) <= room else max(1, int(room / max(widths)))
    figure.legend(
        handles=handles, loc="outside upper left", ncols=columns,
        frameon=False, fontsize=8, columnspacing=1.4, handletextpad=0.6,
    )  # fmt: skip


def row_panels(columns: int, width: float, rows: int) -> tuple[Figure, list[Axes]]:
    """Panels side by side, each ``width`` inches, with room for names at the left of the first."""
    row = 0.36 if rows <= 12 else 0.27  # inches
    size = (max(2.3 + width * columns, 5.4), 1.6 + row * rows)
    figure, grid = plt.subplots(1, columns, figsize=size, sharey=True, squeeze=False)
    return figure, list(grid[0])


def name_rows(axes: Axes, models: Sequence[str], labels: Mapping[str, str]) -> None:
    """Name a row a model, the first on top."""
    axes.set_yticks(range(len(models)), [short_name(model, labels) for model in models])
    axes.set_ylim(len(models) - 0.4, -0.75)
    axes.set_axisbelow(True)
    axes.grid(axis="x", color=GRID)


def draw_estimate(axes: Axes, place: float, row: Mapping, name: str, **look: str) -> None:
    """A mark at the estimate, on a thin line over its interval where there is one."""
    if row[name] is None:
        return
    if row[f"{name}_low"] is not None and row[f"{name}_high"] is not None:
        axes.hlines(place, row[f"{name}_low"], row[f"{name}_high"], color=look["color"], lw=1)
    axes.plot(row[name], place, ls="", ms=4, mew=0.9, zorder=3, **look)


def name_cells(
    axes: Axes, models: Sequence[str], labels: Mapping[str, str], kinds: Mapping[str, str]
) -> None:
    """Name the rows and columns of a map of models, each in the colour of its kind."""
    names = [short_name(model, labels) for model in models]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(bottom=False, labelsize=8 if len(names) <= 20 else 7)
    for labelled in (axes.get_xticklabels(), axes.get_yticklabels()):
        for tick, model in zip(labelled, models, strict=True):
            tick.set_color(BY_KIND[kinds[model]])
