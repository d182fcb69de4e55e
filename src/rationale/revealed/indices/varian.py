"""Varian's index: how far budgets must shrink, each by its own factor, until GARP holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.revealed.costs import checked_costs, cost_ratios
from rationale.revealed.garp import garp
from rationale.revealed.indices import orders
from rationale.revealed.indices.hitting import cheapest_hit


class Varian(NamedTuple):
    """Mean shortfall of the efficiencies, the (T,) efficiencies, and the least index possible.

    ``optimal`` says that no lower index is possible, to a millionth if costs are not whole;
    otherwise the index is between ``lower`` and ``index``.
    """

    index: float
    efficiencies: tuple[float, ...]
    lower: float
    optimal: bool


def varian(costs: ArrayLike, time_limit: float = 30.0) -> Varian:
    """Smallest mean of 1 - e_r over efficiencies e in [0, 1]^T at which GARP_e holds.

    The smallest is an infimum, as the CCEI is a supremum: GARP_e holds for every e with each e_r
    below the one returned (or where that is 0, with round r left without relations), and may
    fail at those returned. So an index of 0 says, like a CCEI of 1, that no cycle consists of
    ratios below 1; it does not say that GARP holds. The infimum is reached on ratios of costs:
    lowering e_r to a ratio undoes the relations of round r from that ratio up. Finding
    it is NP-hard.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices.
    time_limit : seconds after which the best efficiencies found so far are returned with a bound.

    Raises ValueError for costs that ``checked_costs`` refuses.
    Source: Varian (1990), with the mean as aggregator as in Halevy, Persitz and Zrill (2018).
    """
    costs, ratios = checked_costs(costs), cost_ratios(costs)
    strict, unit = orders.strict_in_cycles(ratios), orders.money_unit(costs)
    rounds = np.flatnonzero(strict.any(axis=1))
    efficiencies, bound, optimal = np.ones(len(ratios)), 0.0, True
    if len(rounds):
        inside = np.ix_(rounds, rounds)
        problem = _levels_problem(ratios[inside], strict[inside], unit)
        hit = cheapest_hit(problem, time_limit)
        efficiencies[rounds] = problem.efficiencies(hit.plan)
        bound, optimal = hit.bound / (unit * len(ratios)), hit.optimal
    index = float(np.mean(1 - efficiencies))
    lower = index if optimal else min(bound, index)
    return Varian(index, tuple(efficiencies.tolist()), lower, optimal)


def check_varian(costs: ArrayLike, found: Varian) -> bool:
    """Whether GARP_e holds just below the efficiencies and the index is their mean shortfall.

    Just below is the next smaller number, so no tolerance enters.
    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    costs, limit = checked_costs(costs), np.array(found.efficiencies)
    if limit.shape != (len(costs),) or limit.min() < 0 or limit.max() > 1:
        return False
    nothing = (limit == 0)[:, None] & ~np.eye(len(costs), dtype=bool)
    related = np.where(nothing, 2 * costs.diagonal()[:, None], costs)
    return found.index == np.mean(1 - limit) and garp(related, np.nextafter(limit, 0)).holds


def _levels_problem(ratios: np.ndarray, strict: np.ndarray, unit: float) -> _Levels:
    """A variable for every round and distinct ratio: the efficiency is that ratio or lower."""
    variable = np.full(ratios.shape, -1)
    levels, owner = [], []
    for r, row in enumerate(strict):
        values, place = np.unique(ratios[r, row], return_inverse=True)
        variable[r, row] = len(owner) + place
        levels += values.tolist()
        owner += [r] * len(values)
    levels, owner = np.array(levels), np.array(owner)
    last = np.append(owner[1:] != owner[:-1], True)
    steps = np.where(last, 1.0, np.append(levels[1:], 1.0)) - levels
    weights = np.rint(steps * unit) if unit > 1 else steps
    lower = np.flatnonzero(~last)
    loss = np.where(strict, 1 - ratios, 0.0)
    implied = np.column_stack([lower, lower + 1])
    return _Levels(ratios, variable, levels, owner, strict, loss, weights, implied)


@dataclass(frozen=True)
class _Levels:
    """The efficiencies to lower; a plan is an order of the T rounds, the most preferred first."""

    ratios: np.ndarray
    variable: np.ndarray
    levels: np.ndarray
    owner: np.ndarray
    strict: np.ndarray
    loss: np.ndarray
    weights: np.ndarray
    implied: np.ndarray

    def separate(self, values: np.ndarray, most: int) -> list[np.ndarray]:
        return orders.cycles_left(self.strict, self.variable, values, most)

    def plan(self, values: np.ndarray) -> np.ndarray:
        strength = np.where(self.strict, 1 - values[self.variable], 0.0)
        return orders.order_near(strength, self.loss, largest=True)

    def vary(self, plan: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        return orders.varied_order(plan, self.loss, True, draw)

    def chosen(self, plan: np.ndarray) -> np.ndarray:
        return self.levels >= self.efficiencies(plan)[self.owner]

    def efficiencies(self, plan: np.ndarray) -> np.ndarray:
        """(T,) the highest efficiencies that undo every relation pointing backward in a plan."""
        undone = self.strict & orders.backward(plan)
        return np.where(undone, self.ratios, 1.0).min(axis=1)
