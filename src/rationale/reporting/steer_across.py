"""The tables of STEER across respondents and forms: differences, wins, effects of forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from rationale.inference.bootstrap import quotient_interval
from rationale.inference.clustered import clustered_differences
from rationale.inference.multiple import holm_within
from rationale.reporting.steer_sheets import BASELINE, Sheet, sums_by

SIGNIFICANT = 0.05
PARTS_COMPARED = ("setting", "module", "element", "grade")
UNRESOLVED = "not resolved"
_TESTED = dict.fromkeys(("low", "high", "p", "p_holm"), pl.Float64)
DIFFERENCES = {
    **dict.fromkeys(("form", "model_1", "model_2"), pl.String),
    **dict.fromkeys(("put", "questions"), pl.Int64),
    "difference": pl.Float64,
    **_TESTED,
    **dict.fromkeys(("elements", "wins_1", "wins_2", "ties"), pl.Int64),
    "win_share": pl.Float64,
    "verdict": pl.String,
}
EFFECTS = {
    **dict.fromkeys(("model", "respondent", "form", "by", "part"), pl.String),
    **dict.fromkeys(("put", "questions"), pl.Int64),
    **dict.fromkeys(("plain", "accuracy", "effect"), pl.Float64),
    **_TESTED,
    **dict.fromkeys(("p_key_effect", "p_key_low", "p_key_high"), pl.Float64),
    "verdict": pl.String,
}


class _Asked(NamedTuple):
    """The respondents of one form and every question that one of them was put.

    ``put`` is (M, Q), ``right`` alike and NaN where unread. ``by_cluster`` (C, Q) and ``by_element``
    (E, C) hold a 1 where a question is of a cluster, and a cluster of an element.
    """

    put: np.ndarray
    right: np.ndarray
    by_cluster: csr_array
    by_element: csr_array


def differences_table(sheets: Sequence[Sheet]) -> pl.DataFrame:
    """One row a form and pair of respondents, over the ``questions`` read in both of those ``put``.

    ``p`` is of the t that takes the questions of a cluster together (`clustered_p`). Holm adjusts over
    the pairs of one form; pairs with a simulated respondent are a scale and no hypotheses, so they are
    adjusted among themselves. A respondent wins an element when it has more of its common questions
    right; ``win_share`` is the share of elements that the first wins, ties counting half. ``verdict``
    is the better respondent where Holm's p is below 0.05.
    """
    rows: list[dict[str, Any]] = []
    for form in dict.fromkeys(sheet.form for sheet in sheets):
        group = [sheet for sheet in sheets if sheet.form == form]
        if len(group) > 1:
            rows += _pairs(group)
    scale = [(row["form"], row.pop("scale")) for row in rows]
    adjusted = holm_within([row["p"] for row in rows], scale)
    for row, p_holm in zip(rows, adjusted.tolist(), strict=True):
        names = row["model_1"], row["model_2"]
        row |= {"p_holm": p_holm, "verdict": _verdict(row["difference"], p_holm, names)}
    return pl.DataFrame(rows, schema=DIFFERENCES).with_columns(pl.col(pl.Float64).fill_nan(None))


def _verdict(difference: float, p_holm: float, names: tuple[str, str]) -> str:
    """The first name for a difference above 0, the second below; neither if it is not resolved."""
    return names[int(difference < 0)] if p_holm < SIGNIFICANT else UNRESOLVED


def _asked(group: Sequence[Sheet]) -> _Asked:
    """The respondents side by side."""
    questions: dict[str, tuple[int, str]] = {}
    for sheet in group:
        elements = sheet.rows["element"]
        known = zip(sheet.cluster.tolist(), elements, strict=True)
        questions |= dict(zip(sheet.rows["question_id"], known, strict=True))
    place = {question: number for number, question in enumerate(questions)}
    right = np.full((len(group), len(questions)), np.nan)
    put = np.zeros(right.shape, dtype=bool)
    for number, sheet in enumerate(group):
        own = [place[question] for question in sheet.rows["question_id"]]
        right[number, own], put[number, own] = sheet.right, True
    clusters = np.array([cluster for cluster, _ in questions.values()])
    names = group[0].resampled.names
    return _Asked(
        put,
        right,
        _indicator(clusters, len(names)),
        _indicator(np.unique([element for element, _ in names], return_inverse=True)[1]),
    )


def _indicator(codes: np.ndarray, rows: int | None = None) -> csr_array:
    """A 1 in the row that each column's code names."""
    shape = (codes.max() + 1 if rows is None else rows, len(codes))
    return csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), shape=shape)


