# Functions that the rules share: the checked config, paths, and digests of the sources.
# No rule stands here.

import glob
import hashlib
import os
import re
import sys
from functools import lru_cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

try:
    import rationale
    from rationale.config import (
        Untracked,
        canonical,
        identity_of,
        kind_of,
        label_of,
        missing_key,
        question_of,
        read_config,
    )
    from rationale.schema import DocumentError
    from rationale.surveys.psm.blocks import OPENING, blocks
    from rationale.surveys.psm.check import check_psm
except ImportError as error:
    raise WorkflowError(
        f"{error}. Set up the environment with 'make run' or 'make test', then: . .venv/bin/activate"
    )

HOME = Path(workflow.basedir)
SOURCES = Path(rationale.__file__).parent
SCHEMAS = HOME / "workflow/schemas"


def resource(path):
    """A path as users write it: from where they run, else from the project."""
    return str(path) if os.path.exists(path) else str(HOME / path)


def form_path(form):
    """The file of a form of the priced survey."""
    return resource(f"resources/psm/forms/{form}.yaml")


def checked_config():
    """The whole config and the survey, or one message that names every problem."""
    try:
        found = read_config(config, list(workflow.configfiles), SCHEMAS)
        survey, forms = check_psm(
            found["psm"], found["models"], resource, form_path, SCHEMAS
        )
        return found, survey, forms
    except DocumentError as error:
        raise WorkflowError(
            "The config cannot be used:\n  " + "\n  ".join(error.problems)
        )


CONFIG, SURVEY, FORM_FILES = checked_config()
MODELS = CONFIG["models"]
FORMS = CONFIG["psm"]["forms"]
STATEMENTS = [statement.slug for statement in SURVEY.statements]
TYPES = CONFIG["psm"]["types"]
POWER = CONFIG["psm"]["power"]
CHUNKS = {
    f"draws-{start:04d}": [start, min(start + TYPES["chunk"], TYPES["draws"])]
    for start in range(0, TYPES["draws"], TYPES["chunk"])
}
INDEX_SOURCES = sorted(
    f"revealed/indices/{path.name}"
    for path in (SOURCES / "revealed/indices").glob("*.py")
)
BLOCKS = blocks(SURVEY.rounds, CONFIG["asking"]["block_size"])


@lru_cache
def digest(*names):
    """A digest of sources that shape a result: edits count, touching does not."""
    found = hashlib.sha256()
    for name in names:
        path = SOURCES / name if (SOURCES / name).exists() else HOME / name
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def respondent(wildcards):
    """What can change the replies of a model, as one text."""
    return canonical(question_of(MODELS[wildcards.model]))


def on_error(wildcards):
    """What becomes of unanswered prompts: only paid models have any that asking again may mend."""
    return CONFIG["asking"]["on_error"] if "llm" in MODELS[wildcards.model] else ""


def simulator(wildcards):
    """A digest of what a simulated respondent does; nothing for the others."""
    if "simulated" not in MODELS[wildcards.model]:
        return ""
    return digest("respondents/simulated.py", "respondents/priced.py")


def recorded_file(wildcards):
    """The file that a recorded respondent answers from."""
    return MODELS[wildcards.model].get("recorded", [])


def settings(wildcards):
    """How a model is asked: nothing here changes what it says."""
    return Untracked({"asking": CONFIG["asking"], "model": MODELS[wildcards.model]})


def labels():
    """Names to show; a new label makes nothing run again."""
    return Untracked({slug: label_of(slug, spec) for slug, spec in MODELS.items()})


def each_model_and_form(path):
    """The path for every model and form, models first."""
    return [
        path.format(model=model, form=form)
        for model in sorted(MODELS)
        for form in FORMS
    ]


def form_files(wildcards):
    """The file of a form, and of the one it is like."""
    return FORM_FILES[wildcards.form]


def require_keys():
    """Stop before the first job when a model that has no journal yet has no key either."""
    if not any(job.rule.name == "ask" for job in workflow.dag.needrun_jobs()):
        return
    problems = []
    for slug, spec in MODELS.items():
        if kind_of(spec) != "llm":
            continue
        identity = identity_of(spec["llm"], spec.get("api_base"))
        message = missing_key(slug, spec, os.environ)
        if message and not glob.glob(f"results/journal/*/{identity}-*.jsonl"):
            problems.append(message)
    if problems:
        raise WorkflowError("No call was made.\n  " + "\n  ".join(problems))
