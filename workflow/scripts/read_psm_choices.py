"""Read what was chosen in each round."""

import polars as pl

from rationale.logs import job_log
from rationale.surveys.psm.tables import choices_table

with job_log(snakemake.log[0]) as log:
    answers = pl.concat([pl.read_parquet(path) for path in snakemake.input.answers])
    rounds = pl.read_parquet(snakemake.input.rounds)
    choices = choices_table(answers, rounds, snakemake.params.high)
    choices.write_parquet(snakemake.output[0])
    counts = choices["status"].value_counts(sort=True).iter_rows()
    print("rounds:", ", ".join(f"{count} {status}" for status, count in counts), file=log)
