"""Test one respondent's choices against data sets that choose at random."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.null import null_picks
from rationale.revealed.measure import measure_rationality
from rationale.revealed.robustness import position_picks
from rationale.surveys.psm.tables import answered_rounds

with job_log(snakemake.log[0]) as log:
    rounds = pl.read_parquet(snakemake.input.rounds)
    answered = answered_rounds(pl.read_parquet(snakemake.input.choices), rounds)
    model, form = snakemake.wildcards.model, snakemake.wildcards.form
    draws = snakemake.params.draws
    picks = null_picks(snakemake.params.seed, model, form, rounds, draws)[:, answered.numbers - 1]
    habit = None
    if len(answered.numbers):
        sizes = [len(options) for options in answered.options]
        names = (snakemake.params.seed, "psm", model, form, "position")
        habit = position_picks(answered.positions, sizes, draws, names)
    test, null = measure_rationality(answered, picks, habit)
    pl.DataFrame({"ccei": null}, schema={"ccei": pl.Float64}).write_parquet(snakemake.output.null)
    Path(snakemake.output.test).write_text(json.dumps(test, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(test), file=log)
