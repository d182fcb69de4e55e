"""How long a dry run takes and how many jobs it finds, by models and question forms.

`.venv/bin/python benchmarks/scale.py` prints a table: generated configs, no call made.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
FORMS = ("listed", "shuffled", "reworded", "repeat")


class Plan(NamedTuple):
    """A dry run: jobs in all, those that ask, its seconds, and its memory in MB."""

    jobs: int
    asks: int
    seconds: float
    memory_mb: float


def config(models: int, block_size: int) -> dict:
    """So many language models on no address: all four forms of the priced survey, the other studies."""
    return {
        "seed": 7,
        "models": {
            f"model-{number:04d}": {
                "llm": f"openai/model-{number:04d}",
                "api_base": "http://127.0.0.1:1/v1",
            }
            for number in range(models)
        },
        "asking": {"block_size": block_size},
        "psm": {"forms": list(FORMS)},
    }


def plan(models: int, block_size: int, limit_s: float) -> Plan:
    """A dry run in a folder of its own. Raises TimeoutExpired after ``limit_s``."""
    with tempfile.TemporaryDirectory() as name:
        Path(name, "config.yaml").write_text(yaml.safe_dump(config(models, block_size)))
        paths = ["--snakefile", ROOT / "Snakefile", "--directory", name]
        command = [sys.executable, "-m", "snakemake", *paths, "--configfile", "config.yaml"]
        start = perf_counter()
        done = subprocess.run(
            [*map(str, command), "--dry-run", "--quiet", "rules"],
            cwd=name,
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )
        seconds = perf_counter() - start
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr)[-2000:])
    counts = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE))
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return Plan(int(counts["total"]), int(counts["ask"]), seconds, memory)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, nargs="+", default=[10, 40, 200, 1000])
    parser.add_argument("--block-sizes", type=int, nargs="+", default=[160, 40])
    parser.add_argument("--limit-s", type=float, default=900, help="for one dry run")
    chosen = parser.parse_args()
    print(
        f"{'models':>7}{'block':>7}{'jobs':>9}{'asks':>9}{'seconds':>9}{'MB, at most so far':>20}"
    )
    for models in chosen.models:
        for block_size in chosen.block_sizes:
            head = f"{models:7d}{block_size:7d}"
            try:
                found = plan(models, block_size, chosen.limit_s)
            except subprocess.TimeoutExpired:
                print(f"{head}  not done in {chosen.limit_s:.0f} s", flush=True)
                continue
            print(
                f"{head}{found.jobs:9d}{found.asks:9d}{found.seconds:9.1f}{found.memory_mb:20.0f}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
