"""Answers as a table: one row an attempt, whatever came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import polars as pl

Status = Literal["answered", "refused", "invalid", "truncated", "error"]

_TOKEN = pl.Struct({"token": pl.String, "logprob": pl.Float64})
_SCORED = pl.Struct({"token": pl.String, "logprob": pl.Float64, "top": pl.List(_TOKEN)})
SCHEMA = {
    "prompt_id": pl.String,
    "sample": pl.Int64,
    "attempt": pl.Int64,
    "status": pl.String,
    "text": pl.List(pl.String),
    "finish_reason": pl.String,
    "logprobs": pl.List(pl.List(_SCORED)),
    "model_reported": pl.String,
    "params_asked": pl.String,
    "params_sent": pl.String,
    "params_dropped": pl.String,
    "prompt_tokens": pl.Int64,
    "completion_tokens": pl.Int64,
    "reasoning_tokens": pl.Int64,
    "cost_usd": pl.Float64,
    "latency_s": pl.Float64,
    "asked_at": pl.String,
    "call_key": pl.String,
    "error": pl.String,
}


@dataclass(frozen=True)
class Answer:
    """An attempt at a prompt. Texts and log-probabilities have an entry a turn.

    Tokens, cost and latency are sums over the turns, None when a turn's is unknown. ``call_key`` is
    that of the last turn that was put. Parameters are canonical JSON.
    """

    prompt_id: str
    sample: int
    attempt: int
    status: Status
    text: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    logprobs: list[list[dict[str, Any]]] | None = None
    model_reported: str | None = None
    params_asked: str = "{}"
    params_sent: str = "{}"
    params_dropped: str = "{}"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    asked_at: str | None = None
    call_key: str | None = None
    error: str | None = None


def to_table(answers: Sequence[Answer]) -> pl.DataFrame:
    """One row an attempt, in the order of prompts and attempts."""
    return pl.DataFrame([asdict(answer) for answer in answers], schema=SCHEMA)
