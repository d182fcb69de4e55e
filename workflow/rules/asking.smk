# Asking: one rule for every study, model, form and block.


rule ask:
    input:
        prompts=prompts_file,
        recorded=recorded_file,
        scenarios=known("moralchoice", scenario_files),
        questions=known("steer", block_questions),
    output:
        "results/{study}/{model}/{form}/answers/{block}.parquet",
    log:
        "results/logs/ask/{study}/{model}/{form}/{block}.log",
    benchmark:
        "results/benchmarks/ask/{study}/{model}/{form}/{block}.tsv"
    conda:
        "../envs/rationale.yaml"
    resources:
        **asks_by_provider(),
        asks=1,
    params:
        respondent=respondent,
        seed=lambda w: int(CONFIG["seed"]) if "simulated" in MODELS[w.model] else 0,
        attempts=attempts,
        on_error=on_error,
        simulator=simulator,
        settings=settings,
        leave_out=Untracked(CONFIG["moralchoice"]["leave_out"]),
    message:
        "Asking {wildcards.model}: {wildcards.study}, {wildcards.form}, {wildcards.block}"
    script:
        "../scripts/ask.py"
