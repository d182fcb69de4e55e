"""The tables of STEER a respondent and form at a time: scores overall, of parts and of elements.

Every question weighs the same within a group. Intervals resample clusters (`steer_sheets`). A score at
an end of its range in every draw has Wilson's interval with the clusters as trials, as in
`ratio_interval`; for normalised accuracy that of the accuracy is mapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rationale.inference.bootstrap import (
    Estimate,
    drawn_interval,
    drawn_sums,
    ratio_interval,
    shifted_interval,
    wilson_at_ends,
)
from rationale.reporting.steer_sheets import Sheet, Tally, calibration_sums
from rationale.scoring import dependency_gaps, normalised_interval, printed_accuracy

UNREAD = {"refused": "refused", "invalid": "invalid", "truncated": "truncated", "missing": "error"}
GROUPINGS = ("setting", "module", "domain", "grade")
_NONE = Estimate(np.nan, np.nan, np.nan)


def _typed(*names: str, kind: type[pl.DataType] = pl.Float64) -> dict[str, type[pl.DataType]]:
    return dict.fromkeys(names, kind)


def _bounded(*names: str) -> dict[str, type[pl.DataType]]:
    return _typed(*(f"{name}{end}" for name in names for end in ("", "_low", "_high")))


_WHOSE = _typed("model", "respondent", "form", kind=pl.String)
_COUNTED = _typed("questions", "answered", kind=pl.Int64)
SCORES = {
    **_WHOSE,
    **_COUNTED,
    **_bounded("accuracy"),
    **_typed("accuracy_worst", "accuracy_best", "guess_rate"),
    **_bounded("normalised", "normalised_elements"),
    **_typed("printed"),
    **_typed("calibrated", kind=pl.Int64),
    **_bounded("ece", "brier", "p_key"),
    **_typed("worst_domain", kind=pl.String),
    **_bounded("worst_accuracy", "dependency"),
    **_typed("dependency_chance"),
    **_bounded("unread"),
    **_typed(*UNREAD),
    **_typed("shortened", kind=pl.Int64),
}
PARTS = {
    **_WHOSE,
    **_typed("by", "part", kind=pl.String),
    **_COUNTED,
    **_bounded("accuracy"),
    **_typed("guess_rate"),
    **_bounded("normalised"),
    **_typed("unread"),
}
ELEMENTS = {
    **_WHOSE,
    **_typed("setting", "module", "element", kind=pl.String),
    **_COUNTED,
    **_bounded("accuracy"),
    **_typed("guess_rate"),
    **_bounded("normalised"),
    **_typed("worst_domain", kind=pl.String),
    **_typed("worst_accuracy", "worst_normalised"),
    **_typed("worst_answered", kind=pl.Int64),
    **_bounded("dependency"),
    **_typed("dependency_chance", "unread"),
}


class Dependency(NamedTuple):
    """Dependency robustness of each element put (E,), and its mean over those that have one.

    The chances are what noise alone gives on average, were all elements equally far above guessing.
    """

    elements: Estimate
    elements_chance: np.ndarray
    overall: Estimate
    overall_chance: float


def scores_table(sheets: Sequence[Sheet]) -> pl.DataFrame:
    """One row a respondent and form, in the columns of SCORES.

    ``accuracy_worst`` and ``accuracy_best`` are of all questions put, with those unread all wrong and
    all right. ``normalised_elements`` is the mean over elements with an answer read of their
    normalised accuracy. ``printed`` is the study's own normalisation, empty where guessing is never
    right. ECE, Brier score and p_key (probability of the right option) are of the ``calibrated``
    answers only. ``worst_accuracy`` is the smallest over domains that hold at least half as many
    elements as the domain with the most, ``dependency`` the mean over elements of which a
    prerequisite was read, and ``dependency_chance`` what it would be on average by noise alone. The
    smallest of noisy numbers, positive parts and gaps in calibration err to one side; their intervals
    make up for it (`shifted_interval`), their estimates do not.
    """
    return _table([_scores(sheet) for sheet in sheets], SCORES)


def parts_table(sheets: Sequence[Sheet]) -> pl.DataFrame:
    """One row a respondent, form and part of the questions: setting, module, domain or grade."""
    return _stacked([{**_whose(one), **_part_columns(one)} for one in sheets], PARTS)


def elements_table(sheets: Sequence[Sheet]) -> pl.DataFrame:
    """One row a respondent, form and element.

    ``worst_normalised`` is the smallest normalised accuracy over domains, which need not be that of
    ``worst_domain``, where accuracy is smallest. Domains without an answer read are left out;
    ``worst_answered`` counts the answers read in ``worst_domain``.
    """
    return _stacked([{**_whose(one), **_element_columns(one)} for one in sheets], ELEMENTS)


def _table(rows: list[dict[str, Any]], schema: dict[str, Any]) -> pl.DataFrame:
    """Rows as a table; what is not a number is missing."""
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col(pl.Float64).fill_nan(None))


def _stacked(columns: list[dict[str, Any]], schema: dict[str, Any]) -> pl.DataFrame:
    """Tables in columns, one below the other; a single value stands for a whole column."""
    parts = []
    for one in columns:
        arrays = {name: value for name, value in one.items() if not isinstance(value, str)}
        names = [pl.lit(value).alias(name) for name, value in one.items() if isinstance(value, str)]
        found = pl.DataFrame(arrays).with_columns(names)
        parts.append(found.select(pl.col(name).cast(kind) for name, kind in schema.items()))
    table = pl.concat([pl.DataFrame(schema=schema), *parts])
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def _whose(sheet: Sheet) -> dict[str, str]:
    return {"model": sheet.model, "respondent": sheet.respondent, "form": sheet.form}


def _named(name: str, found: Estimate) -> dict[str, Any]:
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}


def _quotient(top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
    """Quotients with NaN where there is nothing to divide by."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _accuracy(tally: Tally, weights: np.ndarray) -> dict[str, Any]:
    """Counts, accuracy, guess rate, normalised accuracy and share unread of each group (k,)."""
    put, read, _, guess = (part.sum(axis=0) for part in tally)
    accuracy, rate = ratio_interval(tally.right, tally.read, weights), _quotient(guess, read)
    normalised = normalised_interval(accuracy, tally.right, tally.read, tally.guess, weights)
    return {
        "questions": put.astype(np.int64),
        "answered": read.astype(np.int64),
        **_named("accuracy", accuracy),
        "guess_rate": rate,
        **_named("normalised", normalised),
        "unread": _quotient(put - read, put),
    }


