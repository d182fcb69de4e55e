"""Robustness: over domains, and over the elements that an element builds on."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike


def worst_domain(accuracy: Mapping[str, float]) -> tuple[str, float]:
    """The domain with the lowest accuracy, and the accuracy; of equals the first by name.

    Raises ValueError for no domain. Source: Raman et al. (2024), section 2.2.3.
    """
    if not accuracy:
        raise ValueError("accuracy: found no domain; expected one or more.")
    domain = min(accuracy, key=lambda name: (accuracy[name], name))
    return domain, accuracy[domain]


def dependency_gap(
    gap: Mapping[str, float], element: str, dependencies: nx.DiGraph
) -> float | None:
    """How far an element's score stands above those of elements that it builds on and exceeds.

    Parameters
    ----------
    gap : accuracy less the guess rate, by element; elements that were not asked are left out.
    element : one that was asked.
    dependencies : an edge from each element to those that build on it directly.

    The sum of |gap(s) - gap(x)| over all prerequisites x, direct or not, whose gap is below that of
    s: 0 when none is, None when none of the prerequisites was asked. Large values say that the
    element is answered without what it is made of. Raises KeyError for an element without a gap.
    Source: Raman et al. (2024), section 2.2.3.
    """
    below = [gap[one] for one in nx.ancestors(dependencies, element) if one in gap]
    if not below:
        return None
    return float(sum(gap[element] - one for one in below if one < gap[element]))


def dependency_gaps(gaps: ArrayLike, builds_on: ArrayLike) -> np.ndarray:
    """`dependency_gap` of every element in many draws at once.

    Parameters
    ----------
    gaps : (E, D) accuracy less the guess rate, by element and draw; NaN where not asked.
    builds_on : (E, E) whether the element of the row builds on that of the column, directly or not.

    Returns (E, D): NaN where the element or all of its prerequisites were not asked.
    """
    gaps, builds_on = np.asarray(gaps, float), np.asarray(builds_on, bool)
    found = np.full(gaps.shape, np.nan)
    for element in np.flatnonzero(builds_on.any(axis=1)):
        above = gaps[element] - gaps[builds_on[element]]
        known = ~np.isnan(above).all(axis=0)
        found[element, known] = np.fmax(above, 0.0).sum(axis=0)[known]
    return found
