"""The indices by hand, against every possibility on small data, by law, and beside prefgraph.

Brute force is written from the definitions: subsets of rounds for Houtman-Maks, all cycles for the
money pump, and for the two others both every adjustment there is (up to 4 rounds) and every order
of preference (up to 6).
"""

from itertools import chain, combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rationale.revealed import ccei, costs, costs_of_consumption, garp
from rationale.revealed.indices import (
    HoutmanMaks,
    MinimumCost,
    MoneyPump,
    Varian,
    all_indices,
    check_houtman_maks,
    check_indices,
    check_minimum_cost,
    check_money_pump,
    check_varian,
    houtman_maks,
    minimum_cost,
    money_pump,
    money_pump_of_choices,
    varian,
)

on_fifty = settings(max_examples=50, deadline=None, derandomize=True)

# Round 0 could have had answer 1 for 6 of its 12, round 1 answer 0 for 9 of its 12.
TWO_CYCLE = np.array([[12, 6], [9, 12]])
# 6 of 12 one way, exactly 12 of 12 back.
TIE = np.array([[12, 6], [12, 12]])
# Answer A in rounds 0 and 2, B in round 1, which prefers B to A; round 2 cannot afford B.
REPEATED = np.array([[12, 6, 12], [9, 12, 9], [12, 20, 12]])
PERFECT = [[[12]], [[12, 12], [12, 12]], [[12, 6], [13, 12]]]


def small_data(seed, most):
    """Costs of 2 to ``most`` rounds with ties, repeats and, for every third seed, fractions."""
    rng = np.random.default_rng(seed)
    n_rounds, n_answers = rng.integers(2, most + 1), rng.integers(2, 7)
    cost = rng.integers(0, rng.choice([4, 12, 40]) + 1, (n_rounds, n_answers)).astype(float)
    if seed % 3 == 0:
        cost = np.round(cost * rng.random(cost.shape), 3)
    choices = rng.integers(0, n_answers, n_rounds)
    own = np.arange(n_rounds), choices
    cost[own] = np.maximum(cost[own], 1)
    return cost[:, choices]


def survey_data(noise, n_rounds=160, seed=0):
    """The moral survey, flipped by the open answer (2, 1, 3, 4, 2), by a utility with logit noise."""
    rng = np.random.default_rng(seed)
    scale = np.array(list(product(range(6), repeat=5)))
    corners = np.repeat(np.array(list(product((0, 5), repeat=5))), 5, axis=0)
    prices = np.tile(np.ones((5, 5)) + np.eye(5), (32, 1))
    flipped = (np.abs(corners - (2, 1, 3, 4, 2)) * prices).sum(axis=1) <= 12
    corners = np.where(flipped[:, None], 5 - corners, corners)
    rounds = rng.permutation(160)[:n_rounds]
    utility = -0.1 * ((scale - [2.2, 1.4, 3.1, 3.6, 1.8]) ** 2).sum(axis=1)
    lines = [np.flatnonzero(row == 12) for row in costs(scale, corners[rounds], prices[rounds])]
    shown = [rng.choice(line, 100, replace=False) for line in lines]
    chosen = [x[np.argmax(utility[x] + noise * rng.gumbel(size=100))] for x in shown]
    return costs(scale[chosen], corners[rounds], prices[rounds])


SMALL = [small_data(seed, 6) for seed in range(300)]
SMALLEST = [small_data(seed, 4) for seed in range(1000, 1100)]


@pytest.fixture(scope="module")
def found():
    return [all_indices(cost) for cost in SMALL]


# By hand


def test_two_rounds_that_each_could_afford_the_other():
    """One of two rounds is kept. The pump gains 6 + 3 of 24. Either round 0 shrinks to 6/12 or
    round 1 to 9/12: the latter, mean (0 + 3/12)/2. Giving up the relation worth 3 costs 3 of 24.
    """
    assert houtman_maks(TWO_CYCLE).share == 1 / 2
    assert money_pump(TWO_CYCLE).index == 9 / 24
    assert varian(TWO_CYCLE) == Varian(0.125, (1.0, 0.75), 0.125, True)
    assert minimum_cost(TWO_CYCLE) == MinimumCost(3 / 24, ((1, 0),), 3 / 24, True)


