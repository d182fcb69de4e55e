"""Draws whose key is settled first, so that every key is equally likely."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def until(attempt: Callable[[], Found | None], tries: int = 1000) -> Found | None:
    """The first that an attempt finds; None after so many in vain.

    A generator that draws the key first, and then instances until one has that key, loses no key
    more often than another, as it would by giving up at the first that has another.
    """
    for _ in range(tries):
        found = attempt()
        if found is not None:
            return found
    return None
