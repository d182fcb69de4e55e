"""What holds for every data set."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rationale.revealed import ccei, check_witness, critical_cycle, garp

on_a_hundred = settings(max_examples=100, deadline=None, derandomize=True)


@st.composite
def cost_matrices(draw):
    """Whole costs of up to 9 rounds over a few answers, so that ties and repeats are common."""
    n_rounds, n_answers = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    cost = st.integers(1, draw(st.sampled_from([3, 12, 10**6])))
    row = st.lists(cost, min_size=n_answers, max_size=n_answers)
    costs = np.array(draw(st.lists(row, min_size=n_rounds, max_size=n_rounds)), dtype=float)
    answer = st.integers(0, n_answers - 1)
    return costs[:, draw(st.lists(answer, min_size=n_rounds, max_size=n_rounds))]


@on_a_hundred
@given(cost_matrices(), st.data())
def test_scaling_the_prices_of_a_round_changes_nothing(costs, data):
    scale = data.draw(st.lists(st.integers(1, 99), min_size=len(costs), max_size=len(costs)))
    assert ccei(costs * np.array(scale)[:, None]) == ccei(costs)


@on_a_hundred
@given(cost_matrices(), st.data())
def test_leaving_rounds_out_never_lowers_the_ccei(costs, data):
    kept = data.draw(st.sets(st.integers(0, len(costs) - 1), min_size=1))
    assert ccei(costs[np.ix_(sorted(kept), sorted(kept))]) >= ccei(costs)


@on_a_hundred
@given(cost_matrices(), st.data())
def test_the_order_of_rounds_does_not_matter(costs, data):
    order = data.draw(st.permutations(range(len(costs))))
    shuffled = costs[np.ix_(order, order)]
    assert ccei(shuffled) == ccei(costs)
    assert len(garp(shuffled).cycle) == len(garp(costs).cycle)


@on_a_hundred
@given(cost_matrices())
def test_garp_implies_a_ccei_of_one(costs):
    assert not garp(costs).holds or ccei(costs) == 1


@on_a_hundred
@given(cost_matrices())
def test_garp_holds_just_below_the_ccei(costs):
    assert garp(costs, np.nextafter(ccei(costs), 0)).holds


@on_a_hundred
@given(cost_matrices())
def test_garp_fails_just_above_a_ccei_below_one(costs):
    index = ccei(costs)
    assert index == 1 or not garp(costs, np.nextafter(index, 1)).holds


@on_a_hundred
@given(cost_matrices(), st.floats(0.01, 1))
def test_every_witness_checks(costs, efficiency):
    found = garp(costs, efficiency)
    assert found.holds or check_witness(costs, found.cycle, efficiency)


@on_a_hundred
@given(cost_matrices())
def test_the_critical_cycle_is_a_witness_just_above_the_ccei(costs):
    cycle, index = critical_cycle(costs), ccei(costs)
    assert index == 1 or check_witness(costs, cycle.rounds, np.nextafter(index, 1))
