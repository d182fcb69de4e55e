"""How long `snakemake cost` takes for 40 models and an empty journal: `benchmarks/cost_scale.py`.

Four forms of the priced survey, and MoralChoice at its published size: 687 scenarios of low ambiguity
and 680 of high, 61,410 calls a model; and STEER's default bank in one form. The scenarios are
Rationale's own, repeated with a number.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
import yaml

ROOT = Path(__file__).parent.parent
SIZES = {"low": 687, "high": 680}


def scenarios() -> pl.DataFrame:
    """As many scenarios as the published survey has, no two with the same words."""
    own = pl.read_csv(ROOT / "resources/moralchoice/scenarios.csv")
    found = []
    for ambiguity, size in SIZES.items():
        some = own.filter(pl.col("ambiguity") == ambiguity)
        many = pl.concat([some] * (size // len(some) + 1)).head(size).with_row_index("n")
        case = pl.col("n").cast(pl.String)
        found.append(
            many.with_columns(
                scenario_id=pl.lit(f"{ambiguity}-") + case,
                context=pl.col("context") + " This is case " + case + ".",
            ).drop("n")
        )
    return pl.concat(found)


def config(models: int) -> dict:
    """So many models behind an address that nobody listens at."""
    spec = {"api_base": "http://127.0.0.1:9/v1", "prices": {"input": 1, "output": 4}}
    return {
        "seed": 1,
        "models": {
            f"m{n:04d}": {"llm": f"openai/model-{n}", "params": {"max_tokens": 256}, **spec}
            for n in range(models)
        },
        "psm": {"forms": ["listed", "shuffled", "reworded", "repeat"]},
        "moralchoice": {"scenarios": "scenarios.csv"},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=40)
    models = parser.parse_args().models
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenarios().write_csv(folder / "scenarios.csv")
        (folder / "config.yaml").write_text(yaml.safe_dump(config(models)), encoding="utf-8")
        snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        snakemake += ["--configfile", "config.yaml", "--cores", "1", "--quiet", "all", "--", "cost"]
        started = time.monotonic()
        subprocess.run(snakemake, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - started
        calls = pl.read_csv(folder / "results/tables/cost.csv")["calls_low"].sum()
    print(f"{models} models, {calls:,} calls at the least: {took:.1f} s")


if __name__ == "__main__":
    main()
