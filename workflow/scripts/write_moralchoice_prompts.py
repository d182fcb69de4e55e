"""Write the prompts of one block of scenarios in one form."""

from pathlib import Path

from rationale.asking.prompts import to_table
from rationale.logs import job_log
from rationale.surveys.blocks import numbers_of
from rationale.surveys.moralchoice.forms import read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.scenarios import read_scenarios

with job_log(snakemake.log[0]):
    params = snakemake.params
    template = read_template(
        snakemake.input.template, Path(params.schemas.value) / "template.schema.json"
    )
    prompts = block_prompts(
        read_scenarios(snakemake.input.scenarios, params.leave_out),
        numbers_of(snakemake.wildcards.block),
        template,
        params.order,
        params.samples,
    )
    to_table(prompts).write_parquet(snakemake.output[0])