def test_a_cycle_of_three():
    """0 -> 1 -> 2 -> 0 saves 1, 2 and 2 of 4 each: any round may go; the pump gains 5 of 12; round
    0 shrinks to 3/4, mean 1/12; giving up 0 -> 1 costs 1 of 12.
    """
    cycle = np.array([[4, 3, 9], [9, 4, 2], [2, 9, 4]])
    assert len(houtman_maks(cycle).removed) == 1
    assert money_pump(cycle) == MoneyPump(5 / 12, money_pump(cycle).cycle)
    assert varian(cycle).efficiencies == (0.75, 1, 1)
    assert minimum_cost(cycle) == MinimumCost(1 / 12, ((0, 1),), 1 / 12, True)


def test_one_round_in_two_cycles_is_the_one_to_remove():
    """Round 0 and each of 1 and 2 could afford each other; 1 and 2 could not."""
    star = np.array([[12, 6, 6], [6, 12, 20], [6, 20, 12]])
    assert houtman_maks(star) == HoutmanMaks(2 / 3, (1, 2), (0,), 2 / 3, True)


def test_shrinking_a_budget_undoes_all_relations_from_that_ratio_up():
    """Round 0 saves 4 and 5 of 12 by answers 1 and 2; those rounds save 6 by answer 0. Shrinking
    round 0 to 7/12 undoes both for 5, mean 5/36. Giving the two relations up costs 4 + 5 of 36.
    """
    star = np.array([[12, 8, 7], [6, 12, 20], [6, 20, 12]])
    assert varian(star).efficiencies == (7 / 12, 1, 1)
    assert minimum_cost(star).index == 9 / 36
    assert minimum_cost(star).removed == ((0, 1), (0, 2))


def test_a_cycle_with_a_tie_violates_garp_and_costs_nothing_to_undo():
    """The pump gains 6 of 24, a round must go, but at e just below 1 the tie is no relation."""
    assert houtman_maks(TIE).share == 1 / 2
    assert money_pump(TIE).index == 6 / 24
    assert varian(TIE) == Varian(0.0, (1.0, 1.0), 0.0, True)
    assert minimum_cost(TIE) == MinimumCost(0.0, ((1, 0),), 0.0, True)


def test_a_relation_to_a_repeated_answer_is_given_up_once():
    """B over A costs 3, A over B 6: the former goes, for both rounds with answer A; 3 of 36."""
    assert minimum_cost(REPEATED) == MinimumCost(3 / 36, ((1, 0), (1, 2)), 3 / 36, True)
    assert varian(REPEATED).efficiencies == (1, 0.75, 1)
    assert len(houtman_maks(REPEATED).removed) == 1


def test_the_pump_takes_the_better_of_a_short_and_a_long_way_round():
    """0 <-> 1 gains 1 + 9 of 20; 0 -> 2 -> 1 -> 0 gains 4 + 4 + 9 of 30: 1/2 < 17/30."""
    assert money_pump([[10, 9, 6], [1, 10, 99], [99, 6, 10]]).cycle in permutations((0, 2, 1))
    assert money_pump([[10, 9, 6], [1, 10, 99], [99, 6, 10]]).index == 17 / 30


def test_the_pump_weighs_money_not_steps():
    """Gains 1 + 1 of 2 + 2 are 1/2; gains 10 + 30 of 100 + 100 are 1/5, though larger."""
    cost = [[2, 1, 9, 9], [1, 2, 9, 9], [999, 999, 100, 90], [999, 999, 70, 100]]
    assert money_pump(cost) == MoneyPump(1 / 2, money_pump(cost).cycle)
    assert set(money_pump(cost).cycle) == {0, 1}


