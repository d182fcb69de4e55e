"""Write the table of estimated utilities."""

import json
from itertools import product
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.utility import utility_latex, utility_table

with job_log(snakemake.log[0]):
    names = product(snakemake.params.models, snakemake.params.forms)
    found = [
        (model, form, json.loads(Path(path).read_text(encoding="utf-8")))
        for (model, form), path in zip(names, snakemake.input.utilities, strict=True)
    ]
    # A model called 7 keeps its name.
    rationality = pl.read_csv(snakemake.input.rationality, schema_overrides={"model": pl.String})
    table = utility_table(found, rationality, snakemake.params.statements)
    table.write_csv(snakemake.output.csv)
    latex = utility_latex(table, snakemake.params.labels.value, snakemake.params.statements)
    Path(snakemake.output.tex).write_text(latex, encoding="utf-8")
