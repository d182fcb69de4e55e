"""Write the page that shows every table and figure without a server."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.index import Sources, index_page

with job_log(snakemake.log[0]):
    made, params = snakemake.input, snakemake.params
    sources = Sources(
        rationality=pl.read_csv(made.rationality),
        utility=pl.read_csv(made.utility),
        similarity=pl.read_csv(made.similarity),
        networks=pl.read_csv(made.networks),
        forms=pl.read_csv(params.forms_table) if params.forms_table else None,
        figures=[Path(figure).stem for figure in made.figures],
    )
    page = index_page(sources, params.labels.value, params.facts, params.statements)
    Path(snakemake.output[0]).write_text(page, encoding="utf-8")
