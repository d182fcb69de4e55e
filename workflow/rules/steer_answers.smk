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
        number=MOST_SHOTS,
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
            "surveys/blocks.py",
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


rule tabulate_steer:
    input:
        taxonomy=STEER_RESOURCES["taxonomy"],
        graded=[f"results/steer/{model}/graded.parquet" for model in STEER_MODELS],
    output:
        **{
            name.removeprefix("steer_"): report(
                f"results/tables/{name}.csv",
                category="STEER",
                subcategory=part,
                caption=f"../report/{name}.rst",
                labels={"what": what, "as": "table"},
            )
            for name, (part, what) in STEER_TABLES.items()
        },
        tex="results/tables/steer.tex",
    log:
        "results/logs/tabulate_steer.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in TAKING["steer"].items()},
        labels=labels(),
        seed=int(CONFIG["seed"]),
        draws=int(CONFIG["steer"]["bootstrap"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest("workflow/scripts/tabulate_steer.py", *STEER_SCORING),
    message:
        "Writing the tables of STEER"
    script:
        "../scripts/tabulate_steer.py"


rule plot_steer:
    input:
        **{
            name.removeprefix("steer_"): f"results/tables/{name}.csv"
            for name in STEER_TABLES
        },
    output:
        **{
            name: report(
                f"results/figures/{figure}.svg",
                category="STEER",
                subcategory=part,
                caption=f"../report/{figure}.rst",
                labels={"what": what, "as": "figure"},
            )
            for name, (figure, part, what) in STEER_FIGURES.items()
        },
    log:
        "results/logs/plot_steer.log",
    conda:
        "../envs/rationale.yaml"
    params:
        labels=labels(),
        source=digest("workflow/scripts/plot_steer.py", *STEER_DRAWING),
    message:
        "Drawing the figures of STEER"
    script:
        "../scripts/plot_steer.py"


rule write_report_cards:
    input:
        taxonomy=STEER_RESOURCES["taxonomy"],
        rubrics=list(STEER.rubrics.values()),
        questions=question_files(),
        graded="results/steer/{model}/graded.parquet",
    output:
        html=expand("results/steer/cards/{{model}}/{rubric}.html", rubric=STEER.rubrics),
        csv=expand("results/steer/cards/{{model}}/{rubric}.csv", rubric=STEER.rubrics),
        tex=expand("results/steer/cards/{{model}}/{rubric}.tex", rubric=STEER.rubrics),
    log:
        "results/logs/write_report_cards/{model}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kind=lambda w: kind_of(MODELS[w.model]),
        form="plain" if "plain" in STEER.forms else next(iter(STEER.forms)),
        labels=labels(),
        seed=int(CONFIG["seed"]),
        draws=int(CONFIG["steer"]["bootstrap"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest("workflow/scripts/write_report_cards.py", *STEER_CARDS),
    message:
        "Writing the report cards of {wildcards.model}"
    script:
        "../scripts/write_report_cards.py"


rule list_report_cards:
    input:
        cards=expand(
            "results/steer/cards/{model}/{rubric}.csv",
            model=STEER_MODELS,
            rubric=STEER.rubrics,
        ),
    output:
        "results/steer/cards/index.html",
    log:
        "results/logs/list_report_cards.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in TAKING["steer"].items()},
        labels=labels(),
        source=digest("workflow/scripts/list_report_cards.py", *STEER_CARDS),
    message:
        "Listing the report cards"
    script:
        "../scripts/list_report_cards.py"
