"""Say how many of the reviewed questions hold up, and why the others do not."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.surveys.steer.files import load_taxonomy
from rationale.surveys.steer.review import read_judgements, rejections, validity

with job_log(snakemake.log[0]):
    schemas = Path(snakemake.params.schemas.value)
    sample = pl.read_parquet(snakemake.input.sample)
    judgements = {
        name: read_judgements(path, sample, schemas / "review.schema.json")
        for name, path in zip(snakemake.params.names, snakemake.input.reviews, strict=True)
    }
    taxonomy = load_taxonomy(snakemake.input.taxonomy, schemas)
    validity(sample, judgements, taxonomy).write_csv(snakemake.output.validity)
    rejections(sample, judgements).write_csv(snakemake.output.rejected)
