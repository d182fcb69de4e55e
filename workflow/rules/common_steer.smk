# STEER: what the section asks for, by setting.

from pathlib import Path

from snakemake.exceptions import WorkflowError

from rationale.respondents.recorded import held
from rationale.surveys.steer.check import form_path as steer_form_path
from rationale.surveys.templates import form_files as form_files_of


def steer_elements(setting):
    """The elements of a setting that are chosen, with their grades."""
    return {
        slug: grades
        for slug, grades in STEER.grades.items()
        if STEER.taxonomy.elements[slug].setting == setting
    }


STEER_SETTINGS = [slug for slug in STEER.taxonomy.settings if steer_elements(slug)]
STEER_RESOURCES = {
    "taxonomy": resource("resources/steer/taxonomy.yaml"),
    "words": resource("resources/steer/words.yaml"),
}
STEER_SOURCES = [
    f"surveys/steer/{name}.py"
    for name in (
        *("bank", "options", "questions", "rules", "stories", "taxonomy", "wording"),
        *(
            f"elements/{path.stem}"
            for path in sorted((SOURCES / "surveys/steer/elements").glob("*.py"))
        ),
    )
]


STEER_PUTTING = [
    f"surveys/steer/{name}.py" for name in ("forms", "prompts", "reading", "rules")
]
STEER_TABLES = {
    "steer": ("Scores", "Scores"),
    "steer_parts": ("Scores", "By setting, module, domain and grade"),
    "steer_elements": ("Scores", "By element"),
    "steer_differences": ("Across models", "Head to head"),
    "steer_forms": ("Forms", "Effects of forms"),
}
STEER_FIGURES = {
    "accuracy": ("steer_accuracy", "Scores", "Accuracy"),
    "grades": ("steer_grades", "Scores", "Accuracy by grade"),
    "domains": ("steer_domains", "Robustness", "Worst case and average by domain"),
    "wins": ("steer_wins", "Across models", "Head to head"),
    **(
        {
            "effects": ("steer_effects", "Forms", "Effects of forms"),
            "modules": ("steer_modules", "Forms", "Effects of forms by module"),
        }
        if len(STEER.forms) > 1
        else {}
    ),
}
STEER_SCORING = [
    *(
        f"reporting/{name}.py"
        for name in (
            "steer",
            "steer_across",
            "steer_latex",
            "steer_sheets",
            "moralchoice_latex",
            "latex",
            "numbers",
        )
    ),
    *(
        f"scoring/{name}.py"
        for name in ("accuracy", "calibration", "intervals", "robustness")
    ),
    *(
        f"inference/{name}.py"
        for name in ("bootstrap", "clustered", "intervals", "multiple")
    ),
    "surveys/steer/taxonomy.py",
]
STEER_DRAWING = [
    f"figures/{name}.py"
    for name in (
        "style",
        "steer",
        "steer_compared",
        "steer_modules",
        "panels",
        "point_labels",
        "labelling",
        "rows",
    )
]
STEER_CARDS = [
    *(
        f"reporting/{name}"
        for name in (
            *("cards.py", "cards_html.py", "cards_latex.py", "cards_reading.py"),
            *("cards_table.py", "card.html", "cards_index.html"),
            *("latex.py", "numbers.py"),
        )
    ),
    *(
        f"surveys/steer/{name}.py"
        for name in ("behaviours", "rubrics", "rules", "taxonomy")
    ),
    "figures/style.py",
    "inference/bootstrap.py",
    "inference/intervals.py",
    "scoring/intervals.py",
]
# Stories of the shipped bank tell each element in so many domains.
DOMAINS_TOLD = 3


def story_files(wildcards):
    """The files of the stories of a setting."""
    return [
        path
        for slug in steer_elements(wildcards.setting)
        for path in STEER.stories[slug]
    ]


def published_files():
    """The files of the published questions that are asked."""
    return [
        str(path)
        for folder in STEER.published.values()
        for path in sorted(Path(folder).iterdir())
        if path.is_file()
    ]


