"""Draw estimated weights and ideals, and open answers minus ideals."""

from pathlib import Path

import polars as pl

from rationale.figures.style import save
from rationale.figures.utility import gap_figure, utility_figure
from rationale.logs import job_log

with job_log(snakemake.log[0]):
    # A model called 7 keeps its name.
    table = pl.read_csv(snakemake.input.table, schema_overrides={"model": pl.String})
    form = snakemake.params.forms[0]
    logit = table.filter((pl.col("estimator") == "logit") & (pl.col("form") == form))
    openings = {
        model: pl.read_parquet(path).filter(pl.col("round") == 0)["answer"].to_list()[0]
        for model, path in zip(snakemake.params.models, snakemake.input.choices, strict=True)
    }
    labels, statements = snakemake.params.labels.value, snakemake.params.statements
    figure = utility_figure(logit, labels, statements, snakemake.params.high)
    save(figure, snakemake.output.svg, Path(snakemake.output.svg).with_suffix(".pdf"))
    figure = gap_figure(logit, openings, labels, statements)
    save(figure, snakemake.output.gap, Path(snakemake.output.gap).with_suffix(".pdf"))
