"""Blocks: stable runs of rounds, each asked in a job of its own."""

from __future__ import annotations

OPENING = "opening"


def blocks(rounds: int, size: int) -> dict[str, range]:
    """Block name to its round numbers, e.g. ``r001-r040``; a block of one is named ``r001``."""
    return {
        _name(start, min(start + size - 1, rounds), rounds): range(
            start, min(start + size, rounds + 1)
        )
        for start in range(1, rounds + 1, size)
    }


def prompt_id(number: int, rounds: int) -> str:
    """The name of a round's prompt, e.g. ``r007``: as many digits as the survey needs, at least 3."""
    return f"r{number:0{max(3, len(str(rounds)))}d}"


def _name(first: int, last: int, rounds: int) -> str:
    head = prompt_id(first, rounds)
    return head if first == last else f"{head}-{prompt_id(last, rounds)}"