def _scores(sheet: Sheet) -> dict[str, Any]:
    weights, tally, status = sheet.resampled.weights, sheet.tally(), sheet.rows["status"]
    found, dependency = _only(_accuracy(tally, weights)), _dependency(sheet)
    put, read, right = (part.sum() for part in tally[:3])
    short = (sheet.rows["shots"] < sheet.rows["wanted"]).sum()
    return {
        **_whose(sheet),
        **found,
        "accuracy_worst": right / put,
        "accuracy_best": (right + put - read) / put,
        **_only(_named("normalised_elements", _mean_over_elements(sheet))),
        "printed": _printed(found["accuracy"], found["guess_rate"]),
        **_calibration(sheet),
        **_worst(sheet),
        **_only(_named("dependency", dependency.overall)),
        "dependency_chance": dependency.overall_chance,
        **_only(_named("unread", ratio_interval(tally.put - tally.read, tally.put, weights))),
        **{name: (status == value).mean() for name, value in UNREAD.items()},
        "shortened": int(short),
    }


def _mean_over_elements(sheet: Sheet) -> Estimate:
    """The mean over elements of normalised accuracy, of those with an answer read.

    The elements are fixed: that they differ is no spread. Where every answer is right, or none, all
    elements have the interval of the accuracy, each mapped by its own guess rate.
    """
    elements, weights = sheet.parts("element"), sheet.resampled.weights
    tally = sheet.tally(sheet.codes("element", elements), len(elements))
    above, room = tally.right - tally.guess, tally.read - tally.guess
    values = _quotient(above.sum(axis=0), room.sum(axis=0))[:, None]
    drawn = _quotient(drawn_sums(above, weights), drawn_sums(room, weights))
    right, read = (part.sum(axis=1, keepdims=True) for part in (tally.right, tally.read))
    clusters = np.count_nonzero(read, axis=0)
    accuracy = ratio_interval(right, read, weights)
    if accuracy.estimate[0] in (0, 1):
        rate = _quotient(tally.guess.sum(axis=0), tally.read.sum(axis=0))[:, None]
        return Estimate(*(_means((bound - rate) / (1 - rate))[0] for bound in accuracy))
    return drawn_interval(_means(values)[0], _means(drawn), clusters)


def _only(columns: dict[str, Any]) -> dict[str, Any]:
    """The single group's numbers."""
    return {name: np.asarray(values).ravel()[0].item() for name, values in columns.items()}


