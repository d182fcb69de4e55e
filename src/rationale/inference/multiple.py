"""P-values adjusted for the number of hypotheses in a table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse


def holm(p: ArrayLike) -> np.ndarray:
    """Holm's step-down p-values: they bound the chance of any false rejection.

    Parameters
    ----------
    p : (H,) p-values; NaN is no hypothesis and stays NaN.

    Returns (H,): the largest of (H - i + 1)·p_(i) up to each p's rank i, at most 1.
    Raises ValueError for an empty list, another shape or numbers outside [0, 1].
    Source: Holm (1979).
    """
    return _adjusted(p, _holm_of_sorted)


def holm_within(p: ArrayLike, families: Sequence[Hashable]) -> np.ndarray:
    """Holm's p-values where each family of hypotheses is adjusted by itself.

    ``p`` is (H,), as in `holm` but possibly empty; ``families`` names the family of each.
    """
    p = np.asarray(p, dtype=np.float64)
    places: dict[Hashable, list[int]] = {}
    for place, family in enumerate(families):
        places.setdefault(family, []).append(place)
    adjusted = np.full(p.shape, np.nan)
    for members in places.values():
        adjusted[members] = holm(p[members])
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> np.ndarray:
    """Benjamini and Hochberg's step-up p-values: they bound the false discovery rate.

    Parameters
    ----------
    p : (H,) p-values; NaN is no hypothesis and stays NaN.

    Returns (H,): the smallest of H·p_(i)/i from each p's rank i on, at most 1.
    Raises ValueError for an empty list, another shape or numbers outside [0, 1].
    Source: Benjamini and Hochberg (1995).
    """
    return _adjusted(p, _benjamini_hochberg_of_sorted)


def _adjusted(p: ArrayLike, rule: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 1 or p.size == 0:
        raise ValueError(
            f"p: expected a list of at least one p-value; found shape {p.shape}. "
            "Pass one p-value for each hypothesis of the table."
        )
    refuse((p < 0) | (p > 1), p, "p", "p-values in [0, 1]", "Mark a missing p-value as NaN")
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = rule(p[order])
    return adjusted


def _holm_of_sorted(p: np.ndarray) -> np.ndarray:
    return np.minimum(np.maximum.accumulate(p * np.arange(p.size, 0, -1)), 1.0)


def _benjamini_hochberg_of_sorted(p: np.ndarray) -> np.ndarray:
    steps = p * p.size / np.arange(1, p.size + 1)
    return np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
