"""What came out, in a terminal: `python -m rationale.summary results`."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl


def summary(results: Path) -> str:
    """The rationality table in short, and where everything is."""
    table = pl.read_csv(results / "tables/rationality.csv")
    lines = [f"{'respondent':<22}{'form':<10}{'CCEI':>7}{'':<4}{'p':>7}{'Holm':>8}{'rounds':>8}"]
    for row in table.iter_rows(named=True):
        lines.append(
            f"{row['model'][:21]:<22}{row['form']:<10}{_number(row['ccei']):>7}{row['stars'] or '':<4}"
            f"{_number(row['p_value']):>7}{_number(row['p_holm']):>8}{row['rounds']:>8}"
        )
    places = {
        "page": "index.html",
        "table": "tables/rationality.csv",
        "figures": "figures/",
        "journal": "journal/",
    }
    where = [f"{name:<9}{results / path}" for name, path in places.items()]
    return "\n".join(["", *lines, "", *where])


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    print(summary(Path(sys.argv[1])))
