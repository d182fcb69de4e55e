"""Write the prompts of one block of questions in one form, and what their grading needs."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.surveys.blocks import even_part
from rationale.surveys.steer.forms import read_form
from rationale.surveys.steer.prompts import put_questions, put_tables

with job_log(snakemake.log[0]) as log:
    params = snakemake.params
    form = read_form(
        snakemake.input.form[-1], Path(params.schemas.value) / "adaptation.schema.json"
    )
    questions = pl.concat([pl.read_parquet(path) for path in snakemake.input.questions])
    pool = [pl.read_parquet(path) for path in snakemake.input.examples]
    examples = pl.concat(pool) if pool else None
    puts = put_questions(questions, form, params.seed, params.context_tokens, examples)
    prompts, keys = put_tables(even_part(puts, *params.part))
    prompts.write_parquet(snakemake.output.prompts)
    keys.write_parquet(snakemake.output.beside)
    short = keys.filter(pl.col("shots") < pl.col("wanted"))
    print(f"{len(prompts)} prompts of {questions['question_id'].n_unique()} questions", file=log)
    print(f"{len(short)} show fewer examples than the form asks for", file=log)
