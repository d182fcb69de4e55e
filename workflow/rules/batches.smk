# Batch files: calls written for a provider's half-price batches, and their results taken in.
# Neither rule has an output: what they do depends on the journal, and each run does what is left.


rule write_batches:
    input:
        prompts=batch_prompts,
    log:
        "results/logs/write_batches.log",
    conda:
        "../envs/rationale.yaml"
    params:
        plans=lambda w: Untracked(batch_plans()),
        psm=lambda w: Untracked(batch_rounds()),
        limits=Untracked(
            [CONFIG["asking"].get(key) for key in ("batch_requests", "batch_mb")]
        ),
        schemas=Untracked(str(SCHEMAS)),
    message:
        "Writing batch files"
    script:
        "../scripts/write_batches.py"


rule take_batches:
    log:
        "results/logs/take_batches.log",
    conda:
        "../envs/rationale.yaml"
    params:
        models=Untracked(
            {slug: spec for slug, spec in MODELS.items() if kind_of(spec) == "llm"}
        ),
        min_free_mb=Untracked(CONFIG["asking"]["min_free_mb"]),
    message:
        "Taking in the results of batches"
    script:
        "../scripts/take_batches.py"
