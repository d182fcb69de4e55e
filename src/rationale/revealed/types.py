"""Types: which models answer as if they shared one utility, over many draws of their rounds.

A draw takes rho rounds of each model. Its largest set of models whose pooled rounds satisfy GARP_e
is one type; the rest is divided the same way. Similarity is the share of draws in which two models
have the same type.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, Protocol

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse
from rationale.inference.intervals import Interval, wilson
from rationale.revealed.costs import costs
from rationale.revealed.draws import draw_rounds_apart, largest_rho
from rationale.revealed.garp import garp
from rationale.revealed.pooled import Pool, members, pool
from rationale.revealed.subsets import check_set, largest_sets
from rationale.seeds import generator

TIES = ("random", "first", "average")
DONE, TOO_FEW, NO_ROUNDS = "done", "fewer than two models", "no disjoint rounds"
# Ways to divide a draw that `average` follows at a time; more are thinned out at random.
MOST_WAYS = 128
_SETTINGS = ("status", "efficiency", "rho_asked", "rho", "solver", "ties")


class AnsweredRounds(Protocol):
    """T rounds of one model: numbers (T,), answers, corners and prices (T, S)."""

    numbers: np.ndarray
    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray


class Partition(NamedTuple):
    """Types of W models in one draw.

    ``labels`` (W,) is the type of each model, 0 the first; -1 where a solver ran out of time
    before it had any set. ``sizes`` and ``statuses`` have an entry a type. ``listed`` tells whether
    every type was chosen among all largest sets. Models whose own rounds violate GARP_e are types
    of their own and come last.
    """

    labels: np.ndarray
    sizes: tuple[int, ...]
    statuses: tuple[str, ...]
    listed: bool


@dataclass(frozen=True, eq=False)
class Similarity:
    """Types over T draws of W models. Results for different draws join by ``merge``.

    ``status`` is ``done``, or why there are no draws. ``rho`` rounds a model were drawn of the
    ``rho_asked``. ``numbers`` (T,) are the draws, ``rounds`` (T, W, rho) the round numbers drawn,
    ``labels`` (T, W) the types as in ``Partition``. ``shared`` (W, W) counts the draws in which two
    models have the same type; draws with a label of -1 do not count. With ties averaged, a draw
    adds the mean over the ways to divide it, and ``labels`` are those of ties broken by ``first``.
    ``proven`` and ``listed`` (T,): was every type proven largest, and chosen among all ties?
    """

    status: str
    efficiency: float
    rho_asked: int
    rho: int
    solver: str
    ties: str
    numbers: np.ndarray
    rounds: np.ndarray
    labels: np.ndarray
    shared: np.ndarray
    proven: np.ndarray
    listed: np.ndarray

    @property
    def draws(self) -> int:
        """How many draws count: those that gave every model a type."""
        return int((self.labels >= 0).all(axis=1).sum())

    @property
    def shares(self) -> np.ndarray:
        """G (W, W): share of draws in which two models have the same type; NaN without draws."""
        return self.shared / self.draws if self.draws else np.full(self.shared.shape, np.nan)

    def intervals(self, level: float = 0.95) -> Interval:
        """Wilson interval of every share, each bound (W, W); NaN without draws."""
        if not self.draws:
            return Interval(self.shares, self.shares)
        return wilson(np.minimum(self.shared, self.draws), self.draws, level)


class Verification(NamedTuple):
    """What ``verify_types`` found: both tuples are empty when all is right.

    ``violations`` are (draw, type) of types of several models that violate GARP_e,
    ``misdrawn`` the draws that use a round twice or one that was not answered. ``types`` counts
    the types checked, ``alone`` those of one model whose own rounds violate, which is allowed.
    """

    types: int
    alone: int
    violations: tuple[tuple[int, int], ...]
    misdrawn: tuple[int, ...]


class Network(NamedTuple):
    """Links between models with G >= 1 - alpha; an edge's ``share`` is G.

    ``components`` are the connected sets of models, largest first; ``degrees`` (W,) count links.
    """

    alpha: float
    graph: nx.Graph
    components: tuple[tuple[int, ...], ...]
    degrees: tuple[int, ...]
    isolated: tuple[int, ...]


def pool_draw(
    models: Sequence[AnsweredRounds], rounds: Sequence[ArrayLike], efficiency: float
) -> Pool:
    """Pool the drawn rounds of each model.

    Parameters
    ----------
    models : what each of W models answered.
    rounds : W arrays of round numbers, at least one a model; not the same number of them needed.
    efficiency : e in [0, 1].

    Raises ValueError for a round that its model did not answer, and as ``costs`` and ``pool`` do.
    """
    places = [_places(model.numbers, drawn) for model, drawn in zip(models, rounds, strict=True)]
    answers, corners, prices = (
        np.concatenate([getattr(m, name)[at] for m, at in zip(models, places, strict=True)])
        for name in ("answers", "corners", "prices")
    )
    owners = np.repeat(np.arange(len(models)), [at.size for at in places])
    return pool(costs(answers, corners, prices), owners, efficiency)


def partition(
    pooled: Pool,
    ties: str = "first",
    draws: np.random.Generator | None = None,
    solver: str = "auto",
    time_limit: float = 60.0,
) -> Partition:
    """Divide the models of a draw into types: the largest set first, then the rest likewise.

    Parameters
    ----------
    pooled : the drawn rounds.
    ties : ``first`` takes the set whose sorted models come first; ``random`` a uniform choice
        among all largest sets, exact where the result is ``listed``. Else the choice is uniform
        among those found, after models were numbered at random so that none is favoured.
    draws : generator for ``random``.
    solver, time_limit : as in ``largest_sets``, the limit for each type.

    Every type is checked by ``garp``. Raises RuntimeError if one fails, ValueError as
    ``largest_sets`` does or for other ties.
    Source: Moral Minds, procedure 2.
    """
    if ties == "first":
        return _divide(pooled, lambda sets: min(sets, key=members), solver, time_limit)
    if ties != "random" or draws is None:
        raise ValueError(f"ties: expected first, or random and a generator; found {ties!r}.")
    order = draws.permutation(pooled.everyone.bit_length())
    shuffled = pooled._replace(models=order[pooled.models])
    found = _divide(shuffled, lambda sets: sets[draws.integers(len(sets))], solver, time_limit)
    return found._replace(labels=found.labels[order])


def _divide(pooled: Pool, choose, solver: str, time_limit: float) -> Partition:
    left, types, statuses, listed = pooled.everyone, [], [], True
    while left:
        largest = largest_sets(pooled, left, solver, time_limit)
        if not largest.size:
            break
        types.append(choose(largest.sets))
        check_set(pooled, types[-1])
        statuses.append(largest.status)
        listed &= largest.listed
        left &= ~types[-1]
    if left and largest.status == "optimal":
        types += [1 << m for m in members(left)]
        statuses += ["optimal"] * left.bit_count()
    labels = np.full(pooled.everyone.bit_length(), -1)
    for label, kept in enumerate(types):
        labels[list(members(kept))] = label
    return Partition(labels, tuple(t.bit_count() for t in types), tuple(statuses), listed)


def expected_sharing(
    pooled: Pool, draws: np.random.Generator, solver: str = "auto", time_limit: float = 60.0
) -> tuple[np.ndarray, bool]:
    """Probability that two models have the same type when every tie is broken uniformly.

    The mean over the ways to divide a draw, each weighted by the chance that ``partition`` with
    random ties takes it. Where more than 128 different rests of the draw are left at one step, 128
    of them are drawn by weight: still without bias, but no longer exact. Meant for few models.

    Returns (W, W) probabilities, and whether they are exact.
    Raises as ``partition`` does.
    """
    shared = np.zeros((pooled.everyone.bit_length(),) * 2)
    ways, exact, checked = {pooled.everyone: 1.0}, True, set()
    while ways:
        exact &= len(ways) <= MOST_WAYS
        followed, ways = _thinned(ways, draws), defaultdict(float)
        for left, weight in followed.items():
            largest = largest_sets(pooled, left, solver, time_limit)
            exact &= largest.listed
            for kept in largest.sets if largest.size else ():
                if kept not in checked:
                    check_set(pooled, kept)
                    checked.add(kept)
                _add(shared, kept, weight / len(largest.sets))
                if left & ~kept:
                    ways[left & ~kept] += weight / len(largest.sets)
    np.fill_diagonal(shared, 1.0)
    return shared, exact


def _thinned(ways: dict[int, float], draws: np.random.Generator) -> dict[int, float]:
    if len(ways) <= MOST_WAYS:
        return ways
    rests, weights = list(ways), np.array(list(ways.values()))
    taken = draws.multinomial(MOST_WAYS, weights / weights.sum()) * weights.sum() / MOST_WAYS
    return {rest: weight for rest, weight in zip(rests, taken, strict=True) if weight}


def _add(shared: np.ndarray, kept: int, weight: float) -> None:
    models = list(members(kept))
    shared[np.ix_(models, models)] += weight


def similarity(
    models: Sequence[AnsweredRounds],
    efficiency: float,
    rho: int,
    draws: int | Iterable[int],
    seed_names: Sequence[object],
    solver: str = "auto",
    ties: str = "random",
    time_limit: float = 60.0,
) -> Similarity:
    """How often each two models have the same type, over draws of their rounds.

    Parameters
    ----------
    models : what each of W models answered.
    efficiency : e in [0, 1] at which types must satisfy GARP.
    rho : rounds a model in a draw; falls to the largest number for which disjoint draws exist.
    draws : how many (0 to draws - 1), or their numbers. A draw follows from its number and
        ``seed_names`` alone, so draws can be shared out among jobs and merged.
    seed_names : names that seed the draws, as for ``rationale.seeds.generator``.
    solver, time_limit : as in ``largest_sets``.
    ties : ``random`` or ``first`` as in ``partition``, or ``average`` as in ``expected_sharing``.

    Fewer than two models, or no disjoint draws of even one round: no draws, and a status
    that says so. Raises ValueError for other ties, and as ``largest_rho``, ``pool_draw`` and
    ``partition`` do.
    Source: Moral Minds, section 2.3 (permutation approach).
    """
    if ties not in TIES:
        raise ValueError(f"ties: expected one of {', '.join(TIES)}; found {ties!r}.")
    answered = [model.numbers for model in models]
    fits = largest_rho(answered, rho)
    status = TOO_FEW if len(models) < 2 else DONE if fits else NO_ROUNDS
    result = _no_draws(status, len(models), float(efficiency), rho, solver, ties)
    if status != DONE:
        return result
    chunk = [
        _one_draw(replace(result, rho=fits), models, answered, number, seed_names, time_limit)
        for number in (range(draws) if isinstance(draws, int) else draws)
    ]
    return merge(chunk) if chunk else replace(result, rho=fits)


def _no_draws(status, n_models, efficiency, rho_asked, solver, ties) -> Similarity:
    numbers, none = np.empty(0, np.int64), np.empty(0, bool)
    labels, shared = np.empty((0, n_models), np.int64), np.zeros((n_models, n_models))
    rounds = np.empty((0, n_models, 0), np.int64)
    settings = status, efficiency, rho_asked, 0, solver, ties
    return Similarity(*settings, numbers, rounds, labels, shared, none, none)


def _one_draw(settings: Similarity, models, answered, number, seed_names, time_limit) -> Similarity:
    rounds = draw_rounds_apart(answered, settings.rho, (*seed_names, number, "rounds"))
    pooled = pool_draw(models, rounds, settings.efficiency)
    draws = generator(*seed_names, number, "ties")
    solving = settings.solver, time_limit
    ties = "random" if settings.ties == "random" else "first"
    found, listed = partition(pooled, ties, draws, *solving), True
    together = (found.labels[:, None] == found.labels).astype(float)
    if settings.ties == "average":
        together, listed = expected_sharing(pooled, draws, *solving)
    return replace(
        settings,
        numbers=np.array([number]),
        rounds=np.array([rounds]),
        labels=found.labels[None],
        shared=together * (found.labels >= 0).all(),
        proven=np.array([all(status == "optimal" for status in found.statuses)]),
        listed=np.array([found.listed and listed]),
    )


def merge(chunks: Sequence[Similarity]) -> Similarity:
    """Join results for different draws of the same models, sorted by draw.

    Raises ValueError when there is nothing to merge, settings differ or a draw appears twice.
    """
    if not len(chunks):
        raise ValueError("chunks: expected at least one. Run at least one chunk of draws.")
    settings = {(*(getattr(c, name) for name in _SETTINGS), c.shared.shape) for c in chunks}
    if len(settings) > 1:
        raise ValueError(f"chunks: expected the same settings in all; found {list(settings)[:5]}.")
    numbers = np.concatenate([chunk.numbers for chunk in chunks])
    order = np.argsort(numbers, kind="stable")
    again = np.diff(numbers[order], prepend=-1) == 0
    refuse(again, numbers[order], "chunks", "every draw once", "Give each chunk its own draws")
    joined = {
        name: np.concatenate([getattr(chunk, name) for chunk in chunks])[order]
        for name in ("numbers", "rounds", "labels", "proven", "listed")
    }
    return replace(chunks[0], shared=np.sum([chunk.shared for chunk in chunks], axis=0), **joined)


def verify_types(models: Sequence[AnsweredRounds], found: Similarity) -> Verification:
    """Check every type of every draw again, from the answers and by ``garp`` alone.

    Parameters
    ----------
    models : what each of W models answered, in the order of ``found``.
    found : the result to check.
    """
    types, alone, violations, misdrawn = 0, 0, [], []
    for number, rounds, labels in zip(found.numbers, found.rounds, found.labels, strict=True):
        if not _drawn_apart(models, rounds):
            misdrawn.append(int(number))
            continue
        for label in range(labels.max() + 1):
            of_type = np.flatnonzero(labels == label)
            holds = _holds([models[m] for m in of_type], rounds[of_type], found.efficiency)
            types += 1
            alone += not holds and of_type.size == 1
            if not holds and of_type.size > 1:
                violations.append((int(number), label))
    return Verification(types, alone, tuple(violations), tuple(misdrawn))


def _drawn_apart(models: Sequence[AnsweredRounds], rounds: np.ndarray) -> bool:
    answered = all(np.isin(drawn, m.numbers).all() for m, drawn in zip(models, rounds, strict=True))
    return answered and np.unique(rounds).size == rounds.size


def _holds(models: Sequence[AnsweredRounds], rounds: np.ndarray, efficiency: float) -> bool:
    pooled = pool_draw(models, rounds, efficiency)
    return garp(pooled.costs, efficiency).holds


def networks(shares: ArrayLike, alphas: Iterable[float]) -> tuple[Network, ...]:
    """The network at each alpha: models are linked when G >= 1 - alpha.

    Parameters
    ----------
    shares : (W, W) G; NaN links nothing.
    alphas : numbers in [0, 1]. 1 - alpha is taken in decimals, so that a share of exactly 30 %
        is linked at alpha = 0.7.

    Raises ValueError for an alpha outside [0, 1] or shares that are not square.
    """
    shares = np.asarray(shares, dtype=float)
    if shares.ndim != 2 or shares.shape[0] != shares.shape[1]:
        raise ValueError(f"shares: expected (W, W); found shape {shares.shape}. Pass G as it is.")
    return tuple(_network(shares, float(alpha)) for alpha in alphas)


def _network(shares: np.ndarray, alpha: float) -> Network:
    refuse(not 0 <= alpha <= 1, alpha, "alpha", "a number in [0, 1]", "Pass 0.7 to link at 30 %")
    linked = np.triu(shares >= float(1 - Fraction(str(alpha))), 1)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(shares)))
    graph.add_edges_from((int(a), int(b), {"share": shares[a, b]}) for a, b in np.argwhere(linked))
    parts = sorted((tuple(sorted(c)) for c in nx.connected_components(graph)), key=_by_size)
    degrees = tuple(graph.degree[m] for m in graph)
    return Network(alpha, graph, tuple(parts), degrees, tuple(nx.isolates(graph)))


def _by_size(part: tuple[int, ...]) -> tuple:
    return -len(part), part


def _places(numbers: ArrayLike, drawn: ArrayLike) -> np.ndarray:
    """Where the drawn round numbers stand in ``numbers``."""
    numbers, drawn = np.asarray(numbers), np.asarray(drawn)
    refuse(
        ~np.isin(drawn, numbers), drawn, "rounds", "answered rounds", "Draw from answered rounds"
    )
    order = np.argsort(numbers)
    return order[np.searchsorted(numbers, drawn, sorter=order)]
