# STEER: questions drawn from stories, stories retold by a model, and people's review.


rule write_questions:
    input:
        **STEER_RESOURCES,
        stories=story_files,
    output:
        "results/steer/questions/{setting}.parquet",
    log:
        "results/logs/write_questions/{setting}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        per_cell=int(CONFIG["steer"]["per_cell"]),
        grades=lambda w: steer_elements(w.setting),
        domains=list(STEER.domains),
        schemas=Untracked(str(SCHEMAS)),
        source=digest("workflow/scripts/write_questions.py", *STEER_SOURCES),
    message:
        "Writing the questions of {wildcards.setting}"
    script:
        "../scripts/write_questions.py"


rule read_published:
    input:
        taxonomy=STEER_RESOURCES["taxonomy"],
        folder=lambda w: STEER.published[w.element],
    output:
        "results/steer/published/{element}.parquet",
    log:
        "results/logs/read_published/{element}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/read_published.py", "surveys/steer/published.py"
        ),
    message:
        "Reading the published questions of {wildcards.element}"
    script:
        "../scripts/read_published.py"


rule tabulate_questions:
    input:
        questions=question_files(),
    output:
        "results/tables/questions.csv",
    log:
        "results/logs/tabulate_questions.log",
    conda:
        "../envs/rationale.yaml"
    params:
        source=digest(
            "workflow/scripts/tabulate_questions.py", "reporting/questions.py"
        ),
    message:
        "Counting the questions"
    script:
        "../scripts/tabulate_questions.py"


rule draw_review:
    input:
        taxonomy=STEER_RESOURCES["taxonomy"],
        questions=[
            f"results/steer/questions/{setting}.parquet" for setting in STEER_SETTINGS
        ],
    output:
        page="results/steer/review/index.html",
        sample="results/steer/review/sample.parquet",
    log:
        "results/logs/draw_review.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        per_cell=int(CONFIG["steer"]["review"]["per_cell"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/draw_review.py",
            "surveys/steer/review.py",
            "reporting/review.py",
            "reporting/review.html",
        ),
    message:
        "Drawing the questions to review"
    script:
        "../scripts/draw_review.py"


rule tabulate_validity:
    input:
        taxonomy=STEER_RESOURCES["taxonomy"],
        sample="results/steer/review/sample.parquet",
        reviews=lambda w: list(review_files().values()),
    output:
        validity="results/tables/validity.csv",
        rejected="results/tables/rejected.csv",
    log:
        "results/logs/tabulate_validity.log",
    conda:
        "../envs/rationale.yaml"
    params:
        names=lambda w: list(review_files()),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/tabulate_validity.py", "surveys/steer/review.py"
        ),
    message:
        "Counting what the reviewers accepted"
    script:
        "../scripts/tabulate_validity.py"


rule write_retelling_prompts:
    input:
        **STEER_RESOURCES,
        stories=story_files,
        template=resource("resources/steer/retelling.yaml"),
    output:
        "results/retelling/prompts/{setting}/all.parquet",
    log:
        "results/logs/write_retelling_prompts/{setting}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        number=lambda w: int(storyteller()["number"]),
        elements=lambda w: list(steer_elements(w.setting)),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/write_retelling_prompts.py",
            "surveys/steer/retelling.py",
            *STEER_SOURCES,
        ),
    message:
        "Writing the prompts to retell the stories of {wildcards.setting}"
    script:
        "../scripts/write_retelling_prompts.py"


rule collect_retold:
    input:
        **STEER_RESOURCES,
        stories=story_files,
        prompts="results/retelling/prompts/{setting}/all.parquet",
        answers="results/retelling/{model}/{setting}/answers/all.parquet",
    output:
        stories=directory("results/retelling/{model}/{setting}/stories"),
        dropped="results/retelling/{model}/{setting}/dropped.csv",
    log:
        "results/logs/collect_retold/{model}/{setting}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        grades=lambda w: steer_elements(w.setting),
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/collect_retold.py",
            "surveys/steer/retelling.py",
            "surveys/replies.py",
            *STEER_SOURCES,
        ),
    message:
        "Collecting the stories of {wildcards.setting} that {wildcards.model} has retold"
    script:
        "../scripts/collect_retold.py"