def _pairs(group: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    """A row a pair, without Holm's p; ``scale`` says whether one of the two is simulated."""
    asked = _asked(group)
    for place, one in enumerate(group[:-1]):
        others = group[place + 1 :]
        columns = _against_others(asked, place, one.resampled.weights)
        for other, numbers in zip(others, zip(*columns.values(), strict=True), strict=True):
            yield {
                "form": one.form,
                "model_1": one.model,
                "model_2": other.model,
                "scale": "simulated" in (one.respondent, other.respondent),
                **dict(zip(columns, numbers, strict=True)),
            }


def _against_others(asked: _Asked, place: int, weights: np.ndarray) -> dict[str, list]:
    """One respondent against those after it: columns of the table, a number a respondent."""
    gaps = (asked.right[place] - asked.right[place + 1 :]).T
    common = ~np.isnan(gaps)
    sums, counts = asked.by_cluster @ np.nan_to_num(gaps), asked.by_cluster @ common.astype(float)
    found = clustered_differences(sums, counts, weights)
    # Both have the same questions of an element, so that more right is a higher accuracy.
    won, elements = asked.by_element @ sums, np.count_nonzero(asked.by_element @ counts, axis=0)
    first, second = np.count_nonzero(won > 0, axis=0), np.count_nonzero(won < 0, axis=0)
    ties = elements - first - second
    with np.errstate(invalid="ignore"):
        share = (first + ties / 2) / elements
    named = {
        "put": np.count_nonzero(asked.put[place] & asked.put[place + 1 :], axis=1),
        "questions": found.units,
        **{name: getattr(found, name) for name in ("difference", "low", "high", "p")},
        **{"elements": elements, "wins_1": first, "wins_2": second, "ties": ties},
        "win_share": share,
    }
    return {name: values.tolist() for name, values in named.items()}


def form_effects_table(sheets: Sequence[Sheet]) -> pl.DataFrame:
    """One row a respondent, form and part: the change from plain on the same questions.

    Over the ``questions`` read in both forms of those ``put`` in both, with the inference of
    `differences_table`; the change in the probability of the right option over those with
    probabilities in both. Families of Holm's: the forms of a respondent for all questions together;
    the settings, and likewise the modules, elements and grades, of a respondent and form for the
    parts. ``verdict`` is better or worse where Holm's p is below 0.05.
    """
    rows: list[dict[str, Any]] = []
    for model in dict.fromkeys(sheet.model for sheet in sheets):
        own = {sheet.form: sheet for sheet in sheets if sheet.model == model}
        base = own.pop(BASELINE, None)
        rows += [row for one in own.values() if base is not None for row in _effects(base, one)]
    families = [
        (row["model"], row["by"], None if row["by"] == "all" else row["form"]) for row in rows
    ]
    adjusted = holm_within([row["p"] for row in rows], families)
    for row, p_holm in zip(rows, adjusted.tolist(), strict=True):
        verdict = _verdict(row["effect"], p_holm, ("better", "worse"))
        row |= {"p_holm": p_holm, "verdict": verdict}
    return pl.DataFrame(rows, schema=EFFECTS).with_columns(pl.col(pl.Float64).fill_nan(None))


class _Common(NamedTuple):
    """Questions put in two forms: parts, clusters and, as (plain, other), what came of them."""

    parts: list[tuple[str, str]]
    codes: list[np.ndarray]
    cluster: np.ndarray
    right: tuple[np.ndarray, np.ndarray]
    p_key: tuple[np.ndarray, np.ndarray]


def _effects(base: Sheet, one: Sheet) -> Iterator[dict[str, Any]]:
    """Rows without Holm's p: all questions, then PARTS_COMPARED put in both forms."""
    common = _common(base, one)
    sums, counts, plain, other = _changes(common, common.right, base)
    found = clustered_differences(sums, counts, base.resampled.weights)
    sums, counts, *_ = _changes(common, common.p_key, base)
    p_key = quotient_interval(sums, counts, base.resampled.weights)
    with np.errstate(invalid="ignore"):
        columns = {
            "put": np.bincount(np.concatenate(common.codes), minlength=len(common.parts)),
            "questions": found.units,
            **{"plain": plain / found.units, "accuracy": other / found.units},
            "effect": found.difference,
            **{name: getattr(found, name) for name in ("low", "high", "p")},
            **dict(zip(("p_key_effect", "p_key_low", "p_key_high"), p_key, strict=True)),
        }
    numbers = zip(*(values.tolist() for values in columns.values()), strict=True)
    for (by, part), row in zip(common.parts, numbers, strict=True):
        yield {
            **{"model": one.model, "respondent": one.respondent, "form": one.form},
            **{"by": by, "part": part},
            **dict(zip(columns, row, strict=True)),
        }


def _common(base: Sheet, one: Sheet) -> _Common:
    ids = (sheet.rows["question_id"].to_numpy() for sheet in (base, one))
    _, first, second = np.intersect1d(*ids, return_indices=True)
    parts, codes = [("all", "all")], [np.zeros(len(first), dtype=np.int64)]
    for by in PARTS_COMPARED:
        every = base.parts(by)
        own = base.codes(by, every)[first]
        put = np.unique(own)
        codes.append(np.searchsorted(put, own) + len(parts))
        parts += [(by, str(every[place])) for place in put]
    return _Common(
        parts,
        codes,
        base.cluster[first],
        (base.right[first], one.right[second]),
        (base.calibration.p_key[first], one.calibration.p_key[second]),
    )


def _changes(
    common: _Common, values: tuple[np.ndarray, np.ndarray], base: Sheet
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sums by cluster and part (C, K) of changes, counts alike, and sums in each form (K,)."""
    plain, other = values
    known = ~np.isnan(plain + other)
    shape = (len(base.resampled.names), len(common.parts))

    def total(array: np.ndarray) -> np.ndarray:
        array = np.where(known, array, 0.0)
        return sum(sums_by(array, common.cluster, codes, shape) for codes in common.codes)

    sums, counts = total(other - plain), total(np.ones(len(known)))
    return sums, counts, total(plain).sum(axis=0), total(other).sum(axis=0)
