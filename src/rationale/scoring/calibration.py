"""Calibration: whether probabilities given to options are borne out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse


def calibration_error(confidence: ArrayLike, right: ArrayLike, bins: int = 10) -> float:
    """Expected calibration error over bins of equal width on [0, 1].

    Parameters
    ----------
    confidence : (N,) probability given to the top answer.
    right : (N,) whether the top answer was right.
    bins : number of bins; bin k holds (k / bins, (k + 1) / bins], the first one 0 as well.

    The mean over bins of |accuracy - mean confidence|, weighted by their share of the answers.
    Raises ValueError for no answers, lengths that differ, and confidences outside [0, 1].
    Source: Naeini et al. (2015); Guo et al. (2017), equation 5.
    """
    confidence, right = np.asarray(confidence, float), np.asarray(right, float)
    if confidence.ndim != 1 or confidence.shape != right.shape or not len(confidence):
        raise ValueError(
            f"confidence and right: found shapes {confidence.shape} and {right.shape}; expected "
            f"(N,) twice with N >= 1."
        )
    _refuse_no_probabilities(confidence, "confidence")
    gaps = np.bincount(bin_places(confidence, bins), right - confidence, minlength=bins)
    return float(np.abs(gaps).sum() / len(confidence))


def bin_places(confidence: ArrayLike, bins: int = 10) -> np.ndarray:
    """The bin of each confidence in [0, 1], from 0: bin k holds (k / bins, (k + 1) / bins]."""
    return np.clip(np.ceil(np.asarray(confidence, float) * bins).astype(int) - 1, 0, bins - 1)


def brier_score(probabilities: ArrayLike, key: ArrayLike) -> np.ndarray:
    """Squared distance between probabilities and truth, one number an answer.

    Parameters
    ----------
    probabilities : (N, K) probabilities of K options; each row sums to 1 (at most: what an answer
        left to other words is missing).
    key : (N,) the place of the right option, from 0.

    0 is best, 2 worst. Raises ValueError for probabilities outside [0, 1] or sums above 1, and keys
    that are no place. Source: Brier (1950).
    """
    probabilities, key = np.asarray(probabilities, float), np.asarray(key)
    if probabilities.ndim != 2 or key.shape != probabilities.shape[:1]:
        raise ValueError(
            f"probabilities and key: found shapes {probabilities.shape} and {key.shape}; expected "
            f"(N, K) and (N,)."
        )
    _refuse_no_probabilities(probabilities, "probabilities")
    total = probabilities.sum(axis=1)
    refuse(total > 1 + 1e-9, total, "probabilities", "sums of at most 1", "Normalise the rows")
    refuse(~((key >= 0) & (key < probabilities.shape[1])), key, "key", "places", "Count from 0")
    truth = np.zeros_like(probabilities)
    truth[np.arange(len(key)), key] = 1
    return ((probabilities - truth) ** 2).sum(axis=1)


def _refuse_no_probabilities(array: np.ndarray, name: str) -> None:
    refuse(~((array >= 0) & (array <= 1)), array, name, "probabilities in [0, 1]", "Pass shares")
