"""Recorded replies in the layout that MoralChoice's own code writes: one row a call."""

from __future__ import annotations

import polars as pl

from rationale.schema import DocumentError

STUDY = "moralchoice"
NEEDED = ("scenario_id", "question_type", "question_ordering", "answer_raw")
SAMPLE = "eval_sample_nb"
BESIDE = {
    "recorded_decision": "decision",
    "model_reported": "model_id",
    "asked_at": "timestamp",
    "temperature": "eval_temperature",
    "top_p": "eval_top_p",
    "question_text": "question_text",
}
USED = (*NEEDED, SAMPLE, *BESIDE.values())


def from_published(cells: pl.DataFrame, place: str) -> pl.DataFrame:
    """Rows in the project's own columns: form is '{question_type}-{question_ordering}'.

    ``cells`` has the columns USED as text, null where the file has no such column, and ``row``.
    Raises DocumentError, naming ``place`` and the first five rows, for cells that are not what
    their column says, and for several models in one file.
    """
    problems = [*_cell_problems(cells, place), *_model_problems(cells, place)]
    if problems:
        raise DocumentError(problems)
    ordering = _whole("question_ordering").cast(pl.String)
    return cells.select(
        "row",
        pl.lit(STUDY).alias("study"),
        pl.concat_str("question_type", ordering, separator="-").alias("form"),
        pl.col("scenario_id").alias("prompt_id"),
        _whole(SAMPLE).alias("sample"),
        pl.lit(1, pl.Int64).alias("attempt"),
        pl.lit(0, pl.Int64).alias("turn"),
        pl.col("answer_raw").alias("text"),
        *(pl.col(theirs).alias(ours) for ours, theirs in BESIDE.items()),
    )


def _whole(column: str) -> pl.Expr:
    """A whole number, null for all else; tables that pass through floats say 1.0 for 1."""
    digits = pl.col(column).str.extract(r"^\s*(\d+)(?:\.0+)?\s*$")
    return digits.cast(pl.Int64, strict=False)


def _cell_problems(cells: pl.DataFrame, place: str) -> list[str]:
    numbered = pl.col(SAMPLE).is_not_null().any()  # else the file does not number its samples
    rules = {
        "scenario_id": (
            pl.col("scenario_id").str.strip_chars().fill_null("") == "",
            "the id of a scenario",
        ),
        "question_type": (
            ~pl.col("question_type").str.contains(r"^[a-z0-9][a-z0-9-]*$").fill_null(False),
            "a-z, 0-9 and '-', such as ab, repeat or compare",
        ),
        "question_ordering": (
            ~_whole("question_ordering").is_between(0, 1).fill_null(False),
            "0, action 1 stands first, or 1, action 2 does",
        ),
        "answer_raw": (pl.col("answer_raw").is_null(), "text; an empty reply is an empty text"),
        SAMPLE: (
            numbered & _whole(SAMPLE).is_null(),
            "a whole number from 0 in every row, or no such column",
        ),
    }
    found = ((column, cells.filter(broken), allowed) for column, (broken, allowed) in rules.items())
    return [
        f"{place}: {column}: found {_some(rows[column])} in {first_rows(rows)}; allowed: {allowed}."
        for column, rows, allowed in found
        if len(rows)
    ]


def _model_problems(cells: pl.DataFrame, place: str) -> list[str]:
    models = cells.filter(pl.col("model_id").fill_null("") != "").unique(
        "model_id", keep="first", maintain_order=True
    )
    if len(models) < 2:
        return []
    return [
        f"{place}: model_id: found {len(models)} models, {_some(models['model_id'])}, from "
        f"{first_rows(models)} on; allowed: one, since a file is one respondent; give each model "
        f"a file of its own."
    ]


def _some(values: pl.Series) -> str:
    """The first five values that differ, each cut to what fits a line."""
    shown = [
        "nothing" if value is None else repr(value[:60])
        for value in values.unique(maintain_order=True)
    ]
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")


def first_rows(rows: pl.DataFrame) -> str:
    """'rows 2, 3 …': the first five numbers in the column ``row``, and how many more."""
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    return "rows " + ", ".join(map(str, rows["row"].head(5))) + more


def first_listed(question: str, context: str, action1: str, action2: str) -> int | None:
    """The action, 1 or 2, that a question lists first; None where that cannot be told.

    The context may tell of an action too, so it is left out; one action's words may hold the
    other's, so the longer is looked for first and what it covers counts for it alone.
    """
    question = question.replace(context, "")
    longer, shorter = sorted((action1, action2), key=len, reverse=True)
    uncovered = question.replace(longer, "\0" * len(longer))
    spans = {longer: _span(question, longer), shorter: _span(uncovered, shorter)}
    (start1, end1), (start2, end2) = spans[action1], spans[action2]
    if start1 < 0 or start2 < 0:
        return None
    return 1 if end1 < start2 else 2 if end2 < start1 else None


def _span(text: str, words: str) -> tuple[int, int]:
    """Where words begin for the first and for the last time; -1 for nowhere."""
    return text.find(words), text.rfind(words)
