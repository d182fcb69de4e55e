"""Graded answers of STEER as arrays: sums by story, which is what is resampled.

Questions told by one story share its wording, so a story of an element, (element, template), is a
cluster. Clusters are drawn element by element: the elements are a fixed list, so that what differs
between them is no spread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from rationale.inference.bootstrap import stratified_weights
from rationale.scoring import bin_places, brier_score
from rationale.seeds import generator
from rationale.surveys.steer.taxonomy import Taxonomy

BASELINE = "plain"
BINS = 10
# What of a graded table the scores are made of; replies, which are long, are not.
COLUMNS = (
    *("form", "question_id", "element", "module", "setting", "domain", "grade", "template"),
    *("status", "right", "guess_rate", "p_options", "key", "shots", "wanted"),
)


class Resampled:
    """The same draws of clusters for every respondent and form, so that pairs match."""

    def __init__(self, clusters: Iterable[tuple[str, str | None]], seed: int, draws: int):
        # A published question may name no story.
        self.names = sorted(set(clusters), key=lambda pair: (pair[0], pair[1] or ""))
        self.seed, self.draws = seed, draws
        elements = [element for element, _ in self.names]
        drawn = stratified_weights(elements, draws, seed, "steer", "bootstrap")
        # Sums over clusters run along draws: these are to be neighbours in memory.
        self.weights = np.ascontiguousarray(drawn.T, dtype=np.float64).T

    def normals(self, n: int) -> np.ndarray:
        """(n, draws) of the standard normal distribution, the same at every call."""
        return generator(self.seed, "steer", "noise").standard_normal((n, self.draws))

    def places(self, rows: pl.DataFrame) -> np.ndarray:
        """(N,) the place of each row's cluster."""
        place = {name: number for number, name in enumerate(self.names)}
        pairs = rows.select("element", "template").iter_rows()
        return np.array([place[pair] for pair in pairs], dtype=np.int64)


class Tally(NamedTuple):
    """Sums by cluster and group, (C, k) each: questions put and read, right answers, guess rates."""

    put: np.ndarray
    read: np.ndarray
    right: np.ndarray
    guess: np.ndarray


class Calibration(NamedTuple):
    """Scores of the probabilities given to letters, (N,) each; NaN where none were told."""

    confidence: np.ndarray
    top_right: np.ndarray
    brier: np.ndarray
    p_key: np.ndarray


@dataclass(frozen=True)
class Sheet:
    """What one respondent answered in one form. ``rows`` are graded, a question each, N in all."""

    model: str
    respondent: str
    form: str
    rows: pl.DataFrame
    taxonomy: Taxonomy
    resampled: Resampled

    @cached_property
    def cluster(self) -> np.ndarray:
        """(N,) places in ``resampled``."""
        return self.resampled.places(self.rows)

    @cached_property
    def right(self) -> np.ndarray:
        """(N,) 1 or 0, NaN where the reply was not read."""
        return self.rows["right"].cast(pl.Float64).fill_null(np.nan).to_numpy()

    @cached_property
    def calibration(self) -> Calibration:
        """Of the answers that were read and come with probabilities."""
        return calibration_of(self.rows)

    def parts(self, by: str) -> list[str | int]:
        """What the questions put hold of a column, in the order of the taxonomy; grades rising.

        Domains of published questions, which are their authors' words, come last. Raises ValueError
        for anything else that the taxonomy does not know.
        """
        found = self.rows[by].unique().to_list()
        if by == "grade":
            return sorted(found)
        order = list(getattr(self.taxonomy, f"{by}s"))
        unknown = sorted(set(found) - set(order))
        if by == "domain":
            order, unknown = order + unknown, []
        if unknown:
            raise ValueError(
                f"{self.model}, form {self.form}: found the {by} {', '.join(unknown[:5])}, which the "
                f"taxonomy lacks. Grade the answers with the taxonomy that the questions came from."
            )
        return sorted(found, key=order.index)

    def codes(self, by: str, parts: Sequence[str | int]) -> np.ndarray:
        """(N,) the place of each question's part in a list of parts."""
        places = list(range(len(parts)))
        return self.rows[by].replace_strict(parts, places, return_dtype=pl.Int64).to_numpy()

    def sums(self, values: np.ndarray, codes: np.ndarray | None = None, k: int = 1) -> np.ndarray:
        """(C, k) sums of values (N,) by cluster and group; one group without ``codes``."""
        codes = np.zeros_like(self.cluster) if codes is None else codes
        return sums_by(values, self.cluster, codes, (len(self.resampled.names), k))

    def tally(self, codes: np.ndarray | None = None, k: int = 1) -> Tally:
        """Sums by cluster and group; guess rates only of the questions that were read."""
        read = ~np.isnan(self.right)
        guess = self.rows["guess_rate"].to_numpy()
        values = (np.ones(len(read)), read, np.nan_to_num(self.right), np.where(read, guess, 0.0))
        return Tally(*(self.sums(one, codes, k) for one in values))


