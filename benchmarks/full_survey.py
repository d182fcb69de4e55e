"""A whole MoralChoice survey of one model over HTTP: speed, memory, and a kill -9 in the middle.

    python benchmarks/full_survey.py low.csv high.csv

asks the scenarios of these files (the shipped ones if none is named) in six forms, 5 and 10 times,
from a provider on loopback. The run is killed with -9 after a share of the calls and run again.
Printed are calls a second from the first to the last, and of whole jobs, their start and litellm's
import included, each beside bare litellm in the same run: a process of its own that makes as many
calls as a job and throws the replies away; the memory of asking as it goes; and what the server was
asked. Exits with 1 if a kept reply was asked for again, or whole jobs make less than 80 % of bare
litellm's calls a second.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
import yaml
from bench_asking import LEAST, ROOT, bare, prompts
from loopback import Loopback

from rationale.surveys.moralchoice.scenarios import read_scenarios

CONCURRENCY = 64


def write_config(folder: Path, base: str, files: list[str]) -> int:
    """A folder to run in; the number of calls that the survey takes."""
    leave_out = ["G_530"] if any("high_ambiguity" in name for name in files) else []
    scenarios = read_scenarios(files, leave_out)
    own = folder / "scenarios.csv"
    scenarios.write_csv(own)
    if leave_out:
        _mend(own, files)
    config = {
        "seed": 1,
        "studies": ["moralchoice"],
        "models": {
            "bench": {
                "llm": "openai/bench",
                "api_base": base,
                "params": {"max_tokens": 16},
                "limits": {"concurrency": CONCURRENCY},
            }
        },
        "asking": {"block_size": len(scenarios) + 1, "tries": 2, "max_wait_s": 5},
        "moralchoice": {"scenarios": str(own)},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    counts = dict(read_scenarios([own])["ambiguity"].value_counts().iter_rows())
    return 6 * (5 * counts.get("low", 0) + 10 * counts.get("high", 0))


def _mend(own: Path, files: list[str]) -> None:
    """Put back the published scenario whose two actions are the same, its second one mended."""
    for name in files:
        for row in csv.DictReader(Path(name).read_text(encoding="utf-8").splitlines()):
            if row["scenario_id"] == "G_530":
                row["action2"] = "I let the bird go free."
                with own.open("a", encoding="utf-8", newline="") as file:
                    csv.DictWriter(file, row).writerow(row)


def start(folder: Path) -> subprocess.Popen:
    """The graph under way, in a process group of its own."""
    command = [*command_line(folder), "--cores", "1", "--quiet"]
    with (folder / "run.log").open("a") as log:
        return subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )


def journalled(folder: Path) -> int:
    """Whole lines in the journal."""
    files = (folder / "results/journal").glob("*/*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in files)


def memory(group: int) -> dict[int, float]:
    """Resident megabytes of each process of a group that asks."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (
                os.getpgid(int(entry.name)) == group
                and b"ask.py" in (entry / "cmdline").read_bytes()
            ):
                pages = int((entry / "statm").read_text().split()[1])
                found[int(entry.name)] = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        except (ProcessLookupError, FileNotFoundError):
            continue
    return found


def watch(process: subprocess.Popen, folder: Path, until: int | None) -> dict[int, list[float]]:
    """Wait for the end, or for so many lines in the journal; memory of each asking process."""
    seen: dict[int, list[float]] = {}
    while process.poll() is None and (until is None or journalled(folder) < until):
        for pid, size in memory(process.pid).items():
            seen.setdefault(pid, []).append(size)
        time.sleep(1)
    return seen


def asking_seconds(folder: Path) -> float:
    """Wall seconds of the jobs that ask, from their benchmark files."""
    files = sorted((folder / "results/benchmarks/ask").rglob("*.tsv"))
    return sum(pl.read_csv(path, separator="\t")["s"].sum() for path in files)


