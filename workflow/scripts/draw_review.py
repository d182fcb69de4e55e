"""Draw the questions that people review, and write the page on which they do."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.review import render_review
from rationale.surveys.steer.files import load_taxonomy
from rationale.surveys.steer.review import review_sample

with job_log(snakemake.log[0]):
    params = snakemake.params
    questions = pl.concat([pl.read_parquet(path) for path in snakemake.input.questions])
    sample = review_sample(questions, params.per_cell, params.seed)
    sample.write_parquet(snakemake.output.sample)
    taxonomy = load_taxonomy(snakemake.input.taxonomy, params.schemas.value)
    Path(snakemake.output.page).write_text(render_review(sample, taxonomy), encoding="utf-8")
