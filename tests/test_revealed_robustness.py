"""Agreement of two forms by hand, pooled data, and the null that keeps positions."""

from itertools import product
from math import isnan
from typing import NamedTuple

import numpy as np
import pytest

from rationale.inference import clopper_pearson, wilson
from rationale.revealed import ccei, costs, random_ccei, rationality_test, uniform_picks
from rationale.revealed.robustness import agreement, joint_rationality, position_picks

SEEDS, DRAWS = 100, 199


class Form(NamedTuple):
    """Answered rounds as the project's tables give them."""

    numbers: np.ndarray
    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray
    options: list[np.ndarray]


def form(options, places, numbers=None, flipped=()):
    """Rounds at prices (1, 2); ``places`` says which option was chosen, ``flipped`` which flipped."""
    count = len(options)
    corners = np.zeros((count, 2), int)
    corners[list(flipped)] = 5
    answers = np.array([listed[place] for listed, place in zip(options, places, strict=True)])
    numbers = np.arange(1, count + 1) if numbers is None else np.array(numbers)
    return Form(
        numbers, answers, corners, np.tile([1, 2], (count, 1)), list(map(np.array, options))
    )


ABC = [(4, 0), (2, 1), (0, 2)]
CAB = [(0, 2), (4, 0), (2, 1)]


def test_a_repeat_by_hand():
    """Same lists A, B, C in four rounds; places 0, 0, 1, 2 and then 0, 0, 0, 2: three of four agree.

    Any two options agree by chance at 1/3. Shares of places (1/2, 1/4, 1/4) and (3/4, 0, 1/4) agree
    at 3/8 + 1/16 = 7/16; kappa is (12/16 - 7/16)/(9/16) = 5/9. The third round moves from (2, 1) to
    (4, 0), by 3; mean 3/4. Distances A-B 3, A-C 6, B-C 3: two random ones are 24/9 apart.
    """
    found = agreement(form([ABC] * 4, [0, 0, 1, 2]), form([ABC] * 4, [0, 0, 0, 2]))
    assert (found.rounds, found.same, found.share) == (4, 3, 0.75)
    assert (found.low, found.high) == wilson(3, 4)
    assert found.uniform == pytest.approx(1 / 3)
    assert found.habit == pytest.approx(7 / 16)
    assert found.kappa == pytest.approx(5 / 9)
    assert (found.same_position, found.distance) == (0.75, 0.75)
    assert found.uniform_distance == pytest.approx(24 / 9)


def test_another_order_by_hand():
    """First option always, of A, B, C and of C, A, B: never the same answer, always the same place.

    The habit itself agrees never: place 0 lists A in one form and C in the other.
    """
    found = agreement(form([ABC] * 3, [0, 0, 0]), form([CAB] * 3, [0, 0, 0]))
    assert (found.share, found.same_position, found.habit, found.kappa) == (0, 1, 0, 0)


def test_who_follows_content_agrees_under_another_order():
    """A always, first in one form and second in the other: what a habit of places would give too."""
    found = agreement(form([ABC] * 3, [0, 0, 0]), form([CAB] * 3, [1, 1, 1]))
    assert (found.share, found.same_position, found.habit) == (1, 0, 1)
    assert isnan(found.kappa)


def test_a_habit_keeps_to_the_places_that_a_short_list_has():
    """Places 0 and 2 in a list of three, 0 in a list of one: shares 2/3 and 1/3, there 1 and 0.

    Round 1 agrees by habit at 4/9 + 1/9 = 5/9, round 2 too, round 3 at 1: mean 19/27.
    """
    one = form([ABC, ABC, ABC[:1]], [0, 2, 0])
    assert agreement(one, one).habit == pytest.approx(19 / 27)


def test_rounds_count_only_where_both_forms_put_the_same_round():
    """Round 2 is missing in one form, round 3 flipped, round 4 lists other options; 1 is left."""
    first = form([ABC] * 4, [0, 0, 0, 0], numbers=[1, 2, 3, 4])
    second = form([ABC, ABC, ABC[:2]], [0, 0, 0], numbers=[1, 3, 4], flipped=[1])
    assert agreement(first, second).rounds == 1


def test_forms_without_a_common_round_have_no_agreement():
    assert agreement(form([ABC], [0], numbers=[1]), form([ABC], [0], numbers=[2])) is None


def test_an_answer_that_was_not_listed_is_refused():
    wrong = form([ABC], [0])._replace(answers=np.array([[1, 1]]))
    with pytest.raises(ValueError, match=r"listed in round 1; found \(1, 1\)"):
        agreement(wrong, wrong)


def test_pooled_forms_by_hand():
    """(0, 2) at (1, 2) in one form, (2, 0) at (2, 1) in the other: each costs 4 and could have been
    had for 2 in the other round. Alone each is perfect, pooled the CCEI is 1/2.
    """
    first = Form(np.array([1]), np.array([[0, 2]]), np.array([[0, 0]]), np.array([[1, 2]]), [])
    second = Form(np.array([1]), np.array([[2, 0]]), np.array([[0, 0]]), np.array([[2, 1]]), [])
    assert joint_rationality(first, second) == (2, False, 0.5, (1.0, 1.0))


def test_the_same_answers_twice_are_as_rational_as_once():
    once = form([ABC, CAB, ABC], [0, 2, 1])
    joint = joint_rationality(once, once, once)
    assert (joint.rounds, joint.ccei) == (9, joint.alone[0])
    assert joint.garp


