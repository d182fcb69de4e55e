"""A single-peaked utility fitted to answers by least squares.

u(q) = -1/2 sum_s a_s (q_s - b_s)^2, with weights a > 0 that sum to 1 and an ideal answer b that may
lie off the scale. In the coordinates of a round's corner o, x_s = |q_s - o_s| and the ideal is
c_s = b_s where o_s = 0, high - b_s where o_s = high. Maximising u on the line p.x = E, the
Lagrange condition a_z (c_z - x_z) = lambda p_z and the line give

    x_z = c_z + h_z (E - p.c)/p_z,   h_z = (p_z^2/a_z) / sum_s (p_s^2/a_s):

statement z takes the share h_z of what separates the cost of the ideal from the budget. This is the
form ``derived``. The form ``printed`` is Moral Minds, equations 9 and 10, as they stand:

    x_z = (1 - h_z) c_z + h_z (E - p.c)/p_z,   h_z = (a_z/p_z^2) / sum_s (a_s/p_s^2),

with a and p the other way up and a sum p.c that includes z itself. It does not solve the stated
problem, and its predictions do not cost E.

Answers on a bounded grid, chosen with noise, are not what either form predicts. Noise draws the
ideal to the middle of the scale: answers at random come out as an ideal in the middle, equal weights
and small standard errors. ``benchmarks/recovery.py`` shows how far least squares errs;
``rationale.revealed.logit`` uses the likelihood of the listed options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares

from rationale.inference.checks import matrix, refuse
from rationale.seeds import generator

FORMS = ("derived", "printed")
SMALLEST_WEIGHT = 1e-4
_LOG_BOUND = 14.0
_SAME_LOSS, _SAME_WEIGHT, _NULL = 1e-6, 1e-3, 1e-6


class LeastSquares(NamedTuple):
    """A fit; S statements, and NaN for every number that the data do not tell.

    ``status`` is the first of these that applies:

    - ``too few rounds``: fewer rounds than the 2S - 1 parameters; nothing is fitted.
    - ``weight at boundary``: the loss falls as a weight runs to zero. ``weights`` are a point on
      that way, not estimates, and ideals that matter no more on it are NaN.
    - ``not identified``: some parameters can move without moving any prediction; they are NaN.
    - ``starts disagree``: another start ended elsewhere; the best is returned.
    - ``ok``.

    Only the last two come with standard errors, and they with more rounds than parameters:
    Gauss-Newton, from a sandwich that takes rounds as independent and anything within a round as
    it comes, times rounds/(rounds - parameters). They do not know of the bias that the module
    names. ``loss`` is the squared distance from answer to prediction, summed over statements, mean
    over rounds. ``rank`` is that of the predictions' derivatives by the 2S - 1 free parameters.
    """

    status: str
    weights: np.ndarray
    ideal: np.ndarray
    weights_se: np.ndarray
    ideal_se: np.ndarray
    loss: float
    rank: int


class _Rounds(NamedTuple):
    """Corners and prices (T, S), budgets (T,), and sign (T, S): -1 where a corner is high."""

    corners: np.ndarray
    prices: np.ndarray
    budgets: np.ndarray
    sign: np.ndarray


def predict_answers(
    weights: ArrayLike,
    ideal: ArrayLike,
    corners: ArrayLike,
    prices: ArrayLike,
    budgets: ArrayLike,
    form: str = "derived",
) -> np.ndarray:
    """The answer that maximises the utility on each round's line, were the scale unbounded.

    Parameters
    ----------
    weights : (S,) positive; only their ratios matter.
    ideal : (S,) on the survey's scale.
    corners : (T, S) each 0 or the scale's high.
    prices : (T, S) positive.
    budgets : (T,) what an answer costs from the corner.
    form : ``derived``, or ``printed`` for the paper's own equations.

    Returns (T, S) answers on the survey's scale, not in the coordinates of the corner; they need
    be neither whole nor within the scale.
    Raises ValueError for shapes that do not fit, NaN, weights or prices not above zero, corners of
    more than one high, or an unknown form.
    Source: Moral Minds, equations 7 to 10; the module states both forms.
    """
    weights, ideal = matrix([weights], "weights")[0], matrix([ideal], "ideal")[0]
    refuse(weights <= 0, weights, "weights", "more than 0", "Pass weights of a concave utility")
    rounds = _checked_rounds(corners, prices, budgets, form)
    if not weights.shape == ideal.shape == rounds.prices.shape[1:]:
        raise ValueError(
            f"weights and ideal: expected one number for each of {rounds.prices.shape[1]} "
            f"statements; found shapes {weights.shape} and {ideal.shape}."
        )
    slope, constant = _linear(_shares(np.log(weights), rounds, form), rounds, form)
    return slope @ ideal + constant


def fit_least_squares(
    answers: ArrayLike,
    corners: ArrayLike,
    prices: ArrayLike,
    form: str = "derived",
    starts: int = 4,
    seed_names: Sequence[object] = (),
) -> LeastSquares:
    """Weights and ideal whose predictions are nearest to the answers.

    The budget of a round is what its answer cost. Given weights, predictions are linear in the
    ideal, which is solved for exactly; only the logs of the weights are searched, from equal
    weights and from ``starts`` - 1 random ones.

    Parameters
    ----------
    answers : (T, S) on the survey's scale; leave missing rounds out of all three arrays.
    corners : (T, S) each 0 or the scale's high.
    prices : (T, S) positive.
    form : ``derived``, or ``printed`` for the paper's own equations.
    starts : how many starts, at least 1.
    seed_names : names that seed the starts, as for ``rationale.seeds.generator``.

    Raises ValueError for shapes that do not fit, empty arrays, NaN, answers below 0 or above the
    high of the corners, prices not above zero, or an unknown form.
    Source: Moral Minds, equation 11; the module states both forms.
    """
    answers = matrix(answers, "answers")
    rounds = _rounds_of_answers(answers, corners, prices, form)
    n_rounds, n_statements = answers.shape
    if n_rounds < 2 * n_statements - 1:
        missing = np.full(n_statements, np.nan)
        return LeastSquares("too few rounds", missing, missing, missing, missing, np.nan, 0)
    found = [
        _descend(start, answers, rounds, form)
        for start in _starts(starts, n_statements, seed_names)
    ]
    best = min(found, key=lambda one: one[1])
    agree = all(_same(one, best) for one in found)
    return _report(best[0], answers, rounds, form, agree)


def _checked_rounds(corners, prices, budgets, form) -> _Rounds:
    corners, prices = matrix(corners, "corners"), matrix(prices, "prices")
    budgets = matrix([budgets], "budgets")[0]
    if corners.shape != prices.shape or len(budgets) != len(prices):
        raise ValueError(
            "rounds: expected corners (T, S), prices (T, S) and a budget for each round; found "
            f"{corners.shape}, {prices.shape} and {budgets.shape}. Leave the same rounds out."
        )
    refuse(prices <= 0, prices, "prices", "more than 0", "Check the survey's prices")
    between = (corners != 0) & (corners != max(corners.max(), 0))
    refuse(between, corners, "corners", "0 or the scale's high", "Pass corners of the answer space")
    if form not in FORMS:
        raise ValueError(f"form: expected one of {', '.join(FORMS)}; found {form!r}.")
    return _Rounds(corners, prices, budgets, np.where(corners == 0, 1.0, -1.0))


def _rounds_of_answers(answers, corners, prices, form) -> _Rounds:
    rounds = _checked_rounds(corners, prices, np.ones(len(answers)), form)
    if answers.shape != rounds.corners.shape:
        raise ValueError(
            f"answers: expected one for each round, {rounds.corners.shape}; found shape "
            f"{answers.shape}. Leave the same rounds out of answers, corners and prices."
        )
    distances = rounds.sign * (answers - rounds.corners)
    high = rounds.corners.max() or np.inf
    outside = (distances < 0) | (answers > high)
    refuse(outside, answers, "answers", "numbers on the scale", "Check answers and corners")
    return rounds._replace(budgets=np.sum(rounds.prices * distances, axis=1))


def _shares(log_weights, rounds, form) -> np.ndarray:
    """(T, S) shares h of the gap between ideal and line that each statement takes."""
    exponent = 2 * np.log(rounds.prices) - log_weights
    exponent = exponent if form == "derived" else -exponent
    shares = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _linear(shares, rounds, form) -> tuple[np.ndarray, np.ndarray]:
    """Slope (T, S, S) and constant (T, S) with predictions slope @ ideal + constant."""
    kept = np.ones_like(shares) if form == "derived" else 1 - shares
    pull = rounds.sign * shares / rounds.prices
    cost = rounds.sign * rounds.prices
    slope = kept[:, :, None] * np.eye(shares.shape[1]) - pull[:, :, None] * cost[:, None, :]
    budget = rounds.budgets + np.sum(cost * rounds.corners, axis=1)
    return slope, (1 - kept) * rounds.corners + pull * budget[:, None]


def _log_weight_slope(shares, ideal, rounds, form) -> np.ndarray:
    """(T, S, S) derivatives of the predictions by the logs of the weights."""
    own = rounds.sign * (ideal - rounds.corners)
    move = (rounds.budgets - np.sum(rounds.prices * own, axis=1))[:, None] / rounds.prices
    if form == "printed":
        move -= own
    change = shares[:, :, None] * (np.eye(shares.shape[1]) - shares[:, None, :])
    return (rounds.sign * move)[:, :, None] * (-change if form == "derived" else change)


def _solve(free, answers, rounds, form):
    """Ideal, residuals (T·S,) and derivatives (T·S, 2S - 1) at the logs of S - 1 weights."""
    n_statements = answers.shape[1]
    shares = _shares(np.append(free, 0.0), rounds, form)
    slope, constant = _linear(shares, rounds, form)
    slope, target = slope.reshape(-1, n_statements), (answers - constant).ravel()
    ideal = np.linalg.lstsq(slope, target)[0]
    by_weight = _log_weight_slope(shares, ideal, rounds, form)[:, :, :-1]
    by_weight = by_weight.reshape(len(slope), n_statements - 1)
    return ideal, slope @ ideal - target, np.hstack([by_weight, slope])


def _descend(start, answers, rounds, form) -> tuple[np.ndarray, float]:
    """Logs of S - 1 weights and the loss where a search from ``start`` ends.

    The search sees the derivatives less what the ideal can absorb (Kaufman 1975).
    """
    n_free = start.size

    def residuals(free):
        return _solve(free, answers, rounds, form)[1]

    def derivatives(free):
        every = _solve(free, answers, rounds, form)[2]
        by_weight, slope = every[:, :n_free], every[:, n_free:]
        return by_weight - slope @ np.linalg.lstsq(slope, by_weight)[0]

    if n_free:
        bounds = (-_LOG_BOUND, _LOG_BOUND)
        start = least_squares(residuals, start, derivatives, bounds, ftol=1e-12, xtol=1e-10).x
    return start, float(np.sum(residuals(start) ** 2) / len(answers))


def _starts(count, n_statements, seed_names) -> np.ndarray:
    refuse(count < 1, count, "starts", "at least 1", "Leave it out for the default")
    draw = generator(*seed_names, "least squares").normal(size=(count, n_statements - 1))
    draw[0] = 0
    return draw


def _same(one, best) -> bool:
    near = np.abs(_weights(one[0]) - _weights(best[0])).max() <= _SAME_WEIGHT
    return bool(near and one[1] <= best[1] * (1 + _SAME_LOSS) + _SAME_LOSS)


def _weights(free) -> np.ndarray:
    logs = np.append(free, 0.0)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def _report(free, answers, rounds, form, agree) -> LeastSquares:
    n_free, weights = free.size, _weights(free)
    at_boundary = bool(weights.min() < SMALLEST_WEIGHT)
    ideal, residuals, slope = _solve(free, answers, rounds, form)
    loss = float(residuals @ residuals / len(answers))
    scale = np.append(np.ones(n_free), np.full(ideal.size, max(1.0, np.abs(answers).max())))
    loose, rank = _loose(slope * scale, 10 * SMALLEST_WEIGHT if at_boundary else _NULL)
    ideal, missing = np.where(loose[n_free:], np.nan, ideal), np.full(ideal.size, np.nan)
    if at_boundary:
        return LeastSquares("weight at boundary", weights, ideal, missing, missing, loss, rank)
    if loose.any():
        weights = missing if loose[:n_free].any() else weights
        return LeastSquares("not identified", weights, ideal, missing, missing, loss, rank)
    errors = _standard_errors(slope, residuals, weights, len(answers))
    return LeastSquares("ok" if agree else "starts disagree", weights, ideal, *errors, loss, rank)


def _loose(slope, tolerance) -> tuple[np.ndarray, int]:
    """Which parameters can move, alone or with others, without moving a prediction; the rank."""
    _, singular, rows = np.linalg.svd(slope, full_matrices=False)
    null = rows[singular <= tolerance * singular[0]]
    return np.any(np.abs(null) > tolerance, axis=0), len(singular) - len(null)


def _standard_errors(slope, residuals, weights, n_rounds) -> tuple[np.ndarray, np.ndarray]:
    n_parameters, n_free = slope.shape[1], weights.size - 1
    if n_rounds <= n_parameters:
        return tuple(np.full((2, weights.size), np.nan))
    bread = np.linalg.inv(slope.T @ slope)
    scores = np.sum((slope * residuals[:, None]).reshape(n_rounds, -1, n_parameters), axis=1)
    covariance = bread @ (scores.T @ scores) @ bread * n_rounds / (n_rounds - n_parameters)
    by_log = (weights[:, None] * (np.eye(weights.size) - weights))[:, :n_free]
    of_weights = np.einsum("sj,jk,sk->s", by_log, covariance[:n_free, :n_free], by_log)
    return np.sqrt(of_weights), np.sqrt(np.diag(covariance)[n_free:])
