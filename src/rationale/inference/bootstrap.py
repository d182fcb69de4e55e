"""Intervals for means, rates and differences from resampled clusters.

A cluster is what is drawn together: a scenario with all its forms and samples. Every interval is
the percentile interval with tails widened for few clusters: its nominal tail alpha/2 becomes
Phi(-sqrt(n/(n-1))·t), with t the 1 - alpha/2 quantile of Student's t at n - 1 degrees of freedom.
A plain percentile interval is narrower than Student's by just that factor: at 10 clusters it covers
about 90 % instead of 95 %. Unlike BCa it has no constant to estimate from few clusters.
Source: Hesterberg (2015), section 4.1, the expanded percentile interval.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtr, stdtrit

from rationale.inference.checks import refuse
from rationale.inference.intervals import wilson
from rationale.inference.multiple import holm
from rationale.seeds import generator

# Differences of shares that are equal can differ by the last bits.
ROUNDING = 1e-12


class Estimate(NamedTuple):
    """An estimate with its interval, each a number, or (k,) for k columns of values."""

    estimate: np.ndarray | float
    low: np.ndarray | float
    high: np.ndarray | float


class PairedDifference(NamedTuple):
    """Mean of model ``first`` less that of ``second`` over the ``common`` scenarios of both.

    ``low`` and ``high`` bound it by the bootstrap. ``p`` is of the paired t test, ``p_holm``
    adjusted for all pairs. All numbers are NaN with fewer than two common scenarios.
    """

    first: int
    second: int
    common: int
    difference: float
    low: float
    high: float
    p: float
    p_holm: float


def resampling_weights(n: int, draws: int, *names: object) -> np.ndarray:
    """How often each cluster is drawn, in each of many draws of n from n with replacement.

    Parameters
    ----------
    n : number of clusters, 0 or more.
    draws : number of draws, at least 1.
    names : what seeds the draws, as in ``rationale.seeds.generator``.

    Returns (draws, n) whole numbers; each row sums to n. Raises ValueError for other numbers.
    """
    refuse(n < 0, n, "n", "0 clusters or more", "Pass the number of scenarios")
    refuse(draws < 1, draws, "draws", "at least 1", "Pass 2000")
    if n == 0:
        return np.zeros((draws, 0), dtype=np.int64)
    picks = generator(*names).integers(n, size=(draws, n))
    picks += n * np.arange(draws)[:, None]
    return np.bincount(picks.ravel(), minlength=draws * n).reshape(draws, n)


def mean_interval(values: ArrayLike, weights: ArrayLike, level: float = 0.95) -> Estimate:
    """Mean over clusters, with its interval.

    Parameters
    ----------
    values : (n,) or (n, k), one row a cluster; NaN is no value and weighs nothing.
    weights : (draws, n) from ``resampling_weights``.
    level : coverage, in (0, 1).

    Equal values give an interval of no width, at the mean. No value gives NaN throughout; a single
    one an estimate without interval (NaN), since one cluster tells nothing of the spread.
    Raises ValueError for shapes that do not fit, infinite values or another level.
    """
    values = np.asarray(values, dtype=np.float64)
    refuse(np.isinf(values), values, "values", "finite numbers", "Mark a missing value as NaN")
    known = ~np.isnan(values)
    return _interval(np.where(known, values, 0.0), known.astype(np.float64), weights, level)


def ratio_interval(
    numerator: ArrayLike, denominator: ArrayLike, weights: ArrayLike, level: float = 0.95
) -> Estimate:
    """Rate over clusters of unequal size, such as refused of asked, with its interval.

    Parameters
    ----------
    numerator, denominator : (n,) or (n, k) with 0 <= numerator <= denominator, one row a cluster;
        a cluster with a denominator of 0 weighs nothing.
    weights : (draws, n) from ``resampling_weights``.
    level : coverage, in (0, 1).

    The rate is sum of numerators / sum of denominators. A rate of 0 or 1 is one in every cluster,
    and resampling shows no spread; the interval is then Wilson's, with the clusters as trials: it
    takes the replies of a cluster for one, so it is on the safe side. Else the special cases
    are those of ``mean_interval``. Raises ValueError for numbers outside those ranges or shapes
    that do not fit.
    """
    numerator, denominator = (np.asarray(x, dtype=np.float64) for x in (numerator, denominator))
    _check_parts(numerator, denominator)
    found = _interval(numerator, denominator, weights, level)
    rate, clusters = np.asarray(found.estimate), np.count_nonzero(denominator > 0, axis=0)
    sure = (rate == 0) | (rate == 1)
    trials = np.maximum(clusters, 1)
    exact = wilson(np.where(rate == 1, trials, 0), trials, level)
    low, high = np.where(sure, exact.low, found.low), np.where(sure, exact.high, found.high)
    return Estimate(found.estimate, low[()], high[()])


def paired_differences(
    values: ArrayLike, weights: ArrayLike, level: float = 0.95
) -> list[PairedDifference]:
    """Differences between the means of all pairs of models, scenario by scenario.

    Parameters
    ----------
    values : (models, n), one column a scenario; NaN where a model has no value.
    weights : (draws, n) from ``resampling_weights``.
    level : coverage of each pair's interval, in (0, 1); not adjusted for the number of pairs.

    ``p`` is two-sided, of Student's t over the scenarios common to a pair, with one degree of
    freedom fewer than they are. Without spread t cannot be had: differences that are all 0
    give p = 1; c times another number give 2/2^c, as the test that flips their signs would.
    Holm's adjustment takes the pairs with at least two common scenarios.
    Returns the pairs in the order (0, 1), (0, 2), ..., none for fewer than two models.
    Raises ValueError for shapes that do not fit, infinite values or another level.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(
            f"values: expected (models, n), a row for each model; found shape {values.shape}. "
            "Pass one column a scenario."
        )
    pairs = list(combinations(range(len(values)), 2))
    if not pairs:
        return []
    first, second = np.array(pairs).T
    differences = (values[first] - values[second]).T
    common = np.count_nonzero(~np.isnan(differences), axis=0)
    bounds = np.array(mean_interval(differences, weights, level))
    bounds[:, common < 2] = np.nan
    p = np.array([_paired_p(column[~np.isnan(column)]) for column in differences.T])
    rows = zip(pairs, common.tolist(), bounds.T.tolist(), p.tolist(), holm(p).tolist(), strict=True)
    return [PairedDifference(*pair, n, *bound, raw, adj) for pair, n, bound, raw, adj in rows]


