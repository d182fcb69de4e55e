# Rationale: ask models surveys, and test whether they answer as if they had stable preferences.
# What to change is in config.yaml; this file is the table of contents.

from snakemake.utils import min_version

min_version("9.19")

if not workflow.overwrite_configfiles:

    configfile: "config.yaml"


report: "workflow/report/overview.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/asking.smk"
include: "workflow/rules/psm.smk"
include: "workflow/rules/preferences.smk"
include: "workflow/rules/moralchoice.smk"
include: "workflow/rules/making.smk"
include: "workflow/rules/results.smk"
include: "workflow/rules/cost.smk"


wildcard_constraints:
    study="[a-z]+",
    model="|".join(map(re.escape, MODELS)),
    form="[a-z0-9.-]+",
    block="[a-z0-9-]+",
    chunk="draws-[0-9]+",
    noise=r"[0-9.e+-]+|inf",


localrules:
    all,
    indices,
    power,
    make_scenarios,
    merge_labels,
    cost,


rule all:
    default_target: True
    input:
        "results/index.html",


# Not part of `all`: exact indices may take a time limit each, and power needs no respondent.
rule indices:
    input:
        "results/tables/indices.csv",


rule power:
    input:
        "results/tables/power.csv",


# Scenarios from a model, and people's labels: as moralchoice.making and .labelling in the config say.
rule make_scenarios:
    input:
        "results/making/scenarios.csv",


rule merge_labels:
    input:
        "results/labels/scenarios.csv",


rule cost:
    input:
        "results/tables/cost.csv",


onstart:
    require_keys()
