"""Write a model's report cards: for each rubric a page, a table and LaTeX."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.cards import card_of
from rationale.reporting.cards_html import card_html
from rationale.reporting.cards_latex import card_latex
from rationale.reporting.cards_table import card_csv
from rationale.surveys.steer.files import load_taxonomy
from rationale.surveys.steer.rubrics import read_rubric

with job_log(snakemake.log[0]) as log:
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    model, schemas = snakemake.wildcards.model, params.schemas.value
    taxonomy = load_taxonomy(given.taxonomy, schemas)
    graded = pl.read_parquet(given.graded)
    questions = pl.concat(map(pl.read_parquet, given.questions))
    label = params.labels.value.get(model, model)
    written = zip(given.rubrics, output.html, output.csv, output.tex, strict=True)
    for path, html, csv, tex in written:
        rubric = read_rubric(path, f"{schemas}/rubric.schema.json", taxonomy, params.form)
        card = card_of(model, graded, questions, taxonomy, rubric, params.draws, params.seed)
        Path(html).write_text(card_html(card, label, params.kind), encoding="utf-8")
        card_csv(card).write_csv(csv)
        Path(tex).write_text(card_latex(card, label, params.kind), encoding="utf-8")
        print(f"{rubric.name}: {card.headline.answered} answers", file=log)
