# Rationale: ask models surveys, and test whether they answer as if they had stable preferences.
# What to change is in config.yaml; this file is the table of contents.

from snakemake.utils import min_version

min_version("9.19")

if not workflow.overwrite_configfiles:

    configfile: "config.yaml"


report: "workflow/report/overview.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/common_psm.smk"
include: "workflow/rules/common_moralchoice.smk"
include: "workflow/rules/common_making.smk"
include: "workflow/rules/common_asking.smk"
include: "workflow/rules/common_batches.smk"
include: "workflow/rules/common_steer.smk"
include: "workflow/rules/common_results.smk"
include: "workflow/rules/common_across.smk"
include: "workflow/rules/asking.smk"
include: "workflow/rules/batches.smk"
include: "workflow/rules/psm.smk"
include: "workflow/rules/preferences.smk"
include: "workflow/rules/moralchoice.smk"
include: "workflow/rules/making.smk"
include: "workflow/rules/steer.smk"
include: "workflow/rules/steer_answers.smk"
include: "workflow/rules/across.smk"
include: "workflow/rules/explorer.smk"
include: "workflow/rules/results.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/rules/cost.smk"
include: "workflow/rules/targets.smk"


wildcard_constraints:
    study="[a-z]+",
    model="|".join(map(re.escape, MODELS)),
    form="[a-z0-9.-]+",
    block="[a-z0-9-]+",
    chunk="draws-[0-9]+",
    noise=r"[0-9.e+-]+|inf",
    setting="[a-z-]+",
    element="[a-z-]+",


rule all:
    default_target: True
    input:
        "results/index.html",
        "results/explorer/index.html",


onstart:
    require_keys()
    forget_stops("results/journal")


onerror:
    tell_stops()
