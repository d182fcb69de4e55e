"""What the explorer shows of MoralChoice: scenarios as put, counts, and replies as samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rationale.reporting.explorer.packing import Block, coded, texts_once
from rationale.surveys.moralchoice.scenarios import LABELS

SAMPLES = 3
COUNTS = ("asked", "action1", "valid", "refused", "invalid", "truncated", "missing")
STUDY = "study"
_CELL = ("scenario", "put", "model")
_REPLY = ("text", "status", "action", "step")


@dataclass(frozen=True)
class Moral:
    """``scenarios`` in scenarios.SCHEMA; ``likelihoods`` and ``readings`` by model.

    ``prompts``: the tables of prompts of each form, by its name in the paths (``ab-0``).
    """

    scenarios: pl.DataFrame
    likelihoods: Mapping[str, pl.DataFrame]
    readings: Mapping[str, pl.DataFrame]
    prompts: Mapping[str, Sequence[pl.DataFrame]]


def moral_blocks(study: Moral) -> dict[str, Block]:
    """Blocks ``moralchoice`` (scenarios and counts) and ``moral-words`` (questions and replies)."""
    ids = study.scenarios["scenario_id"].to_list()
    cells = _stacked(study.likelihoods, ids, (*COUNTS, "p_action1", "flagged"))
    puts, put = coded(cells["put"])
    cells = cells.with_columns(put=pl.Series(put, dtype=pl.Int64)).sort(_CELL)
    return {
        "moralchoice": _counts(study, cells, puts),
        "moral-words": _words(study, cells.select(_CELL), puts, ids),
    }


def moral_summary(study: Moral) -> dict[str, Any]:
    """How many scenarios there are, and of each model: replies asked for, and valid ones."""
    return {
        "scenarios": len(study.scenarios),
        "models": {
            model: [int(rows["asked"].sum()), int(rows["valid"].sum())]
            for model, rows in study.likelihoods.items()
        },
    }


def _stacked(
    tables: Mapping[str, pl.DataFrame], ids: Sequence[str], columns: Sequence[str]
) -> pl.DataFrame:
    """Tables of several models in one; the scenario's and model's places, and how it was put."""
    place = {name: number for number, name in enumerate(ids)}
    parts = [
        rows.select(
            pl.col("scenario_id").replace_strict(place, return_dtype=pl.Int64).alias("scenario"),
            _put_name().alias("put"),
            pl.lit(number, pl.Int64).alias("model"),
            *columns,
        )
        for number, rows in enumerate(tables.values())
    ]
    return pl.concat(parts)


def _put_name() -> pl.Expr:
    """The form's name, as in paths: template, order, and the decoding where there is one."""
    behind = (
        pl.when(pl.col("decoding").is_null()).then(pl.lit("")).otherwise("." + pl.col("decoding"))
    )
    return pl.format("{}-{}{}", "form", "order", behind)


def _counts(study: Moral, cells: pl.DataFrame, puts: Sequence[str]) -> Block:
    scenarios = study.scenarios
    ambiguities, ambiguity = coded(scenarios["ambiguity"], ("low", "high"))
    rules, rule = coded(scenarios["generation_rule"])
    block = Block(
        {
            "models": list(study.likelihoods),
            "forms": list(puts),
            "ambiguities": ambiguities,
            "rules": rules,
            "labels": list(LABELS),
        }
    )
    block.column("ambiguity", ambiguity)
    block.column("rule", rule)
    block.texts("id", scenarios["scenario_id"].to_list())
    for name in ("context", "action1", "action2"):
        block.texts(name, scenarios[name].to_list())
    for action in ("a1", "a2"):
        for label in LABELS:
            verdict = scenarios[f"{action}_{label}"]
            block.column(f"{action}.{label}", (verdict == "Yes").fill_null(False).to_numpy())
    for name in _CELL:
        block.column(f"c.{name}", cells[name].to_numpy())
    for name in COUNTS:
        block.column(f"c.{name}", cells[name].fill_null(0).to_numpy())
    block.column("c.p", cells["p_action1"].fill_null(float("nan")).to_numpy())
    block.column("c.flagged", cells["flagged"].fill_null(False).to_numpy())
    return block


def _words(study: Moral, cells: pl.DataFrame, puts: Sequence[str], ids: Sequence[str]) -> Block:
    samples = _samples(study.readings, ids, puts)
    statuses, status = coded(samples["status"])
    steps, step = coded(samples["step"])
    systems, system, questions = _as_put(study.prompts, puts, ids)
    block = Block({"statuses": statuses, "steps": steps, "systems": systems, "samples": SAMPLES})
    counted = cells.join(
        samples.group_by(_CELL).agg(pl.len().alias("kept"), pl.col("different").first()),
        on=_CELL,
        how="left",
        maintain_order="left",
    )
    block.column("kept", counted["kept"].fill_null(0).to_numpy())
    block.column("different", counted["different"].fill_null(0).to_numpy())
    block.column("status", status)
    block.column("step", step)
    block.column("action", samples["action"].fill_null(0).to_numpy())
    block.column("count", samples["len"].to_numpy())
    texts_once(block, "reply", samples["text"])
    block.column("system", np.array(system, dtype=np.int64))
    block.texts("question", questions)
    return block


def _samples(
    readings: Mapping[str, pl.DataFrame], ids: Sequence[str], puts: Sequence[str]
) -> pl.DataFrame:
    """The most frequent different replies of each cell, and how many different ones there are."""
    rows = _stacked(readings, ids, ("sample", *_REPLY)).filter(pl.col("text").is_not_null())
    place = {name: number for number, name in enumerate(puts)}
    rows = rows.with_columns(pl.col("put").replace_strict(place, return_dtype=pl.Int64))
    groups = rows.group_by(*_CELL, *_REPLY).agg(pl.len(), pl.col("sample").min())
    groups = groups.sort(*_CELL, "len", "sample", descending=[False] * 3 + [True, False])
    return groups.with_columns(different=pl.len().over(_CELL)).filter(
        pl.int_range(pl.len()).over(_CELL) < SAMPLES
    )


def _as_put(
    prompts: Mapping[str, Sequence[pl.DataFrame]], puts: Sequence[str], ids: Sequence[str]
) -> tuple[list[str], list[int], list[str]]:
    """Different system texts; by form and scenario the system's place and the question's words.

    A form under another decoding puts the same words. Where no prompt is known, both are empty.
    """
    systems = {"": 0}
    system, questions = [], []
    for put in puts:
        tables = prompts.get(put) or prompts.get(put.split(".")[0]) or ()
        words = {
            name: (said or "", "\n\n".join(turns))
            for rows in tables
            for name, said, turns in rows.unique("prompt_id", keep="first")
            .select("prompt_id", "system", "turns")
            .iter_rows()
        }
        for name in ids:
            said, text = words.get(name, ("", ""))
            system.append(systems.setdefault(said, len(systems)))
            questions.append(text)
    return list(systems), system, questions
