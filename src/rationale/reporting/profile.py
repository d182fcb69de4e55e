"""Where the three studies meet: a row a model, and whether models that pass one pass the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.stats import rankdata, t

from rationale.inference import holm

# The axioms that the other two studies lean on: revealed preference needs transitive choices, and
# beliefs over actions are about uncertain outcomes. STEER also has both of them elsewhere
# (lottery-transitivity, social-transitivity; independence, irrelevant-alternatives).
AXIOMS = {"transitivity": "transitivity", "independence": "lottery-independence"}
_STUDY, _PLAIN, _LISTED = "study", "plain", "listed"
_MORAL = ("qf_c", "qf_e")
_WAYS = ("low", "high")


def _spans(name: str) -> tuple[str, str, str]:
    return name, f"{name}_low", f"{name}_high"


SCHEMA = {
    "model": pl.String,
    "respondent": pl.String,
    "ccei": pl.Float64,
    "ccei_p": pl.Float64,
    "ccei_p_plus": pl.Float64,
    "ceiling": pl.Float64,
    **dict.fromkeys(_spans("same_answer"), pl.Float64),
    "same_answer_chance": pl.Float64,
    **{
        column: pl.Float64
        for measure in _MORAL
        for way in _WAYS
        for column in _spans(f"{measure}_{way}_ambiguity")
    },
    **{
        column: pl.Float64
        for axiom in AXIOMS
        for column in (
            *_spans(axiom),
            *_spans(f"{axiom}_normalised"),
            f"{axiom}_guess_rate",
        )
    },
    **dict.fromkeys((f"{axiom}_answered" for axiom in AXIOMS), pl.Int64),
}
MEASURES = (
    "ccei",
    "same_answer",
    *(f"{measure}_{way}_ambiguity" for measure in _MORAL for way in _WAYS),
    *(f"{axiom}_normalised" for axiom in AXIOMS),
)
CORRELATIONS = {
    "measure_1": pl.String,
    "measure_2": pl.String,
    "models": pl.Int64,
    "rho": pl.Float64,
    "p": pl.Float64,
    "p_holm": pl.Float64,
}
FEWEST_MODELS = 4
_MOST_EXACT = 8  # models up to which all orders are gone through


class Tables(NamedTuple):
    """Tables of the studies; None where a study, or a second question form, was not asked.

    ``rationality``, ``forms`` (robustness across forms of the priced survey), ``moralchoice`` and
    ``elements`` (STEER by element) in the columns of their files in results/tables.
    """

    rationality: pl.DataFrame | None = None
    forms: pl.DataFrame | None = None
    moralchoice: pl.DataFrame | None = None
    elements: pl.DataFrame | None = None


def profile_table(kinds: Mapping[str, str], tables: Tables) -> pl.DataFrame:
    """A row a model in the order of ``kinds`` (slug to llm, recorded or simulated), columns of SCHEMA.

    ``ccei``, ``ccei_p`` (the study's p), ``ccei_p_plus`` (the valid one) and ``ceiling`` are those of
    the form `listed`, or of the first form of the table without it. ``same_answer`` is the mean, over
    pairs of question forms, of the share of rounds with the same answer; its interval is told for one
    pair, and ``same_answer_chance`` is that share for one that takes any option. ``qf_c`` and ``qf_e``
    are means over scenarios of low and of high ambiguity. Accuracy on the elements of AXIOMS, as it is
    and normalised, is that of the form plain (the first one where plain was not put), over so many
    answers (``_answered``).
    What a model was not asked is null.
    """
    found = [
        _rationality(tables.rationality),
        _forms(tables.forms),
        _moralchoice(tables.moralchoice),
        _elements(tables.elements),
    ]
    rows = [
        {"model": model, "respondent": kind}
        | {name: value for part in found for name, value in part.get(model, {}).items()}
        for model, kind in kinds.items()
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


Found = dict[str, dict[str, Any]]


def _rationality(table: pl.DataFrame | None) -> Found:
    if table is None or table.is_empty():
        return {}
    form = _LISTED if _LISTED in set(table["form"]) else table["form"][0]
    named = {"ccei_p": "p_value", "ccei_p_plus": "p_plus"}
    names = {name: named.get(name, name) for name in ("ccei", *named, "ceiling")}
    return {row["model"]: _renamed(row, names) for row in _rows(table, "form", form)}


def _forms(table: pl.DataFrame | None) -> Found:
    if table is None:
        return {}
    numbers = pl.col("share", "low", "high", "uniform").cast(pl.Float64).fill_nan(None)
    compared = table.with_columns(numbers).drop_nulls("share").group_by("model")
    alone = pl.len() == 1
    means = compared.agg(
        same_answer=pl.col("share").mean(),
        same_answer_low=pl.when(alone).then(pl.col("low").first()),
        same_answer_high=pl.when(alone).then(pl.col("high").first()),
        same_answer_chance=pl.col("uniform").mean(),
    )
    return {row.pop("model"): row for row in means.iter_rows(named=True)}


def _moralchoice(table: pl.DataFrame | None) -> Found:
    found: Found = {}
    for row in () if table is None else _rows(table, "decoding", _STUDY):
        names = {
            f"{measure}_{row['ambiguity']}_ambiguity{end}": f"{measure}{end}"
            for measure in _MORAL
            for end in ("", "_low", "_high")
        }
        found.setdefault(row["model"], {}).update(_renamed(row, names))
    return found


def _scored_form(table: pl.DataFrame) -> str:
    """Plain; the first form where plain was not put."""
    forms = table["form"].unique(maintain_order=True).to_list()
    return _PLAIN if _PLAIN in forms or not forms else forms[0]


def _elements(table: pl.DataFrame | None) -> Found:
    found: Found = {}
    axioms = {element: axiom for axiom, element in AXIOMS.items()}
    for row in () if table is None else _rows(table, "form", _scored_form(table)):
        if row["element"] in axioms:
            axiom = axioms[row["element"]]
            names = dict(zip(_spans(axiom), _spans("accuracy"), strict=True))
            names |= {
                name: name.removeprefix(f"{axiom}_") for name in _spans(f"{axiom}_normalised")
            }
            names |= {f"{axiom}_guess_rate": "guess_rate"}
            own = _renamed(row, names) | {f"{axiom}_answered": row["answered"]}
            found.setdefault(row["model"], {}).update(own)
    return found


def _rows(table: pl.DataFrame, column: str, value: str) -> Iterator[dict[str, Any]]:
    yield from table.filter(pl.col(column) == value).iter_rows(named=True)


def _renamed(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float | None]:
    """Numbers of a row under other names; what is no number is missing."""
    found = {new: math.nan if row[old] is None else float(row[old]) for new, old in names.items()}
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def correlations_table(profile: pl.DataFrame) -> pl.DataFrame:
    """Spearman's rank correlation of every two of MEASURES over models, columns of CORRELATIONS.

    Simulated respondents are left out: what they answer in one study says nothing of the others.
    ``models`` have both measures; with fewer than four, or when one measure is the same for all, rho
    and p are null. ``p`` is two-sided: exact, over all orders, for up to eight models, else from
    Student's t. Holm's ``p_holm`` is over all pairs of the table. A larger qf_e is less certain.
    """
    asked = profile.filter(pl.col("respondent") != "simulated")
    rows = []
    for first, second in combinations(MEASURES, 2):
        both = asked.select(first, second).drop_nulls().to_numpy()
        rho, p = rank_correlation(*both.T)
        pair = {"measure_1": first, "measure_2": second, "models": len(both)}
        rows.append({**pair, "rho": rho, "p": p})
    p = np.array([math.nan if row["p"] is None else row["p"] for row in rows])
    adjusted = [None if math.isnan(value) else float(value) for value in holm(p)]
    rows = [row | {"p_holm": value} for row, value in zip(rows, adjusted, strict=True)]
    return pl.DataFrame(rows, schema=CORRELATIONS)


def rank_correlation(x: np.ndarray, y: np.ndarray) -> tuple[float | None, float | None]:
    """Spearman's rho of x (n) and y (n), ties at their mean rank, and its two-sided p.

    Both None for fewer than four pairs or a constant list. Up to eight pairs, p is the share of all
    orders of y whose correlation is as far from 0; with more, Student's t with n - 2 degrees, though
    never less than 2/n!, the share of the two orders that are surely as far.
    """
    n = len(x)
    if n < FEWEST_MODELS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, None
    a, b = (rankdata(values) - (n + 1) / 2 for values in (x, y))
    scale = math.sqrt(float(a @ a) * float(b @ b))
    rho = float(np.clip(a @ b / scale, -1, 1))
    if n <= _MOST_EXACT:
        others = b[_orders(n)] @ a / scale
        return rho, float(np.mean(np.abs(others) >= abs(rho) - 1e-12))  # rounding of equal sums
    spread = math.sqrt(1 - rho**2)
    tail = 2 * t.sf(abs(rho) * math.sqrt(n - 2) / spread, n - 2) if spread else 0.0
    return rho, max(float(tail), 2 / math.factorial(n))


@lru_cache
def _orders(n: int) -> np.ndarray:
    """Every order of n places, (n!, n)."""
    return np.array(list(permutations(range(n))))
