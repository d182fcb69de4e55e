"""Intervals for means, rates and differences from resampled clusters.

A cluster is what is drawn together: a scenario with all its forms and samples. Every interval is
the percentile interval with tails widened for few clusters: its nominal tail alpha/2 becomes
Phi(-sqrt(n/(n-1))·t), with t the 1 - alpha/2 quantile of Student's t at n - 1 degrees of freedom.
A plain percentile interval is narrower than Student's by just that factor: at 10 clusters it covers
about 90 % instead of 95 %. Unlike BCa it has no constant to estimate from few clusters.
Source: Hesterberg (2015), section 4.1, the expanded percentile interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
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


def stratified_weights(strata: Sequence[str], draws: int, *names: object) -> np.ndarray:
    """What each cluster weighs when each stratum is resampled by itself.

    Parameters
    ----------
    strata : (n,) the stratum of each cluster.
    draws, names : as in ``resampling_weights``. Draws of a stratum follow from its name.

    Returns (draws, n); the weights of a stratum sum to its size in every draw. What differs between
    strata is no spread: they are all there is. Of m clusters m - 1 are drawn, each of weight
    m / (m - 1): many small strata would else make the spread too small by (m - 1) / m. A stratum of
    one cluster keeps it. Source: Rao and Wu (1988), section 2.
    """
    strata = np.asarray(strata)
    weights = np.ones((draws, len(strata)))
    for stratum in np.unique(strata):
        own = np.flatnonzero(strata == stratum)
        size = len(own)
        if size > 1:
            picks = generator(*names, stratum).integers(size, size=(draws, size - 1))
            picks += size * np.arange(draws)[:, None]
            counts = np.bincount(picks.ravel(), minlength=draws * size).reshape(draws, size)
            weights[:, own] = counts * (size / (size - 1))
    return weights


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
    return wilson_at_ends(found, np.count_nonzero(denominator > 0, axis=0), level)


def quotient_interval(
    numerator: ArrayLike, denominator: ArrayLike, weights: ArrayLike, level: float = 0.95
) -> Estimate:
    """Quotient of two sums over clusters, of any sign and size, with its interval.

    Parameters
    ----------
    numerator : (n,) or (n, k), one row a cluster.
    denominator : of the same shape, 0 or more; a cluster with 0 weighs nothing.
    weights : (draws, n) from ``resampling_weights``.
    level : coverage, in (0, 1).

    Special cases are those of ``mean_interval``; errors those of ``ratio_interval``.
    """
    numerator, denominator = (np.asarray(x, dtype=np.float64) for x in (numerator, denominator))
    _check_shapes(numerator, denominator)
    outside = ~((denominator >= 0) & np.isfinite(denominator))
    refuse(outside, denominator, "denominator", "0 or more", "Pass counts, 0 for none")
    return _interval(np.where(denominator > 0, numerator, 0.0), denominator, weights, level)


def wilson_at_ends(found: Estimate, clusters: ArrayLike, level: float = 0.95) -> Estimate:
    """Shares with Wilson's interval, clusters as trials, where they are 0 or 1; as found elsewhere."""
    rate, trials = np.asarray(found.estimate), np.maximum(clusters, 1)
    sure = (rate == 0) | (rate == 1)
    exact = wilson(np.where(rate == 1, trials, 0), trials, level)
    low, high = np.where(sure, exact.low, found.low), np.where(sure, exact.high, found.high)
    return Estimate(found.estimate, low[()], high[()])


