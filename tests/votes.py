"""Votes counted ballot by ballot from the definitions, apart from the solvers under test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations


def one_by_one(ballots: Iterable[Sequence]) -> list[list[int]]:
    """Every single ballot of groups of voters."""
    return [list(ranking) for count, ranking in ballots for _ in range(count)]


def firsts(cast: list[list[int]]) -> Counter:
    """How many ballots name each alternative first."""
    return Counter(ballot[0] for ballot in cast)


def borda(cast: list[list[int]]) -> Counter:
    """Over all ballots, the number of alternatives that stand below each one."""
    found: Counter = Counter()
    for ballot in cast:
        for one in ballot:
            found[one] += sum(ballot.index(other) > ballot.index(one) for other in ballot)
    return found


def top_two(cast: list[list[int]]) -> Counter:
    """How many ballots have each alternative first or second."""
    return Counter(one for ballot in cast for one in ballot[:2])


def prefers(cast: list[list[int]], one: int, other: int) -> int:
    """1 where more ballots have the first above the second, -1 for fewer, 0 for as many."""
    piles = Counter(map(tuple, cast))
    above = sum(n for pile, n in piles.items() if pile.index(one) < pile.index(other))
    return (2 * above > len(cast)) - (2 * above < len(cast))


def copeland(cast: list[list[int]]) -> dict[int, Fraction]:
    """A point for each alternative beaten, half a point for each drawn with."""
    return {
        one: sum(
            (Fraction(1 + prefers(cast, one, other), 2) for other in cast[0] if other != one),
            Fraction(0),
        )
        for one in cast[0]
    }


def condorcet(cast: list[list[int]]) -> list[int]:
    """The alternatives, one or none, that beat every other."""
    return [
        one
        for one in cast[0]
        if all(prefers(cast, one, other) == 1 for other in cast[0] if other != one)
    ]


def fitting_rankings(cast: list[list[int]]) -> list[tuple[int, ...]]:
    """Of all rankings, those in which everything is preferred by majority to all below it."""
    beaten = [pair for pair in permutations(cast[0], 2) if prefers(cast, *pair) == 1]
    return [
        ranking
        for ranking in permutations(sorted(cast[0]))
        if all(pair in beaten for pair in combinations(ranking, 2))
    ]


def best(points) -> list[int]:
    """Who has the most points."""
    return [one for one in points if points[one] == max(points.values())]


def over(points: Counter, size: int) -> dict[int, int]:
    """Points of every alternative, also of those that have none."""
    return {one: points[one] for one in range(size)}


def named(names: Sequence[str], ranking: Sequence[int]) -> str:
    """A ranking as an option says it."""
    text = ", then ".join(names[one] for one in ranking)
    return text[0].upper() + text[1:]


def wrong_keys(drawn, right) -> list[str]:
    """Questions whose options are right, by ``right``, other than at the key alone."""
    found = []
    for one in drawn:
        (part,) = one.draft.parts
        texts = [option.text for option in part.options if right(one.draft, option.text)]
        if texts != [part.key.text]:
            found.append(f"{one.question_id}: {texts} against {part.key.text}")
    return found
