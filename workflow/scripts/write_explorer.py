"""Write the page on which every question, reply and score of all studies can be looked at."""

from pathlib import Path

import polars as pl

from rationale.logs import job_log
from rationale.reporting.explorer import Moral, Psm, Respondent, Steer, explorer_page
from rationale.surveys.moralchoice.scenarios import read_scenarios
from rationale.surveys.psm.survey import read_survey
from rationale.surveys.steer.files import load_taxonomy


def tables(made, name):
    """The tables of an input, in its order; none where it is absent."""
    return [pl.read_parquet(path) for path in getattr(made, name, ())]


def steer(made, params):
    """What the page holds of STEER; nothing where it was not run."""
    if not hasattr(made, "questions"):
        return None
    graded = tables(made, "graded")
    models = params.steer_models if graded else []
    return Steer(
        pl.concat(tables(made, "questions")),
        dict(zip(models, graded, strict=True)),
        load_taxonomy(made.taxonomy, params.schemas.value),
    )


def psm(made, params):
    """What the page holds of the priced survey; nothing where it was not run."""
    if not hasattr(made, "rounds"):
        return None
    found = zip(params.psm_names, tables(made, "rounds"), tables(made, "choices"), strict=True)
    respondents = [Respondent(*name, rounds, choices) for name, rounds, choices in found]
    survey = read_survey(made.survey, Path(params.schemas.value) / "survey.schema.json")
    return Psm(survey, respondents)


def moral(made, params):
    """What the page holds of MoralChoice; nothing where it was not run."""
    if not hasattr(made, "likelihoods"):
        return None
    models = params.moral_models
    prompts = {}
    for path in getattr(made, "prompts", ()):
        prompts.setdefault(Path(path).parent.name, []).append(pl.read_parquet(path))
    return Moral(
        read_scenarios(made.scenarios, params.leave_out),
        dict(zip(models, tables(made, "likelihoods"), strict=True)),
        dict(zip(models, tables(made, "readings"), strict=True)),
        prompts,
    )


with job_log(snakemake.log[0]) as log:
    made, params = snakemake.input, snakemake.params
    page = explorer_page(
        steer(made, params),
        psm(made, params),
        moral(made, params),
        params.labels.value,
        params.kinds,
    )
    Path(snakemake.output[0]).write_text(page, encoding="utf-8")
    print(f"{len(page) / 1e6:.1f} MB", file=log)
