"""A campaign simulated call by call: how long it will take, and what it will cost.

Time is virtual. Jobs wait for a core, calls for a place of their model and for its pace; latency is
lognormal, failures are drawn and waited out, and what litellm and a job's start take of the
processor is shared by the machine's cores. `--check` runs the real graph at small scale on a local
server that draws from the same distributions, and exits with 1 when the prediction is off by more
than a quarter.
"""

from __future__ import annotations

import argparse
import heapq
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import yaml

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 0.25
STARTS = {
    "script_s": "import polars, numpy, rationale.logs, rationale.surveys",
    "ask_s": "import polars, rationale.logs, rationale.asking.job, litellm",
}


@dataclass(frozen=True)
class Campaign:
    """What is asked and how. Times in seconds; prices in US dollars a million tokens."""

    models: int = 40
    forms: int = 4
    rounds: int = 160
    moral_calls: int = 0
    block_size: int = 40
    cores: int = 64
    processors: int = 2
    concurrency: int = 8
    requests_per_minute: float | None = None
    latency_median_s: float = 2.0
    latency_sigma: float = 0.6
    busy_share: float = 0.01
    retry_after_s: float = 5.0
    broken_share: float = 0.01
    call_cpu_s: float = 0.004
    script_s: float = 1.0
    ask_s: float = 4.0
    analysis_s: float = 3.0
    opening_tokens: tuple[int, int] = (150, 10)
    round_tokens: tuple[int, int] = (3500, 12)
    moral_tokens: tuple[int, int] = (150, 5)
    prices: tuple[float, float] = (2.5, 10.0)


class Places:
    """So many at a time; the others wait in line."""

    def __init__(self, clock: Clock, number: int):
        self.clock, self.free, self.line = clock, number, deque()

    def take(self, process: Generator) -> None:
        if self.free:
            self.free -= 1
            self.clock.at(0.0, process)
        else:
            self.line.append(process)

    def leave(self) -> None:
        if self.line:
            self.clock.at(0.0, self.line.popleft())
        else:
            self.free += 1


class Gate:
    """Opens when it was counted down to zero; who waits goes on then."""

    def __init__(self, clock: Clock, number: int):
        self.clock, self.number, self.line = clock, number, []

    def take(self, process: Generator) -> None:
        if self.number:
            self.line.append(process)
        else:
            self.clock.at(0.0, process)

    def count(self) -> None:
        self.number -= 1
        if not self.number:
            for process in self.line:
                self.clock.at(0.0, process)


class Clock:
    """Virtual time. A process is a generator that yields seconds to wait, or what it waits for."""

    def __init__(self):
        self.now, self._events, self._number = 0.0, [], 0

    def at(self, wait: float, process: Generator) -> None:
        self._number += 1
        heapq.heappush(self._events, (self.now + wait, self._number, process))

    def run(self) -> float:
        while self._events:
            self.now, _, process = heapq.heappop(self._events)
            wanted = next(process, None)
            if isinstance(wanted, Places | Gate):
                wanted.take(process)
            elif wanted is not None:
                self.at(wanted, process)
        return self.now


class Model:
    """One model's limits, as `rationale.asking.limits` keeps them, and what it was asked."""

    def __init__(self, clock: Clock, campaign: Campaign, draw: random.Random):
        self.clock, self.campaign, self.draw = clock, campaign, draw
        self.places = Places(clock, campaign.concurrency)
        per_minute = campaign.requests_per_minute
        self.gap = 60 / per_minute if per_minute else 0.0
        self.due = self.hold = 0.0
        self.answered = self.sent = 0

    def call(self, processor: Places) -> Iterator:
        """One prompt until it is answered."""
        tries = 0
        while True:
            tries += 1
            yield self.places
            while (due := max(self.due, self.hold)) > self.clock.now:
                yield due - self.clock.now
            self.due = self.clock.now + self.gap
            self.sent += 1
            fate = self.draw.random()
            given = self.campaign
            if fate < given.busy_share + given.broken_share:
                self.places.leave()
                yield self._wait(tries, fate < given.busy_share)
                continue
            yield self.draw.lognormvariate(math.log(given.latency_median_s), given.latency_sigma)
            yield processor
            yield given.call_cpu_s
            processor.leave()
            self.places.leave()
            self.answered += 1
            return

    def _wait(self, tries: int, busy: bool) -> float:
        jitter = self.draw.uniform(0.5, 1) * min(60.0, 0.5 * 2**tries)
        if not busy:
            return jitter
        self.hold = max(self.hold, self.clock.now + self.campaign.retry_after_s)
        return self.campaign.retry_after_s + min(jitter, 1.0)


