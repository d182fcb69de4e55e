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


class Simulated(NamedTuple):
    """One respondent's survey: rounds asked, as rows of the design's costs, options and choices.

    ``listed`` holds, for each of T rounds, the options by number of answer, in listed order.
    """

    rows: np.ndarray
    listed: list[np.ndarray]
    chosen: np.ndarray


class Power(NamedTuple):
    """Share of replicates that pass at each level, with its 95 % Wilson interval."""

    replicates: int
    levels: tuple[float, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def grid(noises: Sequence[float], rounds: Sequence[int], options: Sequence[int]) -> list[Setting]:
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
        being those with a CCEI at or above the respondent's, is at most that level. With 999 draws
        respondents that choose at random pass at each level if no CCEIs tie, and below it if
        they do, which is common: at whole costs the CCEI takes few values.

    Returns (N, L) boolean. Raises ValueError for settings that the design cannot meet, or
    weights that are not positive.
    """
    seen = (float(setting.noise), int(setting.rounds), int(setting.options))
    most = np.floor(np.asarray(levels) * (1 + draws) + 1e-9) - 1
    rows = []
    for replicate in replicates:
        draw = generator(seed, "power", *seen, replicate)
        simulated = simulate(design, setting, draw, ideal, weights)
        rows.append(_passes(design, simulated, most, draws, draw))
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


def simulate(
    design: PricedDesign,
    setting: Setting,
    draw: np.random.Generator,
    ideal: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Simulated:
    """One respondent's survey; the parameters are those of ``passes``, ``draw`` its only chance.

    The open answer rates each statement by its own part of the utility, with the same noise.
    """
    _check(design, setting)
    ideal, weights = _taste(design, ideal, weights, draw)
    rounds = np.sort(draw.permutation(len(design.corners))[: setting.rounds])
    opening = _open_answer(design, setting.noise, ideal, weights, draw)
    distances = np.abs(opening - design.corners[rounds])
    flipped = (distances * design.prices[rounds]).sum(axis=1) <= design.budget
    rows = rounds + len(design.corners) * flipped
    listed = [draw.permutation(design.lines[row])[: setting.options] for row in rows]
    utility = _utility(design.answers, ideal, weights)
    chosen = [_best(options, utility[options], setting.noise, draw) for options in listed]
    return Simulated(rows, listed, np.array(chosen))


def _check(design: PricedDesign, setting: Setting) -> None:
    rounds, options = len(design.corners), setting.options
    bad = not 1 <= setting.rounds <= rounds
    refuse(bad, setting.rounds, "rounds", f"1 to {rounds}", "Ask no more rounds than there are")
    refuse(options < 1, options, "options", "at least 1", "List at least one option")
    noise = setting.noise
    refuse(not noise >= 0, noise, "noise", "0 to infinity", "Pass 0 for no noise")


def _taste(design, ideal, weights, draw) -> tuple[np.ndarray, np.ndarray]:
    count = design.answers.shape[1]
    drawn = draw.uniform(0, design.high, count)
    ideal = drawn if ideal is None else np.asarray(ideal, dtype=np.float64)
    weights = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    refuse(~(weights > 0), weights, "weights", "positive numbers", "Weigh every statement")
    return ideal, weights / weights.sum()


def _open_answer(
    design: PricedDesign,
    noise: float,
    ideal: np.ndarray,
    weights: np.ndarray,
    draw: np.random.Generator,
) -> np.ndarray:
    ratings = np.arange(design.high + 1)
    return np.array(
        [
            _best(ratings, _utility(ratings[:, None], ideal[[s]], weights[[s]]), noise, draw)
            for s in range(len(ideal))
        ]
    )


def _utility(answers: np.ndarray, ideal: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(M,) utility; rounded, so that equal utilities are equal numbers."""
    return np.round(-0.5 * ((answers - ideal) ** 2) @ weights, 12)


def _best(options: np.ndarray, utility: np.ndarray, noise: float, draw: np.random.Generator):
    """The best option after logit noise; ties go to the first, and lists are in random order."""
    if np.isinf(noise):
        return options[draw.integers(len(options))]
    shocks = noise * draw.gumbel(size=len(options)) if noise > 0 else 0.0
    return options[np.argmax(utility + shocks)]


def _passes(
    design: PricedDesign,
    simulated: Simulated,
    most: np.ndarray,
    draws: int,
    draw: np.random.Generator,
) -> np.ndarray:
    """(L,) whether at most ``most`` random data sets reach the CCEI of one respondent."""
    cost, count = design.costs[simulated.rows], 0
    own = ccei_of_choices(cost, simulated.chosen[None])[0]
    first = min(FIRST_DRAWS, draws)
    for size in (first, draws - first):
        if size and count <= most.max():
            null = ccei_of_choices(cost, _random_choices(simulated.listed, size, draw))
            count += np.count_nonzero(null >= own)
    return count <= most


def _random_choices(listed: list[np.ndarray], draws: int, draw: np.random.Generator) -> np.ndarray:
    """(N, T) answers picked uniformly from each round's options."""
    sizes = np.array([len(options) for options in listed])
    first = np.cumsum(sizes) - sizes
    return np.concatenate(listed)[first + draw.integers(0, sizes, (draws, len(sizes)))]
