"""The table of costs, and how it is shown in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from rationale.asking.estimate import NONE_LEFT, Count, Estimate, Kept, Observed
from rationale.asking.prices import Prices

_COUNT, _USD = pl.Int64, pl.Float64
SCHEMA = {
    "model": pl.String,
    "study": pl.String,
    "respondent": pl.String,
    "prompts": _COUNT,
    "answered": _COUNT,
    "calls_low": _COUNT,
    "calls_high": _COUNT,
    "prompt_tokens_low": _COUNT,
    "prompt_tokens_high": _COUNT,
    "completion_tokens_low": _COUNT,
    "completion_tokens_high": _COUNT,
    "reasoning_tokens_low": _COUNT,
    "reasoning_tokens_high": _COUNT,
    "tokens_from": pl.String,
    "usd_low": _USD,
    "usd_high": _USD,
    "price_input": _USD,
    "price_output": _USD,
    "price_source": pl.String,
    "paid_calls": _COUNT,
    "spent_known_calls": _COUNT,
    "spent_usd": _USD,
    "whole_usd_low": _USD,
    "whole_usd_high": _USD,
}


class Costs(NamedTuple):
    """A model in a study: what is left, the whole of it before any call, and where tokens are from."""

    counts: Sequence[Count]
    left: Estimate
    whole: Estimate
    tokens_from: str


def cost_row(model: str, study: str, kind: str, costs: Costs, prices: Prices | None) -> dict:
    """A row of the table; what is not known is None."""
    paid = [call for count in costs.counts for call in count.paid]
    return {
        "model": model,
        "study": study,
        "respondent": kind,
        "prompts": sum(count.questions for count in costs.counts),
        "answered": sum(count.answered for count in costs.counts),
        **_spans(costs.left),
        "tokens_from": costs.tokens_from,
        **_usd("usd", costs.left, prices),
        "price_input": prices and prices.input,
        "price_output": prices and prices.output,
        "price_source": prices.source if prices else "unknown",
        **_spent(paid),
        **_usd("whole_usd", costs.whole, prices),
    }


def free_row(model: str, study: str, kind: str, prompts: int) -> dict:
    """A row for a respondent that calls nobody: simulated, or recorded."""
    costs = Costs([], NONE_LEFT, NONE_LEFT, "none")
    row = cost_row(model, study, kind, costs, Prices(0.0, 0.0, "free"))
    return {**row, "prompts": prompts, "answered": None}


def tokens_from(observed: Sequence[Observed]) -> str:
    """Where a model's tokens are from: its own replies, or words and limits."""
    prompt = "its own prompts" if all(one.prompt for one in observed) else "words"
    completion = "its own replies" if all(one.completion for one in observed) else "max_tokens"
    return f"{prompt} and {completion}"


