"""Intervals of accuracy against guessing, from resampled clusters."""

from __future__ import annotations

import numpy as np

from rationale.inference.bootstrap import Estimate, quotient_interval


def normalised_interval(
    share: Estimate,
    hits: np.ndarray,
    read: np.ndarray,
    chance: np.ndarray,
    weights: np.ndarray,
    printed: bool = False,
) -> Estimate:
    """(a - r)/(1 - r), or as the study prints it (a - r)/r, with its interval.

    Parameters
    ----------
    share : a, the hits of the answers read, with its interval.
    hits, read, chance : (n,) or (n, k), one row a cluster: hits, answers read, sum of guess rates.
    weights : (draws, n) from ``stratified_weights``.

    Both sums are drawn together, so that the interval knows that they go together. Resampling does not
    tell the spread of a share of 0 or 1: there the bounds are those of the share, put through the
    formula. NaN where there is nothing to divide by: guessing is always right, or never.
    """
    found = quotient_interval(hits - chance, chance if printed else read - chance, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = chance.sum(axis=0) / read.sum(axis=0)
        room = rate if printed else 1 - rate
        ends = [(np.asarray(bound) - rate) / room for bound in share[1:]]
    sure = np.isin(share.estimate, (0, 1)) & (room > 0)
    low, high = (np.where(sure, end, own)[()] for end, own in zip(ends, found[1:], strict=True))
    return Estimate(found.estimate, low, high)
