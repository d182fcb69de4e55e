"""Rounds and choices of a priced survey as tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
import polars as pl

from rationale.surveys.psm.blocks import OPENING, prompt_id
from rationale.surveys.psm.reading import option_reply, read, scale_reply
from rationale.surveys.psm.rounds import Round
from rationale.surveys.replies import Reading, first_readable

ROUNDS = {
    "round": pl.Int64,
    "corner": pl.List(pl.Int64),
    "prices": pl.List(pl.Float64),
    "flipped": pl.Boolean,
    "budget": pl.Float64,
    "options": pl.List(pl.List(pl.Int64)),
}
CHOICES = {
    "round": pl.Int64,
    "option": pl.Int64,
    "answer": pl.List(pl.Int64),
    "status": pl.String,
    "attempts": pl.Int64,
}


class Answered(NamedTuple):
    """The T answered rounds as arrays: numbers (T,), answers, corners, prices (T, S), options.

    A round's prices are multiplied by the smallest number that makes them whole. Ratios of costs
    stay what they were, and costs that are equal in decimals are equal in floating point.
    """

    numbers: np.ndarray
    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray
    options: list[np.ndarray]
    positions: np.ndarray


def rounds_table(rounds: Sequence[Round]) -> pl.DataFrame:
    """One row a constrained round, options in shown order."""
    rows = [
        {
            "round": one.number,
            "corner": one.corner.tolist(),
            "prices": [float(price) for price in one.prices],
            "flipped": one.flipped,
            "budget": float(one.budget),
            "options": one.options.tolist(),
        }
        for one in rounds
    ]
    return pl.DataFrame(rows, schema=ROUNDS)


def open_answer(answers: pl.DataFrame, statements: int, high: int) -> tuple[int, ...] | None:
    """The first readable answer to the open round, or None."""
    reading, _ = _first_readable(
        answers.filter(pl.col("prompt_id") == OPENING), scale_reply(statements, high)
    )
    return None if reading is None else reading.value


def choices_table(answers: pl.DataFrame, rounds: pl.DataFrame, high: int) -> pl.DataFrame:
    """One row a round, the open one (0) first: what was chosen, or why nothing was.

    ``answers`` holds every attempt at every prompt of the form. The first readable attempt counts.
    A round without one keeps the status of its last reply; ``option`` is 1-based.

    Raises ValueError when a round of ``rounds`` has no attempt at all.
    """
    by_prompt = answers.partition_by("prompt_id", as_dict=True)
    rows = [_open_row(_attempts(by_prompt, OPENING), len(rounds["corner"][0]), high)]
    for one in rounds.iter_rows(named=True):
        attempts = _attempts(by_prompt, prompt_id(one["round"], len(rounds)))
        rows.append(_round_row(attempts, one))
    return pl.DataFrame(rows, schema=CHOICES)


def answered_rounds(choices: pl.DataFrame, rounds: pl.DataFrame) -> Answered:
    """The answered constrained rounds, in order."""
    kept = rounds.join(
        choices.filter((pl.col("round") > 0) & (pl.col("status") == "answered")), on="round"
    ).sort("round")
    statements = len(rounds["corner"][0])

    def stacked(name: str, kind: type) -> np.ndarray:
        return np.array(kept[name].to_list(), dtype=kind).reshape(-1, statements)

    return Answered(
        kept["round"].to_numpy(),
        stacked("answer", np.int64),
        stacked("corner", np.int64),
        np.array([_whole(row) for row in kept["prices"].to_list()]).reshape(-1, statements),
        [np.array(options, dtype=np.int64) for options in kept["options"].to_list()],
        kept["option"].to_numpy().astype(np.int64) - 1,
    )


def _whole(prices: Sequence[float]) -> list[float]:
    exact = [Fraction(str(price)) for price in prices]
    scale = lcm(*(price.denominator for price in exact))
    return [float(price * scale) for price in exact]


def _attempts(by_prompt: dict, name: str) -> pl.DataFrame:
    if (name,) not in by_prompt:
        raise ValueError(f"the prompt {name} was never put; ask its block again")
    return by_prompt[(name,)]


def _open_row(attempts: pl.DataFrame, statements: int, high: int) -> dict:
    reading, status = _first_readable(attempts, scale_reply(statements, high))
    answer = None if reading is None else list(reading.value)
    return {
        "round": 0,
        "option": None,
        "answer": answer,
        "status": status,
        "attempts": len(attempts),
    }


def _round_row(attempts: pl.DataFrame, one: dict) -> dict:
    reading, status = _first_readable(attempts, option_reply(len(one["options"])))
    option = None if reading is None else reading.value
    return {
        "round": one["round"],
        "option": option,
        "answer": None if option is None else one["options"][option - 1],
        "status": status,
        "attempts": len(attempts),
    }


def _first_readable(attempts: pl.DataFrame, expected: str) -> tuple[Reading | None, str]:
    rows = attempts.sort("attempt").iter_rows(named=True)
    return first_readable(rows, lambda text: read(expected, text))
