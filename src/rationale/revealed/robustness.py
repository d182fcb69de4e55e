"""Whether answers survive another way of putting the same rounds, and a habit of position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse, whole_numbers
from rationale.inference.intervals import wilson
from rationale.revealed.ccei import ccei
from rationale.revealed.costs import costs
from rationale.revealed.garp import garp
from rationale.revealed.measure import AnsweredRounds
from rationale.seeds import generator


class Agreement(NamedTuple):
    """How often two forms got the same answer, and how often they would have anyhow.

    ``share`` of ``rounds`` with the same answer, with its 95 % Wilson interval; ``uniform`` and
    ``habit``, the shares expected of two respondents who pay no heed to content: one that takes any
    option, one that keeps each form's own frequencies of positions. ``kappa`` is
    (share - habit)/(1 - habit), NaN where habit is 1. ``same_position`` is the share of rounds with
    the same place in the list. ``distance`` is the mean over rounds of sum_s |a_s - b_s|, and
    ``uniform_distance`` what it would be of two random options.
    """

    rounds: int
    same: int
    share: float
    low: float
    high: float
    uniform: float
    habit: float
    kappa: float
    same_position: float
    distance: float
    uniform_distance: float


class JointRationality(NamedTuple):
    """GARP and CCEI of all forms' data pooled, and the CCEI of each form alone.

    Pooling adds rounds, so the pooled CCEI is at most the smallest of the others.
    """

    rounds: int
    garp: bool
    ccei: float
    alone: tuple[float, ...]


def agreement(first: AnsweredRounds, second: AnsweredRounds) -> Agreement | None:
    """Compare the answers of one respondent to two forms, round by round.

    Rounds count if both forms have an answer at the same corner and prices, chosen from the same
    options in any order: a round that the open answer flipped in one form only is another round.
    For a form that repeats the very same prompt this is the test-retest reliability.

    ``habit`` is the mean over rounds of sum f(i)·g(j) over the places i and j at which the two
    forms list the same option, with f and g the shares of rounds in which each form's answer
    stood there; for an unchanged order it is the chance agreement of Cohen's kappa.

    Returns None where no round counts. Raises ValueError for an answer that its round did not list.
    Source of kappa: Cohen (1960); of the interval: Wilson (1927).
    """
    pairs = _comparable(first, second)
    if not pairs:
        return None
    lists = [(_rows(first.options[i]), _rows(second.options[j])) for i, j in pairs]
    places = np.array([(_place(first, i), _place(second, j)) for i, j in pairs])
    answers = [(first.answers[i], second.answers[j]) for i, j in pairs]
    distances = np.array([np.abs(a - b).sum() for a, b in answers])
    rounds, same = len(pairs), int(np.count_nonzero(distances == 0))
    low, high = wilson(same, rounds)
    habit = _agreement_by_habit(lists, places)
    return Agreement(
        rounds=rounds,
        same=same,
        share=same / rounds,
        low=float(low),
        high=float(high),
        uniform=float(np.mean([1 / len(listed) for listed, _ in lists])),
        habit=habit,
        kappa=(same / rounds - habit) / (1 - habit) if habit < 1 else float("nan"),
        same_position=float(np.mean(places[:, 0] == places[:, 1])),
        distance=float(distances.mean()),
        uniform_distance=float(np.mean([_spread(np.asarray(first.options[i])) for i, _ in pairs])),
    )


def joint_rationality(*forms: AnsweredRounds) -> JointRationality:
    """GARP and CCEI of the data of several forms taken together, as of one respondent.

    A round put in two forms counts twice: the two answers must fit each other and all others.
    Raises ValueError without forms, and as ``costs`` and ``garp`` do.
    """
    if not forms:
        raise ValueError("forms: expected at least one; found none. Pass the forms to pool.")
    parts = ("answers", "corners", "prices")
    pooled = [np.concatenate([getattr(form, part) for form in forms]) for part in parts]
    cost = costs(*pooled)
    alone = tuple(ccei(costs(form.answers, form.corners, form.prices)) for form in forms)
    return JointRationality(len(cost), garp(cost).holds, ccei(cost), alone)


def position_picks(
    positions: ArrayLike,
    sizes: ArrayLike,
    draws: int | Iterable[int],
    seed_names: Sequence[object],
) -> np.ndarray:
    """Picks of data sets that keep a respondent's positions and lose the rounds they belong to.

    In every draw, each round takes the option that stands where the respondent's answer stood in
    another round, chosen by a random permutation of the rounds; rounds of different sizes
    do not mix. If positions are chosen without regard to content, by any habit that is the same in
    every round, all orders of the positions are equally likely whatever the lists hold. So
    ``rationality_test`` on these picks (its p_plus) errs no more often than its level says, for
    the very lists shown. Somebody who always takes Option 1 gets the same data set in every draw,
    hence a p-value of 1.

    To put the options of each round in random order under fixed positions would not do: a fixed
    place of a random order holds any option with the same chance, so that is ``uniform_picks``
    again. That null is right for such a habit only on average over lists in random order. Of
    all seeds, 5 % pass Option 1 at the 5 % level, and then they pass every respondent with that
    habit; and lists that are sorted may pass it always. The price: habits that drift from round to
    round are not covered here (over lists in random order the plain null covers them), and
    where what a respondent wants always stands in the same place, the two cannot be told apart and
    it fails here.

    Parameters
    ----------
    positions : (T,) integers: 0-based place of the respondent's answer in each round's list.
    sizes : (T,) integers: number of options in each round.
    draws : how many draws (0 to draws - 1), or their numbers.
    seed_names : names that seed the draws, as for ``uniform_picks``.

    Returns (N, T) integers, 0 <= [n, r] < sizes[r].
    Raises ValueError for lengths that differ, empty lists, or a position outside its round.
    """
    positions = whole_numbers(positions, "positions", ndim=1)
    sizes = whole_numbers(sizes, "sizes", ndim=1)
    if positions.shape != sizes.shape:
        raise ValueError(
            f"positions: expected one for each of {len(sizes)} rounds; found {len(positions)}. "
            "Leave the same rounds out of both."
        )
    outside = (positions < 0) | (positions >= sizes)
    refuse(outside, positions, "positions", "places in the round's list", "Number them from 0")
    numbers = range(draws) if isinstance(draws, int) else draws
    picks = [_permuted(positions, sizes, generator(*seed_names, number)) for number in numbers]
    return whole_numbers(picks, "draws", ndim=2)


def _permuted(positions: np.ndarray, sizes: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    permuted = np.empty_like(positions)
    shuffled = np.lexsort((draw.random(len(sizes)), sizes))
    permuted[np.argsort(sizes, kind="stable")] = positions[shuffled]
    return permuted


def _comparable(first: AnsweredRounds, second: AnsweredRounds) -> list[tuple[int, int]]:
    """Places, in the two forms, of the rounds that are the same round in both."""
    there = {int(number): j for j, number in enumerate(second.numbers)}
    pairs = [(i, there[int(n)]) for i, n in enumerate(first.numbers) if int(n) in there]
    return [(i, j) for i, j in pairs if _round(first, i) == _round(second, j)]


def _round(form: AnsweredRounds, i: int) -> tuple[object, ...]:
    listed = frozenset(_rows(form.options[i]))
    return tuple(np.asarray(form.corners[i])), tuple(np.asarray(form.prices[i])), listed


def _rows(options: ArrayLike) -> list[tuple[float, ...]]:
    return [tuple(option) for option in np.asarray(options).tolist()]


def _place(form: AnsweredRounds, i: int) -> int:
    listed, answer = _rows(form.options[i]), tuple(np.asarray(form.answers[i]).tolist())
    if answer not in listed:
        raise ValueError(
            f"answers: expected one of the options listed in round {form.numbers[i]}; found "
            f"{answer}. Give options and answers of the same round."
        )
    return listed.index(answer)


def _agreement_by_habit(lists: list, places: np.ndarray) -> float:
    habits = [np.bincount(places[:, form]) / len(places) for form in (0, 1)]
    return float(np.mean([_match(listed, habits) for listed in lists]))


def _match(listed: tuple[list, list], habits: list[np.ndarray]) -> float:
    """Chance that two picks by habit, among the places a round has, are the same option."""
    first, second = (_within(habit, len(one)) for habit, one in zip(habits, listed, strict=True))
    place = {option: j for j, option in enumerate(listed[1])}
    return sum(
        share * second[place[option]] for option, share in zip(listed[0], first, strict=True)
    )


def _within(habit: np.ndarray, size: int) -> np.ndarray:
    shares = np.zeros(size)
    shares[: len(habit)] = habit[:size]
    return shares / shares.sum()


def _spread(options: np.ndarray) -> float:
    """Mean distance between two random options, each in turn taken by both."""
    return float(np.abs(options[:, None] - options[None]).sum(axis=2).mean())
