"""Draw questions beyond those that are asked, as examples to show."""

import polars as pl

from rationale.logs import job_log
from rationale.surveys.steer.bank import drawn_table
from rationale.surveys.steer.files import load_stories, load_taxonomy

with job_log(snakemake.log[0]) as log:
    params, given = snakemake.params, snakemake.input
    taxonomy = load_taxonomy(given.taxonomy, params.schemas.value)
    stories = load_stories(given.stories, given.words, taxonomy, params.schemas.value)
    asked = pl.read_parquet(given.asked)
    drawn = drawn_table(
        taxonomy, stories, params.grades, params.domains, params.seed, params.per_cell
    )
    examples = drawn.join(asked, on="question_id", how="anti", maintain_order="left")
    examples.write_parquet(snakemake.output[0])
    print(examples["question_id"].n_unique(), "examples", file=log)
