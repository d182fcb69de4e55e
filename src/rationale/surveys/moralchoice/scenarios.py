"""Moral scenarios: a situation, two actions, and the common rules that each action violates.

Files are CSV in the layout in which the MoralChoice survey is published, and any number of them
makes a survey. Nothing is guessed and no row is dropped: what cannot be read as it stands is
named, with its row, for the user to correct or to leave out.
Source: Scherrer et al. (2023), section 3; the ten rules are those of Gert (2004).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from rationale.schema import DocumentError, nearest, read_records, shortened

RULES = (
    "Do not kill",
    "Do not cause pain",
    "Do not disable",
    "Do not deprive of freedom",
    "Do not deprive of pleasure",
    "Do not deceive",
    "Do not cheat",
    "Do not break your promises",
    "Do not break the law",
    "Do your duty",
)
LABELS = (
    "death",
    "pain",
    "disable",
    "freedom",
    "pleasure",
    "deceive",
    "cheat",
    "break_promise",
    "break_law",
    "duty",
)
AMBIGUITIES = ("low", "high")
VERDICTS = ("Yes", "No", "No Agreement")
NEEDED = ("scenario_id", "ambiguity", "context", "action1", "action2")
LABEL_COLUMNS = tuple(f"{action}_{label}" for action in ("a1", "a2") for label in LABELS)
COLUMNS = (
    "scenario_id",
    "ambiguity",
    "generation_type",
    "generation_rule",
    "context",
    "action1",
    "action2",
    *LABEL_COLUMNS,
)
SCHEMA = dict.fromkeys(COLUMNS, pl.String)

LONGEST_ID = 100
# Two rows of the published high-ambiguity file misspell their rule.
RULE_CORRECTIONS = {
    "Do cause pain": "Do not cause pain",
    "Do not break promise": "Do not break your promises",
}
_ID = re.compile(r"[A-Za-z0-9_.-]+")


class _Row(NamedTuple):
    file: str
    number: int
    found: int
    expected: int
    cells: Mapping[str, str]

    @property
    def scenario_id(self) -> str:
        return self.cells.get("scenario_id", "")

    @property
    def place(self) -> str:
        return f"{self.file}: row {self.number} (scenario_id {self.scenario_id[:LONGEST_ID]!r})"


def read_scenarios(paths: Sequence[str | Path], leave_out: Collection[str] = ()) -> pl.DataFrame:
    """The scenarios of one or more CSV files, in the order of the files and of their rows.

    Returns a table with the columns of SCHEMA, all text with its ends stripped. A column that a
    file does not have and an empty optional cell are null; a rule that RULE_CORRECTIONS lists is
    corrected. Rows whose scenario_id is in ``leave_out`` are not in the table, and nothing but
    their id is checked. Row 1 is the header, and a row is a record, however many lines its quoted
    cells span; a line without any character is counted, but is no row.

    Raises DocumentError for files that are missing, listed twice, not UTF-8, not CSV or without a
    row, columns that are missing, unknown or there twice, rows that break a rule of the layout, an
    id that two rows share, two actions that are the same, ids in ``leave_out`` that no file has,
    and for a survey without a scenario. It names the first 20 of them.
    """
    rows, problems = _read_files([str(path) for path in paths])
    if not problems:
        problems += _left_out_problems(rows, leave_out)
    kept = [row for row in rows if row.scenario_id not in leave_out]
    first = _first_with_id(rows)
    for row in rows:
        problems += _repeated_id(row, first)
        problems += [] if row.scenario_id in leave_out else _row_problems(row)
    if problems:
        raise DocumentError(shortened(problems))
    if not kept:
        raise DocumentError([_nothing_left(len(rows))])
    return pl.DataFrame([_completed(row.cells) for row in kept], schema=SCHEMA)


def violations(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Which rule each action violates, in long form.

    Returns one row for each scenario and rule with a label, in the order of the scenarios and of
    LABELS: scenario_id, rule (its slug), and in action1 and action2 one of VERDICTS, or null where
    only the other action is labelled.
    """
    numbered = scenarios.with_row_index("place")
    by_rule = [
        numbered.select(
            "place",
            "scenario_id",
            pl.lit(label).alias("rule"),
            pl.col(f"a1_{label}").alias("action1"),
            pl.col(f"a2_{label}").alias("action2"),
        )
        for label in LABELS
    ]
    labelled = pl.any_horizontal(pl.col("action1", "action2").is_not_null())
    long = pl.concat(by_rule).filter(labelled)
    return long.sort("place", maintain_order=True).drop("place")


def _read_files(paths: Sequence[str]) -> tuple[list[_Row], list[str]]:
    rows, problems, seen = [], [], set()
    for path in paths:
        whole = Path(path).resolve()
        if whole in seen:
            problems.append(f"{path}: listed twice; list each file once.")
            continue
        seen.add(whole)
        try:
            rows += _read_file(path)
        except DocumentError as error:
            problems += error.problems
    return rows, problems


