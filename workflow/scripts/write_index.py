"""Write the page that shows every table and figure without a server."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.index import index_page

with job_log(snakemake.log[0]):
    page = index_page(
        pl.read_csv(snakemake.input.rationality),
        snakemake.params.labels.value,
        snakemake.params.facts,
        Path(snakemake.output[0]).parent,
        snakemake.input.figures,
    )
    Path(snakemake.output[0]).write_text(page, encoding="utf-8")
