"""Draw the figures of STEER."""

from pathlib import Path

import polars as pl

from rationale.figures.steer import accuracy_figure, domains_figure, grades_figure
from rationale.figures.steer_compared import form_effects_figure, wins_figure
from rationale.figures.steer_modules import module_effects_figure
from rationale.figures.style import save
from rationale.logs import job_log

NAMES = dict.fromkeys(("model", "model_1", "model_2", "part"), pl.String)


def read_table(path):
    """A table; a model called 7 keeps its name, and a part is no number."""
    return pl.read_csv(path, infer_schema_length=None, schema_overrides=NAMES)


with job_log(snakemake.log[0]):
    labels, output = snakemake.params.labels.value, snakemake.output
    steer, parts, elements, differences, forms = (
        read_table(snakemake.input[name])
        for name in ("steer", "parts", "elements", "differences", "forms")
    )
    figures = {
        "accuracy": accuracy_figure(steer, labels),
        "grades": grades_figure(parts, labels),
        "domains": domains_figure(elements, labels),
        "wins": wins_figure(differences, steer, labels),
    }
    if hasattr(output, "effects"):
        figures["effects"] = form_effects_figure(forms, labels)
        figures["modules"] = module_effects_figure(forms, labels)
    for name, figure in figures.items():
        path = Path(getattr(output, name))
        save(figure, path, path.with_suffix(".pdf"))
