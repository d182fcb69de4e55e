"""Draw questions other than those that are asked, as examples to show."""

import polars as pl

from rationale.logs import job_log
from rationale.surveys.steer.bank import example_table
from rationale.surveys.steer.files import load_stories, load_taxonomy

with job_log(snakemake.log[0]) as log:
    params, given = snakemake.params, snakemake.input
    taxonomy = load_taxonomy(given.taxonomy, params.schemas.value)
    stories = load_stories(given.stories, given.words, taxonomy, params.schemas.value)
    asked = pl.read_parquet(given.asked)
    examples = example_table(
        *(taxonomy, stories, params.grades, params.domains),
        seed=params.seed,
        number=params.number,
        asked=asked,
    )
    examples.write_parquet(snakemake.output[0])
    print(examples["question_id"].n_unique(), "examples", file=log)
