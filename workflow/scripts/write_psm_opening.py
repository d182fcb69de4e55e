"""Write the prompt of the open round."""

from pathlib import Path

from rationale.asking.prompts import to_table
from rationale.logs import job_log
from rationale.surveys.psm.forms import read_form
from rationale.surveys.psm.prompts import opening
from rationale.surveys.psm.survey import read_survey

with job_log(snakemake.log[0]):
    schemas = Path(snakemake.params.schemas.value)
    survey = read_survey(snakemake.input.survey, schemas / "survey.schema.json")
    form = read_form(snakemake.input["form"][-1], schemas / "form.schema.json")
    to_table([opening(survey, form)]).write_parquet(snakemake.output[0])