def test_answers_for_nothing_leave_a_round_without_relations():
    """Each could have had the other's answer free. At e = 0 the relation stays weak, so only a
    round left without relations undoes it: mean (1 + 0)/2.
    """
    found = all_indices([[12, 0], [0, 12]])
    assert (found.money_pump.index, found.varian.index, found.minimum_cost.index) == (1, 0.5, 0.5)
    assert sorted(found.varian.efficiencies) == [0, 1]
    assert check_indices([[12, 0], [0, 12]], found)


@pytest.mark.parametrize("cost", PERFECT)
def test_perfect_data(cost):
    everyone = tuple(range(len(cost)))
    assert all_indices(cost) == (
        True,
        1.0,
        MoneyPump(0.0, ()),
        HoutmanMaks(1.0, everyone, (), 1.0, True),
        Varian(0.0, tuple(1.0 for _ in cost), 0.0, True),
        MinimumCost(0.0, (), 0.0, True),
    )


def test_two_statements():
    """Corner (0, 0), prices (1, 2) and (2, 1), answers (0, 2) and (2, 0): each costs 4 and could
    have been had for 2 in the other round. One round of two; (2 + 2)/8; mean (0 + 1/2)/2; 2/8.
    """
    cost = costs([(0, 2), (2, 0)], [(0, 0), (0, 0)], [(1, 2), (2, 1)])
    found = all_indices(cost)
    assert (found.ccei, found.houtman_maks.share, found.money_pump.index) == (0.5, 0.5, 0.5)
    assert (found.varian.index, found.minimum_cost.index) == (0.25, 0.25)


# Against every possibility


def slow_houtman_maks(cost):
    everyone = range(len(cost))
    subsets = chain.from_iterable(combinations(everyone, n) for n in range(1, len(cost) + 1))
    return max(len(s) for s in subsets if garp(cost[np.ix_(s, s)]).holds) / len(cost)


