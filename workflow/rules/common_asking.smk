# Asking: who is asked what, with which parameters, keys and limits.

import glob
import os
import re
import sys
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError

from rationale.asking.budget import explain_stops, forget_stops
from rationale.asking.prompts import WRITING
from rationale.config import (
    Untracked,
    canonical,
    cosmetic_of,
    identity_of,
    kind_of,
    missing_key,
    question_of,
)
from rationale.respondents.offline import is_offline

# Whose spending counts together; a job need not carry a thousand models where nothing is limited.
SHARING = {slug: spec for slug, spec in MODELS.items() if "llm" in spec}
if "max_usd" not in CONFIG["asking"] and not any(
    "max_usd" in spec.get("limits", {}) for spec in SHARING.values()
):
    SHARING = {}


SIMULATING = {
    "psm": ["respondents/priced.py"],
    "moralchoice": ["respondents/moral.py"],
    "steer": [
        "respondents/pupil.py",
        "surveys/steer/behaviours.py",
        "surveys/steer/rules.py",
    ],
}
ASKED_ONCE = ("moralchoice", "steer")


def study_params(wildcards):
    """The parameters that a study, and a decoding of it, put over the model's own."""
    if wildcards.study == "psm":
        return None
    if wildcards.study == "steer":
        return CONFIG["steer"]["params"]
    section = CONFIG["moralchoice"]
    if wildcards.study == "making":
        return section["making"]["params"]
    if wildcards.study == "retelling":
        return storyteller()["params"]
    decoding = MORAL.forms[wildcards.form].decoding
    return {**section["params"], **section["decodings"].get(decoding, {})}


def respondent(wildcards):
    """What can change the replies of a model, as one text."""
    spec = MODELS[wildcards.model]
    return canonical(question_of(spec, wildcards.study, study_params(wildcards)))


def attempts(wildcards):
    """How often a prompt is put. Only the priced survey needs an answer to go on.

    Asking again would hide who refuses or cannot be read, which the other studies report.
    """
    return 1 if wildcards.study in ASKED_ONCE else int(CONFIG["asking"]["attempts"])


def prompts_file(wildcards):
    """The prompts of a block; those of MoralChoice are the same for every model and decoding."""
    if wildcards.study == "moralchoice":
        form = MORAL.forms[wildcards.form].asked
        return f"results/moralchoice/prompts/{form}/{wildcards.block}.parquet"
    if wildcards.study == "steer":
        form = as_put(wildcards.model, wildcards.form)
        return f"results/steer/prompts/{form}/{wildcards.block}.parquet"
    if wildcards.study in WRITING:
        return f"results/{wildcards.study}/prompts/{wildcards.form}/{wildcards.block}.parquet"
    return f"results/psm/{wildcards.model}/{wildcards.form}/prompts/{wildcards.block}.parquet"


def known(study, files):
    """What a simulated respondent knows a study's prompts from; nothing for the others."""

    def found(wildcards):
        simulated = "simulated" in MODELS[wildcards.model]
        return files(wildcards) if simulated and wildcards.study == study else []

    return found


def recorded_file(wildcards):
    """The file that a recorded respondent answers from."""
    return MODELS[wildcards.model].get("recorded", [])


def on_error(wildcards):
    """What becomes of unanswered prompts: only paid models have any that asking again may mend."""
    return CONFIG["asking"]["on_error"] if "llm" in MODELS[wildcards.model] else ""


def simulator(wildcards):
    """A digest of what a simulated respondent does; nothing for the others."""
    if "simulated" not in MODELS[wildcards.model]:
        return ""
    return digest(
        "respondents/simulated.py", *SIMULATING.get(wildcards.study, SIMULATING["psm"])
    )


def settings(wildcards):
    """How a model is asked: nothing here changes what it says."""
    spec = MODELS[wildcards.model]
    return Untracked(
        {
            "asking": {**CONFIG["asking"], "attempts": attempts(wildcards)},
            "model": cosmetic_of(spec),
            "models": SHARING,
        }
    )


def asked_parts():
    """Study, model, form and what its replies follow from: all that the target `all` asks."""
    asked = [("psm", model, form) for model in PSM for form in FORM_FILES]
    asked += [
        ("moralchoice", model, form)
        for model in MORAL_MODELS
        for form in moral_forms(model)
    ]
    asked += [
        ("steer", model, form) for model in STEER_MODELS for form in steer_forms(model)
    ]
    return [
        [
            study,
            model,
            form,
            respondent(SimpleNamespace(study=study, model=model, form=form)),
        ]
        for study, model, form in asked
    ]


def provider_of(spec):
    """A model's provider as a resource's name spells it; None for those that cost nothing."""
    return re.match(r"\w*", spec["llm"].replace("-", "_"))[0] if "llm" in spec else None


def asks_of(provider):
    """How many asking jobs of a provider a job is: 1 or 0."""
    return lambda wildcards: int(provider_of(MODELS[wildcards.model]) == provider)


def asks_by_provider():
    """The resources by which a profile limits the jobs that ask one provider at the same time."""
    found = sorted(filter(None, set(map(provider_of, MODELS.values()))))
    return {f"asks_{provider}": asks_of(provider) for provider in found}


def require_keys():
    """Stop before the first job when a model that has no journal yet has no key either."""
    if is_offline() or not any(
        job.rule.name == "ask" for job in workflow.dag.needrun_jobs()
    ):
        return
    problems = []
    for slug, spec in MODELS.items():
        if kind_of(spec) != "llm":
            continue
        if slug in CONFIG["asking"]["batch"]:
            continue
        identity = identity_of(spec["llm"], spec.get("api_base"))
        message = missing_key(slug, spec, os.environ)
        if message and not glob.glob(f"results/journal/*/{identity}-*.jsonl"):
            problems.append(message)
    if problems:
        raise WorkflowError("No call was made.\n  " + "\n  ".join(problems))


def tell_stops():
    """Name the models whose budget is reached, after a run that did not end well."""
    told = explain_stops("results/journal")
    if told:
        print(told, file=sys.stderr)
