"""Options that give nothing away: distractors from known mistakes, the key at any rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from random import Random

from rationale.surveys.steer.questions import Option

Mistake = tuple[int | Fraction, str]


def numeric(
    rng: Random,
    key: int | Fraction,
    mistakes: Iterable[Mistake],
    show: Callable[[int | Fraction], str],
    count: int = 4,
    lowest: int | Fraction | None = None,
) -> tuple[Option, list[Option]] | None:
    """The key and ``count`` - 1 distractors, the key's rank among them drawn evenly.

    ``mistakes`` are (value, reason) pairs, the likeliest first; those that show like the key, like
    one before, or lie under ``lowest`` are passed over. Give at least ``count`` - 1 on either side
    of the key, so that every rank can be had: an option that only reads the numbers then does no
    better than chance. Returns None when there are too few.
    """
    below: list[Option] = []
    above: list[Option] = []
    seen = {show(key)}
    for value, reason in mistakes:
        text = show(value)
        if text in seen or (lowest is not None and value < lowest):
            continue
        seen.add(text)
        (below if value < key else above).append(Option(text, reason))
    if len(below) + len(above) < count - 1:
        return None
    rank = rng.randrange(count)
    rank = min(max(rank, count - 1 - len(above)), len(below))
    others = below[:rank] + above[: count - 1 - rank]
    return Option(show(key)), others


def crossed(
    key: int | Fraction,
    first: Mistake,
    second: Mistake,
    show: Callable[[int | Fraction], str],
    both: int | Fraction | None = None,
    lowest: int | Fraction | None = None,
) -> tuple[Option, list[Option]] | None:
    """The key, one mistake, another, and both together: like the corners of a square.

    From the corners nobody can tell which one is the key, as long as either mistake leads up as
    often as down; so prefer this to ``numeric``. ``both`` is the answer of one who makes both
    mistakes, by default ``first + second - key``. Returns None when two options show alike or one
    lies under ``lowest``.
    """
    last = first[0] + second[0] - key if both is None else both
    values = (key, first[0], second[0], last)
    if len({show(value) for value in values}) < 4:
        return None
    if lowest is not None and min(values) < lowest:
        return None
    reasons = (first[1], second[1], f"{first[1]}, and {second[1]}")
    others = [Option(show(v), reason) for v, reason in zip(values[1:], reasons, strict=True)]
    return Option(show(key)), others


def slips(key: int, steps: Sequence[int]) -> list[Mistake]:
    """Slips of a carry on either side of a whole number, nearest first: key ± 1, ± 10 …"""
    found: list[Mistake] = []
    for step in steps:
        found += [
            (key + step, f"carries {step:,} too much"),
            (key - step, f"carries {step:,} too little"),
        ]
    return found


def either(
    right: bool, yes: str, no: str, if_yes_wrong: str, if_no_wrong: str
) -> tuple[Option, Option]:
    """The key and the other option of a question that asks whether something holds."""
    if right:
        return Option(yes), Option(no, if_no_wrong)
    return Option(no), Option(yes, if_yes_wrong)
