"""GARP by hand: relations, ties, witnesses."""

import numpy as np
import pytest

from rationale.revealed import check_witness, garp

# Round 0 could have had answer 1 for 6 of its 12, round 1 answer 0 for 9 of its 12.
TWO_CYCLE = np.array([[12, 6], [9, 12]])


def test_two_rounds_that_each_could_afford_the_other_violate():
    assert not garp(TWO_CYCLE).holds


def test_efficiency_undoes_the_violation():
    """At e = 0.7, round 1 keeps 8.4 < 9: its relation is gone."""
    assert garp(TWO_CYCLE, 0.7).holds


def test_a_tie_at_the_efficiency_is_weak():
    """At e = 9/12 the arc at 9/12 is weak, not strict; the one at 6/12 is strict: violation."""
    found = garp(TWO_CYCLE, 9 / 12)
    assert (found.cycle, found.strict) == ((0, 1), (True, False))


def test_a_cycle_of_ties_alone_is_no_violation():
    """Both arcs cost 9 of 12; at e = 0.75 neither is strict."""
    assert garp([[12, 9], [9, 12]], 0.75).holds


def test_a_tie_between_different_fractions_is_exact():
    """1/3 = 4/12 is below neither: at e = 1/3 the cycle has two weak arcs and no strict one."""
    assert garp([[3, 1], [4, 12]], 1 / 3).holds


def test_repeated_answers_are_no_violation():
    assert garp([[12, 12], [12, 12]]).holds


def test_a_repeated_answer_links_the_rounds_that_chose_it():
    """Answer A in rounds 0 and 2, B in round 1. Round 0 prefers A to B (6 < 12), round 1 prefers
    B to A (9 < 12), round 2 could not afford B. The violation needs no arc between 0 and 2.
    """
    found = garp([[12, 6, 12], [9, 12, 9], [12, 20, 12]])
    assert found.cycle == (0, 1)


def test_a_witness_shows_its_arithmetic():
    found = garp(TWO_CYCLE)
    assert (found.cycle, found.ratios, found.strict) == ((0, 1), (0.5, 0.75), (True, True))


def test_a_cycle_of_three_is_found_when_no_pair_violates():
    """0 -> 1 -> 2 -> 0 at 10, 12 and 12 of 12; every other arc costs 20."""
    found = garp([[12, 10, 20], [20, 12, 12], [12, 20, 12]])
    assert (found.cycle, found.strict) == ((0, 1, 2), (True, False, False))


def test_the_shorter_of_two_violations_is_shown():
    """The three-cycle above, and 0 and 3 at 11 of 12 each."""
    costs = [[12, 10, 20, 11], [20, 12, 12, 20], [12, 20, 12, 20], [11, 20, 20, 12]]
    assert garp(costs).cycle in ((0, 3), (3, 0))


def test_a_longer_violation_found_later_is_not_shown():
    """0 -> 1 -> 2 -> 0 and 3 -> 4 -> 5 -> 6 -> 3 at 6 of 12 each; every other arc costs 20."""
    costs = np.full((7, 7), 20)
    np.fill_diagonal(costs, 12)
    costs[[0, 1, 2, 3, 4, 5, 6], [1, 2, 0, 4, 5, 6, 3]] = 6
    assert garp(costs).cycle == (0, 1, 2)


def test_efficiency_may_differ_by_round():
    """Round 1 alone is held to 0.7: 0.7·12 = 8.4 < 9."""
    assert garp(TWO_CYCLE, [1, 0.7]).holds
    assert not garp(TWO_CYCLE, [0.7, 1]).holds


def test_one_round_satisfies_garp():
    assert garp([[12]]).holds


def test_an_answer_for_nothing_violates_at_every_efficiency():
    assert not garp([[12, 0], [0, 12]], 1e-300).holds


@pytest.mark.parametrize(
    ("cycle", "efficiency", "proves"),
    [
        ((0, 1), 1, True),
        ((1, 0), 1, True),
        ((0, 1), 0.75, True),
        ((0, 1), 0.7, False),
        ((0,), 1, False),
        ((0, 1, 0, 1), 1, False),
        ((), 1, False),
    ],
)
def test_a_witness_is_checked_without_the_search(cycle, efficiency, proves):
    assert check_witness(TWO_CYCLE, cycle, efficiency) is proves


def test_a_cycle_of_ties_is_no_witness():
    assert not check_witness([[12, 12], [12, 12]], (0, 1))


@pytest.mark.parametrize("efficiency", [-0.1, 1.1, np.nan])
def test_efficiencies_outside_the_unit_interval_are_refused(efficiency):
    with pytest.raises(ValueError, match=rf"efficiency: .*found {efficiency} at 0"):
        garp(TWO_CYCLE, efficiency)


def test_efficiencies_for_other_rounds_are_refused():
    with pytest.raises(ValueError, match=r"each of 2 rounds; found shape \(3,\)"):
        garp(TWO_CYCLE, [1, 1, 1])


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match=r"found shape \(0, 0\)"):
        garp(np.empty((0, 0)))
