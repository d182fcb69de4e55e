"""Draw the rounds that follow from a model's open answer."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.surveys.psm.forms import read_form
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import read_survey
from rationale.surveys.psm.tables import open_answer, rounds_table

with job_log(snakemake.log[0]) as log:
    schemas = Path(snakemake.params.schemas.value)
    survey = read_survey(snakemake.input.survey, schemas / "survey.schema.json")
    form = read_form(snakemake.input["form"][-1], schemas / "form.schema.json")
    opening = pl.read_parquet(snakemake.input.opening)
    chosen = open_answer(opening, len(survey.statements), survey.high)
    rounds = draw_rounds(
        survey,
        chosen,
        snakemake.params.options,
        snakemake.params.seed,
        shuffled=form.order == "shuffled",
    )
    rounds_table(rounds).write_parquet(snakemake.output[0])
    flipped = sum(one.flipped for one in rounds)
    print(f"open answer: {chosen}; {flipped} of {len(rounds)} rounds flipped", file=log)
