"""The utility table: one row a respondent, form and estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rationale.reporting.latex import escape, number, tabular

_HEAD = ("model", "form", "respondent", "passes", "estimator", "status")
_NOTE = (
    "Weights $a$ (sum 1) and ideals $b$ of $-\\frac12\\sum_s a_s(q_s-b_s)^2$ by conditional logit "
    "over the options shown; standard errors in brackets. An asterisk marks respondents that pass the "
    "rationality test at 5\\,\\%; the other rows describe answers, not preferences."
)


def utility_table(
    found: Sequence[tuple[str, str, Mapping[str, Any]]],
    rationality: pl.DataFrame,
    statements: Sequence[str],
) -> pl.DataFrame:
    """Estimates of ``(model, form, estimates)`` beside whether the respondent passes at 5 %.

    Columns a_*, b_* and their se_* are named by the statements' slugs.
    """
    test = {(row["model"], row["form"]): row for row in rationality.iter_rows(named=True)}
    rows = []
    for model, form, estimates in found:
        row = test[model, form]
        passes = row["p_value"] is not None and row["p_value"] <= 0.05
        for fit in estimates["fits"]:
            head = (model, form, row["respondent"], passes, fit["estimator"], fit["status"])
            rows.append({**dict(zip(_HEAD, head, strict=True)), **_numbers(fit, statements)})
    return pl.DataFrame(rows, schema=_schema(statements)).sort("form", "estimator", "model")


def _numbers(fit: Mapping[str, Any], statements: Sequence[str]) -> dict[str, float | None]:
    parts = {"a": "weights", "b": "ideal", "se_a": "weights_se", "se_b": "ideal_se"}
    return {
        **{
            f"{head}_{slug}": value
            for head, name in parts.items()
            for slug, value in zip(statements, fit[name], strict=True)
        },
        "noise": fit["noise"],
        "se_noise": fit["noise_se"],
        "loss": fit["loss"],
    }


def _schema(statements: Sequence[str]) -> dict[str, Any]:
    numbers = [f"{head}_{slug}" for head in ("a", "b", "se_a", "se_b") for slug in statements]
    text = {name: pl.String for name in _HEAD}
    floats = {name: pl.Float64 for name in (*numbers, "noise", "se_noise", "loss")}
    return {**text, "passes": pl.Boolean, **floats}


def utility_latex(table: pl.DataFrame, labels: Mapping[str, str], statements: Sequence[str]) -> str:
    """The logit's rows in LaTeX, weights and ideals with their standard errors."""
    rows = []
    for row in table.filter(pl.col("estimator") == "logit").iter_rows(named=True):
        name = escape(labels.get(row["model"], row["model"])) + ("*" if row["passes"] else "")
        cells = [
            f"{number(row[f'{head}_{slug}'], 2)} ({number(row[f'se_{head}_{slug}'], 2)})"
            for head in ("a", "b")
            for slug in statements
        ]
        rows.append((name, escape(row["form"]), *cells, number(row["noise"], 2)))
    header = ["Respondent", "Form"]
    header += [f"$a$ {escape(slug)}" for slug in statements]
    header += [f"$b$ {escape(slug)}" for slug in statements]
    return tabular(
        [*header, "Noise"], rows, "ll" + "r" * (2 * len(statements) + 1),
        "Estimated utility", "tab:utility", _NOTE,
    )  # fmt: skip
