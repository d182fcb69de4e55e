# What the choices reveal beyond the test: utility, types, forms, indices, power.


rule estimate_psm_utility:
    input:
        rounds="results/psm/{model}/{form}/rounds.parquet",
        choices="results/psm/{model}/{form}/choices.parquet",
    output:
        "results/psm/{model}/{form}/utility.json",
    log:
        "results/logs/estimate_psm_utility/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        source=digest(
            "workflow/scripts/estimate_psm_utility.py",
            "surveys/psm/tables.py",
            "revealed/estimates.py",
            "revealed/utility.py",
            "revealed/logit.py",
            "revealed/ceiling.py",
            "revealed/kernels.py",
        ),
    message:
        "Estimating the utility of {wildcards.model}, {wildcards.form}"
    script:
        "../scripts/estimate_psm_utility.py"


rule tabulate_utility:
    input:
        rationality="results/tables/rationality.csv",
        utilities=each_model_and_form("results/psm/{model}/{form}/utility.json"),
    output:
        csv=report(
            "results/tables/utility.csv",
            category="Priced survey",
            subcategory="Preferences",
            caption="../report/utility_table.rst",
            labels={"what": "Estimated utility", "as": "table"},
        ),
        tex="results/tables/utility.tex",
    log:
        "results/logs/tabulate_utility.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=list(PSM),
        forms=list(FORMS),
        statements=STATEMENTS,
        labels=labels(),
        source=digest(
            "workflow/scripts/tabulate_utility.py",
            "reporting/latex.py",
            "reporting/numbers.py",
            "reporting/utility.py",
        ),
    message:
        "Writing the table of utilities"
    script:
        "../scripts/tabulate_utility.py"


rule plot_utility:
    input:
        table="results/tables/utility.csv",
        choices=[f"results/psm/{m}/{FORMS[0]}/choices.parquet" for m in PSM],
    output:
        svg=report(
            "results/figures/utility.svg",
            category="Priced survey",
            subcategory="Preferences",
            caption="../report/utility_figure.rst",
            labels={"what": "Weights and ideals", "as": "figure"},
        ),
        gap=report(
            "results/figures/open_gap.svg",
            category="Priced survey",
            subcategory="Preferences",
            caption="../report/open_gap.rst",
            labels={"what": "Open answer minus ideal", "as": "figure"},
        ),
    log:
        "results/logs/plot_utility.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=list(PSM),
        forms=list(FORMS),
        statements=STATEMENTS,
        high=int(SURVEY.high),
        labels=labels(),
        source=digest(
            "workflow/scripts/plot_utility.py",
            "figures/style.py",
            "figures/utility.py",
        ),
    message:
        "Drawing weights and ideals"
    script:
        "../scripts/plot_utility.py"


rule divide_psm_types:
    input:
        rationality="results/tables/rationality.csv",
        choices=lambda w: [f"results/psm/{m}/{w.form}/choices.parquet" for m in PSM],
        rounds=lambda w: [f"results/psm/{m}/{w.form}/rounds.parquet" for m in PSM],
    output:
        "results/types/{form}/{chunk}.npz",
    log:
        "results/logs/divide_psm_types/{form}/{chunk}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=list(PSM),
        seed=int(CONFIG["seed"]),
        numbers=lambda w: CHUNKS[w.chunk],
        rho=int(TYPES["rounds"]),
        solver=str(TYPES["solver"]),
        ties=str(TYPES["ties"]),
        source=digest(
            "workflow/scripts/divide_psm_types.py",
            "surveys/psm/tables.py",
            "reporting/types.py",
            "revealed/types.py",
            "revealed/draws.py",
            "revealed/pooled.py",
            "revealed/subsets.py",
            "revealed/subset_kernels.py",
            "revealed/cycles.py",
            "revealed/ordering.py",
        ),
    message:
        "Dividing models into types, {wildcards.form}, {wildcards.chunk}"
    script:
        "../scripts/divide_psm_types.py"


rule tabulate_similarity:
    input:
        chunks=[
            f"results/types/{form}/{chunk}.npz" for form in FORMS for chunk in CHUNKS
        ],
        choices=each_model_and_form("results/psm/{model}/{form}/choices.parquet"),
        rounds=each_model_and_form("results/psm/{model}/{form}/rounds.parquet"),
    output:
        csv=report(
            "results/tables/similarity.csv",
            category="Priced survey",
            subcategory="Types",
            caption="../report/similarity_table.rst",
            labels={"what": "Similarity", "as": "table"},
        ),
        networks=report(
            "results/tables/networks.csv",
            category="Priced survey",
            subcategory="Types",
            caption="../report/networks_table.rst",
            labels={"what": "Networks", "as": "table"},
        ),
        svg=report(
            "results/figures/similarity.svg",
            category="Priced survey",
            subcategory="Types",
            caption="../report/similarity_figure.rst",
            labels={"what": "Similarity and networks", "as": "figure"},
        ),
        pdf="results/figures/similarity.pdf",
    log:
        "results/logs/tabulate_similarity.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=list(PSM),
        forms=list(FORMS),
        alphas=[float(alpha) for alpha in TYPES["alphas"]],
        labels=labels(),
        source=digest(
            "workflow/scripts/tabulate_similarity.py",
            "surveys/psm/tables.py",
            "reporting/types.py",
            "figures/style.py",
            "figures/similarity.py",
            "revealed/types.py",
        ),
    message:
        "Writing similarities and networks"
    script:
        "../scripts/tabulate_similarity.py"