def _printed(accuracy: float, rate: float) -> float:
    return float(printed_accuracy(accuracy, rate)) if rate > 0 else np.nan


def _calibration(sheet: Sheet) -> dict[str, Any]:
    sums, weights = calibration_sums(sheet), sheet.resampled.weights
    known = sums["known"]
    # The Brier score ends at 2: halves of it are shares.
    half = ratio_interval(np.minimum(sums["brier"] / 2, known), known, weights)
    return {
        "calibrated": int(known.sum()),
        **_only(_named("ece", _calibration_error(sums["gaps"], known, weights))),
        **_only(_named("brier", Estimate(*(2 * np.asarray(part) for part in half)))),
        **_only(_named("p_key", ratio_interval(np.minimum(sums["p_key"], known), known, weights))),
    }


def _calibration_error(gaps: np.ndarray, known: np.ndarray, weights: np.ndarray) -> Estimate:
    """`calibration_error` from sums by cluster of gaps (C, bins), computed anew in each draw."""
    estimate = _quotient(np.abs(gaps.sum(axis=0)).sum(keepdims=True), known.sum(axis=0))
    drawn = np.abs(drawn_sums(gaps, weights)).sum(axis=0, keepdims=True)
    return _at_ends(estimate, _quotient(drawn, drawn_sums(known, weights)), (known > 0).sum(axis=0))