def slow_money_pump(cost):
    best, own = 0.0, cost.diagonal()
    for size in range(2, len(cost) + 1):
        for cycle in permutations(range(len(cost)), size):
            arcs = list(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
            if all(cost[r, k] <= own[r] for r, k in arcs):
                gain = sum(own[r] - cost[r, k] for r, k in arcs)
                best = max(best, gain / sum(own[r] for r in cycle))
    return best


def slow_varian_by_orders(cost):
    """Given an order, round r must not reach any answer placed before its own."""
    ratios, n = np.minimum(cost / cost.diagonal()[:, None], 1), len(cost)
    return min(
        sum(1 - min((ratios[r, k] for k in order[:i]), default=1) for i, r in enumerate(order)) / n
        for order in permutations(range(n))
    )


def slow_varian_by_levels(cost):
    """Every vector of ratios, with relations at ratios strictly below it."""
    ratios, n = cost / cost.diagonal()[:, None], len(cost)
    levels = [sorted({1.0, *(x for x in row if x < 1)}) for row in ratios]
    return min(
        sum(1 - x for x in e) / n
        for e in product(*levels)
        if is_acyclic(ratios < np.array(e)[:, None])
    )


def slow_minimum_cost_by_orders(cost):
    """Given an order of the answers, round r gives up what it saves by those before its own."""
    answers, own = [tuple(column) for column in cost.T], cost.diagonal()
    savings = {(r, k): max(own[r] - cost[r, answers.index(k)], 0) for r in range(len(cost))
               for k in set(answers)}  # fmt: skip
    return min(
        sum(savings[r, k] for r, own_ in enumerate(answers) for k in order[: order.index(own_)])
        for order in permutations(sorted(set(answers)))
    ) / sum(own)


def slow_minimum_cost_by_subsets(cost):
    """Every set of relations between a round and another answer, tried as a removal."""
    answers, own = [tuple(column) for column in cost.T], cost.diagonal()
    strict = {(r, answers[k]) for r, k in np.argwhere(cost < own[:, None]).tolist()}
    least = np.inf
    for size in range(len(strict) + 1):
        for gone in combinations(sorted(strict), size):
            left = [(answers[r], k) for r, k in strict - set(gone)]
            names = sorted(set(answers))
            arcs = np.zeros((len(names), len(names)), bool)
            for a, b in left:
                arcs[names.index(a), names.index(b)] = True
            if is_acyclic(arcs):
                least = min(least, sum(own[r] - cost[r, answers.index(k)] for r, k in gone))
    return least / sum(own)


def is_acyclic(arcs):
    """No walk of as many steps as there are nodes."""
    return not np.linalg.matrix_power(arcs.astype(int), len(arcs)).any()


def test_houtman_maks_equals_the_largest_of_all_subsets(found):
    assert [x.houtman_maks.share for x in found] == [slow_houtman_maks(cost) for cost in SMALL]


def test_the_money_pump_equals_the_largest_of_all_cycles(found):
    slow = [slow_money_pump(cost) for cost in SMALL]
    assert np.allclose([x.money_pump.index for x in found], slow, rtol=1e-12, atol=0)


def test_varian_equals_the_best_of_all_orders(found):
    slow = [slow_varian_by_orders(cost) for cost in SMALL]
    assert np.allclose([x.varian.index for x in found], slow, rtol=0, atol=1e-12)


def test_the_minimum_cost_equals_the_best_of_all_orders(found):
    slow = [slow_minimum_cost_by_orders(cost) for cost in SMALL]
    assert np.allclose([x.minimum_cost.index for x in found], slow, rtol=0, atol=1e-12)


def test_varian_equals_the_best_of_all_levels():
    slow = [slow_varian_by_levels(cost) for cost in SMALLEST]
    assert np.allclose([varian(cost).index for cost in SMALLEST], slow, rtol=0, atol=1e-12)


def test_the_minimum_cost_equals_the_best_of_all_removals():
    slow = [slow_minimum_cost_by_subsets(cost) for cost in SMALLEST]
    assert np.allclose([minimum_cost(cost).index for cost in SMALLEST], slow, rtol=0, atol=1e-12)


def test_small_data_are_solved_and_every_answer_checks(found):
    for cost, indices in zip(SMALL, found, strict=True):
        solved = (indices.houtman_maks, indices.varian, indices.minimum_cost)
        assert all(index.optimal for index in solved)
        assert check_indices(cost, indices)


def test_perfection_means_what_the_docstrings_say(found):
    """Houtman-Maks and the pump tell GARP; the three suprema tell a graph without strict cycle."""
    for cost, x in zip(SMALL, found, strict=True):
        holds = garp(cost).holds
        assert x.garp == (x.houtman_maks.share == 1) == (x.money_pump.index == 0) == holds
        assert (x.varian.index == 0) == (x.minimum_cost.index == 0) == (x.ccei == 1)


# Laws


@st.composite
def cost_matrices(draw):
    """Whole costs of up to 7 rounds over a few answers, so that ties and repeats are common."""
    n_rounds, n_answers = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cost = st.integers(1, draw(st.sampled_from([3, 12, 10**4])))
    row = st.lists(cost, min_size=n_answers, max_size=n_answers)
    rows = np.array(draw(st.lists(row, min_size=n_rounds, max_size=n_rounds)), dtype=float)
    answer = st.integers(0, n_answers - 1)
    return rows[:, draw(st.lists(answer, min_size=n_rounds, max_size=n_rounds))]


@on_fifty
@given(cost_matrices(), st.data())
def test_fewer_rounds_never_need_more_removed(cost, data):
    kept = sorted(data.draw(st.sets(st.integers(0, len(cost) - 1), min_size=1)))
    fewer = cost[np.ix_(kept, kept)]
    assert len(houtman_maks(fewer).removed) <= len(houtman_maks(cost).removed)
    assert money_pump(fewer).index <= money_pump(cost).index
    assert varian(fewer).index * len(fewer) <= varian(cost).index * len(cost) + 1e-12


@on_fifty
@given(cost_matrices(), st.data())
def test_scaling_the_prices_of_a_round_changes_no_ratio(cost, data):
    scale = data.draw(st.lists(st.integers(1, 9), min_size=len(cost), max_size=len(cost)))
    scaled = cost * np.array(scale)[:, None]
    assert houtman_maks(scaled).share == houtman_maks(cost).share
    assert varian(scaled).index == pytest.approx(varian(cost).index, abs=1e-12)


@on_fifty
@given(cost_matrices(), st.integers(2, 9))
def test_the_unit_of_money_does_not_matter(cost, scale):
    assert money_pump(cost * scale).index == pytest.approx(money_pump(cost).index, abs=1e-12)
    assert minimum_cost(cost * scale).index == pytest.approx(minimum_cost(cost).index, abs=1e-12)


@on_fifty
@given(cost_matrices(), st.data())
def test_the_order_of_rounds_does_not_matter(cost, data):
    order = data.draw(st.permutations(range(len(cost))))
    shuffled, plain = all_indices(cost[np.ix_(order, order)]), all_indices(cost)
    for name in ("money_pump", "varian", "minimum_cost"):
        one, other = getattr(shuffled, name).index, getattr(plain, name).index
        assert one == pytest.approx(other, abs=1e-12)
    assert shuffled.houtman_maks.share == plain.houtman_maks.share


@on_fifty
@given(cost_matrices())
def test_the_indices_bound_one_another(cost):
    """The CCEI is one efficiency for all; a round removed is one with an efficiency of 0."""
    x = all_indices(cost)
    assert x.varian.index <= 1 - x.ccei + 1e-12
    assert x.varian.index <= 1 - x.houtman_maks.share + 1e-12
    assert check_indices(cost, x)


# Time, size, checks, refusals


def test_without_time_the_answers_are_bounds():
    cost = survey_data(noise=np.inf)
    x = all_indices(cost, time_limit=0)
    assert check_indices(cost, x)
    assert x.houtman_maks.share <= x.houtman_maks.upper <= 1
    assert 0 <= x.varian.lower < x.varian.index
    assert 0 <= x.minimum_cost.lower < x.minimum_cost.index
    assert not any((x.houtman_maks.optimal, x.varian.optimal, x.minimum_cost.optimal))


def test_the_whole_survey_of_a_steady_respondent_is_solved():
    """160 rounds, noise 0.1: a second or two on one core."""
    cost = survey_data(noise=0.1)
    x = all_indices(cost, time_limit=120)
    assert x.houtman_maks.optimal
    assert x.varian.optimal
    assert x.minimum_cost.optimal
    assert check_indices(cost, x)


def test_bounds_hold_what_more_time_finds():
    cost = survey_data(noise=0.5, n_rounds=60)
    quick, full = all_indices(cost, time_limit=0), all_indices(cost, time_limit=120)
    assert quick.houtman_maks.share <= full.houtman_maks.share <= quick.houtman_maks.upper
    assert quick.varian.lower <= full.varian.index <= quick.varian.index
    assert quick.minimum_cost.lower <= full.minimum_cost.index <= quick.minimum_cost.index


def test_many_pumps_agree_with_one_at_a_time():
    rng = np.random.default_rng(3)
    cost, choices = rng.integers(1, 30, (12, 50)), rng.integers(0, 50, (20, 12))
    one_by_one = [money_pump(cost[:, chosen]).index for chosen in choices]
    assert money_pump_of_choices(cost, choices).tolist() == one_by_one


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        (check_houtman_maks, HoutmanMaks(1.0, (0, 1), (), 1.0, True)),
        (check_houtman_maks, HoutmanMaks(1.0, (0,), (1,), 1.0, True)),
        (check_houtman_maks, HoutmanMaks(0.5, (0,), (), 0.5, True)),
        (check_money_pump, MoneyPump(9 / 24, ())),
        (check_money_pump, MoneyPump(0.5, (0, 1))),
        (check_money_pump, MoneyPump(9 / 24, (0, 0))),
        (check_varian, Varian(0.0, (1.0, 1.0), 0.0, True)),
        (check_varian, Varian(0.1, (1.0, 0.8), 0.1, True)),
        (check_varian, Varian(0.25, (1.0, 0.75), 0.25, True)),
        (check_varian, Varian(0.125, (1.0,), 0.125, True)),
        (check_minimum_cost, MinimumCost(0.0, (), 0.0, True)),
        (check_minimum_cost, MinimumCost(0.1, ((1, 0),), 0.1, True)),
    ],
)
def test_a_wrong_answer_does_not_check(check, wrong):
    assert not check(TWO_CYCLE, wrong)