def question_files(wildcards=None):
    """The question files of every setting, and of every published element."""
    return [
        *(f"results/steer/questions/{setting}.parquet" for setting in STEER_SETTINGS),
        *(f"results/steer/published/{slug}.parquet" for slug in STEER.published),
    ]


def steer_parts():
    """The jobs that all questions are asked in: a block to its files, its place and how many there are.

    One block while everything fits; else each setting, in as many even parts as its size asks for,
    and each published element.
    """
    size = CONFIG["steer"]["block_size"]
    domains = min(DOMAINS_TOLD, len(STEER.domains)) * CONFIG["steer"]["per_cell"]
    expected = {
        setting: domains * sum(map(len, steer_elements(setting).values()))
        for setting in STEER_SETTINGS
    }
    if sum(expected.values()) <= size and not STEER.published:
        return {"all": (question_files(), 1, 1)}
    found = {}
    for setting, number in expected.items():
        files = [f"results/steer/questions/{setting}.parquet"]
        parts = -(-number // size)
        for part in range(1, parts + 1):
            name = setting if parts == 1 else f"{setting}-{part}-of-{parts}"
            found[name] = (files, part, parts)
    for slug in STEER.published:
        found[f"published-{slug}"] = ([f"results/steer/published/{slug}.parquet"], 1, 1)
    return found


STEER_BLOCKS = steer_parts()


# Examples of a cell. Those of the shipped forms come from one pool whichever of them is asked, so that
# another form changes no prompt of the first.
MOST_SHOTS = max(5, *(form.shots for form in STEER.forms.values()))


def block_examples(wildcards):
    """The files that a form's examples come from; published questions are examples themselves."""
    if not STEER.forms[put_as(wildcards.form)[0]].shots:
        return []
    return [
        f"results/steer/examples/{Path(path).name}"
        for path in block_questions(wildcards)
        if Path(path).parent.name == "questions"
    ]


def block_questions(wildcards):
    """The question files that a block is a part of."""
    return STEER_BLOCKS[wildcards.block][0]


def steer_forms(model):
    """The forms that a model is asked: all, or those that a recorded file holds."""
    if "recorded" not in MODELS[model]:
        return list(STEER.forms)
    there = held(MODELS[model]["recorded"]).get("steer", [])
    return [form for form in STEER.forms if form in there]


def as_put(model, form):
    """A form as a model is put it: examples are left out where its context is full."""
    tokens = MODELS[model].get("context_tokens")
    return f"{form}.{tokens}" if tokens and STEER.forms[form].shots else form


def put_as(form):
    """A form's name and the context that its prompts must fit, or None."""
    name, _, tokens = form.partition(".")
    return name, int(tokens) if tokens else None


def form_sources(wildcards):
    """The files of a form: its own, and that of the form it is like."""
    name, _ = put_as(wildcards.form)
    return [str(path) for path in form_files_of(resource(steer_form_path(name)))]


def steer_replies(wildcards):
    """Every block of a model's answers, with the prompts that they answer, by form."""
    model = wildcards.model
    places = [(form, block) for form in steer_forms(model) for block in STEER_BLOCKS]
    put = [
        f"results/steer/prompts/{as_put(model, form)}/{block}" for form, block in places
    ]
    return {
        "answers": [
            f"results/steer/{model}/{form}/answers/{block}.parquet"
            for form, block in places
        ],
        "prompts": [f"{path}.parquet" for path in put],
        "beside": [f"{path}.keys.parquet" for path in put],
    }


def storyteller():
    """Who retells stories, and how."""
    found = CONFIG["steer"].get("storyteller")
    if not found:
        raise WorkflowError(
            "Nobody is named who retells stories. Set steer.storyteller.model in the config "
            "(docs/config.md)."
        )
    return found


def retold(path):
    """The path for every setting, of the model that retells."""
    return [
        path.format(model=storyteller()["model"], setting=setting)
        for setting in STEER_SETTINGS
    ]


def review_files():
    """The files that reviewers have saved, by their names."""
    files = CONFIG["steer"]["review"]["files"]
    if not files:
        raise WorkflowError(
            "No review is named. Review the page of 'snakemake review', save what you judged, and "
            "name the file in steer.review.files in the config (docs/config.md)."
        )
    return files
