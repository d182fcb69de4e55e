"""Blocks: stable runs of numbered things, each asked in a job of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_BLOCK = re.compile(r"[a-z](\d+)(?:-[a-z](\d+))?")


def blocks(letter: str, total: int, size: int, digits: int = 3) -> dict[str, range]:
    """Block name to its numbers from 1, e.g. ``r001-r040``; a block of one is named ``r001``."""
    return {
        _name(letter, start, min(start + size - 1, total), _digits(total, digits)): range(
            start, min(start + size, total + 1)
        )
        for start in range(1, total + 1, size)
    }


def numbered(letter: str, number: int, total: int, digits: int = 3) -> str:
    """The name of a number, e.g. ``r007``: as many digits as the total needs, at least ``digits``."""
    return f"{letter}{number:0{_digits(total, digits)}d}"


def numbers_of(block: str) -> range:
    """The numbers of a block by its name. Raises ValueError for a name that no block has."""
    found = _BLOCK.fullmatch(block)
    if found is None:
        raise ValueError(f"no block is called {block!r}")
    first = int(found[1])
    return range(first, int(found[2] or first) + 1)


def even_part(things: Sequence[T], part: int, parts: int) -> Sequence[T]:
    """A part, from 1, of a list cut into runs of lengths that differ by at most one."""
    return things[(part - 1) * len(things) // parts : part * len(things) // parts]


def _digits(total: int, digits: int) -> int:
    return max(digits, len(str(total)))


def _name(letter: str, first: int, last: int, digits: int) -> str:
    head = f"{letter}{first:0{digits}d}"
    return head if first == last else f"{head}-{letter}{last:0{digits}d}"
