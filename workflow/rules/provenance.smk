# Where results come from, and whether they rest on enough replies.


rule tabulate_replies:
    input:
        psm=each_model_and_form("results/psm/{model}/{form}/replies.json"),
        moralchoice=[f"results/moralchoice/{m}/replies.json" for m in MORAL_MODELS],
        steer=[f"results/steer/{m}/replies.json" for m in STEER_MODELS],
    output:
        report(
            "results/tables/replies.csv",
            category="Provenance",
            caption="../report/replies.rst",
            labels={"what": "Replies", "as": "table"},
        ),
    log:
        "results/logs/tabulate_replies.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in sorted(MODELS.items())},
        source=digest("workflow/scripts/tabulate_replies.py", "reporting/replies.py"),
    message:
        "Writing the table of replies"
    script:
        "../scripts/tabulate_replies.py"


rule write_provenance:
    input:
        tables=lambda w: TABLES[w.part],
        replies=part_replies,
        files=part_files,
    output:
        "results/provenance/{part}.json",
    log:
        "results/logs/write_provenance/{part}.log",
    conda:
        "../envs/rationale.yaml"
    params:
        config=Untracked(CONFIG),
        home=Untracked(str(HOME)),
        source=digest(
            "workflow/scripts/write_provenance.py",
            "reporting/provenance.py",
        ),
    message:
        "Writing where the tables come from: {wildcards.part}"
    script:
        "../scripts/write_provenance.py"


rule tabulate_check:
    input:
        "results/tables/replies.csv",
    output:
        "results/check.csv",
    log:
        "results/logs/tabulate_check.log",
    conda:
        "../envs/rationale.yaml"
    params:
        thresholds=dict(CONFIG["check"]),
        source=digest("workflow/scripts/tabulate_check.py", "reporting/check.py"),
    message:
        "Comparing what is missing with the thresholds of the config"
    script:
        "../scripts/tabulate_check.py"


# A rule without output: it is run whenever it is asked for, and fails without losing a table.
rule check:
    input:
        checked="results/check.csv",
        tables=[table for part in STUDIES for table in TABLES[part]],
    log:
        "results/logs/check.log",
    localrule: True
    conda:
        "../envs/rationale.yaml"
    params:
        tables={part: TABLES[part] for part in STUDIES},
    message:
        "Checking that tables rest on enough replies"
    script:
        "../scripts/check.py"