rule compare_psm_forms:
    input:
        choices=each_model_and_form("results/psm/{model}/{form}/choices.parquet"),
        rounds=each_model_and_form("results/psm/{model}/{form}/rounds.parquet"),
    output:
        report(
            "results/tables/forms.csv",
            category="Priced survey",
            subcategory="Rationality",
            caption="../report/forms_table.rst",
            labels={"what": "Agreement across forms", "as": "table"},
        ),
    log:
        "results/logs/compare_psm_forms.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=list(PSM),
        forms=list(FORMS),
        source=digest(
            "workflow/scripts/compare_psm_forms.py",
            "surveys/psm/tables.py",
            "reporting/forms.py",
            "revealed/robustness.py",
            "revealed/ccei.py",
            "revealed/costs.py",
            "revealed/garp.py",
            "revealed/kernels.py",
        ),
    message:
        "Comparing question forms"
    script:
        "../scripts/compare_psm_forms.py"


rule measure_psm_indices:
    input:
        rounds="results/psm/{model}/{form}/rounds.parquet",
        choices="results/psm/{model}/{form}/choices.parquet",
    output:
        "results/psm/{model}/{form}/indices.json",
    log:
        "results/logs/measure_psm_indices/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        draws=int(CONFIG["psm"]["null_draws"]),
        time_limit=float(CONFIG["psm"]["indices"]["time_limit_s"]),
        source=digest(
            "workflow/scripts/measure_psm_indices.py",
            "surveys/psm/tables.py",
            "seeds.py",
            "reporting/null.py",
            "revealed/null.py",
            "reporting/indices.py",
            *INDEX_SOURCES,
        ),
    message:
        "Measuring the indices of {wildcards.model}, {wildcards.form}"
    script:
        "../scripts/measure_psm_indices.py"


rule tabulate_indices:
    input:
        each_model_and_form("results/psm/{model}/{form}/indices.json"),
    output:
        report(
            "results/tables/indices.csv",
            category="Priced survey",
            subcategory="Rationality",
            caption="../report/indices_table.rst",
            labels={"what": "Indices", "as": "table"},
        ),
    log:
        "results/logs/tabulate_indices.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=list(PSM),
        forms=list(FORMS),
        source=digest("workflow/scripts/tabulate_indices.py", "reporting/indices.py"),
    message:
        "Writing the table of indices"
    script:
        "../scripts/tabulate_indices.py"


rule simulate_power:
    input:
        survey=resource(CONFIG["psm"]["survey"]),
    output:
        "results/power/{noise}.parquet",
    log:
        "results/logs/simulate_power/{noise}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        rounds=list(POWER["rounds"]),
        options=list(POWER["options"]),
        replicates=int(POWER["replicates"]),
        draws=int(POWER["draws"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/simulate_power.py",
            "reporting/power.py",
            "revealed/power.py",
            "revealed/ccei.py",
            "revealed/costs.py",
            "revealed/kernels.py",
            "seeds.py",
            "surveys/psm/survey.py",
        ),
    message:
        "Simulating respondents of noise {wildcards.noise}"
    script:
        "../scripts/simulate_power.py"


rule tabulate_power:
    input:
        [f"results/power/{float(noise):g}.parquet" for noise in POWER["noises"]],
        "results/power/inf.parquet",
    output:
        csv=report(
            "results/tables/power.csv",
            category="Priced survey",
            subcategory="Power",
            caption="../report/power.rst",
            labels={"what": "Power", "as": "table"},
        ),
        svg=report(
            "results/figures/power.svg",
            category="Priced survey",
            subcategory="Power",
            caption="../report/power.rst",
            labels={"what": "Power", "as": "figure"},
        ),
        pdf="results/figures/power.pdf",
    log:
        "results/logs/tabulate_power.log",
    conda:
        "../envs/rationale.yaml"
    params:
        source=digest("workflow/scripts/tabulate_power.py", "figures/power.py"),
    message:
        "Writing the power table"
    script:
        "../scripts/tabulate_power.py"
