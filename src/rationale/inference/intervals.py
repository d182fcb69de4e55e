"""Confidence intervals for a share of successes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from rationale.inference.checks import refuse


class Interval(NamedTuple):
    """Bounds of an interval, each of the shape of the counts."""

    low: np.ndarray | float
    high: np.ndarray | float


def clopper_pearson(count: ArrayLike, total: ArrayLike, level: float = 0.95) -> Interval:
    """Exact two-sided interval for a binomial share.

    Parameters
    ----------
    count, total : whole numbers with 0 <= count <= total and total >= 1; arrays broadcast.
    level : coverage, in (0, 1).

    Raises ValueError for numbers outside those ranges.
    Source: Clopper and Pearson (1934), in its beta-quantile form.
    """
    count, total, tail = _checked(count, total, level)
    for values, name in ((count, "count"), (total, "total")):
        refuse(values % 1 != 0, values, name, "whole numbers", "Pass counts, not shares")
    low = betaincinv(np.maximum(count, 1), total - count + 1, tail)
    high = betaincinv(count + 1, np.maximum(total - count, 1), 1 - tail)
    return Interval(np.where(count == 0, 0.0, low)[()], np.where(count == total, 1.0, high)[()])


def wilson(count: ArrayLike, total: ArrayLike, level: float = 0.95) -> Interval:
    """Score interval for a binomial share.

    Parameters
    ----------
    count : numbers with 0 <= count <= total; fractions are allowed (ties that were averaged).
    total : numbers >= 1; arrays broadcast.
    level : coverage, in (0, 1).

    Raises ValueError for numbers outside those ranges.
    Source: Wilson (1927).
    """
    count, total, tail = _checked(count, total, level)
    z = ndtri(1 - tail)
    centre = (count + z**2 / 2) / (total + z**2)
    half = z / (total + z**2) * np.sqrt(count * (total - count) / total + z**2 / 4)
    # At the ends one bound is 0 or 1 exactly; the formula leaves the last bit to rounding.
    low = np.where(count == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(count == total, 1.0, np.minimum(centre + half, 1.0))
    return Interval(low[()], high[()])


def _checked(
    count: ArrayLike, total: ArrayLike, level: float
) -> tuple[np.ndarray, np.ndarray, float]:
    count, total = np.broadcast_arrays(
        np.asarray(count, dtype=np.float64), np.asarray(total, dtype=np.float64)
    )
    refuse(~(total >= 1), total, "total", "at least 1", "Leave out rows without trials")
    outside = ~((count >= 0) & (count <= total))
    refuse(outside, count, "count", "between 0 and total", "Pass successes, then trials")
    refuse(not 0 < level < 1, level, "level", "between 0 and 1", "Pass 0.95 for 95 %")
    return count, total, (1 - level) / 2
