"""Merge the draws, check every type again, and write similarities and networks."""

import polars as pl

from rationale.figures.similarity import similarity_figure
from rationale.figures.style import save
from rationale.logs import job_log
from rationale.reporting.types import load_similarity, network_table, similarity_table
from rationale.revealed.types import merge, verify_types
from rationale.surveys.psm.tables import answered_rounds

with job_log(snakemake.log[0]) as log:
    params, tables, nets = snakemake.params, [], []
    chunks_a_form = len(snakemake.input.chunks) // len(params.forms)
    for place, form in enumerate(params.forms):
        paths = snakemake.input.chunks[place * chunks_a_form : (place + 1) * chunks_a_form]
        loaded = [load_similarity(path) for path in paths]
        models, found = loaded[0][1], merge([chunk for chunk, _ in loaded])
        rows = [params.models.index(model) * len(params.forms) + place for model in models]
        answered = [
            answered_rounds(
                pl.read_parquet(snakemake.input.choices[row]),
                pl.read_parquet(snakemake.input.rounds[row]),
            )
            for row in rows
        ]
        checked = verify_types(answered, found)
        if checked.violations or checked.misdrawn:
            raise RuntimeError(f"types of {form} that violate GARP or reuse a round: {checked}")
        print(f"{form}: {checked.types} types checked again, none violates", file=log)
        tables.append(similarity_table(found, models, form))
        nets.append(network_table(found, models, form, params.alphas))
        if place == 0:
            figure = similarity_figure(found, models, params.labels.value, params.alphas)
            save(figure, snakemake.output.svg, snakemake.output.pdf)
    pl.concat(tables).write_csv(snakemake.output.csv)
    pl.concat(nets).write_csv(snakemake.output.networks)