class Machine:
    """The jobs of a campaign on one machine."""

    def __init__(self, campaign: Campaign, seed: int):
        self.campaign, self.clock = campaign, Clock()
        self.cores = Places(self.clock, campaign.cores)
        self.processors = Places(self.clock, campaign.processors)
        draw = random.Random(seed)
        self.models = [Model(self.clock, campaign, draw) for _ in range(campaign.models)]
        for model in self.models:
            self.clock.at(0.0, self._priced(model))
            for calls in blocks(campaign.moral_calls, campaign.block_size):
                self.clock.at(0.0, self._ask(model, calls))

    def _busy(self, seconds: float) -> Iterator:
        yield self.processors
        yield seconds
        self.processors.leave()

    def _script(self, seconds: float, done: Gate | None = None) -> Iterator:
        yield self.cores
        yield from self._busy(seconds)
        self.cores.leave()
        if done:
            done.count()

    def _ask(self, model: Model, calls: int, done: Gate | None = None) -> Iterator:
        yield self.cores
        yield from self._busy(self.campaign.ask_s)
        left = iter(range(calls))
        workers = min(calls, self.campaign.concurrency)
        finished = Gate(self.clock, workers)
        for _ in range(workers):
            self.clock.at(0.0, self._worker(model, left, finished))
        yield finished
        self.cores.leave()
        if done:
            done.count()

    def _worker(self, model: Model, left: Iterator[int], finished: Gate) -> Iterator:
        for _ in left:
            yield from model.call(self.processors)
        finished.count()

    def _priced(self, model: Model) -> Iterator:
        """The listed form's open round first: the rounds of every form depend on it."""
        if not self.campaign.forms:
            return
        yield from self._script(self.campaign.script_s)
        yield from self._ask(model, 1)
        for form in range(self.campaign.forms):
            self.clock.at(0.0, self._form(model, listed=form == 0))

    def _form(self, model: Model, listed: bool) -> Iterator:
        given = self.campaign
        sizes = list(blocks(given.rounds, given.block_size)) + ([] if listed else [1])
        answered = Gate(self.clock, len(sizes))
        yield from self._script(given.script_s)
        yield from self._script(given.script_s)
        for calls in sizes:
            self.clock.at(0.0, self._ask(model, calls, answered))
        yield answered
        yield from self._script(given.analysis_s)


def blocks(calls: int, size: int) -> Iterator[int]:
    """The sizes of the blocks of so many calls."""
    for start in range(0, calls, size):
        yield min(size, calls - start)


def simulate(campaign: Campaign, seed: int = 0) -> tuple[float, int, int]:
    """Seconds, calls answered and requests sent."""
    machine = Machine(campaign, seed)
    seconds = machine.clock.run()
    return (
        seconds,
        sum(model.answered for model in machine.models),
        sum(model.sent for model in machine.models),
    )


def cost(campaign: Campaign) -> float:
    """US dollars for every prompt answered once; failed requests cost nothing."""
    asked = (
        (campaign.forms, campaign.opening_tokens),
        (campaign.forms * campaign.rounds, campaign.round_tokens),
        (campaign.moral_calls, campaign.moral_tokens),
    )
    each = sum(
        calls * sum(number * price for number, price in zip(tokens, campaign.prices, strict=True))
        for calls, tokens in asked
    )
    return campaign.models * each / 1e6


def measured_starts() -> dict[str, float]:
    """Seconds that starting a job of each kind takes here and now, the smaller of two trials."""
    found = {}
    for name, statement in STARTS.items():
        env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        trials = []
        for _ in range(2):
            start = perf_counter()
            subprocess.run([sys.executable, "-c", statement], env=env, check=True)
            trials.append(perf_counter() - start)
        found[name] = min(trials)
    return found


