"""Draw the figures of MoralChoice."""

import json
from pathlib import Path

import numpy as np
import polars as pl

from rationale.figures.agreement import agreement_figure
from rationale.figures.beliefs import decoding_figure, effects_figure, likelihood_figure
from rationale.figures.consistency import consistency_figure
from rationale.figures.style import save
from rationale.logs import job_log
from rationale.reporting.moralchoice import STUDY


def read_table(path):
    """A table; a model called 7 keeps its name."""
    return pl.read_csv(path, infer_schema_length=None, schema_overrides={"model": pl.String})


with job_log(snakemake.log[0]):
    labels, output = snakemake.params.labels.value, snakemake.output
    table = read_table(snakemake.input.table)
    found = json.loads(Path(snakemake.input.agreement).read_text(encoding="utf-8"))
    beliefs = pl.read_parquet(snakemake.input.beliefs).filter(pl.col("decoding") == STUDY)
    forms = read_table(snakemake.input.forms)
    decodings = read_table(snakemake.input.decodings)
    linkage = None if found["linkage"] is None else np.array(found["linkage"])
    correlations = np.array(found["correlations"], dtype=float).reshape((len(found["models"]),) * 2)
    figures = {
        "likelihoods": likelihood_figure(beliefs, labels),
        "consistency": consistency_figure(table, found["random"], labels),
        "agreement": agreement_figure(
            correlations,
            found["models"],
            linkage,
            found["order"],
            labels,
            found["kinds"],
            found["left_out"],
        ),
        "effects": effects_figure(table, forms, labels),
    }
    if hasattr(output, "decodings"):
        figures["decodings"] = decoding_figure(decodings, labels)
    for name, figure in figures.items():
        path = Path(getattr(output, name))
        save(figure, path, path.with_suffix(".pdf"))
