"""The tables of MoralChoice over all models: differences, agreement, scenarios, decodings."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rationale.beliefs.agreement import cluster, correlations, strong_agreement, unfavourable
from rationale.beliefs.effects import prefers
from rationale.beliefs.likelihoods import CERTAIN, CONSISTENT, random_choice_point
from rationale.inference import holm
from rationale.inference.bootstrap import PairedDifference, mean_interval, paired_differences
from rationale.reporting.moralchoice import AMBIGUITIES, STUDY, Beliefs, Resampled
from rationale.surveys.moralchoice.tables import disagreements

COMPARED = ("p_action1", "strength", "entropy", "qf_e", "qf_c", "order_effect")
DIFFERENCES = {
    "ambiguity": pl.String,
    "measure": pl.String,
    "model_1": pl.String,
    "model_2": pl.String,
    "scenarios": pl.Int64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
}


class Agreement(NamedTuple):
    """Pearson correlations of marginal likelihoods in high ambiguity, and who was left out."""

    models: list[str]
    correlations: np.ndarray
    order: list[int]
    linkage: np.ndarray | None
    left_out: list[tuple[str, str]]

    def as_json(self) -> dict[str, Any]:
        """Lists and numbers; a correlation that is undefined is null."""
        r = [
            [None if np.isnan(value) else float(value) for value in row]
            for row in self.correlations
        ]
        linkage = None if self.linkage is None else self.linkage.tolist()
        return {**self._asdict(), "correlations": r, "linkage": linkage}


def differences_table(beliefs: Sequence[Beliefs], resampled: Resampled) -> pl.DataFrame:
    """One row a pair of respondents, ambiguity and measure.

    Holm adjusts over the pairs of one measure and ambiguity; pairs with a simulated respondent are a
    scale and no hypotheses, so they are adjusted among themselves.
    """
    rows: list[dict[str, Any]] = []
    for ambiguity in AMBIGUITIES:
        group = _of(beliefs, ambiguity)
        if len(group) < 2:
            continue
        weights = resampled.weights(ambiguity, len(group[0].scenarios))
        for measure in COMPARED:
            found = paired_differences(np.array([one.measures[measure] for one in group]), weights)
            adjusted = _adjusted(found, [one.respondent == "simulated" for one in group])
            for pair, p_holm in zip(found, adjusted, strict=True):
                rows.append(_difference(ambiguity, measure, group, pair, p_holm))
    return pl.DataFrame(rows, schema=DIFFERENCES).with_columns(pl.col(pl.Float64).fill_nan(None))


def _adjusted(pairs: Sequence[PairedDifference], simulated: Sequence[bool]) -> np.ndarray:
    """Holm's p within the pairs of models, and within those with a simulated respondent."""
    p = np.array([pair.p for pair in pairs])
    scale = np.array([simulated[pair.first] or simulated[pair.second] for pair in pairs])
    adjusted = np.full(len(p), np.nan)
    for family in (scale, ~scale):
        if family.any():
            adjusted[family] = holm(p[family])
    return adjusted


def _difference(
    ambiguity: str, measure: str, group: Sequence[Beliefs], pair: PairedDifference, p_holm: float
) -> dict[str, Any]:
    return {
        "ambiguity": ambiguity,
        "measure": measure,
        "model_1": group[pair.first].model,
        "model_2": group[pair.second].model,
        "scenarios": pair.common,
        "difference": pair.difference,
        "low": pair.low,
        "high": pair.high,
        "p": pair.p,
        "p_holm": p_holm,
    }


def _of(beliefs: Sequence[Beliefs], ambiguity: str) -> list[Beliefs]:
    """The respondents that answered in this ambiguity, under the study's own parameters."""
    return [
        one
        for one in beliefs
        if one.ambiguity == ambiguity and one.decoding == STUDY and one.asked.any()
    ]


def agreement(beliefs: Sequence[Beliefs], table: pl.DataFrame) -> Agreement:
    """Correlations between models that are certain and consistent in high ambiguity.

    ``table`` is `beliefs_table`'s. Others are left out with the reason.
    """
    fit, left_out = [], []
    for one in (one for one in beliefs if (one.ambiguity, one.decoding) == ("high", STUDY)):
        row = table.row(
            by_predicate=(pl.col("model") == one.model)
            & (pl.col("ambiguity") == "high")
            & (pl.col("decoding") == STUDY),
            named=True,
        )
        if row["certain_and_consistent"]:
            fit.append(one)
        else:
            left_out.append((one.model, _why(row)))
    if not fit:
        return Agreement([], np.empty((0, 0)), [], None, left_out)
    r = correlations(np.array([one.measures["p_action1"] for one in fit]))
    tree = cluster(r)
    if tree is None:
        models = [one.model for one in fit]
        return Agreement(models, r, list(range(len(models))), None, left_out)
    kept = list(tree.models)
    left_out += [
        (one.model, "no correlation: the same likelihood everywhere, or too few common scenarios")
        for place, one in enumerate(fit)
        if place not in kept
    ]
    models = [fit[place].model for place in kept]
    return Agreement(
        models,
        r[np.ix_(kept, kept)],
        [kept.index(row) for row in tree.order],
        tree.linkage,
        left_out,
    )


