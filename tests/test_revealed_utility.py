"""Predictions of the utility by hand and by search, and its fit by least squares."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from rationale.revealed.utility import FORMS, fit_least_squares, predict_answers

WEIGHTS = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
IDEAL = np.array([2.2, 1.4, 3.1, 3.6, 1.8])


def moral_rounds(statements=5, high=5):
    """Corners and prices of a survey with every corner and a price of 2 for each statement."""
    corners = np.array(list(product((0, high), repeat=statements)))
    prices = np.ones((statements, statements)) + np.eye(statements)
    return np.repeat(corners, statements, axis=0), np.tile(prices, (len(corners), 1))


def above(ideal, corners, prices, budget, high=5):
    """Corners, replaced by their opposites where the ideal lies under the line."""
    cost = np.sum(prices * np.abs(ideal - corners), axis=1)
    return np.where((cost <= budget)[:, None], high - corners, corners)


def noisy_answers(corners, prices, seed, noise=0.6):
    """Whole answers near the predictions, each on a line of its own."""
    exact = predict_answers(WEIGHTS, IDEAL, corners, prices, np.full(len(prices), 12.0))
    noise = np.random.default_rng(seed).normal(0, noise, exact.shape)
    return np.clip(np.round(exact + noise), 0, 5)


def test_the_derived_form_by_hand():
    """Corner (0, 0), prices (1, 2), budget 4, ideal (3, 3) with equal weights. The ideal costs 9, 5
    too much. p/a = (2, 4), sum p^2/a = 2 + 8 = 10, so g = (0.2, 0.4): x = (3 - 1, 3 - 2) = (2, 1),
    which costs 2 + 2 = 4.
    """
    found = predict_answers([0.5, 0.5], [3, 3], [(0, 0)], [(1, 2)], [4])
    assert found == pytest.approx(np.array([(2, 1)]))


def test_the_printed_form_by_hand():
    """The same case. a/p^2 = (1/2, 1/8), so h = (0.8, 0.2): x = 0.2·3 + 0.8·(4 - 9)/1 = -3.4 and
    0.8·3 + 0.2·(4 - 9)/2 = 1.9. It costs -3.4 + 3.8 = 0.4, not 4.
    """
    found = predict_answers([0.5, 0.5], [3, 3], [(0, 0)], [(1, 2)], [4], form="printed")
    assert found == pytest.approx(np.array([(-3.4, 1.9)]))


def test_a_high_corner_counts_down():
    """Corner (0, 5) and ideal (3, 2): in its coordinates the ideal is (3, 3), as above, and the
    prediction (2, 1), which is the answer (2, 4).
    """
    found = predict_answers([0.5, 0.5], [3, 2], [(0, 5)], [(1, 2)], [4])
    assert found == pytest.approx(np.array([(2, 4)]))


@pytest.mark.parametrize("seed", range(8))
def test_the_derived_form_is_the_constrained_maximum(seed):
    """Against SLSQP on the stated problem; 1e-5 is what its finite differences give."""
    rng = np.random.default_rng(seed)
    weights, ideal = rng.dirichlet(np.ones(4)), rng.uniform(-1, 6, 4)
    corner, price = np.array([5, *rng.choice([0, 5], 3)]), rng.uniform(0.5, 3, 4)
    sign = np.where(corner == 0, 1, -1)
    line = {"type": "eq", "fun": lambda q: price @ (sign * (q - corner)) - 9}
    best = minimize(
        lambda q: weights @ (q - ideal) ** 2, ideal, constraints=line, options={"ftol": 1e-14}
    )
    found = predict_answers(weights, ideal, [corner], [price], [9])[0]
    assert found == pytest.approx(best.x, abs=1e-5)


def test_derived_predictions_lie_on_the_line():
    corners, prices = moral_rounds()
    found = predict_answers(WEIGHTS, IDEAL, corners, prices, np.full(160, 12.0))
    sign = np.where(corners == 0, 1, -1)
    assert np.sum(prices * sign * (found - corners), axis=1) == pytest.approx(np.full(160, 12))


@pytest.mark.parametrize("form", FORMS)
def test_the_unit_of_prices_and_of_weights_does_not_matter(form):
    corners, prices = moral_rounds()
    unit = np.random.default_rng(1).uniform(0.1, 10, 160)
    plain = predict_answers(WEIGHTS, IDEAL, corners, prices, np.full(160, 12.0), form)
    scaled = predict_answers(7 * WEIGHTS, IDEAL, corners, prices * unit[:, None], 12 * unit, form)
    assert scaled == pytest.approx(plain)


def test_answers_that_follow_the_utility_give_it_back():
    corners, prices = moral_rounds()
    corners = above(IDEAL, corners, prices, 12)
    answers = predict_answers(WEIGHTS, IDEAL, corners, prices, np.full(160, 12.0))
    found = fit_least_squares(answers, corners, prices)
    assert (found.status, found.rank) == ("ok", 9)
    assert found.weights == pytest.approx(WEIGHTS, abs=1e-6)
    assert found.ideal == pytest.approx(IDEAL, abs=1e-6)
    assert found.loss == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_the_loss_is_the_least_that_a_plain_search_finds(form):
    """BFGS over logs of weights and ideals together, without the inner solution for the ideal."""
    corners, prices = moral_rounds(3)
    answers = np.random.default_rng(4).integers(0, 6, (40, 3)).astype(float)
    corners, prices = corners[:24].repeat(2, axis=0)[:40], prices[:24].repeat(2, axis=0)[:40]
    answers = np.where(answers == corners, np.abs(answers - 1), answers)
    budgets = np.sum(prices * np.abs(answers - corners), axis=1)

    def loss(point):
        weights = np.exp(np.append(point[:2], 0))
        predicted = predict_answers(weights, point[2:], corners, prices, budgets, form)
        return np.sum((answers - predicted) ** 2) / 40

    found = fit_least_squares(answers, corners, prices, form)
    plain = min(minimize(loss, start).fun for start in [np.zeros(5), [1, -1, 2, 2, 2]])
    assert found.status == "ok"
    assert found.loss == pytest.approx(plain, rel=1e-6)
    assert found.loss == pytest.approx(
        loss(np.concatenate([np.log(found.weights[:2] / found.weights[2]), found.ideal]))
    )


@pytest.mark.parametrize("form", FORMS)
def test_other_orders_of_rounds_and_statements_change_nothing(form):
    corners, prices = moral_rounds()
    answers = noisy_answers(corners, prices, 2)
    plain = fit_least_squares(answers, corners, prices, form)
    rounds, places = np.random.default_rng(0).permutation(160), np.array([3, 1, 4, 0, 2])
    moved = [part[rounds][:, places] for part in (answers, corners, prices)]
    other = fit_least_squares(*moved, form)
    for name in ("weights", "ideal", "weights_se", "ideal_se"):
        assert getattr(other, name) == pytest.approx(getattr(plain, name)[places], abs=1e-6)


def test_missing_rounds_are_left_out_and_starts_do_not_matter():
    corners, prices = moral_rounds()
    answers, kept = noisy_answers(corners, prices, 3), np.arange(160) % 3 > 0
    plain = fit_least_squares(answers[kept], corners[kept], prices[kept])
    other = fit_least_squares(answers[kept], corners[kept], prices[kept], seed_names=("other", 1))
    assert plain.status == other.status == "ok"
    assert other.weights == pytest.approx(plain.weights, abs=1e-6)


def test_standard_errors_are_the_spread_of_the_estimates():
    """150 surveys with errors along the line; the spread of 150 draws is known to 6 %, and 25 % is
    four times that.
    """
    corners, prices = moral_rounds(3, 100)
    corners = above([44, 60, 35], corners, prices, 120, 100)
    exact = predict_answers([0.5, 0.3, 0.2], [44, 60, 35], corners, prices, np.full(24, 120.0))
    unit = prices / np.linalg.norm(prices, axis=1, keepdims=True)
    sign, rng, found = np.where(corners == 0, 1, -1), np.random.default_rng(7), []
    for _ in range(150):
        off = rng.normal(0, 2, exact.shape)
        off -= unit * np.sum(unit * off, axis=1, keepdims=True)
        found.append(fit_least_squares(exact + sign * off, corners, prices, starts=1))
    for name in ("weights", "ideal"):
        spread = np.std([getattr(one, name) for one in found], axis=0)
        reported = np.mean([getattr(one, f"{name}_se") for one in found], axis=0)
        assert reported == pytest.approx(spread, rel=0.25)


def test_equal_answers_tell_the_ideal_and_no_weights():
    """The ideal is the answer: no prediction has a gap to close, so weights move nothing."""
    corners, prices = moral_rounds()
    found = fit_least_squares(np.full((160, 5), 2.0), corners, prices)
    assert (found.status, found.rank) == ("not identified", 5)
    assert found.ideal == pytest.approx(np.full(5, 2))
    assert np.isnan([*found.weights, *found.weights_se, *found.ideal_se]).all()


def test_a_statement_that_gives_way_alone_is_at_the_boundary():
    """Statement 2 always gets 2, statement 1 what the budget leaves: its weight runs to zero, and
    where it would like to be is not seen.
    """
    answers, prices = [(3, 2), (1, 2), (1, 2), (4, 2)], [(1, 2), (2, 1), (1, 1), (1, 1)]
    found = fit_least_squares(answers, np.zeros((4, 2)), prices)
    assert found.status == "weight at boundary"
    assert found.weights == pytest.approx([0, 1], abs=1e-4)
    assert (np.isnan(found.ideal[0]), found.ideal[1]) == (True, pytest.approx(2, abs=1e-3))
    assert np.isnan([*found.weights_se, *found.ideal_se]).all()


def test_too_few_rounds_fit_nothing():
    corners, prices = moral_rounds()
    found = fit_least_squares(np.full((8, 5), 2.0), corners[:8], prices[:8])
    assert found.status == "too few rounds"
    assert np.isnan([*found.weights, *found.ideal, found.loss]).all()


def test_as_many_rounds_as_parameters_give_no_standard_errors():
    found = fit_least_squares([(1, 2), (2, 1), (2, 3)], np.zeros((3, 2)), [(1, 2), (2, 1), (1, 1)])
    assert np.isfinite([*found.weights, found.loss]).all()
    assert np.isnan([*found.weights_se, *found.ideal_se]).all()


def test_one_statement_has_no_weight_to_find_and_no_ideal_to_see():
    found = fit_least_squares([[2], [3]], [[0], [5]], [[1], [2]])
    assert (found.status, found.weights.tolist(), found.rank) == ("not identified", [1], 0)
    assert np.isnan(found.ideal).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answers": [(1, 2), (2, 1), (2, 6)]}, r"answers: .*found 6.0 at \(2, 1\)"),
        ({"answers": [(1, 2), (2, 1)]}, r"rounds: "),
        ({"prices": [(1, 2), (2, 1), (0, 1)]}, r"prices: .*found 0.0 at \(2, 0\)"),
        ({"corners": [(0, 0), (0, 3), (5, 0)]}, r"corners: .*found 3.0 at \(1, 1\)"),
        ({"answers": [(1, 2), (2, 1), (np.nan, 1)]}, r"answers: .*found nan"),
        ({"form": "other"}, r"form: .*'other'"),
        ({"starts": 0}, r"starts: .*found 0"),
    ],
)
def test_bad_input_is_refused(change, message):
    good = {
        "answers": [(1, 2), (2, 1), (2, 3)],
        "corners": [(0, 0), (0, 5), (5, 0)],
        "prices": [(1, 2), (2, 1), (1, 1)],
    }
    with pytest.raises(ValueError, match=message):
        fit_least_squares(**good | change)


@pytest.mark.parametrize(
    ("weights", "ideal", "message"),
    [
        ((0.5, 0), (1, 1), r"weights: .*found 0.0"),
        ((0.5, 0.5), (1,), r"found shapes \(2,\) and \(1,\)"),
        ((0.5, np.nan), (1, 1), r"weights: .*found nan"),
    ],
)
def test_bad_utilities_are_refused(weights, ideal, message):
    with pytest.raises(ValueError, match=message):
        predict_answers(weights, ideal, [(0, 0)], [(1, 2)], [4])
