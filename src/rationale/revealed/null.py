"""The rationality test: a data set's CCEI against data sets that answer at random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import matrix, refuse, whole_numbers
from rationale.inference.intervals import clopper_pearson
from rationale.revealed.ccei import ccei_of_choices
from rationale.revealed.costs import costs
from rationale.seeds import generator

STARS = ((0.01, "***"), (0.05, "**"), (0.10, "*"))


class RationalityTest(NamedTuple):
    """Outcome of the test; ``p_low`` and ``p_high`` bound ``p_value`` for Monte-Carlo error."""

    p_value: float
    p_plus: float
    p_low: float
    p_high: float
    stars: str


def rationality_test(observed: float, null: ArrayLike) -> RationalityTest:
    """Is an index higher than random answers give?

    Parameters
    ----------
    observed : index of the data set; larger is more rational.
    null : (N,) indices of random data sets over the same options.

    Returns p_value, the share of ``null`` at or above ``observed``; p_plus = (1 + count)/(1 + N),
    valid at any N; the 95 % Clopper-Pearson interval of the share; and stars where the share is
    *at most* 1 %, 5 % or 10 %, the inequality of the paper.
    Raises ValueError for an empty ``null`` or NaN.
    Source: Moral Minds, section 2.3, equation 4; p_plus: Phipson and Smyth (2010).
    """
    null = matrix(np.atleast_1d(null)[None], "null")[0]
    refuse(np.isnan(observed), observed, "observed", "a number", "Leave out data without an index")
    count = int(np.count_nonzero(null >= observed))
    share = count / null.size
    low, high = clopper_pearson(count, null.size)
    stars = next((mark for level, mark in STARS if share <= level), "")
    return RationalityTest(share, (1 + count) / (1 + null.size), float(low), float(high), stars)


def random_ccei(
    options: Sequence[ArrayLike], corners: ArrayLike, prices: ArrayLike, picks: ArrayLike
) -> np.ndarray:
    """CCEI of data sets that pick from the options which each round of a priced survey listed.

    For other data, ``ccei_of_choices`` takes the cost of any answers at any prices.

    Parameters
    ----------
    options : T arrays (n_r, S), the points listed in each round.
    corners, prices : (T, S) as in ``costs``.
    picks : (N, T) integers: data set n takes option picks[n, r] of round r.

    Returns (N,) indices. Holds T doubles for every option listed (20 MB for 160 x 100).
    Raises ValueError for shapes that do not fit, a round without options, a pick that its round
    did not list, and as ``costs`` and ``ccei_of_choices`` do.
    """
    options = [matrix(listed, f"options of round {r}") for r, listed in enumerate(options)]
    picks = whole_numbers(picks, "picks", ndim=2)
    sizes = np.array([len(listed) for listed in options])
    if len({listed.shape[1] for listed in options}) != 1 or picks.shape[1] != len(options):
        raise ValueError(
            f"picks: expected options of one width and one column of picks for each of the "
            f"{len(options)} rounds; found widths {sorted({o.shape[1] for o in options})} and "
            f"picks {picks.shape}. Leave the same rounds out of options and picks."
        )
    outside = (picks < 0) | (picks >= sizes)
    refuse(outside, picks, "picks", "an option that the round listed", "Draw with uniform_picks")
    first = np.cumsum(sizes) - sizes
    return ccei_of_choices(costs(np.concatenate(options), corners, prices), first + picks)


def uniform_picks(
    sizes: ArrayLike, draws: int | Iterable[int], seed_names: Sequence[object]
) -> np.ndarray:
    """A uniform pick from every round's options, for every draw.

    Parameters
    ----------
    sizes : (T,) integers: number of options in each round, at least 1.
    draws : how many draws (0 to draws - 1), or their numbers.
    seed_names : names that seed the draws, as for ``rationale.seeds.generator``; the draw's
        number is added, so a draw is the same whatever other draws are made.

    Returns (N, T) integers, 0 <= [n, r] < sizes[r].
    Raises ValueError for an empty list of rounds or draws, or a round without options.
    """
    sizes = whole_numbers(sizes, "sizes", ndim=1)
    refuse(sizes < 1, sizes, "sizes", "at least one option a round", "Leave empty rounds out")
    numbers = range(draws) if isinstance(draws, int) else draws
    picks = [generator(*seed_names, number).integers(0, sizes) for number in numbers]
    return whole_numbers(picks, "draws", ndim=2)