def test_a_removal_that_splits_a_repeated_answer_does_not_check():
    assert not check_minimum_cost(REPEATED, MinimumCost(3 / 36, ((1, 0),), 3 / 36, True))


@pytest.mark.parametrize("index", [houtman_maks, money_pump, varian, minimum_cost, all_indices])
def test_bad_costs_are_refused(index):
    with pytest.raises(ValueError, match=r"found nan at \(0, 1\)"):
        index([[1, np.nan], [1, 1]])
    with pytest.raises(ValueError, match=r"found shape \(0, 0\)"):
        index(np.empty((0, 0)))


def test_choices_outside_the_answers_are_refused():
    with pytest.raises(ValueError, match=r"answers 0 to 1; found -1 at \(0, 1\)"):
        money_pump_of_choices(TWO_CYCLE, [[0, -1]])


# Beside prefgraph


def budgets(seed):
    """Three goods in 3 to 8 rounds, no answer repeated."""
    rng = np.random.default_rng(seed)
    n_rounds = rng.integers(3, 9)
    prices, bundles = rng.integers(1, 6, (n_rounds, 3)), rng.integers(0, 8, (n_rounds, 3))
    bundles[:, 0] = 1 + rng.permutation(n_rounds)
    return prices.astype(float), bundles.astype(float)


