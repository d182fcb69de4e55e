"""Draws of rounds for several models such that no round number is used twice.

Models that answered different rounds compete for them. Disjoint draws of rho rounds a model exist
iff a flow of rho from every model through the rounds it answered, at most 1 a round, is feasible
(Hall's condition); a maximum matching decides it exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from rationale.inference.checks import refuse, whole_numbers
from rationale.seeds import generator

# Moves of the walk for each drawn round; each move shifts a whole chain of them.
SWEEPS = 20


def largest_rho(answered: Sequence[ArrayLike], rho: int) -> int:
    """Largest number of rounds a model, at most ``rho``, for which disjoint draws exist.

    Parameters
    ----------
    answered : W arrays of the round numbers that each model answered, none twice.
    rho : rounds a model that are asked for, at least 0.

    Returns 0 when a model answered nothing, or when not even one round each fits.
    Raises ValueError for a negative rho, repeated round numbers, or numbers that are not whole.
    """
    refuse(rho < 0, rho, "rho", "at least 0", "Ask for 1 or more rounds a model")
    if not len(answered):
        return rho
    allowed = _allowed(answered)[0]
    fits, limit = 0, min(rho, *allowed.sum(axis=1), allowed.shape[1] // len(allowed))
    while fits < limit:
        middle = (fits + limit + 1) // 2
        fits, limit = (middle, limit) if _match(allowed, middle).min() >= 0 else (fits, middle - 1)
    return int(fits)


def draw_rounds_apart(
    answered: Sequence[ArrayLike], rho: int, seed_names: Sequence[object]
) -> list[np.ndarray]:
    """``rho`` rounds for each model, no round number used by two models.

    When the first random permutation of the rounds fits what every model answered (always if all
    answered all), the draw is exactly uniform over the feasible ones. Else it starts from a
    matching, which cannot dead-end, and walks: a random round of the draw moves to a random round
    of its model and pushes the round found there on, until one was free. Every such chain is as
    likely as its reverse and any feasible draw can be reached, so the walk's only stationary law
    is the uniform one; it makes 20 moves for each drawn round. How near that comes is not proven.

    Parameters
    ----------
    answered : W arrays of the round numbers that each model answered, none twice.
    rho : rounds a model, at least 1.
    seed_names : names that seed the draw, as for ``rationale.seeds.generator``.

    Returns W arrays (rho,), sorted.
    Raises ValueError when no such draw exists (``largest_rho`` tells), and as ``largest_rho``.
    """
    refuse(rho < 1, rho, "rho", "at least 1", "Check largest_rho before drawing")
    if not len(answered):
        return []
    allowed, numbers = _allowed(answered)
    draws = generator(*seed_names)
    place = draws.permutation(numbers.size)[: len(allowed) * rho]
    if place.size < len(allowed) * rho or not _fits(allowed, place):
        place = _walked(allowed, rho, draws)
    return list(np.sort(numbers[place].reshape(len(allowed), rho), axis=1))


def _allowed(answered: Sequence[ArrayLike]) -> tuple[np.ndarray, np.ndarray]:
    """(W, R) which model answered which round, and the R round numbers."""
    lists = [np.asarray(rounds) for rounds in answered]
    lists = [whole_numbers(x, "answered", ndim=1) if x.size else x.astype(int) for x in lists]
    numbers = np.unique(np.concatenate(lists))
    allowed = np.zeros((len(lists), numbers.size), dtype=bool)
    for row, rounds in zip(allowed, lists, strict=True):
        row[np.searchsorted(numbers, rounds)] = True
    twice = allowed.sum(axis=1) != [x.size for x in lists]
    refuse(twice, twice, "answered", "no round twice", "Pass each model's round numbers once")
    return allowed, numbers


def _fits(allowed: np.ndarray, place: np.ndarray) -> bool:
    return bool(allowed[np.arange(len(allowed))[:, None], place.reshape(len(allowed), -1)].all())


def _match(allowed: np.ndarray, rho: int) -> np.ndarray:
    """(W·rho,) a round for each slot of each model, or -1 where the largest matching has none."""
    slots = csr_array(np.repeat(allowed, rho, axis=0))
    return maximum_bipartite_matching(slots, perm_type="column")


def _walked(allowed: np.ndarray, rho: int, draws: np.random.Generator) -> np.ndarray:
    from rationale.revealed import subset_kernels as kernels

    place = _match(allowed, rho).astype(np.int64)
    short = np.unique(np.flatnonzero(place < 0) // rho)
    if short.size:
        raise ValueError(
            f"rho: expected disjoint draws of {rho} rounds for each of {len(allowed)} models; "
            f"not enough rounds for model(s) {short[:5].tolist()} at least. "
            f"The largest that fits is {largest_rho([np.flatnonzero(x) for x in allowed], rho)}."
        )
    holder = np.full(allowed.shape[1], -1)
    holder[place] = np.arange(place.size)
    choices = np.argsort(~allowed, axis=1, kind="stable")
    kernels.walk_apart(draws, choices, allowed.sum(axis=1), place, holder, SWEEPS * place.size)
    return place
