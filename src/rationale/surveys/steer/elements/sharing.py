"""Procedures of fair division, in whole numbers and fractions (Brams and Taylor 1996).

``values[person][thing]`` is what a thing is worth to a person; an allocation names the person who
gets each thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

Values = Sequence[Sequence[int]]
WHOLE = 100


def drawn_values(rng: Random, things: int, step: int = 5) -> list[int]:
    """What each of some things is worth, in multiples of ``step`` that add up to WHOLE."""
    cuts = sorted(rng.sample(range(step, WHOLE, step), things - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, WHOLE], strict=True)]


def worth(values: Sequence[int], things: Sequence[int]) -> int:
    """What some of the things are worth together."""
    return sum(values[thing] for thing in things)


def chosen_lot(values: Sequence[int], lot: Sequence[int]) -> bool | None:
    """Whether the chooser takes this lot and not all the rest; None where they are worth the same."""
    mine = 2 * worth(values, lot)
    return None if mine == sum(values) else mine > sum(values)


def last_diminisher(seen: Sequence[int], people: int) -> int:
    """Who takes the piece: the last who saw more than a fair share in it, or person 0 who cut it.

    ``seen`` holds, for person 1, 2 …, the per cent of the whole seen in the piece when the turn
    came; whoever sees more than a fair share trims the piece (Steinhaus 1948).
    """
    trimmed = [place for place, share in enumerate(seen, start=1) if share * people > WHOLE]
    return trimmed[-1] if trimmed else 0


def sealed_bids(bids: Sequence[int], divided: bool = True) -> list[Fraction]:
    """What everybody ends up with, one thing counted at its taker's bid (Knaster's procedure).

    The highest bidder takes the thing and pays all but a fair share of the bid, the others are paid
    fair shares of their bids; what is left is divided equally, or given away if not ``divided``.
    """
    people = len(bids)
    left = max(bids) - Fraction(sum(bids), people)
    return [Fraction(bid, people) + (left / people if divided else 0) for bid in bids]


def bundles(allocation: Sequence[int], people: int) -> list[list[int]]:
    """The things that everybody gets."""
    return [
        [thing for thing, owner in enumerate(allocation) if owner == person]
        for person in range(people)
    ]


def envies(values: Values, allocation: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of people of whom the first holds the second's things to be worth more than the own."""
    owned = bundles(allocation, len(values))
    people = range(len(values))
    return [
        (one, other)
        for one in people
        for other in people
        if worth(values[one], owned[other]) > worth(values[one], owned[one])
    ]


def below_share(values: Values, allocation: Sequence[int]) -> list[int]:
    """People who get less than a fair share of what everything is worth to them."""
    owned = bundles(allocation, len(values))
    return [
        person
        for person, mine in enumerate(values)
        if len(values) * worth(mine, owned[person]) < sum(mine)
    ]