def test_houtman_maks_pump_and_exact_efficiencies_agree_with_prefgraph():
    """Its pump is a bisection to 1e-10; its exact efficiencies are those of ``vei_exact``."""
    prefgraph = pytest.importorskip("prefgraph")
    exact = pytest.importorskip("prefgraph.algorithms.vei").compute_vei_exact
    for prices, bundles in map(budgets, range(40)):
        session = prefgraph.ConsumerSession(prices=prices, quantities=bundles)
        x = all_indices(costs_of_consumption(prices, bundles))
        removed = prefgraph.compute_houtman_maks_index(session, method="ilp").removed_observations
        assert len(x.houtman_maks.removed) == len(removed)
        pumped = prefgraph.compute_mpi_bounds(session).maximum_mpi
        assert x.money_pump.index == pytest.approx(pumped, abs=1e-8)
        shrunk = 1 - np.mean(exact(session).efficiency_vector)
        assert x.varian.index == pytest.approx(shrunk, abs=1e-8)


def test_prefgraphs_varian_index_is_the_ccei():
    """Rounds 0 and 1 could have had each other's answer for 9/12 and 8/12; round 2 could afford
    neither. One efficiency for all must be 3/4. Of one for each, 3/4 for round 0 is enough, and the
    mean is 11/12. Its index says 3/4.
    """
    prefgraph = pytest.importorskip("prefgraph")
    prices = np.array([[2, 1, 1], [1, 2, 1], [1, 1, 99]], dtype=float)
    bundles = np.array([[5, 1, 1], [1, 4, 3], [0, 0, 1]], dtype=float)
    cost = costs_of_consumption(prices, bundles)
    session = prefgraph.ConsumerSession(prices=prices, quantities=bundles)
    theirs = prefgraph.compute_varian_index(session)
    assert theirs == pytest.approx(ccei(cost), abs=1e-5)
    assert varian(cost) == Varian(1 / 12, (0.75, 1, 1), 1 / 12, True)
