"""Compiled loops of the indices; callers check their input first."""

from __future__ import annotations

import numpy as np
from numba import njit

from rationale.revealed.kernels import components

# Longer paths lose ties, and no cycle of paths costs nothing.
STEP = 1e-7
# Gains of fractions that are smaller may be rounding; gains of whole numbers are not smaller.
ROUNDING = 1e-12


@njit(cache=True, nogil=True)
def shortest_paths(length):
    """(T, T) lengths of shortest paths and (T, T) the round that each goes to first, or -1.

    Floyd and Warshall's algorithm; ``length`` is infinite where there is no arc.
    """
    n_rounds = length.shape[0]
    path, first = length.copy(), np.full(length.shape, -1)
    for r in range(n_rounds):
        for k in range(n_rounds):
            if length[r, k] < np.inf:
                first[r, k] = k
    for via in range(n_rounds):
        for r in range(n_rounds):
            to_via = path[r, via]
            if to_via == np.inf:
                continue
            for k in range(n_rounds):
                if to_via + path[via, k] < path[r, k] - STEP / 1000:
                    path[r, k] = to_via + path[via, k]
                    first[r, k] = first[r, via]
    return path, first


@njit(cache=True, nogil=True)
def light_cycles(relation, closing, weight, most):
    """Cycles of ``relation`` with an arc in ``closing`` and a weight below 1, the lightest first.

    weight (T, T) >= 0. An arc is closing arc of one cycle at most and of none if an earlier cycle
    holds it. Returns rounds, and where each cycle starts in them, with the end at the end.
    """
    n_rounds = relation.shape[0]
    length = np.where(relation, weight + STEP, np.inf)
    path, first = shortest_paths(length)
    total = np.where(closing, length + path.T, np.inf).ravel()
    light = np.flatnonzero(total < 1 - 1000 * STEP)
    light = light[np.argsort(total[light], kind="mergesort")]
    used = np.zeros((n_rounds, n_rounds), np.bool_)
    rounds, starts = [0 for _ in range(0)], [0]
    for arc in light:
        r, k = arc // n_rounds, arc % n_rounds
        if used[r, k]:
            continue
        last, step = r, k
        while True:
            rounds.append(last)
            used[last, step] = True
            if step == r:
                break
            last, step = step, first[step, r]
        starts.append(len(rounds))
        if len(starts) > most:
            break
    return np.array(rounds), np.array(starts)


def split(rounds, starts):
    """The cycles of ``light_cycles`` as a list of arrays."""
    return np.split(rounds, starts[1:-1]) if len(rounds) else []


@njit(cache=True, nogil=True)
def peeled(strength):
    """(T,) order: next comes who is least preferred by those left; then who prefers most."""
    n_rounds = strength.shape[0]
    order, left = np.empty(n_rounds, np.int64), np.ones(n_rounds, np.bool_)
    into, out = strength.sum(axis=0), strength.sum(axis=1)
    for place in range(n_rounds):
        best = -1
        for r in range(n_rounds):
            if left[r] and (best < 0 or (into[r], -out[r]) < (into[best], -out[best])):
                best = r
        order[place], left[best] = best, False
        into -= strength[best]
        out -= strength[:, best]
    return order


@njit(cache=True, nogil=True)
def improve_order(loss, order, largest):
    """Move one round at a time to its best place while that lowers the loss; changes ``order``.

    The loss of a round r is the sum of loss[r, k] over the k placed before it, or the largest.
    """
    n_rounds = order.size
    base, others = np.empty(n_rounds - 1), np.empty(n_rounds - 1, np.int64)
    moved = True
    while moved:
        moved = False
        for v in range(n_rounds):
            place = _take_out(order, v, others)
            _losses(loss, others, largest, base)
            better = _best_place(loss, others, base, v, place, largest)
            if better != place:
                moved = True
            order[:better] = others[:better]
            order[better] = v
            order[better + 1 :] = others[better:]


@njit(cache=True, nogil=True)
def _take_out(order, v, others):
    n, place = 0, 0
    for i in range(order.size):
        if order[i] == v:
            place = i
        else:
            others[n] = order[i]
            n += 1
    return place


