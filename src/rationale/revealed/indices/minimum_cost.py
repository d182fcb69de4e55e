"""The minimum cost index: the cheapest relations to give up so that the rest satisfies GARP."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isclose
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.revealed import kernels as relations
from rationale.revealed.costs import checked_costs, cost_ratios
from rationale.revealed.garp import garp
from rationale.revealed.indices import orders
from rationale.revealed.indices.hitting import cheapest_hit


class MinimumCost(NamedTuple):
    """Cost of the relations given up as a share of all expenditure, and those relations.

    ``removed`` lists pairs (r, k): round r is no longer preferred to round k, nor to any round with
    the same answer as k, which are listed too. ``optimal`` says that no lower
    index is possible, to a millionth if costs are not whole; otherwise the index is between
    ``lower`` and ``index``.
    """

    index: float
    removed: tuple[tuple[int, int], ...]
    lower: float
    optimal: bool


def minimum_cost(costs: ArrayLike, time_limit: float = 30.0) -> MinimumCost:
    """Least cost of relations whose removal leaves no violation, over total expenditure.

    Giving up that round r is preferred to an answer costs what the round would have saved by it,
    c[r, r] - c[r, k]. An answer chosen in several rounds is one answer: the relation is given
    up, and counted, once for all of them. (Where answers repeat, counting pairs of rounds gives
    a larger number.) Relations at a saving of exactly 0 go for nothing, so an index of 0 says, like
    a CCEI of 1, that no cycle consists of ratios below 1; it does not say that GARP holds.
    Finding the index is NP-hard.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices; answers are the
        same where their columns are.
    time_limit : seconds after which the best removal found so far is returned with a bound.

    Raises ValueError for costs that ``checked_costs`` refuses.
    Source: Dean and Martin (2016), with relations between answers rather than observations.
    """
    costs = checked_costs(costs)
    answer, total = _answers(costs), float(costs.trace())
    given_up, bound, optimal = _strict_relations_to_give_up(costs, answer, time_limit)
    given_up |= _ties_to_give_up(costs, answer, given_up)
    index = _cost(costs, answer, given_up) / total
    removed = tuple((r, k) for r, k in np.argwhere(given_up).tolist())
    return MinimumCost(index, removed, index if optimal else min(bound / total, index), optimal)


def check_minimum_cost(costs: ArrayLike, found: MinimumCost) -> bool:
    """Whether GARP holds without the removed relations, and they cost what the index says.

    A removal must take every round with the same answer.
    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    costs = checked_costs(costs)
    own, gone, savings = costs.diagonal(), np.zeros(costs.shape, bool), {}
    for r, k in found.removed:
        savings[r, costs[:, k].tobytes()] = max(own[r] - costs[r, k], 0.0)
        gone[r, k] = True
    whole = np.array_equal(_to_whole_answers(gone, _answers(costs)), gone)
    paid = isclose(found.index, sum(savings.values()) / own.sum())
    return whole and paid and garp(np.where(gone, 2 * own[:, None], costs)).holds


def _answers(costs: np.ndarray) -> np.ndarray:
    """(T,) number of each round's answer, equal for equal columns of costs."""
    return np.unique(costs, axis=1, return_inverse=True)[1].reshape(-1)


def _to_whole_answers(given_up: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """(T, T) ``given_up`` with every round that has the same answer as one given up."""
    answers = given_up @ (answer[:, None] == np.arange(answer.max() + 1))
    return answers[:, answer]


def _strict_relations_to_give_up(
    costs: np.ndarray, answer: np.ndarray, time_limit: float
) -> tuple[np.ndarray, float, bool]:
    """(T, T) boolean, a lower bound of their cost, and whether it is reached."""
    relation = orders.strict_in_cycles(cost_ratios(costs))
    given_up = np.zeros(costs.shape, bool)
    rounds = np.flatnonzero(relation.any(axis=1))
    if not len(rounds):
        return given_up, 0.0, True
    inside = np.ix_(rounds, rounds)
    saving = (costs.diagonal()[:, None] - costs)[inside]
    problem = _relations_problem(saving, relation[inside], answer[rounds])
    hit = cheapest_hit(problem, time_limit)
    given_up[inside] = problem.given_up(hit.plan)
    return _to_whole_answers(given_up, answer), hit.bound, hit.optimal


def _ties_to_give_up(costs: np.ndarray, answer: np.ndarray, given_up: np.ndarray) -> np.ndarray:
    """(T, T) boolean: relations that save nothing, in components that still violate GARP."""
    ratios = cost_ratios(costs)
    component = relations.components((ratios <= 1) & ~given_up)
    inside = component[:, None] == component
    violating = (inside & (ratios < 1) & ~given_up).any(axis=1)
    bad = np.isin(component, component[violating])
    ties = inside & bad[:, None] & (ratios == 1) & (answer[:, None] != answer)
    return _to_whole_answers(ties, answer)


def _cost(costs: np.ndarray, answer: np.ndarray, given_up: np.ndarray) -> float:
    """What the relations cost, each counted once for all rounds with the same answer."""
    _, first = np.unique(answer, return_index=True)
    saving = np.where(given_up, np.maximum(costs.diagonal()[:, None] - costs, 0.0), 0.0)
    return float(saving[:, first].sum())


def _relations_problem(saving: np.ndarray, relation: np.ndarray, answer: np.ndarray) -> _Relations:
    """A variable for every round and every answer that it is strictly preferred to in a cycle."""
    answer = np.unique(answer, return_inverse=True)[1].reshape(-1)
    count = answer.max() + 1
    numbers = np.arange(len(answer))[:, None] * count + answer
    used = np.unique(numbers[relation])
    variable = np.where(relation, np.searchsorted(used, numbers), -1)
    weights = np.zeros(len(used))
    weights[variable[relation]] = saving[relation]
    source, target = answer[used // count], used % count
    loss = np.zeros((count, count))
    np.add.at(loss, (source, target), weights)
    return _Relations(variable, relation, source, target, loss, weights)


@dataclass(frozen=True)
class _Relations:
    """The relations to give up; a plan is an order of the answers, the most preferred first."""

    variable: np.ndarray
    relation: np.ndarray
    source: np.ndarray
    target: np.ndarray
    loss: np.ndarray
    weights: np.ndarray
    implied: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.int64))

    def separate(self, values: np.ndarray, most: int) -> list[np.ndarray]:
        return orders.cycles_left(self.relation, self.variable, values, most)

    def plan(self, values: np.ndarray) -> np.ndarray:
        strength = np.zeros(self.loss.shape)
        np.add.at(strength, (self.source, self.target), 1 - values)
        return orders.order_near(strength, self.loss, largest=False)

    def vary(self, plan: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        return orders.varied_order(plan, self.loss, False, draw)

    def chosen(self, plan: np.ndarray) -> np.ndarray:
        rank = np.argsort(plan)
        return rank[self.source] > rank[self.target]

    def given_up(self, plan: np.ndarray) -> np.ndarray:
        """(T, T) boolean: the relations of a plan's set."""
        return self.relation & self.chosen(plan)[self.variable]
