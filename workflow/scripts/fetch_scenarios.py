"""Fetch a file of scenarios and check its sum."""

from pathlib import Path

from rationale.fetching import fetch
from rationale.logs import job_log

with job_log(snakemake.log[0]) as log:
    source = snakemake.params.source
    path = fetch(source["url"], source["sha256"], Path(snakemake.output[0]))
    print("fetched:", path, file=log)
