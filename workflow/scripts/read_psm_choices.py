"""Read what was chosen in each round."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.replies import replies_of
from rationale.surveys.psm.blocks import OPENING
from rationale.surveys.psm.tables import choices_table

with job_log(snakemake.log[0]) as log:
    wildcards = snakemake.wildcards
    answers = pl.concat([pl.read_parquet(path) for path in snakemake.input.answers])
    rounds = pl.read_parquet(snakemake.input.rounds)
    choices = choices_table(answers, rounds, snakemake.params.high)
    choices.write_parquet(snakemake.output.choices)
    statuses = choices.filter(pl.col("round") > 0).select("status", question="round")
    put = answers.filter(pl.col("prompt_id") != OPENING)
    replies = replies_of("psm", wildcards.model, wildcards["form"], statuses, put)
    Path(snakemake.output.replies).write_text(json.dumps(replies), encoding="utf-8")
    counts = choices["status"].value_counts(sort=True).iter_rows()
    print("rounds:", ", ".join(f"{count} {status}" for status, count in counts), file=log)
