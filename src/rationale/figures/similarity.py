"""How alike models are: the similarity matrix, and its network at each threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from rationale.figures.style import INK
from rationale.revealed.types import Network, Similarity, networks


def similarity_figure(
    found: Similarity, models: Sequence[str], labels: Mapping[str, str], alphas: Sequence[float]
) -> Figure:
    """Share of draws in which two models have the same type, and the links that follow from it.

    Models stand in the order of an average-linkage clustering. Without draws the figure says why.
    """
    names = [labels.get(model, model) for model in models]
    if not found.draws:
        return _empty(f"No types: {found.status}.")
    side = max(3.2, 1.4 + 0.42 * len(models))
    figure = plt.figure(figsize=(side + 2.9 * len(alphas), side + 0.5))
    grid = figure.add_gridspec(1, 1 + len(alphas), width_ratios=[side] + [2.9] * len(alphas))
    _matrix(figure, figure.add_subplot(grid[0]), found.shares, names)
    layout = _layout(found.shares)
    for column, network in enumerate(networks(found.shares, alphas), start=1):
        _network(figure.add_subplot(grid[column]), network, names, layout)
    figure.suptitle(
        f"{found.draws} draws of {found.rho} rounds a model at efficiency {found.efficiency:.3f}",
        x=0.01,
        ha="left",
        fontsize=9,
    )
    return figure


def _empty(words: str) -> Figure:
    figure, axes = plt.subplots(figsize=(6, 1.2))
    axes.set_axis_off()
    axes.text(0, 0.5, words, va="center", color=INK)
    return figure


def _matrix(figure: Figure, axes: Axes, shares: np.ndarray, names: Sequence[str]) -> None:
    order = _order(shares)
    shown = shares[np.ix_(order, order)].copy()
    np.fill_diagonal(shown, np.nan)
    image = axes.imshow(shown, cmap="GnBu", vmin=0, vmax=1)
    ordered = [names[place] for place in order]
    axes.set_xticks(range(len(names)), ordered, rotation=60, ha="right")
    axes.set_yticks(range(len(names)), ordered)
    axes.spines["bottom"].set_visible(False)
    if len(names) <= 15:
        for i, j in zip(*np.nonzero(~np.isnan(shown)), strict=True):
            colour = "white" if shown[i, j] > 0.65 else INK
            text = f"{shown[i, j]:.2f}".removeprefix("0")
            axes.text(j, i, text, ha="center", va="center", fontsize=7, color=colour)
    figure.colorbar(image, ax=axes, shrink=0.7, label="share of draws in one type")


def _order(shares: np.ndarray) -> np.ndarray:
    if len(shares) < 3:
        return np.arange(len(shares))
    distance = 1 - (shares + shares.T) / 2
    np.fill_diagonal(distance, 0)
    return leaves_list(linkage(squareform(distance, checks=False), "average"))


def _layout(shares: np.ndarray) -> dict[int, np.ndarray]:
    order = _order(shares)
    angles = 2 * np.pi * np.arange(len(order)) / len(order)
    return {
        int(place): np.array([np.cos(a), np.sin(a)]) for place, a in zip(order, angles, strict=True)
    }


def _network(axes: Axes, network: Network, names: Sequence[str], layout: Mapping) -> None:
    axes.set_axis_off()
    axes.set_title(f"α = {network.alpha:g}", loc="center")
    widths = [0.5 + 3 * share for _, _, share in network.graph.edges(data="share")]
    colours = ["#c9ced6" if place in network.isolated else "#0b6e99" for place in network.graph]
    nx.draw_networkx_edges(network.graph, layout, ax=axes, width=widths, edge_color="#9fb8c7")
    nx.draw_networkx_nodes(network.graph, layout, ax=axes, node_size=60, node_color=colours)
    for place, (x, y) in layout.items():
        axes.text(
            1.14 * x, 1.14 * y, names[place], fontsize=7, va="center",
            ha="left" if x > 0.1 else "right" if x < -0.1 else "center",
        )  # fmt: skip
    axes.set_xlim(-2.1, 2.1)
    axes.set_ylim(-1.5, 1.5)
