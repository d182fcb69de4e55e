"""All indices of one data set."""

from __future__ import annotations

from functools import cache
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.revealed.ccei import ccei
from rationale.revealed.garp import garp
from rationale.revealed.indices.houtman_maks import HoutmanMaks, check_houtman_maks, houtman_maks
from rationale.revealed.indices.minimum_cost import MinimumCost, check_minimum_cost, minimum_cost
from rationale.revealed.indices.money_pump import MoneyPump, check_money_pump, money_pump
from rationale.revealed.indices.varian import Varian, check_varian, varian

_COMPILING_S = 3600.0
_CYCLE = np.array([[4.0, 2, 3], [2, 4, 3.5], [3.5, 2, 4]])


class Indices(NamedTuple):
    """GARP and the indices of how far a data set is from it."""

    garp: bool
    ccei: float
    money_pump: MoneyPump
    houtman_maks: HoutmanMaks
    varian: Varian
    minimum_cost: MinimumCost


def all_indices(costs: ArrayLike, time_limit: float = 30.0) -> Indices:
    """GARP, CCEI, money pump, Houtman-Maks, Varian's and minimum cost index of one data set.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices.
    time_limit : seconds for the three NP-hard indices together; each takes an equal part of what
        is left and may overrun by a second. Where the time is too short, an index is a bound and
        says so; how good a bound then depends on the machine.

    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    _compiled()
    deadline = monotonic() + time_limit
    kept = houtman_maks(costs, time_limit / 3)
    shrunk = varian(costs, (deadline - monotonic()) / 2)
    removed = minimum_cost(costs, deadline - monotonic())
    return Indices(garp(costs).holds, ccei(costs), money_pump(costs), kept, shrunk, removed)


@cache
def _compiled() -> None:
    """Solve a small problem first: compiling may outlast a time limit, which is not to count it."""
    for solve in (houtman_maks, varian, minimum_cost):
        solve(_CYCLE, _COMPILING_S)


def check_indices(costs: ArrayLike, found: Indices) -> bool:
    """Whether what every index removed, adjusted or shows does what it says.

    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    return (
        check_money_pump(costs, found.money_pump)
        and check_houtman_maks(costs, found.houtman_maks)
        and check_varian(costs, found.varian)
        and check_minimum_cost(costs, found.minimum_cost)
    )