@njit(cache=True, nogil=True)
def _losses(loss, others, largest, base):
    """Loss of every round of ``others``, into ``base``."""
    for i in range(others.size):
        row, total = loss[others[i]], 0.0
        for j in range(i):
            total = _joined(total, row[others[j]], largest)
        base[i] = total


@njit(cache=True, nogil=True)
def _best_place(loss, others, base, v, place, largest):
    """Where among ``others`` round v costs least; ``place`` unless another place is better."""
    after = 0.0
    for i in range(others.size):
        after += _joined(base[i], loss[others[i], v], largest) - base[i]
    own, best, least, here = 0.0, 0, after, after
    for i in range(others.size):
        after -= _joined(base[i], loss[others[i], v], largest) - base[i]
        own = _joined(own, loss[v, others[i]], largest)
        if after + own < least - 1e-9:
            least, best = after + own, i + 1
        if i + 1 == place:
            here = after + own
    return best if least < here - 1e-9 else place


@njit(cache=True, nogil=True)
def _joined(total, one, largest):
    return max(total, one) if largest else total + one


@njit(cache=True, nogil=True)
def keep_in_turn(weak, strict, kept, order):
    """Add rounds of ``order`` to ``kept`` (T,) boolean while the kept ones satisfy GARP."""
    for r in order:
        if not kept[r]:
            kept[r] = True
            kept[r] = _consistent(weak, strict, np.flatnonzero(kept))


@njit(cache=True, nogil=True)
def _consistent(weak, strict, rounds):
    n = rounds.size
    relation = np.empty((n, n), np.bool_)
    for i in range(n):
        for j in range(n):
            relation[i, j] = weak[rounds[i], rounds[j]]
    component = components(relation)
    for i in range(n):
        for j in range(n):
            if strict[rounds[i], rounds[j]] and component[i] == component[j]:
                return False
    return True


@njit(cache=True, nogil=True)
def best_pump(saving, own):
    """A cycle of arcs with saving >= 0 and the largest sum of saving over sum of own; or none.

    Dinkelbach's method: while some cycle saves more than ``rate`` of what it spends, its own rate
    is the next. Rates are kept as fractions, so whole numbers stay exact.
    """
    best, saved, spent = np.empty(0, np.int64), 0.0, 1.0
    while True:
        cycle = _gaining_cycle(saving * spent, own * saved)
        if cycle.size == 0:
            return best
        more, cost = pumped(saving, own, cycle)
        if more * spent <= saved * cost:
            return best
        best, saved, spent = cycle, more, cost


@njit(cache=True, nogil=True)
def pumped(saving, own, cycle):
    """What the arcs of a cycle save and what its rounds spend."""
    saved, spent = 0.0, 0.0
    for i in range(cycle.size):
        saved += saving[cycle[i], cycle[(i + 1) % cycle.size]]
        spent += own[cycle[i]]
    return saved, spent


@njit(cache=True, nogil=True)
def _gaining_cycle(saving, price):
    """A cycle of arcs with saving >= 0 that saves more than its rounds' prices; empty if none.

    Bellman and Ford's algorithm for longest paths: a circle in the parents is such a cycle.
    """
    n_rounds = price.size
    gain, parent = np.zeros(n_rounds), np.full(n_rounds, -1)
    rounding = ROUNDING * (saving.max() + price.max())
    changed = True
    while changed:
        changed = False
        for r in range(n_rounds):
            base = gain[r] - price[r]
            for k in range(n_rounds):
                if saving[r, k] >= 0 and base + saving[r, k] > gain[k] + rounding:
                    gain[k], parent[k], changed = base + saving[r, k], r, True
        cycle = _circle(parent)
        if cycle.size > 0:
            return cycle
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def _circle(parent):
    """The rounds of a circle in the parents, each followed by its child; empty if there is none."""
    n_rounds = parent.size
    seen = np.full(n_rounds, -1)
    for start in range(n_rounds):
        r = start
        while r >= 0 and seen[r] < 0:
            seen[r] = start
            r = parent[r]
        if r >= 0 and seen[r] == start:
            return _round_trip(parent, r)
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def _round_trip(parent, end):
    size, r = 1, parent[end]
    while r != end:
        size, r = size + 1, parent[r]
    cycle, r = np.empty(size, np.int64), end
    for i in range(size - 1, -1, -1):
        cycle[i], r = r, parent[r]
    return cycle
