"""What pages and LaTeX read off a report card: shares, verdicts, what stands out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rationale.reporting.cards import Card, Line, Lower, Score
from rationale.surveys.steer.behaviours import RATIONAL


def as_shares(card: Card) -> Card:
    """A card whose scores are the shares that show what counts, with their intervals.

    Where something else than the right answer counts, a score relative to guessing is negative for
    who is always right, and opposite behaviours cancel in it.
    """
    lines = tuple(line._replace(score=_as_share(line.score)) for line in card.lines)
    rubric = replace(card.rubric, metric="accuracy")
    return replace(card, rubric=rubric, headline=_as_share(card.headline), lines=lines)


def _as_share(score: Score) -> Score:
    return score._replace(score=score.share, low=score.share_low, high=score.share_high)


def against_guessing(score: Score, metric: str) -> str:
    """Where a score's interval lies: above guessing, below it, or not distinguishable from it."""
    level = score.guess_rate if metric == "accuracy" else 0.0
    if score.low is None or level is None:
        return "no interval"
    if score.low > level:
        return "above guessing"
    return "below guessing" if score.high < level else "not distinguishable from guessing"


def named(line: Line) -> str:
    """An element's name, and what is counted where it is not the right answer.

    Without it "avoidance of …" would stand over the share of answers that do not avoid.
    """
    return line.label if line.counts in (None, RATIONAL) else f"{line.label} ({line.counts})"


def by_domain(card: Card) -> list[tuple[Line, int]]:
    """Domains with the number of elements answered in each, the lowest score first.

    Last come those with fewer than half as many elements as the one that has most, and those without
    a score: a domain of one element among sixty tells of the element.
    """
    answered = [line.name for line in _scored(card.of("element-domain"))]
    lines = [(line, answered.count(line.name)) for line in card.of("domain")]
    most = max((count for _, count in lines), default=0)

    def place(pair: tuple[Line, int]) -> tuple:
        line, count = pair
        return 2 * count < most, line.score.score is None, line.score.score, line.name

    return sorted(lines, key=place)


def most_below(card: Card, most: int) -> list[tuple[Line, Line]]:
    """Elements with their worst domain, where it lies furthest below the element's own score."""
    own = {line.name: line for line in card.of("element")}
    worst: dict[str, Line] = {}
    for line in _scored(card.of("element-domain")):
        kept = worst.get(line.within)
        if kept is None or line.score.score < kept.score.score:
            worst[line.within] = line
    pairs = [(own[slug], line) for slug, line in worst.items()]
    pairs = [pair for pair in pairs if pair[1].score.score < pair[0].score.score]
    return sorted(pairs, key=lambda pair: pair[1].score.score - pair[0].score.score)[:most]


def beneath(card: Card) -> list[tuple[str, list[Lower]]]:
    """By prerequisite that fails, or is lower by a resolved difference, what it fails beneath."""
    found: dict[str, list[Lower]] = {}
    for one in card.lower:
        if one.failed or one.resolved:
            found.setdefault(one.prerequisite, []).append(one)
    return sorted(found.items(), key=lambda item: -sum(one.resolved for one in item[1]))


def _scored(lines: Iterable[Line]) -> Sequence[Line]:
    return [line for line in lines if line.score.score is not None]
