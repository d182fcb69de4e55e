# Across the studies: what the profile and the page to explore rest on.

PROFILE_TABLES = {
    **({"rationality": "results/tables/rationality.csv"} if PSM else {}),
    **({"forms": "results/tables/forms.csv"} if PSM and len(FORMS) > 1 else {}),
    **({"moralchoice": "results/tables/moralchoice.csv"} if MORAL_MODELS else {}),
    **({"elements": "results/tables/steer_elements.csv"} if STEER_MODELS else {}),
}
EXPLORER_SOURCES = [
    str(path.relative_to(SOURCES))
    for path in sorted((SOURCES / "reporting/explorer").glob("*.*"))
]


def explored(wildcards):
    """Everything that was asked and answered, by study; nothing of a study that nobody takes part in."""
    found = {"taxonomy": STEER_RESOURCES["taxonomy"]}
    if STEER_MODELS:
        found["questions"] = question_files()
        found["graded"] = [
            f"results/steer/{model}/graded.parquet" for model in STEER_MODELS
        ]
    if PSM:
        names = [(model, form) for model in PSM for form in FORMS]
        found["survey"] = resource(CONFIG["psm"]["survey"])
        for name in ("rounds", "choices"):
            found[name] = [
                f"results/psm/{model}/{form}/{name}.parquet" for model, form in names
            ]
    if MORAL_MODELS:
        parts, asked = scenario_blocks(), {form.asked for form in MORAL.forms.values()}
        found["scenarios"] = scenario_files()
        found["prompts"] = [
            f"results/moralchoice/prompts/{form}/{block}.parquet"
            for form in sorted(asked)
            for block in parts
        ]
        for name in ("likelihoods", "readings"):
            found[name] = [
                f"results/moralchoice/{model}/{name}.parquet" for model in MORAL_MODELS
            ]
    return found
