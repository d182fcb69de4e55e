"""The critical cost efficiency index, exact and without a tolerance.

Put on the arc from round r to round k the ratio c[r, k]/c[r, r]. GARP_e fails for an e in (0, 1]
above the largest ratio of some cycle and holds below the largest ratio of every cycle. The CCEI,
the supremum of the e in (0, 1] at which GARP_e holds, is therefore the smallest, over cycles, of
the largest ratio on the cycle, and at most 1. It is 0 if GARP_e fails at every e.
Source: Moral Minds, definition 3, read as the supremum that its tables report; Afriat (1972);
Halevy, Persitz and Zrill (2018).

What the CCEI says about GARP:

- GARP_e holds for every e below the CCEI and fails for every e in (CCEI, 1];
- at e = CCEI itself it may hold or fail;
- GARP implies a CCEI of 1, and a CCEI below 1 implies that GARP fails;
- a CCEI of 1 does *not* imply GARP: a cycle whose largest ratio is exactly 1 may hold a ratio
  below 1. ``garp(costs)`` decides, and ``garp(costs, ccei(costs))`` decides at the CCEI.

Equal answers are no special case (see ``garp``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import matrix, refuse, whole_numbers
from rationale.revealed.costs import check_own_expenditure, checked_costs, cost_ratios


class Cycle(NamedTuple):
    """Rounds of a cycle; ``ratios[i]`` is the cost ratio from ``rounds[i]`` to the next round."""

    rounds: tuple[int, ...] = ()
    ratios: tuple[float, ...] = ()


def ccei(costs: ArrayLike) -> float:
    """Critical cost efficiency index of one data set, in [0, 1]; the module says what it implies.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices.

    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    costs = checked_costs(costs)
    return float(_ccei_of_choices(costs, np.arange(len(costs))[None])[0])


def ccei_of_choices(costs: ArrayLike, choices: ArrayLike) -> np.ndarray:
    """Critical cost efficiency index of many data sets over the same rounds.

    Parameters
    ----------
    costs : (T, M) cost of each of M answers at each round's prices.
    choices : (N, T) integers: data set n took answer choices[n, r] in round r.

    Returns (N,) indices, each exactly ``ccei(costs[:, choices[n]])``.
    Raises ValueError for shapes that do not fit, empty arrays, NaN, negative costs, choices
    outside 0..M-1, or a choice that cost its own round nothing.
    """
    costs, choices = matrix(costs, "costs"), whole_numbers(choices, "choices", ndim=2)
    refuse(costs < 0, costs, "costs", "no negative number", "Check the sign of prices")
    if choices.shape[1] != costs.shape[0]:
        raise ValueError(
            f"choices: expected (N, {costs.shape[0]}), one column for each row of costs; "
            f"found shape {choices.shape}. Leave the same rounds out of both."
        )
    outside = (choices < 0) | (choices >= costs.shape[1])
    expected = f"answers 0 to {costs.shape[1] - 1}"
    refuse(outside, choices, "choices", expected, "Number answers by their column of costs")
    check_own_expenditure(costs[np.arange(costs.shape[0]), choices])
    return _ccei_of_choices(costs, choices)


def critical_cycle(costs: ArrayLike) -> Cycle:
    """A shortest cycle that sets the CCEI: its largest ratio is the CCEI.

    Parameters
    ----------
    costs : (T, T) as in ``ccei``.

    Returns an empty cycle when the CCEI is 1 (``garp`` then shows a violation if there is one).
    Raises ValueError for costs that ``checked_costs`` refuses.
    """
    from rationale.revealed import kernels

    index, ratios = ccei(costs), cost_ratios(costs)
    if index == 1:
        return Cycle()
    arcs = ratios <= index
    rounds = kernels.shortest_cycle(arcs, arcs)
    return Cycle(tuple(rounds.tolist()), tuple(ratios[rounds, np.roll(rounds, -1)].tolist()))


def _ccei_of_choices(costs: np.ndarray, choices: np.ndarray) -> np.ndarray:
    from rationale.revealed import kernels

    return kernels.ccei_of_choices(np.ascontiguousarray(costs.T), choices)
