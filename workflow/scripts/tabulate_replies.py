"""Write what came of every respondent's prompts."""

import json
from pathlib import Path

from rationale.logs import job_log
from rationale.reporting.replies import replies_table


def read(paths):
    """The parts in some files."""
    return [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]


with job_log(snakemake.log[0]) as log:
    made = snakemake.input
    others = [part for parts in read([*made.moralchoice, *made.steer]) for part in parts]
    table = replies_table([*read(made.psm), *others], snakemake.params.kinds)
    table.write_csv(snakemake.output[0])
    print(f"{len(table)} rows", file=log)
