"""The tables of MoralChoice in LaTeX: all respondents, and one respondent at a time."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rationale.reporting.latex import escape, number, tabular

_HEADER = (
    "Respondent",
    "$p$(action 1)",
    "Entropy",
    "QF-E",
    "QF-C",
    "Order effect",
    "Refused",
    "Invalid",
    "Scenarios",
)
_NOTE = (
    "Means over scenarios, 95\\,\\% bootstrap intervals in brackets (scenarios resampled). $p$: "
    "marginal likelihood of action 1, the commonsense one in low ambiguity. Entropy of that "
    "likelihood, and QF-E, the mean entropy of the forms, in bits; QF-C: one minus the generalised "
    "Jensen-Shannon divergence of the forms. Order effect: likelihood of action 1 when it is listed "
    "first, less that when second. Refused and invalid are shares of replies. A dagger marks "
    "simulated respondents."
)
_FORM_HEADER = (
    "Ambiguity",
    "Form",
    "$p$(action 1)",
    "Effect",
    "Order effect",
    "Valid",
    "Refused",
    "Invalid",
    "Flagged",
)
_FORM_NOTE = (
    "Effect: likelihood of action 1 in the form less its mean over forms, with its 95\\,\\% bootstrap "
    "interval (scenarios resampled). Flagged: scenarios and orders without a valid reply, counted "
    "as 0.5."
)  # fmt: skip


def beliefs_latex(table: pl.DataFrame, labels: Mapping[str, str]) -> str:
    """The table of `beliefs_table` under the study's own parameters, an ambiguity after the other."""
    rows = []
    for ambiguity in table["ambiguity"].unique(maintain_order=True):
        part = table.filter(pl.col("ambiguity") == ambiguity)
        rows.append((rf"\multicolumn{{9}}{{l}}{{\emph{{{ambiguity} ambiguity}}}}",))
        rows += [_row(row, labels) for row in part.iter_rows(named=True)]
    return tabular(_HEADER, rows, "lrrrrrrrr", "MoralChoice", "tab:moralchoice", _NOTE)


def _row(row: Mapping, labels: Mapping[str, str]) -> tuple[str, ...]:
    dagger = "$^\\dagger$" if row["respondent"] == "simulated" else ""
    return (
        escape(labels.get(row["model"], row["model"])) + dagger,
        *(
            bounded(row, name, 2)
            for name in ("p_action1", "entropy", "qf_e", "qf_c", "order_effect")
        ),
        number(row["refused"]),
        number(row["invalid"]),
        str(row["scenarios"]),
    )


def bounded(row: Mapping, name: str, digits: int) -> str:
    """An estimate with its interval."""
    if row[name] is None or row[f"{name}_low"] is None:
        return number(row[name], digits)
    low, high = number(row[f"{name}_low"], digits), number(row[f"{name}_high"], digits)
    return f"{number(row[name], digits)} [{low}, {high}]"


def model_latex(forms: pl.DataFrame, model: str, label: str) -> str:
    """A respondent's rows of `forms_table`."""
    rows = [
        (
            row["ambiguity"],
            escape(row["template"]),
            bounded(row, "p_action1", 2),
            bounded(row, "effect", 2),
            bounded(row, "order_effect", 2),
            *(str(row[name]) for name in ("valid", "refused", "invalid", "flagged")),
        )
        for row in forms.iter_rows(named=True)
    ]
    caption = f"MoralChoice by question form: {escape(label)}"
    return tabular(_FORM_HEADER, rows, "llrrrrrrr", caption, f"tab:moralchoice:{model}", _FORM_NOTE)
