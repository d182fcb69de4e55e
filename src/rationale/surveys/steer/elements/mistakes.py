"""Mistakes drawn so that the key lies above them as often as below."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from random import Random

from rationale.surveys.steer.questions import Draft, Draw, Generate

MOST_TRIES = 100


def either_way(rng: Random, key: int | Fraction, mistakes: Sequence[tuple]) -> tuple | None:
    """A mistake, above or below the key with even chances; None when none leads that way.

    Each mistake starts with the value it gives; what follows is returned as it came.
    """
    above = rng.random() < 0.5
    fitting = [one for one in mistakes if one[0] != key and (one[0] > key) == above]
    return rng.choice(fitting) if fitting else None


def evenly_ranked(draw_once: Callable[[Draw], Draft | None]) -> Generate:
    """Draw until the key has the rank among the options' numbers that was drawn beforehand.

    So every rank is equally likely, however unevenly the mistakes lead up and down.
    """

    @wraps(draw_once)
    def draw_evenly(draw: Draw) -> Draft | None:
        rank = draw.rng.randrange(4)
        for _ in range(MOST_TRIES):
            draft = draw_once(draw)
            if draft is not None and rank_of_key(draft) == rank:
                return draft
        return None

    return draw_evenly


def rank_of_key(draft: Draft) -> int:
    """How many options of the first part state a smaller number than the key."""
    part = draft.parts[0]
    value = stated(part.key.text)
    return sum(stated(option.text) < value for option in part.options)


def stated(text: str) -> Fraction:
    """The first number of an option: whole, with a point, or a fraction."""
    return Fraction(re.search(r"\d[\d,]*(?:\.\d+|/\d+)?", text)[0].replace(",", ""))
