"""Differences of clustered units: by hand, against other ways to the same number, and at the ends."""

import numpy as np
import pytest
from scipy.stats import norm, t, ttest_1samp

from rationale.inference import holm, wilson
from rationale.inference.bootstrap import (
    drawn_interval,
    drawn_sums,
    quotient_interval,
    ratio_interval,
    resampling_weights,
    shifted_interval,
    wilson_at_ends,
)
from rationale.inference.clustered import clustered_differences, clustered_p
from rationale.inference.multiple import holm_within


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_the_clustered_t_by_hand():
    """Clusters with sums 2, 0, 0 of 2, 1, 1 units: mean 1/2; residuals 1, -1/2, -1/2 with squares 3/2.
    Error sqrt(3/2 · 3/2) / 4 = 3/8, t = 4/3; at 2 degrees p = 1 - t / sqrt(2 + t²) = 1 - 4/sqrt(34)."""
    p = clustered_p(column(2, 0, 0), column(2, 1, 1))
    assert p == pytest.approx([1 - 4 / np.sqrt(34)])


def test_one_unit_a_cluster_gives_the_paired_t():
    values = np.random.default_rng(1).normal(0.3, 1, 20)
    p = clustered_p(values[:, None], np.ones((20, 1)))
    assert p == pytest.approx([ttest_1samp(values, 0).pvalue])


def test_clusters_without_units_do_not_count():
    with_empty = clustered_p(column(2, 0, 0, 0), column(2, 1, 0, 1))
    assert with_empty == pytest.approx(clustered_p(column(2, 0, 0), column(2, 1, 1)))


@pytest.mark.parametrize(
    ("sums", "expected"), [((0, 0, 0), 1.0), ((2, 1, 3), 0.25), ((-2, -1, -3), 0.25)]
)
def test_differences_without_spread(sums, expected):
    """Of 3 clusters with equal signs one flip in 2^3 is as far out, and its mirror: 2/8."""
    assert clustered_p(column(*sums), column(2, 1, 3)) == pytest.approx([expected])


def test_one_cluster_tells_a_difference_but_neither_interval_nor_p():
    found = clustered_differences(column(1, 0), column(2, 0), resampling_weights(2, 50, "x"))
    assert (found.units[0], found.clusters[0], found.difference[0]) == (2, 1, 0.5)
    assert np.isnan([found.low[0], found.high[0], found.p[0]]).all()


def test_nothing_in_common_is_no_difference():
    found = clustered_differences(column(0, 0), column(0, 0), resampling_weights(2, 50, "x"))
    assert found.units[0] == 0
    assert np.isnan([found.difference[0], found.p[0]]).all()


def test_a_quotient_may_be_negative():
    """(-1 + 0 - 2) / (1 + 1 + 2) = -3/4; any draw lies between -1 and 0."""
    weights = resampling_weights(3, 500, "x")
    found = quotient_interval([-1, 0, -2], [1, 1, 2], weights)
    assert found.estimate == -0.75
    assert -1 <= found.low < -0.75 < found.high <= 0


def test_a_quotient_of_shares_is_the_ratio():
    weights = resampling_weights(4, 300, "x")
    parts = [1, 0, 2, 1], [2, 2, 3, 1]
    assert quotient_interval(*parts, weights) == ratio_interval(*parts, weights)


def test_a_denominator_below_0_is_refused():
    with pytest.raises(ValueError, match=r"denominator: .*-1"):
        quotient_interval([1, 1], [1, -1], resampling_weights(2, 5, "x"))


def test_sums_of_sparse_and_full_values_are_alike():
    weights = resampling_weights(30, 20, "x").astype(float)
    sparse = np.zeros((30, 4))
    sparse[[1, 7, 20], [0, 2, 3]] = 1.5
    assert drawn_sums(sparse, weights) == pytest.approx((weights @ sparse).T)


def test_the_interval_of_draws_is_that_of_numpy_quantiles():
    drawn = np.random.default_rng(2).normal(size=(1, 401))
    tail = norm.cdf(-np.sqrt(6 / 5) * t.ppf(0.975, 5))
    found = drawn_interval([0.0], drawn, [6])
    assert np.ravel(found[1:]) == pytest.approx(np.quantile(drawn, [tail, 1 - tail]))


def test_draws_without_a_value_are_left_out():
    drawn = np.array([[1.0, np.nan, 2.0, 3.0, np.nan]])
    found = drawn_interval([2.0], drawn, [40])
    assert found == drawn_interval([2.0], drawn[:, [0, 2, 3]], [40])


def test_a_shift_undoes_twice_the_bias_of_draws():
    """Draws 1 to 4 about an estimate of 2 have a mean of 2.5, a bias of 1/2: both ends move by 1."""
    drawn = np.linspace(1, 4, 301)[None]
    plain, moved = (way([2.0], drawn, [500]) for way in (drawn_interval, shifted_interval))
    assert (moved.low, moved.high) == (pytest.approx(plain.low - 1), pytest.approx(plain.high - 1))


def test_a_shifted_interval_stays_in_its_range_and_holds_the_estimate():
    """About 1.2 the bias is 1.3 and both ends move by 2.6, to below 0 and near 1.3."""
    found = shifted_interval([1.2], np.linspace(1, 4, 301)[None], [500], (0.0, np.inf))
    assert found.low == 0
    assert found.high >= 1.2


def test_shares_at_their_ends_have_wilsons_interval():
    found = wilson_at_ends(ratio_interval([2, 1], [2, 1], resampling_weights(2, 9, "x")), [2])
    assert (found.low, found.high) == pytest.approx(tuple(wilson(2, 2)))


def test_holm_is_taken_within_families():
    """0.01 and 0.04 of one family become 0.02 and 0.04; 0.03 alone stays."""
    assert holm_within([0.01, 0.03, 0.04], ["a", "b", "a"]) == pytest.approx([0.02, 0.03, 0.04])
    assert holm_within([0.01, 0.04], ["a", "a"]) == pytest.approx(holm([0.01, 0.04]))
    assert holm_within([], []).size == 0
