"""A chaos suite: whole runs against a local provider that fails on cue, and what became of each call.

Each case asks 40 MoralChoice prompts in two jobs at once, then runs once more against a provider that
is well again. Counts are the provider's own: what reached it, what it finished sending.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import polars as pl
from helpers import command, kill_tree, run, write_project
from server import LocalProvider, Request, Response

from rationale.asking.journal import calls

PROMPTS, BLOCK = 40, 20
BLOCKS = [f"s{start:04d}-s{start + BLOCK - 1:04d}" for start in range(1, PROMPTS, BLOCK)]
TARGETS = [f"results/moralchoice/one/ab-0/answers/{block}.parquet" for block in BLOCKS]
KEY_NAME = "RATIONALE_CHAOS_KEY"
KEY = {KEY_NAME: "chaos-5a5b7c1e9d"}
ASKING = {"block_size": BLOCK, "concurrency": 4, "tries": 8, "max_wait_s": 60, "min_free_mb": 0}
FAULTY_EVERY = 8


class Outcome(NamedTuple):
    """What became of a case. ``lost``: replies sent whole to the end and kept nowhere.

    ``twice``: prompts whose reply was paid for more than once, over both runs. ``ended`` is the exit
    status of the first run and the line that says why; the last four are the state after the second.
    """

    case: str
    requests: int
    replied: int
    kept: int
    lost: int
    twice: int
    status: int
    ended: str
    again: int
    held: int
    rows: dict[str, int]
    second: int


@dataclass(frozen=True)
class Case:
    """A fault: how the provider behaves in the first run, and how that run is started or ended."""

    name: str
    script: Callable[[Request], Response]
    asking: dict = field(default_factory=dict)
    start: Callable[[Path, LocalProvider], tuple[int, str]] | None = None
    around: Callable[[Path], contextlib.AbstractContextManager] | None = None


def well(request: Request) -> Response:
    """A reply that can be read."""
    return Response("A", wait_s=0.02)


def sometimes(fault: Response) -> Callable[[Request], Response]:
    """The fault for every eighth request, a reply for the others."""
    return lambda request: fault if request.number % FAULTY_EVERY == 1 else well(request)


def at(numbers: set[int], fault: Response) -> Callable[[Request], Response]:
    """The fault at these requests, slow replies else, so that several are under way."""
    return lambda request: fault if request.number in numbers else Response("A", wait_s=0.1)


def always(fault: Response) -> Callable[[Request], Response]:
    """Nothing but the fault."""
    return lambda request: fault


def slowly(request: Request) -> Response:
    """A reply after 0.15 s: time enough to be interrupted."""
    return Response("A", wait_s=0.15)


def wordy(request: Request) -> Response:
    """A reply that takes some 9 kB of the journal."""
    token = {"token": "A", "logprob": -0.25, "bytes": None, "top_logprobs": []}
    return Response("A", wait_s=0.15, logprobs=[token] * 200)


def very_slowly(request: Request) -> Response:
    """A reply after 3 s: time enough for a second run to come to the same calls."""
    return Response("A", wait_s=3.0)


def whole_run(folder: Path, provider: LocalProvider) -> tuple[int, str]:
    """The graph to its end: exit status and what was printed."""
    done = run(folder, *TARGETS, env=KEY)
    return done.returncode, done.stdout


def started(folder: Path, *arguments: str, limit: Callable | None = None) -> subprocess.Popen:
    """The graph as a process that leads a group of its own; what it prints goes to a file."""
    name = "second.txt" if "--nolock" in arguments else "printed.txt"
    with open(folder / name, "w", encoding="utf-8") as printed:
        return subprocess.Popen(
            command(folder, *TARGETS, *arguments),
            cwd=folder,
            env={**os.environ, **KEY, "TMPDIR": str(rescued_at(folder))},
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limit,
        )


def rescued_at(folder: Path) -> Path:
    """Where replies go that the journal has no room for: the temporary folder of the run."""
    place = folder / "elsewhere"
    place.mkdir(exist_ok=True)
    return place


def wait_for(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Until the condition holds; an assertion when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def interrupted(number: int, seed: int) -> Callable[[Path, LocalProvider], tuple[int, str]]:
    """A run that gets a signal at a random moment, drawn from the seed, once it asks."""
    moment = random.Random(seed)
    after, pause = moment.randrange(3, 30), moment.uniform(0, 0.15)

    def start(folder: Path, provider: LocalProvider) -> tuple[int, str]:
        process = started(folder)
        wait_for(lambda: len(provider.requests) >= after)
        time.sleep(pause)
        if number == signal.SIGKILL:
            kill_tree(process)
            assert run(folder, "--unlock").returncode == 0
        else:
            os.killpg(process.pid, number)
            process.wait(60)
        return process.returncode, (folder / "printed.txt").read_text()

    return start


def second_run(*arguments: str) -> Callable[[Path, LocalProvider], tuple[int, str]]:
    """Two runs on the same results: the second comes to its end, or to the calls of the first one,
    while the first one asks."""

    def start(folder: Path, provider: LocalProvider) -> tuple[int, str]:
        first = started(folder)
        try:
            wait_for(lambda: len(provider.requests) >= 3)
            if arguments:
                other = started(folder, *arguments)
                wait_for(lambda: "another process asks the same" in logged(folder))
                assert first.poll() is None
                status = other.wait(120)
                said = (folder / "second.txt").read_text()
            else:
                done = run(folder, *TARGETS, env=KEY)
                assert first.poll() is None
                status, said = done.returncode, done.stdout
            assert first.wait(120) == 0, (folder / "printed.txt").read_text()
        finally:
            if first.poll() is None:
                kill_tree(first)
        return status, said

    return start


def limited(size: int) -> Callable[[Path, LocalProvider], tuple[int, str]]:
    """A run in which no file may grow beyond so many bytes (RLIMIT_FSIZE)."""

    def start(folder: Path, provider: LocalProvider) -> tuple[int, str]:
        process = started(
            folder, limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        )
        process.wait(120)
        return process.returncode, (folder / "printed.txt").read_text()

    return start


def unlimited(folder: Path, provider: LocalProvider) -> tuple[int, str]:
    """A run in a process of its own, with its temporary files beside the project."""
    process = started(folder)
    process.wait(120)
    return process.returncode, (folder / "printed.txt").read_text()


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int = 24) -> Iterator[None]:
    """A disk of a few kilobytes under the journal; afterwards its files lie where it was."""
    journal, aside = folder / "results/journal", folder / "aside"
    journal.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "chaos", str(journal)]
    subprocess.run(mount, check=True)
    try:
        yield
        shutil.copytree(journal, aside)
    finally:
        subprocess.run(["umount", str(journal)], check=True)
    shutil.copytree(aside, journal, dirs_exist_ok=True)


def can_mount() -> bool:
    """Whether this user may mount a small disk here."""
    with tempfile.TemporaryDirectory() as place:
        mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "chaos", place]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            return False
        subprocess.run(["umount", place], check=True)
    return True


FAULTS = [
    Case("429 with Retry-After", at({5, 17}, Response(status=429, headers={"retry-after": "1"}))),
    Case("429 without Retry-After", sometimes(Response(status=429))),
    Case("500", sometimes(Response(status=500))),
    Case("503", sometimes(Response(status=503))),
    Case("slow replies (1 s)", always(Response("A", wait_s=1.0))),
    Case("slower than timeout_s", sometimes(Response("A", wait_s=4)), {"timeout_s": 1}),
    Case("hanging replies", sometimes(Response(hang=True)), {"timeout_s": 1}),
    Case("connection reset", sometimes(Response(reset=True))),
    Case("cut in mid-reply", sometimes(Response("A", cut=True))),
    Case("invalid JSON", sometimes(Response(raw=b'{"choices": [{"mess'))),
    Case("no choices", sometimes(Response(raw=b'{"id": "x", "choices": []}'))),
    Case("empty content", sometimes(Response(""))),
    Case("filter: finish_reason", sometimes(Response("", finish_reason="content_filter"))),
    Case(
        "filter: 400",
        sometimes(Response(status=400, message="content_filter", code="content_filter")),
    ),
    Case("truncated replies", sometimes(Response("A becau", finish_reason="length"))),
    Case("server away for a minute", at({12}, Response(die_s=60.0)), {"max_wait_s": 900}),
    Case("wrong model name (404)", always(Response(status=404, message="no such model"))),
    Case("key expires (401)", lambda r: well(r) if r.number < 12 else Response(status=401)),
    Case("duplicate ids", always(Response("A", id="chatcmpl-same", wait_s=0.02))),
    Case(
        "stays away (503)",
        lambda r: well(r) if r.number < 12 else Response(status=503),
        {"tries": 2},
    ),
    *(
        Case(f"kill -9, seed {n}", slowly, start=interrupted(signal.SIGKILL, n))
        for n in range(1, 6)
    ),
    Case("Ctrl-C", slowly, start=interrupted(signal.SIGINT, 6)),
    Case("SIGTERM", slowly, start=interrupted(signal.SIGTERM, 7)),
    # Rules as Snakemake compiles them take more than 16 kB, and must not meet the limit first.
    Case("files may not grow (100 kB)", wordy, start=limited(100_000)),
    Case("disk full (24 kB)", slowly, start=unlimited, around=small_disk),
    Case("less than min_free_mb", slowly, {"min_free_mb": 1e9}),
    Case("two runs at once", very_slowly, start=second_run()),
    Case("two runs, --nolock", very_slowly, start=second_run("--nolock")),
]


def write_case(folder: Path, base: str, asking: dict) -> None:
    """A project of one model, 40 scenarios of one form, two blocks."""
    model = {"llm": "openai/one", "api_base": base, "key_env": KEY_NAME}
    model |= {"prices": {"input": 1, "output": 4}}
    config = {
        "seed": 5,
        "studies": ["moralchoice"],
        "models": {"one": model},
        "asking": ASKING | asking,
        "moralchoice": {"scenarios": "scenarios.csv", "forms": ["ab"], "bootstrap": 99},
    }
    config["moralchoice"]["samples"] = {"low": 1, "high": 1}
    write_project(folder, config)
    names = ["scenario_id", "ambiguity", "context", "action1", "action2"]
    with open(folder / "scenarios.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for n in range(PROMPTS):
            here = f"You stand at gate {n} of the harbour."
            writer.writerow([f"H_{n:03d}", "high", here, f"I open gate {n}.", f"I shut gate {n}."])


def digest_of(request: dict) -> str:
    """The provider's digest of a journalled request."""
    text = json.dumps([request["model"].split("/")[1], request["messages"]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def kept_in(folder: Path) -> Counter[str]:
    """How often the journal, or a file rescued beside it, holds the reply to each prompt."""
    files = [*(folder / "results/journal").rglob("*.jsonl"), *rescued_at(folder).rglob("*.jsonl")]
    return Counter(digest_of(call["request"]) for path in files for call in calls(path))


def bring_back(folder: Path) -> None:
    """Do what the message says: move rescued replies to the journal."""
    for path in rescued_at(folder).rglob("*-rescued-*.jsonl"):
        path.rename(folder / "results/journal/one" / path.name)


def logged(folder: Path) -> str:
    """All that jobs wrote to their logs."""
    return "\n".join(path.read_text() for path in (folder / "results/logs").rglob("*.log"))


def why(printed: str, folder: Path) -> str:
    """The line in which a run says how it ended."""
    for line in f"{logged(folder)}\n{printed}".splitlines():
        if line.startswith("Error: "):
            # A folder's name is chance and no part of what happened.
            return line.replace(str(folder), "…").removeprefix("Error: ")
    return ""


def outcome(case: Case, folder: Path) -> Outcome:
    """Run a case: with its fault, then again without."""
    script = [case.script]
    with LocalProvider(lambda request: script[0](request)) as provider:
        write_case(folder, provider.base, case.asking)
        with case.around(folder) if case.around else contextlib.nullcontext():
            status, printed = (case.start or whole_run)(folder, provider)
            settle(provider)
        kept, replied = kept_in(folder), provider.finished.copy()
        requests, ended = len(provider.requests), why(printed, folder)
        bring_back(folder)
        script[0] = well
        write_case(folder, provider.base, {})
        done = run(folder, *TARGETS, env=KEY)
        assert done.returncode == 0, done.stdout
        again = len(provider.requests) - requests
        rows = pl.concat([pl.read_parquet(folder / target) for target in TARGETS])["status"]
        return Outcome(
            case.name,
            requests,
            replied.total(),
            kept.total(),
            sum((replied - kept).values()),
            sum(count > 1 for count in provider.finished.values()),
            status,
            ended,
            again,
            len(kept_in(folder)),
            dict(sorted(Counter(rows.to_list()).items())),
            done.returncode,
        )


def settle(provider: LocalProvider) -> None:
    """Until no reply is under way, or those left hang for good."""
    deadline = time.monotonic() + 5
    while provider.in_flight and time.monotonic() < deadline:
        time.sleep(0.02)


def table(outcomes: list[Outcome]) -> str:
    """The counts in Markdown."""
    head = (
        "| fault | requests | replied | kept | lost | exit | asked by the next run | then held "
        "| rows | asked twice | what the run said |"
    )
    lines = [head, "|" + " --- |" * 11]
    for one in outcomes:
        rows = ", ".join(f"{count} {status}" for status, count in one.rows.items())
        said = one.ended.replace("|", "/")
        said = said if len(said) <= 90 else said[:89] + "…"
        cells = [one.case, one.requests, one.replied, one.kept, one.lost, one.status]
        cells += [one.again, one.held, rows, one.twice, said]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)