def drawn_sums(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sums over clusters in each draw: (k, draws) from values (n, k) and weights (draws, n)."""
    # Groups that few clusters belong to are columns of zeros, which need no multiplication.
    if 8 * np.count_nonzero(values) < values.size:
        return csr_array(values.T) @ weights.T
    return values.T @ weights.T


def drawn_interval(
    estimate: ArrayLike, drawn: np.ndarray, clusters: ArrayLike, level: float = 0.95
) -> Estimate:
    """Estimates with the interval that their draws give, the tails widened.

    Parameters
    ----------
    estimate : (k,).
    drawn : (k, draws) the same in each draw; NaN is none and is left out.
    clusters : (k,) how many clusters tell of each; fewer than 2 give no interval (NaN).
    level : coverage, in (0, 1).
    """
    estimate, clusters = np.asarray(estimate, dtype=np.float64), np.asarray(clusters)
    ordered = np.sort(drawn, axis=-1)
    known = np.count_nonzero(~np.isnan(ordered), axis=-1)
    told = (clusters > 1) & (known > 0) & ~np.isnan(estimate)
    tail = _widened_tail(np.maximum(clusters, 2), level)
    low, high = (
        np.where(told, _quantile(ordered, np.maximum(known, 1), part), np.nan)
        for part in (tail, 1 - tail)
    )
    return Estimate(estimate, low, high)


def shifted_interval(
    estimate: ArrayLike,
    drawn: np.ndarray,
    clusters: ArrayLike,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    level: float = 0.95,
) -> Estimate:
    """`drawn_interval` for estimates that err to one side: a smallest mean, a sum of positive parts.

    Draws lie off the estimate by about as much as the estimate lies off what it estimates, so that
    their percentiles lie off by twice that. They are moved back by twice the mean distance of draws
    from the estimate, cut to ``bounds`` (the range of the score), and widened to hold the estimate.
    An interval without width stays. Source of the estimated bias: Efron and Tibshirani (1993),
    section 10.2.
    """
    found = drawn_interval(estimate, drawn, clusters, level)
    known = ~np.isnan(drawn)
    total = np.where(known, drawn, 0.0).sum(axis=-1)
    bias = total / np.maximum(np.count_nonzero(known, axis=-1), 1) - found.estimate
    shift = np.where(found.low == found.high, 0.0, 2 * bias)
    low, high = (np.clip(bound - shift, *bounds) for bound in found[1:])
    return Estimate(
        found.estimate, np.minimum(low, found.estimate), np.maximum(high, found.estimate)
    )


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
    weights = _checked_weights(weights, numerator.shape).astype(np.float64, copy=False)
    tops, bottoms = (part if part.ndim == 2 else part[:, None] for part in (numerator, denominator))
    counts = bottoms > 0
    # A draw without any cluster that counts has no rate: it is 0/0.
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = tops.sum(axis=0) / bottoms.sum(axis=0)
        drawn = np.divide(*np.split(drawn_sums(np.hstack((tops, bottoms)), weights), 2))
        rates = tops / bottoms
    clusters = np.count_nonzero(counts, axis=0)
    highest = rates.max(axis=0, where=counts, initial=-np.inf)
    same = (clusters > 1) & (highest == rates.min(axis=0, where=counts, initial=np.inf))
    found = drawn_interval(estimate, drawn, clusters, level)
    columns = Estimate(*(np.where(same, highest, part) for part in found))
    return columns if numerator.ndim == 2 else Estimate(*(float(part[0]) for part in columns))


def _quantile(ordered: np.ndarray, known: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Linear between ranks, a row at a time; the first ``known`` numbers of a row count."""
    place = share * (known - 1)
    below = np.floor(place).astype(np.int64)
    rows = np.arange(len(ordered))
    one, next_one = ordered[rows, below], ordered[rows, np.minimum(below + 1, known - 1)]
    return one + (place - below) * (next_one - one)


def _widened_tail(clusters: np.ndarray, level: float) -> np.ndarray:
    t = stdtrit(clusters - 1, (1 + level) / 2)
    return ndtr(-np.sqrt(clusters / (clusters - 1)) * t)


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
    _check_shapes(numerator, denominator)
    outside = ~((numerator >= 0) & (numerator <= denominator) & np.isfinite(denominator))
    refuse(outside, numerator, "numerator", "between 0 and denominator", "Pass counts, 0 for none")


def _check_shapes(numerator: np.ndarray, denominator: np.ndarray) -> None:
    if numerator.shape != denominator.shape:
        raise ValueError(
            f"numerator, denominator: expected one shape; found {numerator.shape} and "
            f"{denominator.shape}. Count both over the same clusters."
        )
