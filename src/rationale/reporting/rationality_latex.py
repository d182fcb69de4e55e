"""The rationality table as the paper prints it, with the corrections beside it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rationale.reporting.latex import escape, number, tabular

_HEADER = (
    "Respondent",
    "Form",
    "CCEI",
    "$p$",
    "95\\,\\% interval",
    "$p_{+}$",
    "Holm",
    "BH",
    "Rounds",
)
_NOTE = (
    "CCEI: critical cost efficiency index. $p$: share of random data sets, drawn from the options "
    "that the respondent was shown, whose CCEI is at least as high; ***, ** and * mark 1, 5 and "
    "10\\,\\%. The interval is Clopper and Pearson's for the Monte-Carlo error of $p$. $p_{+}$: the "
    "valid Monte-Carlo $p$-value, (1 + count)/(1 + draws). Holm, BH: $p_{+}$ adjusted over the "
    "respondents of a form (simulated ones, marked with a dagger, among themselves)."
)


def rationality_latex(table: pl.DataFrame, labels: Mapping[str, str]) -> str:
    """The table of `rationality_table` in LaTeX; ``labels`` maps slugs to names."""
    rows = [
        (
            escape(labels.get(row["model"], row["model"]))
            + ("$^\\dagger$" if row["respondent"] == "simulated" else ""),
            escape(row["form"]),
            _starred(row),
            number(row["p_value"]),
            _interval(row),
            number(row["p_plus"]),
            number(row["p_holm"]),
            number(row["p_bh"]),
            str(row["rounds"]),
        )
        for row in table.iter_rows(named=True)
    ]
    return tabular(_HEADER, rows, "llrrrrrrr", "Rationality test", "tab:rationality", _NOTE)


def _starred(row: Mapping) -> str:
    stars = f"$^{{{row['stars']}}}$" if row["stars"] else ""
    return number(row["ccei"]) + stars


def _interval(row: Mapping) -> str:
    if row["p_low"] is None:
        return "--"
    return f"[{number(row['p_low'])}, {number(row['p_high'])}]"
