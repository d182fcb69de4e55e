"""Read and grade the replies of one respondent to STEER."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.replies import replies_of
from rationale.surveys.steer.grading import grade_answers
from rationale.surveys.steer.prompts import puts_from


def by_form(given):
    """The prompts with their keys, and the answers to them, of each form."""
    puts, answers = {}, {}
    for prompts, keys, path in zip(given.prompts, given.beside, given.answers, strict=True):
        form = path.split("/")[-3]
        found = puts_from(pl.read_parquet(prompts), pl.read_parquet(keys))
        puts.setdefault(form, []).extend(found)
        answers.setdefault(form, []).append(pl.read_parquet(path))
    return {form: (puts[form], pl.concat(tables)) for form, tables in answers.items()}


with job_log(snakemake.log[0]) as log:
    model = snakemake.wildcards.model
    questions = pl.concat([pl.read_parquet(path) for path in snakemake.input.questions])
    tables, replies = [], []
    for form, (puts, answers) in by_form(snakemake.input).items():
        graded = grade_answers(questions, puts, answers)
        tables.append(graded.select(pl.lit(form).alias("form"), pl.all()))
        statuses = graded.select("status", question="question_id")
        replies.append(replies_of("steer", model, form, statuses, answers))
        counts = graded["status"].value_counts(sort=True).iter_rows()
        told = ", ".join(f"{count} {status}" for status, count in counts)
        print(f"{form}: {told or 'nothing was put'}", file=log)
    pl.concat(tables).write_parquet(snakemake.output.graded)
    Path(snakemake.output.replies).write_text(json.dumps(replies), encoding="utf-8")
