"""Accuracy against guessing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse


def normalised_accuracy(accuracy: ArrayLike, guess_rate: ArrayLike) -> np.ndarray:
    """The share of the gap between guessing and perfect answers that is closed: (a - r) / (1 - r).

    Parameters
    ----------
    accuracy : shares of right answers, in [0, 1].
    guess_rate : the accuracy of guessing evenly, in [0, 1); arrays broadcast.

    1 is perfect, 0 as good as guessing, below 0 worse. Raises ValueError for numbers outside the
    ranges. Source: Raman et al. (2024), section 2.2.2, whose printed formula is `printed_accuracy`.
    """
    accuracy, guess_rate = _checked(accuracy, guess_rate)
    refuse(guess_rate == 1, guess_rate, "guess_rate", "below 1", "No wrong answer is possible")
    return ((accuracy - guess_rate) / (1 - guess_rate))[()]


def printed_accuracy(accuracy: ArrayLike, guess_rate: ArrayLike) -> np.ndarray:
    """The study's printed formula, (a - r) / r, which it says lies in [-1, 1]; it reaches 1/r - 1.

    Parameters and errors as `normalised_accuracy`, but for ``guess_rate`` in (0, 1].
    """
    accuracy, guess_rate = _checked(accuracy, guess_rate)
    refuse(guess_rate == 0, guess_rate, "guess_rate", "above 0", "Guessing is never right")
    return ((accuracy - guess_rate) / guess_rate)[()]


def _checked(accuracy: ArrayLike, guess_rate: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    arrays = np.asarray(accuracy, float), np.asarray(guess_rate, float)
    for array, name in zip(arrays, ("accuracy", "guess_rate"), strict=True):
        refuse(~((array >= 0) & (array <= 1)), array, name, "shares in [0, 1]", "Pass shares")
    return arrays
