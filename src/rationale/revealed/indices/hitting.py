"""Cheapest sets that hit every bad cycle, with the cycles found as they are needed.

A relaxation that knows some cycles only is solved, cycles that its solution leaves whole are added,
and it is solved again: first as a linear program, whose fractional solutions show most of the
cycles that matter, then in whole numbers. Between the two, small changes at random better the best
set known. The search ends when a bound proves that set, or with the time.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np

from rationale.revealed.indices.highs import TOLERANCE, Program
from rationale.seeds import generator

LINEAR_SHARE, VARYING_SHARE = 0.4, 0.6
CUTS_AT_ONCE = 2000
VARIATIONS = 500
LARGEST_WHOLE_SUM = 1e6


class Problem(Protocol):
    """What to hit. A plan is any description of a set of variables that hits every cycle.

    ``weights`` (N,) are positive; ``implied`` (P, 2) pairs variables of which the first needs the
    second.
    """

    weights: np.ndarray
    implied: np.ndarray

    def separate(self, values: np.ndarray, most: int) -> list[np.ndarray]:
        """Variables of cycles on which ``values`` (N,) sum to less than 1; empty if none is."""

    def plan(self, values: np.ndarray) -> Any:
        """A plan near ``values`` (N,) in [0, 1]."""

    def vary(self, plan: Any, draw: np.random.Generator) -> Any:
        """A plan near another one."""

    def chosen(self, plan: Any) -> np.ndarray:
        """The set of a plan, (N,) boolean."""


class Hit(NamedTuple):
    """The cheapest plan found; no set that hits every cycle weighs less than ``bound``."""

    plan: Any
    bound: float
    optimal: bool


def cheapest_hit(problem: Problem, seconds: float) -> Hit:
    """The cheapest plan, or the best one found in about that time.

    Whole weights of a moderate sum are proved exactly, others to a millionth of the largest. The
    time counts from the first relaxation on, compiling not included.
    """
    search = _Search(problem, seconds)
    search.solve_linear()
    search.vary_plans()
    search.solve_whole()
    return Hit(search.plan, search.bound * search.scale, search.proved())


class _Search:
    """What is known so far: cycles, the best plan and a bound."""

    def __init__(self, problem: Problem, seconds: float):
        self.problem, self.seconds, self.bound = problem, seconds, 0.0
        weights = problem.weights
        self.whole = bool(np.all(weights % 1 == 0)) and weights.sum() <= LARGEST_WHOLE_SUM
        self.scale = 1.0 if self.whole else float(weights.max())
        self.weights = weights / self.scale
        self.cuts: dict[bytes, np.ndarray] = {}
        self.plan = problem.plan(np.zeros(len(weights)))
        self.first_cuts = self.new_cuts(np.zeros(len(weights)))
        self.deadline = monotonic() + seconds

    def left(self, share: float = 1.0) -> float:
        """Seconds left of the first share of the time."""
        return self.deadline - (1 - share) * self.seconds - monotonic()

    def cost(self) -> float:
        return self.cost_of(self.plan)

    def cost_of(self, plan: Any) -> float:
        return float(self.weights @ self.problem.chosen(plan))

    def offer(self, plan: Any) -> None:
        """Keep a plan that is as cheap as the best or cheaper."""
        if self.cost_of(plan) <= self.cost():
            self.plan = plan

    def proved(self) -> bool:
        return self.cost() - self.bound <= TOLERANCE

    def raise_bound(self, bound: float) -> bool:
        """Whether the bound rose; what whole weights cost is whole."""
        bound = float(np.ceil(bound - TOLERANCE)) if self.whole else bound
        rose, self.bound = bound > self.bound, max(self.bound, bound)
        return rose

    def new_cuts(self, values: np.ndarray) -> list[np.ndarray]:
        """Cycles that ``values`` do not hit and that are not known."""
        most = CUTS_AT_ONCE if values.any() else len(values) ** 2
        found = {cut.tobytes(): cut for cut in map(np.sort, self.problem.separate(values, most))}
        new = {name: cut for name, cut in found.items() if name not in self.cuts}
        self.cuts |= new
        return list(new.values())

    def forget_loose(self, values: np.ndarray) -> None:
        """Forget the cycles that ``values`` hit more than once."""
        known = self.cuts.items()
        self.cuts = {name: cut for name, cut in known if values[cut].sum() <= 1 + TOLERANCE}

    def solve_linear(self) -> None:
        program = Program(self.weights, self.problem.implied)
        new = self.first_cuts
        while new and not self.proved() and self.left(LINEAR_SHARE) > 0:
            program.add(new)
            values, bound = program.solve(self.left(LINEAR_SHARE))
            if values is None:
                return
            if self.raise_bound(bound):
                program.drop_loose()
                self.forget_loose(values)
            self.offer(self.problem.plan(values))
            new = self.new_cuts(values)

    def vary_plans(self) -> None:
        draw, number = generator("hitting"), 0
        while number < VARIATIONS and not self.proved() and self.left(VARYING_SHARE) > 0:
            self.offer(self.problem.vary(self.plan, draw))
            number += 1

    def solve_whole(self) -> None:
        """A fresh program for every solve: only then does HiGHS keep to its time."""
        while not self.proved() and self.left() > 0:
            program = Program(self.weights, self.problem.implied, self.problem.chosen(self.plan))
            program.add(list(self.cuts.values()))
            values, bound = program.solve(self.left())
            self.raise_bound(bound)
            if values is None:
                return
            new = self.new_cuts(values)
            self.offer(self.problem.plan(values))
            if not new:
                return