def _interval(
    numerator: np.ndarray, denominator: np.ndarray, weights: ArrayLike, level: float
) -> Estimate:
    """Interval of sum(numerator)/sum(denominator), column by column."""
    refuse(not 0 < level < 1, level, "level", "between 0 and 1", "Pass 0.95 for 95 %")
    weights = _checked_weights(weights, numerator.shape).astype(np.float64)
    tops, bottoms = (part if part.ndim == 2 else part[:, None] for part in (numerator, denominator))
    drawn = zip((weights @ tops).T, (weights @ bottoms).T, strict=True)
    columns = zip(tops.T, bottoms.T, drawn, strict=True)
    rows = [_column_interval(top, bottom, sums, level) for top, bottom, sums in columns]
    if numerator.ndim == 1:
        return Estimate(*rows[0])
    return Estimate(*np.array(rows, dtype=np.float64).reshape(-1, 3).T)


def _column_interval(
    top: np.ndarray, bottom: np.ndarray, drawn: tuple[np.ndarray, np.ndarray], level: float
) -> tuple[float, float, float]:
    counts = bottom > 0
    clusters = np.count_nonzero(counts)
    if clusters == 0:
        return np.nan, np.nan, np.nan
    estimate = float(top.sum() / bottom.sum())
    if clusters == 1:
        return estimate, np.nan, np.nan
    rates = top[counts] / bottom[counts]
    if np.ptp(rates) == 0:
        return float(rates[0]), float(rates[0]), float(rates[0])
    # A draw without any cluster that counts has no rate.
    any_drawn = drawn[1] > 0
    resampled = drawn[0][any_drawn] / drawn[1][any_drawn]
    tail = _widened_tail(clusters, level)
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return estimate, float(low), float(high)


def _widened_tail(clusters: int, level: float) -> float:
    t = stdtrit(clusters - 1, (1 + level) / 2)
    return float(ndtr(-np.sqrt(clusters / (clusters - 1)) * t))


def _paired_p(differences: np.ndarray) -> float:
    n = differences.size
    if n < 2:
        return np.nan
    if np.ptp(differences) <= ROUNDING:
        return 1.0 if np.abs(differences).max() <= ROUNDING else 2.0 ** (1 - n)
    t = differences.mean() / (differences.std(ddof=1) / np.sqrt(n))
    return float(2 * stdtr(n - 1, -abs(t)))


def _checked_weights(weights: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    weights = np.asarray(weights)
    if weights.ndim != 2 or len(shape) not in (1, 2) or weights.shape[1] != shape[0]:
        raise ValueError(
            f"weights: expected (draws, n) for values (n,) or (n, k); found shape "
            f"{weights.shape} for values {shape}. Draw weights for as many clusters."
        )
    return weights


def _check_parts(numerator: np.ndarray, denominator: np.ndarray) -> None:
    if numerator.shape != denominator.shape:
        raise ValueError(
            f"numerator, denominator: expected one shape; found {numerator.shape} and "
            f"{denominator.shape}. Count both over the same clusters."
        )
    outside = ~((numerator >= 0) & (numerator <= denominator) & np.isfinite(denominator))
    refuse(outside, numerator, "numerator", "between 0 and denominator", "Pass counts, 0 for none")
