# Tables, figures and the page: which there are, and what they rest on.

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
STEER_PAGE = {
    "steer": "results/tables/steer.csv",
    "elements": "results/tables/steer_elements.csv",
    "cards": "results/steer/cards/index.html",
}
PSM_FIGURES = ["rationality", "null_ccei", "utility", "open_gap", "similarity"]
PAGE_FIGURES = [
    f"results/figures/{name}.svg"
    for name in [
        *(PSM_FIGURES if PSM else []),
        *([figure for figure, _, _ in MORAL_FIGURES.values()] if MORAL_MODELS else []),
        *([figure for figure, _, _ in STEER_FIGURES.values()] if STEER_MODELS else []),
        "profile",
    ]
]
TABLES = {
    "psm": [path for path in PSM_PAGE.values() if path.endswith(".csv")]
    + ["results/tables/rationality.tex", "results/tables/utility.tex"],
    "moralchoice": [
        *(f"results/tables/{name}.csv" for name, _, _ in MORAL_TABLES.values()),
        "results/tables/moralchoice.tex",
    ],
    "steer": [f"results/tables/{name}.csv" for name in STEER_TABLES]
    + ["results/tables/steer.tex"],
    "profile": [
        "results/tables/profile.csv",
        "results/tables/profile_correlations.csv",
    ],
    "indices": ["results/tables/indices.csv"],
    "power": ["results/tables/power.csv"],
}


def part_replies(wildcards):
    """The replies that the tables of a part rest on; simulated power rests on none."""
    return [] if wildcards.part == "power" else "results/tables/replies.csv"


def part_files(wildcards):
    """What a part reads beside replies: survey and forms, or scenarios and templates; recordings."""
    if wildcards.part == "profile":
        return []
    if wildcards.part == "moralchoice":
        own = [*scenario_files(), *MORAL.templates.values()]
    elif wildcards.part == "steer":
        own = [
            *STEER_RESOURCES.values(),
            *(path for paths in STEER.stories.values() for path in paths),
            *dict.fromkeys(
                str(path)
                for form in STEER.forms
                for path in form_files_of(resource(steer_form_path(form)))
            ),
            *published_files(),
        ]
    else:
        own = [
            resource(CONFIG["psm"]["survey"]),
            *(p for form in FORMS for p in FORM_FILES[form]),
        ]
    study = wildcards.part if wildcards.part in TAKING else "psm"
    taking = [] if wildcards.part == "power" else TAKING[study].values()
    return [*own, *(spec["recorded"] for spec in taking if "recorded" in spec)]
