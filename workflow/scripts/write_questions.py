"""Draw the questions of a setting's elements from their stories."""

import polars as pl

from rationale.logs import job_log
from rationale.surveys.steer.bank import draw_questions, question_table
from rationale.surveys.steer.files import load_stories, load_taxonomy

with job_log(snakemake.log[0]) as log:
    params, given = snakemake.params, snakemake.input
    taxonomy = load_taxonomy(given.taxonomy, params.schemas.value)
    stories = load_stories(given.stories, given.words, taxonomy, params.schemas.value)
    tables = []
    for slug, grades in params.grades.items():
        questions = draw_questions(
            taxonomy.elements[slug],
            stories.get(slug, []),
            seed=params.seed,
            per_cell=params.per_cell,
            grades=grades,
            domains=params.domains,
        )
        tables.append(question_table(questions))
        print(f"{slug}: {len(questions)} questions", file=log)
    pl.concat(tables).write_parquet(snakemake.output[0])
