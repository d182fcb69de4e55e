"""Measure how far one respondent's choices are from GARP, by every index."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.indices import measure_indices
from rationale.reporting.null import null_picks
from rationale.surveys.psm.tables import answered_rounds

with job_log(snakemake.log[0]) as log:
    rounds = pl.read_parquet(snakemake.input.rounds)
    answered = answered_rounds(pl.read_parquet(snakemake.input.choices), rounds)
    picks = null_picks(
        snakemake.params.seed,
        snakemake.wildcards.model,
        snakemake.wildcards.form,
        rounds,
        snakemake.params.draws,
    )[:, answered.numbers - 1]
    found = measure_indices(answered, snakemake.params.time_limit, picks)
    Path(snakemake.output[0]).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print({name: value for name, value in found.items() if not isinstance(value, list)}, file=log)
