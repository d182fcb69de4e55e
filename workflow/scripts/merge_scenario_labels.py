"""Merge the labels of annotators by majority, and say how far they agree."""

from rationale.logs import job_log
from rationale.surveys.moralchoice.labels import merge_labels, read_annotations
from rationale.surveys.moralchoice.scenarios import read_scenarios

with job_log(snakemake.log[0]) as log:
    annotations = {
        name: read_annotations(path)
        for name, path in zip(snakemake.params.names, snakemake.input.annotations, strict=True)
    }
    merged = merge_labels(read_scenarios([snakemake.input.scenarios]), annotations)
    merged.scenarios.write_csv(snakemake.output.scenarios)
    merged.agreement.write_csv(snakemake.output.agreement)
    swapped = ", ".join(merged.swapped) or "none"
    print("scenarios whose actions changed places:", swapped, file=log)
