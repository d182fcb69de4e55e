"""Calls a second of an asking job beside bare litellm: the same prompts, server, process and run.

Bare litellm is a pool of workers around `litellm.acompletion` that throws its replies away; an
asking job also keeps limits, journals every reply, reads it and fills the table of answers.
With ``--budget`` a third side is the same job with max_usd for the model and for the run.
All take turns, so that a slow moment of the machine hits all. Exits with 1 below 80 %.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import polars as pl
from loopback import Loopback

from rationale.asking.ask import Place
from rationale.asking.job import ask_block
from rationale.asking.prompts import Prompt, from_table, to_table
from rationale.respondents.llm import _import_litellm
from rationale.surveys import reader_of
from rationale.surveys.moralchoice.forms import read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.scenarios import read_scenarios

ROOT = Path(__file__).parent.parent
LEAST = 0.8


def prompts(turn: int, calls: int) -> list[Prompt]:
    """So many prompts of the shipped scenarios in A/B form, samples numbered on by ``turn``."""
    scenarios = read_scenarios([ROOT / "resources/moralchoice/scenarios.csv"])
    template = read_template(
        ROOT / "resources/moralchoice/forms/ab.yaml",
        ROOT / "workflow/schemas/template.schema.json",
    )
    samples = -(-calls // len(scenarios))
    every = dict.fromkeys(("low", "high"), samples)
    found = block_prompts(scenarios, range(1, len(scenarios) + 1), template, 0, every)[:calls]
    return [
        Prompt(p.prompt_id, p.turns, p.sample + turn * samples, p.system, p.reply) for p in found
    ]


async def bare(base: str, asked: list[Prompt], concurrency: int) -> float:
    """Calls a second of litellm alone."""
    litellm = _import_litellm(concurrency)
    waiting = iter(asked)

    async def worker() -> None:
        for prompt in waiting:
            messages = [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.turns[0]},
            ]
            await litellm.acompletion(
                model="openai/bench",
                messages=messages,
                api_base=base,
                api_key="none",
                timeout=120,
                max_retries=0,
                temperature=1,
                max_tokens=16,
            )

    start = perf_counter()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    seconds = perf_counter() - start
    await litellm.close_litellm_async_clients()
    return len(asked) / seconds


async def ours(
    base: str, table: pl.DataFrame, concurrency: int, folder: Path, max_usd: float | None = None
) -> float:
    """Calls a second of an asking job from prompts to the table of answers."""
    spec = {
        "llm": "openai/bench",
        "api_base": base,
        "params": {"temperature": 1, "max_tokens": 16},
        "unsupported": "refuse",
        "prices": {"input": 1, "output": 4},
    }
    settings = {
        "attempts": 1,
        "concurrency": concurrency,
        "timeout_s": 120,
        "tries": 3,
        "max_wait_s": 60,
        "on_error": "fail",
        "min_free_mb": 1,
    }
    if max_usd is not None:
        spec["limits"], settings["max_usd"] = {"max_usd": max_usd}, max_usd
    place = Place("moralchoice", "bench", "ab-0", "s0001")
    start = perf_counter()
    answers = await ask_block(
        table, place, spec, 0, settings, folder, reader_of("moralchoice"), io.StringIO()
    )
    seconds = perf_counter() - start
    assert (answers["status"] == "answered").all()
    assert len(answers) == len(table)
    return len(table) / seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000, help="in each turn of each side")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--budget", action="store_true")
    chosen = parser.parse_args()
    rates: dict[str, list[float]] = {"bare": [], "ours": []}
    with Loopback() as server, tempfile.TemporaryDirectory() as folder:
        asyncio.run(bare(server.base, prompts(0, 200), chosen.concurrency))
        server.counts()
        for turn in range(1, chosen.turns + 1):
            asked = prompts(turn, chosen.calls)
            rates["bare"].append(asyncio.run(bare(server.base, asked, chosen.concurrency)))
            table = to_table(asked)
            assert from_table(table) == asked
            rates["ours"].append(
                asyncio.run(ours(server.base, table, chosen.concurrency, Path(folder)))
            )
            if chosen.budget:
                rates.setdefault("budget", []).append(
                    asyncio.run(
                        ours(server.base, table, chosen.concurrency, Path(folder) / "budget", 1e6)
                    )
                )
            shown = ", ".join(f"{side} {found[-1]:.0f}" for side, found in rates.items())
            print(f"turn {turn}: {shown} calls/s")
        print("server:", server.counts())
    if chosen.budget:
        with_budget = median(o / b for o, b in zip(rates["budget"], rates["ours"], strict=True))
        print(f"with two budgets / without: {with_budget:.2f} (median of {chosen.turns} turns)")
    ratio = median(o / b for o, b in zip(rates["ours"], rates["bare"], strict=True))
    print(f"ours / bare litellm: {ratio:.2f} (median of {chosen.turns} turns; at least {LEAST})")
    return 0 if ratio >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
