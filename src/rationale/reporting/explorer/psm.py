"""What the explorer shows of the priced survey: rounds as shown, and what was chosen in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rationale.reporting.explorer.packing import Block, coded
from rationale.surveys.psm.survey import Survey

STATUSES = ("answered", "refused", "invalid", "truncated", "error")


class Respondent(NamedTuple):
    """A model in a form: its rounds (tables.ROUNDS) and choices (tables.CHOICES)."""

    model: str
    form: str
    rounds: pl.DataFrame
    choices: pl.DataFrame


@dataclass(frozen=True)
class Psm:
    survey: Survey
    respondents: Sequence[Respondent]


def psm_blocks(study: Psm) -> dict[str, Block]:
    """Block ``psm``: every sheet of options once, whose rounds show it, and the choices."""
    survey, respondents = study.survey, study.respondents
    choices = [one.choices.sort("round") for one in respondents]
    statuses, status = coded(
        pl.concat([pl.Series([], dtype=pl.String), *(rows["status"] for rows in choices)]), STATUSES
    )
    block = Block(
        {
            "title": survey.title,
            "high": survey.high,
            "ends": [survey.low_label, survey.high_label],
            "statements": [[one.slug, one.text, one.reworded] for one in survey.statements],
            "respondents": [[one.model, one.form] for one in respondents],
            "statuses": statuses,
        }
    )
    _add_sheets(block, respondents)
    block.column("choices.n", list(map(len, choices)))
    block.column("c.status", status)
    for name in ("round", "option", "attempts"):
        block.column(f"c.{name}", _joined([rows[name].fill_null(0) for rows in choices]))
    block.lists(
        "c.answer",
        pl.concat([pl.Series([], dtype=pl.List(pl.Int64)), *(rows["answer"] for rows in choices)]),
    )
    return {"psm": block}


def psm_summary(study: Psm) -> dict[str, Any]:
    """How many rounds there are, and of each respondent: rounds, and those with a choice."""
    return {
        "rounds": study.survey.rounds,
        "respondents": [
            [one.model, one.form, len(rows := one.choices.filter(pl.col("round") > 0)),
             int((rows["status"] == "answered").sum())]
            for one in study.respondents
        ],
    }  # fmt: skip


def _add_sheets(block: Block, respondents: Sequence[Respondent]) -> None:
    """Sheets that respondents share stand once: a round's number and flip decide most of them."""
    known: dict[tuple, int] = {}
    kept, numbers = [], []
    for one in respondents:
        rounds, fresh = one.rounds.sort("round"), []
        for row, mark in enumerate(_marks(rounds)):
            if mark not in known:
                known[mark] = len(known)
                fresh.append(row)
            numbers.append(known[mark])
        kept.append(rounds[fresh])
    block.column("rounds.n", [len(one.rounds) for one in respondents])
    block.column("sheet", np.array(numbers, dtype=np.int64))
    _add_kept(block, [rounds for rounds in kept if len(rounds)])


def _marks(rounds: pl.DataFrame) -> Iterator[tuple]:
    """What tells a round's sheet from another: its number, flip and options in the order shown."""
    flat = rounds["options"].explode().explode().to_numpy()
    ends = np.cumsum(rounds["options"].list.len().to_numpy()) * _statements(rounds)
    for number, flipped, first, last in zip(
        rounds["round"], rounds["flipped"], np.r_[0, ends], ends, strict=False
    ):
        yield number, flipped, flat[first:last].tobytes()


def _statements(rounds: pl.DataFrame) -> int:
    return len(rounds["corner"][0]) if len(rounds) else 0


def _add_kept(block: Block, kept: Sequence[pl.DataFrame]) -> None:
    empty = {"round": pl.Int64, "flipped": pl.Boolean, "budget": pl.Float64}
    sheets = pl.concat(kept) if kept else pl.DataFrame(schema=empty)
    block.column("s.round", sheets["round"].to_numpy())
    block.column("s.flipped", sheets["flipped"].to_numpy())
    block.column("s.budget", sheets["budget"].to_numpy())
    if not kept:
        return
    block.lists("s.corner", sheets["corner"])
    block.lists("s.prices", sheets["prices"])
    block.column("s.shown", sheets["options"].list.len().to_numpy())
    block.column("s.options", sheets["options"].explode().explode().to_numpy())


def _joined(columns: Sequence[pl.Series]) -> np.ndarray:
    return np.concatenate([np.array([], dtype=np.int64), *(one.to_numpy() for one in columns)])
