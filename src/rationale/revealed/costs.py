"""What every answer costs in every round: all that the indices know of a data set.

Rows are rounds, columns are answers. Equal answers have equal columns, bit for bit, and integers
below 2**53 stay exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import matrix, refuse


def costs(answers: ArrayLike, corners: ArrayLike, prices: ArrayLike) -> np.ndarray:
    """Cost of every answer from every round's corner, at that round's prices.

    Parameters
    ----------
    answers : (M, S) points of the survey's scale; for a data set M = T, one answer a round.
    corners : (T, S) the corner from which each round counts.
    prices : (T, S) non-negative price of each statement in each round.

    Returns (T, M) with [r, k] = sum_s prices[r, s]·|answers[k, s] - corners[r, s]|.
    Raises ValueError for shapes that do not fit, empty arrays, NaN or negative prices.
    Source: Moral Minds, section 2.2 (answers in the coordinates of a corner).
    """
    from rationale.revealed import kernels

    points, corners = matrix(answers, "answers"), matrix(corners, "corners")
    prices = _not_negative(matrix(prices, "prices"), "prices")
    if not points.shape[1] == corners.shape[1] or corners.shape != prices.shape:
        raise ValueError(
            "costs: expected answers (M, S), corners (T, S) and prices (T, S); found "
            f"{points.shape}, {corners.shape} and {prices.shape}. "
            "Give one corner and one price vector a round."
        )
    corners, prices = np.ascontiguousarray(corners.T), np.ascontiguousarray(prices.T)
    return kernels.priced_costs(np.ascontiguousarray(points), corners, prices).T


def costs_of_consumption(prices: ArrayLike, quantities: ArrayLike) -> np.ndarray:
    """Cost of every bundle at every round's prices, for ordinary budget data.

    Parameters
    ----------
    prices : (T, G) non-negative price of each good in each round.
    quantities : (M, G) non-negative bundles; for a data set M = T, one bundle a round.

    Returns (T, M) with [r, k] = sum_g prices[r, g]·quantities[k, g].
    Raises ValueError for shapes that do not fit, empty arrays, NaN or negative numbers.
    """
    quantities = _not_negative(matrix(quantities, "quantities"), "quantities")
    return costs(quantities, np.zeros_like(matrix(prices, "prices")), prices)


def cost_ratios(cost: ArrayLike) -> np.ndarray:
    """Every cost as a share of the round's own expenditure.

    Parameters
    ----------
    cost : (T, T) with [r, k] the cost of round k's answer at round r's prices.

    Returns (T, T) with [r, k] = cost[r, k] / cost[r, r]; the diagonal is exactly 1. A ratio is
    computed once: equal fractions give the same number, so ties need no tolerance.
    Raises ValueError as ``checked_costs`` does.
    """
    cost = checked_costs(cost)
    with np.errstate(over="ignore"):
        return cost / cost.diagonal()[:, None]


def checked_costs(cost: ArrayLike) -> np.ndarray:
    """``cost`` as a (T, T) float64 matrix of costs, the diagonal being own expenditure.

    Raises ValueError unless it is square, not empty, finite, not negative, and its diagonal
    positive.
    """
    cost = _not_negative(matrix(cost, "costs"), "costs")
    if cost.shape[0] != cost.shape[1]:
        raise ValueError(
            f"costs: expected one answer for each round, (T, T); found shape {cost.shape}. "
            "For many data sets over shared answers use ccei_of_choices."
        )
    check_own_expenditure(cost.diagonal())
    return cost


def check_own_expenditure(own: np.ndarray) -> None:
    """Raise ValueError unless every own expenditure is above zero."""
    refuse(own <= 0, own, "own expenditure", "more than 0 in every round", "Leave these rounds out")


def _not_negative(array: np.ndarray, name: str) -> np.ndarray:
    refuse(array < 0, array, name, "no negative number", "Check the sign of prices and answers")
    return array
