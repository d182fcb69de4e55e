"""Blocks of the priced survey: the open round, and runs of constrained ones."""

from __future__ import annotations

from rationale.surveys import blocks as runs

OPENING = "opening"


def blocks(rounds: int, size: int) -> dict[str, range]:
    """Block name to its round numbers, e.g. ``r001-r040``; a block of one is named ``r001``."""
    return runs.blocks("r", rounds, size)


def prompt_id(number: int, rounds: int) -> str:
    """The name of a round's prompt, e.g. ``r007``: as many digits as the survey needs, at least 3."""
    return runs.numbered("r", number, rounds)