def calling_seconds(folder: Path, since: str) -> tuple[int, float]:
    """Replies since a moment, and the seconds from a job's first to its last, over all jobs.

    The first call of a job waits for litellm's import, its reply does not count that.
    """
    calls, seconds = 0, 0.0
    for path in sorted((folder / "results/moralchoice/bench").rglob("answers/*.parquet")):
        made = pl.read_parquet(path).filter(pl.col("asked_at") >= since)
        asked = made["asked_at"].str.to_datetime("%Y-%m-%dT%H:%M:%SZ")
        times = asked + (1e6 * made["latency_s"]).cast(pl.Int64).cast(pl.Duration("us"))
        if len(made):
            calls += len(made)
            seconds += (times.max() - times.min()).total_seconds() + 1
    return calls, seconds


def alone(base: str, calls: int) -> tuple[float, float]:
    """Bare litellm in a process of its own: calls a second of the calling, and of all of it."""
    start = time.monotonic()
    command = [sys.executable, __file__, "--alone", base, str(calls)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]), calls / (time.monotonic() - start)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "files", nargs="*", default=[str(ROOT / "resources/moralchoice/scenarios.csv")]
    )
    parser.add_argument("--kill-at", type=float, default=0.1, help="share of the calls")
    parser.add_argument("--alone", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        base, calls = chosen.alone[0], int(chosen.alone[1])
        print(asyncio.run(bare(base, prompts(1, calls), CONCURRENCY)))
        return 0
    with Loopback() as server, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calls = write_config(folder, server.base, chosen.files)
        print(
            f"{calls} calls: six forms of the scenarios of {len(chosen.files)} file(s)", flush=True
        )
        rates = [alone(server.base, calls // 6)]
        before = server.counts()["answered"]

        process = start(folder)
        watch(process, folder, int(chosen.kill_at * calls))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(1)
        kept, answered = journalled(folder), server.counts()["answered"] - before
        print(f"killed with -9: {answered} calls answered, {kept} replies kept", flush=True)
        unlock = [*command_line(folder), "--unlock"]
        subprocess.run(unlock, cwd=folder, check=True, capture_output=True)

        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        process = start(folder)
        seen = watch(process, folder, None)
        code = process.wait()
        again = server.counts()["answered"] - before - answered
        rates.append(alone(server.base, calls // 6))
        lines = journalled(folder)
        made, seconds = calling_seconds(folder, since)
        calling, whole = made / seconds, again / asking_seconds(folder)
        bare_calling, bare_whole = (sum(pair) / 2 for pair in zip(*rates, strict=True))
        ratio = whole / bare_whole
        print(f"run again: exit {code}, {again} calls answered, {lines} replies kept in all")
        print(
            f"asked again though kept: {again - (calls - kept)}; "
            f"in flight when killed: {answered - kept}"
        )
        print(f"first reply to last: litellm alone {bare_calling:.0f} calls/s, ours {calling:.0f}")
        print(f"whole processes: litellm alone {bare_whole:.0f} calls/s, ours {whole:.0f}")
        print(
            f"ours / bare litellm: whole processes {ratio:.2f} (at least {LEAST}), "
            f"first reply to last {calling / bare_calling:.2f}"
        )
        for sizes in seen.values():
            if len(sizes) >= 8:
                quarter = [sizes[len(sizes) * part // 4] for part in (1, 2, 3)]
                shown = ", ".join(f"{size:.0f}" for size in (*quarter, sizes[-1]))
                print(f"memory of an asking job at 1/4, 1/2, 3/4 and the end: {shown} MB")
        good = code == 0 and lines == calls and again == calls - kept
        return 0 if good and ratio >= LEAST else 1


def command_line(folder: Path) -> list[str]:
    """The command line of a run without its cores."""
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--directory", str(folder), "--configfile", str(folder / "config.yaml")),
    ]


if __name__ == "__main__":
    sys.exit(main())
