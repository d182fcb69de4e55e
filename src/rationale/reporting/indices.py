"""Every index of one data set as plain values, with what it removed or adjusted, and the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from rationale.revealed.costs import costs
from rationale.revealed.indices import all_indices, check_indices
from rationale.revealed.indices.money_pump import money_pump_of_choices
from rationale.revealed.measure import FEWEST_ROUNDS, AnsweredRounds

SCHEMA = {
    "model": pl.String,
    "form": pl.String,
    "rounds": pl.Int64,
    "garp": pl.Boolean,
    "ccei": pl.Float64,
    "money_pump": pl.Float64,
    "p_money_pump": pl.Float64,
    "houtman_maks": pl.Float64,
    "houtman_maks_upper": pl.Float64,
    "varian": pl.Float64,
    "varian_lower": pl.Float64,
    "minimum_cost": pl.Float64,
    "minimum_cost_lower": pl.Float64,
    "all_exact": pl.Boolean,
}


def measure_indices(
    answered: AnsweredRounds, time_limit: float, picks: np.ndarray
) -> dict[str, Any]:
    """The indices of one data set, re-checked; lists name rounds by number.

    ``picks`` (draws, T) are those of random data sets, for the valid p-value of the money pump:
    (1 + how many pump at most as much)/(1 + draws). The other indices are NP-hard and have none.
    Raises RuntimeError when what an index removed or adjusted does not pass its check.
    """
    count = len(answered.numbers)
    if count < FEWEST_ROUNDS:
        return {"rounds": count}
    cost = costs(answered.answers, answered.corners, answered.prices)
    found = all_indices(cost, time_limit)
    if not check_indices(cost, found):
        raise RuntimeError(f"an index failed its own check: {found}")
    number = answered.numbers.tolist()
    kept, shrunk, removed = found.houtman_maks, found.varian, found.minimum_cost
    return {
        "rounds": count,
        "garp": found.garp,
        "ccei": found.ccei,
        "money_pump": found.money_pump.index,
        "p_money_pump": _pump_p(answered, picks, found.money_pump.index),
        "money_pump_cycle": [number[place] for place in found.money_pump.cycle],
        "houtman_maks": kept.share,
        "houtman_maks_upper": kept.upper,
        "houtman_maks_removed": [number[place] for place in kept.removed],
        "varian": shrunk.index,
        "varian_lower": shrunk.lower,
        "varian_efficiencies": list(shrunk.efficiencies),
        "minimum_cost": removed.index,
        "minimum_cost_lower": removed.lower,
        "minimum_cost_removed": [[number[r], number[k]] for r, k in removed.removed],
        "all_exact": kept.optimal and shrunk.optimal and removed.optimal,
    }


def _pump_p(answered: AnsweredRounds, picks: np.ndarray, observed: float) -> float:
    sizes = np.array([len(options) for options in answered.options])
    first = np.cumsum(sizes) - sizes
    listed = costs(np.concatenate(answered.options), answered.corners, answered.prices)
    null = money_pump_of_choices(listed, first + picks)
    return (1 + int(np.count_nonzero(null <= observed))) / (1 + len(null))


def indices_table(found: Sequence[tuple[str, str, Mapping[str, Any]]]) -> pl.DataFrame:
    """One row a respondent and form; a bound stands beside each index that may not be exact."""
    rows = [
        {**{name: values.get(name) for name in SCHEMA}, "model": model, "form": form}
        for model, form, values in found
    ]
    return pl.DataFrame(rows, schema=SCHEMA).sort("form", "model")
