"""Largest consistent sets of models: by hand, by brute force, and three solvers beside one another."""

from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
import pytest

from rationale.revealed import costs, garp, subsets
from rationale.revealed.cycles import hit_cycles
from rationale.revealed.ordering import order_rounds
from rationale.revealed.pooled import members, pool, relations, satisfies_garp
from rationale.revealed.subset_kernels import conflict
from rationale.revealed.subsets import check_set, largest_sets
from rationale.seeds import generator

EXACT = ("enumeration", "cycles")
LEVELS = (0.25, 0.5, 0.625, 0.75, 0.875, 1.0)
# Round 0 could have had answer 1 at 10 of 12, 1 answer 2 at 12, 2 answer 0 at 12; others cost 20.
THREE_CYCLE = [[12, 10, 20], [20, 12, 12], [12, 20, 12]]


class Survey(NamedTuple):
    """The priced survey's design with S statements: corners, prices, points on each line."""

    corners: np.ndarray
    prices: np.ndarray
    lines: list[np.ndarray]


def design(statements: int, budget: int, high: int = 5) -> Survey:
    points = np.array(list(product(range(high + 1), repeat=statements)))
    extremes = np.array(list(product((0, high), repeat=statements)))
    corners = np.repeat(extremes, statements, axis=0)
    prices = np.tile(np.ones((statements,) * 2) + np.eye(statements), (len(extremes), 1))
    on_line = costs(points, corners, prices) == budget
    return Survey(corners, prices, [points[row] for row in on_line])


SURVEYS = {3: design(3, 8), 5: design(5, 12)}


def instance(seed: int, n_models: int, rounds: int, efficiency: float, statements: int = 3):
    """Pooled rounds of models that maximise a noisy utility over 100 drawn options or fewer."""
    draws, survey = generator("subsets", seed), SURVEYS[statements]
    ideals, noise = draws.uniform(0, 5, (n_models, statements)), draws.choice([0.05, 0.5, 50])
    at = draws.permutation(len(survey.lines))[: n_models * rounds]
    answers = []
    for r, ideal in zip(at, np.repeat(ideals, rounds, axis=0), strict=True):
        options = draws.permutation(survey.lines[r])[:100]
        utility = -0.5 * ((options - ideal) ** 2).mean(axis=1)
        answers.append(options[np.argmax(utility + noise * draws.gumbel(size=len(options)))])
    cost = costs(np.array(answers), survey.corners[at], survey.prices[at])
    return pool(cost, np.repeat(np.arange(n_models), rounds), efficiency)


def conflicting(pairs, n_models: int, efficiency: float = 1.0):
    """One round a model; the pairs each could have had the other's answer at 6 of their 12."""
    cost = np.where(np.eye(n_models), 12, 20)
    for a, b in pairs:
        cost[a, b] = cost[b, a] = 6
    return pool(cost, np.arange(n_models), efficiency)


def violates(cost: np.ndarray, efficiency: float) -> bool:
    """GARP_e from its definition in exact fractions: transitive closure, then strict arcs."""
    e, n = Fraction(efficiency), len(cost)
    reach = [[e * int(cost[r, r]) >= int(cost[r, k]) for k in range(n)] for r in range(n)]
    for m, r, k in product(range(n), repeat=3):
        reach[r][k] |= reach[r][m] and reach[m][k]
    pairs = product(range(n), repeat=2)
    return any(reach[k][r] and e * int(cost[r, r]) > int(cost[r, k]) for r, k in pairs)


def brute_force(pooled) -> list[tuple[int, ...]]:
    """All largest sets, every set of models tried, largest first."""
    everyone = range(pooled.models.max() + 1)
    for size in range(len(everyone), -1, -1):
        sets = []
        for kept in combinations(everyone, size):
            at = np.flatnonzero(np.isin(pooled.models, kept))
            if not violates(pooled.costs[np.ix_(at, at)], pooled.efficiency):
                sets.append(kept)
        if sets:
            return sorted(sets)


def sets_of(largest) -> list[tuple[int, ...]]:
    return sorted(map(members, largest.sets))


def check_solvers_agree(pooled) -> bool:
    """Whether ``ordering`` finished; if so, all three are right and its set is one of the ties."""
    ordering = largest_sets(pooled, solver="ordering", time_limit=20)
    if ordering.status != "optimal":
        return False
    expected = brute_force(pooled)
    assert [sets_of(largest_sets(pooled, solver=name)) for name in EXACT] == [expected] * 2
    assert sets_of(ordering)[0] in expected
    return True


