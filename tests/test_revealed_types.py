"""Types: draws without shared rounds, partitions by hand, similarity, networks, verification."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from rationale.inference.intervals import wilson
from rationale.revealed import ccei, costs, types
from rationale.revealed.draws import draw_rounds_apart, largest_rho
from rationale.revealed.pooled import members, pool
from rationale.revealed.subsets import largest_sets
from rationale.revealed.types import (
    NO_ROUNDS,
    TOO_FEW,
    expected_sharing,
    merge,
    networks,
    partition,
    pool_draw,
    similarity,
    verify_types,
)
from rationale.seeds import generator

HIGH, STATEMENTS, BUDGET, SHOWN = 5, 5, 12, 100
ONE, OTHER = (0.5, 4.5, 2.5, 0.5, 4.5), (4.5, 0.5, 2.5, 4.5, 0.5)
THREE_CYCLE = [[12, 10, 20], [20, 12, 12], [12, 20, 12]]


class Model(NamedTuple):
    """What one model answered: numbers (T,), answers, corners and prices (T, S)."""

    numbers: np.ndarray
    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray

    def without(self, rounds) -> "Model":
        kept = ~np.isin(self.numbers, rounds)
        return Model(*(field[kept] for field in self))


def simulated(name, ideal, noise=0.05) -> Model:
    """A noisy utility maximiser in the moral survey, its corners flipped where q0 lies under."""
    draws, points = generator("types", name), np.array(list(product(range(HIGH + 1), repeat=5)))
    corners = np.repeat(np.array(list(product((0, HIGH), repeat=STATEMENTS))), STATEMENTS, axis=0)
    prices = np.tile(np.ones((STATEMENTS,) * 2) + np.eye(STATEMENTS), (2**STATEMENTS, 1))
    under = (prices * abs(np.round(ideal) - corners)).sum(axis=1) <= BUDGET
    corners = np.where(under[:, None], HIGH - corners, corners)
    answers = []
    for line in costs(points, corners, prices) == BUDGET:
        options = draws.permutation(points[line])[:SHOWN]
        utility = -0.5 * ((options - np.asarray(ideal)) ** 2).mean(axis=1)
        answers.append(options[np.argmax(utility + noise * draws.gumbel(size=SHOWN))])
    return Model(np.arange(1, len(corners) + 1), np.array(answers), corners, prices)


@pytest.fixture(scope="module")
def two_groups() -> list[Model]:
    return [simulated((k,), ONE if k < 3 else OTHER) for k in range(6)]


@pytest.fixture(scope="module")
def at_random() -> list[Model]:
    return [simulated(("random", k), (2.5,) * 5, noise=3) for k in range(5)]


def lowest_ccei(models) -> float:
    return min(ccei(costs(m.answers, m.corners, m.prices)) for m in models)


def conflicting(pairs, n_models: int):
    """One round a model; the pairs each could have had the other's answer at 6 of their 12."""
    cost = np.where(np.eye(n_models), 12, 20)
    for a, b in pairs:
        cost[a, b] = cost[b, a] = 6
    return pool(cost, np.arange(n_models))


# Draws


def assignments(answered, rho) -> list[tuple]:
    """Every disjoint draw, by trying all."""
    ways = product(*(combinations(sorted(rounds), rho) for rounds in answered))
    return [way for way in ways if len(set().union(*way)) == rho * len(answered)]


def check_uniform(answered, rho, n_draws) -> None:
    feasible = assignments(answered, rho)
    drawn = Counter(
        tuple(tuple(x.tolist()) for x in draw_rounds_apart(answered, rho, ("uniform", k)))
        for k in range(n_draws)
    )
    assert set(drawn) <= set(feasible)
    # One seeded run: a uniform sampler falls below this once in ten thousand seeds.
    assert chisquare([drawn[way] for way in feasible]).pvalue > 1e-4


