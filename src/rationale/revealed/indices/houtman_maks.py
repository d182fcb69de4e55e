"""The Houtman-Maks index: the largest share of rounds that satisfies GARP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.revealed import kernels as relations
from rationale.revealed.costs import checked_costs, cost_ratios
from rationale.revealed.garp import garp
from rationale.revealed.indices import kernels
from rationale.revealed.indices.hitting import cheapest_hit

MOST_DROPPED = 4


class HoutmanMaks(NamedTuple):
    """Share of rounds kept, kept and removed rounds, and the largest share not ruled out.

    ``optimal`` says that no larger share satisfies GARP; otherwise the index is between ``share``
    and ``upper``.
    """

    share: float
    kept: tuple[int, ...]
    removed: tuple[int, ...]
    upper: float
    optimal: bool


def houtman_maks(costs: ArrayLike, time_limit: float = 30.0) -> HoutmanMaks:
    """Largest share of rounds whose answers together satisfy GARP.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices.
    time_limit : seconds after which the best rounds found so far are returned with a bound.

    Of several largest sets one is returned. The kept rounds always satisfy GARP, and a share of 1
    means that all rounds do. Finding the largest set is NP-hard: it is a smallest set of rounds
    that meets every violating cycle.

    Raises ValueError for costs that ``checked_costs`` refuses.
    Source: Houtman and Maks (1985); as a hitting set of cycles: Boodaghians and Vetta (2015).
    """
    ratios = cost_ratios(costs)
    n_rounds = len(ratios)
    component = relations.components(ratios <= 1)
    violations = (ratios < 1) & (component[:, None] == component)
    rounds = np.flatnonzero(np.isin(component, component[violations.any(axis=1)]))
    removed, bound, optimal = np.empty(0, np.int64), 0.0, True
    if len(rounds):
        hit = cheapest_hit(_rounds_problem(ratios[np.ix_(rounds, rounds)]), time_limit)
        removed, bound, optimal = rounds[~hit.plan], hit.bound, hit.optimal
    kept = np.setdiff1d(np.arange(n_rounds), removed)
    upper = (n_rounds - round(bound)) / n_rounds
    share = len(kept) / n_rounds
    return HoutmanMaks(share, tuple(kept.tolist()), tuple(removed.tolist()), upper, optimal)


def check_houtman_maks(costs: ArrayLike, found: HoutmanMaks) -> bool:
    """Whether the kept rounds satisfy GARP and are the share of rounds they are said to be.

    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    costs = checked_costs(costs)
    kept, everything = list(found.kept), sorted((*found.kept, *found.removed))
    if everything != list(range(len(costs))) or len(kept) != round(found.share * len(costs)):
        return False
    return not kept or garp(costs[np.ix_(kept, kept)]).holds


def _rounds_problem(ratios: np.ndarray) -> _Rounds:
    weak, strict = ratios <= 1, ratios < 1
    np.fill_diagonal(weak, False)
    pairs = strict & weak.T
    crowding = (pairs | pairs.T).mean(axis=0) / 10
    return _Rounds(weak, strict, crowding, np.ones(len(ratios)), np.empty((0, 2), np.int64))


@dataclass(frozen=True)
class _Rounds:
    """The rounds to remove; a plan is (T,) boolean, the rounds kept."""

    weak: np.ndarray
    strict: np.ndarray
    crowding: np.ndarray
    weights: np.ndarray
    implied: np.ndarray

    def separate(self, values: np.ndarray, most: int) -> list[np.ndarray]:
        weight = np.tile(values, (len(values), 1))
        return kernels.split(*kernels.light_cycles(self.weak, self.strict, weight, most))

    def plan(self, values: np.ndarray) -> np.ndarray:
        return self._grown(np.zeros(len(values), bool), values + self.crowding)

    def vary(self, plan: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """Drop a few rounds and take in what fits."""
        kept = np.flatnonzero(plan)
        dropped = draw.choice(kept, min(len(kept), draw.integers(1, MOST_DROPPED + 1)), False)
        left = plan.copy()
        left[dropped] = False
        return self._grown(left, self.crowding + draw.normal(0, 0.05, len(plan)))

    def chosen(self, plan: np.ndarray) -> np.ndarray:
        return ~plan

    def _grown(self, kept: np.ndarray, rank: np.ndarray) -> np.ndarray:
        kernels.keep_in_turn(self.weak, self.strict, kept, np.argsort(rank, kind="stable"))
        return kept
