"""A report card as a table: every number a row."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from rationale.reporting.cards import Card, Line, Lower, known
from rationale.surveys.steer.behaviours import RATIONAL

CSV_SCHEMA = {
    "model": pl.String,
    "rubric": pl.String,
    "form": pl.String,
    "metric": pl.String,
    "section": pl.String,
    "name": pl.String,
    "within": pl.String,
    "label": pl.String,
    "counts": pl.String,
    "questions": pl.Int64,
    "answered": pl.Int64,
    "share": pl.Float64,
    "guess_rate": pl.Float64,
    "score": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "note": pl.String,
    "share_low": pl.Float64,
    "share_high": pl.Float64,
    "right_share": pl.Float64,
    "right_low": pl.Float64,
    "right_high": pl.Float64,
    "pairs": pl.Int64,
}


def card_csv(card: Card) -> pl.DataFrame:
    """Every number of a card, a row each, in the columns of CSV_SCHEMA.

    Sections: card, unread, form, setting, module, element, element-domain (a domain within an
    element), grade, domain, prerequisite (score is the element's less that of the prerequisite,
    which is named; the element is what it lies within), pairs (of elements and prerequisites: how
    many were compared, in how many the prerequisite is lower and that is resolved), without-data and
    left-out.
    """
    shared = {
        "model": card.model,
        "rubric": card.rubric.name,
        "form": card.rubric.form,
        "metric": card.rubric.metric,
    }
    rows = [{**shared, **row} for row in _rows(card)]
    return pl.DataFrame(rows, schema=CSV_SCHEMA)


def _rows(card: Card) -> Iterator[dict]:
    rubric = card.rubric
    counts = {rubric.counts(slug) for slug in rubric.elements}
    counted = counts.pop() if len(counts) == 1 else "mixed"
    headline = Line("card", rubric.name, None, rubric.title, card.headline, counted)
    for line in (headline, *card.lines):
        yield {**line._asdict(), **line.score._asdict()}
    if card.unread_rate is not None:
        rate = dict(zip(("score", "low", "high"), map(known, card.unread_rate), strict=True))
        put = card.headline.questions
        yield {"section": "unread", "name": "all", "label": "Unread", "questions": put, **rate}
        for status, number in card.unread.items():
            share = number / put
            yield {"section": "unread", "name": status, "questions": number, "share": share}
    yield from map(_lower_row, card.lower)
    for name, pairs in (("compared", card.compared), ("resolved", card.resolved)):
        yield {"section": "pairs", "name": name, "pairs": pairs, "counts": RATIONAL}
    for section, found in (("without-data", card.without_data), ("left-out", card.left_out)):
        for one in found:
            row = {"section": section, **one._asdict(), "note": one.reason}
            yield {key: value for key, value in row.items() if key != "reason"}


def _lower_row(one: Lower) -> dict:
    return {
        "section": "prerequisite",
        "name": one.prerequisite,
        "within": one.element,
        "questions": one.below.questions,
        "answered": one.below.answered,
        "share": one.below.share,
        "guess_rate": one.below.guess_rate,
        "score": one.difference,
        "low": one.low,
        "high": one.high,
        "counts": RATIONAL,
        "note": one.finding,
    }
