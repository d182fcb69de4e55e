"""Prompts as a table: what one job has to ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

# Not studies: what a model is asked to write. Nobody's answers are counted.
WRITING = ("making", "retelling")
SCHEMA = {
    "prompt_id": pl.String,
    "turns": pl.List(pl.String),
    "system": pl.String,
    "sample": pl.Int64,
    "reply": pl.String,
}


@dataclass(frozen=True)
class Prompt:
    """User messages put one after the other in one conversation, and an optional system text.

    ``sample`` tells apart askings of the same words; ``reply`` is what the study's reader needs to
    know to read the reply, as JSON.
    """

    prompt_id: str
    turns: tuple[str, ...]
    sample: int = 0
    system: str | None = None
    reply: str = "{}"


def to_table(prompts: Sequence[Prompt]) -> pl.DataFrame:
    """One row a prompt."""
    rows = [
        {
            "prompt_id": prompt.prompt_id,
            "turns": list(prompt.turns),
            "system": prompt.system,
            "sample": prompt.sample,
            "reply": prompt.reply,
        }
        for prompt in prompts
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def from_table(table: pl.DataFrame) -> list[Prompt]:
    """The prompts of a table. Raises ValueError for a prompt without a turn and for twins."""
    prompts = [
        Prompt(row["prompt_id"], tuple(row["turns"]), row["sample"], row["system"], row["reply"])
        for row in table.iter_rows(named=True)
    ]
    empty = [prompt.prompt_id for prompt in prompts if not prompt.turns]
    if empty:
        raise ValueError(f"prompts without a turn: {', '.join(empty[:5])}")
    seen = [(prompt.prompt_id, prompt.sample) for prompt in prompts]
    if len(set(seen)) < len(seen):
        twins = sorted({one for one in seen if seen.count(one) > 1})
        raise ValueError(f"prompts that stand twice: {twins[:5]}; number their samples")
    return prompts
