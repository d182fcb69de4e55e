"""Write where the tables of one part come from."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.provenance import commit, files_of, tables_of, versions, without_users
from rationale.reporting.replies import SCHEMA
from rationale.surveys import STUDIES


def replies_to(part, paths):
    """The replies that the tables of a part rest on.

    Those to its study; none for a part that asks nobody, all for what goes across studies.
    """
    if not paths:
        return pl.DataFrame(schema=SCHEMA)
    study = part if part in STUDIES else "psm"
    table = pl.read_csv(paths, schema_overrides=SCHEMA)
    if part == "profile":
        return table
    return table.filter(pl.col("study") == study)


with job_log(snakemake.log[0]) as log:
    made, part = snakemake.input, snakemake.wildcards.part
    config, home = snakemake.params.config.value, snakemake.params.home.value
    replies = replies_to(part, made.replies)
    found = {
        "part": part,
        "versions": versions(),
        "git": commit(home),
        "seed": config["seed"],
        "config": without_users(config),
        "files": files_of(made.files, home),
        "replies": replies.to_dicts(),
        "tables": tables_of(made.tables, replies),
    }
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    Path(snakemake.output[0]).write_text(text, encoding="utf-8")
    print(f"{len(found['tables'])} tables, {len(replies)} rows of replies", file=log)
