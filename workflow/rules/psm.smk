# The priced survey: open round, constrained rounds, choices, and the test of each respondent.


rule write_psm_opening:
    input:
        survey=resource(CONFIG["psm"]["survey"]),
        form=form_files,
    output:
        f"results/psm/{{model}}/{{form}}/prompts/{OPENING}.parquet",
    log:
        "results/logs/write_psm_opening/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/write_psm_opening.py",
            "surveys/psm/survey.py",
            "surveys/psm/prompts.py",
            "surveys/psm/forms.py",
            "surveys/templates.py",
        ),
    message:
        "Writing the open round of {wildcards.model}, {wildcards.form}"
    script:
        "../scripts/write_psm_opening.py"


rule draw_psm_rounds:
    input:
        survey=resource(CONFIG["psm"]["survey"]),
        form=form_files,
        opening=f"results/psm/{{model}}/listed/answers/{OPENING}.parquet",
    output:
        "results/psm/{model}/{form}/rounds.parquet",
    log:
        "results/logs/draw_psm_rounds/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        options=int(CONFIG["psm"]["options"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/draw_psm_rounds.py",
            "seeds.py",
            "surveys/replies.py",
            "surveys/psm/reading.py",
            "surveys/psm/phrases.py",
            "surveys/psm/forms.py",
            "surveys/templates.py",
            "surveys/psm/rounds.py",
            "surveys/psm/survey.py",
            "surveys/psm/tables.py",
        ),
    message:
        "Drawing the rounds of {wildcards.model}, {wildcards.form}"
    script:
        "../scripts/draw_psm_rounds.py"


rule write_psm_prompts:
    input:
        survey=resource(CONFIG["psm"]["survey"]),
        form=form_files,
        rounds="results/psm/{model}/{form}/rounds.parquet",
    output:
        expand(
            "results/psm/{{model}}/{{form}}/prompts/{block}.parquet",
            block=BLOCKS,
        ),
    log:
        "results/logs/write_psm_prompts/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        blocks={name: [rounds.start, rounds.stop] for name, rounds in BLOCKS.items()},
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/write_psm_prompts.py",
            "surveys/blocks.py",
            "surveys/psm/blocks.py",
            "surveys/psm/survey.py",
            "surveys/psm/prompts.py",
            "surveys/psm/forms.py",
            "surveys/templates.py",
        ),
    message:
        "Writing the prompts of {wildcards.model}, {wildcards.form}"
    script:
        "../scripts/write_psm_prompts.py"


rule read_psm_choices:
    input:
        rounds="results/psm/{model}/{form}/rounds.parquet",
        answers=expand(
            "results/psm/{{model}}/{{form}}/answers/{block}.parquet",
            block=[OPENING, *BLOCKS],
        ),
    output:
        choices="results/psm/{model}/{form}/choices.parquet",
        replies="results/psm/{model}/{form}/replies.json",
    log:
        "results/logs/read_psm_choices/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        high=int(SURVEY.high),
        source=digest(
            "workflow/scripts/read_psm_choices.py",
            "reporting/replies.py",
            "surveys/replies.py",
            "surveys/blocks.py",
            "surveys/psm/blocks.py",
            "surveys/psm/reading.py",
            "surveys/psm/phrases.py",
            "surveys/psm/tables.py",
        ),
    message:
        "Reading the choices of {wildcards.model}, {wildcards.form}"
    script:
        "../scripts/read_psm_choices.py"


rule test_psm_rationality:
    input:
        rounds="results/psm/{model}/{form}/rounds.parquet",
        choices="results/psm/{model}/{form}/choices.parquet",
    output:
        null="results/psm/{model}/{form}/null_ccei.parquet",
        test="results/psm/{model}/{form}/rationality.json",
    log:
        "results/logs/test_psm_rationality/{model}/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        draws=int(CONFIG["psm"]["null_draws"]),
        source=digest(
            "workflow/scripts/test_psm_rationality.py",
            "seeds.py",
            "reporting/null.py",
            "surveys/psm/tables.py",
            "revealed/measure.py",
            "revealed/robustness.py",
            "revealed/ccei.py",
            "revealed/costs.py",
            "revealed/garp.py",
            "revealed/kernels.py",
            "revealed/null.py",
            "inference/intervals.py",
        ),
    message:
        "Testing {wildcards.model}, {wildcards.form}, against {params.draws} random data sets"
    script:
        "../scripts/test_psm_rationality.py"
