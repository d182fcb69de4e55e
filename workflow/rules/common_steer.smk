# STEER: what the section asks for, by setting.

from snakemake.exceptions import WorkflowError


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


def story_files(wildcards):
    """The files of the stories of a setting."""
    return [
        path
        for slug in steer_elements(wildcards.setting)
        for path in STEER.stories[slug]
    ]


def question_files(wildcards=None):
    """The question files of every setting, and of every published element."""
    return [
        *(f"results/steer/questions/{setting}.parquet" for setting in STEER_SETTINGS),
        *(f"results/steer/published/{slug}.parquet" for slug in STEER.published),
    ]


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
