"""Types as tables: who passes, how alike they are, and how the similar ones hang together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from rationale.revealed.types import Similarity, networks

LEVEL = 0.05
SIMILARITY = {
    "form": pl.String,
    "model_1": pl.String,
    "model_2": pl.String,
    "similarity": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "draws": pl.Int64,
    "rounds": pl.Int64,
    "rounds_asked": pl.Int64,
    "efficiency": pl.Float64,
    "proven": pl.Float64,
    "status": pl.String,
}
NETWORKS = {
    "form": pl.String,
    "alpha": pl.Float64,
    "model": pl.String,
    "degree": pl.Int64,
    "component": pl.Int64,
    "component_size": pl.Int64,
    "isolated": pl.Boolean,
}


class Passing(NamedTuple):
    """Models that pass the test at 5 %, by name, and the smallest CCEI among them."""

    models: list[str]
    efficiency: float


def passing(rationality: pl.DataFrame, form: str) -> Passing:
    """Who is divided into types, and at which efficiency (1 when nobody passes)."""
    rows = rationality.filter((pl.col("form") == form) & (pl.col("p_value") <= LEVEL)).sort("model")
    lowest = rows["ccei"].min()
    return Passing(rows["model"].to_list(), 1.0 if lowest is None else float(lowest))


def save_similarity(path: str | Path, found: Similarity, models: Sequence[str]) -> None:
    """Write a chunk of draws with the models' names."""
    parts = {field.name: np.asarray(getattr(found, field.name)) for field in fields(found)}
    np.savez_compressed(path, models=np.array(models, dtype=np.str_), **parts)


def load_similarity(path: str | Path) -> tuple[Similarity, list[str]]:
    """A chunk of draws and the models' names."""
    with np.load(path, allow_pickle=False) as file:
        parts = {
            field.name: file[field.name].item() if file[field.name].ndim == 0 else file[field.name]
            for field in fields(Similarity)
        }
        return Similarity(**parts), file["models"].tolist()


def similarity_table(found: Similarity, models: Sequence[str], form: str) -> pl.DataFrame:
    """One row a pair; one row without models where there is no pair, saying why."""
    low, high = found.intervals()
    shared = {
        "form": form,
        "draws": found.draws,
        "rounds": found.rho,
        "rounds_asked": found.rho_asked,
        "efficiency": found.efficiency,
        "proven": float(found.proven.mean()) if len(found.proven) else None,
        "status": found.status,
    }
    blank = {name: None for name in SIMILARITY}
    rows = [
        {
            **blank,
            **shared,
            "model_1": models[i],
            "model_2": models[j],
            "similarity": float(found.shares[i, j]),
            "low": float(low[i, j]),
            "high": float(high[i, j]),
        }
        for i in range(len(models))
        for j in range(i + 1, len(models))
        if found.draws
    ]
    return pl.DataFrame(rows or [{**blank, **shared}], schema=SIMILARITY)


def network_table(
    found: Similarity, models: Sequence[str], form: str, alphas: Sequence[float]
) -> pl.DataFrame:
    """One row a model and alpha: links, and the component it is in (largest first, from 1)."""
    if not found.draws:
        return pl.DataFrame(schema=NETWORKS)
    rows = [
        {
            "form": form,
            "alpha": network.alpha,
            "model": models[place],
            "degree": network.degrees[place],
            "component": number,
            "component_size": len(component),
            "isolated": place in network.isolated,
        }
        for network in networks(found.shares, alphas)
        for number, component in enumerate(network.components, start=1)
        for place in component
    ]
    return pl.DataFrame(rows, schema=NETWORKS)