def _read_file(path: str) -> list[_Row]:
    records = read_records(path, "moralchoice.scenarios")
    header = [cell.strip() for cell in records[0]] if records else []
    if problems := list(_header_problems(path, header)):
        raise DocumentError(problems)
    rows = [
        _row(path, number, header, cells)
        for number, cells in enumerate(records[1:], start=2)
        if cells
    ]
    if not rows:
        raise DocumentError([f"{path}: no row below the header; add scenarios or drop the file."])
    return rows


def _row(path: str, number: int, header: Sequence[str], cells: Sequence[str]) -> _Row:
    stripped = (cell.strip() for cell in cells)
    return _Row(path, number, len(cells), len(header), dict(zip(header, stripped, strict=False)))


def _header_problems(path: str, header: Sequence[str]) -> Iterator[str]:
    for name in dict.fromkeys(header):
        if name not in COLUMNS:
            yield (
                f"{path}: row 1: unknown column {name[:80]!r}; allowed: {', '.join(COLUMNS[:7])} and "
                f"the labels {LABEL_COLUMNS[0]} to {LABEL_COLUMNS[-1]}; rename or remove it."
                f"{nearest(name, list(COLUMNS))}"
            )
        elif header.count(name) > 1:
            yield f"{path}: row 1: the column '{name}' is there twice; remove one of them."
    missing = [name for name in NEEDED if name not in header]
    if missing:
        yield (
            f"{path}: row 1: needed columns are missing: {', '.join(missing)}; found: "
            f"{', '.join(header) or 'nothing'}; separate columns by commas."
        )


def _first_with_id(rows: Sequence[_Row]) -> dict[str, _Row]:
    return {row.scenario_id: row for row in reversed(rows)}


def _repeated_id(row: _Row, first: Mapping[str, _Row]) -> Iterator[str]:
    before = first[row.scenario_id]
    if row.scenario_id and before is not row:
        yield (
            f"{row.place}: the same scenario_id is in {before.file}: row {before.number}; give "
            f"each scenario an id of its own, or remove one of the rows."
        )


def _row_problems(row: _Row) -> list[str]:
    if row.found != row.expected:
        return [
            f"{row.place}: found {row.found} cells; allowed: {row.expected}, as in row 1; put cells "
            f"with commas in double quotes."
        ]
    found = [*_cell_problems(row.cells), *_choice_problems(row.cells)]
    return [f"{row.place}: {problem}" for problem in found]


def _cell_problems(cells: Mapping[str, str]) -> Iterator[str]:
    for name in NEEDED:
        if not cells[name]:
            yield f"{name} is empty; fill it in."
    scenario_id = cells["scenario_id"]
    if scenario_id and not (_ID.fullmatch(scenario_id) and len(scenario_id) <= LONGEST_ID):
        yield (
            f"found a scenario_id of {len(scenario_id)} characters; allowed: A-Z, a-z, 0-9, '_', "
            f"'.' and '-', at most {LONGEST_ID} of them; rename it."
        )
    if cells["action1"] and _comparable(cells["action1"]) == _comparable(cells["action2"]):
        yield (
            "its two actions are the same; correct the row, or list the id under "
            "moralchoice.leave_out."
        )


def _choice_problems(cells: Mapping[str, str]) -> Iterator[str]:
    choices = {
        "ambiguity": AMBIGUITIES,
        "generation_rule": (*RULES, *RULE_CORRECTIONS),
        **dict.fromkeys(LABEL_COLUMNS, VERDICTS),
    }
    for name, allowed in choices.items():
        found = cells.get(name)
        if found and found not in allowed:
            listed = [one for one in allowed if one not in RULE_CORRECTIONS]
            or_empty = "" if name in NEEDED else ", or an empty cell"
            yield (
                f"{name}: found {found[:80]!r}; allowed: {', '.join(listed)}{or_empty}."
                f"{nearest(found, listed)}"
            )


def _comparable(action: str) -> str:
    return " ".join(action.casefold().split()).rstrip(" .,;:!?…")


def _left_out_problems(rows: Sequence[_Row], leave_out: Collection[str]) -> Iterator[str]:
    ids = {row.scenario_id for row in rows}
    for unknown in sorted(set(leave_out) - ids):
        yield (
            f"moralchoice.leave_out: no scenario has the id '{unknown}'; remove it or correct it."
            f"{nearest(unknown, sorted(ids))}"
        )


def _nothing_left(rows: int) -> str:
    if not rows:
        return "moralchoice.scenarios: found no file; name at least one CSV file."
    return f"moralchoice.leave_out: all {rows} scenarios are left out; keep at least one of them."


def _completed(cells: Mapping[str, str]) -> dict[str, str | None]:
    rule = cells.get("generation_rule", "")
    corrected = {**cells, "generation_rule": RULE_CORRECTIONS.get(rule, rule)}
    return {name: corrected.get(name) or None for name in COLUMNS}
