"""STEER's whole question bank of one model over HTTP, with a kill -9 in the middle.

    python benchmarks/full_bank.py

puts the questions of the default bank in the form `plain` to a provider on loopback that answers
with letters and tells how likely each was. The run is killed with -9 after a share of the calls and
run again. Printed is what was counted, by the journal and by the provider. Exits with 1 if a question
is left without an answer, a reply that was kept was asked for again, a probability in graded.parquet
is not the one that was told, or temperature and log-probabilities were not asked for in every call.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
import yaml
from full_survey import command_line, journalled
from loopback import Loopback, told

CONCURRENCY = 16
TARGET = "results/steer/bench/graded.parquet"


def write_config(folder: Path, base: str, per_cell: int) -> None:
    """A folder to run in."""
    model = {
        "llm": "openai/bench",
        "api_base": base,
        "params": {"max_tokens": 64},
        "limits": {"concurrency": CONCURRENCY},
    }
    config = {
        "seed": 1,
        "studies": ["steer"],
        "models": {"bench": model},
        "asking": {"tries": 2, "max_wait_s": 5},
        "steer": {"per_cell": per_cell},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))


def start(folder: Path, *targets: str) -> subprocess.Popen:
    """The graph under way, in a process group of its own."""
    command = [*command_line(folder), "--cores", "1", "--quiet", "--", *targets]
    with (folder / "run.log").open("a") as log:
        return subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )


def prompts(folder: Path) -> pl.DataFrame:
    """Every prompt that the bank is put in."""
    files = sorted((folder / "results/steer/prompts/plain").glob("*.parquet"))
    return pl.concat([pl.read_parquet(path) for path in files if ".keys." not in path.name])


def wait_for(process: subprocess.Popen, folder: Path, kept: int) -> None:
    """Until so many replies are kept, or the end."""
    while process.poll() is None and journalled(folder) < kept:
        time.sleep(0.2)


def kill(process: subprocess.Popen, folder: Path) -> None:
    """kill -9 for the graph and its jobs; the folder is free again after it."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(1)
    unlock = [*command_line(folder), "--unlock"]
    subprocess.run(unlock, cwd=folder, check=True, capture_output=True)


def expected(prompt: dict) -> list[float] | None:
    """The probabilities that the provider told of a question with one part."""
    if len(prompt["turns"]) > 1:
        return None
    return told([{"role": "user", "content": prompt["turns"][0]}]).probabilities


def differences(graded: pl.DataFrame, put: pl.DataFrame) -> tuple[int, float]:
    """Questions whose probabilities arrived as they should, and the largest difference of one."""
    arrived = dict(graded.select("question_id", "p_options").iter_rows())
    good, largest = 0, 0.0
    for prompt in put.iter_rows(named=True):
        found, wanted = arrived[prompt["prompt_id"]], expected(prompt)
        if found is None or wanted is None:
            good += found is wanted
            continue
        gap = max(abs(one - other) for one, other in zip(found, wanted, strict=True))
        good, largest = good + (gap < 1e-9), max(largest, gap)
    return good, largest


def asked_as_it_should(params: dict[str, int]) -> int:
    """Requests at temperature 0 that asked for log-probabilities."""
    wanted = {"temperature": 0, "logprobs": True, "top_logprobs": 5}
    return sum(
        number for text, number in params.items() if wanted.items() <= json.loads(text).items()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-cell", type=int, default=5)
    parser.add_argument("--kill-at", type=int, default=1200, help="replies kept before the kill")
    chosen = parser.parse_args()
    with Loopback() as server, tempfile.TemporaryDirectory() as name:
        folder, began = Path(name), time.monotonic()
        write_config(folder, server.base, chosen.per_cell)
        process = start(folder, TARGET)
        wait_for(process, folder, chosen.kill_at)
        kill(process, folder)
        kept, before = journalled(folder), server.counts()["answered"]
        process = start(folder, TARGET)
        code, seconds = process.wait(), time.monotonic() - began
        if code:
            print((folder / "run.log").read_text()[-3000:])
            return 1
        counts, lines = server.counts(), journalled(folder)
        graded, put = pl.read_parquet(folder / TARGET), prompts(folder)
    calls, answered = put["turns"].list.len().sum(), (graded["status"] == "answered").sum()
    same, largest = differences(graded, put)
    again = counts["answered"] - before
    rows = [
        ("questions put", len(put), None),
        ("questions answered", answered, len(put)),
        ("calls that they take", calls, None),
        ("replies kept when killed with -9", kept, None),
        ("answered by the provider, and lost in the kill", before - kept, None),
        ("calls after it", again, calls - kept),
        ("bodies that the provider was asked more than once", counts["again"], before - kept),
        ("replies kept in all", lines, calls),
        (
            "calls with temperature 0 and logprobs",
            asked_as_it_should(counts["params"]),
            before + again,
        ),
        ("questions with probabilities", graded["p_options"].is_not_null().sum(), None),
        ("questions whose probabilities are those told", same, len(put)),
    ]
    for what, found, wanted in rows:
        print(f"{what:52} {found:>7,}" + ("" if wanted is None else f"   needed: {wanted:,}"))
    print(f"largest difference of a probability: {largest:.1e}; {seconds:.0f} s in all")
    return 0 if all(found == wanted for _, found, wanted in rows if wanted is not None) else 1


if __name__ == "__main__":
    sys.exit(main())
