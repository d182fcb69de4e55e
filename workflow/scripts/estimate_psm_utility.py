"""Estimate one respondent's utility, and the CCEI that it could have reached."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.revealed.estimates import estimate_utility
from rationale.surveys.psm.tables import answered_rounds

with job_log(snakemake.log[0]) as log:
    rounds = pl.read_parquet(snakemake.input.rounds)
    answered = answered_rounds(pl.read_parquet(snakemake.input.choices), rounds)
    names = (snakemake.params.seed, "psm", snakemake.wildcards.model, snakemake.wildcards.form)
    found = estimate_utility(answered, (*names, "utility"))
    Path(snakemake.output[0]).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print([(fit["estimator"], fit["status"]) for fit in found["fits"]], file=log)
