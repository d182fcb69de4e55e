"""Read the replies of one respondent, and count them by scenario and form."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.moralchoice import likelihoods_table
from rationale.reporting.replies import replies_of
from rationale.respondents.recorded import recorded_decisions
from rationale.surveys.moralchoice.forms import Form
from rationale.surveys.moralchoice.scenarios import read_scenarios
from rationale.surveys.moralchoice.tables import count_replies, read_replies, with_decisions


def by_form(paths, place):
    """The files of each form as one table; ``place`` is where the form stands in a path."""
    parts = {}
    for path in paths:
        parts.setdefault(path.split("/")[place], []).append(pl.read_parquet(path))
    return {form: pl.concat(tables) for form, tables in parts.items()}


def statuses(readings, form):
    """How each prompt of a form ended."""
    own = readings.filter(
        (pl.col("form") == form.template)
        & (pl.col("order") == form.order)
        & pl.col("decoding").eq_missing(pl.lit(form.decoding, pl.String))
    )
    return own.select("status", question="scenario_id")


with job_log(snakemake.log[0]) as log:
    forms = {name: Form(*parts) for name, parts in snakemake.params.forms.items()}
    answers = by_form(snakemake.input.answers, -3)
    readings = read_replies(by_form(snakemake.input.prompts, -2), answers, forms)
    if snakemake.input.recorded:
        readings = with_decisions(readings, recorded_decisions(snakemake.input.recorded))
    scenarios = read_scenarios(snakemake.input.scenarios, snakemake.params.leave_out)
    likelihoods = likelihoods_table(count_replies(readings, scenarios))
    replies = [
        replies_of(
            "moralchoice", snakemake.wildcards.model, name, statuses(readings, forms[name]), put
        )
        for name, put in answers.items()
    ]
    Path(snakemake.output.replies).write_text(json.dumps(replies), encoding="utf-8")
    readings.write_parquet(snakemake.output.readings)
    likelihoods.write_parquet(snakemake.output.likelihoods)
    counts = readings["status"].value_counts(sort=True).iter_rows()
    print("replies:", ", ".join(f"{count} {status}" for status, count in counts), file=log)
