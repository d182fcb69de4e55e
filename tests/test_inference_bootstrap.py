"""Bootstrap over clusters: by hand, against slow loops, and how often the intervals cover."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from rationale.inference import holm, wilson
from rationale.inference.bootstrap import (
    mean_interval,
    paired_differences,
    ratio_interval,
    resampling_weights,
    stratified_weights,
)

NAN = np.nan


def every_draw(n):
    """Weights of all n^n draws with replacement: the bootstrap without chance."""
    return np.array([np.bincount(draw, minlength=n) for draw in product(range(n), repeat=n)])


def weights(n, draws=2000, name="test"):
    return resampling_weights(n, draws, name)


def test_every_draw_has_as_many_clusters_as_there_are():
    drawn = weights(7, 50)
    assert drawn.shape == (50, 7)
    assert drawn.dtype.kind == "i"
    assert (drawn.sum(axis=1) == 7).all()


def test_draws_follow_from_names():
    same, other = weights(9, 20, "a"), weights(9, 20, "b")
    assert (same == weights(9, 20, "a")).all()
    assert (same != other).any()


def test_clusters_are_drawn_as_often_as_a_multinomial_says():
    """Of 4 clusters each is drawn 0 times with chance (3/4)^4 = 0.3164; 4 s.e. of 40,000 is 0.009."""
    assert np.mean(weights(4, 10_000) == 0) == pytest.approx(0.3164, abs=0.01)


def test_no_clusters_give_weights_without_columns():
    assert weights(0, 5).shape == (5, 0)


@pytest.mark.parametrize(
    ("n", "draws", "message"), [(-1, 5, "n: .*-1"), (3, 0, "draws: .*found 0")]
)
def test_weights_that_cannot_be_drawn_are_refused(n, draws, message):
    with pytest.raises(ValueError, match=message):
        resampling_weights(n, draws, "x")


def test_the_interval_of_two_values_runs_from_one_to_the_other():
    """t(0.975; 1) = 12.7; its widened tail Phi(-sqrt(2)·12.7) is 0: the smallest and largest mean."""
    found = mean_interval([0.2, 0.6], every_draw(2))
    assert found == pytest.approx((0.4, 0.2, 0.6), abs=1e-12)


def test_the_interval_of_five_values_by_hand():
    """0, 0, 0, 0, 1: of the 5^5 draws (4/5)^5 = 32.8 % have mean 0; the tail Phi(-sqrt(5/4)·2.776)
    = 0.00095. Mean 0.8 or more comes with chance (5·4·1 + 1)/5^5 = 0.00672, mean 1 with 1/5^5 =
    0.00032; 0.00032 < 0.00095 < 0.00672, so the upper bound is 0.8."""
    found = mean_interval([0, 0, 0, 0, 1], every_draw(5))
    assert found == pytest.approx((0.2, 0.0, 0.8), abs=1e-12)


def test_bounds_equal_a_slow_second_way():
    """Means of each draw by plain sums, sorted, with the tail read off by linear interpolation."""
    values, drawn = [0.3, 0.9, 0.1, 0.4, 0.45, 0.2], weights(6, 101)
    means = sorted(
        sum(w * v for w, v in zip(row, values, strict=True)) / 6 for row in drawn.tolist()
    )
    place = 100 * 0.0024318  # Phi(-sqrt(6/5)·2.570582) = Phi(-2.815932)
    low = means[0] + place * (means[1] - means[0])
    assert mean_interval(values, drawn).low == pytest.approx(low, abs=1e-6)


def test_missing_values_weigh_nothing():
    """Rows of the same draws with the missing cluster struck out."""
    drawn = weights(4, 300)
    found = mean_interval([0.1, NAN, 0.7, 0.4], drawn)
    kept = drawn[:, [0, 2, 3]]
    assert found == mean_interval([0.1, 0.7, 0.4], kept[kept.sum(axis=1) > 0])


def test_columns_are_taken_one_by_one():
    values = np.random.default_rng(1).random((8, 3))
    values[2, 1] = NAN
    whole = np.array(mean_interval(values, weights(8)))
    alone = [mean_interval(column, weights(8)) for column in values.T]
    # One product of matrices may sum in another order than three with a vector.
    np.testing.assert_allclose(whole.T, alone, rtol=0, atol=1e-14)


def test_equal_values_give_an_interval_without_width():
    assert mean_interval([0.1] * 7, weights(7)) == (0.1, 0.1, 0.1)


def test_a_single_value_has_no_interval():
    found = mean_interval([NAN, 0.3, NAN], weights(3))
    assert found.estimate == 0.3
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("values", [[], [NAN, NAN]])
def test_no_value_has_no_estimate(values):
    assert np.isnan(mean_interval(values, weights(len(values)))).all()


def test_no_column_gives_empty_bounds():
    assert mean_interval(np.empty((4, 0)), weights(4)).low.shape == (0,)


@pytest.mark.parametrize("n", [8, 12, 30])
@pytest.mark.parametrize("shape", ["entropies", "mostly sure"])
def test_an_interval_of_95_percent_covers_about_as_often(n, shape):
    """1,000 data sets; the standard error of a coverage of 0.95 is 0.007. Skewed values of few
    clusters are hard for any interval: a plain percentile one covers 0.88 to 0.91 here at n = 8."""
    rng = np.random.default_rng(n)
    if shape == "entropies":
        values, truth = rng.beta(0.8, 0.5, (n, 1000)), 0.8 / 1.3
    else:
        values, truth = rng.beta(0.5, 1.5, (n, 1000)), 0.25
    low, high = mean_interval(values, weights(n, 999))[1:]
    assert 0.92 < np.mean((low <= truth) & (truth <= high)) < 0.98


def test_a_rate_weighs_clusters_by_their_size():
    """(1 + 0 + 4)/(2 + 6 + 4) = 5/12, and not the mean of 1/2, 0 and 1."""
    assert ratio_interval([1, 0, 4], [2, 6, 4], weights(3)).estimate == pytest.approx(5 / 12)


def test_with_equal_denominators_a_rate_is_a_mean():
    part = np.array([0, 1, 3, 2, 0])
    found = ratio_interval(part, np.full(5, 3), weights(5))
    assert found == pytest.approx(mean_interval(part / 3, weights(5)), abs=1e-14)


@pytest.mark.parametrize("rate", [0, 1])
def test_a_rate_alike_in_all_clusters_has_wilsons_interval_of_the_clusters_that_count(rate):
    denominator = np.array([6, 0, 5, 9])
    found = ratio_interval(rate * denominator, denominator, weights(4))
    assert found == (rate, *wilson(3 * rate, 3))


def test_columns_of_rates_may_mix_both_intervals():
    found = ratio_interval([[0, 1], [0, 0], [0, 2]], np.full((3, 2), 4), weights(3))
    assert found.high[0] == wilson(0, 3).high
    assert found.high[1] == ratio_interval([1, 0, 2], [4, 4, 4], weights(3)).high


def test_a_rate_of_nothing_is_missing():
    assert np.isnan(ratio_interval([0, 0], [0, 0], weights(2))).all()


def test_differences_by_hand():
    """Differences 0.1, 0.2, 0.6: mean 0.3, s.d. sqrt(0.07) = 0.264575, t = 0.3·sqrt(3)/0.264575 =
    1.963961 at 2 degrees of freedom: p = 1 - t/sqrt(t² + 2) = 1 - 1.963961/2.420153 = 0.188497."""
    (found,) = paired_differences([[0.4, 0.5, 0.9], [0.3, 0.3, 0.3]], weights(3))
    assert (found.first, found.second, found.common) == (0, 1, 3)
    assert found.difference == pytest.approx(0.3)
    assert found.p == pytest.approx(0.188497, abs=1e-6)
    assert found.p_holm == found.p


def test_every_pair_is_tested_on_its_common_scenarios_as_scipy_does():
    values = np.random.default_rng(5).random((4, 12))
    values[1, :3], values[2, 2:6] = NAN, NAN
    found = paired_differences(values, weights(12))
    assert [pair[:2] for pair in found] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    expected = [ttest_rel(values[i], values[j], nan_policy="omit").pvalue for i, j, *_ in found]
    assert [pair.p for pair in found] == pytest.approx(expected, rel=1e-9)
    assert [pair.p_holm for pair in found] == pytest.approx(holm(expected), rel=1e-9)


def test_bounds_of_a_difference_are_those_of_its_mean():
    values = np.random.default_rng(6).random((2, 9))
    (found,) = paired_differences(values, weights(9))
    expected = mean_interval(values[0] - values[1], weights(9))
    assert (found.difference, found.low, found.high) == pytest.approx(expected, abs=1e-14)


def test_models_that_do_not_differ_have_p_1():
    (found,) = paired_differences([[0.3, 0.7, 0.1]] * 2, weights(3))
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_a_constant_difference_has_the_p_of_flipped_signs():
    """0.1 - 0.3 and 0.3 - 0.5 differ by rounding alone. Of 2^4 flips two are as large: 2/16."""
    (found,) = paired_differences([[0.1, 0.3, 0.4, 0.2], [0.3, 0.5, 0.6, 0.4]], weights(4))
    assert found.p == 0.125


def test_pairs_with_fewer_than_two_common_scenarios_are_no_hypotheses():
    """Only (0, 1) is tested, so Holm leaves its p as it is."""
    values = [[0.1, 0.5, 0.9], [0.3, 0.2, 0.1], [NAN, NAN, 0.4]]
    tested, *untested = paired_differences(values, weights(3))
    assert tested.p_holm == tested.p < 1
    assert [pair.common for pair in untested] == [1, 1]
    assert np.isnan([pair[3:] for pair in untested]).all()


@pytest.mark.parametrize("models", [0, 1])
def test_fewer_than_two_models_have_no_pairs(models):
    assert paired_differences(np.ones((models, 3)), weights(3)) == []


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.sampled_from([0.8, 0.95]))
@settings(max_examples=40, deadline=None)
def test_bounds_lie_within_the_values_and_about_the_estimate(values, level):
    found = mean_interval(values, weights(len(values), 200), level)
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


def test_a_higher_level_gives_a_wider_interval():
    values = np.random.default_rng(2).random(10)
    narrow, wide = (mean_interval(values, weights(10), level) for level in (0.8, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_swapping_models_swaps_signs():
    values = np.random.default_rng(3).random((2, 10))
    (one,), (two,) = (paired_differences(v, weights(10)) for v in (values, values[::-1]))
    assert (one.difference, one.p) == pytest.approx((-two.difference, two.p))
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low), abs=1e-12)


def test_weights_of_a_bootstrap_without_chance_are_multinomial():
    """Of the 27 draws of 3 from 3, 3 hold one cluster alone, 6 all three, 18 two."""
    kinds = Counter(tuple(sorted(row)) for row in every_draw(3).tolist())
    assert kinds == {(0, 0, 3): 3, (1, 1, 1): 6, (0, 1, 2): 18}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_interval([1, 2], np.ones((5, 3))), r"weights: expected .*\(5, 3\)"),
        (lambda: mean_interval(np.ones((2, 2, 2)), np.ones((5, 2))), "weights: expected"),
        (lambda: mean_interval([1, np.inf], np.ones((5, 2))), "values: .*found inf at 1"),
        (lambda: mean_interval([1, 2], np.ones((5, 2)), 95), "level: .*found 95"),
        (lambda: ratio_interval([1, 2], [1], np.ones((5, 2))), "expected one shape"),
        (lambda: ratio_interval([1, 3], [1, 2], np.ones((5, 2))), "numerator: .*found 3.0 at 1"),
        (lambda: ratio_interval([1, NAN], [1, 2], np.ones((5, 2))), "numerator: .*found nan at 1"),
        (lambda: paired_differences([1, 2], np.ones((5, 2))), r"values: expected \(models, n\)"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_stratum_weighs_the_same_in_every_draw():
    weights = stratified_weights(["a", "b", "a", "c", "b", "a"], 50, "x")
    assert np.allclose(weights[:, [0, 2, 5]].sum(axis=1), 3)
    assert np.allclose(weights[:, [1, 4]].sum(axis=1), 2)
    assert (weights[:, 3] == 1).all()


def test_draws_of_a_stratum_do_not_depend_on_the_others():
    alone, beside = stratified_weights(["a"] * 4, 9, 1), stratified_weights(["a"] * 4 + ["b"], 9, 1)
    assert (alone == beside[:, :4]).all()


def test_the_spread_of_a_stratified_mean_is_that_of_theory():
    """30 strata of 0, 1, 2: each has variance 1 and its mean 1/3, the mean of all 1/90. Resampling
    all 3 of 3 would give 2/3 of it."""
    weights = stratified_weights([str(n) for n in range(30) for _ in range(3)], 20_000, "x")
    drawn = weights @ np.tile([0.0, 1.0, 2.0], 30) / 90
    assert drawn.var() == pytest.approx(1 / 90, rel=0.05)
