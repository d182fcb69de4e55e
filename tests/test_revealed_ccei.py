"""The CCEI by hand, its critical cycle, and many data sets at once."""

import numpy as np
import pytest

from rationale.revealed import ccei, ccei_of_choices, critical_cycle, garp


def test_the_larger_ratio_of_a_two_cycle_is_the_ccei():
    """6/12 one way, 9/12 back."""
    assert ccei([[12, 6], [9, 12]]) == 9 / 12


def test_the_least_bad_arc_of_the_worst_cycle_sets_the_ccei():
    """Cycle 0-1 has ratios 1/4 and 3/4; cycle 0-1-2 has 1/4, 2/4, 2/4: the CCEI is 1/2."""
    assert ccei([[4, 1, 9], [3, 4, 2], [2, 9, 4]]) == 0.5


def test_without_a_cycle_the_ccei_is_one():
    assert ccei([[12, 6], [13, 12]]) == 1


def test_a_ccei_of_one_does_not_imply_garp():
    """6/12 one way, exactly 12/12 back: GARP fails at 1 and holds at any e below."""
    costs = [[12, 6], [12, 12]]
    assert ccei(costs) == 1
    assert not garp(costs).holds
    assert garp(costs, np.nextafter(1, 0)).holds


@pytest.mark.parametrize(("back", "holds"), [(9, True), (6, False)])
def test_garp_at_the_ccei_itself_may_hold_or_fail(back, holds):
    """CCEI 9/12 with arcs 9/12 and 9/12 (no strict one at e), or 9/12 and 6/12."""
    costs = [[12, 9], [back, 12]]
    assert garp(costs, ccei(costs)).holds is holds


def test_answers_for_nothing_give_a_ccei_of_zero():
    assert ccei([[12, 0], [0, 12]]) == 0


def test_garp_can_be_asked_at_a_ccei_of_zero():
    assert garp([[12, 0], [0, 12]], 0).holds


def test_one_round_has_a_ccei_of_one():
    assert ccei([[12]]) == 1


def test_repeated_answers_alone_have_a_ccei_of_one():
    assert ccei([[12, 12], [12, 12]]) == 1


def test_the_critical_cycle_shows_the_ratios_that_set_the_ccei():
    found = critical_cycle([[4, 1, 9], [3, 4, 2], [2, 9, 4]])
    assert (set(found.rounds), sorted(found.ratios)) == ({0, 1, 2}, [0.25, 0.5, 0.5])


def test_there_is_no_critical_cycle_at_one():
    assert critical_cycle([[12, 6], [12, 12]]) == ((), ())


def test_each_data_set_takes_the_columns_it_chose():
    """Three answers in two rounds; set 0 takes answers 0 and 1, set 1 answers 0 and 2.

    Set 0: 6/12 and 9/12, CCEI 0.75. Set 1: 3/12 and 8/10, CCEI 0.8.
    """
    costs = [[12, 6, 3], [8, 12, 10]]
    costs[1][0] = 9
    assert ccei_of_choices(costs, [[0, 1]]).tolist() == [0.75]
    costs[1][0] = 8
    assert ccei_of_choices(costs, [[0, 2]]).tolist() == [0.8]


def test_many_data_sets_agree_with_one_at_a_time():
    rng = np.random.default_rng(3)
    costs, choices = rng.integers(1, 30, (12, 50)), rng.integers(0, 50, (200, 12))
    one_by_one = [ccei(costs[:, chosen]) for chosen in choices]
    assert ccei_of_choices(costs, choices).tolist() == one_by_one


@pytest.mark.parametrize(
    ("costs", "choices", "message"),
    [
        ([[1, 2], [2, 1]], [[0, 2]], r"answers 0 to 1; found 2 at \(0, 1\)"),
        ([[1, 2], [2, 1]], [[0, -1]], r"found -1 at \(0, 1\)"),
        ([[1, 2], [2, 1]], [[0, 1, 1]], r"expected \(N, 2\).*found shape \(1, 3\)"),
        ([[1, 2], [2, 1]], [[0.0, 1.0]], r"found shape \(1, 2\) of float64"),
        ([[1, 2], [2, 1]], np.empty((0, 2), int), r"found shape \(0, 2\)"),
        ([[0, 2], [2, 1]], [[0, 1]], r"own expenditure: .*found 0.0 at \(0, 0\)"),
        ([[1, -2], [2, 1]], [[0, 1]], r"costs: .*found -2.0 at \(0, 1\)"),
        ([[1, np.nan], [2, 1]], [[0, 1]], r"costs: .*found nan at \(0, 1\)"),
    ],
)
def test_bad_choices_are_refused(costs, choices, message):
    with pytest.raises(ValueError, match=message):
        ccei_of_choices(costs, choices)
