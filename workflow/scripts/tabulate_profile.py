"""Write the profile: a row a model over the three studies, and how the studies go together."""

import polars as pl

from rationale.logs import job_log
from rationale.reporting.profile import Tables, correlations_table, profile_table


def read_table(name):
    """A table of a study, None where the run has none; a model called 7 keeps its name."""
    path = snakemake.input.get(name)
    if not path:
        return None
    return pl.read_csv(path, infer_schema_length=None, schema_overrides={"model": pl.String})


with job_log(snakemake.log[0]) as log:
    kinds = snakemake.params.kinds
    profile = profile_table(kinds, Tables(**{name: read_table(name) for name in Tables._fields}))
    profile.write_csv(snakemake.output.csv)
    correlations_table(profile).write_csv(snakemake.output.correlations)
    print(len(kinds), "models", file=log)