def _why(row: Mapping[str, Any]) -> str:
    if row["qf_e"] is None:
        return "no answers"
    if row["qf_c"] < CONSISTENT:
        return "inconsistent" if row["qf_e"] <= CERTAIN else "inconsistent and uncertain"
    return "uncertain"


def correlations_table(found: Agreement) -> pl.DataFrame:
    """One row a pair of models of `agreement`."""
    pairs = itertools.combinations(range(len(found.models)), 2)
    rows = [
        {
            "model_1": found.models[i],
            "model_2": found.models[j],
            "r": float(found.correlations[i, j]),
        }
        for i, j in pairs
    ]
    schema = {"model_1": pl.String, "model_2": pl.String, "r": pl.Float64}
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col("r").fill_nan(None))


def scenarios_table(beliefs: Sequence[Beliefs], scenarios: pl.DataFrame) -> pl.DataFrame:
    """One row a scenario: how many models prefer which action, and what stands out.

    ``unfavourable``: low ambiguity, and at least a quarter of the models prefer action 2 (p >= 0.75).
    ``agreed``: every model prefers the same action. Models are those with an answer; simulated
    respondents count only where there are no others.
    """
    parts = []
    for ambiguity in AMBIGUITIES:
        part = scenarios.filter(pl.col("ambiguity") == ambiguity)
        everyone = _of(beliefs, ambiguity)
        group = [one for one in everyone if one.respondent != "simulated"] or everyone
        if not len(part):
            continue
        p = np.array([one.measures["p_action1"] for one in group]).reshape(len(group), len(part))
        parts.append(_scenario_rows(part, p, ambiguity))
    return pl.concat(parts)


def _scenario_rows(part: pl.DataFrame, p: np.ndarray, ambiguity: str) -> pl.DataFrame:
    sides = prefers(p)
    known = ~np.isnan(p)
    share, mask = unfavourable(p)
    action, agreed = strong_agreement(p)
    count = known.sum(axis=0)
    mean = np.where(known, p, 0).sum(axis=0) / np.maximum(count, 1)
    return part.select("scenario_id", "ambiguity", "generation_rule").with_columns(
        models=pl.Series(count.astype(np.int64)),
        p_action1=pl.Series(np.where(count > 0, mean, np.nan)).fill_nan(None),
        prefer_action1=pl.Series((sides == 1).sum(axis=0).astype(np.int64)),
        prefer_action2=pl.Series((sides == -1).sum(axis=0).astype(np.int64)),
        share_action2=pl.Series(np.asarray(share, dtype=float)).fill_nan(None),
        unfavourable=pl.Series(np.asarray(mask, dtype=bool) & (ambiguity == "low")),
        agreed=pl.Series(np.asarray(agreed, dtype=bool)),
        agreed_action=pl.Series(np.where(action == -1, 2, action)).replace(0, None),
        context=part["context"],
        action1=part["action1"],
        action2=part["action2"],
    )


def decodings_table(
    beliefs: Sequence[Beliefs], table: pl.DataFrame, resampled: Resampled
) -> pl.DataFrame:
    """One row a respondent, ambiguity and decoding: its measures, and the change from the study's.

    Changes are paired by scenario.
    """
    by_name = {(one.model, one.ambiguity, one.decoding): one for one in beliefs}
    changes = []
    for row in table.iter_rows(named=True):
        own = by_name[row["model"], row["ambiguity"], row["decoding"]]
        base = by_name.get((row["model"], row["ambiguity"], STUDY))
        changes.append(_changes(own, base, resampled))
    return pl.concat(
        [table, pl.DataFrame(changes, infer_schema_length=None)], how="horizontal"
    ).with_columns(pl.col(pl.Float64).fill_nan(None))


def _changes(own: Beliefs, base: Beliefs | None, resampled: Resampled) -> dict[str, float]:
    weights = resampled.weights(own.ambiguity, len(own.scenarios))
    row: dict[str, float] = {}
    for name in COMPARED:
        values = own.measures[name]
        gap = values - (values * np.nan if base is None else base.measures[name])
        found = mean_interval(gap, weights)
        row |= {
            f"{name}_change": float(found.estimate),
            f"{name}_change_low": float(found.low),
            f"{name}_change_high": float(found.high),
        }
    return row


def disagreements_table(
    readings: Mapping[str, pl.DataFrame], scenarios: pl.DataFrame
) -> pl.DataFrame:
    """One row a recorded reply that its file reads otherwise than we do."""
    parts = [
        disagreements(table).select(
            pl.lit(model).alias("model"),
            *("scenario_id", "form", "order", "sample", "text"),
            *("our_decision", "step", "recorded_decision"),
        )
        for model, table in readings.items()
    ]
    actions = scenarios.select("scenario_id", "action1", "action2")
    return pl.concat(parts).join(actions, on="scenario_id", how="left", maintain_order="left")


def random_choice(
    beliefs: Sequence[Beliefs], samples: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """Where a respondent that flips a coin stands in each ambiguity: (QF-E, QF-C), as expected."""
    points = {}
    for ambiguity in AMBIGUITIES:
        group = _of(beliefs, ambiguity)
        if group:
            forms = max(len(one.template) for one in group)
            qf = random_choice_point([samples[ambiguity]] * forms)
            points[ambiguity] = (float(qf[0]), float(qf[1]))
    return points
