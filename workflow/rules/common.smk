# The checked config, paths, and digests of the sources, for all rules.
# What a study or a theme adds stands in common_*.smk beside this file. No rule stands here or there.

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from time import time

from snakemake.exceptions import WorkflowError

try:
    import rationale
    from rationale.config import Untracked, kind_of, label_of, read_config, studies_of
    from rationale.respondents.recorded import held
    from rationale.schema import DocumentError
    from rationale.surveys.moralchoice.check import check_moralchoice
    from rationale.surveys.psm.check import check_psm
    from rationale.surveys.steer.check import check_steer
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


def taking(found):
    """The respondents of each study, by slug, and the problems of recorded files."""
    problems = []
    taken = {"psm": {}, "moralchoice": {}, "steer": {}}
    for slug, spec in sorted(found["models"].items()):
        there = None
        if "recorded" in spec:
            try:
                there = held(spec["recorded"])
            except DocumentError as error:
                problems += [f"models.{slug}: {problem}" for problem in error.problems]
        studies = studies_of(spec, found["studies"], there)
        if there and not studies and "studies" not in spec:
            problems.append(
                f"models.{slug}: {spec['recorded']}: found replies to {', '.join(there)} alone; "
                f"allowed: {', '.join(found['studies'])}, the studies of the config. Name the study "
                f"in the file's column 'study' (psm where there is none)."
            )
        for study in studies:
            taken[study][slug] = spec
    if problems:
        raise DocumentError(problems)
    return taken


def checked(problems, function, *arguments):
    """What a check gives; its problems join the list."""
    try:
        return function(*arguments)
    except DocumentError as error:
        problems += error.problems


def checked_config():
    """The whole config and the files of its studies, or one message that names every problem."""
    problems = []
    found = checked(problems, read_config, config, list(workflow.configfiles), SCHEMAS)
    respondents = found and checked(problems, taking, found)
    if respondents:
        psm, moral = respondents["psm"], respondents["moralchoice"]
        priced = checked(
            problems, check_psm, found["psm"], psm, resource, form_path, SCHEMAS
        )
        plan = checked(
            problems,
            check_moralchoice,
            found["moralchoice"],
            moral,
            found["models"],
            resource,
            SCHEMAS,
        )
        steer = checked(
            problems,
            check_steer,
            found["steer"],
            respondents["steer"],
            found["models"],
            resource,
            SCHEMAS,
        )
    if problems:
        raise WorkflowError("The config cannot be used:\n  " + "\n  ".join(problems))
    return found, respondents, *priced, plan, steer


CONFIG, TAKING, SURVEY, FORM_FILES, MORAL, STEER = checked_config()
MODELS = CONFIG["models"]
PSM = TAKING["psm"]
FORMS = CONFIG["psm"]["forms"]
MORAL_MODELS = list(TAKING["moralchoice"])
STEER_MODELS = list(TAKING["steer"])
STUDIES = [study for study, models in TAKING.items() if models]


@lru_cache
def digest(*names):
    """A digest of sources that shape a result: edits count, touching does not."""
    found = hashlib.sha256()
    for name in names:
        path = SOURCES / name if (SOURCES / name).exists() else HOME / name
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def labels():
    """Names to show; a new label makes nothing run again."""
    return Untracked({slug: label_of(slug, spec) for slug, spec in MODELS.items()})


def started():
    """When this run began, in seconds: what depends on it is made anew each time."""
    return float(time())


# Snakemake gives every job OMP_NUM_THREADS and the like; polars and numba have names of their own.
shell.prefix(
    "export POLARS_MAX_THREADS=${{OMP_NUM_THREADS:-1}} NUMBA_NUM_THREADS=${{OMP_NUM_THREADS:-1}}; "
)