def test_pooling_no_forms_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        joint_rationality()


# The null that keeps positions


def test_every_draw_keeps_the_positions():
    positions, sizes = np.arange(50) % 7, np.full(50, 100)
    picks = position_picks(positions, sizes, 20, ("a",))
    assert (np.sort(picks, axis=1) == np.sort(positions)).all()
    assert len(np.unique(picks, axis=0)) == 20


def test_rounds_of_different_sizes_do_not_mix():
    positions, sizes = np.array([9, 1, 8, 0, 7, 2]), np.array([10, 3, 10, 3, 10, 3])
    picks = position_picks(positions, sizes, 30, ("a",))
    assert (np.sort(picks[:, ::2], axis=1) == [7, 8, 9]).all()
    assert (np.sort(picks[:, 1::2], axis=1) == [0, 1, 2]).all()


def test_all_orders_of_positions_are_equally_likely():
    """6,000 draws of three positions: each of 6 orders within 5 deviations (29) of 1,000."""
    picks = position_picks([0, 1, 2], [3, 3, 3], 6000, ("orders",))
    counts = np.unique(picks, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert np.abs(counts - 1000).max() < 5 * 29


def test_a_draw_is_the_same_whatever_other_draws_are_made():
    positions, sizes = np.arange(30), np.full(30, 30)
    later = position_picks(positions, sizes, range(5, 9), ("a",))
    assert np.array_equal(later, position_picks(positions, sizes, 9, ("a",))[5:])


@pytest.mark.parametrize(
    ("positions", "sizes", "message"),
    [
        ([0, 3], [3, 3], r"positions: .*found 3 at 1"),
        ([0, -1], [3, 3], r"positions: .*found -1 at 1"),
        ([0], [3, 3], r"each of 2 rounds; found 1"),
        ([], [], r"positions: .*found shape \(0,\)"),
    ],
)
def test_bad_positions_are_refused(positions, sizes, message):
    with pytest.raises(ValueError, match=message):
        position_picks(positions, sizes, 2, ("a",))


class Survey(NamedTuple):
    """Forty rounds of three statements, eight options in each."""

    options: list[np.ndarray]
    corners: np.ndarray
    prices: np.ndarray


def survey(seed, in_order):
    """Options drawn and listed at random, or the most moderate ones first."""
    rng = np.random.default_rng(seed)
    scale = np.array(list(product(range(6), repeat=3)))
    corners = np.repeat(np.array(list(product((0, 5), repeat=3))), 5, axis=0)
    prices = np.tile([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2, 1)], (8, 1))
    lines = [scale[row == 7] for row in costs(scale, corners, prices)]
    options = [rng.choice(line, 8, replace=False) for line in lines]
    if in_order:
        options = [x[np.argsort(((x - 2.4) ** 2).sum(axis=1))] for x in options]
    return Survey(options, corners, prices)


def always_first(rng, options):
    return np.zeros(len(options), int)


def skimmer(rng, options):
    """Any of the first three, whatever they say."""
    return rng.integers(0, 3, len(options))


def maximiser(rng, options):
    return np.array([np.argmin(np.abs(listed - (1.2, 3.1, 2.4)).sum(axis=1)) for listed in options])


def p_values(habit, in_order, seeds=SEEDS):
    """(seeds, 2) p_plus by the plain null and by the one that keeps positions."""
    rows = []
    for seed in range(seeds):
        options, corners, prices = survey(seed, in_order)
        places = habit(np.random.default_rng([seed, 1]), options)
        answers = np.array([x[i] for x, i in zip(options, places, strict=True)])
        observed, sizes = ccei(costs(answers, corners, prices)), [8] * len(options)
        picks = (
            uniform_picks(sizes, DRAWS, ("plain", seed)),
            position_picks(places, sizes, DRAWS, ("kept", seed)),
        )
        nulls = [random_ccei(options, corners, prices, pick) for pick in picks]
        rows.append([rationality_test(observed, null).p_plus for null in nulls])
    return np.array(rows)


def exceeds(p, level=0.05):
    """Whether p-values at or below the level are more common than the level allows for."""
    return clopper_pearson(np.count_nonzero(p <= level), len(p), 0.99).low > level


@pytest.mark.parametrize("in_order", [False, True])
def test_who_always_takes_option_1_is_never_called_rational_for_it(in_order):
    """The plain null passes who meets moderate options first; over random lists it keeps its level."""
    plain, kept = p_values(always_first, in_order, seeds=60).T
    assert (kept == 1).all()
    assert exceeds(plain) == in_order
    assert np.mean(plain <= 0.05) > 0.9 or not in_order


@pytest.mark.parametrize("in_order", [False, True])
def test_a_skimmer_passes_no_more_often_than_the_level_says(in_order):
    plain, kept = p_values(skimmer, in_order).T
    assert not exceeds(kept)
    assert exceeds(plain) == in_order


def test_who_follows_content_passes_all_the_same_over_random_lists():
    plain, kept = p_values(maximiser, in_order=False, seeds=20).T
    assert np.mean(plain <= 0.05) >= 0.95
    assert np.mean(kept <= 0.05) >= 0.95


def test_where_the_best_options_stand_first_content_and_place_are_not_told_apart():
    plain, kept = p_values(maximiser, in_order=True, seeds=20).T
    assert np.mean(plain <= 0.05) >= 0.95
    assert np.mean(kept <= 0.05) <= 0.5
