"""Write the prompts that have a model write scenarios of one ambiguity."""

from pathlib import Path

from rationale.asking.prompts import to_table
from rationale.logs import job_log
from rationale.surveys.moralchoice.making.prompts import making_prompts, read_template
from rationale.surveys.moralchoice.scenarios import RULES, read_scenarios

with job_log(snakemake.log[0]):
    params, ambiguity = snakemake.params, snakemake.wildcards["form"]
    prompts = making_prompts(
        read_template(
            snakemake.input.template, ambiguity, Path(params.schemas.value) / "making.schema.json"
        ),
        ambiguity,
        RULES,
        params.number,
        read_scenarios(snakemake.input.scenarios, params.leave_out),
        params.shots,
        names=(params.seed, "making"),
    )
    to_table(prompts).write_parquet(snakemake.output[0])
