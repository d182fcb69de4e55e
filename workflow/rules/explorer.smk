# The page to explore every answer.


rule write_explorer:
    input:
        unpack(explored),
    output:
        "results/explorer/index.html",
    log:
        "results/logs/write_explorer.log",
    conda:
        "../envs/rationale.yaml"
    params:
        kinds={slug: kind_of(spec) for slug, spec in sorted(MODELS.items())},
        labels=labels(),
        psm_names=[[model, form] for model in PSM for form in FORMS],
        moral_models=list(MORAL_MODELS),
        steer_models=list(STEER_MODELS),
        leave_out=list(CONFIG["moralchoice"]["leave_out"]),
        schemas=Untracked(str(SCHEMAS)),
        source=digest("workflow/scripts/write_explorer.py", *EXPLORER_SOURCES),
    message:
        "Writing the page to explore every answer"
    script:
        "../scripts/write_explorer.py"
