"""Fail when a published table rests on too many missing rounds."""

import sys

import polars as pl

from rationale.logs import job_log
from rationale.reporting.check import SCHEMA, explain

with job_log(snakemake.log[0]) as log:
    checked = pl.read_csv(snakemake.input.checked, schema_overrides=SCHEMA)
    said = explain(checked, snakemake.params.tables)
    print(said, file=log)
    if not checked["passes"].all():
        sys.exit(1)
    print(said)
