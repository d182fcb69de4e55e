"""Write the prompts of the constrained rounds, a file a block."""

from pathlib import Path

import polars as pl

from rationale.asking.prompts import to_table
from rationale.logs import job_log
from rationale.surveys.psm.forms import read_form
from rationale.surveys.psm.prompts import constrained
from rationale.surveys.psm.survey import read_survey

with job_log(snakemake.log[0]):
    schemas = Path(snakemake.params.schemas.value)
    survey = read_survey(snakemake.input.survey, schemas / "survey.schema.json")
    form = read_form(snakemake.input["form"][-1], schemas / "form.schema.json")
    rounds = pl.read_parquet(snakemake.input.rounds)
    for path, (start, stop) in zip(snakemake.output, snakemake.params.blocks.values(), strict=True):
        prompts = constrained(survey, form, rounds, range(start, stop))
        to_table(prompts).write_parquet(path)
