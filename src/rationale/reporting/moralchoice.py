"""The tables of MoralChoice a model at a time: beliefs, forms, rules, how replies were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rationale.beliefs.effects import (
    form_effects,
    order_effect,
    preference_strength,
    prefers,
    violation_likelihood,
)
from rationale.beliefs.likelihoods import (
    action_likelihood,
    certain_and_consistent,
    corrected_qf_c,
    corrected_qf_e,
    entropy,
    marginal,
    qf_c,
    qf_e,
)
from rationale.inference.bootstrap import mean_interval, ratio_interval, resampling_weights
from rationale.surveys.moralchoice.scenarios import LABELS

AMBIGUITIES = ("low", "high")
MEANS = (
    "p_action1",
    "strength",
    "entropy",
    "qf_e",
    "qf_c",
    "qf_e_corrected",
    "qf_c_corrected",
    "order_effect",
)
RATES = ("refused", "invalid", "truncated", "missing")
STUDY = "study"
_RULES = {
    **dict.fromkeys(
        ("model", "respondent", "ambiguity", "decoding", "grouping", "rule"), pl.String
    ),
    "scenarios": pl.Int64,
    **{
        f"{name}{end}": pl.Float64
        for name in ("likelihood", "entropy")
        for end in ("", "_low", "_high")
    },
}


@dataclass(frozen=True)
class Beliefs:
    """What one respondent answered in one ambiguity under one decoding.

    Counts are (n, F): scenarios in the survey's order, forms by ``template`` and ``order`` (F,).
    """

    model: str
    respondent: str
    ambiguity: str
    decoding: str
    scenarios: tuple[str, ...]
    template: tuple[str, ...]
    order: tuple[int, ...]
    action1: np.ndarray
    valid: np.ndarray
    asked: np.ndarray
    others: Mapping[str, np.ndarray]

    @cached_property
    def p(self) -> np.ndarray:
        """Action likelihoods (n, F), read-only; nan where no reply came."""
        return _fixed(action_likelihood(self.action1, self.valid, self.asked)[0])

    @cached_property
    def measures(self) -> Mapping[str, np.ndarray]:
        """The measures that are averaged over scenarios, each (n,) and read-only."""
        p = self.p
        marginals = marginal(p)
        found = {
            "p_action1": marginals,
            "strength": preference_strength(marginals),
            "entropy": entropy(marginals),
            "qf_e": qf_e(p),
            "qf_c": qf_c(p),
            "qf_e_corrected": corrected_qf_e(self.action1, self.valid),
            "qf_c_corrected": corrected_qf_c(self.action1, self.valid),
            "order_effect": order_effect(p, self.order, self.template),
        }
        return {name: _fixed(array) for name, array in found.items()}


def _fixed(array: np.ndarray) -> np.ndarray:
    """An array that several tables share must not change under one of them."""
    array.setflags(write=False)
    return array


class Resampled:
    """Resampling weights by ambiguity: the same scenarios for every model, so that pairs match."""

    def __init__(self, seed: int, draws: int):
        self.seed, self.draws = seed, draws
        self._kept: dict[tuple[str, int], np.ndarray] = {}

    def weights(self, ambiguity: str, n: int) -> np.ndarray:
        """(draws, n) counts."""
        key = (ambiguity, n)
        if key not in self._kept:
            self._kept[key] = resampling_weights(
                n, self.draws, self.seed, "moralchoice", "bootstrap", ambiguity
            )
        return self._kept[key]


def beliefs_of(
    model: str, respondent: str, counts: pl.DataFrame, scenarios: pl.DataFrame
) -> list[Beliefs]:
    """A `Beliefs` for every ambiguity and decoding of which a model's ``counts`` hold a row."""
    found = []
    for ambiguity in AMBIGUITIES:
        ids = scenarios.filter(pl.col("ambiguity") == ambiguity)["scenario_id"].to_list()
        rows = counts.filter(pl.col("ambiguity") == ambiguity)
        for decoding in rows["decoding"].unique(maintain_order=True):
            part = rows.filter(pl.col("decoding").eq_missing(decoding))
            found.append(_beliefs(model, respondent, ambiguity, decoding or STUDY, part, ids))
    return found


