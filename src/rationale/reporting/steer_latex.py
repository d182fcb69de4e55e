"""The table of STEER in LaTeX: all respondents, form by form."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rationale.reporting.latex import escape, number, tabular
from rationale.reporting.moralchoice_latex import bounded

_HEADER = (
    "Respondent",
    "Accuracy",
    "Normalised",
    "ECE",
    "Brier",
    "$p$(key)",
    "Worst domain",
    "Dependency",
    "Unread",
    "Questions",
)
_NOTE = (
    "95\\,\\% bootstrap intervals in brackets (stories of elements resampled). Accuracy: share of "
    "questions read that are right. Normalised: $(a - r) / (1 - r)$ with $r$ the accuracy of "
    "guessing. ECE (10 bins), Brier score and $p$(key), the probability of the right option, over "
    "answers with probabilities of the options. Worst domain: the smallest accuracy over domains with "
    "at least half as many elements as the largest. "
    "Dependency: by how much elements stand above those that they build on, mean over elements; 0 is "
    "robust; in parentheses what noise alone gives on average. Unread: share of the questions put "
    "that were refused or could not be read. A dagger marks simulated respondents."
)


def scores_latex(table: pl.DataFrame, labels: Mapping[str, str]) -> str:
    """The table of `scores_table`, a form after the other."""
    rows = []
    for form in table["form"].unique(maintain_order=True):
        part = table.filter(pl.col("form") == form)
        rows.append((rf"\multicolumn{{{len(_HEADER)}}}{{l}}{{\emph{{{escape(form)}}}}}",))
        rows += [_row(row, labels) for row in part.iter_rows(named=True)]
    return tabular(_HEADER, rows, "l" + "r" * 9, "STEER", "tab:steer", _NOTE)


def _row(row: Mapping, labels: Mapping[str, str]) -> tuple[str, ...]:
    dagger = "$^\\dagger$" if row["respondent"] == "simulated" else ""
    names = ("accuracy", "normalised", "ece", "brier", "p_key", "worst_accuracy")
    return (
        escape(labels.get(row["model"], row["model"])) + dagger,
        *(bounded(row, name, 2) for name in names),
        _dependency(row),
        number(row["unread"]),
        str(row["questions"]),
    )


def _dependency(row: Mapping) -> str:
    """Dependency with its interval and what noise alone gives, where that is known."""
    chance = row["dependency_chance"]
    return bounded(row, "dependency", 2) + ("" if chance is None else f" ({number(chance, 2)})")
