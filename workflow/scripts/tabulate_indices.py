"""Write the table of indices."""

import json
from itertools import product
from pathlib import Path

from rationale.logs import job_log
from rationale.reporting.indices import indices_table

with job_log(snakemake.log[0]):
    names = product(snakemake.params.models, snakemake.params.forms)
    found = [
        (model, form, json.loads(Path(path).read_text(encoding="utf-8")))
        for (model, form), path in zip(names, snakemake.input, strict=True)
    ]
    indices_table(found).write_csv(snakemake.output[0])