@pytest.mark.parametrize("solver", subsets.SOLVERS)
def test_two_models_by_hand(solver):
    """Model 0 answers (3, 0) at prices (2, 1), model 1 answers (0, 3) at (1, 2), both from corner
    (0, 0): both spend 6. At (2, 1) the answer (0, 3) costs 3, at (1, 2) so does (3, 0): each could
    have had the other's answer at half its expenditure. Above e = 1/2 both are strict and the two
    cannot share a type; at e = 1/2 both are ties and they can.
    """
    cost = costs([[3, 0], [0, 3]], [[0, 0], [0, 0]], [[2, 1], [1, 2]])
    assert cost.tolist() == [[6, 3], [3, 6]]
    for efficiency, size in ((1, 1), (0.51, 1), (0.5, 2), (0.4, 2)):
        assert largest_sets(pool(cost, [0, 1], efficiency), solver=solver).size == size


@pytest.mark.parametrize("solver", subsets.SOLVERS)
def test_a_tie_closes_a_cycle_with_a_strict_arc(solver):
    """Model 1 answers (2, 2) instead: 6 at its prices and 6 at model 0's, a tie at e = 1, while
    (3, 0) costs it 3 of 6. A weak and a strict arc: violation at e = 1, none at e = 0.99.
    """
    cost = costs([[3, 0], [2, 2]], [[0, 0], [0, 0]], [[2, 1], [1, 2]])
    assert cost.tolist() == [[6, 6], [3, 6]]
    assert largest_sets(pool(cost, [0, 1], 1), solver=solver).size == 1
    assert largest_sets(pool(cost, [0, 1], 0.99), solver=solver).size == 2


@pytest.mark.parametrize("solver", EXACT)
def test_a_conflict_of_three_leaves_every_pair(solver):
    largest = largest_sets(pool(THREE_CYCLE, [0, 1, 2]), solver=solver)
    assert sets_of(largest) == [(0, 1), (0, 2), (1, 2)]
    assert (largest.size, largest.status, largest.listed) == (2, "optimal", True)


@pytest.mark.parametrize("solver", subsets.SOLVERS)
def test_a_model_that_violates_alone_is_in_no_set(solver):
    """Model 0 has the rounds 0 and 1, which could each have had the other's answer at 6 of 12."""
    cost = [[12, 6, 20], [6, 12, 20], [20, 20, 12]]
    assert sets_of(largest_sets(pool(cost, [0, 0, 1]), solver=solver)) == [(1,)]
    assert sets_of(largest_sets(pool(cost, [0, 0, 1]), 0b01, solver)) == [()]
    assert sets_of(largest_sets(pool(cost, [0, 0, 1]), 0, solver)) == [()]


@pytest.mark.parametrize("solver", subsets.SOLVERS)
def test_one_model_and_equal_answers(solver):
    assert sets_of(largest_sets(pool([[12]], [0]), solver=solver)) == [(0,)]
    same = pool(np.full((6, 6), 12), [0, 0, 1, 1, 2, 2])
    assert sets_of(largest_sets(same, solver=solver)) == [(0, 1, 2)]


@pytest.mark.parametrize("solver", subsets.SOLVERS)
def test_an_answer_without_cost_binds_only_kept_models(solver):
    """Answer 1 costs model 0 nothing; 0 and 1 conflict, and model 2 must not suffer for it."""
    cost = [[12, 0, 20], [6, 12, 20], [20, 20, 12]]
    assert (1, 2) in brute_force(pool(cost, [0, 1, 2]))
    assert largest_sets(pool(cost, [0, 1, 2]), solver=solver).size == 2


@pytest.mark.parametrize("efficiency", LEVELS)
def test_exact_solvers_list_what_brute_force_finds(efficiency):
    for seed in range(8):
        pooled = instance(seed, n_models=2 + seed % 4, rounds=3, efficiency=efficiency)
        expected = brute_force(pooled)
        assert [sets_of(largest_sets(pooled, solver=name)) for name in EXACT] == [expected] * 2


def test_all_solvers_agree():
    cases = [(seed, 2 + seed % 4, 2 + seed % 2, LEVELS[seed % 6]) for seed in range(36)]
    assert sum(check_solvers_agree(instance(*case)) for case in cases) > 30


@pytest.mark.slow
@pytest.mark.parametrize("statements", [3, 5])
@pytest.mark.parametrize("efficiency", LEVELS)
def test_all_solvers_agree_on_many_instances(statements, efficiency):
    """12 suites of 20 instances of 2 to 5 models."""
    cases = [(100 + k, 2 + k % 4, 2 + k % 3, efficiency, statements) for k in range(20)]
    assert sum(check_solvers_agree(instance(*case)) for case in cases) >= 18


