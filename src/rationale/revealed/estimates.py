"""All estimates of one respondent's utility, and the CCEI that its utility could have reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rationale.revealed.ceiling import ceiling
from rationale.revealed.logit import fit_logit
from rationale.revealed.measure import AnsweredRounds
from rationale.revealed.utility import fit_least_squares

ESTIMATORS = ("logit", "least squares", "least squares, as printed")
_TIE_DRAWS = 20


def estimate_utility(answered: AnsweredRounds, seed_names: Sequence[object]) -> dict[str, Any]:
    """Every estimator's fit, and the ceiling, as plain values; None for what the data do not tell.

    The ceiling is the CCEI of noiseless maximisers at the fitted preferences on the options shown:
    at the logit's fit where it has one, else at the least-squares fit; ``ceiling_from`` says which.
    Keys: ``fits`` (estimator, status, weights, ideal, weights_se, ideal_se, noise, noise_se, loss),
    ``ceiling``, ``ceiling_from``, ``rounds``.
    """
    rounds = len(answered.numbers)
    if rounds == 0:
        return {"rounds": 0, "fits": [], "ceiling": None, "ceiling_from": None}
    logit = fit_logit(answered.options, answered.answers)
    squares = {
        name: fit_least_squares(
            answered.answers,
            answered.corners,
            answered.prices,
            form,
            seed_names=(*seed_names, form),
        )
        for name, form in zip(ESTIMATORS[1:], ("derived", "printed"), strict=True)
    }
    fits = [_logit_row(logit), *(_squares_row(name, fit) for name, fit in squares.items())]
    return {
        "rounds": rounds,
        "fits": fits,
        **_ceiling(answered, logit, squares[ESTIMATORS[1]], seed_names),
    }


def _logit_row(fit) -> dict[str, Any]:
    return {
        "estimator": ESTIMATORS[0],
        **_shared(fit),
        "noise": _plain(fit.noise),
        "noise_se": _plain(fit.noise_se),
        "loss": _plain(-fit.log_likelihood),
    }


def _squares_row(name: str, fit) -> dict[str, Any]:
    return {
        "estimator": name,
        **_shared(fit),
        "noise": None,
        "noise_se": None,
        "loss": _plain(fit.loss),
    }


def _shared(fit) -> dict[str, Any]:
    arrays = ("weights", "ideal", "weights_se", "ideal_se")
    return {
        "status": fit.status,
        **{name: [_plain(value) for value in getattr(fit, name)] for name in arrays},
    }


def _plain(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _ceiling(answered, logit, squares, seed_names) -> dict[str, Any]:
    usable = {
        "logit": logit if logit.status in ("ok", "separated") else None,
        "least squares": squares if squares.status in ("ok", "starts disagree") else None,
    }
    for name, fit in usable.items():
        if fit is None or not (np.isfinite(fit.weights).all() and np.isfinite(fit.ideal).all()):
            continue
        if (fit.weights <= 0).any():
            continue
        reached = ceiling(
            fit.weights,
            fit.ideal,
            answered.options,
            answered.corners,
            answered.prices,
            _TIE_DRAWS,
            (*seed_names, "ceiling"),
        )
        return {"ceiling": reached.ccei, "ceiling_from": name}
    return {"ceiling": None, "ceiling_from": None}
