# Across the studies: a row a model, and the page to explore every answer.


rule tabulate_profile:
    input:
        **PROFILE_TABLES,
    output:
        csv=report(
            "results/tables/profile.csv",
            category="Across studies",
            caption="../report/profile.rst",
            labels={"what": "Profile of each model", "as": "table"},
        ),
        correlations="results/tables/profile_correlations.csv",
    log:
        "results/logs/tabulate_profile.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in sorted(MODELS.items())},
        source=digest(
            "workflow/scripts/tabulate_profile.py",
            "reporting/profile.py",
            "inference/multiple.py",
            "inference/checks.py",
        ),
    message:
        "Writing the profile of every model"
    script:
        "../scripts/tabulate_profile.py"


rule plot_profile:
    input:
        profile="results/tables/profile.csv",
        agreement="results/moralchoice/agreement.json" if MORAL_MODELS else [],
    output:
        svg=report(
            "results/figures/profile.svg",
            category="Across studies",
            caption="../report/profile_figure.rst",
            labels={"what": "Profile of each model", "as": "figure"},
        ),
        pdf="results/figures/profile.pdf",
    log:
        "results/logs/plot_profile.log",
    conda:
        "../envs/rationale.yaml"
    params:
        labels=labels(),
        source=digest(
            "workflow/scripts/plot_profile.py",
            *(f"figures/{name}.py" for name in ("style", "rows", "profile")),
        ),
    message:
        "Drawing the profile of every model"
    script:
        "../scripts/plot_profile.py"
