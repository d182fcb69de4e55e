"""The conditional logit by hand, against plain searches, and where there is no maximum."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy.optimize import approx_fprime, linprog, minimize

from rationale.revealed.logit import Likelihood, fit_logit

WEIGHTS = np.array([0.3, 0.25, 0.2, 0.15, 0.1])
IDEAL = np.array([2.2, 1.4, 3.1, 3.6, 1.8])
VECTORS = ("weights", "ideal", "weights_se", "ideal_se", "linear", "quadratic")


def lists(seed, statements=5, rounds=160, listed=60, high=5):
    """Options of each round, any points of the scale."""
    rng = np.random.default_rng(seed)
    return list(rng.integers(0, high + 1, (rounds, listed, statements)).astype(float))


def chosen(options, noise, seed, weights=WEIGHTS, ideal=IDEAL):
    """Answers of a maximiser with Gumbel noise."""
    rng = np.random.default_rng(seed)
    utility = [-0.5 * (listed - ideal) ** 2 @ weights for listed in options]
    noisy = [u + noise * rng.gumbel(size=len(u)) for u in utility]
    return np.array([listed[np.argmax(v)] for listed, v in zip(options, noisy, strict=True)])


def counted(*counts):
    """One statement and options 0, 1, 2 in every round, each answered so often."""
    answers = np.repeat(np.arange(len(counts)), counts)[:, None]
    return [np.arange(len(counts))[:, None]] * len(answers), answers


def regressors(points):
    return np.hstack([points, points**2])


def plain_log_likelihood(coefficients, options, answers):
    """Term by term, in plain Python."""
    total = 0.0
    for listed, answer in zip(options, answers, strict=True):
        utilities = [
            sum(c * x for c, x in zip(coefficients, regressors(point), strict=True))
            for point in [answer, *listed]
        ]
        total += utilities[0] - log(sum(map(exp, utilities[1:])))
    return total


def separates(options, answers):
    """Whether a linear program finds coefficients that rank no option above the one chosen."""
    gaps = np.vstack(
        [regressors(o) - regressors(a[None]) for o, a in zip(options, answers, strict=True)]
    )
    found = linprog(gaps.sum(axis=0), gaps, np.zeros(len(gaps)), bounds=(-1, 1))
    return found.fun < -1e-6


def test_three_options_by_hand():
    """0, 1, 2 are chosen 1, 2, 1 times. With as many coefficients as free shares the fit is exact:
    linear + quadratic = ln 2 and 2 linear + 4 quadratic = 0, so quadratic = -ln 2, linear = 2 ln 2
    and the ideal is 1. The information is 4 times the covariance of (q, q^2), which is 1/2, 1, 9/4;
    its inverse is (9/2, -2; -2, 1). The ideal has variance (9/8 - 2 + 1)/(ln 2)^2 = (1/8)/(ln 2)^2.
    """
    found = fit_logit(*counted(1, 2, 1))
    assert (found.status, found.rank) == ("ok", 2)
    assert [*found.linear, *found.quadratic] == pytest.approx([2 * log(2), -log(2)])
    assert found.covariance == pytest.approx(np.array([(4.5, -2), (-2, 1)]))
    assert [*found.weights, *found.ideal] == pytest.approx([1, 1])
    assert found.ideal_se[0] == pytest.approx(0.125**0.5 / log(2))
    assert found.log_likelihood == pytest.approx(-6 * log(2))
    assert found.chance == pytest.approx(-4 * log(3))


def test_the_noise_is_freed_of_bias():
    """Shares 1/4, 1/2, 1/4 of N answers. For shares, the first-order correction is known: add 1/2
    to every count (the Jeffreys prior of Firth). Solving with counts N/4 + 1/2 and N/2 + 1/2 gives
    noise 1/(2 ln ratio), up to terms in 1/N^2: 400 answers agree to 1e-4, the maximum only to 1e-3.
    """
    found = fit_logit(*counted(100, 200, 100))
    assert found.noise == pytest.approx(1 / (2 * log(200.5 / 100.5)), rel=1e-4)
    assert abs(found.noise * 2 * log(2) - 1) > 1e-3


def test_derivatives_are_those_of_the_value():
    """Central differences of the value, its gradient and half the log determinant."""
    rng = np.random.default_rng(0)
    likelihood = Likelihood(rng.normal(size=(4, 30)), np.array([7, 3, 15, 5]))
    at = rng.normal(size=4)
    gradient, information = likelihood.derivatives(at)
    assert gradient == pytest.approx(approx_fprime(at, likelihood.value, 1e-7), abs=1e-4)

    def ascent(point):
        return likelihood.derivatives(point)[0]

    def volume(point):
        return np.linalg.slogdet(likelihood.derivatives(point)[1])[1] / 2

    assert information == pytest.approx(-approx_fprime(at, ascent, 1e-7), abs=1e-4)
    score = likelihood.bias_score(at, np.linalg.inv(information))
    assert score == pytest.approx(approx_fprime(at, volume, 1e-7), abs=1e-4)


def test_the_maximum_is_that_of_a_plain_search():
    """BFGS on the sum written out term by term; 1e-4 is what its finite differences reach."""
    options = lists(1, statements=2, rounds=40, listed=7)
    answers = chosen(options, 0.4, 1, WEIGHTS[:2], IDEAL[:2])
    plain = minimize(lambda c: -plain_log_likelihood(c, options, answers), np.zeros(4))
    found = fit_logit(options, answers)
    assert found.status == "ok"
    assert [*found.linear, *found.quadratic] == pytest.approx(plain.x, abs=1e-4)
    assert found.log_likelihood == pytest.approx(-plain.fun, abs=1e-8)


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_a_known_utility_is_recovered_within_its_standard_errors(noise):
    """Eleven estimates, each within 4 standard errors: chance breaks that once in 1,400 seeds."""
    options = lists(2)
    found = fit_logit(options, chosen(options, noise, 2))
    assert (found.status, found.rank) == ("ok", 10)
    off = [*(found.weights - WEIGHTS), *(found.ideal - IDEAL), found.noise - noise]
    errors = np.array([*found.weights_se, *found.ideal_se, found.noise_se])
    assert (np.abs(off) < 4 * errors).all()
    assert (errors < 0.5).all()
    assert found.chance < found.log_likelihood < 0


def test_coefficients_give_weights_ideal_and_utility():
    options = lists(3)
    found = fit_logit(options, chosen(options, 0.2, 3))
    scale = 1 / np.sum(-2 * found.quadratic)
    assert found.weights.sum() == pytest.approx(1)
    assert found.quadratic == pytest.approx(-found.weights / (2 * scale))
    assert found.linear == pytest.approx(found.weights * found.ideal / scale)


def test_other_orders_of_options_rounds_and_statements_change_nothing():
    options, rng, places = lists(4), np.random.default_rng(0), np.array([3, 1, 4, 0, 2])
    answers, rounds = chosen(options, 0.3, 4), np.random.default_rng(1).permutation(160)
    plain = fit_logit(options, answers)
    moved = [rng.permutation(options[r])[:, places] for r in rounds]
    other = fit_logit(moved, answers[rounds][:, places])
    for name in VECTORS:
        assert getattr(other, name) == pytest.approx(getattr(plain, name)[places], abs=1e-7)
    assert other.noise == pytest.approx(plain.noise)


def test_the_unit_and_the_origin_of_the_scale_carry_over():
    """On the scale 20 q + 7 the ideal is 20 b + 7, weights are the same, the noise 400 times it."""
    options = lists(5)
    answers = chosen(options, 0.3, 5)
    plain = fit_logit(options, answers)
    other = fit_logit([20 * listed + 7 for listed in options], 20 * answers + 7)
    assert other.weights == pytest.approx(plain.weights)
    assert other.ideal == pytest.approx(20 * plain.ideal + 7)
    assert (other.noise, other.noise_se) == pytest.approx((400 * plain.noise, 400 * plain.noise_se))


def test_missing_rounds_and_rounds_without_a_choice_tell_nothing():
    options = lists(6)
    answers, kept = chosen(options, 0.3, 6), np.arange(160) % 3 > 0
    some = [listed for listed, keep in zip(options, kept, strict=True) if keep]
    single = [*some, np.full((1, 5), 3.0)]
    plain, other = fit_logit(some, answers[kept]), fit_logit(single, [*answers[kept], [3.0] * 5])
    assert other.ideal == pytest.approx(plain.ideal)
    assert fit_logit(options, answers).ideal != pytest.approx(plain.ideal)


def test_a_noiseless_maximiser_is_separated_and_found_all_the_same():
    """What is left open, with 160 choices of 60, is far below 0.02 a weight and 0.1 an ideal."""
    options = lists(7)
    answers = chosen(options, 0, 7)
    found = fit_logit(options, answers)
    assert (found.status, separates(options, answers)) == ("separated", True)
    assert found.weights == pytest.approx(WEIGHTS, abs=0.02)
    assert found.ideal == pytest.approx(IDEAL, abs=0.1)
    errors = [*found.weights_se, *found.ideal_se, found.noise, found.noise_se]
    assert np.isnan(errors).all()
    rebuilt = chosen(options, 0, 7, found.weights, found.ideal)
    assert (rebuilt == answers).all(axis=1).mean() > 0.99


def test_ties_in_a_noiseless_choice_are_separated_too():
    """Equal weights and an ideal of whole numbers tie many options exactly."""
    options = lists(8)
    answers = chosen(options, 1e-9, 8, np.full(5, 0.2), np.round(IDEAL))
    found = fit_logit(options, answers)
    assert (found.status, separates(options, answers)) == ("separated", True)
    assert found.weights == pytest.approx(np.full(5, 0.2), abs=0.02)
    assert found.ideal == pytest.approx(np.round(IDEAL), abs=0.1)


def test_the_separated_fits_are_those_that_a_linear_program_finds():
    statuses = []
    for seed in range(120):
        options = lists(seed, statements=2, rounds=4 + seed % 12, listed=4)
        answers = chosen(options, 0.3 * (seed % 4), seed, WEIGHTS[:2], IDEAL[:2])
        found = fit_logit(options, answers)
        statuses.append(found.status)
        if found.rank == 4:
            assert (found.status == "separated") == separates(options, answers), seed
    assert {"ok", "separated", "not concave"} <= set(statuses)
    assert statuses.count("separated") > 20


def test_a_convex_utility_has_no_ideal():
    """0, 1, 2 are chosen 2, 1, 2 times: linear + quadratic = -ln 2, 2 linear + 4 quadratic = 0."""
    found = fit_logit(*counted(2, 1, 2))
    assert found.status == "not concave"
    assert [*found.linear, *found.quadratic] == pytest.approx([-2 * log(2), log(2)])
    assert np.isnan([*found.weights, *found.ideal, *found.ideal_se, found.noise]).all()
    assert np.isfinite(found.covariance).all()


def test_one_convex_statement_leaves_the_others_their_ideals():
    options = lists(9, statements=3)
    answers = chosen(options, 0.3, 9, np.array([0.8, 0.5, -0.3]), np.array([2.0, 3.0, 2.0]))
    found = fit_logit(options, answers)
    assert (found.status, np.isnan(found.ideal).tolist()) == ("not concave", [False, False, True])
    assert np.isnan(found.ideal_se).tolist() == [False, False, True]
    assert found.ideal[:2] == pytest.approx([2, 3], abs=0.3)
    assert found.weights == pytest.approx([0.8, 0.5, -0.3], abs=0.15)


def test_options_on_a_single_line_do_not_tell_two_statements_apart():
    """On x + y = 4, y is 4 - x and y^2 is 16 - 8 x + x^2: two regressors tell all that four do."""
    line = np.array([(x, 4 - x) for x in range(5)])
    found = fit_logit([line] * 10, line[[0, 1, 1, 2, 2, 2, 3, 3, 4, 2]])
    assert (found.status, found.rank) == ("not identified", 2)
    assert np.isnan([*found.weights, *found.ideal, *found.linear, found.noise]).all()


def test_options_that_are_all_alike_identify_nothing():
    found = fit_logit([np.full((3, 1), 2)] * 4, np.full((4, 1), 2))
    assert (found.status, found.rank) == ("not identified", 0)


def test_too_few_rounds_fit_nothing():
    options = lists(10)[:9]
    found = fit_logit(options, chosen(options, 0.3, 10))
    assert found.status == "too few rounds"
    assert np.isnan([*found.weights, *found.ideal, found.noise, found.log_likelihood]).all()
    assert found.chance == pytest.approx(-9 * log(60))


def test_equal_answers_are_separated():
    """(2, 2, 2) whenever asked: any weights explain it, with an ideal of about that."""
    same = np.full((1, 3), 2.0)
    options = [np.vstack([listed, same]) for listed in lists(11, statements=3)]
    found = fit_logit(options, np.repeat(same, 160, axis=0))
    assert found.status == "separated"
    assert found.ideal == pytest.approx([2, 2, 2], abs=0.2)


def test_a_priced_survey_of_two_statements():
    """Lines of every corner at prices (2, 1) and (1, 2) with budget 6, ten times over."""
    grid = np.array(list(product(range(6), repeat=2)))
    rounds = list(product(product((0, 5), repeat=2), [(2, 1), (1, 2)]))
    options = [grid[np.abs(grid - o) @ np.array(p) == 6] for o, p in rounds] * 10
    found = fit_logit(options, chosen(options, 0.5, 12, WEIGHTS[:2], IDEAL[:2]))
    assert (found.status, found.rank) == ("ok", 4)
    assert (np.abs(found.ideal - IDEAL[:2]) < 4 * found.ideal_se).all()


@pytest.mark.parametrize(
    ("options", "answers", "message"),
    [
        ([[(0, 1), (1, 0)]], [(1, 1)], r"answers: .*found \[1.0, 1.0\] in round 0"),
        ([[(0, 1), (1, 0)]], [(0, 1), (1, 0)], r"options: .*2 answers; found 1 lists"),
        ([[(0, 1, 2)]], [(0, 1)], r"widths \[3\]"),
        ([np.empty((0, 2))], [(0, 1)], r"options of round 0: .*shape \(0, 2\)"),
        ([[(0, np.nan)]], [(0, 1)], r"options of round 0: .*found nan"),
        ([], np.empty((0, 2)), r"answers: .*shape \(0, 2\)"),
    ],
)
def test_bad_input_is_refused(options, answers, message):
    with pytest.raises(ValueError, match=message):
        fit_logit(options, answers)
