"""Everything the rationality table says of one respondent, from its answered rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rationale.revealed.ccei import ccei, critical_cycle
from rationale.revealed.costs import costs
from rationale.revealed.garp import garp
from rationale.revealed.null import random_ccei, rationality_test

FEWEST_ROUNDS = 2


class AnsweredRounds(Protocol):
    """T rounds: numbers (T,), answers, corners and prices (T, S), options T x (n, S)."""

    numbers: np.ndarray
    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray
    options: Sequence[np.ndarray]


def measure_rationality(
    answered: AnsweredRounds, picks: np.ndarray, habit_picks: np.ndarray | None = None
) -> tuple[dict, np.ndarray]:
    """The test of one data set, and its null distribution (draws,).

    ``picks`` (draws, T) says which option each random data set takes in each answered round;
    ``habit_picks`` likewise for data sets that keep the respondent's positions, as
    ``position_picks`` makes them, whose valid p-value is ``p_position``. With fewer than two
    answered rounds there is nothing to test: the numbers are None and the null is empty. The cycle
    that sets the CCEI, and one that violates GARP, are given by round number with the cost ratio
    of each step.
    """
    count = len(answered.numbers)
    if count < FEWEST_ROUNDS:
        return {"rounds": count, "ccei": None, "garp": None, "draws": 0}, np.empty(0)
    cost = costs(answered.answers, answered.corners, answered.prices)
    null = random_ccei(answered.options, answered.corners, answered.prices, picks)
    index, violation, critical = ccei(cost), garp(cost), critical_cycle(cost)
    test = {
        "rounds": count,
        "ccei": index,
        "garp": violation.holds,
        "critical_cycle": _by_number(critical.rounds, critical.ratios, answered.numbers),
        "violation": _by_number(violation.cycle, violation.ratios, answered.numbers),
        "draws": len(null),
        **rationality_test(index, null)._asdict(),
    }
    if habit_picks is not None:
        habit = random_ccei(answered.options, answered.corners, answered.prices, habit_picks)
        test["p_position"] = rationality_test(index, habit).p_plus
    return test, null


def _by_number(places: Sequence[int], ratios: Sequence[float], numbers: np.ndarray) -> list[dict]:
    return [
        {"round": int(numbers[place]), "ratio": ratio}
        for place, ratio in zip(places, ratios, strict=True)
    ]