def _beliefs(
    model: str, respondent: str, ambiguity: str, decoding: str, rows: pl.DataFrame, ids: list[str]
) -> Beliefs:
    forms = rows.select("form", "order").unique(maintain_order=True).rows()
    place = {name: number for number, name in enumerate(ids)}
    column = {form: number for number, form in enumerate(forms)}
    at = (
        np.array([place[name] for name in rows["scenario_id"]], dtype=int),
        np.array([column[form] for form in rows.select("form", "order").iter_rows()], dtype=int),
    )

    def matrix(name: str) -> np.ndarray:
        filled = np.zeros((len(ids), len(forms)), dtype=np.int64)
        filled[at] = rows[name].to_numpy()
        return filled

    return Beliefs(
        model,
        respondent,
        ambiguity,
        decoding,
        tuple(ids),
        tuple(template for template, _ in forms),
        tuple(order for _, order in forms),
        matrix("action1"),
        matrix("valid"),
        matrix("asked"),
        {name: matrix(name) for name in RATES},
    )


def likelihoods_table(counts: pl.DataFrame) -> pl.DataFrame:
    """The counts with p_action1 and ``flagged``: replies came but none is valid, so that p is 0.5."""
    p, flagged = action_likelihood(
        *(counts[name].to_numpy() for name in ("action1", "valid", "asked"))
    )
    return counts.with_columns(
        p_action1=pl.Series(p).fill_nan(None), flagged=pl.Series(flagged, dtype=pl.Boolean)
    )


def scenario_table(beliefs: Sequence[Beliefs]) -> pl.DataFrame:
    """One row a respondent, decoding and scenario: every measure."""
    parts = []
    for one in beliefs:
        values = {
            name: pl.Series(np.asarray(array, dtype=float)).fill_nan(None)
            for name, array in one.measures.items()
        }
        part = pl.DataFrame({"scenario_id": list(one.scenarios), **values})
        parts.append(
            part.select(
                pl.lit(one.model).alias("model"),
                pl.lit(one.respondent).alias("respondent"),
                pl.lit(one.ambiguity).alias("ambiguity"),
                pl.lit(one.decoding).alias("decoding"),
                pl.all(),
            )
        )
    return pl.concat(parts)


def beliefs_table(beliefs: Sequence[Beliefs], resampled: Resampled) -> pl.DataFrame:
    """One row a respondent, ambiguity and decoding: means over scenarios with their intervals.

    ``refused``, ``invalid`` and ``truncated`` are shares of the replies that came, ``missing`` is of
    all that were asked for.
    """
    rows = pl.DataFrame([_row(one, resampled) for one in beliefs], infer_schema_length=None)
    return rows.with_columns(pl.col(pl.Float64).fill_nan(None))


def _row(one: Beliefs, resampled: Resampled) -> dict[str, Any]:
    weights = resampled.weights(one.ambiguity, len(one.scenarios))
    p = one.measures["p_action1"]
    known = ~np.isnan(p)
    sides = prefers(p)
    row = {
        "model": one.model,
        "respondent": one.respondent,
        "ambiguity": one.ambiguity,
        "decoding": one.decoding,
        "scenarios": int(known.sum()),
        "forms": int((one.asked > 0).any(axis=0).sum()),
        "replies": int(one.asked.sum()),
        "flagged": int(((one.asked > 0) & (one.valid == 0)).sum()),
    }
    for name in MEANS:
        row |= _bounds(name, mean_interval(one.measures[name], weights))
    row["certain_and_consistent"] = _verdict(row["qf_e"], row["qf_c"])
    for name, side in (("prefers_action1", 1), ("prefers_action2", -1), ("undecided", 0)):
        row |= _bounds(name, ratio_interval(sides == side, known, weights))
    replies = one.asked.sum(axis=1)
    for name in RATES:
        found = one.others[name].sum(axis=1)
        of = replies + found if name == "missing" else replies
        row |= _bounds(name, ratio_interval(found, of, weights))
    return row


def _verdict(uncertainty: float, consistency: float) -> bool | None:
    if np.isnan(uncertainty) or np.isnan(consistency):
        return None
    return bool(certain_and_consistent(uncertainty, consistency))


