"""What came of the prompts of a respondent and form: the counts that tables rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

STATUSES = ("answered", "refused", "invalid", "truncated", "error")
SCHEMA = {
    "model": pl.String,
    "study": pl.String,
    "form": pl.String,
    "respondent": pl.String,
    "questions": pl.Int64,
    "prompts": pl.Int64,
    **dict.fromkeys(STATUSES, pl.Int64),
    "missing_share": pl.Float64,
    "attempts": pl.Int64,
    "first_asked": pl.String,
    "last_asked": pl.String,
    "model_reported": pl.String,
    "params_sent": pl.String,
    "params_dropped": pl.String,
}
_SEPARATOR = "; "


def replies_of(
    study: str, model: str, form: str, statuses: pl.DataFrame, answers: pl.DataFrame
) -> dict[str, Any]:
    """What came of a respondent's prompts in one form, as plain values.

    ``statuses`` has a row a prompt: its ``question`` (round or scenario) and the ``status`` that it
    ended with; ``answers`` is the table of attempts at these prompts.
    """
    counts = dict(statuses["status"].value_counts().iter_rows())
    return {
        "model": model,
        "study": study,
        "form": form,
        "questions": statuses["question"].n_unique(),
        "prompts": len(statuses),
        **{status: counts.get(status, 0) for status in STATUSES},
        "attempts": len(answers),
        "first_asked": answers["asked_at"].min(),
        "last_asked": answers["asked_at"].max(),
        **{
            name: answers[name].drop_nulls().unique().sort().to_list()
            for name in ("model_reported", "params_sent", "params_dropped")
        },
    }


def replies_table(parts: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> pl.DataFrame:
    """One row a respondent, study and form, in their alphabetical order.

    ``missing_share`` is the share of prompts that ended without an answer, whatever the cause; unknown
    where nothing was put. Dates are those of a provider's replies: what is simulated or read from a
    file has none.
    """
    rows = [_row(part, kinds[part["model"]]) for part in parts]
    return pl.DataFrame(rows, schema=SCHEMA).sort("model", "study", "form")


def _row(part: Mapping[str, Any], kind: str) -> dict[str, Any]:
    dated = kind == "llm"
    return {
        **part,
        "respondent": kind,
        "missing_share": 1 - part["answered"] / part["prompts"] if part["prompts"] else None,
        "first_asked": part["first_asked"] if dated else None,
        "last_asked": part["last_asked"] if dated else None,
        **{
            name: _SEPARATOR.join(part[name])
            for name in ("model_reported", "params_sent", "params_dropped")
        },
    }
