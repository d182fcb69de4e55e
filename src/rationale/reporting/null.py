"""What data sets that choose at random take in each round of a respondent's survey."""

from __future__ import annotations

import numpy as np
import polars as pl

from rationale.revealed import uniform_picks


def null_picks(seed: int, model: str, form: str, rounds: pl.DataFrame, draws: int) -> np.ndarray:
    """0-based options (draws, R), uniform over what each of the R rounds shows.

    Every round is drawn for, so that a missing one does not change what the others get.
    """
    sizes = rounds.sort("round")["options"].list.len().to_numpy().astype(np.int64)
    return uniform_picks(sizes, draws, (seed, "psm", model, form, "null"))
