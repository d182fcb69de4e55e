"""Draw the table of rationality tests."""

import polars as pl

from rationale.figures.rationality import rationality_figure
from rationale.figures.style import save
from rationale.logs import job_log

with job_log(snakemake.log[0]):
    # A model called 7 keeps its name.
    table = pl.read_csv(snakemake.input.table, schema_overrides={"model": pl.String})
    nulls = {
        tuple(name): pl.read_parquet(path)["ccei"].to_numpy()
        for name, path in zip(snakemake.params.names, snakemake.input.nulls, strict=True)
    }
    figure = rationality_figure(table, nulls, snakemake.params.labels.value)
    save(figure, snakemake.output.svg, snakemake.output.pdf)
