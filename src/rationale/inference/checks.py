"""Refusals that say what was found and where, what was expected, and what to do."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

SHOWN = 5


def refuse(bad: ArrayLike, values: ArrayLike, name: str, expected: str, remedy: str) -> None:
    """Raise ValueError naming the first five places where ``bad`` is true; else do nothing.

    Parameters
    ----------
    bad : boolean array, any shape.
    values : array of the same shape: what stands at each place.
    name, expected, remedy : the words of the message, without a full stop at the end.
    """
    bad, values = np.atleast_1d(bad), np.atleast_1d(values)
    if not bad.any():
        return
    places = np.argwhere(bad)[:SHOWN]
    found = ", ".join(f"{values[tuple(place)]} at {_place(place)}" for place in places)
    count = f"{np.count_nonzero(bad)} of {bad.size}"
    raise ValueError(f"{name}: expected {expected}; found {found} ({count}). {remedy}.")


def matrix(values: ArrayLike, name: str) -> np.ndarray:
    """``values`` as a float64 matrix with at least one row and one column, all finite.

    Raises ValueError for another number of dimensions, an empty matrix, NaN or infinity.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"{name}: expected a matrix with at least one row and one column; "
            f"found shape {array.shape}. Leave out what has no data before calling."
        )
    refuse(~np.isfinite(array), array, name, "finite numbers", "Leave out rounds without data")
    return array


def whole_numbers(values: ArrayLike, name: str, ndim: int) -> np.ndarray:
    """``values`` as an int64 array of ``ndim`` dimensions, not empty.

    Raises ValueError for another kind of number, another shape or an empty array.
    """
    array = np.asarray(values)
    if array.ndim != ndim or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name}: expected integers in {ndim} dimension(s), at least one; "
            f"found shape {array.shape} of {array.dtype}. Pass an integer array of that shape."
        )
    return array.astype(np.int64)


def _place(index: np.ndarray) -> str:
    return str(tuple(int(i) for i in index)) if len(index) > 1 else str(int(index[0]))