def _at_ends(estimate: np.ndarray, drawn: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The interval that draws (1, draws) of a share give; Wilson's where all are 0, or all 1."""
    found = shifted_interval(estimate, drawn, clusters, (0.0, 1.0))
    return found if (found.low < found.high).all() else wilson_at_ends(found, clusters)


def _worst(sheet: Sheet) -> dict[str, Any]:
    """The domain with the smallest accuracy, of equals the first by name; the smallest in each draw."""
    domains, weights = sorted(sheet.parts("domain")), sheet.resampled.weights
    tally = sheet.tally(sheet.codes("domain", domains), len(domains))
    # A domain that is left out has nothing read.
    wide = np.isin(domains, _wide_domains(sheet.rows))
    right, read = tally.right * wide, tally.read * wide
    accuracy = _quotient(right.sum(axis=0), read.sum(axis=0))
    if np.isnan(accuracy).all():
        return {"worst_domain": None, **_only(_named("worst_accuracy", _NONE))}
    worst = np.nanargmin(accuracy)
    drawn = _quotient(drawn_sums(right, weights), drawn_sums(read, weights))
    clusters = np.count_nonzero(read[:, [worst]], axis=0)
    found = _at_ends(accuracy[[worst]], np.fmin.reduce(drawn, axis=0)[None], clusters)
    return {"worst_domain": domains[worst], **_only(_named("worst_accuracy", found))}


def _wide_domains(rows: pl.DataFrame) -> list[str]:
    """Domains with at least half as many elements as the domain that has the most.

    A domain of one element among sixty would tell of the element.
    """
    elements = rows.group_by("domain").agg(pl.col("element").n_unique())
    return elements.filter(2 * pl.col("element") >= pl.col("element").max())["domain"].to_list()


def _dependency(sheet: Sheet) -> Dependency:
    elements, weights = sheet.parts("element"), sheet.resampled.weights
    tally = sheet.tally(sheet.codes("element", elements), len(elements))
    needed = [sheet.taxonomy.prerequisites(element) for element in elements]
    builds_on = np.array([[one in known for one in elements] for known in needed])
    right, read = tally.right - tally.guess, tally.read
    gaps = _quotient(right.sum(axis=0), read.sum(axis=0))[:, None]
    estimate = dependency_gaps(gaps, builds_on)
    drawn = dependency_gaps(
        _quotient(drawn_sums(right, weights), drawn_sums(read, weights)), builds_on
    )
    clusters = np.count_nonzero(read, axis=0)
    normals = sheet.resampled.normals(len(elements))
    noise = dependency_gaps(_gap_errors(right, read, gaps)[:, None] * normals, builds_on)
    chance = _means_of_rows(noise)
    found = shifted_interval(estimate[:, 0], drawn, clusters, (0.0, np.inf))
    found = _no_less_than_noise(found, noise)
    told = ~np.isnan(estimate[:, 0])
    if not told.any():
        return Dependency(found, chance, _NONE, np.nan)
    mean, means = estimate[told].mean(axis=0), _means(drawn[told])
    overall = shifted_interval(mean, means, clusters.sum(keepdims=True), (0.0, np.inf))
    noises = _means(noise[told])
    overall = _no_less_than_noise(overall, noises)
    return Dependency(found, chance, overall, _means_of_rows(noises)[0])


def _gap_errors(right: np.ndarray, read: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """(E,) standard errors of the elements' gaps (E, 1), from sums by cluster (C, E).

    The variance of a cluster's residual is pooled over elements: most have few clusters, some one.
    """
    clusters = np.count_nonzero(read, axis=0)
    residuals = np.where(read > 0, right - np.nan_to_num(gaps).T * read, 0.0)
    pooled = _quotient((residuals**2).sum(), np.maximum(clusters - 1, 0).sum())
    return _quotient(np.sqrt(pooled * clusters), read.sum(axis=0))


def _no_less_than_noise(found: Estimate, noise: np.ndarray) -> Estimate:
    """The interval with its lower end no higher than the estimate less what noise may add.

    A positive part of a sum is at most the sum of the positive parts: an estimate exceeds what it
    estimates by no more than it would if all gaps were noise (k, draws). Its 97.5 % quantile thus
    leaves a lower bound that holds wherever the true gaps lie.
    """
    told = ~np.isnan(noise).all(axis=1)
    most = np.full(len(noise), np.nan)
    most[told] = np.quantile(noise[told], 0.975, axis=1)
    # Without a second story of any element nothing is known of the noise, and 0 is the bound.
    bound = np.nan_to_num(np.maximum(found.estimate - most, 0.0))
    return Estimate(found.estimate, np.minimum(found.low, bound), found.high)


def _means_of_rows(values: np.ndarray) -> np.ndarray:
    """(k,) means over the draws that have a value."""
    known = np.count_nonzero(~np.isnan(values), axis=1)
    return _quotient(np.nansum(values, axis=1), known)


def _means(values: np.ndarray) -> np.ndarray:
    """(1, draws) means over the elements that a draw has."""
    known = np.count_nonzero(~np.isnan(values), axis=0)
    return _quotient(np.nansum(values, axis=0), known)[None]


def _part_columns(sheet: Sheet) -> dict[str, Any]:
    parts = {by: sheet.parts(by) for by in GROUPINGS}
    tallies = [sheet.tally(sheet.codes(by, own), len(own)) for by, own in parts.items()]
    side_by_side = Tally(*(np.hstack(sums) for sums in zip(*tallies, strict=True)))
    return {
        "by": [by for by, own in parts.items() for _ in own],
        "part": [str(part) for own in parts.values() for part in own],
        **_accuracy(side_by_side, sheet.resampled.weights),
    }


def _element_columns(sheet: Sheet) -> dict[str, Any]:
    elements = sheet.parts("element")
    known = [sheet.taxonomy.elements[element] for element in elements]
    tally = sheet.tally(sheet.codes("element", elements), len(elements))
    dependency = _dependency(sheet)
    return {
        "setting": [element.setting for element in known],
        "module": [element.module for element in known],
        "element": elements,
        **_accuracy(tally, sheet.resampled.weights),
        **_worst_of_elements(sheet, elements),
        **_named("dependency", dependency.elements),
        "dependency_chance": dependency.elements_chance,
    }


def _worst_of_elements(sheet: Sheet, elements: list) -> dict[str, Any]:
    """Each element's domain with the smallest accuracy, and the smallest normalised accuracy.

    Of domains with equal accuracy it is the one with the smaller normalised accuracy.
    """
    domains = sorted(sheet.parts("domain"))
    shape = (len(elements), len(domains))
    codes = sheet.codes("element", elements) * shape[1] + sheet.codes("domain", domains)
    parts = sheet.tally(codes, shape[0] * shape[1])
    _, read, right, guess = (part.sum(axis=0).reshape(shape) for part in parts)
    accuracy, normalised = _quotient(right, read), _quotient(right - guess, read - guess)
    # An element without an answer has no worst domain; infinity stands where nothing was read.
    lowest = np.where(np.isnan(accuracy), np.inf, accuracy)
    equal = lowest == lowest.min(axis=1, keepdims=True)
    worst = np.where(equal, np.nan_to_num(normalised, nan=1.0), np.inf).argmin(axis=1)
    names = [
        domains[place] if np.isfinite(lowest[row, place]) else None
        for row, place in enumerate(worst)
    ]
    answered = read[np.arange(len(worst)), worst].astype(np.int64)
    return {
        "worst_domain": pl.Series(names, dtype=pl.String),
        "worst_accuracy": np.fmin.reduce(accuracy, axis=1),
        "worst_normalised": np.fmin.reduce(normalised, axis=1),
        "worst_answered": answered,
    }
