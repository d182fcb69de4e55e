"""The money pump index: what could be taken from somebody who chooses in circles."""

from __future__ import annotations

from math import isclose
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import matrix, refuse, whole_numbers
from rationale.revealed.costs import checked_costs, cost_ratios
from rationale.revealed.garp import check_witness
from rationale.revealed.indices import kernels


class MoneyPump(NamedTuple):
    """Money pumped as a share of money spent, and the rounds of the cycle, () for a share of 0."""

    index: float
    cycle: tuple[int, ...] = ()


def money_pump(costs: ArrayLike) -> MoneyPump:
    """Largest money pump index of all cycles; 0 if and only if GARP holds.

    On a cycle of rounds each of which could have afforded the next one's answer, somebody who buys
    each round's answer at the next round's prices and sells it back gains c[r, r] - c[r, k] on
    every arc. The index of the cycle is the sum of these gains over the sum of c[r, r]. Of the
    indices of all cycles this is the largest, found exactly for whole costs by parametric search;
    their mean and median are NP-hard, and so is the least where costs tie, as they do in a
    priced survey: the longer a way round over ties, the smaller the index.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices.

    Raises ValueError for costs that ``checked_costs`` refuses.
    Source: Echenique, Lee and Shum (2011), equation 2; the largest over cycles: Smeulders,
    Cherchye, De Rock and Spieksma (2013).
    """
    costs, ratios = checked_costs(costs), cost_ratios(costs)
    own = costs.diagonal().copy()
    saving = np.where(ratios <= 1, np.maximum(own[:, None] - costs, 0), -1.0)
    np.fill_diagonal(saving, -1.0)
    cycle = kernels.best_pump(saving, own)
    if not cycle.size:
        return MoneyPump(0.0)
    saved, spent = kernels.pumped(saving, own, cycle)
    return MoneyPump(saved / spent, tuple(cycle.tolist()))


def money_pump_of_choices(costs: ArrayLike, choices: ArrayLike) -> np.ndarray:
    """Money pump index of many data sets over the same rounds, fast enough for a null distribution.

    Parameters
    ----------
    costs : (T, M) cost of each of M answers at each round's prices.
    choices : (N, T) integers: data set n took answer choices[n, r] in round r.

    Returns (N,) indices, each exactly ``money_pump(costs[:, choices[n]]).index``.
    Raises ValueError for choices that are no answers and for costs that ``checked_costs`` refuses.
    """
    costs, choices = matrix(costs, "costs"), whole_numbers(choices, "choices", ndim=2)
    outside = (choices < 0) | (choices >= costs.shape[1])
    expected = f"answers 0 to {costs.shape[1] - 1}"
    refuse(outside, choices, "choices", expected, "Number answers by their column of costs")
    return np.array([money_pump(costs[:, chosen]).index for chosen in choices])


def check_money_pump(costs: ArrayLike, found: MoneyPump) -> bool:
    """Whether the cycle violates GARP and pumps the share that the index says.

    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    costs = checked_costs(costs)
    if not found.cycle:
        return found.index == 0
    arcs = list(zip(found.cycle, (*found.cycle[1:], found.cycle[0]), strict=True))
    spent = sum(costs[r, r] for r, _ in arcs)
    pumped = sum(costs[r, r] - costs[r, k] for r, k in arcs) / spent
    return check_witness(costs, found.cycle) and isclose(found.index, pumped)
