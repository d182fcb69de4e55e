"""Compiled loops of this package; callers check their input first.

Imported when a public function first needs it: numba takes about half a second to load.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def priced_costs(points, corners, prices):
    """(M, T) cost of every point (M, S) from the corner and at the prices of every round (S, T)."""
    costs = np.zeros((points.shape[0], corners.shape[1]))
    for m in range(points.shape[0]):
        row = costs[m]
        for s in range(points.shape[1]):
            for r in range(row.size):
                row[r] += prices[s, r] * abs(points[m, s] - corners[s, r])
    return costs


@njit(cache=True, nogil=True)
def ccei_of_choices(costs, choices):
    """(N,) CCEI of N data sets that took answer choices[n, r] in round r; costs (M, T).

    A cycle with all ratios below t exists iff there is a set of rounds in which each round
    has a ratio below t to some round of the set. So each round points at the cheapest round
    left; following the pointers closes a cycle, whose largest ratio bounds the CCEI from above;
    rounds with no ratio below the bound lie on no better cycle and leave. The round that set the
    bound is always among them. When no round is left, the bound is the CCEI.
    """
    n_sets, n_rounds = choices.shape
    indices = np.empty(n_sets)
    own, cheapest = np.empty(n_rounds), np.empty(n_rounds)
    rounds, pointer = np.empty(n_rounds, np.int64), np.empty(n_rounds, np.int64)
    for n in range(n_sets):
        for r in range(n_rounds):
            own[r] = costs[choices[n, r], r]
            rounds[r] = r
        indices[n] = _ccei(costs, choices[n], own, rounds, cheapest, pointer)
    return indices


@njit(cache=True, nogil=True)
def _ccei(costs, choice, own, rounds, cheapest, pointer):
    bound = 1.0
    while rounds.size > 0:
        _find_cheapest(costs, choice, rounds, cheapest)
        bound = min(bound, _cycle_bound(costs, choice, own, rounds, cheapest, pointer))
        kept = 0
        for r in rounds:
            if cheapest[r] / own[r] < bound:
                rounds[kept] = r
                kept += 1
        rounds = rounds[:kept]
    return bound


# Without NaN and signed zero the minimum compiles to vector instructions; costs hold neither.
@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _find_cheapest(costs, choice, rounds, cheapest):
    cheapest[:] = np.inf
    for k in rounds:
        row = costs[choice[k]]
        for r in range(row.size):
            cheapest[r] = min(cheapest[r], row[r])


@njit(cache=True, nogil=True)
def _cycle_bound(costs, choice, own, rounds, cheapest, pointer):
    for r in rounds:
        pointer[r] = -1
    start = rounds[0]
    while pointer[start] < 0:
        pointer[start] = _cheapest_round(costs, choice, rounds, start, cheapest[start])
        start = pointer[start]
    bound, r = cheapest[start] / own[start], pointer[start]
    while r != start:
        bound, r = max(bound, cheapest[r] / own[r]), pointer[r]
    return bound


@njit(cache=True, nogil=True)
def _cheapest_round(costs, choice, rounds, r, cost):
    for k in rounds:
        if costs[choice[k], r] == cost:
            return k
    return -1


@njit(cache=True, nogil=True)
def components(relation):
    """(T,) equal numbers for rounds of one strongly connected component; relation (T, T) boolean.

    Tarjan's algorithm. ``path`` is the depth-first path, ``open_`` the rounds whose component is
    not yet known, ``low`` the earliest of them that a round is known to reach.
    """
    n_rounds = relation.shape[0]
    component, entered = np.full(n_rounds, -1), np.full(n_rounds, -1)
    low, cursor = np.empty(n_rounds, np.int64), np.zeros(n_rounds, np.int64)
    path, open_ = np.empty(n_rounds, np.int64), np.empty(n_rounds, np.int64)
    n_entered, n_open = 0, 0
    for root in range(n_rounds):
        depth, r = 0, root
        while entered[root] < 0 or depth > 0:
            if entered[r] < 0:
                entered[r], low[r], path[depth], open_[n_open] = n_entered, n_entered, r, r
                n_entered, depth, n_open = n_entered + 1, depth + 1, n_open + 1
            r = _next_entry(relation, path[depth - 1], cursor, entered, component, low)
            if r < 0:
                depth -= 1
                if low[path[depth]] == entered[path[depth]]:
                    n_open = _close(path[depth], open_, n_open, component)
                elif depth > 0:
                    low[path[depth - 1]] = min(low[path[depth - 1]], low[path[depth]])
                r = path[max(depth - 1, 0)]
    return component


@njit(cache=True, nogil=True)
def _next_entry(relation, r, cursor, entered, component, low):
    """Next round that r leads to and that is not entered yet, or -1; lowers r's ``low``."""
    while cursor[r] < cursor.size:
        k = cursor[r]
        cursor[r] += 1
        if relation[r, k] and component[k] < 0:
            if entered[k] < 0:
                return k
            low[r] = min(low[r], entered[k])
    return -1


@njit(cache=True, nogil=True)
def _close(r, open_, n_open, component):
    """Name r's component after r and take its rounds off ``open_``; returns how many stay."""
    while component[r] < 0:
        n_open -= 1
        component[open_[n_open]] = r
    return n_open


@njit(cache=True, nogil=True)
def shortest_cycle(relation, closing):
    """A shortest cycle of ``relation`` whose first arc is in ``closing``; empty if there is none.

    Both are boolean (T, T), ``closing`` false on the diagonal and part of ``relation``. Of several
    cycles, the first by the round that it starts from.
    """
    n_rounds = relation.shape[0]
    best = np.empty(0, np.int64)
    parent, queue = np.empty(n_rounds, np.int64), np.empty(n_rounds, np.int64)
    for first in range(n_rounds):
        longest = best.size - 1 if best.size > 0 else n_rounds
        last = _search(relation, closing, first, longest, parent, queue)
        if last >= 0:
            best = _cycle_to(last, first, parent)
        if best.size == 2:
            break
    return best


@njit(cache=True, nogil=True)
def _search(relation, closing, first, longest, parent, queue):
    """Last round of a shortest cycle from ``first`` of at most ``longest`` rounds, or -1."""
    parent[:] = -1
    parent[first], queue[0] = first, first
    head, tail, size = 0, 1, 1
    while head < tail and size < longest:
        size += 1
        for _ in range(tail - head):
            r = queue[head]
            head += 1
            arcs = closing[r] if r == first else relation[r]
            for k in range(parent.size):
                if arcs[k] and parent[k] < 0:
                    parent[k] = r
                    if relation[k, first]:
                        return k
                    queue[tail] = k
                    tail += 1
    return -1


@njit(cache=True, nogil=True)
def _cycle_to(last, first, parent):
    size, r = 1, last
    while r != first:
        size, r = size + 1, parent[r]
    cycle, r = np.empty(size, np.int64), last
    for i in range(size - 1, -1, -1):
        cycle[i], r = r, parent[r]
    return cycle
