"""Count the questions by element, domain and grade."""

import polars as pl

from rationale.logs import job_log
from rationale.reporting.questions import question_counts

with job_log(snakemake.log[0]):
    questions = pl.concat([pl.read_parquet(path) for path in snakemake.input.questions])
    question_counts(questions).write_csv(snakemake.output[0])
