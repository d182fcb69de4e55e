"""Simulate respondents of one noise, and note which pass the test."""

from rationale.logs import job_log
from rationale.reporting.power import design_of, simulate
from rationale.surveys.psm.survey import read_survey

with job_log(snakemake.log[0]):
    params = snakemake.params
    schemas = params.schemas.value
    survey = read_survey(snakemake.input.survey, f"{schemas}/survey.schema.json")
    table = simulate(
        design_of(survey),
        float(snakemake.wildcards.noise),
        params.rounds,
        params.options,
        params.replicates,
        params.draws,
        params.seed,
    )
    table.write_parquet(snakemake.output[0])
