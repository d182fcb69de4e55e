"""Power of the rationality test as a table: how many rounds, how many options, how much noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rationale.revealed.power import LEVELS, PricedDesign, Setting, passes, power
from rationale.surveys.psm.survey import Survey


def design_of(survey: Survey) -> PricedDesign:
    """The survey as arrays."""
    numbers = range(1, survey.rounds + 1)
    statements = len(survey.statements)
    space = np.indices((survey.high + 1,) * statements).reshape(statements, -1).T
    return PricedDesign(
        space.astype(float),
        np.array([survey.corner(number) for number in numbers], dtype=float),
        np.array([[float(p) for p in survey.price(number)] for number in numbers]),
        float(survey.budget),
        float(survey.high),
    )


def simulate(
    design: PricedDesign,
    noise: float,
    rounds: Sequence[int],
    options: Sequence[int],
    replicates: int,
    draws: int,
    seed: int,
) -> pl.DataFrame:
    """Shares that pass, a row for each number of rounds and options, and level.

    Numbers of rounds or options beyond what the survey has fall to what it has, once.
    """
    most_rounds, most_options = len(design.corners), min(len(line) for line in design.lines)
    rows = []
    for asked in sorted({min(one, most_rounds) for one in rounds}):
        for shown in sorted({min(one, most_options) for one in options}):
            setting = Setting(noise, asked, shown)
            found = power(passes(design, setting, range(replicates), seed, draws=draws))
            rows += [
                {
                    "noise": noise,
                    "rounds": asked,
                    "options": shown,
                    "level": level,
                    "share": found.share[place],
                    "low": found.low[place],
                    "high": found.high[place],
                    "replicates": found.replicates,
                }
                for place, level in enumerate(LEVELS)
            ]
    return pl.DataFrame(rows)
