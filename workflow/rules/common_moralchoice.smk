# MoralChoice: its tables and figures, the sources that shape them, scenarios and replies.

from pathlib import Path

from snakemake.exceptions import WorkflowError

from rationale.respondents.recorded import held
from rationale.surveys.blocks import blocks as runs
from rationale.surveys.moralchoice.scenarios import read_scenarios

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
    for name in (
        "agreement",
        "beliefs",
        "consistency",
        "labelling",
        "point_labels",
        "rows",
    )
]


def scenario_files(wildcards=None):
    """The files of all scenarios."""
    return [source.path for source in MORAL.sources]


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


def fetched_source(wildcards):
    """Where a file of scenarios comes from."""
    for source in MORAL.sources:
        if source.url is not None and Path(source.path).stem == wildcards.digest:
            return {"url": source.url, "sha256": source.sha256}
    raise WorkflowError(
        f"no source of moralchoice.scenarios has the sum {wildcards.digest}…"
    )


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
