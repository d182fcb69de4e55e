"""Write the table of rationality tests, as CSV and as LaTeX."""

import json
from itertools import product
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.rationality import Part, rationality_table
from rationale.reporting.rationality_latex import rationality_latex

with job_log(snakemake.log[0]) as log:
    kinds = snakemake.params.kinds
    names = product(kinds, snakemake.params.forms)
    made = snakemake.input
    files = zip(made.tests, made.utilities, made.choices, made.rounds, strict=True)
    parts = [
        Part(
            model,
            form,
            kinds[model],
            json.loads(Path(test).read_text(encoding="utf-8")),
            json.loads(Path(utility).read_text(encoding="utf-8")),
            pl.read_parquet(choices),
            pl.read_parquet(rounds),
        )
        for (model, form), (test, utility, choices, rounds) in zip(names, files, strict=True)
    ]
    table = rationality_table(parts)
    table.write_csv(snakemake.output.csv)
    latex = rationality_latex(table, snakemake.params.labels.value)
    Path(snakemake.output.tex).write_text(latex, encoding="utf-8")
    print(f"{len(table)} rows", file=log)
