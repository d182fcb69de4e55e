"""Divide the models that pass the test into types, in one chunk of draws."""

import numpy as np
import polars as pl

from rationale.logs import job_log
from rationale.reporting.types import passing, save_similarity
from rationale.revealed.types import similarity
from rationale.surveys.psm.tables import answered_rounds

with job_log(snakemake.log[0]) as log:
    params, form = snakemake.params, snakemake.wildcards.form
    # A model called 7 keeps its name.
    table = pl.read_csv(snakemake.input.rationality, schema_overrides={"model": pl.String})
    found = passing(table, form)
    places = {model: place for place, model in enumerate(params.models)}
    models = [
        answered_rounds(
            pl.read_parquet(snakemake.input.choices[places[model]]),
            pl.read_parquet(snakemake.input.rounds[places[model]]),
        )
        for model in found.models
    ]
    start, stop = params.numbers
    result = similarity(
        models,
        found.efficiency,
        params.rho,
        np.arange(start, stop).tolist(),
        (params.seed, "psm", "types", form),
        params.solver,
        params.ties,
    )
    save_similarity(snakemake.output[0], result, found.models)
    print(
        f"{len(models)} models, rho {result.rho}, {result.draws} draws: {result.status}", file=log
    )
