"""Figures of estimated utilities: weights and ideals, and how far open answers are from ideals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rationale.figures.style import BY_KIND, FAINT, GRID, KIND_WORDS

_ROW = 0.34


def utility_figure(
    table: pl.DataFrame, labels: Mapping[str, str], statements: Sequence[str], high: float
) -> Figure:
    """Weights (upper row) and ideals (lower row) by statement, with 95 % intervals.

    One form's logit rows. Filled marks pass the rationality test at 5 %, hollow ones do not.
    """
    rows = list(table.iter_rows(named=True))
    size = (1.9 + 1.75 * len(statements), 1.5 + 2 * _ROW * len(rows) + 0.9)
    figure, grid = plt.subplots(2, len(statements), figsize=size, sharey=True, squeeze=False)
    for column, slug in enumerate(statements):
        for axes, head in zip(grid[:, column], ("a", "b"), strict=True):
            for place, row in enumerate(rows):
                _dot(axes, place, row, row[f"{head}_{slug}"], row[f"se_{head}_{slug}"])
            _name_rows(axes, rows, labels)
        grid[0, column].set_title(slug)
        grid[0, column].axvline(1 / len(statements), color=FAINT, lw=0.8)
        grid[0, column].set_xlim(-0.05, max(0.65, _largest(rows, statements)))
        grid[1, column].set_xlim(-0.9, high + 0.9)
        grid[1, column].axvline(high / 2, color=FAINT, lw=0.8)
    grid[0, 0].set_xlabel("weight")
    grid[1, 0].set_xlabel("ideal answer")
    _key(figure, rows)
    return figure


def gap_figure(
    table: pl.DataFrame,
    openings: Mapping[str, Sequence[int] | None],
    labels: Mapping[str, str],
    statements: Sequence[str],
) -> Figure:
    """Open answer minus ideal, by statement: what a respondent says beyond what its choices show."""
    rows = [row for row in table.iter_rows(named=True) if openings[row["model"]] is not None]
    size = (1.9 + 1.75 * len(statements), 1.3 + _ROW * max(len(rows), 1))
    figure, grid = plt.subplots(1, len(statements), figsize=size, sharey=True, squeeze=False)
    for column, (axes, slug) in enumerate(zip(grid[0], statements, strict=True)):
        axes.axvline(0, color="#8a8f98", lw=0.8)
        for place, row in enumerate(rows):
            ideal = row[f"b_{slug}"]
            if ideal is not None:
                _dot(axes, place, row, openings[row["model"]][column] - ideal, row[f"se_b_{slug}"])
        _name_rows(axes, rows, labels)
        axes.set_title(slug)
        axes.set_xlim(-3.2, 3.2)
    grid[0, 0].set_xlabel("open answer minus ideal")
    _key(figure, rows)
    return figure


def _largest(rows: Sequence[Mapping], statements: Sequence[str]) -> float:
    found = [row[f"a_{slug}"] for row in rows for slug in statements]
    return 1.08 * max((value for value in found if value is not None), default=0.5)


def _dot(axes: Axes, place: int, row: Mapping, value: float | None, error: float | None) -> None:
    if value is None:
        return
    colour = BY_KIND[row["respondent"]]
    if error is not None:
        axes.hlines(place, value - 1.96 * error, value + 1.96 * error, color=colour, lw=1.2)
    fill = colour if row["passes"] else "white"
    axes.plot(value, place, "o", ms=5, color=colour, mfc=fill, mew=1)


def _name_rows(axes: Axes, rows: Sequence[Mapping], labels: Mapping[str, str]) -> None:
    names = [labels.get(row["model"], row["model"]) for row in rows]
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)


def _key(figure: Figure, rows: Sequence[Mapping]) -> None:
    kinds = [kind for kind in BY_KIND if kind in {row["respondent"] for row in rows}]
    marks = [
        Line2D([], [], marker="o", ls="", color=BY_KIND[kind], label=KIND_WORDS[kind])
        for kind in kinds
    ]
    marks.append(
        Line2D(
            [], [], marker="o", ls="", color="#6d7380", mfc="white", label="does not pass at 5 %"
        )
    )
    figure.legend(handles=marks, loc="outside upper left", ncols=5, frameon=False, fontsize=8)
