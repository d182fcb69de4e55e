# Functions that the rules share: the checked config, paths, and digests of the sources.
# No rule stands here.

import glob
import hashlib
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from time import time
from types import SimpleNamespace

from snakemake.exceptions import WorkflowError

try:
    import rationale
    from rationale.asking.budget import explain_stops, forget_stops
    from rationale.config import (
        Untracked,
        canonical,
        cosmetic_of,
        identity_of,
        kind_of,
        label_of,
        missing_key,
        question_of,
        read_config,
        studies_of,
    )
    from rationale.respondents.offline import is_offline
    from rationale.respondents.recorded import held
    from rationale.schema import DocumentError
    from rationale.surveys.blocks import blocks as runs
    from rationale.surveys.moralchoice.check import check_moralchoice, template_path
    from rationale.surveys.moralchoice.scenarios import read_scenarios
    from rationale.surveys.psm.blocks import OPENING, blocks
    from rationale.surveys.psm.check import OPENING_FORM, check_psm
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
    taken = {"psm": {}, "moralchoice": {}}
    for slug, spec in sorted(found["models"].items()):
        there = None
        if "recorded" in spec:
            try:
                there = held(spec["recorded"])
            except DocumentError as error:
                problems += [f"models.{slug}: {problem}" for problem in error.problems]
        for study in studies_of(spec, found["studies"], there):
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
    if problems:
        raise WorkflowError("The config cannot be used:\n  " + "\n  ".join(problems))
    return found, respondents, *priced, plan


CONFIG, TAKING, SURVEY, FORM_FILES, MORAL = checked_config()
MODELS = CONFIG["models"]
PSM = TAKING["psm"]
FORMS = CONFIG["psm"]["forms"]
MORAL_MODELS = list(TAKING["moralchoice"])
# Whose spending counts together; a job need not carry a thousand models where nothing is limited.
SHARING = {slug: spec for slug, spec in MODELS.items() if "llm" in spec}
if "max_usd" not in CONFIG["asking"] and not any(
    "max_usd" in spec.get("limits", {}) for spec in SHARING.values()
):
    SHARING = {}
MORAL_TABLES = {
    "beliefs_csv": ("moralchoice", "Beliefs", "Beliefs and consistency"),
    "forms": ("moralchoice_forms", "Forms", "By question form"),
    "rules": ("moralchoice_rules", "Beliefs", "By rule"),
    "differences": ("moralchoice_differences", "Across models", "Paired differences"),
    "correlations": ("moralchoice_correlations", "Across models", "Correlations"),
    "scenarios": ("moralchoice_scenarios", "Across models", "By scenario"),
    "reading": ("moralchoice_reading", "Replies", "How replies were read"),
    "disagreements": ("moralchoice_disagreements", "Replies", "Recorded otherwise"),
    "decodings": ("moralchoice_decodings", "Decoding", "By decoding"),
}
MORAL_FIGURES = {
    "likelihoods": ("moralchoice_likelihoods", "Beliefs", "Marginal likelihoods"),
    "consistency": (
        "moralchoice_consistency",
        "Beliefs",
        "Inconsistency and uncertainty",
    ),
    "effects": ("moralchoice_effects", "Forms", "Order and form effects"),
    "agreement": ("moralchoice_agreement", "Across models", "Agreement"),
    **(
        {"decodings": ("moralchoice_decodings", "Decoding", "By decoding")}
        if CONFIG["moralchoice"]["decodings"]
        else {}
    ),
}
PSM_PAGE = {
    "rationality": "results/tables/rationality.csv",
    "tex": "results/tables/rationality.tex",
    "utility": "results/tables/utility.csv",
    "similarity": "results/tables/similarity.csv",
    "networks": "results/tables/networks.csv",
    **({"forms": "results/tables/forms.csv"} if len(FORMS) > 1 else {}),
}
MORAL_PAGE = {
    "beliefs": "results/tables/moralchoice.csv",
    "scenarios": "results/tables/moralchoice_scenarios.csv",
    "decodings": "results/tables/moralchoice_decodings.csv",
    "models": [f"results/moralchoice/{model}/table.csv" for model in MORAL_MODELS],
}
PSM_FIGURES = ["rationality", "null_ccei", "utility", "open_gap", "similarity"]
PAGE_FIGURES = [
    f"results/figures/{name}.svg"
    for name in [
        *(PSM_FIGURES if PSM else []),
        *([figure for figure, _, _ in MORAL_FIGURES.values()] if MORAL_MODELS else []),
    ]
]
MORAL_READING = [
    f"surveys/moralchoice/{name}.py" for name in ("reading", "phrases", "stems")
]
MORAL_BELIEFS = [
    "beliefs/likelihoods.py",
    "beliefs/effects.py",
    "beliefs/agreement.py",
    "reporting/moralchoice.py",
    "reporting/moralchoice_across.py",
    "reporting/moralchoice_latex.py",
]
MORAL_DRAWING = [
    f"figures/{name}.py"
    for name in ("agreement", "beliefs", "consistency", "labelling", "rows")
]
MAKING = CONFIG["moralchoice"].get("making", {})
LABELLING = CONFIG["moralchoice"].get("labelling", {})
STUDIES = [study for study, models in TAKING.items() if models]
TABLES = {
    "psm": [path for path in PSM_PAGE.values() if path.endswith(".csv")]
    + ["results/tables/rationality.tex", "results/tables/utility.tex"],
    "moralchoice": [
        *(f"results/tables/{name}.csv" for name, _, _ in MORAL_TABLES.values()),
        "results/tables/moralchoice.tex",
    ],
    "indices": ["results/tables/indices.csv"],
    "power": ["results/tables/power.csv"],
}
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


