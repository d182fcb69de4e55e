"""Rounds of several models pooled into one data set, and sets of models as bit masks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse, whole_numbers
from rationale.revealed.costs import cost_ratios
from rationale.revealed.garp import garp

MOST_MODELS = 62


class Pool(NamedTuple):
    """n rounds of W models: costs (n, n), whose round each is (n,), and the relations at e.

    ``weak`` and ``strict`` (n, n) are the relations of ``garp``, without a tolerance.
    ``everyone`` is the set of all W models; model m is bit m of a set.
    """

    costs: np.ndarray
    models: np.ndarray
    efficiency: float
    weak: np.ndarray
    strict: np.ndarray
    everyone: int


def pool(costs: ArrayLike, models: ArrayLike, efficiency: float = 1.0) -> Pool:
    """Pool rounds that several models answered.

    Parameters
    ----------
    costs : (n, n) with [r, k] the cost of round k's answer at round r's prices.
    models : (n,) integers 0 to W - 1: the model that answered each round.
    efficiency : e in [0, 1].

    Raises ValueError for more than 62 models, models that do not fit the costs, an efficiency
    outside [0, 1], and costs that ``checked_costs`` refuses.
    """
    ratios, models = cost_ratios(costs), whole_numbers(models, "models", ndim=1)
    outside = (models < 0) | (models >= MOST_MODELS)
    refuse(outside, models, "models", f"0 to {MOST_MODELS - 1}", "Split the models into groups")
    refuse(not 0 <= efficiency <= 1, efficiency, "efficiency", "a number in [0, 1]", "Pass a CCEI")
    if models.shape != ratios.shape[:1]:
        raise ValueError(
            f"models: expected one for each of {len(ratios)} rounds; found shape {models.shape}. "
            "Stack costs and models in the same order."
        )
    missing = np.setdiff1d(np.arange(models.max() + 1), models)
    refuse(missing >= 0, missing, "models", "a round of each model", "Number models without gaps")
    weak, strict = ratios <= efficiency, ratios < efficiency
    everyone = (1 << int(models.max()) + 1) - 1
    return Pool(np.asarray(costs, float), models, float(efficiency), weak, strict, everyone)


def relations(pooled: Pool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arguments that every kernel takes first."""
    return pooled.weak, pooled.strict, pooled.models


def satisfies_garp(pooled: Pool, kept: int) -> bool:
    """GARP_e of the rounds of the models in ``kept``, by ``garp`` and its own relations."""
    rounds = np.flatnonzero([kept >> m & 1 for m in pooled.models.tolist()])
    return not rounds.size or garp(pooled.costs[np.ix_(rounds, rounds)], pooled.efficiency).holds


def as_set(models: Iterable[int]) -> int:
    """The set of these models."""
    return sum(1 << m for m in models)


def members(kept: int) -> tuple[int, ...]:
    """The models of a set, in order."""
    return tuple(m for m in range(kept.bit_length()) if kept >> m & 1)
