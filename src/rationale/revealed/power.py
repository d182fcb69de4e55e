"""Power: how often the rationality test passes respondents whose preferences are known.

A respondent has the utility -1/2 sum_s a_s (q_s - b_s)^2 and adds logit noise to it. Each replicate
is a survey from the start: an ideal b, an open answer that flips rounds, a subset of the rounds,
options drawn for each, choices, and the test against random data sets over those very options. A
null distribution belongs to the options shown, so replicates share none; what makes them cheap is
that costs depend on the point and the round only and are computed once, and that a test stops
when no level can be met any more, which changes no decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse
from rationale.inference.intervals import wilson
from rationale.revealed.ccei import ccei_of_choices
from rationale.revealed.costs import costs
from rationale.seeds import generator

LEVELS = (0.01, 0.05, 0.10)
FIRST_DRAWS = 99


@dataclass(frozen=True)
class PricedDesign:
    """A priced survey as arrays: its answers (M, S), corners and prices (R, S), budget and scale.

    ``high`` is the top of the scale, which starts at 0. Prices should be whole, so that costs are.
    """

    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray
    budget: float
    high: float

    @cached_property
    def costs(self) -> np.ndarray:
        """(2R, M) cost of every answer in every round, first unflipped, then flipped."""
        flipped = self.high - self.corners
        both = np.concatenate([self.corners, flipped]), np.concatenate([self.prices, self.prices])
        return np.ascontiguousarray(costs(self.answers, *both))

    @cached_property
    def lines(self) -> list[np.ndarray]:
        """2R arrays: the answers, by number, that cost the budget in each round."""
        return [np.flatnonzero(row == self.budget) for row in self.costs]


class Setting(NamedTuple):
    """A cell of the table: logit noise (0 to infinity), rounds asked, options listed in each."""

    noise: float
    rounds: int
    options: int


class Power(NamedTuple):
    """Share of replicates that pass at each level, with its 95 % Wilson interval."""

    replicates: int
    levels: tuple[float, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def grid(
    noises: Sequence[float], rounds: Sequence[int], options: Sequence[int]
) -> list[Setting]:
    """Every combination, noise by noise."""
    return [Setting(*setting) for setting in product(noises, rounds, options)]


def passes(
    design: PricedDesign,
    setting: Setting,
    replicates: Iterable[int],
    seed: object,
    *,
    ideal: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    draws: int = 999,
    levels: Sequence[float] = LEVELS,
) -> np.ndarray:
    """Whether each replicate passes the test at each level.

    Parameters
    ----------
    setting : noise 0 takes the best option, infinite noise any; fewer options on a line are shown
        whole.
    replicates : their numbers; a replicate is the same whatever others are run.
    seed : names every draw, with "power", the setting and the number of the replicate.
    ideal, weights : (S,) of the utility; by default an ideal drawn uniformly within the scale, for
        each replicate anew, and equal weights.
    draws : random data sets a test. It passes at a level where (1 + count)/(1 + draws), count
        being those with a CCEI at or above the respondent's, is at most that level: with 999 draws
        respondents that choose at random pass at exactly the level, ties aside.

    Returns (N, L) boolean. Raises ValueError for settings that the design cannot meet, or
    weights that are not positive.
    """
    _check(design, setting)
    seen = (float(setting.noise), int(setting.rounds), int(setting.options))
    most = np.floor(np.asarray(levels) * (1 + draws) + 1e-9) - 1
    rows = []
    for replicate in replicates:
        draw = generator(seed, "power", *seen, replicate)
        taste = _taste(design, ideal, weights, draw)
        rows.append(_passes(design, setting, taste, draws, most, draw))
    return np.array(rows, dtype=bool).reshape(-1, len(most))


def power(passed: ArrayLike, levels: Sequence[float] = LEVELS) -> Power:
    """Summarise ``passes``: (N, L) booleans, of one chunk of replicates or of several stacked.

    Raises ValueError for no replicates or another number of levels.
    """
    passed = np.asarray(passed, dtype=bool)
    if passed.ndim != 2 or passed.shape[1] != len(levels):
        raise ValueError(
            f"passed: expected (N, {len(levels)}), a column for each level; found shape "
            f"{passed.shape}. Stack the results of passes row by row."
        )
    count, total = passed.sum(axis=0), len(passed)
    low, high = wilson(count, total)
    share = count / total
    return Power(total, tuple(levels), *(tuple(x.tolist()) for x in (share, low, high)))


class _Taste(NamedTuple):
    ideal: np.ndarray
    weights: np.ndarray


def _check(design: PricedDesign, setting: Setting) -> None:
    rounds, options = len(design.corners), setting.options
    bad = not 1 <= setting.rounds <= rounds
    refuse(bad, setting.rounds, "rounds", f"1 to {rounds}", "Ask no more rounds than there are")
    refuse(options < 1, options, "options", "at least 1", "List at least one option")
    noise = setting.noise
    refuse(not noise >= 0, noise, "noise", "0 to infinity", "Pass 0 for no noise")


def _taste(design, ideal, weights, draw: np.random.Generator) -> _Taste:
    count = design.answers.shape[1]
    drawn = draw.uniform(0, design.high, count)
    ideal = drawn if ideal is None else np.asarray(ideal, dtype=float)
    weights = np.ones(count) if weights is None else np.asarray(weights, dtype=float)
    refuse(~(weights > 0), weights, "weights", "positive numbers", "Weigh every statement")
    return _Taste(ideal, weights / weights.sum())


def _passes(design, setting, taste, draws, most, draw) -> np.ndarray:
    """(L,) whether at most ``most`` random data sets reach the CCEI of one respondent."""
    faces = _faces(design, setting, taste, draw)
    listed = [draw.permutation(design.lines[face])[: setting.options] for face in faces]
    utility = _utility(design.answers, taste)
    chosen = [_best(options, utility[options], setting.noise, draw) for options in listed]
    cost = design.costs[faces]
    own = ccei_of_choices(cost, np.array([chosen]))[0]
    count = 0
    for size in (min(FIRST_DRAWS, draws), draws - min(FIRST_DRAWS, draws)):
        if size and count <= most.max():
            null = ccei_of_choices(cost, _random_choices(listed, size, draw))
            count += np.count_nonzero(null >= own)
    return count <= most


def _faces(design, setting, taste, draw) -> np.ndarray:
    """Rows of ``design.costs`` of a random subset of the rounds, flipped by an open answer."""
    rounds = np.sort(draw.permutation(len(design.corners))[: setting.rounds])
    opening = _open_answer(design, setting.noise, taste, draw)
    distances = np.abs(opening - design.corners[rounds])
    flipped = (distances * design.prices[rounds]).sum(axis=1) <= design.budget
    return rounds + len(design.corners) * flipped


def _open_answer(design, noise, taste, draw) -> np.ndarray:
    """Ratings of the open round, each statement by its own part of the utility."""
    ratings = np.arange(design.high + 1)
    parts = -0.5 * taste.weights[:, None] * (ratings - taste.ideal[:, None]) ** 2
    return np.array([_best(ratings, part, noise, draw) for part in parts])


def _utility(answers: np.ndarray, taste: _Taste) -> np.ndarray:
    """(M,) utility; rounded, so that equal utilities are equal numbers."""
    return np.round(-0.5 * ((answers - taste.ideal) ** 2) @ taste.weights, 12)


def _best(options: np.ndarray, utility: np.ndarray, noise: float, draw) -> float | int:
    """The best option after logit noise; ties go to the first, and lists are in random order."""
    if np.isinf(noise):
        return options[draw.integers(len(options))]
    shocks = noise * draw.gumbel(size=len(options)) if noise > 0 else 0.0
    return options[np.argmax(utility + shocks)]


def _random_choices(listed: list[np.ndarray], draws: int, draw) -> np.ndarray:
    """(N, T) answers picked uniformly from each round's options."""
    sizes = np.array([len(options) for options in listed])
    first = np.cumsum(sizes) - sizes
    return np.concatenate(listed)[first + draw.integers(0, sizes, (draws, len(sizes)))]
