"""Scores against hand-computed values and another way to the same number."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationale.inference.bootstrap import ratio_interval, resampling_weights
from rationale.scoring import (
    bin_places,
    brier_score,
    calibration_error,
    dependency_gap,
    dependency_gaps,
    normalised_accuracy,
    normalised_interval,
    printed_accuracy,
    worst_domain,
)


def test_normalised_accuracy_is_the_share_of_the_gap_that_is_closed():
    """(0.7 - 0.25) / 0.75 = 0.6; guessing is 0, perfect 1."""
    assert normalised_accuracy([0.7, 0.25, 1.0], 0.25) == pytest.approx([0.6, 0, 1])


def test_the_printed_form_leaves_its_stated_range():
    """(1 - 0.25) / 0.25 = 3, though the study says at most 1."""
    assert printed_accuracy(1.0, 0.25) == 3


@pytest.mark.parametrize(("accuracy", "rate"), [(1.1, 0.2), (0.5, 1.0), (float("nan"), 0.2)])
def test_what_is_no_share_is_refused(accuracy, rate):
    with pytest.raises(ValueError, match=r"accuracy|guess_rate"):
        normalised_accuracy(accuracy, rate)


def test_calibration_error_by_hand():
    """Bin (0.9, 1]: 2 answers, mean 0.95, half right: gap 0.45, weight 2/4.

    Bin (0.5, 0.6]: 2 answers, mean 0.6, all right: gap 0.4, weight 2/4. Together 0.425.
    """
    assert calibration_error([0.95, 0.95, 0.6, 0.6], [1, 0, 1, 1]) == pytest.approx(0.425)


def test_a_calibrated_respondent_has_an_error_near_nothing():
    rng = np.random.default_rng(3)
    confidence = rng.uniform(0.3, 1, 40_000)
    assert calibration_error(confidence, rng.random(40_000) < confidence) < 0.01


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_calibration_error_agrees_with_a_loop_over_bins(answers):
    total = 0.0
    for k in range(10):
        held = [
            (c, r) for c, r in answers if (k / 10 < c * 1.0 <= (k + 1) / 10) or (k == 0 and c == 0)
        ]
        if held:
            total += abs(sum(r for _, r in held) - sum(c for c, _ in held))
    found = calibration_error([c for c, _ in answers], [r for _, r in answers])
    # A confidence within rounding of an edge may fall into either bin.
    on_edge = any(abs(c * 10 - round(c * 10)) < 1e-12 for c, _ in answers)
    assert on_edge or found == pytest.approx(total / len(answers))


def test_brier_score_by_hand():
    """(0.7 - 1)^2 + 0.2^2 + 0.1^2 = 0.09 + 0.04 + 0.01 = 0.14; certain and wrong: 2."""
    found = brier_score([[0.7, 0.2, 0.1], [0, 1, 0]], [0, 2])
    assert found == pytest.approx([0.14, 2])


def test_probabilities_that_sum_to_more_than_one_are_refused():
    with pytest.raises(ValueError, match="sums of at most 1"):
        brier_score([[0.7, 0.7]], [0])


def test_the_worst_domain_is_the_lowest():
    assert worst_domain({"finance": 0.7, "medicine": 0.4, "technology": 0.4}) == ("medicine", 0.4)


def test_the_dependency_gap_counts_prerequisites_that_fare_worse():
    """c builds on b, b on a: gaps 0.5, 0.7, 0.1; only a is below c, by 0.4."""
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    assert dependency_gap({"a": 0.1, "b": 0.7, "c": 0.5}, "c", graph) == pytest.approx(0.4)


def test_the_dependency_gap_is_missing_where_no_prerequisite_was_asked():
    graph = nx.DiGraph([("a", "b")])
    assert dependency_gap({"b": 0.7}, "b", graph) is None
    assert dependency_gap({"a": 0.7, "b": 0.2}, "b", graph) == 0


def test_gaps_of_many_draws_are_those_of_each():
    """a <- b <- c; in the second draw b was not asked, in the third nothing that c builds on."""
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    draws = [{"a": 0.1, "b": 0.7, "c": 0.5}, {"a": 0.1, "c": 0.5}, {"c": 0.5}]
    gaps = np.array([[draw.get(name, np.nan) for draw in draws] for name in "abc"])
    builds_on = [[False] * 3, [True, False, False], [True, True, False]]
    found = dependency_gaps(gaps, builds_on)
    alone = [dependency_gap(draw, "c", graph) for draw in draws]
    assert alone[2] is None
    assert found[2] == pytest.approx([*alone[:2], np.nan], nan_ok=True)
    assert np.isnan(found[0]).all()


def test_bins_hold_their_upper_edges():
    assert bin_places([0, 0.05, 0.1, 0.11, 1]).tolist() == [0, 0, 0, 1, 9]


def score(hits, read, chance, weights, printed=False):
    share = ratio_interval(hits, read, weights)
    return normalised_interval(share, hits, read, chance, weights, printed)


def test_intervals_are_those_of_resampled_ratios():
    """The same clusters drawn by hand: 1 - sum of wrong / sum of (1 - guess), its quantiles' tails."""
    rng = np.random.default_rng(1)
    n = rng.integers(1, 5, 20).astype(float)
    hits, chance = rng.binomial(n.astype(int), 0.5).astype(float), n * 0.25
    chance[::2] *= 2
    weights = resampling_weights(20, 400, "t")
    found = score(hits, n, chance, weights)
    drawn = 1 - (weights @ (n - hits)) / (weights @ (n - chance))
    assert found.estimate == pytest.approx(1 - (n - hits).sum() / (n - chance).sum())
    assert drawn.min() <= found.low < np.quantile(drawn, 0.025) + 1e-9
    assert np.quantile(drawn, 0.975) - 1e-9 < found.high <= drawn.max()


def test_all_right_leaves_room_below():
    """10 clusters, all right: Wilson's 1/(1 + 1.96²/10) = 0.7225, put through (a - 1/4)/(3/4)."""
    ones = np.ones(10)
    weights = resampling_weights(10, 50, "t")
    found = score(ones, ones, ones / 4, weights)
    assert (found.estimate, found.high) == (1, 1)
    assert found.low == pytest.approx((0.7225 - 0.25) / 0.75, abs=1e-3)


def test_printed_score_is_missing_where_guessing_is_never_right():
    ones = np.ones(4)
    found = score(ones, ones, 0 * ones, resampling_weights(4, 9, "t"), printed=True)
    assert np.isnan(found).all()


def test_the_printed_score_goes_from_guessing_to_one_over_it():
    """Half right at r = 1/4: (1/2 - 1/4)/(1/4) = 1; all right: 1/r - 1 = 3."""
    read, weights = np.ones(8), resampling_weights(8, 99, "t")
    half, every = np.repeat([0.0, 1.0], 4), np.ones(8)
    assert score(half, read, read / 4, weights, printed=True).estimate == 1
    assert score(every, read, read / 4, weights, printed=True).high == 3
