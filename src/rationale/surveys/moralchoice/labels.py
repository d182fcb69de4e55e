"""What annotators say of scenarios, merged by majority, and how far they agree.

Annotators judge apart from each other, each in a file of their own: which rules each action
violates and, if they are asked, which action is to be preferred. A verdict is what more than half
of those who judged say. Agreement is measured column by column, since rules differ in how plain
they are.
Source: Scherrer et al. (2023), section 3.2, "Auxiliary Labels", and appendix A.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from rationale.inference.raters import agreeing_pairs, fleiss_kappa, krippendorff_alpha
from rationale.schema import MOST_PROBLEMS, DocumentError, nearest, read_records, shortened
from rationale.surveys.moralchoice.scenarios import LABEL_COLUMNS, LABELS, SCHEMA

JUDGEMENTS = {
    **dict.fromkeys(LABEL_COLUMNS, ("Yes", "No")),
    "preferred": ("action1", "action2", "neither"),
}
SHOWN = ("context", "action1", "action2")
COLUMNS = ("scenario_id", *SHOWN, *JUDGEMENTS)
UNDECIDED = "No Agreement"
FEWEST_ANNOTATORS = 2
AGREEMENT = {
    "column": pl.String,
    "annotators": pl.Int64,
    "scenarios": pl.Int64,
    "paired": pl.Int64,
    "agreement": pl.Float64,
    "fleiss_kappa": pl.Float64,
    "krippendorff_alpha": pl.Float64,
    "majority": pl.Float64,
    "unanimous": pl.Float64,
}


class Merged(NamedTuple):
    """The labelled scenarios, a row of AGREEMENT a column, and the ids with swapped actions."""

    scenarios: pl.DataFrame
    agreement: pl.DataFrame
    swapped: tuple[str, ...]


def read_annotations(path: str | Path) -> pl.DataFrame:
    """What one annotator says: a CSV file with a scenario_id and one judgement column or more.

    Judgement columns are the labels (Yes, No) and ``preferred`` (action1, action2, neither); an
    empty cell, null in the table, is not judged. The texts that the annotator saw may stand
    beside them under context, action1 and action2. Row 1 is the header; rows are records.

    Raises DocumentError for a file that is missing, not UTF-8 or not CSV, columns that are missing,
    unknown or there twice, rows of another width, unknown values and a scenario judged twice.
    """
    records = read_records(path, "moralchoice.labelling.annotators")
    header = [name.strip() for name in records[0]] if records else []
    if problems := list(_header_problems(str(path), header)):
        raise DocumentError(problems)
    rows = {
        number: [cell.strip() or None for cell in cells]
        for number, cells in enumerate(records[1:], start=2)
        if cells
    }
    problems = [
        f"{path}: row {number}: found {len(cells)} cells; allowed: {len(header)}, as in row 1; "
        f"put cells with commas in double quotes."
        for number, cells in rows.items()
        if len(cells) != len(header)
    ]
    named = [(number, dict(zip(header, cells, strict=False))) for number, cells in rows.items()]
    if problems := problems or list(_cell_problems(str(path), named)):
        raise DocumentError(shortened(problems))
    return pl.DataFrame([cells for _, cells in named], schema=dict.fromkeys(header, pl.String))


def merge_labels(scenarios: pl.DataFrame, annotations: Mapping[str, pl.DataFrame]) -> Merged:
    """The scenarios with the verdicts of their annotators, and the agreement between these.

    Parameters
    ----------
    scenarios : scenario table.
    annotations : by annotator's name, a table as from ``read_annotations``.

    A label is what more than half of those who judged it say, else No Agreement; one that nobody
    judged stays as it was. Where anybody said which action is preferred, the scenario is of low
    ambiguity if more than half prefer the same action and of high ambiguity otherwise. If it is
    action 2 that they prefer, the actions trade places with all their labels, so that action 1 is
    the commonsense one; ``swapped`` lists these scenarios. Agreement is about the actions as they
    were judged, before any swap.

    Raises DocumentError for fewer than FEWEST_ANNOTATORS annotators, scenarios that are unknown or
    that one annotator judged twice, unknown columns and values, no judgement column, and texts
    beside the judgements that are not those of the scenario.
    """
    if problems := _annotation_problems(scenarios, annotations):
        raise DocumentError(shortened(problems))
    judged = _judged(annotations)
    columns = [
        name for name in JUDGEMENTS if any(name in one.columns for one in annotations.values())
    ]
    merged = _with_preference(_with_labels(scenarios, _verdicts(judged)))
    agreement = [_agreement(name, judged.filter(column=name)) for name in columns]
    swapped = merged.filter(pl.col("preferred") == "action2")["scenario_id"]
    return Merged(merged.select(*SCHEMA), pl.DataFrame(agreement, schema=AGREEMENT), tuple(swapped))


def _judged(annotations: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """One row a judgement: annotator, scenario_id, column, value."""
    return pl.concat(
        frame.select("scenario_id", *(name for name in JUDGEMENTS if name in frame.columns))
        .unpivot(index="scenario_id", variable_name="column", value_name="value")
        .drop_nulls()
        .select(pl.lit(name).alias("annotator"), pl.all())
        for name, frame in annotations.items()
    )


def _verdicts(judged: pl.DataFrame) -> pl.DataFrame:
    """One row a scenario that anybody judged: scenario_id and the verdicts of JUDGEMENTS."""
    cell = ["scenario_id", "column"]
    votes = judged.group_by(*cell, "value").len("votes")
    decided = (
        votes.with_columns(judges=pl.col("votes").sum().over(cell))
        .group_by(cell)
        .agg(pl.col("value").filter(2 * pl.col("votes") > pl.col("judges")).first())
    )
    return decided.with_columns(pl.col("value").fill_null(UNDECIDED)).pivot(
        "column", on_columns=list(JUDGEMENTS), index="scenario_id", values="value"
    )


def _with_labels(scenarios: pl.DataFrame, verdicts: pl.DataFrame) -> pl.DataFrame:
    joined = scenarios.join(
        verdicts, on="scenario_id", how="left", suffix="_verdict", maintain_order="left"
    )
    return joined.with_columns(
        pl.coalesce(f"{name}_verdict", name).alias(name) for name in LABEL_COLUMNS
    )


def _with_preference(labelled: pl.DataFrame) -> pl.DataFrame:
    """The column ``preferred`` turned into ambiguity and the order of the actions."""
    preferred = pl.col("preferred")
    ambiguity = (
        pl.when(preferred.is_null())
        .then("ambiguity")
        .when(preferred.is_in(["action1", "action2"]))
        .then(pl.lit("low"))
        .otherwise(pl.lit("high"))
    )
    pairs = [("action1", "action2"), *((f"a1_{label}", f"a2_{label}") for label in LABELS)]
    swapped = [
        pl.when((preferred == "action2").fill_null(False)).then(other).otherwise(own).alias(own)
        for pair in pairs
        for own, other in (pair, pair[::-1])
    ]
    return labelled.with_columns(ambiguity.alias("ambiguity"), *swapped)


def _agreement(column: str, judged: pl.DataFrame) -> dict[str, object]:
    counts = _counted(judged, JUDGEMENTS[column])
    judges = counts.sum(axis=1)
    paired = counts[judges >= 2]
    largest = paired.max(axis=1, initial=0)
    return {
        "column": column,
        "annotators": judged["annotator"].n_unique(),
        "scenarios": len(counts),
        "paired": len(paired),
        "agreement": _mean(agreeing_pairs(paired)) if len(paired) else None,
        "fleiss_kappa": fleiss_kappa(counts) if len(counts) else None,
        "krippendorff_alpha": krippendorff_alpha(counts) if len(counts) else None,
        "majority": _mean(2 * largest > paired.sum(axis=1)),
        "unanimous": _mean(largest == paired.sum(axis=1)),
    }


def _counted(judged: pl.DataFrame, values: Sequence[str]) -> np.ndarray:
    """(N, K) judgements of each scenario that have each of the values."""
    by_scenario = judged.group_by("scenario_id", maintain_order=True).agg(
        (pl.col("value") == value).sum().cast(pl.Int64).alias(value) for value in values
    )
    return by_scenario.select(values).to_numpy()


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None


def _annotation_problems(
    scenarios: pl.DataFrame, annotations: Mapping[str, pl.DataFrame]
) -> list[str]:
    if len(annotations) < FEWEST_ANNOTATORS:
        named = ", ".join(annotations) or "nobody"
        return [
            f"annotations: found {named}; allowed: {FEWEST_ANNOTATORS} annotators or more; "
            f"have somebody else judge the scenarios too."
        ]
    known = {row["scenario_id"]: row for row in scenarios.to_dicts()}
    problems: list[str] = []
    for name, frame in annotations.items():
        where = f"annotations of {name}"
        unfit = list(_header_problems(where, frame.columns))
        rows = list(enumerate(frame.to_dicts(), start=2))
        problems += unfit or [*_cell_problems(where, rows), *_unknown(where, rows, known)]
    return problems


def _header_problems(where: str, header: Sequence[str]) -> Iterator[str]:
    for name in dict.fromkeys(header):
        if name not in COLUMNS:
            yield (
                f"{where}: unknown column '{name}'; allowed: scenario_id, {', '.join(SHOWN)}, "
                f"preferred and the labels {LABEL_COLUMNS[0]} to {LABEL_COLUMNS[-1]}; rename or "
                f"remove it.{nearest(name, list(COLUMNS))}"
            )
        elif header.count(name) > 1:
            yield f"{where}: the column '{name}' is there twice; remove one of them."
    if "scenario_id" not in header:
        found = ", ".join(header) or "nothing"
        yield f"{where}: the column 'scenario_id' is missing; found: {found}."
    if not any(name in JUDGEMENTS for name in header):
        yield (
            f"{where}: no judgement column; allowed: preferred, {LABEL_COLUMNS[0]} to "
            f"{LABEL_COLUMNS[-1]}, one or more of them."
        )


def _cell_problems(where: str, rows: Iterable[tuple[int, Mapping]]) -> Iterator[str]:
    """What is wrong with rows by themselves; each has the number that a spreadsheet shows."""
    first: dict[str, int] = {}
    for number, cells in rows:
        scenario_id = cells["scenario_id"]
        place = f"{where}: row {number} (scenario_id '{scenario_id or ''}')"
        if not scenario_id:
            yield f"{place}: scenario_id is empty; fill it in."
        elif first.setdefault(scenario_id, number) != number:
            yield (
                f"{place}: the scenario is judged in row {first[scenario_id]} too; keep one of "
                f"the rows."
            )
        for name, allowed in JUDGEMENTS.items():
            found = cells.get(name)
            if found is not None and found not in allowed:
                yield (
                    f"{place}: {name}: found '{found[:80]}'; allowed: {', '.join(allowed)}, or an "
                    f"empty cell for not judged.{nearest(found, list(allowed))}"
                )


def _unknown(
    where: str, rows: Iterable[tuple[int, Mapping]], known: Mapping[str, Mapping]
) -> Iterator[str]:
    """Rows about other scenarios than those that are to be labelled, or about other words."""
    hints = 0
    for number, cells in rows:
        scenario_id = cells["scenario_id"]
        place = f"{where}: row {number} (scenario_id '{scenario_id}')"
        if scenario_id and scenario_id not in known:
            hints += 1
            # Looking for the nearest of a thousand ids takes a while; no more are shown than this.
            hint = nearest(scenario_id, list(known)) if hints <= MOST_PROBLEMS else ""
            yield f"{place}: no such scenario; remove the row or correct its id.{hint}"
        elif scenario_id:
            yield from (
                f"{place}: {name}: found '{cells[name][:80]}'; allowed: the scenario's own words, "
                f"'{known[scenario_id][name][:80]}'; judge the scenarios as they are."
                for name in SHOWN
                if cells.get(name) and cells[name] != known[scenario_id][name]
            )
