"""Draw the profile: a row a model over the three studies."""

import json
from pathlib import Path

import polars as pl

from rationale.figures.profile import profile_figure
from rationale.figures.style import save
from rationale.logs import job_log

with job_log(snakemake.log[0]):
    labels, path = snakemake.params.labels.value, Path(snakemake.output[0])
    profile = pl.read_csv(
        snakemake.input.profile, infer_schema_length=None, schema_overrides={"model": pl.String}
    )
    agreement = snakemake.input.get("agreement")
    random = None
    if agreement:
        random = json.loads(Path(agreement).read_text(encoding="utf-8"))["random"]
    save(profile_figure(profile, labels, random), path, path.with_suffix(".pdf"))