def cost_table(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """One row a model and study, model by model."""
    return pl.DataFrame(list(rows), schema=SCHEMA).sort("model", maintain_order=True)


def _spans(left: Estimate) -> dict[str, int | None]:
    parts = {
        "calls": left.calls,
        "prompt_tokens": left.prompt,
        "completion_tokens": left.completion,
    }
    found = {}
    for name, span in {**parts, "reasoning_tokens": left.reasoning}.items():
        for end in ("low", "high"):
            value = None if span is None else getattr(span, end)
            found[f"{name}_{end}"] = None if value is None else round(value)
    return found


def _usd(name: str, tokens: Estimate, prices: Prices | None) -> dict[str, float | None]:
    if prices is None:
        return {f"{name}_low": None, f"{name}_high": None}
    low = prices.cost(tokens.prompt.low, tokens.completion.low)
    most = (tokens.prompt.high, tokens.completion.high)
    return {f"{name}_low": low, f"{name}_high": None if None in most else prices.cost(*most)}


def _spent(paid: Sequence[Kept]) -> dict[str, float | int | None]:
    known = [call.cost_usd for call in paid if call.cost_usd is not None]
    return {
        "paid_calls": len(paid),
        "spent_known_calls": len(known),
        "spent_usd": sum(known) if len(known) == len(paid) else None,
    }


def shown(table: pl.DataFrame, elsewhere: Sequence[Kept] = ()) -> str:
    """The table for a terminal: what is left and what is spent, a total, and what is assumed.

    ``elsewhere`` are calls in the journals of these models that this config does not ask for.
    """
    paid = table.filter(pl.col("respondent") == "llm")
    free = table.filter(pl.col("respondent") != "llm")["model"].n_unique()
    lines = [_line(*_HEAD), *(_line(*_cells(row)) for row in paid.iter_rows(named=True))]
    lines = [*lines, *_totals(paid), "", *_notes(paid)] if len(paid) else []
    if elsewhere:
        known = [call.cost_usd for call in elsewhere if call.cost_usd is not None]
        lines.append(
            f"The journals also hold {len(elsewhere):,} calls that this config does not ask for: "
            f"{_dollars(sum(known))} USD, {len(elsewhere) - len(known):,} of unknown cost."
        )
    if free:
        lines.append(f"{free} simulated or recorded respondents cost nothing.")
    return "\n".join(lines)


_HEAD = ("model", "study", "prompts", "done", "calls left", "prompt tokens")
_HEAD += ("completion tokens", "USD left", "USD spent", "USD for all")
_WIDTHS = (-20, -12, 8, 8, 17, 15, 19, 17, 10, 17)


def _line(*cells: str) -> str:
    padded = (
        cell[: -width - 1].ljust(-width) if width < 0 else cell.rjust(width)
        for cell, width in zip(cells, _WIDTHS, strict=True)
    )
    return " ".join(padded).rstrip()


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        row["model"],
        row["study"],
        f"{row['prompts']:,}",
        f"{row['answered']:,}",
        _range(row, "calls", "{:,}".format),
        _range(row, "prompt_tokens", _short),
        _range(row, "completion_tokens", _short),
        _range(row, "usd", _dollars),
        _dollars(row["spent_usd"]),
        _range(row, "whole_usd", _dollars),
    ]


def _totals(paid: pl.DataFrame) -> list[str]:
    """The sum of the costs that are known, and whose are not."""
    some = pl.any_horizontal(pl.col("usd_low", "usd_high", "spent_usd").is_null())
    row = {
        name: (paid.filter(~some) if kind == _USD else paid)[name].drop_nulls().sum()
        for name, kind in SCHEMA.items()
        if kind in (_COUNT, _USD)
    }
    total = [_line(*_cells({**row, "model": "all", "study": ""}))]
    unknown = paid.filter(some)["model"].unique(maintain_order=True)
    if len(unknown):
        total.append(
            f"Not in the sums of dollars, since something of theirs is unknown: {', '.join(unknown)}."
        )
    return total


def _notes(paid: pl.DataFrame) -> Iterator[str]:
    """A line a model: its prices, where its tokens are from, and what is taken for reasoning."""
    for rows in paid.partition_by("model", maintain_order=True):
        listed = rows.to_dicts()
        from_ = "; ".join(
            f"{row['study']} by {row['tokens_from']}{_reasoning(row)}" for row in listed
        )
        yield f"{listed[0]['model']}: {_priced(listed[0])}; {from_}."


def _priced(row: Mapping[str, Any]) -> str:
    if row["price_source"] == "unknown":
        return "prices unknown, set 'prices' in the config"
    return (
        f"{row['price_input']:g} and {row['price_output']:g} USD a million prompt and completion "
        f"tokens ({row['price_source']})"
    )


def _reasoning(row: Mapping[str, Any]) -> str:
    if not row["reasoning_tokens_high"]:
        return ""
    known = "seen" if "replies" in row["tokens_from"] else "assumed"
    span = _range(row, "reasoning_tokens", _short)
    return f", {span} of the completion tokens {known} to be reasoning"


def _range(row: Mapping[str, Any], name: str, write) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if low is None:
        return "unknown"
    return write(low) if low == high else f"{write(low)}–{'?' if high is None else write(high)}"


def _short(number: float) -> str:
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:,.{max(0, 2 - len(str(int(number / size))) + 1)}f}{unit}"
    return f"{number:.0f}"


def _dollars(amount: float | None) -> str:
    if amount is None:
        return "unknown"
    return f"{amount:,.2f}" if amount == 0 or amount >= 0.1 else f"{amount:.2g}"
