"""Keep the written scenarios that hold up; list the others with the reason."""

import polars as pl

from rationale.logs import job_log
from rationale.surveys.moralchoice.making.collecting import collect_scenarios
from rationale.surveys.moralchoice.making.reading import made_readings
from rationale.surveys.moralchoice.scenarios import read_scenarios

with job_log(snakemake.log[0]) as log:
    made = snakemake.input
    readings = made_readings(
        pl.concat([pl.read_parquet(path) for path in made.prompts]),
        pl.concat([pl.read_parquet(path) for path in made.answers]),
    )
    found = collect_scenarios(readings, read_scenarios(made.scenarios, snakemake.params.leave_out))
    found.kept.write_csv(snakemake.output.scenarios)
    found.dropped.write_csv(snakemake.output.dropped)
    print(len(found.kept), "scenarios kept,", len(found.dropped), "dropped", file=log)
