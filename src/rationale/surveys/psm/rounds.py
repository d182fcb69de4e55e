"""The rounds of a priced survey for one respondent: corners, flips and the options shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rationale.seeds import generator
from rationale.surveys.psm.survey import Survey


@dataclass(frozen=True)
class Round:
    """A constrained round: its corner after any flip, its prices, and the options in shown order."""

    number: int
    corner: np.ndarray
    prices: tuple[Fraction, ...]
    flipped: bool
    budget: Fraction
    options: np.ndarray


def draw_rounds(
    survey: Survey,
    open_answer: Sequence[int] | None,
    options: int,
    seed: int,
    shuffled: bool = False,
) -> list[Round]:
    """Every round of the survey, given the respondent's open answer q0.

    Where q0 lies on or under the line, p . |q0 - o| <= budget, the corner is replaced by its
    opposite before drawing (Seror 2025, end of section 2.2). Without an open answer no round is
    flipped. The options are drawn without replacement from (seed, round, flipped) alone; lines with
    fewer points are shown whole. ``shuffled`` puts the same options in another seeded order.
    """
    return [
        _draw(survey, number, open_answer, options, seed, shuffled)
        for number in range(1, survey.rounds + 1)
    ]


def _draw(survey, number, open_answer, options, seed, shuffled) -> Round:
    corner, price = survey.corner(number), survey.price(number)
    flipped = open_answer is not None and survey.cost(open_answer, corner, price) <= survey.budget
    if flipped:
        corner = survey.high - corner
    line = survey.line(corner, price)
    drawn = generator(seed, "psm", "options", number, flipped).permutation(len(line))[:options]
    if shuffled:
        drawn = generator(seed, "psm", "shuffled", number, flipped).permutation(drawn)
    return Round(number, corner, price, flipped, survey.budget, line[drawn])