def study_params(wildcards):
    """The parameters that a study, and a decoding of it, put over the model's own."""
    if wildcards.study == "psm":
        return None
    section = CONFIG["moralchoice"]
    if wildcards.study == "making":
        return section["making"]["params"]
    decoding = MORAL.forms[wildcards.form].decoding
    return {**section["params"], **section["decodings"].get(decoding, {})}


def respondent(wildcards):
    """What can change the replies of a model, as one text."""
    spec = MODELS[wildcards.model]
    return canonical(question_of(spec, wildcards.study, study_params(wildcards)))


def attempts(wildcards):
    """How often a prompt is put. MoralChoice samples: asking again would hide who refuses."""
    return 1 if wildcards.study == "moralchoice" else int(CONFIG["asking"]["attempts"])


def prompts_file(wildcards):
    """The prompts of a block; those of MoralChoice are the same for every model and decoding."""
    if wildcards.study == "moralchoice":
        form = MORAL.forms[wildcards.form].asked
        return f"results/moralchoice/prompts/{form}/{wildcards.block}.parquet"
    if wildcards.study == "making":
        return f"results/making/prompts/{wildcards.form}/{wildcards.block}.parquet"
    return f"results/psm/{wildcards.model}/{wildcards.form}/prompts/{wildcards.block}.parquet"


def scenario_files(wildcards=None):
    """The files of all scenarios."""
    return [source.path for source in MORAL.sources]


def known_scenarios(wildcards):
    """What a simulated respondent knows MoralChoice's scenarios from; nothing for the others."""
    simulated = "simulated" in MODELS[wildcards.model]
    return scenario_files() if simulated and wildcards.study == "moralchoice" else []


def scenario_blocks(wildcards=None):
    """The blocks of all scenarios; scenarios that come from a URL are fetched first."""
    if MORAL.scenarios is None:
        for source in MORAL.sources:
            if source.url is not None:
                name = Path(source.path).stem
                checkpoints.fetch_scenarios.get(digest=name)
        scenarios = read_scenarios(scenario_files(), CONFIG["moralchoice"]["leave_out"])
    else:
        scenarios = MORAL.scenarios
    return list(runs("s", len(scenarios), CONFIG["asking"]["block_size"], 4))


def moral_forms(model):
    """The forms that a model is asked: all, or those that a recorded file holds."""
    if "recorded" not in MODELS[model]:
        return list(MORAL.forms)
    there = held(MODELS[model]["recorded"]).get("moralchoice", [])
    return [form for form in MORAL.forms if form in there]


def moral_replies(wildcards):
    """Every block of a model's answers, and of the prompts that they answer."""
    forms, parts = moral_forms(wildcards.model), scenario_blocks()
    asked = dict.fromkeys(MORAL.forms[form].asked for form in forms)
    return {
        "answers": [
            f"results/moralchoice/{wildcards.model}/{form}/answers/{block}.parquet"
            for form in forms
            for block in parts
        ],
        "prompts": [
            f"results/moralchoice/prompts/{form}/{block}.parquet"
            for form in asked
            for block in parts
        ],
    }


def making_forms():
    """The ambiguities that scenarios are written for."""
    if not MAKING:
        raise WorkflowError(
            "Nobody is named who writes scenarios. Set moralchoice.making.model in the config "
            "(docs/config.md)."
        )
    return [form for form in ("low", "high") if MAKING[form]]


def labelled_scenarios():
    """The file of scenarios that annotators have labelled."""
    if not LABELLING:
        raise WorkflowError(
            "No labels are named. Set moralchoice.labelling.annotators in the config "
            "(docs/config.md)."
        )
    path = LABELLING["scenarios"]
    return path if path.startswith("results/") else resource(path)


def fetched_source(wildcards):
    """Where a file of scenarios comes from."""
    for source in MORAL.sources:
        if source.url is not None and Path(source.path).stem == wildcards.digest:
            return {"url": source.url, "sha256": source.sha256}
    raise WorkflowError(
        f"no source of moralchoice.scenarios has the sum {wildcards.digest}…"
    )


