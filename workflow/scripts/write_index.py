"""Write the page that shows every table and figure without a server."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.index import Moral, Priced, Provenance, Steer, index_page
from rationale.reporting.replies import SCHEMA


def table(path):
    """A table, its columns typed by all of their cells."""
    names = dict.fromkeys(("model", "model_1", "model_2"), pl.String)
    return pl.read_csv(path, infer_schema_length=None, schema_overrides=names)


def priced(made, params):
    """What the page says of the priced survey; nothing where it was not run."""
    if not hasattr(made, "rationality"):
        return None
    return Priced(
        rationality=table(made.rationality),
        utility=table(made.utility),
        similarity=table(made.similarity),
        networks=table(made.networks),
        forms=table(made.forms) if hasattr(made, "forms") else None,
        facts=params.facts,
        statements=params.statements,
    )


def moral(made, params):
    """What the page says of MoralChoice; nothing where it was not run."""
    if not hasattr(made, "beliefs"):
        return None
    scenarios = table(made.scenarios)
    facts = {**params.moral_facts, "scenarios": len(scenarios)}
    return Moral(table(made.beliefs), scenarios, table(made.decodings), facts)


def provenance(made):
    """What the page says of where everything comes from."""
    parts = {Path(path).stem: Path(path).read_text(encoding="utf-8") for path in made.provenance}
    replies = pl.read_csv(made.replies, schema_overrides=SCHEMA)
    return Provenance(replies, {part: json.loads(text) for part, text in parts.items()})


with job_log(snakemake.log[0]):
    made, params = snakemake.input, snakemake.params
    figures = [Path(figure).stem for figure in made.figures]
    page = index_page(
        priced(made, params),
        moral(made, params),
        figures,
        params.labels.value,
        params.seed,
        provenance(made),
        Steer(table(made.steer), table(made.elements)) if hasattr(made, "steer") else None,
    )
    Path(snakemake.output[0]).write_text(page, encoding="utf-8")
