"""What data sets that choose at random take in each round."""

from __future__ import annotations

import numpy as np
import polars as pl

from rationale.seeds import generator


def null_picks(seed: int, model: str, form: str, rounds: pl.DataFrame, draws: int) -> np.ndarray:
    """0-based options (draws, R), uniform over what each of the R rounds shows.

    Every round is drawn for, so that a missing one does not change what the others get, and a draw
    follows from its number, so that more draws keep the earlier ones.
    """
    sizes = rounds.sort("round")["options"].list.len().to_numpy().astype(np.int64)
    names = (seed, "psm", model, form, "null")
    picks = [generator(*names, draw).integers(0, sizes) for draw in range(draws)]
    return np.array(picks).reshape(draws, len(sizes))
