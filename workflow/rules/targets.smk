# What can be asked for beside `all`: snakemake NAME.


localrules:
    all,
    indices,
    power,
    make_scenarios,
    merge_labels,
    write_batches,
    take_batches,
    cost,
    questions,
    review,
    validity,
    retell,


# Not part of `all`: exact indices may take a time limit each, and power needs no respondent.
rule indices:
    input:
        "results/tables/indices.csv",
        "results/provenance/indices.json",


rule power:
    input:
        "results/tables/power.csv",
        "results/provenance/power.json",


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


# STEER's question bank; the page on which people review a sample of it, and what they say; stories
# retold by a model.
rule questions:
    input:
        "results/tables/questions.csv",


rule review:
    input:
        "results/steer/review/index.html",


rule validity:
    input:
        "results/tables/validity.csv",


rule retell:
    input:
        lambda w: retold("results/retelling/{model}/{setting}/dropped.csv"),
