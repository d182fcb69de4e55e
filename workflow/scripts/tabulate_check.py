"""Write the shares of what is missing beside the thresholds of the config."""

import polars as pl

from rationale.logs import job_log
from rationale.reporting.check import check_table
from rationale.reporting.replies import SCHEMA

with job_log(snakemake.log[0]) as log:
    replies = pl.read_csv(snakemake.input[0], schema_overrides=SCHEMA)
    table = check_table(replies, snakemake.params.thresholds)
    table.write_csv(snakemake.output[0])
    print(f"{len(table)} shares", file=log)
