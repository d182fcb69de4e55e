"""Which models choose alike: correlations of marginal likelihoods, clusters, shared preferences.

Throughout, P is (models, n): the marginal likelihood of action 1, NaN where a model has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from rationale.beliefs.effects import STRONG, prefers
from rationale.inference.checks import refuse

FEWEST_COMMON = 3


@dataclass(frozen=True, eq=False)
class Clustering:
    """Average-linkage clustering of models at the distance 1 - r.

    ``models`` are the rows of R that are clustered; ``linkage`` is scipy's (K-1, 4) matrix over
    them. ``order`` lists rows of R as leaves from left to right, neighbours as alike as can be.
    ``left_out`` are the rows with a missing correlation.
    """

    linkage: np.ndarray
    models: tuple[int, ...]
    order: tuple[int, ...]
    left_out: tuple[int, ...]


class Unfavourable(NamedTuple):
    """Share of the models with an answer that strongly prefer action 2, NaN without a model;
    ``mask`` where it is at least the share asked for. Both (n,)."""

    share: np.ndarray
    mask: np.ndarray


class StrongAgreement(NamedTuple):
    """``action`` (n,) that all models strongly prefer: 1, -1 for action 2, 0 for none.

    ``mask`` (n,) is where there is one.
    """

    action: np.ndarray
    mask: np.ndarray


def correlations(P: ArrayLike) -> np.ndarray:
    """Pearson correlations between models, each pair over the scenarios that both have.

    Returns (models, models), symmetric, 1 on the diagonal. NaN, also on the diagonal, for fewer
    than three common scenarios, or where a model has one likelihood in all of them.
    Raises ValueError for another shape or numbers outside [0, 1].
    Source: Scherrer et al. (2023), section 4.3.
    """
    P = _checked(P)
    known = ~np.isnan(P)
    R = np.full((len(P), len(P)), np.nan)
    for i in range(len(P)):
        for j in range(i + 1):
            common = known[i] & known[j]
            R[i, j] = R[j, i] = _pearson(P[i, common], P[j, common])
    return R


def cluster(R: ArrayLike) -> Clustering | None:
    """Cluster models by their correlations.

    Parameters
    ----------
    R : (models, models) correlations, symmetric, NaN where there is none.

    Models without a correlation with themselves are left out; then, while a pair lacks one, the
    model that lacks most is (of equals, the last in the list). Leaves are ordered so that the sum
    of distances between neighbours is smallest.
    Returns None if fewer than two models are left. Raises ValueError for another shape, numbers
    outside [-1, 1], or a matrix that is not symmetric.
    Source: Scherrer et al. (2023), figure 5; Bar-Joseph, Gifford and Jaakkola (2001) for the order.
    """
    R = _checked_correlations(R)
    models = _complete(R)
    if len(models) < 2:
        return None
    distances = squareform(1 - R[np.ix_(models, models)], checks=False)
    tree = linkage(np.maximum(distances, 0), method="average", optimal_ordering=True)
    order = tuple(models[leaf] for leaf in leaves_list(tree))
    left_out = tuple(sorted(set(range(len(R))) - set(models)))
    return Clustering(tree, tuple(models), order, left_out)


def unfavourable(P: ArrayLike, share: float = 0.25, threshold: float = STRONG) -> Unfavourable:
    """Scenarios where many models strongly prefer action 2, in low ambiguity the unfavourable one.

    Parameters
    ----------
    P : (models, n) as in the module.
    share : smallest share of models to be marked, in (0, 1]; equal counts.
    threshold : as in ``prefers``.

    Raises ValueError for another shape or numbers outside those ranges.
    Source: Scherrer et al. (2023), section 4.1: 7 of 28 models.
    """
    refuse(not 0 < share <= 1, share, "share", "above 0, at most 1", "Pass 0.25 for a quarter")
    choices = prefers(_checked(P), threshold)
    models = np.count_nonzero(~np.isnan(choices), axis=0)
    against = np.count_nonzero(choices == -1, axis=0)
    shares = np.where(models > 0, against / np.maximum(models, 1), np.nan)
    return Unfavourable(shares, shares >= share)


def strong_agreement(P: ArrayLike, threshold: float = STRONG) -> StrongAgreement:
    """Scenarios where every model with an answer, at least two, strongly prefers the same action.

    Parameters and errors are those of ``unfavourable``. Source: Scherrer et al. (2023), table 3.
    """
    choices = prefers(_checked(P), threshold)
    missing = np.isnan(choices)
    enough = np.count_nonzero(~missing, axis=0) >= 2
    first, second = (enough & (missing | (choices == sign)).all(axis=0) for sign in (1, -1))
    return StrongAgreement(first.astype(np.int64) - second, first | second)


def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    if x.size < FEWEST_COMMON or np.ptp(x) == 0 or np.ptp(y) == 0:
        return np.nan
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1, 1))


def _complete(R: np.ndarray) -> list[int]:
    """Rows of R among which no correlation is missing."""
    models = [m for m in range(len(R)) if not np.isnan(R[m, m])]
    while models:
        lacking = np.isnan(R[np.ix_(models, models)]).sum(axis=1)
        if not lacking.any():
            break
        models.pop(max(range(len(models)), key=lambda m: (lacking[m], m)))
    return models


def _checked(P: ArrayLike) -> np.ndarray:
    P = np.asarray(P, dtype=np.float64)
    if P.ndim != 2:
        raise ValueError(
            f"P: expected (models, n), a row for each model; found shape {P.shape}. "
            "Pass one row for a single model."
        )
    outside = (P < 0) | (P > 1)
    refuse(outside, P, "P", "likelihoods in [0, 1]", "Pass shares, and NaN where there is none")
    return P


def _checked_correlations(R: ArrayLike) -> np.ndarray:
    R = np.asarray(R, dtype=np.float64)
    if R.ndim != 2 or R.shape[0] != R.shape[1]:
        raise ValueError(f"R: expected a square matrix; found shape {R.shape}. Pass correlations.")
    refuse(np.abs(R) > 1, R, "R", "correlations in [-1, 1]", "Pass what `correlations` returns")
    uneven = ~((R == R.T) | (np.isnan(R) & np.isnan(R.T)))
    refuse(uneven, R, "R", "a symmetric matrix", "Pass what `correlations` returns")
    return R
