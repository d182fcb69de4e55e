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
