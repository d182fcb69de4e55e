"""Exact equality with slow, independent code that follows the definitions in fractions.

Here equal answers are related by their labels, as the definition says; the package needs none.
"""

from fractions import Fraction
from itertools import pairwise, product
from math import inf

import networkx as nx
import numpy as np

from rationale.revealed import ccei, ccei_of_choices, check_witness, critical_cycle, garp


def random_data(seed, most=9):
    """Costs of a few answers in 2 to most - 1 rounds, and choices, with many ties and repeats."""
    rng = np.random.default_rng(seed)
    n_rounds, n_answers = rng.integers(2, most, 2)
    costs = rng.integers(0, rng.choice([4, 12, 40]) + 1, (n_rounds, n_answers))
    if seed % 3 == 0:
        costs = np.round(costs * rng.random(costs.shape), 3)
    choices = rng.integers(0, n_answers, n_rounds)
    own = np.arange(n_rounds), choices
    costs[own] = np.maximum(costs[own], 1)
    return costs, choices


DATA = [random_data(seed) for seed in range(300)]


def slow_ratios(costs, choices):
    rows = zip(costs.tolist(), choices, strict=True)
    return [[Fraction(row[k]) / Fraction(row[own]) for k in choices] for row, own in rows]


def slow_graph(costs, choices, efficiency):
    """Weak relations at an efficiency for each round, equal answers included."""
    graph, ratios = nx.DiGraph(), slow_ratios(costs, choices)
    for r, k in product(range(len(choices)), repeat=2):
        if ratios[r][k] <= efficiency[r] or choices[r] == choices[k]:
            graph.add_edge(r, k, strict=ratios[r][k] < efficiency[r])
    return graph


def slow_garp(costs, choices, efficiency):
    graph = slow_graph(costs, choices, efficiency)
    parts = {r: i for i, part in enumerate(nx.strongly_connected_components(graph)) for r in part}
    return not any(parts[r] == parts[k] for r, k, strict in graph.edges(data="strict") if strict)


def slow_ccei(costs, choices):
    """Minimax closure (Floyd and Warshall) over distinct answers, equal answers merged."""
    ratios, nodes = slow_ratios(costs, choices), range(max(choices) + 1)
    path = {pair: inf for pair in product(nodes, repeat=2)}
    for r, k in product(range(len(choices)), repeat=2):
        if choices[r] != choices[k]:
            arc = choices[r], choices[k]
            path[arc] = min(path[arc], ratios[r][k])
    for via, start, end in product(nodes, repeat=3):
        path[start, end] = min(path[start, end], max(path[start, via], path[via, end]))
    return float(min(1, *(path[node, node] for node in nodes)))


def slow_ccei_by_definition(costs, choices):
    """Supremum of the e in (0, 1] where GARP_e holds: it changes at cost ratios only."""
    ratios = {x for row in slow_ratios(costs, choices) for x in row if x < 1} | {0, 1}
    gaps = [(high, (low + high) / Fraction(2)) for low, high in pairwise(sorted(ratios))]
    good = [high for high, e in gaps if slow_garp(costs, choices, [e] * len(choices))]
    return float(max(good, default=0))


def test_the_ccei_equals_the_slow_one():
    for costs, choices in DATA:
        assert ccei(costs[:, choices]) == slow_ccei(costs, choices)


def test_the_ccei_equals_the_definition_tried_between_all_ratios():
    for costs, choices in DATA:
        assert ccei(costs[:, choices]) == slow_ccei_by_definition(costs, choices)


def test_the_ccei_of_many_rounds_equals_the_slow_one():
    for costs, choices in (random_data(seed, most=40) for seed in range(20)):
        assert ccei_of_choices(costs, choices[None])[0] == slow_ccei(costs, choices)


def test_garp_equals_the_slow_one_at_every_tie():
    for costs, choices in DATA:
        for e in {x for row in slow_ratios(costs, choices) for x in row if x <= 1}:
            slow = slow_garp(costs, choices, [e] * len(choices))
            assert garp(costs[:, choices], float(e)).holds == slow


def test_garp_with_an_efficiency_a_round_equals_the_slow_one():
    rng = np.random.default_rng(1)
    for costs, choices in DATA:
        e = rng.integers(0, 5, len(choices)) / 4
        assert garp(costs[:, choices], e).holds == slow_garp(costs, choices, e.tolist())


def test_no_violation_is_shorter_than_the_witness():
    for costs, choices in DATA:
        graph = slow_graph(costs, choices, [1] * len(choices))
        arcs = (list(pairwise([*cycle, cycle[0]])) for cycle in nx.simple_cycles(graph))
        bad = [len(steps) for steps in arcs if any(graph.edges[arc]["strict"] for arc in steps)]
        assert len(garp(costs[:, choices]).cycle) == min(bad, default=0)


def test_every_witness_checks():
    for costs, choices in DATA:
        found = garp(costs[:, choices])
        assert found.holds or check_witness(costs[:, choices], found.cycle)


def test_the_critical_cycle_shows_its_own_ratios_and_no_answer_twice():
    for costs, choices in DATA:
        ratios, cycle = slow_ratios(costs, choices), critical_cycle(costs[:, choices])
        steps = zip(cycle.rounds, (*cycle.rounds[1:], *cycle.rounds[:1]), strict=True)
        assert list(cycle.ratios) == [float(ratios[r][k]) for r, k in steps]
        assert len({choices[r] for r in cycle.rounds}) == len(cycle.rounds)


def test_the_largest_ratio_of_the_critical_cycle_is_the_ccei():
    for costs, choices in DATA:
        cycle = critical_cycle(costs[:, choices])
        assert max(cycle.ratios, default=1) == ccei(costs[:, choices])
