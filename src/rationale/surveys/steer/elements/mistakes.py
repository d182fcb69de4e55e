"""Mistakes drawn so that they lead above the key as often as below it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random


def either_way(rng: Random, key: int | Fraction, mistakes: Sequence[tuple]) -> tuple | None:
    """A mistake, above or below the key with even chances; None when none leads that way.

    Each mistake starts with the value it gives; what follows is returned as it came.
    """
    above = rng.random() < 0.5
    fitting = [one for one in mistakes if one[0] != key and (one[0] > key) == above]
    return rng.choice(fitting) if fitting else None
