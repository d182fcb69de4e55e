"""Report cards as pages: one file each, without any request, for the screen, a phone and paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from rationale.figures.style import KIND_WORDS
from rationale.reporting.cards import BY_CHANCE, Card, Line, Lower, Score
from rationale.reporting.cards_reading import (
    against_guessing,
    as_shares,
    beneath,
    by_domain,
    most_below,
    named,
)
from rationale.reporting.numbers import number
from rationale.scoring.accuracy import normalised_accuracy
from rationale.surveys.steer.behaviours import RATIONAL, SAYS
from rationale.surveys.steer.rubrics import Rubric

METRIC_NAMES = {
    "normalised": "Normalised accuracy",
    "accuracy": "Accuracy",
    "printed": "Accuracy against guessing, as printed",
}
# Where something else than the right answer counts, nothing is accurate.
SHARE_NAME = "Share that counts"
FORMULAS = {
    "normalised": "(a − r)/(1 − r): 1 is every answer, 0 as many as by guessing",
    "accuracy": "a: 1 is every answer",
    "printed": "(a − r)/r, the study's printed formula: 0 is as many as by guessing",
}
# Paper, towards blue above guessing, towards brown below it: apart for colour-blind readers too.
_PAPER, _ABOVE, _BELOW = (246, 247, 249), (8, 81, 116), (140, 81, 10)
# Black on white is just strong enough: some grounds in between reach no more than 4.58 to 1.
_INK, _WHITE = "#000000", "#ffffff"
_LEGEND = (-0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)
_NAMED, _WORST = 3, 8
# Ends of an axis are sums of floats.
_SLACK = 1e-9


class Axis(NamedTuple):
    """The range of scores that strips of one card show, and where guessing lies, if in one place."""

    low: float
    high: float
    guess: float | None


def card_html(card: Card, label: str, kind: str) -> str:
    """A card as a page. ``label`` names the model, ``kind`` is llm, recorded or simulated.

    Where something else than the right answer counts, every score shown is the share that counts.
    """
    shares = bool(card.rubric.polarity)
    card = as_shares(card) if shares else card
    axis = _axis(card)
    fails = beneath(card)
    return (
        _environment()
        .get_template("card.html")
        .render(
            card=card,
            rubric=card.rubric,
            label=label,
            kind=kind,
            kind_words=KIND_WORDS,
            head=card.headline,
            metric=metric_name(card.rubric),
            formula=FORMULAS[card.rubric.metric],
            counted=counted(card),
            shares=shares,
            verdict=against_guessing(card.headline, card.rubric.metric),
            settings=_settings(card),
            legend=[(value, shade(value)) for value in _LEGEND if value >= 0 or not shares],
            worst=most_below(card, _WORST),
            worst_word="lowest" if shares else "worst",
            fails=fails,
            most=_NAMED,
            by_chance=BY_CHANCE * card.compared,
            unresolved=len(card.lower) - sum(len(pairs) for _, pairs in fails),
            domains=[line._replace(label=_told(line, count)) for line, count in by_domain(card)],
            axis=axis,
            strip=lambda score: strip(score, axis),
            cut=any(beyond(score, axis) for score in _drawn(card)),
            beyond=lambda score: beyond(score, axis),
            ground=lambda score: shade(score.share if shares else _closes(score)),
            shade=shade,
            number=number,
            interval=interval,
            bounds=_interval_text,
            named=named,
            against=lambda score: against_guessing(score, card.rubric.metric),
        )
    )


def cards_index_html(
    tables: Sequence[pl.DataFrame], labels: Mapping[str, str], kinds: Mapping[str, str]
) -> str:
    """A page that lists every model's headline under every rubric, with links to the cards.

    ``tables`` are what `card_csv` gave; a card stands beside the page as ``{model}/{rubric}.html``.
    Models stand in the order of ``kinds``, rubrics in that of the tables.
    """
    rows = [row for table in tables for row in table.filter(section="card").to_dicts()]
    cells = {(row["model"], row["rubric"]): row for row in rows}
    rubrics = {row["rubric"]: row for row in rows}
    there = {row["model"] for row in rows}
    return _environment().get_template("cards_index.html").render(
        models=[model for model in kinds if model in there],
        rubrics=rubrics,
        cells=cells,
        labels=labels,
        kinds=kinds,
        kind_words=KIND_WORDS,
        metric=lambda row: SHARE_NAME if _shares(row) else METRIC_NAMES[row["metric"]],
        shares=_shares,
        score=lambda row: row["share"] if _shares(row) else row["score"],
        says={**SAYS, "mixed": "an answer that differs by element"},
        number=number,
        ground=lambda row: shade(
            row["share"] if _shares(row) else _closes_gap(row["share"], row["guess_rate"])
        ),
        interval=lambda row: _interval_text(row["share_low"], row["share_high"])
        if _shares(row)
        else _interval_text(row["low"], row["high"]),
    )  # fmt: skip


def _shares(row: Mapping[str, Any]) -> bool:
    """Whether a card's row is shown as the share that counts."""
    return row["counts"] != RATIONAL


