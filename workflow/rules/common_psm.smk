# The priced survey: what its rules share.

from rationale.surveys.psm.blocks import OPENING, blocks

STATEMENTS = [statement.slug for statement in SURVEY.statements]
BLOCKS = blocks(SURVEY.rounds, CONFIG["asking"]["block_size"])
TYPES = CONFIG["psm"]["types"]
CHUNKS = {
    f"draws-{start:04d}": [start, min(start + TYPES["chunk"], TYPES["draws"])]
    for start in range(0, TYPES["draws"], TYPES["chunk"])
}
POWER = CONFIG["psm"]["power"]
INDEX_SOURCES = sorted(
    f"revealed/indices/{path.name}"
    for path in (SOURCES / "revealed/indices").glob("*.py")
)


def each_model_and_form(path):
    """The path for every model and form, models first."""
    return [path.format(model=model, form=form) for model in PSM for form in FORMS]


def form_files(wildcards):
    """The file of a form, and of the one it is like."""
    return FORM_FILES[wildcards.form]