def project(folder: Path, base: str, campaign: Campaign) -> list[str]:
    """Write a config of the campaign's shape; the command that asks all, reads it and stops."""
    names = ("listed", "shuffled", "reworded", "repeat")[: campaign.forms]
    config = {
        "seed": 7,
        "studies": ["psm"],
        "models": {
            f"model-{number}": {
                "llm": f"openai/model-{number}",
                "api_base": base,
                "params": {"max_tokens": 32},
            }
            for number in range(campaign.models)
        },
        "asking": {"block_size": campaign.block_size, "concurrency": campaign.concurrency},
        "psm": {"forms": list(names), "null_draws": 99},
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    paths = ["--snakefile", ROOT / "Snakefile", "--directory", folder]
    command = [sys.executable, "-m", "snakemake", *paths, "--configfile", "config.yaml"]
    return [*map(str, command), "--until", "read_psm_choices", "--cores", str(campaign.cores)]


def answering(campaign: Campaign):
    """A provider's script that draws latency and failures as the simulation does."""
    from server import Response

    draw = random.Random(1)

    def script(request):
        fate = draw.random()
        if fate < campaign.busy_share:
            return Response(status=429, headers={"retry-after": str(int(campaign.retry_after_s))})
        if fate < campaign.busy_share + campaign.broken_share:
            return Response(status=500)
        wait = draw.lognormvariate(math.log(campaign.latency_median_s), campaign.latency_sigma)
        words = "Option 1" if "Option 1" in request.words else "2, 2, 2, 2, 2"
        return Response(words, wait_s=wait)

    return script


def timed(command: list[str], folder: Path) -> float:
    """Seconds of a command. Raises RuntimeError when it fails."""
    start = perf_counter()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-3000:])
    return perf_counter() - start


def check(campaign: Campaign) -> bool:
    """Run the graph for real at this scale, print it beside the prediction; is it near enough?"""
    sys.path.insert(0, str(ROOT / "tests"))
    from server import LocalProvider

    with LocalProvider(answering(campaign)) as provider, tempfile.TemporaryDirectory() as name:
        command = project(Path(name), provider.base, campaign)
        plan_s = timed([*command, "--dry-run", "--quiet"], Path(name))
        predicted, calls, sent = simulate(campaign)
        predicted += plan_s
        print(f"predicted: {predicted:.0f} s ({plan_s:.0f} s to plan), {calls} calls, {sent} sent")
        taken = timed(command, Path(name))
        print(f"measured:  {taken:.0f} s, {sum(provider.answered.values())} answered,", end=" ")
        print(f"{len(provider.requests)} sent")
        if sum(provider.answered.values()) != calls:
            raise RuntimeError("the run did not ask what was predicted")
    off = predicted / taken - 1
    print(f"prediction is off by {off:+.0%}; {TOLERANCE:.0%} allowed")
    return abs(off) <= TOLERANCE


def table(campaign: Campaign) -> None:
    """Predictions for a range of cores and limits."""
    print(
        f"{'models':>7}{'cores':>7}{'in flight':>11}{'a minute':>10}{'calls':>9}{'sent':>9}", end=""
    )
    print(f"{'hours':>8}{'US$':>9}")
    for cores, concurrency, pace in (
        (8, 8, None),
        (64, 8, None),
        (64, 32, None),
        (64, 8, 60),
        (64, 8, 500),
    ):
        chosen = replace(campaign, cores=cores, concurrency=concurrency, requests_per_minute=pace)
        seconds, calls, sent = simulate(chosen)
        print(f"{chosen.models:7d}{cores:7d}{concurrency:11d}{pace or '-':>10}{calls:9d}", end="")
        print(f"{sent:9d}{seconds / 3600:8.2f}{cost(chosen):9.0f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--moral-calls", type=int, default=1000, help="of MoralChoice, a model")
    parser.add_argument("--processors", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true", help="against a real run at small scale")
    chosen = parser.parse_args()
    starts = measured_starts()
    print("a job's start takes:", {name: round(value, 2) for name, value in starts.items()})
    if chosen.check:
        small = Campaign(
            models=2,
            forms=1,
            cores=4,
            processors=chosen.processors,
            block_size=80,
            concurrency=4,
            latency_median_s=0.5,
            retry_after_s=1.0,
            analysis_s=starts["script_s"],
            **starts,
        )
        return 0 if check(small) else 1
    table(
        Campaign(
            models=chosen.models,
            moral_calls=chosen.moral_calls,
            processors=chosen.processors,
            **starts,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
