"""The CCEI that a noiseless maximiser of a fitted utility reaches on the options it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import matrix, refuse
from rationale.revealed.null import random_ccei, uniform_picks

_TIE = 1e-12


class Ceiling(NamedTuple):
    """Mean CCEI over draws of tied options, and its range; ``draws`` is 1 without ties.

    ``tied`` counts the rounds in which several options are best.
    """

    ccei: float
    lowest: float
    highest: float
    tied: int
    draws: int


def ceiling(
    weights: ArrayLike,
    ideal: ArrayLike,
    options: Sequence[ArrayLike],
    corners: ArrayLike,
    prices: ArrayLike,
    draws: int,
    seed_names: Sequence[object],
) -> Ceiling:
    """CCEI of choosing, in every round, the listed option of highest utility.

    A round lists some of the points on its line, so that even a maximiser may take a point that
    another round shows to be dominated: its CCEI, not 1, is what a respondent can reach.

    Parameters
    ----------
    weights, ideal : (S,) of u(q) = -1/2 sum_s weights_s (q_s - ideal_s)^2.
    options : T arrays (n_r, S), the points listed in each round.
    corners, prices : (T, S) as in ``costs``.
    draws : how often to choose where options tie; a uniform choice each time.
    seed_names : names that seed the draws, as for ``rationale.seeds.generator``.

    Utilities that differ by 1e-12 of the largest loss in the round count as equal: weights as 0.2
    are not exact.
    Raises ValueError for shapes that do not fit, NaN, weights below zero, or as ``random_ccei``
    and ``uniform_picks`` do.
    """
    best = best_options(weights, ideal, options)
    sizes = np.array([len(places) for places in best])
    tied = int(np.count_nonzero(sizes > 1))
    among = uniform_picks(sizes, draws if tied else 1, seed_names)
    picks = np.stack([places[row] for places, row in zip(best, among.T, strict=True)], axis=1)
    indices = random_ccei(options, corners, prices, picks)
    return Ceiling(
        float(np.mean(indices)),
        float(np.min(indices)),
        float(np.max(indices)),
        tied,
        len(indices),
    )


def best_options(
    weights: ArrayLike, ideal: ArrayLike, options: Sequence[ArrayLike]
) -> list[np.ndarray]:
    """For each round, the places (k,) of the options of highest utility; several when they tie.

    Parameters and errors are those of ``ceiling``.
    """
    weights, ideal = matrix([weights], "weights")[0], matrix([ideal], "ideal")[0]
    refuse(weights < 0, weights, "weights", "no negative number", "Pass a concave utility")
    options = [matrix(listed, f"options of round {r}") for r, listed in enumerate(options)]
    if {listed.shape[1] for listed in options} | {ideal.size} != {weights.size}:
        raise ValueError(
            f"weights: expected one for each statement of ideal and options; found {weights.size} "
            f"weights, {ideal.size} ideals, options of widths "
            f"{sorted({listed.shape[1] for listed in options})}."
        )
    return [_best((listed - ideal) ** 2 @ weights) for listed in options]


def _best(losses: np.ndarray) -> np.ndarray:
    return np.flatnonzero(losses <= losses.min() + _TIE * losses.max())
