"""A layered drawing of a dependency graph: who stands in which layer, in what order, and where.

Layers follow from longest paths; edges over several layers pass through a narrow place in each;
orders come from barycentres (Sugiyama, Tagawa and Toda 1981), coordinates from least squares to the
neighbours' under the least distances (pool adjacent violators).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

NODE = (118.0, 50.0)
GAP = 6.0
LAYER = 92.0
PLACE = 4.0
SWEEPS = 24


class Drawing(NamedTuple):
    """Upper left corners of nodes, and for each edge the points it passes, in pixels."""

    width: float
    height: float
    nodes: dict[str, tuple[float, float]]
    edges: list[tuple[str, str, list[tuple[float, float]]]]


def layers_of(requires: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The layer of each node from 0: one more than the last of what it requires. No circles."""
    found: dict[str, int] = {}

    def layer(node: str) -> int:
        if node not in found:
            found[node] = 1 + max(map(layer, requires[node]), default=-1)
        return found[node]

    for node in requires:
        layer(node)
    return found


def draw(requires: Mapping[str, Sequence[str]]) -> Drawing:
    """The drawing of a graph without circles; ``requires`` names what each node builds on."""
    layer = layers_of(requires)
    rows, chains, above, below = _with_places(requires, layer)
    _order(rows, above, below)
    middle = _coordinates(rows, above, below)
    left = min((middle[node] - NODE[0] / 2 for node in requires), default=0.0)
    middle = {one: x - left for one, x in middle.items()}

    def point(one: Hashable, deep: int, end: float) -> tuple[float, float]:
        return round(middle[one], 1), round(deep * LAYER + end, 1)

    edges = [
        (
            first,
            last,
            [
                point(first, layer[first], NODE[1]),
                *(point(one, one[2], NODE[1] / 2) for one in chain),
                point(last, layer[last], 0.0),
            ],
        )
        for (first, last), chain in chains.items()
    ]
    nodes = {
        node: (round(middle[node] - NODE[0] / 2, 1), round(layer[node] * LAYER, 1))
        for node in requires
    }
    width = max((x for x, _ in nodes.values()), default=0.0) + NODE[0]
    width = max([width, *(x for _, _, points in edges for x, _ in points)])
    return Drawing(width, max(len(rows) - 1, 0) * LAYER + NODE[1], nodes, edges)


def _with_places(requires: Mapping[str, Sequence[str]], layer: Mapping[str, int]):
    """Layers with places for long edges, the places of each edge, and neighbours up and down."""
    rows: list[list[Any]] = [[] for _ in range(1 + max(layer.values(), default=-1))]
    above: dict[Any, list] = {node: [] for node in requires}
    below: dict[Any, list] = {node: [] for node in requires}
    for node in requires:
        rows[layer[node]].append(node)
    chains = {}
    for last, needed in requires.items():
        for first in needed:
            chain = [(first, last, deep) for deep in range(layer[first] + 1, layer[last])]
            chains[(first, last)] = chain
            for one in chain:
                rows[one[2]].append(one)
            for up, down in zip([first, *chain], [*chain, last], strict=True):
                below.setdefault(up, []).append(down)
                above.setdefault(down, []).append(up)
    return rows, chains, above, below


def _order(rows: list[list], above: Mapping, below: Mapping) -> None:
    """Sort each layer by its neighbours' mean place, down and up; keep what crosses least."""
    best, fewest = [list(row) for row in rows], crossings(rows, below)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        order = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
        for deep in order:
            beside = rows[deep - 1 if down else deep + 1]
            place = {one: number for number, one in enumerate(beside)}
            links = above if down else below
            own = {one: number for number, one in enumerate(rows[deep])}
            means = {one: _mean(one, links, place, own) for one in own}
            rows[deep] = sorted(rows[deep], key=means.__getitem__)
        found = crossings(rows, below)
        if found < fewest:
            best, fewest = [list(row) for row in rows], found
    rows[:] = best


def _mean(one: Any, links: Mapping, place: Mapping, own: Mapping) -> float:
    found = [place[other] for other in links.get(one, ())]
    return sum(found) / len(found) if found else float(own[one])


def crossings(rows: Sequence[Sequence], below: Mapping) -> int:
    """How many pairs of edges between neighbouring layers cross."""
    total = 0
    for deep in range(len(rows) - 1):
        place = {one: number for number, one in enumerate(rows[deep + 1])}
        ends = [
            (number, place[other])
            for number, one in enumerate(rows[deep])
            for other in below.get(one, ())
        ]
        total += sum(
            (a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[i + 1 :]
        )
    return total


def _coordinates(rows: Sequence[Sequence], above: Mapping, below: Mapping) -> dict[Any, float]:
    """The middle of each node and place."""
    middle = {}
    for row in rows:
        middle |= dict(zip(row, spread([0.0] * len(row), _distances(row)), strict=True))
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = [_beside(one, above, below, middle) for one in row]
            middle |= dict(zip(row, spread(wanted, _distances(row)), strict=True))
    return middle


def _beside(one: Any, above: Mapping, below: Mapping, middle: Mapping) -> float:
    found = [middle[other] for other in (*above.get(one, ()), *below.get(one, ()))]
    return sum(found) / len(found) if found else middle[one]


def _distances(row: Sequence) -> list[float]:
    halves = [NODE[0] / 2 if isinstance(one, str) else PLACE / 2 for one in row]
    return [a + b + GAP for a, b in pairwise(halves)]


def spread(wanted: Sequence[float], distances: Sequence[float]) -> list[float]:
    """Positions nearest to those wanted (least squares) that keep order and least distances.

    ``distances`` has one fewer than ``wanted``. Subtracting the distances leaves a monotone
    regression, solved by pooling neighbours that are out of order.
    """
    moved, total = [], 0.0
    for number, value in enumerate(wanted):
        total += distances[number - 1] if number else 0.0
        moved.append((value - total, total))
    pools: list[list[float]] = []
    for value, _ in moved:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            last, count = pools.pop()
            mean, size = pools[-1]
            pools[-1] = [(mean * size + last * count) / (size + count), size + count]
    means = [mean for mean, count in pools for _ in range(int(count))]
    return [mean + shift for mean, (_, shift) in zip(means, moved, strict=True)]
