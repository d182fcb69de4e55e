"""Ballots in groups, and what voting rules make of them, in whole numbers and halves.

Alternatives are 0, 1, 2 …; a ranking lists them from best to worst; a profile holds pairs of a
number of voters and their ranking. A rule that leaves a tie gives None.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from random import Random

Ranking = tuple[int, ...]
Profile = tuple[tuple[int, Ranking], ...]

# Points for the places of four alternatives, by the rule that ranks by them.
PLACES: dict[str, tuple[int, ...]] = {
    "Most first places": (1, 0, 0, 0),
    "Most points: 3, 2, 1 and 0 for places one to four": (3, 2, 1, 0),
    "Most first and second places together": (1, 1, 0, 0),
    "Fewest last places": (0, 0, 0, -1),
}
# Of three alternatives, the one with the fewest points by these goes out before the last vote.
KNOCKOUTS: dict[str, tuple[int, ...]] = {
    "The option with the fewest first places goes out": (1, 0, 0),
    "The option with the fewest points goes out": (2, 1, 0),
    "The option with the most last places goes out": (0, 0, -1),
}


def random_profile(rng: Random, size: int, groups: int, low: int, high: int) -> Profile:
    """Groups with different rankings of ``size`` alternatives and ``low`` to ``high`` voters each."""
    rankings = rng.sample(all_rankings(size), groups)
    return tuple((rng.randint(low, high), ranking) for ranking in rankings)


@lru_cache
def all_rankings(size: int) -> tuple[Ranking, ...]:
    """Every ranking of ``size`` alternatives."""
    return tuple(permutations(range(size)))


def random_ranking(rng: Random, size: int) -> Ranking:
    """A ranking of ``size`` alternatives, all equally likely."""
    return rng.choice(all_rankings(size))


def relabelled(profile: Profile, labels: Sequence[int]) -> Profile:
    """The profile with alternative n called ``labels[n]``."""
    return tuple((count, tuple(labels[one] for one in ranking)) for count, ranking in profile)


def scores(profile: Profile, points: Sequence[int]) -> list[int]:
    """Points of every alternative when a place in a ranking is worth ``points[place]``."""
    totals = [0] * len(points)
    for count, ranking in profile:
        for worth, one in zip(points, ranking, strict=True):
            totals[one] += count * worth
    return totals


def first_places(profile: Profile) -> list[int]:
    """How many voters rank each alternative first."""
    size = len(profile[0][1])
    return scores(profile, (1, *[0] * (size - 1)))


def last_places(profile: Profile) -> list[int]:
    """How many voters rank each alternative last."""
    size = len(profile[0][1])
    return scores(profile, (*[0] * (size - 1), 1))


def borda_points(profile: Profile) -> list[int]:
    """m - 1 points for a first place among m alternatives, one fewer for each place below."""
    return scores(profile, range(len(profile[0][1]) - 1, -1, -1))


def margins(profile: Profile) -> list[list[int]]:
    """Voters who rank the row's alternative above the column's, less those who rank it below."""
    size = len(profile[0][1])
    table = [[0] * size for _ in range(size)]
    for count, ranking in profile:
        for better, worse in combinations(ranking, 2):
            table[better][worse] += count
            table[worse][better] -= count
    return table


def margin(profile: Profile, one: int, other: int) -> int:
    """Voters who rank one alternative above the other, less those who rank it below."""
    return sum(count if above(ranking, one, other) else -count for count, ranking in profile)


def has_tied_pair(table: Sequence[Sequence[int]]) -> bool:
    """Whether a comparison of two alternatives ends level."""
    return any(table[a][b] == 0 for a, b in combinations(range(len(table)), 2))


def copeland_points(table: Sequence[Sequence[int]]) -> list[Fraction]:
    """One point for each comparison won and half a point for each that ends level."""
    half = Fraction(1, 2)
    return [
        sum((half * (1 + _sign(m)) for n, m in enumerate(row) if n != one), Fraction(0))
        for one, row in enumerate(table)
    ]


def condorcet_winner(table: Sequence[Sequence[int]]) -> int | None:
    """The alternative that wins all its comparisons; None where there is none."""
    for one, row in enumerate(table):
        if all(lead > 0 for other, lead in enumerate(row) if other != one):
            return one
    return None


def majority_ranking(table: Sequence[Sequence[int]]) -> Ranking | None:
    """The ranking that agrees with every comparison; None where they run in a circle or tie."""
    wins = [sum(lead > 0 for lead in row) for row in table]
    return None if has_tied_pair(table) else ranked(wins)


def ranked(points: Sequence[int | Fraction]) -> Ranking | None:
    """Alternatives from most points to fewest; None where two have as many."""
    if len(set(points)) < len(points):
        return None
    return tuple(sorted(range(len(points)), key=lambda one: -points[one]))


def highest(points: Sequence[int | Fraction]) -> int | None:
    """The one alternative with the most points; None where two share them."""
    best = max(points)
    found = [one for one, point in enumerate(points) if point == best]
    return found[0] if len(found) == 1 else None


def lowest(points: Sequence[int | Fraction]) -> int | None:
    """The one alternative with the fewest points; None where two share them."""
    return highest([-one for one in points])


def unanimous(profile: Profile) -> list[tuple[int, int]]:
    """Pairs (better, worse) on which all voters agree."""
    voters = sum(count for count, _ in profile)
    table = margins(profile)
    size = range(len(table))
    return [(a, b) for a in size for b in size if table[a][b] == voters]


def sequential_winner(table: Sequence[Sequence[int]], agenda: Sequence[int]) -> int:
    """Who is left when the winner of each majority vote meets the next alternative of the agenda."""
    left = agenda[0]
    for challenger in agenda[1:]:
        if table[left][challenger] < 0:
            left = challenger
    return left


def without_first(profile: Profile, points: Sequence[int]) -> int | None:
    """Of three alternatives: the one with the fewest points goes out, a majority decides the rest."""
    out = lowest(scores(profile, points))
    if out is None:
        return None
    one, other = (n for n in range(3) if n != out)
    lead = margin(profile, one, other)
    return None if lead == 0 else one if lead > 0 else other


def moved(ranking: Ranking, one: int, place: int) -> Ranking:
    """The ranking with one alternative moved to a place, the others in their order."""
    rest = [other for other in ranking if other != one]
    return (*rest[:place], one, *rest[place:])


def above(ranking: Sequence[int], one: int, other: int) -> bool:
    """Whether a ranking has one alternative above another."""
    return ranking.index(one) < ranking.index(other)


def raised(before: Sequence[Ranking], after: Sequence[Ranking]) -> list[int]:
    """Alternatives that some voters moved up, and nobody down, with nothing else changed."""
    if tuple(before) == tuple(after):
        return []
    return [one for one in before[0] if all(map(_only_up, before, after, [one] * len(before)))]


def monotonicity_breaches(
    before: Sequence[Ranking], after: Sequence[Ranking], group: Sequence[Ranking]
) -> list[tuple[int, int]]:
    """Pairs (raised, other): the group had the first above, and has it below after it was raised."""
    return [
        (one, other)
        for one in raised(before, after)
        for other in before[0]
        if other != one and above(group[0], one, other) and above(group[1], other, one)
    ]


def independence_breaches(
    before: Sequence[Ranking], after: Sequence[Ranking], group: Sequence[Ranking]
) -> list[tuple[int, int]]:
    """Pairs that every voter orders as before and the group does not."""
    return [
        pair
        for pair in combinations(range(len(before[0])), 2)
        if above(group[0], *pair) != above(group[1], *pair)
        and all(
            above(old, *pair) == above(new, *pair) for old, new in zip(before, after, strict=True)
        )
    ]


def _only_up(old: Ranking, new: Ranking, one: int) -> bool:
    rest = ([other for other in ranking if other != one] for ranking in (old, new))
    same, also = rest
    return same == also and new.index(one) <= old.index(one)


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
