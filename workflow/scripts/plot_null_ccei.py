"""Draw where each respondent stands among data sets that choose at random."""

import polars as pl

from rationale.figures.rationality import null_figure
from rationale.figures.style import save
from rationale.logs import job_log

with job_log(snakemake.log[0]):
    # A model called 7 keeps its name.
    table = pl.read_csv(snakemake.input.table, schema_overrides={"model": pl.String})
    nulls = {
        tuple(name): pl.read_parquet(path)["ccei"].to_numpy()
        for name, path in zip(snakemake.params.names, snakemake.input.nulls, strict=True)
    }
    figure = null_figure(table, nulls, snakemake.params.labels.value)
    save(figure, snakemake.output.svg, snakemake.output.pdf)
