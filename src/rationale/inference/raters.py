"""How far raters agree beyond chance: Fleiss' kappa and Krippendorff's alpha for nominal values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse, whole_numbers


def fleiss_kappa(counts: ArrayLike) -> float | None:
    """Agreement beyond chance of the same number of raters on every subject, at most 1.

    Parameters
    ----------
    counts : (N, K) whole numbers, how many raters put subject i into category k.

    Returns None where it is not defined: the number of raters differs between subjects or is
    below 2, or all judgements fall into one category. Raises ValueError for negative counts.
    Source: Fleiss (1971).
    """
    counts = _counts(counts)
    raters = counts.sum(axis=1)
    if raters.min() != raters.max() or raters[0] < 2 or counts.any(axis=0).sum() == 1:
        return None
    shares = counts.sum(axis=0) / counts.sum()
    by_chance = float(shares @ shares)
    return (float(agreeing_pairs(counts).mean()) - by_chance) / (1 - by_chance)


def krippendorff_alpha(counts: ArrayLike) -> float | None:
    """Agreement beyond chance for nominal values, at most 1; judgements may be missing.

    Parameters
    ----------
    counts : (N, K) whole numbers, how many judgements of unit i have value k.

    Units with fewer than two judgements have no pair and do not count. Returns None where no unit
    has a pair or all values in pairs are equal. Raises ValueError for negative counts.
    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C.
    """
    counts = _counts(counts)
    counts = counts[counts.sum(axis=1) >= 2]
    values = counts.sum(axis=0)
    total = int(values.sum())
    expected = int((values * (total - values)).sum())
    if expected == 0:
        return None
    judges = counts.sum(axis=1, keepdims=True)
    observed = (counts * (judges - counts) / (judges - 1)).sum()
    return 1 - float(observed) * (total - 1) / expected


def agreeing_pairs(counts: ArrayLike) -> np.ndarray:
    """Share of the pairs of judgements of each unit that agree, (N,).

    Parameters
    ----------
    counts : (N, K) whole numbers, how many judgements of unit i have value k.

    Raises ValueError for no counts, negative ones, and a unit with fewer than two judgements: it has
    no pair.
    """
    counts = _counts(counts)
    judges = counts.sum(axis=1)
    refuse(judges < 2, judges, "counts", "two judgements a unit", "Leave units without a pair out")
    return (counts * (counts - 1)).sum(axis=1) / (judges * (judges - 1))


def _counts(counts: ArrayLike) -> np.ndarray:
    array = whole_numbers(counts, "counts", ndim=2)
    refuse(array < 0, array, "counts", "no negative number", "Count judgements")
    return array
