"""Whether published tables rest on enough replies: shares of what is missing against thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

CAUSES = ("missing", "refused", "invalid", "truncated", "error")
SCHEMA = {
    "model": pl.String,
    "study": pl.String,
    "form": pl.String,
    "respondent": pl.String,
    "cause": pl.String,
    "prompts": pl.Int64,
    "count": pl.Int64,
    "share": pl.Float64,
    "threshold": pl.Float64,
    "passes": pl.Boolean,
}
_CURES = {
    "missing": "see which causes add up in results/tables/replies.csv",
    "refused": "read the words in {answers}; other wording ({study}.forms) may be answered",
    "invalid": "read the words in {answers}; more asking.attempts or another form may help",
    "truncated": "raise params.max_tokens of models.{model} and run again: its calls are made anew",
    "error": "run again: only what was not answered is asked",
}
_RECORDED_ERROR = "the recorded file holds no reply to them"


def check_table(replies: pl.DataFrame, thresholds: Mapping[str, Any]) -> pl.DataFrame:
    """One row a respondent, study, form and cause: the share of prompts, and whether it passes.

    ``thresholds`` maps each cause to the largest share that passes, and ``simulated`` to whether
    simulated respondents are checked. Who was put no prompt has unknown shares, and fails as missing.
    """
    checked = [
        row
        for row in replies.iter_rows(named=True)
        if thresholds["simulated"] or row["respondent"] != "simulated"
    ]
    rows = [_row(row, cause, thresholds[cause]) for row in checked for cause in CAUSES]
    return pl.DataFrame(rows, schema=SCHEMA)


def explain(checked: pl.DataFrame, tables: Mapping[str, list[str]]) -> str:
    """What the check found, in words; ``tables`` lists the published tables of each study."""
    groups = checked.select("model", "study", "form").n_unique() if len(checked) else 0
    failed = checked.filter(~pl.col("passes"))
    if failed.is_empty():
        return (
            f"Every share is within the thresholds of 'check' in the config "
            f"({groups} respondents x forms checked; shares in results/check.csv)."
        )
    lines = [_line(row) for row in failed.iter_rows(named=True)]
    resting = [table for study in sorted(set(failed["study"])) for table in tables.get(study, [])]
    return "\n".join(
        [
            f"{len(failed)} shares are beyond the thresholds of 'check' in the config:",
            *lines,
            "Tables that rest on these replies:",
            *(f"  {table}" for table in resting),
            "Mend the cause, take the respondent out of the config, or accept the share by a higher "
            "threshold there. All shares: results/check.csv.",
        ]
    )


def _row(row: Mapping[str, Any], cause: str, threshold: float) -> dict[str, Any]:
    count = row["prompts"] - row["answered"] if cause == "missing" else row[cause]
    share = count / row["prompts"] if row["prompts"] else None
    return {
        **{name: row[name] for name in ("model", "study", "form", "respondent", "prompts")},
        "cause": cause,
        "count": count,
        "share": share,
        "threshold": float(threshold),
        "passes": cause != "missing" if share is None else share <= threshold,
    }


def _line(row: Mapping[str, Any]) -> str:
    answers = f"results/{row['study']}/{row['model']}/{row['form']}/answers/"
    cure = _CURES[row["cause"]].format(answers=answers, model=row["model"], study=row["study"])
    if row["cause"] == "error" and row["respondent"] == "recorded":
        cure = _RECORDED_ERROR
    return (
        f"  {row['model']}, {row['study']}, {row['form']}: {row['count']} of {row['prompts']} "
        f"{row['cause']}, {_percent(row['share'])}; allowed: {_percent(row['threshold'])} "
        f"(check.{row['cause']}). {cure[0].upper()}{cure[1:]}."
    )


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f} %"
