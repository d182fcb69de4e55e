# Results over all models: tables, figures, the index page.


rule tabulate_rationality:
    input:
        tests=each_model_and_form("results/psm/{model}/{form}/rationality.json"),
        utilities=each_model_and_form("results/psm/{model}/{form}/utility.json"),
        choices=each_model_and_form("results/psm/{model}/{form}/choices.parquet"),
        rounds=each_model_and_form("results/psm/{model}/{form}/rounds.parquet"),
    output:
        csv=report(
            "results/tables/rationality.csv",
            category="Priced survey",
            subcategory="Rationality",
            caption="../report/rationality_table.rst",
            labels={"what": "Rationality test", "as": "table"},
        ),
        tex="results/tables/rationality.tex",
    log:
        "results/logs/tabulate_rationality.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in PSM.items()},
        forms=list(FORMS),
        labels=labels(),
        source=digest(
            "workflow/scripts/tabulate_rationality.py",
            "reporting/latex.py",
            "reporting/numbers.py",
            "reporting/rationality.py",
            "reporting/rationality_latex.py",
            "inference/multiple.py",
        ),
    message:
        "Writing the table of rationality tests"
    script:
        "../scripts/tabulate_rationality.py"


rule plot_null_ccei:
    input:
        table="results/tables/rationality.csv",
        nulls=each_model_and_form("results/psm/{model}/{form}/null_ccei.parquet"),
    output:
        svg=report(
            "results/figures/null_ccei.svg",
            category="Priced survey",
            subcategory="Rationality",
            caption="../report/null_ccei.rst",
            labels={"what": "CCEI against random choice", "as": "figure"},
        ),
        pdf="results/figures/null_ccei.pdf",
    log:
        "results/logs/plot_null_ccei.log",
    conda:
        "../envs/rationale.yaml"
    params:
        names=[[model, form] for model in PSM for form in FORMS],
        labels=labels(),
        source=digest(
            "workflow/scripts/plot_null_ccei.py",
            "figures/style.py",
            "figures/rationality.py",
        ),
    message:
        "Drawing the null distributions"
    script:
        "../scripts/plot_null_ccei.py"


rule plot_rationality:
    input:
        table="results/tables/rationality.csv",
        nulls=each_model_and_form("results/psm/{model}/{form}/null_ccei.parquet"),
    output:
        svg=report(
            "results/figures/rationality.svg",
            category="Priced survey",
            subcategory="Rationality",
            caption="../report/rationality_figure.rst",
            labels={"what": "Rationality test", "as": "figure"},
        ),
        pdf="results/figures/rationality.pdf",
    log:
        "results/logs/plot_rationality.log",
    conda:
        "../envs/rationale.yaml"
    params:
        names=[[model, form] for model in PSM for form in FORMS],
        labels=labels(),
        source=digest(
            "workflow/scripts/plot_rationality.py",
            "figures/style.py",
            "figures/rationality.py",
        ),
    message:
        "Drawing the table of rationality tests"
    script:
        "../scripts/plot_rationality.py"


rule write_index:
    input:
        **(PSM_PAGE if PSM else {}),
        **(MORAL_PAGE if MORAL_MODELS else {}),
        **(STEER_PAGE if STEER_MODELS else {}),
        profile="results/tables/profile.csv",
        figures=PAGE_FIGURES,
        replies="results/tables/replies.csv",
        provenance=[f"results/provenance/{p}.json" for p in (*STUDIES, "profile")],
    output:
        "results/index.html",
    log:
        "results/logs/write_index.log",
    conda:
        "../envs/rationale.yaml"
    params:
        labels=labels(),
        seed=int(CONFIG["seed"]),
        statements=STATEMENTS,
        facts={
            "survey": SURVEY.title,
            "draws": int(CONFIG["psm"]["null_draws"]),
            "options": int(CONFIG["psm"]["options"]),
            "rounds": int(SURVEY.rounds),
        },
        moral_facts={
            "forms": list(CONFIG["moralchoice"]["forms"]),
            "samples": dict(CONFIG["moralchoice"]["samples"]),
            "left_out": len(CONFIG["moralchoice"]["leave_out"]),
        },
        source=digest(
            "workflow/scripts/write_index.py",
            "reporting/index.py",
            "reporting/numbers.py",
            "reporting/index.html",
            "reporting/index_macros.html",
            "reporting/index_psm.html",
            "reporting/index_moralchoice.html",
            "reporting/index_steer.html",
            "reporting/index_profile.html",
            "reporting/index_provenance.html",
        ),
    message:
        "Writing results/index.html"
    script:
        "../scripts/write_index.py"
