"""Write every table of STEER."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.steer import elements_table, parts_table, scores_table
from rationale.reporting.steer_across import differences_table, form_effects_table
from rationale.reporting.steer_latex import scores_latex
from rationale.reporting.steer_sheets import COLUMNS, sheets_of
from rationale.surveys.steer.files import load_taxonomy

with job_log(snakemake.log[0]) as log:
    params, output = snakemake.params, snakemake.output
    kinds = params.kinds
    taxonomy = load_taxonomy(snakemake.input.taxonomy, params.schemas.value)
    graded = {
        model: pl.read_parquet(path, columns=list(COLUMNS))
        for model, path in zip(kinds, snakemake.input.graded, strict=True)
    }
    sheets = sheets_of(graded, kinds, taxonomy, params.seed, params.draws)
    table = scores_table(sheets)

    table.write_csv(output.steer)
    parts_table(sheets).write_csv(output.parts)
    elements_table(sheets).write_csv(output.elements)
    differences_table(sheets).write_csv(output.differences)
    form_effects_table(sheets).write_csv(output.forms)
    Path(output.tex).write_text(scores_latex(table, params.labels.value), encoding="utf-8")
    print(len(kinds), "respondents,", table["questions"].sum(), "questions put", file=log)
