"""Write the page that lists every model's report cards."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.cards_html import cards_index_html

NAMES = dict.fromkeys(("model", "rubric"), pl.String)


def read_card(path):
    """A card's table, its columns typed by all of their cells; a model called 7 keeps its name."""
    return pl.read_csv(path, infer_schema_length=None, schema_overrides=NAMES)


with job_log(snakemake.log[0]) as log:
    cards = [read_card(path) for path in snakemake.input.cards]
    page = cards_index_html(cards, snakemake.params.labels.value, snakemake.params.kinds)
    Path(snakemake.output[0]).write_text(page, encoding="utf-8")
    print(len(cards), "cards", file=log)
