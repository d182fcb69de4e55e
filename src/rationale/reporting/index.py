"""The page that opens first: tables and figures in one file, readable without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from rationale.figures.style import KIND_WORDS

_CAPTIONS = {
    "rationality": (
        "The test as a picture. Left: the CCEI of each respondent over the middle 90 % of its "
        "random data sets, and the ceiling that its fitted preferences could have reached (bar). "
        "Right: the share p of random data sets that do at least as well, with the interval of "
        "its Monte-Carlo error; the bar is p after Holm's correction."
    ),
    "null_ccei": (
        "How often choosing at random reaches each CCEI (grey), its 95th percentile (triangle), "
        "and the respondent (diamond)."
    ),
    "utility": (
        "Weights and ideals by statement (conditional logit, 95 % intervals). Hollow marks do not "
        "pass the test: they describe answers, not preferences."
    ),
    "open_gap": ("Open answer minus ideal: what a respondent says beyond what its choices reveal."),
    "similarity": (
        "Share of draws in which two models that pass at 5 % have the same type, and who is linked "
        "at each threshold (a link: the same type in at least 1 − α of the draws)."
    ),
}


@dataclass(frozen=True)
class Sources:
    """The tables that the page shows; ``figures`` are stems of files in ``figures/``."""

    rationality: pl.DataFrame
    utility: pl.DataFrame
    similarity: pl.DataFrame
    networks: pl.DataFrame
    forms: pl.DataFrame | None
    figures: Sequence[str]


def index_page(
    sources: Sources,
    labels: Mapping[str, str],
    facts: Mapping[str, Any],
    statements: Sequence[str],
) -> str:
    """HTML that refers to tables and figures beside it by relative paths."""
    environment = Environment(
        loader=PackageLoader("rationale.reporting", "."), autoescape=True, undefined=StrictUndefined
    )
    table = sources.rationality
    return environment.get_template("index.html").render(
        rows=_labelled(table, labels),
        utility=_labelled(sources.utility.filter(pl.col("estimator") == "logit"), labels),
        similarity=_pairs(sources.similarity, labels),
        status=sources.similarity.row(0, named=True),
        networks=_networks(sources.networks, labels),
        compared=_labelled(sources.forms, labels) if sources.forms is not None else [],
        statements=statements,
        facts=facts,
        figures=set(sources.figures),
        captions=_CAPTIONS,
        kinds=KIND_WORDS,
        forms=sorted(table["form"].unique()),
        simulated=(table["respondent"] == "simulated").any(),
        number=_number,
    )


def _labelled(table: pl.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {**row, "label": labels.get(row["model"], row["model"])}
        for row in table.iter_rows(named=True)
    ]


def _pairs(table: pl.DataFrame, labels: Mapping[str, str], most: int = 10) -> list[dict[str, Any]]:
    """The most similar pairs of the first form."""
    first = table.filter((pl.col("form") == table["form"][0]) & pl.col("similarity").is_not_null())
    rows = first.sort("similarity", "model_1", "model_2", descending=[True, False, False])
    return [
        {**row, "one": labels.get(row["model_1"], row["model_1"]),
         "other": labels.get(row["model_2"], row["model_2"])}
        for row in rows.head(most).iter_rows(named=True)
    ]  # fmt: skip


def _networks(table: pl.DataFrame, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """A row an alpha of the first form: links, components, and who stands alone."""
    if table.is_empty():
        return []
    rows = []
    first = table.filter(pl.col("form") == table["form"][0])
    for (alpha,), group in first.group_by("alpha", maintain_order=True):
        alone = group.filter(pl.col("isolated"))["model"].to_list()
        rows.append(
            {
                "alpha": alpha,
                "links": int(group["degree"].sum()) // 2,
                "components": group["component"].n_unique(),
                "largest": int(group["component_size"].max()),
                "alone": ", ".join(labels.get(model, model) for model in alone) or "nobody",
            }
        )
    return rows


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
