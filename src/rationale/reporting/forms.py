"""Robustness across question forms: one row a respondent and pair of forms."""

from __future__ import annotations

from typing import Any

import polars as pl

from rationale.revealed.measure import FEWEST_ROUNDS, AnsweredRounds
from rationale.revealed.robustness import agreement, joint_rationality

_AGREEMENT = ("share", "low", "high", "uniform", "habit", "kappa", "same_position", "distance")
SCHEMA = {
    "model": pl.String,
    "form_1": pl.String,
    "form_2": pl.String,
    "rounds": pl.Int64,
    **{name: pl.Float64 for name in _AGREEMENT},
    "ccei_1": pl.Float64,
    "ccei_2": pl.Float64,
    "joint_ccei": pl.Float64,
    "joint_garp": pl.Boolean,
}


def comparison(
    model: str, form_1: str, form_2: str, first: AnsweredRounds, second: AnsweredRounds
) -> dict[str, Any]:
    """A row of the table; values that the data do not tell are None."""
    row = {name: None for name in SCHEMA}
    row |= {"model": model, "form_1": form_1, "form_2": form_2, "rounds": 0}
    found = agreement(first, second)
    if found is not None:
        row |= {"rounds": found.rounds}
        row |= {name: getattr(found, name) for name in _AGREEMENT}
    if min(len(first.numbers), len(second.numbers)) >= FEWEST_ROUNDS:
        joint = joint_rationality(first, second)
        row |= {"ccei_1": joint.alone[0], "ccei_2": joint.alone[1]}
        row |= {"joint_ccei": joint.ccei, "joint_garp": joint.garp}
    return row