@pytest.mark.parametrize("efficiency", [0.5, 0.75, 1.0])
def test_cycles_and_enumeration_agree_on_many_models(efficiency):
    pooled = instance(7, n_models=20, rounds=6, efficiency=efficiency, statements=5)
    enumeration, cycles = (largest_sets(pooled, solver=name) for name in EXACT)
    assert enumeration.sets == cycles.sets
    assert all(satisfies_garp(pooled, kept) for kept in cycles.sets)


def test_a_conflict_is_a_smallest_one():
    for seed in range(20):
        pooled = instance(seed, n_models=6, rounds=4, efficiency=0.75)
        found = conflict(*relations(pooled), pooled.everyone)
        assert satisfies_garp(pooled, found) == (found == 0)
        smaller = [found & ~(1 << m) for m in members(found)]
        assert all(satisfies_garp(pooled, kept) for kept in smaller)


def test_ordering_keeps_its_status_at_the_time_limit():
    pooled = instance(0, n_models=7, rounds=20, efficiency=0.75, statements=5)
    found = order_rounds(pooled, pooled.everyone, time_limit=0.01)
    assert found.status == "time limit"
    largest = largest_sets(pooled, solver="ordering", time_limit=0.01)
    assert (largest.sets, largest.listed) == ((), False)


def test_cycles_at_the_time_limit_is_consistent_and_says_so():
    pooled = instance(0, n_models=7, rounds=20, efficiency=0.75, statements=5)
    found = hit_cycles(pooled, pooled.everyone, time_limit=0)
    assert found.status == "time limit"
    assert satisfies_garp(pooled, found.kept)
    assert not largest_sets(pooled, solver="cycles", time_limit=0).listed


def test_auto_turns_to_cycles_where_enumeration_stops(monkeypatch):
    pooled = conflicting([(0, 1), (1, 2), (2, 3)], 4)
    monkeypatch.setattr(subsets, "MOST_NODES", 1)
    assert largest_sets(pooled, solver="enumeration").status == "search limit"
    largest = largest_sets(pooled)
    assert (largest.size, largest.solver, largest.status) == (2, "cycles", "optimal")
    assert not largest.listed


def test_too_many_ties_are_not_called_listed(monkeypatch):
    """Three disjoint conflicts of two models each have 8 largest sets."""
    pooled = conflicting([(0, 1), (2, 3), (4, 5)], 6)
    assert len(largest_sets(pooled).sets) == 8
    monkeypatch.setattr(subsets, "MOST_SETS", 5)
    largest = largest_sets(pooled)
    assert (largest.size, largest.status, largest.listed) == (3, "optimal", False)


def test_solvers_that_contradict_each_other_are_reported(monkeypatch):
    pooled = conflicting([(0, 1)], 3)
    monkeypatch.setattr("rationale.revealed.cycles.hit_cycles", lambda *_: (0b001, "optimal"))
    with pytest.raises(RuntimeError, match="HiGHS found"):
        largest_sets(pooled, solver="cycles")


def test_a_set_that_violates_is_refused():
    with pytest.raises(RuntimeError, match=r"kept models \(0, 1\)"):
        check_set(conflicting([(0, 1)], 3), 0b011)


def test_the_check_is_garp_on_the_rounds_of_the_set():
    pooled = instance(3, n_models=4, rounds=4, efficiency=0.75)
    for kept in range(1, 16):
        at = np.flatnonzero(np.isin(pooled.models, members(kept)))
        holds = garp(pooled.costs[np.ix_(at, at)], 0.75).holds
        assert satisfies_garp(pooled, kept) == holds
        assert bool(conflict(*relations(pooled), kept)) == (not holds)


@pytest.mark.parametrize(
    ("cost", "models", "efficiency", "message"),
    [
        (np.full((63, 63), 12), np.arange(63), 1, "0 to 61"),
        ([[12, 12], [12, 12]], [0, 2], 1, "a round of each model"),
        ([[12, 12], [12, 12]], [0], 1, "one for each of 2 rounds"),
        ([[12, 12], [12, 12]], [0, 1], 1.2, "efficiency"),
        ([[12, 12], [12, 12]], [0, -1], 1, "models"),
    ],
)
def test_pools_that_do_not_fit_are_refused(cost, models, efficiency, message):
    with pytest.raises(ValueError, match=message):
        pool(cost, models, efficiency)


def test_sixty_two_models_fit():
    assert largest_sets(conflicting([(0, 61)], 62)).size == 61


def test_an_unknown_solver_is_refused():
    with pytest.raises(ValueError, match="expected one of auto"):
        largest_sets(conflicting([], 2), solver="guess")
