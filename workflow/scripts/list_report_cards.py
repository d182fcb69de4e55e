"""Write the page that lists every model's report cards."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.cards_html import cards_index_html
from rationale.reporting.cards_table import CSV_SCHEMA

with job_log(snakemake.log[0]) as log:
    cards = [pl.read_csv(path, schema_overrides=CSV_SCHEMA) for path in snakemake.input.cards]
    page = cards_index_html(cards, snakemake.params.labels.value, snakemake.params.kinds)
    Path(snakemake.output[0]).write_text(page, encoding="utf-8")
    print(len(cards), "cards", file=log)
