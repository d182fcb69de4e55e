"""What several tests need: a respondent by script, a job put together, a run of the graph."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import yaml

from rationale.asking.ask import Asking, Place
from rationale.asking.journal import Journal
from rationale.asking.progress import Progress
from rationale.asking.prompts import Prompt
from rationale.respondents.base import Asked, Call, Reply

ROOT = Path(__file__).parent.parent
PLACE = Place("psm", "someone", "listed", "block")


class Scripted:
    """A respondent that answers by a function of the call and counts the calls."""

    def __init__(self, script: Callable[[Call], Reply | str | Exception], paid: bool = True):
        self.script, self.paid, self.calls = script, paid, []
        self.asked = Asked("test/model", None, {"temperature": 0})

    async def reply(self, call: Call) -> Reply:
        self.calls.append(call)
        await asyncio.sleep(0)
        result = self.script(call)
        if isinstance(result, Exception):
            raise result
        return result if isinstance(result, Reply) else Reply(result)

    async def close(self) -> None:
        pass


def reads_yes(prompt: Prompt, texts: list[str]) -> str:
    """A reader for tests: 'yes' is an answer, 'no' a refusal, all else unreadable."""
    return {"yes": "answered", "no": "refused"}.get(texts[-1], "invalid")


def asking(respondent, folder: Path, reader=reads_yes, **settings) -> Asking:
    """An `Asking` on a journal in a folder."""
    journal = Journal(folder, "someone", "0123456789ab")
    progress = Progress(1, "test", io.StringIO())
    return Asking(respondent, journal, reader, progress, PLACE, **settings)


def ask(respondent, folder: Path, prompts, **settings):
    """The answers of a respondent to prompts, the journal closed again."""
    job = asking(respondent, folder, **settings)
    try:
        return asyncio.run(job.ask(prompts))
    finally:
        job.journal.close()


def simulated(**models) -> dict:
    """A small config: a survey of two statements, few options, few draws."""
    return {
        "seed": 7,
        "studies": ["psm"],
        "models": models,
        "asking": {"block_size": 8},
        "psm": {
            "survey": "small.yaml",
            "options": 6,
            "null_draws": 99,
            "types": {"draws": 8, "rounds": 3, "chunk": 4},
        },
    }


SMALL_SURVEY = {
    "title": "Small",
    "scale": {"high": 5, "low_label": "never", "high_label": "always"},
    "budget": 4,
    "prices": [[2, 1], [1, 2], [1, 1]],
    "statements": [
        {"slug": "one", "text": "First.", "reworded": "The first."},
        {"slug": "two", "text": "Second.", "reworded": "The second."},
    ],
}
STEADY = {"simulated": "utility", "ideal": [2, 3], "noise": 0.1}


def write_project(folder: Path, config: dict, survey: dict = SMALL_SURVEY) -> None:
    """A folder in which `run` runs the graph: config and survey of its own, the project's code."""
    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    (folder / "small.yaml").write_text(yaml.safe_dump(survey, sort_keys=False), encoding="utf-8")


def command(folder: Path, *arguments: str, cores: int = 2) -> list[str]:
    """The snakemake command line for a folder."""
    return [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
        "--directory",
        str(folder),
        "--configfile",
        str(folder / "config.yaml"),
        "--cores",
        str(cores),
        *arguments,
    ]


def run(folder: Path, *arguments: str, env: dict | None = None, cores: int = 2):
    """Run the graph; the finished process with all that it printed."""
    return subprocess.run(
        command(folder, *arguments, cores=cores),
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


class Plan(NamedTuple):
    """What a dry run would do: rule to number of jobs, and the messages of the jobs."""

    jobs: dict[str, int]
    messages: list[str]


def planned(folder: Path, *arguments: str) -> Plan:
    """The jobs that a dry run lists."""
    done = run(folder, "--dry-run", *arguments)
    assert done.returncode == 0, done.stdout
    head = done.stdout.split("\n\n\n", 1)[0]
    jobs = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", head, re.MULTILINE)}
    jobs.pop("total", None)
    return Plan(jobs, re.findall(r"^Job \d+: (.*)$", done.stdout, re.MULTILINE))


def kill_tree(process: subprocess.Popen) -> None:
    """kill -9 for a process and all that it started; it leads a group of its own."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)
