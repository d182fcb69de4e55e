"""Mean differences of paired units that come in clusters, such as questions told by one story."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from rationale.inference.bootstrap import ROUNDING, quotient_interval


class ClusteredDifferences(NamedTuple):
    """Mean differences with interval and p-value, (k,) each; NaN is none.

    ``units`` were measured on both sides, in so many ``clusters``. A difference from a single cluster
    has neither interval nor p.
    """

    units: np.ndarray
    clusters: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray


def clustered_differences(
    sums: ArrayLike, counts: ArrayLike, weights: ArrayLike, level: float = 0.95
) -> ClusteredDifferences:
    """Mean differences over all units, column by column.

    Parameters
    ----------
    sums : (n, k) sum of the differences of a cluster's units, one row a cluster.
    counts : (n, k) how many units those are; 0 where a cluster has none.
    weights : (draws, n) from ``resampling_weights``.
    level : coverage of each interval, in (0, 1).

    Every unit weighs the same, whatever the size of its cluster. Errors are those of
    ``quotient_interval``.
    """
    sums, counts = np.asarray(sums, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    found = quotient_interval(sums, counts, weights, level)
    units, clusters = counts.sum(axis=0).astype(np.int64), np.count_nonzero(counts, axis=0)
    return ClusteredDifferences(units, clusters, *found, clustered_p(sums, counts))


def clustered_p(sums: ArrayLike, counts: ArrayLike) -> np.ndarray:
    """Two-sided p-values (k,) that mean differences are 0, when units of a cluster go together.

    Parameters as in ``clustered_differences``. t is the mean over its cluster-robust standard error,
    sqrt(C / (C - 1) · sum of squared cluster residuals) / units, at C - 1 degrees of freedom for C
    clusters; with one unit a cluster it is the paired t. Without spread t cannot be had: differences
    that are all 0 give p = 1, others that are all equal 2/2^C, as the test that flips the signs of
    clusters would. NaN for fewer than two clusters.
    Source: Liang and Zeger (1986); Cameron and Miller (2015), section II.
    """
    sums, counts = np.asarray(sums, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    clusters = np.count_nonzero(counts, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = counts.sum(axis=0)
        mean = sums.sum(axis=0) / units
        residuals = np.where(counts > 0, sums - mean * counts, 0.0)
        error = np.sqrt(clusters / (clusters - 1) * (residuals**2).sum(axis=0)) / units
        p = 2 * stdtr(np.maximum(clusters - 1, 1), -np.abs(mean / error))
    flat = np.abs(residuals).max(axis=0, initial=0.0) <= ROUNDING
    p = np.where(flat, np.where(np.abs(mean) <= ROUNDING, 1.0, 2.0 ** (1 - clusters)), p)
    return np.where(clusters > 1, p, np.nan)
