"""Compare what each respondent answered to the question forms, two by two."""

from itertools import combinations

import polars as pl

from rationale.logs import job_log
from rationale.reporting.forms import SCHEMA, comparison
from rationale.surveys.psm.tables import answered_rounds

with job_log(snakemake.log[0]):
    forms, rows = snakemake.params.forms, []
    for place, model in enumerate(snakemake.params.models):
        made = range(place * len(forms), (place + 1) * len(forms))
        answered = {
            form: answered_rounds(
                pl.read_parquet(snakemake.input.choices[index]),
                pl.read_parquet(snakemake.input.rounds[index]),
            )
            for form, index in zip(forms, made, strict=True)
        }
        rows += [
            comparison(model, first, second, answered[first], answered[second])
            for first, second in combinations(forms, 2)
        ]
    pl.DataFrame(rows, schema=SCHEMA).write_csv(snakemake.output[0])
