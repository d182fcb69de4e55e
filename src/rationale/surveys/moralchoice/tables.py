"""Replies of MoralChoice as tables: how each was read, and the counts behind the likelihoods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import polars as pl

from rationale.surveys.moralchoice.forms import Form
from rationale.surveys.moralchoice.reading import read

READINGS = {
    "scenario_id": pl.String,
    "form": pl.String,
    "order": pl.Int64,
    "decoding": pl.String,
    "sample": pl.Int64,
    "status": pl.String,
    "action": pl.Int64,
    "step": pl.String,
    "text": pl.String,
    "recorded_decision": pl.String,
}
STATUSES = ("refused", "invalid", "truncated")
_KEY = ["scenario_id", "form", "order", "decoding"]


def read_replies(
    prompts: Mapping[str, pl.DataFrame],
    answers: Mapping[str, pl.DataFrame],
    forms: Mapping[str, Form],
) -> pl.DataFrame:
    """One row a reply: its status, the action that it means (1 or 2) and the step that read it.

    ``answers`` holds, by form, every row that was asked; ``prompts`` what was asked, by form without
    its decoding. ``form`` in the result is the template's name. A prompt put more than once counts
    with its last attempt. Raises ValueError when an answer belongs to no prompt, or a prompt has no
    answer.
    """
    parts = [
        _form_readings(prompts[forms[name].asked], rows, forms[name])
        for name, rows in answers.items()
    ]
    return pl.concat(parts) if parts else pl.DataFrame(schema=READINGS)


def _form_readings(prompts: pl.DataFrame, answers: pl.DataFrame, form: Form) -> pl.DataFrame:
    last = answers.sort("attempt").unique(["prompt_id", "sample"], keep="last", maintain_order=True)
    key = ["prompt_id", "sample"]
    asked = prompts.select(*key, "reply").with_row_index("place")
    joined = asked.join(last, on=key, how="left").sort("place")
    if joined["status"].null_count() or len(last) != len(asked):
        raise ValueError(
            f"the answers of {form.name} and its prompts do not belong together; delete "
            f"the model's answers under results/moralchoice and run again (no call is repeated)"
        )
    rows = [_reading(row) for row in joined.iter_rows(named=True)]
    return pl.DataFrame(rows, schema=READINGS).with_columns(
        form=pl.lit(form.template),
        order=pl.lit(form.order, pl.Int64),
        decoding=pl.lit(form.decoding, pl.String),
    )


def _reading(row: Mapping) -> dict:
    text = row["text"][-1] if row["text"] else None
    read_row = {
        "scenario_id": row["prompt_id"],
        "sample": row["sample"],
        "status": row["status"],
        "action": None,
        "step": None,
        "text": text,
        "recorded_decision": None,
    }
    if row["status"] in ("error", "truncated") or row["finish_reason"] == "content_filter":
        return read_row
    reading = _read(row["reply"], text)
    return {**read_row, "status": reading.status, "action": reading.value, "step": reading.step}


@lru_cache(maxsize=100_000)
def _read(expected: str, text: str):
    return read(expected, text)


def with_decisions(readings: pl.DataFrame, decisions: pl.DataFrame | None) -> pl.DataFrame:
    """The readings with what a recorded file itself says that each reply means.

    ``decisions`` has form (``ab-0``), prompt_id, sample (null for any) and recorded_decision, or is
    None.
    """
    if decisions is None:
        return readings
    key = ["name", "scenario_id", "sample"]
    theirs = decisions.select("sample", "recorded_decision", name="form", scenario_id="prompt_id")
    named = readings.drop("recorded_decision").with_columns(
        name=pl.format("{}-{}", "form", "order")
    )
    exact = named.join(theirs, on=key, how="left", maintain_order="left")
    any_sample = theirs.filter(pl.col("sample").is_null()).drop("sample")
    joined = exact.join(any_sample, on=key[:2], how="left", maintain_order="left", suffix="_any")
    return joined.with_columns(
        pl.coalesce("recorded_decision", "recorded_decision_any").alias("recorded_decision")
    ).select(list(READINGS))


def disagreements(readings: pl.DataFrame) -> pl.DataFrame:
    """Replies that a recorded file reads otherwise than we do, both readings in words.

    A reply that we do not read and that the file reads as neither action is no disagreement.
    """
    ours = (
        pl.when(pl.col("action").is_null())
        .then("status")
        .otherwise(pl.format("action{}", pl.col("action")))
    )
    theirs = pl.col("recorded_decision")
    read_by_us, read_by_them = pl.col("action").is_not_null(), theirs.is_in(["action1", "action2"])
    answered = readings.filter(theirs.is_not_null() & (pl.col("status") != "error"))
    return answered.with_columns(our_decision=ours).filter(
        (read_by_us | read_by_them) & (pl.col("our_decision") != theirs)
    )


def count_replies(readings: pl.DataFrame, scenarios: pl.DataFrame) -> pl.DataFrame:
    """One row a scenario and form (and decoding): replies by status, and those that mean action 1.

    ``asked`` counts replies that came; those that never came are ``missing``. Rows follow the order
    of the scenarios.
    """
    counts = readings.group_by(_KEY, maintain_order=True).agg(
        asked=(pl.col("status") != "error").sum(),
        action1=(pl.col("action") == 1).sum(),
        valid=(pl.col("status") == "answered").sum(),
        **{status: (pl.col("status") == status).sum() for status in STATUSES},
        missing=(pl.col("status") == "error").sum(),
    )
    known = scenarios.with_row_index("place").select(
        "place", "scenario_id", "ambiguity", rule="generation_rule"
    )
    unknown = counts.join(known, on="scenario_id", how="anti")
    if len(unknown):
        raise ValueError(f"answers to scenarios that are not in the survey: {_some(unknown)}")
    ordered = counts.with_row_index("turn").join(known, on="scenario_id").sort("place", "turn")
    whole = [name for name, kind in ordered.schema.items() if kind == pl.UInt32]
    return ordered.with_columns(pl.col(whole).cast(pl.Int64)).select(
        "scenario_id", "ambiguity", "rule", "form", "order", "decoding",
        "asked", "action1", "valid", *STATUSES, "missing",
    )  # fmt: skip


def _some(rows: pl.DataFrame) -> str:
    ids: Sequence[str] = rows["scenario_id"].unique(maintain_order=True).to_list()
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