def on_error(wildcards):
    """What becomes of unanswered prompts: only paid models have any that asking again may mend."""
    return CONFIG["asking"]["on_error"] if "llm" in MODELS[wildcards.model] else ""


def simulator(wildcards):
    """A digest of what a simulated respondent does; nothing for the others."""
    if "simulated" not in MODELS[wildcards.model]:
        return ""
    own = "moral" if wildcards.study == "moralchoice" else "priced"
    return digest("respondents/simulated.py", f"respondents/{own}.py")


def recorded_file(wildcards):
    """The file that a recorded respondent answers from."""
    return MODELS[wildcards.model].get("recorded", [])


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


def labels():
    """Names to show; a new label makes nothing run again."""
    return Untracked({slug: label_of(slug, spec) for slug, spec in MODELS.items()})


def each_model_and_form(path):
    """The path for every model and form, models first."""
    return [path.format(model=model, form=form) for model in PSM for form in FORMS]


def form_files(wildcards):
    """The file of a form, and of the one it is like."""
    return FORM_FILES[wildcards.form]


def tell_stops():
    """Name the models whose budget is reached, after a run that did not end well."""
    told = explain_stops("results/journal")
    if told:
        print(told, file=sys.stderr)


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


def part_replies(wildcards):
    """The replies that the tables of a part rest on; simulated power rests on none."""
    return [] if wildcards.part == "power" else "results/tables/replies.csv"


def part_files(wildcards):
    """What a part reads beside replies: survey and forms, or scenarios and templates; recordings."""
    if wildcards.part == "moralchoice":
        own = [*scenario_files(), *MORAL.templates.values()]
    else:
        own = [
            resource(CONFIG["psm"]["survey"]),
            *(p for form in FORMS for p in FORM_FILES[form]),
        ]
    study = "moralchoice" if wildcards.part == "moralchoice" else "psm"
    taking = [] if wildcards.part == "power" else TAKING[study].values()
    return [*own, *(spec["recorded"] for spec in taking if "recorded" in spec)]


def batch_parts(model):
    """The prompt files of a model that can be written without asking, and how each is asked."""
    places = []
    if model in PSM:
        forms = dict.fromkeys([OPENING_FORM, *FORMS])
        places += [("psm", form, OPENING) for form in forms]
    if model in MORAL_MODELS:
        parts = scenario_blocks()
        places += [
            ("moralchoice", form, part) for form in moral_forms(model) for part in parts
        ]
    return [batch_part(model, *place) for place in places]


def batch_part(model, study, form, block):
    """How the prompts of one block are asked."""
    place = SimpleNamespace(model=model, study=study, form=form, block=block)
    return {
        "study": study,
        "form": form,
        "block": block,
        "path": prompts_file(place),
        "respondent": respondent(place),
        "attempts": attempts(place),
    }


def batch_prompts(wildcards):
    """The prompt files that batches are written from."""
    if not CONFIG["asking"]["batch"]:
        raise WorkflowError(
            "No model is asked through batches. List its slug in asking.batch in the config "
            "(docs/config.md)."
        )
    return list(
        dict.fromkeys(
            part["path"]
            for model in CONFIG["asking"]["batch"]
            for part in batch_parts(model)
        )
    )


def batch_plans():
    """What each model of asking.batch is asked: prompt files, and rounds that follow from one."""
    return {
        model: {
            "model": MODELS[model],
            "parts": batch_parts(model),
            "rounds": (
                batch_part(model, "psm", OPENING_FORM, "") if model in PSM else None
            ),
        }
        for model in CONFIG["asking"]["batch"]
    }


def batch_rounds():
    """What the constrained rounds are drawn from."""
    return {
        "survey": resource(CONFIG["psm"]["survey"]),
        "forms": {form: FORM_FILES[form] for form in FORMS},
        "blocks": {name: [run.start, run.stop] for name, run in BLOCKS.items()},
        "options": int(CONFIG["psm"]["options"]),
        "seed": int(CONFIG["seed"]),
    }


def asked_parts():
    """Study, model, form and what its replies follow from: all that the target `all` asks."""
    asked = [("psm", model, form) for model in PSM for form in FORM_FILES]
    asked += [
        ("moralchoice", model, form)
        for model in MORAL_MODELS
        for form in moral_forms(model)
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


def started():
    """When this run began, in seconds: what depends on it is made anew each time."""
    return float(time())


# Snakemake gives every job OMP_NUM_THREADS and the like; polars and numba have names of their own.
shell.prefix(
    "export POLARS_MAX_THREADS=${{OMP_NUM_THREADS:-1}} NUMBA_NUM_THREADS=${{OMP_NUM_THREADS:-1}}; "
)