def sums_by(
    values: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """A matrix of sums of values (N,) that stand in so many rows and columns (N,)."""
    size = shape[0] * shape[1]
    return np.bincount(rows * shape[1] + columns, values, minlength=size).reshape(shape)


def sheets_of(
    graded: Mapping[str, pl.DataFrame],
    kinds: Mapping[str, str],
    taxonomy: Taxonomy,
    seed: int,
    draws: int = 2000,
) -> list[Sheet]:
    """A sheet a respondent and form, in the order of ``graded``; plain first of the forms.

    ``graded`` holds tables with COLUMNS by model, ``kinds`` what each model is (llm, simulated, ...);
    ``seed`` and ``draws`` are of the bootstrap.
    """
    clusters = [
        pair
        for table in graded.values()
        for pair in table.select("element", "template").unique().iter_rows()
    ]
    resampled = Resampled(clusters, seed, draws)
    put = (table["form"].unique(maintain_order=True) for table in graded.values())
    forms = dict.fromkeys(form for names in put for form in names)
    ordered = sorted(forms, key=lambda form: form != BASELINE)
    sheets = []
    for model, table in graded.items():
        own = table.select(COLUMNS).partition_by("form", as_dict=True)
        found = ((form, own[(form,)]) for form in ordered if (form,) in own)
        sheets += [
            Sheet(model, kinds[model], form, rows, taxonomy, resampled) for form, rows in found
        ]
    return sheets


def calibration_of(rows: pl.DataFrame) -> Calibration:
    """Scores of ``p_options`` against ``key``, where the answer was read.

    Probabilities that add up to less than 1 stay: the rest went to other words than letters, and the
    Brier score counts it as given to nothing. Sums above 1, which come from rounding and from letters
    in several dresses, are scaled to 1; without any probability there is nothing to score. Of equal
    options the first is the top answer.
    """
    total = pl.col("p_options").list.sum()
    known = rows.select(
        pl.col("right").is_not_null() & pl.col("key").is_not_null() & (total > 0).fill_null(False)
    )["right"].to_numpy()
    found = Calibration(*(np.full(len(rows), np.nan) for _ in Calibration._fields))
    if not known.any():
        return found
    told = rows.filter(known)
    p, key = _padded(told["p_options"]), told["key"].to_numpy() - 1
    p = p / np.maximum(p.sum(axis=1, keepdims=True), 1.0)
    found.confidence[known] = p.max(axis=1)
    found.top_right[known] = p.argmax(axis=1) == key
    found.brier[known] = brier_score(p, key)
    found.p_key[known] = p[np.arange(len(key)), key]
    return found


def _padded(lists: pl.Series) -> np.ndarray:
    """(N, K) of lists of at most K numbers, the shorter ones filled with 0."""
    lengths = lists.list.len().to_numpy()
    filled = np.zeros((len(lists), lengths.max()))
    filled[np.arange(lengths.max()) < lengths[:, None]] = lists.explode().to_numpy()
    return filled


def calibration_sums(sheet: Sheet) -> dict[str, np.ndarray]:
    """Sums by cluster: ``known`` (C, 1), ``gaps`` (C, 10) by bin, ``brier`` and ``p_key`` (C, 1)."""
    found = sheet.calibration
    known = ~np.isnan(found.confidence)
    bins = bin_places(np.where(known, found.confidence, 0.0), BINS)
    return {
        "known": sheet.sums(known),
        "gaps": sheet.sums(np.nan_to_num(found.top_right - found.confidence), bins, BINS),
        "brier": sheet.sums(np.nan_to_num(found.brier)),
        "p_key": sheet.sums(np.nan_to_num(found.p_key)),
    }