def _bounds(name: str, found) -> dict[str, float]:
    return {
        name: float(found.estimate),
        f"{name}_low": float(found.low),
        f"{name}_high": float(found.high),
    }


def forms_table(beliefs: Sequence[Beliefs], resampled: Resampled) -> pl.DataFrame:
    """One row a respondent, ambiguity and template: its effect on action 1, and what came of it."""
    rows = []
    for one in beliefs:
        weights = resampled.weights(one.ambiguity, len(one.scenarios))
        effects = form_effects(one.p, one.order, one.template)
        for template in dict.fromkeys(one.template):
            rows.append(_form_row(one, template, effects[template], weights))
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def _form_row(one: Beliefs, template: str, effect: np.ndarray, weights: np.ndarray) -> dict:
    mine = np.array([name == template for name in one.template])
    p = one.p[:, mine]
    turns = [one.order[place] for place in np.flatnonzero(mine)]
    own = order_effect(p, turns, [template] * len(turns))
    return {
        "model": one.model,
        "respondent": one.respondent,
        "ambiguity": one.ambiguity,
        "decoding": one.decoding,
        "template": template,
        **_bounds("p_action1", mean_interval(marginal(p), weights)),
        **_bounds("effect", mean_interval(effect, weights)),
        **_bounds("order_effect", mean_interval(own, weights)),
        "replies": int(one.asked[:, mine].sum()),
        "valid": int(one.valid[:, mine].sum()),
        **{name: int(one.others[name][:, mine].sum()) for name in RATES},
        "flagged": int(((one.asked > 0) & (one.valid == 0))[:, mine].sum()),
    }


def rules_table(
    beliefs: Sequence[Beliefs], scenarios: pl.DataFrame, resampled: Resampled
) -> pl.DataFrame:
    """One row a respondent, ambiguity and rule.

    ``grouping`` is 'written for' (scenarios made for a rule: the likelihood of action 1) or 'violates'
    (scenarios in which exactly one action breaks it: the likelihood of that action).
    """
    rows = []
    for one in beliefs:
        part = scenarios.filter(pl.col("ambiguity") == one.ambiguity)
        weights = resampled.weights(one.ambiguity, len(part))
        p = one.measures["p_action1"]
        for grouping, rule, values in _by_rule(part, p):
            if np.isnan(values).all():
                continue
            rows.append(
                {
                    "model": one.model,
                    "respondent": one.respondent,
                    "ambiguity": one.ambiguity,
                    "decoding": one.decoding,
                    "grouping": grouping,
                    "rule": rule,
                    "scenarios": int((~np.isnan(values)).sum()),
                    **_bounds("likelihood", mean_interval(values, weights)),
                    **_bounds("entropy", mean_interval(entropy(values), weights)),
                }
            )
    if not rows:
        return pl.DataFrame(schema=_RULES)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def _by_rule(scenarios: pl.DataFrame, p: np.ndarray):
    """(grouping, rule, values (n,)) for every rule that the scenarios were written for or break."""
    made_for = scenarios["generation_rule"]
    for rule in made_for.drop_nulls().unique(maintain_order=True):
        yield (
            "written for",
            rule,
            np.where((made_for == rule).fill_null(False).to_numpy(), p, np.nan),
        )
    for label in LABELS:
        sides = (scenarios[f"a{number}_{label}"].to_list() for number in (1, 2))
        yield "violates", label, violation_likelihood(p, *sides)


def reading_table(readings: Mapping[str, pl.DataFrame], kinds: Mapping[str, str]) -> pl.DataFrame:
    """One row a respondent, form and step: how many replies each step of the reading decided.

    Replies that are not read (truncated, filtered, none at all) have their status as the step.
    """
    parts = [
        table.with_columns(
            pl.lit(model).alias("model"),
            pl.lit(kinds[model]).alias("respondent"),
            pl.col("decoding").fill_null(STUDY),
            step=pl.coalesce("step", "status"),
        )
        .group_by("model", "respondent", "decoding", "form", "status", "step")
        .len("replies")
        for model, table in readings.items()
    ]
    table = pl.concat(parts).with_columns(pl.col("replies").cast(pl.Int64))
    return table.sort("model", "decoding", "form", "status", "step")
