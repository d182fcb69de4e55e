# MoralChoice: scenarios in six question forms, the replies read, and what they say of beliefs.


checkpoint fetch_scenarios:
    output:
        "results/moralchoice/fetched/{digest}.csv",
    log:
        "results/logs/fetch_scenarios/{digest}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        source=fetched_source,
    message:
        "Fetching scenarios, {wildcards.digest}"
    script:
        "../scripts/fetch_scenarios.py"


rule write_moralchoice_prompts:
    input:
        scenarios=scenario_files,
        template=lambda w: MORAL.templates[MORAL.forms[w.form].template],
    output:
        "results/moralchoice/prompts/{form}/{block}.parquet",
    log:
        "results/logs/write_moralchoice_prompts/{form}/{block}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        order=lambda w: MORAL.forms[w.form].order,
        samples=dict(CONFIG["moralchoice"]["samples"]),
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/write_moralchoice_prompts.py",
            "surveys/moralchoice/forms.py",
            "surveys/moralchoice/prompts.py",
            "surveys/moralchoice/scenarios.py",
            "surveys/templates.py",
        ),
    message:
        "Writing the prompts of {wildcards.form}, {wildcards.block}"
    script:
        "../scripts/write_moralchoice_prompts.py"


rule read_moralchoice_replies:
    input:
        unpack(moral_replies),
        scenarios=scenario_files,
        recorded=recorded_file,
    output:
        readings="results/moralchoice/{model}/readings.parquet",
        likelihoods="results/moralchoice/{model}/likelihoods.parquet",
        replies="results/moralchoice/{model}/replies.json",
    log:
        "results/logs/read_moralchoice_replies/{model}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        forms={name: list(form) for name, form in MORAL.forms.items()},
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        source=digest(
            "workflow/scripts/read_moralchoice_replies.py",
            "reporting/replies.py",
            "surveys/replies.py",
            "surveys/moralchoice/scenarios.py",
            "surveys/moralchoice/tables.py",
            "beliefs/likelihoods.py",
            "reporting/moralchoice.py",
            "respondents/published.py",
            "respondents/recorded.py",
            *MORAL_READING,
        ),
    message:
        "Reading the replies of {wildcards.model}"
    script:
        "../scripts/read_moralchoice_replies.py"


# A job a model: an aggregate with an output a model would not run again for a new model.
rule tabulate_moralchoice_model:
    input:
        scenarios=scenario_files,
        likelihoods="results/moralchoice/{model}/likelihoods.parquet",
    output:
        csv="results/moralchoice/{model}/table.csv",
        tex="results/moralchoice/{model}/table.tex",
    log:
        "results/logs/tabulate_moralchoice_model/{model}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kind=lambda w: kind_of(MODELS[w.model]),
        seed=int(CONFIG["seed"]),
        draws=int(CONFIG["moralchoice"]["bootstrap"]),
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        labels=labels(),
        source=digest(
            "workflow/scripts/tabulate_moralchoice_model.py",
            "reporting/latex.py",
            "reporting/numbers.py",
            "inference/bootstrap.py",
            *MORAL_BELIEFS,
        ),
    message:
        "Writing the table of {wildcards.model}"
    script:
        "../scripts/tabulate_moralchoice_model.py"


rule tabulate_moralchoice:
    input:
        scenarios=scenario_files,
        readings=[f"results/moralchoice/{m}/readings.parquet" for m in MORAL_MODELS],
        likelihoods=[
            f"results/moralchoice/{m}/likelihoods.parquet" for m in MORAL_MODELS
        ],
    output:
        **{
            name: report(
                f"results/tables/{table}.csv",
                category="MoralChoice",
                subcategory=part,
                caption=f"../report/{table}.rst",
                labels={"what": what, "as": "table"},
            )
            for name, (table, part, what) in MORAL_TABLES.items()
        },
        tex="results/tables/moralchoice.tex",
        beliefs="results/moralchoice/beliefs.parquet",
        agreement="results/moralchoice/agreement.json",
    log:
        "results/logs/tabulate_moralchoice.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in TAKING["moralchoice"].items()},
        seed=int(CONFIG["seed"]),
        draws=int(CONFIG["moralchoice"]["bootstrap"]),
        samples=dict(CONFIG["moralchoice"]["samples"]),
        decodings=list(CONFIG["moralchoice"]["decodings"]),
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        labels=labels(),
        source=digest(
            "workflow/scripts/tabulate_moralchoice.py",
            "reporting/latex.py",
            "reporting/numbers.py",
            "inference/bootstrap.py",
            "inference/multiple.py",
            *MORAL_BELIEFS,
        ),
    message:
        "Writing the tables of MoralChoice"
    script:
        "../scripts/tabulate_moralchoice.py"


rule plot_moralchoice:
    input:
        table="results/tables/moralchoice.csv",
        forms="results/tables/moralchoice_forms.csv",
        decodings="results/tables/moralchoice_decodings.csv",
        beliefs="results/moralchoice/beliefs.parquet",
        agreement="results/moralchoice/agreement.json",
    output:
        **{
            name: report(
                f"results/figures/{figure}.svg",
                category="MoralChoice",
                subcategory=part,
                caption=f"../report/{figure}.rst",
                labels={"what": what, "as": "figure"},
            )
            for name, (figure, part, what) in MORAL_FIGURES.items()
        },
    log:
        "results/logs/plot_moralchoice.log",
    conda:
        "../envs/rationale.yaml"
    params:
        labels=labels(),
        source=digest(
            "workflow/scripts/plot_moralchoice.py",
            "figures/style.py",
            *MORAL_DRAWING,
        ),
    message:
        "Drawing the figures of MoralChoice"
    script:
        "../scripts/plot_moralchoice.py"