def test_draws_are_uniform_when_all_answered_all():
    """2 of 5 rounds for each of 2 models: 10 times 3 = 30 draws."""
    assert len(assignments([range(5)] * 2, 2)) == 30
    check_uniform([range(5)] * 2, 2, 3000)


@pytest.mark.parametrize(
    ("answered", "rho", "ways"),
    [
        ([[1, 2], [2, 3], [3, 1]], 1, 2),
        ([[1, 2, 3], [3, 4, 5, 6], [1, 4, 6, 7]], 2, 16),
        ([[1, 2, 3, 4, 5, 6], [1, 2], [2, 3]], 1, 12),
    ],
)
def test_draws_are_uniform_when_rounds_are_missing(answered, rho, ways):
    """The first has two draws that no swap of two rounds connects: 1-2-3 and 2-3-1. In the second
    model 0 draws {1, 2}, {1, 3} or {2, 3}, which leaves 7, 2 and 7 ways; in the third models 1 and 2
    have 3 ways, each leaves 4 rounds to model 0.
    """
    assert len(assignments(answered, rho)) == ways
    check_uniform(answered, rho, 2000)


def brute_rho(answered, rho) -> int:
    """Hall: rho fits iff every set of models answered rho rounds a model between them."""
    sets = [c for n in range(1, len(answered) + 1) for c in combinations(answered, n)]
    return min([rho] + [len(set().union(*map(set, some))) // len(some) for some in sets])


round_lists = st.lists(st.sets(st.integers(1, 12)), min_size=1, max_size=4)


@settings(max_examples=60, deadline=None)
@given(answered=round_lists, asked=st.integers(0, 6))
def test_the_largest_rho_is_halls_and_draws_use_it(answered, asked):
    answered = [sorted(rounds) for rounds in answered]
    rho = largest_rho(answered, asked)
    assert rho == brute_rho(answered, asked)
    if not rho:
        return
    drawn = draw_rounds_apart(answered, rho, ("hall", asked))
    assert [x.shape for x in drawn] == [(rho,)] * len(answered)
    assert all(set(x.tolist()) <= set(y) for x, y in zip(drawn, answered, strict=True))
    assert np.unique(np.concatenate(drawn)).size == rho * len(answered)


def test_two_models_that_share_their_few_rounds_share_them_out():
    """Models 0 and 1 answered only rounds 1 to 5: two each fit, whatever model 2 answered."""
    answered = [range(1, 6), range(1, 6), range(1, 161)]
    assert largest_rho(answered, 20) == 2
    with pytest.raises(ValueError, match="largest that fits is 2"):
        draw_rounds_apart(answered, 3, ("few",))


@pytest.mark.parametrize(
    ("answered", "rho"), [([], 20), ([[]], 0), ([[1, 2], []], 0), ([[1]] * 2, 0), ([[4, 9]], 2)]
)
def test_the_edges_of_the_largest_rho(answered, rho):
    assert largest_rho(answered, 20) == rho


def test_forty_models_share_160_rounds_four_each():
    answered = [np.arange(160)] * 40
    assert largest_rho(answered, 20) == 4
    drawn = np.concatenate(draw_rounds_apart(answered, 4, ("forty",)))
    assert sorted(drawn.tolist()) == list(range(160))


def test_draws_follow_from_their_names():
    answered = [np.arange(160), np.arange(1, 100), np.arange(50, 160)]
    first, again, other = (draw_rounds_apart(answered, 20, ("seed", n)) for n in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_draws_refuse_what_makes_no_sense():
    assert draw_rounds_apart([], 2, ("none",)) == []
    for answered, rho, message in (
        ([[1, 2]], 0, "at least 1"),
        ([[1, 1]], 1, "no round twice"),
        ([[1.5]], 1, "integers"),
    ):
        with pytest.raises(ValueError, match=message):
            draw_rounds_apart(answered, rho, ("bad",))


# Partitions


def test_a_partition_takes_the_largest_set_first():
    """Of three models no pair conflicts, all three do; `first` keeps 0 and 1."""
    found = partition(pool(THREE_CYCLE, [0, 1, 2]))
    assert found.labels.tolist() == [0, 0, 1]
    assert (found.sizes, found.statuses, found.listed) == ((2, 1), ("optimal",) * 2, True)


def test_models_that_violate_alone_are_types_of_their_own():
    """Models 0 and 2 each have two rounds that violate GARP; model 1 has one round."""
    cost = np.where(np.eye(5), 12, 20)
    cost[0, 1] = cost[1, 0] = cost[3, 4] = cost[4, 3] = 6
    found = partition(pool(cost, [0, 0, 1, 2, 2]))
    assert (found.labels.tolist(), found.sizes) == ([1, 0, 2], (1, 1, 1))


def test_random_ties_are_uniform():
    """Each of the three pairs is as likely; 900 draws, chi-square with 2 degrees of freedom."""
    pooled, draws = pool(THREE_CYCLE, [0, 1, 2]), generator("ties")
    alone = Counter(int(np.argmax(partition(pooled, "random", draws).labels)) for _ in range(900))
    assert chisquare([alone[m] for m in range(3)]).pvalue > 1e-4


def test_averaged_ties_by_hand():
    """Conflicts 0-1, 1-2, 2-3. Largest sets: {0, 2}, {0, 3}, {1, 3}, a third each. After {0, 2}
    comes {1, 3}, after {1, 3} comes {0, 2}; after {0, 3} the rest, 1 and 2, conflicts. So 0 and 2
    share a type with 2/3, so do 1 and 3; 0 and 3 with 1/3.
    """
    shared, exact = expected_sharing(conflicting([(0, 1), (1, 2), (2, 3)], 4), generator("x"))
    two, one = 2 / 3, 1 / 3
    expected = [[1, 0, two, one], [0, 1, 0, two], [two, 0, 1, 0], [one, two, 0, 1]]
    assert np.allclose(shared, expected, atol=1e-12)
    assert exact


def test_averaged_ties_are_what_random_ties_tend_to():
    """Over 2,000 partitions the standard error of a share is at most 0.011; four of them."""
    pooled, draws = conflicting([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 3)], 6), generator("m")
    labels = np.array([partition(pooled, "random", draws).labels for _ in range(2000)])
    together = (labels[:, :, None] == labels[:, None, :]).mean(axis=0)
    assert abs(together - expected_sharing(pooled, draws)[0]).max() < 0.045


def test_thinned_ways_stay_without_bias(monkeypatch):
    """Seven conflicts in a ring leave more than 4 rests at a step; following 4 keeps the mean."""
    pooled = conflicting([(k, (k + 1) % 7) for k in range(7)], 7)
    exactly, exact = expected_sharing(pooled, generator("all"))
    monkeypatch.setattr(types, "MOST_WAYS", 4)
    thinned = [expected_sharing(pooled, generator("thin", k)) for k in range(300)]
    assert exact
    assert not any(kept for _, kept in thinned)
    # A share varies by less than 0.5 between runs: the mean of 300 by less than 0.03.
    assert abs(np.mean([shared for shared, _ in thinned], axis=0) - exactly).max() < 0.1


def brute_partitions(pooled, left) -> list[frozenset]:
    """Every way to take a largest set out, then the rest."""
    if not left:
        return [frozenset()]
    sets = largest_sets(pooled, left).sets
    return [
        rest | {members(kept)} for kept in sets for rest in brute_partitions(pooled, left & ~kept)
    ]


def test_partitions_under_any_ties_are_ways_to_divide():
    for pairs in permutations([(0, 1), (1, 2), (2, 3), (0, 4)], 3):
        pooled, draws = conflicting(pairs, 5), generator("ways", pairs)
        ways = brute_partitions(pooled, pooled.everyone)
        for ties in ("first", "random"):
            labels = partition(pooled, ties, draws).labels
            types_ = {tuple(np.flatnonzero(labels == k).tolist()) for k in set(labels.tolist())}
            assert frozenset(types_) in ways


def test_a_partition_says_when_no_solver_had_time(at_random):
    rounds = draw_rounds_apart([m.numbers for m in at_random], 20, ("late",))
    pooled = pool_draw(at_random, rounds, 0.5)
    found = partition(pooled, solver="ordering", time_limit=0.01)
    assert (set(found.labels.tolist()), found.sizes) == ({-1}, ())


def test_other_ties_are_refused(two_groups):
    with pytest.raises(ValueError, match="random and a generator"):
        partition(conflicting([], 2), "random")
    with pytest.raises(ValueError, match="expected one of random"):
        similarity(two_groups, 0.7, 4, 1, ("x",), ties="last")


# Similarity


@pytest.fixture(scope="module")
def similar(two_groups):
    return similarity(two_groups, lowest_ccei(two_groups), 20, 60, ("groups",))


def test_two_groups_of_respondents_are_told_apart(similar):
    """Three with one ideal and three with another share types within, and never across."""
    within = np.kron(np.eye(2), np.ones((3, 3))).astype(bool)
    assert similar.shares[within].min() > 0.25
    assert similar.shares[~within].max() < 0.1
    found = networks(similar.shares, [0.75])[0]
    assert found.components == ((0, 1, 2), (3, 4, 5))
    assert (found.degrees, found.isolated) == ((2,) * 6, ())


def test_similarity_is_symmetric_and_one_with_oneself(similar):
    assert np.array_equal(similar.shares, similar.shares.T)
    assert (similar.shares.diagonal() == 1).all()
    assert similar.proven.all()
    assert similar.listed.all()


def test_chunks_in_any_order_merge_to_the_whole(two_groups, similar):
    parts = [range(30, 60), [0], range(1, 30)]
    efficiency = lowest_ccei(two_groups)
    merged = merge([similarity(two_groups, efficiency, 20, p, ("groups",)) for p in parts])
    for name in ("numbers", "rounds", "labels", "shared", "proven", "listed"):
        assert np.array_equal(getattr(merged, name), getattr(similar, name))


def test_chunks_that_do_not_belong_together_are_refused(similar):
    with pytest.raises(ValueError, match="every draw once"):
        merge([similar, similar])
    with pytest.raises(ValueError, match="same settings"):
        merge([similar, replace(similar, rho=3)])
    with pytest.raises(ValueError, match="at least one"):
        merge([])


def test_solvers_give_the_same_similarity(at_random):
    found = [similarity(at_random, 0.5, 8, 15, ("s",), solver=s) for s in ("enumeration", "cycles")]
    assert np.array_equal(found[0].labels, found[1].labels)


def test_averaged_similarity_counts_expectations(at_random):
    found = similarity(at_random, 0.5, 8, 40, ("s",), ties="average")
    random = similarity(at_random, 0.5, 8, 40, ("s",), ties="random")
    assert found.listed.all()
    assert (found.shared % 1 > 0).any()
    # Ties move a draw's entry by at most 1; 40 draws' mean by four standard errors of 0.5/sqrt(40).
    assert abs(found.shares - random.shares).max() < 0.32


def test_equal_answers_are_always_of_one_type(two_groups):
    models = [m._replace(answers=np.full_like(m.answers, 2)) for m in two_groups]
    found = similarity(models, 1.0, 20, 5, ("equal",))
    assert (found.shares == 1).all()


@pytest.mark.parametrize("n_models", [0, 1])
def test_fewer_than_two_models_give_an_empty_result_that_says_so(two_groups, n_models):
    found = similarity(two_groups[:n_models], 0.7, 20, 500, ("few",))
    assert (found.status, found.draws, found.rho_asked) == (TOO_FEW, 0, 20)
    assert found.shares.shape == (n_models, n_models)
    assert np.isnan(found.shares).all()
    assert np.isnan(found.intervals().low).all()
    assert merge([found, found]).status == TOO_FEW
    assert len(networks(found.shares, [0.7])[0].isolated) == n_models
    assert verify_types(two_groups[:n_models], found).types == 0


def test_models_without_disjoint_rounds_give_an_empty_result_that_says_so(two_groups):
    one_round = [m.without(range(2, 161)) for m in two_groups[:2]]
    found = similarity(one_round, 0.7, 20, 10, ("none",))
    assert (found.status, found.rho, found.draws) == (NO_ROUNDS, 0, 0)


def test_missing_rounds_are_never_drawn(two_groups):
    """Models 0 to 4 answered the 80 even rounds only: 16 each."""
    models = [*(m.without(range(1, 161, 2)) for m in two_groups[:5]), two_groups[5]]
    found = similarity(models, 0.7, 20, 5, ("missing",))
    assert found.rho == 16
    assert verify_types(models, found).misdrawn == ()


def test_no_draws_asked_is_no_error(two_groups):
    found = similarity(two_groups, 0.7, 20, 0, ("no",))
    assert (found.status, found.draws, found.rho) == ("done", 0, 20)


def test_draws_without_types_do_not_count(at_random):
    found = similarity(at_random, 0.5, 20, 2, ("t",), solver="ordering", time_limit=0.01)
    assert (found.draws, len(found.labels)) == (0, 2)
    assert np.isnan(found.shares).all()


def test_intervals_are_wilsons(similar):
    low, high = similar.intervals(0.9)
    expected = wilson(similar.shared[0, 1], 60, 0.9)
    assert (low[0, 1], high[0, 1]) == expected


def test_forty_models_take_four_rounds_each():
    """160 rounds, 40 models; ten answered sets, each given to four models."""
    ten = [simulated(("forty", k), generator("ideal", k).uniform(0, 5, 5), 0.3) for k in range(10)]
    models = ten * 4
    found = similarity(models, 0.65, 20, 5, ("forty",))
    assert (found.rho, found.rounds.shape) == (4, (5, 40, 4))
    assert found.proven.all()
    assert verify_types(models, found)[1:] == (0, (), ())


# Verification


def test_every_type_of_every_draw_satisfies_garp(two_groups, similar):
    found = verify_types(two_groups, similar)
    assert found.types == (similar.labels.max(axis=1) + 1).sum()
    assert (found.violations, found.misdrawn) == ((), ())


def test_verification_finds_a_wrong_type_and_a_wrong_draw(two_groups, similar):
    merged = np.zeros_like(similar.labels)
    wrong = verify_types(two_groups, replace(similar, labels=merged))
    assert wrong.violations == tuple((n, 0) for n in range(60))
    rounds = similar.rounds.copy()
    rounds[3, 0, 0] = rounds[3, 1, 0]
    assert verify_types(two_groups, replace(similar, rounds=rounds)).misdrawn == (3,)


def test_violators_count_as_alone(at_random):
    found = similarity(at_random, 1.0, 20, 3, ("alone",))
    verified = verify_types(at_random, found)
    assert verified.alone > 0
    assert verified.violations == ()


# Networks


def test_links_by_hand():
    """150 of 500 is 0.3 = 1 - 0.7 exactly, though 1 - 0.7 is above 0.3 in binary. At alpha = 0.65
    the link needs 0.35: only 1 and 2 have it.
    """
    shares = np.array([[500, 150, 100], [150, 500, 175], [100, 175, 500]]) / 500
    loose, strict = networks(shares, [0.7, 0.65])
    assert (loose.components, loose.degrees, loose.isolated) == (((0, 1, 2),), (1, 2, 1), ())
    assert (strict.components, strict.degrees, strict.isolated) == (((1, 2), (0,)), (0, 1, 1), (0,))
    assert loose.graph.edges[0, 1]["share"] == 0.3


def test_networks_refuse_what_makes_no_sense():
    with pytest.raises(ValueError, match="alpha"):
        networks(np.eye(2), [1.5])
    with pytest.raises(ValueError, match=r"expected \(W, W\)"):
        networks(np.ones((2, 3)), [0.7])
