"""Write one respondent's table of MoralChoice, by question form."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.moralchoice import STUDY, Resampled, beliefs_of, forms_table
from rationale.reporting.moralchoice_latex import model_latex
from rationale.surveys.moralchoice.scenarios import read_scenarios

with job_log(snakemake.log[0]):
    params, model = snakemake.params, snakemake.wildcards.model
    scenarios = read_scenarios(snakemake.input.scenarios, params.leave_out)
    counts = pl.read_parquet(snakemake.input.likelihoods)
    beliefs = beliefs_of(model, params.kind, counts, scenarios)
    own = [one for one in beliefs if one.decoding == STUDY]
    forms = forms_table(own, Resampled(params.seed, params.draws))
    forms.write_csv(snakemake.output.csv)
    label = params.labels.value.get(model, model)
    Path(snakemake.output.tex).write_text(model_latex(forms, model, label), encoding="utf-8")
