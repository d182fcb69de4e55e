"""Keep the retold stories that can stand in for the written ones; list the others with the reason."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.surveys.steer.bank import generator_of
from rationale.surveys.steer.files import load_stories, load_taxonomy
from rationale.surveys.steer.retelling import collect_retold
from rationale.surveys.steer.stories import WRITTEN, write_stories

with job_log(snakemake.log[0]) as log:
    params, given = snakemake.params, snakemake.input
    taxonomy = load_taxonomy(given.taxonomy, params.schemas.value)
    stories = load_stories(given.stories, given.words, taxonomy, params.schemas.value)
    prompts, answers = pl.read_parquet(given.prompts), pl.read_parquet(given.answers)
    folder = Path(snakemake.output.stories)
    folder.mkdir(parents=True)
    dropped = []
    for slug, grades in params.grades.items():
        found = collect_retold(
            [one for one in stories[slug] if one.origin == WRITTEN],
            prompts.filter(pl.col("prompt_id").str.starts_with(f"{slug}/")),
            answers.filter(pl.col("prompt_id").str.starts_with(f"{slug}/")),
            snakemake.wildcards.model,
            generator_of(taxonomy.elements[slug]),
            grades,
        )
        if found.kept:
            write_stories(folder / f"{slug}.yaml", slug, found.kept)
        dropped.append(found.dropped)
        print(f"{slug}: {len(found.kept)} kept", file=log)
    pl.concat(dropped).write_csv(snakemake.output.dropped)
