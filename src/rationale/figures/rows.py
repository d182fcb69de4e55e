"""What the figures of moral beliefs share: names, kinds of respondents, keys, panels with rows."""

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
