"""The largest set of models whose pooled rounds satisfy GARP_e: three exact ways and all ties."""

from __future__ import annotations

from typing import NamedTuple

from rationale.revealed.pooled import Pool, members, relations, satisfies_garp

SOLVERS = ("auto", "cycles", "enumeration", "ordering")
UNFINISHED = "search limit"
# Seconds, not minutes: 7 models need some ten pairs of sets, 40 models some ten thousand.
MOST_NODES = 2_000_000
MOST_SETS = 65_536


class Largest(NamedTuple):
    """The largest sets found.

    ``sets`` are bit masks in ascending order, ``solver`` is the one that proved their size and
    ``status`` what it says: ``optimal``, or why the size is not proven. ``listed`` tells whether
    ``sets`` holds every largest set. Empty when the solver found none in time.
    """

    sets: tuple[int, ...]
    size: int
    solver: str
    status: str
    listed: bool


def largest_sets(
    pooled: Pool, among: int | None = None, solver: str = "auto", time_limit: float = 60.0
) -> Largest:
    """Largest sets of models within ``among`` whose pooled rounds satisfy GARP_e.

    Parameters
    ----------
    pooled : rounds of at most 62 models.
    among : set of models to choose from; all when None.
    solver : ``enumeration`` branches from the largest set down and lists all ties; ``cycles``
        proves the size on HiGHS, then lists the ties of that size; ``ordering`` is the paper's
        program and gives one largest set; ``auto`` takes ``enumeration``, the faster of the first
        two at every size measured, and ``cycles`` where it reaches its limit of 2 million nodes.
    time_limit : seconds for HiGHS.

    Each listing stops at 65,536 sets. Raises ValueError for an unknown solver and RuntimeError
    when two solvers contradict each other.
    Source: Moral Minds, equation 5.
    """
    among = pooled.everyone if among is None else among & pooled.everyone
    if solver not in SOLVERS:
        raise ValueError(f"solver: expected one of {', '.join(SOLVERS)}; found {solver!r}.")
    if not among:
        return Largest((0,), 0, solver, "optimal", True)
    if solver == "ordering":
        return _by_ordering(pooled, among, time_limit)
    if solver == "cycles":
        return _by_cycles(pooled, among, time_limit)
    found = _by_enumeration(pooled, among)
    if solver == "enumeration" or found.status == "optimal":
        return found
    return _by_cycles(pooled, among, time_limit)


def check_set(pooled: Pool, kept: int) -> None:
    """Raise RuntimeError unless the rounds of the models in ``kept`` satisfy ``garp``."""
    if not satisfies_garp(pooled, kept):
        raise RuntimeError(
            f"A solver kept models {members(kept)}, whose pooled rounds violate GARP at "
            f"e = {pooled.efficiency}. Please report this with the data."
        )


def _by_ordering(pooled: Pool, among: int, time_limit: float) -> Largest:
    from rationale.revealed.ordering import order_rounds

    kept, status = order_rounds(pooled, among, time_limit)
    if kept is None:
        return Largest((), 0, "ordering", status, False)
    return Largest((kept,), kept.bit_count(), "ordering", status, False)


def _by_cycles(pooled: Pool, among: int, time_limit: float) -> Largest:
    from rationale.revealed.cycles import hit_cycles

    kept, status = hit_cycles(pooled, among, time_limit)
    size = kept.bit_count()
    if status != "optimal":
        return Largest((kept,), size, "cycles", status, False)
    sets, finished = _enumerate(pooled, among, size)
    if any(s.bit_count() != size for s in sets) or (finished and kept not in sets):
        raise RuntimeError(
            f"HiGHS found {members(kept)}, enumeration {[*map(members, sets[:5])]}. "
            "Please report this with the data."
        )
    return Largest(tuple(sorted({kept, *sets})), size, "cycles", status, finished)


def _by_enumeration(pooled: Pool, among: int) -> Largest:
    sets, finished = _enumerate(pooled, among, 0)
    size = sets[0].bit_count() if sets else 0
    return Largest(sets, size, "enumeration", "optimal" if finished else UNFINISHED, finished)


def _enumerate(pooled: Pool, among: int, least: int) -> tuple[tuple[int, ...], bool]:
    from rationale.revealed import subset_kernels as kernels

    sets, finished = kernels.largest_sets(*relations(pooled), among, least, MOST_NODES, MOST_SETS)
    return tuple(sorted(sets.tolist())), bool(finished)
