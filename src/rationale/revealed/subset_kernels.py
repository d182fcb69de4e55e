"""Compiled search for sets of models whose pooled rounds satisfy GARP_e.

A set of models is a bit mask: bit m stands for model m. ``weak`` and ``strict`` are the boolean
(n, n) relations of the pooled rounds and ``models`` (n,) says whose round each is. A conflict is a
set of models whose pooled rounds violate GARP_e while those of every smaller part of it satisfy it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rationale.revealed.kernels import components, shortest_cycle
from rationale.revealed.pooled import MOST_MODELS


@njit(cache=True, nogil=True)
def walk_apart(draws, choices, n_choices, place, holder, moves):
    """Move the slots of ``place`` (n,) between rounds, ``moves`` times; each round holds one slot.

    ``choices`` (W, R) lists the rounds that model w may take in its first n_choices[w] places;
    slots are numbered model by model, equally many each; ``holder`` (R,) is the slot in each round
    or -1. A move lifts a slot chosen at random and drops it on a random round of its model; a slot
    found there is lifted and dropped in turn, until a round was free.
    """
    each = place.size // n_choices.size
    for _ in range(moves):
        slot = draws.integers(0, place.size)
        holder[place[slot]] = -1
        while slot >= 0:
            model = slot // each
            taken = choices[model, draws.integers(0, n_choices[model])]
            place[slot] = taken
            holder[taken], slot = slot, holder[taken]


@njit(cache=True, nogil=True)
def conflict(weak, strict, models, kept):
    """A conflict among the models of ``kept``, or 0 when their rounds satisfy GARP_e."""
    found = _violators(weak, strict, models, kept)
    untried = found
    while untried:
        model = untried & -untried
        untried &= ~model
        smaller = _violators(weak, strict, models, found & ~model)
        if smaller:
            found = smaller
            untried &= smaller
    return found


@njit(cache=True, nogil=True)
def _violators(weak, strict, models, kept):
    """Models on a shortest violation among the rounds of ``kept``, or 0."""
    rounds = _rounds_of(models, kept)
    relation = _part(weak, rounds)
    violations = _part(strict, rounds)
    component = components(relation)
    if not _leave_cycles(relation, violations, component):
        return np.int64(0)
    found = np.int64(0)
    for r in shortest_cycle(relation, violations):
        found |= np.int64(1) << models[rounds[r]]
    return found


@njit(cache=True, nogil=True)
def _rounds_of(models, kept):
    rounds, count = np.empty(models.size, np.int64), 0
    for r in range(models.size):
        if (kept >> models[r]) & 1:
            rounds[count] = r
            count += 1
    return rounds[:count]


@njit(cache=True, nogil=True)
def _part(relation, rounds):
    part = np.empty((rounds.size, rounds.size), np.bool_)
    for i in range(rounds.size):
        row = relation[rounds[i]]
        for k in range(rounds.size):
            part[i, k] = row[rounds[k]]
    return part


@njit(cache=True, nogil=True)
def _leave_cycles(relation, violations, component):
    """Clear the arcs that lie on no cycle; whether a violation is left."""
    left = False
    for r in range(component.size):
        for k in range(component.size):
            if component[r] != component[k]:
                relation[r, k] = False
                violations[r, k] = False
            left |= violations[r, k]
    return left


@njit(cache=True, nogil=True)
def small_conflicts(weak, strict, models, among):
    """All conflicts of one model or two within ``among``."""
    found, count, sound = np.empty(1, np.int64), 0, np.int64(0)
    for m in range(MOST_MODELS):
        model = np.int64(1) << m
        if not among & model:
            continue
        if _violators(weak, strict, models, model):
            found, count = _append(found, count, model)
            continue
        others, sound = sound, sound | model
        while others:
            other = others & -others
            others &= ~other
            if _violators(weak, strict, models, model | other):
                found, count = _append(found, count, model | other)
    return found[:count]


@njit(cache=True, nogil=True)
def apart_conflicts(weak, strict, models, kept):
    """Conflicts within ``kept`` that share no model, until the rest satisfies GARP_e."""
    found, count = np.empty(1, np.int64), 0
    next_ = conflict(weak, strict, models, kept)
    while next_:
        found, count = _append(found, count, next_)
        kept &= ~next_
        next_ = conflict(weak, strict, models, kept)
    return found[:count]


@njit(cache=True, nogil=True)
def largest_sets(weak, strict, models, among, least, most_nodes, most_sets):
    """Every largest set within ``among`` that holds no conflict, and whether the search finished.

    Only sets of at least ``least`` models are looked for. Depth first over (kept, open): all of
    kept + open is tried first, as the largest set there; if it holds a conflict, the search
    goes on without and with one model of it. Conflicts are found on the way and stay.
    Stops at ``most_nodes`` pairs or ``most_sets`` sets.
    """
    conflicts = small_conflicts(weak, strict, models, among)
    n_conflicts, sets, n_sets, size = conflicts.size, np.empty(1, np.int64), 0, least
    stack = np.empty((2 * MOST_MODELS, 2), np.int64)
    stack[0, 0], stack[0, 1], depth, nodes = 0, among, 1, 0
    while depth > 0:
        depth, nodes = depth - 1, nodes + 1
        if nodes > most_nodes:
            return sets[:n_sets], False
        kept = stack[depth, 0]
        open_ = _narrow(conflicts[:n_conflicts], kept, stack[depth, 1], size)
        while open_ >= 0 and _tightest(conflicts[:n_conflicts], kept, open_) == 0:
            found = conflict(weak, strict, models, kept | open_)
            if found:
                conflicts, n_conflicts = _append(conflicts, n_conflicts, found)
                open_ = _narrow(conflicts[:n_conflicts], kept, open_, size)
                continue
            if _count(kept | open_) > size:
                n_sets, size = 0, _count(kept | open_)
            if n_sets == most_sets:
                return sets[:n_sets], False
            sets, n_sets = _append(sets, n_sets, kept | open_)
            open_ = -1
        if open_ >= 0:
            model = _most_conflicts(conflicts[:n_conflicts], kept, open_)
            stack[depth, 0], stack[depth, 1] = kept | model, open_ & ~model
            stack[depth + 1, 0], stack[depth + 1, 1] = kept, open_ & ~model
            depth += 2
    return sets[:n_sets], True


@njit(cache=True, nogil=True)
def _narrow(conflicts, kept, open_, size):
    """``open_`` without models that ``kept`` rules out; -1 when no set of ``size`` can follow."""
    before = np.int64(-1)
    while open_ != before:
        before = open_
        for c in conflicts:
            if c & ~(kept | open_) == 0:
                left = c & ~kept
                if left == 0:
                    return np.int64(-1)
                if left & (left - 1) == 0:
                    open_ &= ~left
    lost = _least_lost(conflicts, kept, open_)
    return open_ if _count(kept | open_) - lost >= size else np.int64(-1)


@njit(cache=True, nogil=True)
def _least_lost(conflicts, kept, open_):
    """How many conflicts share no open model: each costs a model at least."""
    lost, free = 0, open_
    for c in conflicts:
        if c & ~(kept | free) == 0:
            free &= ~c
            lost += 1
    return lost


@njit(cache=True, nogil=True)
def _tightest(conflicts, kept, open_):
    """The open models of the conflict within kept + open that has fewest of them, or 0."""
    best, fewest = np.int64(0), MOST_MODELS + 1
    for c in conflicts:
        if c & ~(kept | open_) == 0 and _count(c & ~kept) < fewest:
            best, fewest = c & ~kept, _count(c & ~kept)
    return best


@njit(cache=True, nogil=True)
def _most_conflicts(conflicts, kept, open_):
    """The model of the tightest conflict that most conflicts within kept + open name."""
    candidates, best, most = _tightest(conflicts, kept, open_), np.int64(0), 0
    while candidates:
        model, named = candidates & -candidates, 0
        candidates &= ~model
        for c in conflicts:
            if c & model and c & ~(kept | open_) == 0:
                named += 1
        if named > most:
            best, most = model, named
    return best


@njit(cache=True, nogil=True)
def _count(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def _append(array, count, value):
    if count == array.size:
        longer = np.empty(2 * count + 1, np.int64)
        longer[:count] = array
        array = longer
    array[count] = value
    return array, count + 1
