# Scenarios that a model writes, and labels that people give.

from snakemake.exceptions import WorkflowError

MAKING = CONFIG["moralchoice"].get("making", {})
LABELLING = CONFIG["moralchoice"].get("labelling", {})


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
