"""How many questions there are of each element, domain and grade."""

from __future__ import annotations

import polars as pl

COUNTS = {
    "setting": pl.String,
    "module": pl.String,
    "element": pl.String,
    "domain": pl.String,
    "grade": pl.Int64,
    "origin": pl.String,
    "templates": pl.Int64,
    "questions": pl.Int64,
    "parts": pl.Int64,
    "keyed": pl.Int64,
    "by_rule": pl.Int64,
    "guess_rate": pl.Float64,
}


def question_counts(questions: pl.DataFrame) -> pl.DataFrame:
    """A row a cell and origin (written, retold by whom, published), in the columns of COUNTS.

    ``keyed`` and ``by_rule`` count questions graded by keys and by a rule; published questions that
    have neither are in ``questions`` alone. ``guess_rate`` is the mean chance of guessing right.
    """
    whole = questions.group_by("question_id", "element", "origin", maintain_order=True).agg(
        pl.col("setting", "module", "domain", "grade", "template", "rule", "guess_rate").first(),
        pl.col("key").is_not_null().all().alias("keyed"),
        pl.len().alias("parts"),
    )
    cells = whole.group_by(
        "setting", "module", "element", "domain", "grade", "origin", maintain_order=True
    ).agg(
        pl.col("template").n_unique().alias("templates"),
        pl.len().alias("questions"),
        pl.col("parts").sum(),
        pl.col("keyed").sum(),
        pl.col("rule").is_not_null().sum().alias("by_rule"),
        pl.col("guess_rate").mean(),
    )
    return cells.select(*COUNTS).cast(COUNTS)
