"""Write the power table and draw it."""

import polars as pl

from rationale.figures.power import power_figure
from rationale.figures.style import save
from rationale.logs import job_log

with job_log(snakemake.log[0]):
    table = pl.concat([pl.read_parquet(path) for path in snakemake.input])
    table = table.sort("noise", "rounds", "options", "level")
    table.write_csv(snakemake.output.csv)
    save(power_figure(table), snakemake.output.svg, snakemake.output.pdf)
