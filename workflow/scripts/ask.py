"""Put the prompts of one block to one respondent."""

import asyncio
import json
from pathlib import Path

import polars as pl

from rationale.asking.ask import Place
from rationale.asking.job import ask_block
from rationale.config import key_variables
from rationale.logs import job_log
from rationale.surveys import reader_of


def known_scenarios(paths):
    """What simulated respondents know of scenarios; nothing for the others."""
    if not paths:
        return None
    from rationale.surveys.moralchoice.scenarios import read_scenarios

    rows = read_scenarios(paths, snakemake.params.leave_out.value)
    columns = rows["scenario_id", "ambiguity", "action1", "action2"]
    return {name: tuple(rest) for name, *rest in columns.iter_rows()}


def known_questions(paths):
    """What simulated respondents know of questions: their parts by id; nothing for the others."""
    if not paths:
        return None
    parts = pl.concat([pl.read_parquet(path) for path in paths]).sort("part")
    return {
        name: rows.to_dicts()
        for (name,), rows in parts.group_by("question_id", maintain_order=True)
    }


settings = snakemake.params.settings
spec = {**settings["model"], **json.loads(snakemake.params.respondent)}

with job_log(snakemake.log[0], key_variables(spec)) as log:
    place = Place(**dict(snakemake.wildcards.items()))
    answers = asyncio.run(
        ask_block(
            pl.read_parquet(snakemake.input.prompts),
            place,
            spec,
            snakemake.params.seed,
            settings["asking"],
            Path("results/journal"),
            reader_of(place.study),
            log,
            known_scenarios(snakemake.input.scenarios),
            settings["models"],
            Path("results/batches"),
            known_questions(snakemake.input.questions),
        )
    )
    answers.write_parquet(snakemake.output[0])
