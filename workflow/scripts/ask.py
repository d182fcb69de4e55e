"""Put the prompts of one block to one respondent."""

import asyncio
import json
from pathlib import Path

import polars as pl

from rationale.asking.ask import Place
from rationale.asking.job import ask_block
from rationale.logs import job_log
from rationale.surveys import reader_of

with job_log(snakemake.log[0]) as log:
    place = Place(**dict(snakemake.wildcards.items()))
    settings = snakemake.params.settings
    spec = {**settings["model"], **json.loads(snakemake.params.respondent)}
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
        )
    )
    answers.write_parquet(snakemake.output[0])