def _environment() -> Environment:
    loader = PackageLoader("rationale.reporting", "")
    return Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def metric_name(rubric: Rubric) -> str:
    """What the score is called."""
    return SHARE_NAME if rubric.polarity else METRIC_NAMES[rubric.metric]


def counted(card: Card) -> str:
    """What counts on the card, in words."""
    rubric = card.rubric
    by_name: dict[str, list[str]] = {}
    for slug in rubric.elements:
        by_name.setdefault(rubric.counts(slug), []).append(card.names[slug])
    if len(by_name) == 1:
        return SAYS[next(iter(by_name))]
    said = [
        f"{SAYS[name]}, in {', '.join(names)}"
        for name, names in by_name.items()
        if name != RATIONAL
    ]
    rest = f"; elsewhere it {SAYS[RATIONAL]}" if RATIONAL in by_name else ""
    return f"The card {'; '.join(said)}{rest}."


def interval(score: Score | Lower) -> str:
    """``0.31 to 0.44``, an en dash where there is none."""
    return _interval_text(score.low, score.high)


def _interval_text(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{number(low, 2)} to {number(high, 2)}"


def _closes(score: Score) -> float | None:
    return _closes_gap(score.share, score.guess_rate)


def _closes_gap(share: float | None, guess: float | None) -> float | None:
    """The normalised accuracy, which colours stand for whatever the metric; None for none."""
    if share is None or guess is None or guess == 1:
        return None
    return float(normalised_accuracy(share, guess))


def shade(value: float | None) -> tuple[str, str]:
    """Colours of ground and text for a normalised accuracy: at least 4.5 to 1 against each other."""
    if value is None:
        return _WHITE, _INK
    end, share = (_ABOVE, value) if value >= 0 else (_BELOW, -2 * value)
    share = min(1.0, share)
    mixed = [round(a + (b - a) * share) for a, b in zip(_PAPER, end, strict=True)]
    ground = "#" + "".join(f"{part:02x}" for part in mixed)
    text = _WHITE if contrast(ground, _WHITE) > contrast(ground, _INK) else _INK
    return ground, text


def contrast(one: str, other: str) -> float:
    """The ratio of two colours' luminances, from 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _settings(card: Card) -> list[dict[str, Any]]:
    """Settings with their modules, and those with their elements."""
    elements, modules = card.of("element"), card.of("module")
    return [
        {
            "line": setting,
            "modules": [
                {"line": module, "elements": [e for e in elements if e.within == module.name]}
                for module in modules
                if module.within == setting.name
            ],
        }
        for setting in card.of("setting")
    ]


def _told(line: Line, elements: int) -> str:
    return f"{line.label} ({elements} element{'' if elements == 1 else 's'})"


def _axis(card: Card) -> Axis:
    shown = [card.headline, *(line.score for line in card.lines)]
    if card.rubric.metric == "accuracy":
        return Axis(0.0, 1.0, None)
    low = min([0.0, *_present(one.low if one.low is not None else one.score for one in shown)])
    if card.rubric.metric == "normalised":
        return Axis(max(-1.0, low), 1.0, 0.0)
    high = max([1.0, *_present(one.high if one.high is not None else one.score for one in shown)])
    return Axis(low, high, 0.0)


def _present(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def strip(score: Score, axis: Axis, width: int = 180) -> dict[str, float | None]:
    """Where the marks of a strip lie, in pixels from its left end; None for a score beyond an end."""

    def place(value: float | None) -> float | None:
        if value is None:
            return None
        inside = min(max(value, axis.low), axis.high)
        return round(4 + (width - 8) * (inside - axis.low) / (axis.high - axis.low), 1)

    guess = score.guess_rate if axis.guess is None else axis.guess
    dot = None if beyond(Score(0, 0, score=score.score), axis) else score.score
    values = {"score": dot, "low": score.low, "high": score.high, "guess": guess}
    return {"width": width, **{name: place(value) for name, value in values.items()}}


def beyond(score: Score, axis: Axis) -> str:
    """Past which ends of the axis a score or its interval goes on: ``left``, ``right`` or neither."""
    known = _present((score.score, score.low, score.high))
    ends = {
        "left": any(value < axis.low - _SLACK for value in known),
        "right": any(value > axis.high + _SLACK for value in known),
    }
    return " and ".join(end for end, past in ends.items() if past)


def _drawn(card: Card) -> list[Score]:
    """The scores that have a strip."""
    lines = [*card.of("grade"), *card.of("domain"), *card.of("form")]
    return [card.headline, *(line.score for line in lines)]
