# STEER: the questions put in every form, the replies graded, and what they come to.


# Questions beyond those that are asked: what examples are drawn from.
rule write_examples:
    input:
        **STEER_RESOURCES,
        stories=story_files,
        asked="results/steer/questions/{setting}.parquet",
    output:
        "results/steer/examples/{setting}.parquet",
    log:
        "results/logs/write_examples/{setting}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        per_cell=int(CONFIG["steer"]["per_cell"]) + MOST_SHOTS,
        grades=lambda w: steer_elements(w.setting),
        domains=list(STEER.domains),
        schemas=Untracked(str(SCHEMAS)),
        source=digest("workflow/scripts/write_examples.py", *STEER_SOURCES),
    message:
        "Writing the examples of {wildcards.setting}"
    script:
        "../scripts/write_examples.py"


rule write_steer_prompts:
    input:
        questions=block_questions,
        examples=block_examples,
        form=form_sources,
    output:
        prompts="results/steer/prompts/{form}/{block}.parquet",
        beside="results/steer/prompts/{form}/{block}.keys.parquet",
    log:
        "results/logs/write_steer_prompts/{form}/{block}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        seed=int(CONFIG["seed"]),
        part=lambda w: list(STEER_BLOCKS[w.block][1:]),
        context_tokens=lambda w: put_as(w.form)[1],
        schemas=Untracked(str(SCHEMAS)),
        source=digest(
            "workflow/scripts/write_steer_prompts.py",
            "surveys/templates.py",
            *STEER_PUTTING,
        ),
    message:
        "Writing the prompts of {wildcards.form}, {wildcards.block}"
    script:
        "../scripts/write_steer_prompts.py"


rule grade_steer_replies:
    input:
        unpack(steer_replies),
        questions=question_files(),
    output:
        graded="results/steer/{model}/graded.parquet",
        replies="results/steer/{model}/replies.json",
    log:
        "results/logs/grade_steer_replies/{model}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        source=digest(
            "workflow/scripts/grade_steer_replies.py",
            "reporting/replies.py",
            "surveys/replies.py",
            "surveys/steer/grading.py",
            *STEER_PUTTING,
        ),
    message:
        "Grading the replies of {wildcards.model}"
    script:
        "../scripts/grade_steer_replies.py"
