"""What Varian's index and the minimum cost index share: both choose an order of preference.

Given an order, what has to go are the relations that point backward in it; given what goes, the
rest has no cycle and an order fits it. Only strict relations count: one at a ratio of exactly 1
is given up for nothing.
"""

from __future__ import annotations

from math import lcm

import numpy as np

from rationale.revealed import kernels as relations
from rationale.revealed.indices import kernels

MOST_MOVED = 6
LARGEST_UNIT = 1_000_000


def strict_in_cycles(ratios: np.ndarray) -> np.ndarray:
    """(T, T) boolean: ratios below 1 that lie on a cycle of such ratios."""
    strict = ratios < 1
    component = relations.components(strict)
    return strict & (component[:, None] == component)


def cycles_left(
    relation: np.ndarray, variable: np.ndarray, values: np.ndarray, most: int
) -> list[np.ndarray]:
    """Variables of cycles of ``relation`` on which ``values`` sum to less than 1.

    ``variable`` (T, T) numbers the variable that undoes each relation.
    """
    weight = np.where(relation, values[variable], 0.0)
    rounds = kernels.split(*kernels.light_cycles(relation, relation, weight, most))
    return [np.unique(variable[cycle, np.roll(cycle, -1)]) for cycle in rounds]


def order_near(strength: np.ndarray, loss: np.ndarray, largest: bool) -> np.ndarray:
    """A good order that respects ``strength``, exactly if that has no cycle."""
    order = kernels.peeled(strength)
    kernels.improve_order(loss, order, largest)
    return order


def varied_order(
    order: np.ndarray, loss: np.ndarray, largest: bool, draw: np.random.Generator
) -> np.ndarray:
    """A good order that starts from ``order`` with a few moved at random."""
    moved = draw.choice(order, min(len(order), draw.integers(1, MOST_MOVED + 1)), replace=False)
    left = order[~np.isin(order, moved)]
    varied = np.insert(left, draw.integers(0, len(left) + 1, len(moved)), moved)
    kernels.improve_order(loss, varied, largest)
    return varied


def backward(order: np.ndarray) -> np.ndarray:
    """(n, n) boolean: [r, k] where r is placed after k."""
    rank = np.argsort(order)
    return rank[:, None] > rank


def money_unit(costs: np.ndarray) -> float:
    """A number that makes every cost ratio whole, or 1 if there is no moderate one."""
    own = costs.diagonal()
    if np.any(costs % 1) or own.max() > LARGEST_UNIT:
        return 1.0
    unit = lcm(*own.astype(int).tolist())
    return float(unit) if unit <= LARGEST_UNIT else 1.0
