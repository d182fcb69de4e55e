"""Power of the rationality test at 5 %, by noise, rounds and options shown."""

from __future__ import annotations

import polars as pl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from rationale.figures.style import GRID


def power_figure(table: pl.DataFrame, level: float = 0.05) -> Figure:
    """A panel a number of options; a line a noise; share that passes against rounds asked."""
    table = table.filter(pl.col("level") == level)
    options = sorted(table["options"].unique())
    noises = sorted(table["noise"].unique())
    figure, grid = plt.subplots(
        1, len(options), figsize=(1.2 + 2.4 * len(options), 3.1), sharey=True, squeeze=False
    )
    colours = plt.get_cmap("viridis_r")
    for axes, shown in zip(grid[0], options, strict=True):
        for place, noise in enumerate(noises):
            line = table.filter((pl.col("options") == shown) & (pl.col("noise") == noise))
            line = line.sort("rounds")
            colour = colours(0.15 + 0.8 * place / max(len(noises) - 1, 1))
            axes.fill_between(
                line["rounds"], line["low"], line["high"], color=colour, alpha=0.18, lw=0
            )
            label = "random choice" if noise == float("inf") else f"noise {noise:g}"
            axes.plot(line["rounds"], line["share"], "o-", ms=3, lw=1.3, color=colour, label=label)
        axes.axhline(level, color="#8a8f98", lw=0.8, ls=(0, (2, 2)))
        axes.set_xscale("log", base=2)
        ticks = sorted(table["rounds"].unique())
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.minorticks_off()
        axes.set_title(f"{shown} options shown")
        axes.set_xlabel("rounds")
        axes.set_ylim(0, 1.02)
        axes.grid(color=GRID)
    grid[0, 0].set_ylabel(f"share that passes at {level:.0%}")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=8)
    return figure
