"""The rationality table: one row a respondent and form, with corrected inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from rationale.inference import benjamini_hochberg, holm

SCHEMA = {
    "model": pl.String,
    "form": pl.String,
    "respondent": pl.String,
    "ccei": pl.Float64,
    "p_value": pl.Float64,
    "stars": pl.String,
    "p_plus": pl.Float64,
    "p_low": pl.Float64,
    "p_high": pl.Float64,
    "p_holm": pl.Float64,
    "p_bh": pl.Float64,
    "p_position": pl.Float64,
    "ceiling": pl.Float64,
    "ceiling_from": pl.String,
    "garp": pl.Boolean,
    "rounds": pl.Int64,
    "missing": pl.Int64,
    "refused": pl.Int64,
    "invalid": pl.Int64,
    "truncated": pl.Int64,
    "error": pl.Int64,
    "flipped": pl.Int64,
    "opening": pl.String,
    "draws": pl.Int64,
}


class Part(NamedTuple):
    """What one respondent and form bring to the table."""

    model: str
    form: str
    respondent: str
    test: Mapping[str, Any]
    utility: Mapping[str, Any]
    choices: pl.DataFrame
    rounds: pl.DataFrame


def rationality_table(parts: Sequence[Part]) -> pl.DataFrame:
    """The table, best p-value first within each form.

    Holm and Benjamini-Hochberg adjust ``p_plus`` over the respondents of one form; simulated
    respondents are a scale and no hypotheses, so they are adjusted among themselves.
    """
    rows = pl.DataFrame([_row(part) for part in parts], schema=SCHEMA)
    family = ["form", pl.col("respondent") == "simulated"]
    adjusted = [_adjust(group) for _, group in rows.group_by(*family, maintain_order=True)]
    order = ["form", "p_plus", "ccei", "model"]
    return pl.concat(adjusted).sort(order, descending=[False, False, True, False], nulls_last=True)


def _row(part: Part) -> dict[str, Any]:
    constrained = part.choices.filter(pl.col("round") > 0)
    counts = dict(constrained["status"].value_counts().iter_rows())
    opening = part.choices.filter(pl.col("round") == 0)["status"].item()
    answered = counts.pop("answered", 0)
    return {
        **{name: None for name in SCHEMA},
        **{name: part.test[name] for name in SCHEMA if name in part.test},
        "ceiling": part.utility["ceiling"],
        "ceiling_from": part.utility["ceiling_from"],
        "model": part.model,
        "form": part.form,
        "respondent": part.respondent,
        "rounds": answered,
        "missing": len(constrained) - answered,
        **{
            status: counts.get(status, 0) for status in ("refused", "invalid", "truncated", "error")
        },
        "flipped": int(part.rounds["flipped"].sum()),
        "opening": opening,
    }


def _adjust(group: pl.DataFrame) -> pl.DataFrame:
    p = group["p_plus"].to_numpy().astype(float)
    return group.with_columns(
        pl.Series("p_holm", holm(p)).fill_nan(None),
        pl.Series("p_bh", benjamini_hochberg(p)).fill_nan(None),
    )
