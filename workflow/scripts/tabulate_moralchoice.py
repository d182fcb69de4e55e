"""Write every table of MoralChoice."""

import json
from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.moralchoice import (
    STUDY,
    Resampled,
    beliefs_of,
    beliefs_table,
    forms_table,
    reading_table,
    rules_table,
    scenario_table,
)
from rationale.reporting.moralchoice_across import (
    agreement,
    correlations_table,
    decodings_table,
    differences_table,
    disagreements_table,
    random_choice,
    scenarios_table,
)
from rationale.reporting.moralchoice_latex import beliefs_latex
from rationale.surveys.moralchoice.scenarios import read_scenarios

with job_log(snakemake.log[0]) as log:
    params, output = snakemake.params, snakemake.output
    kinds = params.kinds
    scenarios = read_scenarios(snakemake.input.scenarios, params.leave_out)
    resampled = Resampled(params.seed, params.draws)
    readings = dict(zip(kinds, map(pl.read_parquet, snakemake.input.readings), strict=True))
    beliefs = [
        one
        for (model, kind), path in zip(kinds.items(), snakemake.input.likelihoods, strict=True)
        for one in beliefs_of(model, kind, pl.read_parquet(path), scenarios)
    ]
    everything = beliefs_table(beliefs, resampled)
    study = [one for one in beliefs if one.decoding == STUDY]
    table = everything.filter(pl.col("decoding") == STUDY)
    found = agreement(beliefs, everything)

    table.write_csv(output.beliefs_csv)
    forms_table(study, resampled).write_csv(output.forms)
    rules_table(study, scenarios, resampled).write_csv(output.rules)
    differences_table(beliefs, resampled).write_csv(output.differences)
    correlations_table(found).write_csv(output.correlations)
    scenarios_table(beliefs, scenarios).write_csv(output.scenarios)
    reading_table(readings, kinds).write_csv(output.reading)
    disagreements_table(readings, scenarios).write_csv(output.disagreements)
    decodings_table(beliefs, everything, resampled).write_csv(output.decodings)
    scenario_table(beliefs).write_parquet(output.beliefs)
    Path(output.agreement).write_text(
        json.dumps(
            {**found.as_json(), "random": random_choice(beliefs, params.samples), "kinds": kinds}
        ),
        encoding="utf-8",
    )
    labels = params.labels.value
    Path(output.tex).write_text(beliefs_latex(table, labels), encoding="utf-8")
    print(len(kinds), "respondents,", len(scenarios), "scenarios", file=log)
