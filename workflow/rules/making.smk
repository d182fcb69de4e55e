# New scenarios from a model, and the labels of people: targets of their own.


rule write_making_prompts:
    input:
        scenarios=scenario_files,
        template=lambda w: resource(f"resources/moralchoice/making/{w.form}.yaml"),
    output:
        "results/making/prompts/{form}/all.parquet",
    log:
        "results/logs/write_making_prompts/{form}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        number=lambda w: int(MAKING[w.form]),
        shots=lambda w: int(MAKING["shots"]),
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/write_making_prompts.py",
            "surveys/moralchoice/making/__init__.py",
            "surveys/moralchoice/making/prompts.py",
        ),
    message:
        "Writing the prompts for scenarios of {wildcards.form} ambiguity"
    script:
        "../scripts/write_making_prompts.py"


rule collect_scenarios:
    input:
        scenarios=scenario_files,
        prompts=lambda w: [
            f"results/making/prompts/{form}/all.parquet" for form in making_forms()
        ],
        answers=lambda w: [
            f"results/making/{MAKING['model']}/{form}/answers/all.parquet"
            for form in making_forms()
        ],
    output:
        scenarios="results/making/scenarios.csv",
        dropped="results/making/dropped.csv",
    log:
        "results/logs/collect_scenarios.log",
    conda:
        "../envs/rationale.yaml"
    params:
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        source=digest(
            "workflow/scripts/collect_scenarios.py",
            "surveys/replies.py",
            "surveys/moralchoice/making/__init__.py",
            "surveys/moralchoice/making/reading.py",
            "surveys/moralchoice/making/collecting.py",
        ),
    message:
        "Collecting the scenarios that hold up"
    script:
        "../scripts/collect_scenarios.py"


rule merge_scenario_labels:
    input:
        scenarios=lambda w: labelled_scenarios(),
        annotations=lambda w: list(LABELLING["annotators"].values()),
    output:
        scenarios="results/labels/scenarios.csv",
        agreement="results/labels/agreement.csv",
    log:
        "results/logs/merge_scenario_labels.log",
    conda:
        "../envs/rationale.yaml"
    params:
        names=lambda w: list(LABELLING["annotators"]),
        source=digest(
            "workflow/scripts/merge_scenario_labels.py",
            "surveys/moralchoice/labels.py",
            "inference/raters.py",
        ),
    message:
        "Merging the labels of {params.names}"
    script:
        "../scripts/merge_scenario_labels.py"
