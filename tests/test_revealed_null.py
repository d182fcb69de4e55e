"""Random data sets of a priced survey and the test built on them."""

import numpy as np
import pytest

from rationale.revealed import ccei, costs, random_ccei, rationality_test, uniform_picks

CORNERS, PRICES = [(0, 0), (0, 0)], [(1, 2), (2, 1)]
OPTIONS = [[(0, 2), (4, 0)], [(2, 0), (0, 4), (1, 2)]]


def test_a_data_set_takes_the_options_it_picked():
    """Round 0 at (1, 2) takes (0, 2) for 4; round 1 at (2, 1) takes (2, 0) for 4. Each could have
    had the other's answer for 2 of 4: CCEI 1/2. With (4, 0) and (0, 4) each would cost 8 of 4.
    """
    assert random_ccei(OPTIONS, CORNERS, PRICES, [[0, 0], [1, 1]]).tolist() == [0.5, 1.0]


def test_random_data_sets_agree_with_one_at_a_time():
    rng = np.random.default_rng(5)
    corners, prices = rng.choice([0, 5], (20, 5)), rng.integers(1, 4, (20, 5))
    options = [rng.integers(1, 5, (size, 5)) for size in rng.integers(1, 30, 20)]
    picks = uniform_picks([len(listed) for listed in options], 50, ("test",))
    answers = [[o[pick] for o, pick in zip(options, row, strict=True)] for row in picks]
    one_by_one = [ccei(costs(chosen, corners, prices)) for chosen in answers]
    assert random_ccei(options, corners, prices, picks).tolist() == one_by_one


@pytest.mark.parametrize(
    ("options", "picks", "message"),
    [
        (OPTIONS, [[0, 3]], r"picks: .*found 3 at \(0, 1\)"),
        (OPTIONS, [[-1, 0]], r"picks: .*found -1 at \(0, 0\)"),
        (OPTIONS, [[0]], r"picks \(1, 1\)"),
        ([OPTIONS[0], [(1, 2, 3)]], [[0, 0]], r"found widths \[2, 3\]"),
        ([OPTIONS[0], np.empty((0, 2))], [[0, 0]], r"options of round 1: .*shape \(0, 2\)"),
        ([[(0, 0)], OPTIONS[1]], [[0, 0]], r"own expenditure: .*found 0.0 at \(0, 0\)"),
    ],
)
def test_bad_options_and_picks_are_refused(options, picks, message):
    with pytest.raises(ValueError, match=message):
        random_ccei(options, CORNERS, PRICES, picks)


def test_more_draws_keep_the_earlier_ones():
    sizes = [100, 7, 33]
    assert np.array_equal(uniform_picks(sizes, 9, ("a",))[:4], uniform_picks(sizes, 4, ("a",)))


def test_a_draw_is_the_same_whatever_other_draws_are_made():
    sizes = [100, 7, 33]
    later = uniform_picks(sizes, range(5, 9), ("a",))
    assert np.array_equal(later, uniform_picks(sizes, 9, ("a",))[5:])


def test_other_names_give_other_draws():
    sizes = np.full(50, 1000)
    assert (uniform_picks(sizes, 1, ("a",)) != uniform_picks(sizes, 1, ("b",))).any()


def test_picks_are_uniform_over_each_rounds_options():
    """10,000 picks of 4 options: each count is within 4 standard deviations (43) of 2,500."""
    counts = np.bincount(uniform_picks([4] * 100, 100, ("uniform",)).ravel())
    assert np.abs(counts - 2500).max() < 4 * 43.3


@pytest.mark.parametrize(
    ("sizes", "draws", "message"),
    [
        ([3, 0], 2, r"sizes: .*found 0 at 1"),
        ([], 2, r"sizes: .*found shape \(0,\)"),
        ([3.0], 2, r"sizes: .*float64"),
        ([3], 0, r"draws: .*found shape \(0,\)"),
    ],
)
def test_bad_sizes_are_refused(sizes, draws, message):
    with pytest.raises(ValueError, match=message):
        uniform_picks(sizes, draws, ("a",))


def test_the_share_counts_ties():
    """Of 0.2, 0.4, 0.4, 0.6, three are at least 0.4."""
    found = rationality_test(0.4, [0.2, 0.4, 0.4, 0.6])
    assert (found.p_value, found.p_plus) == (3 / 4, 4 / 5)


@pytest.mark.parametrize(
    ("count", "stars"),
    [(0, "***"), (10, "***"), (11, "**"), (50, "**"), (51, "*"), (100, "*"), (101, "")],
)
def test_stars_include_the_level_itself(count, stars):
    """The paper rejects when the share of 1,000 is weakly below the level."""
    null = np.repeat([1.0, 0.0], [count, 1000 - count])
    assert rationality_test(0.5, null).stars == stars


def test_the_interval_is_of_the_count():
    """No hit in 1,000: the upper bound is 1 - 0.025^(1/1000) = 0.003682."""
    found = rationality_test(0.5, np.zeros(1000))
    assert found.p_low == 0
    assert found.p_high == pytest.approx(1 - 0.025**0.001, rel=1e-12)


@pytest.mark.parametrize(
    ("observed", "null", "message"),
    [
        (np.nan, [0.1], r"observed: .*found nan"),
        (0.5, [0.1, np.nan], r"null: .*found nan at \(0, 1\)"),
        (0.5, [], r"null: .*found shape \(1, 0\)"),
    ],
)
def test_a_test_without_numbers_is_refused(observed, null, message):
    with pytest.raises(ValueError, match=message):
        rationality_test(observed, null)
