# Batch files: which prompts they are written from, and how those are asked.

from types import SimpleNamespace

from snakemake.exceptions import WorkflowError

from rationale.surveys.psm.blocks import OPENING
from rationale.surveys.psm.check import OPENING_FORM


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
    if model in STEER_MODELS:
        places += [
            ("steer", form, part)
            for form in steer_forms(model)
            for part in STEER_BLOCKS
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


def batch_rounds():
    """What the constrained rounds are drawn from."""
    return {
        "survey": resource(CONFIG["psm"]["survey"]),
        "forms": {form: FORM_FILES[form] for form in FORMS},
        "blocks": {name: [run.start, run.stop] for name, run in BLOCKS.items()},
        "options": int(CONFIG["psm"]["options"]),
        "seed": int(CONFIG["seed"]),
    }
