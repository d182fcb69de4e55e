"""Draw the questions of a setting's elements from their stories."""

from rationale.logs import job_log
from rationale.surveys.steer.bank import drawn_table
from rationale.surveys.steer.files import load_stories, load_taxonomy

with job_log(snakemake.log[0]) as log:
    params, given = snakemake.params, snakemake.input
    taxonomy = load_taxonomy(given.taxonomy, params.schemas.value)
    stories = load_stories(given.stories, given.words, taxonomy, params.schemas.value)
    table = drawn_table(
        taxonomy, stories, params.grades, params.domains, params.seed, params.per_cell
    )
    table.write_parquet(snakemake.output[0])
    for slug in params.grades:
        own = table.filter(table["element"] == slug)
        print(f"{slug}: {own['question_id'].n_unique()} questions", file=log)
