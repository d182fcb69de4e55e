"""Read the questions of an element as the study's authors publish them."""

from rationale.logs import job_log
from rationale.surveys.steer.files import load_taxonomy
from rationale.surveys.steer.published import read_published

with job_log(snakemake.log[0]):
    taxonomy = load_taxonomy(snakemake.input.taxonomy, snakemake.params.schemas.value)
    read_published(snakemake.input.folder, taxonomy).write_parquet(snakemake.output[0])
