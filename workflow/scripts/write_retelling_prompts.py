"""Write the prompts that have a model retell the stories of a setting."""

from pathlib import Path

from rationale.asking.prompts import to_table
from rationale.logs import job_log
from rationale.surveys.steer.files import load_stories, load_taxonomy
from rationale.surveys.steer.retelling import read_retelling, retelling_prompts
from rationale.surveys.steer.stories import WRITTEN

with job_log(snakemake.log[0]):
    params, given = snakemake.params, snakemake.input
    schemas = Path(params.schemas.value)
    taxonomy = load_taxonomy(given.taxonomy, schemas)
    stories = load_stories(given.stories, given.words, taxonomy, schemas)
    template = read_retelling(given.template, schemas / "retelling.schema.json")
    prompts = retelling_prompts(
        template,
        [one for slug in params.elements for one in stories[slug] if one.origin == WRITTEN],
        taxonomy.domains,
        params.number,
    )
    to_table(prompts).write_parquet(snakemake.output[0])
