"""What came out, in a terminal: `python -m rationale.summary results`."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from rationale.reporting.numbers import number


def summary(results: Path) -> str:
    """The main table of each study in short, and where everything is."""
    lines: list[str] = []
    for name, shown in (("rationality", _priced), ("moralchoice", _moral), ("steer", _steer)):
        path = results / f"tables/{name}.csv"
        if path.exists():
            lines += ["", *shown(_table(path))]
    places = {
        "page": "index.html",
        "explorer": "explorer/index.html",
        "tables": "tables/",
        "figures": "figures/",
        "journal": "journal/",
    }
    return "\n".join([*lines, "", *(f"{name:<9}{results / path}" for name, path in places.items())])


def _table(path: Path) -> pl.DataFrame:
    """A table, its columns typed by all of their cells; a model called 7 keeps its name."""
    return pl.read_csv(path, infer_schema_length=None, schema_overrides={"model": pl.String})


def _priced(table: pl.DataFrame) -> list[str]:
    head = f"{'respondent':<22}{'form':<10}{'CCEI':>7}{'':<4}{'p':>7}{'Holm':>8}{'rounds':>8}"
    rows = (
        f"{row['model'][:21]:<22}{row['form']:<10}{number(row['ccei']):>7}{row['stars'] or '':<4}"
        f"{number(row['p_value']):>7}{number(row['p_holm']):>8}{row['rounds']:>8}"
        for row in table.iter_rows(named=True)
    )
    return [head, *rows]


def _moral(table: pl.DataFrame) -> list[str]:
    head = (
        f"{'respondent':<22}{'ambiguity':<10}{'p(1)':>7}{'QF-E':>7}{'QF-C':>7}{'order':>8}"
        f"{'refused':>9}{'invalid':>9}"
    )
    rows = (
        f"{row['model'][:21]:<22}{row['ambiguity']:<10}{number(row['p_action1'], 2):>7}"
        f"{number(row['qf_e'], 2):>7}{number(row['qf_c'], 2):>7}{number(row['order_effect'], 2):>8}"
        f"{number(row['refused'], 2):>9}{number(row['invalid'], 2):>9}"
        for row in table.iter_rows(named=True)
    )
    return [head, *rows]


def _steer(table: pl.DataFrame) -> list[str]:
    head = (
        f"{'respondent':<22}{'form':<14}{'exact':>7}{'guess':>7}{'norm.':>7}{'ECE':>7}{'worst':>7}"
        f"{'unread':>8}"
    )
    rows = (
        f"{row['model'][:21]:<22}{row['form'][:13]:<14}{number(row['accuracy'], 2):>7}"
        f"{number(row['guess_rate'], 2):>7}{number(row['normalised'], 2):>7}"
        f"{number(row['ece'], 2):>7}{number(row['worst_accuracy'], 2):>7}"
        f"{number(row['unread'], 2):>8}"
        for row in table.iter_rows(named=True)
    )
    return [head, *rows]


if __name__ == "__main__":
    print(summary(Path(sys.argv[1])))
