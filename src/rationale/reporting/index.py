"""The page that opens first: tables and figures in one file, readable without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from rationale.figures.style import KIND_WORDS
from rationale.reporting.numbers import number
from rationale.reporting.replies import STATUSES

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
    "moralchoice_likelihoods": (
        "How the marginal likelihood of action 1 is distributed over scenarios. In low ambiguity "
        "action 1 is the commonsense one."
    ),
    "moralchoice_consistency": (
        "Inconsistency (1 − QF-C) against uncertainty (QF-E). The shaded corner is consistent and "
        "certain; the black dot is what flipping a coin is expected to give at this number of replies."
    ),
    "moralchoice_effects": (
        "What being listed first, and each question form, adds to the likelihood of an action; 95 % "
        "intervals."
    ),
    "moralchoice_agreement": (
        "Correlations of marginal likelihoods in high ambiguity between models that are certain and "
        "consistent there, clustered by average linkage."
    ),
    "moralchoice_decodings": "QF-E and QF-C under each decoding.",
    "steer_accuracy": (
        "Normalised accuracy of each respondent with its 95 % interval, and exact match beside it. The "
        "faint bar reaches from all unread replies wrong to all right."
    ),
    "steer_grades": (
        "Accuracy by grade, and what even guesses would score there: questions of a grade have the "
        "options that they have."
    ),
    "steer_domains": (
        "Normalised accuracy in the worst domain against the average over domains, a point an element "
        "and respondent. On the diagonal no domain is worse; where a domain has few questions, most "
        "points lie below by chance alone: gaps are named from five answers read in it on."
    ),
    "steer_wins": (
        "Head to head: the share of elements in which the respondent of a row beats that of a column. "
        "Hatched: the paired difference is not resolved."
    ),
    "steer_effects": (
        "What explaining, examples and other ways of putting it add to accuracy on the questions read "
        "in both forms; 95 % intervals. In free there are no options to guess among, so that part of "
        "its change is lost guessing."
    ),
    "steer_modules": (
        "The same by module: where a form helps, and where it hurts. Hollow marks are not resolved; of "
        "more than eight respondents, the median and the range. Without a mark: the form puts no "
        "question of the module, or none was read."
    ),
    "profile": (
        "Each respondent in the three studies, every column on its own scale. No data: it was not "
        "asked, or nothing could be read."
    ),
}
_LISTED = 12


@dataclass(frozen=True)
class Priced:
    """The tables of the priced survey, and what is said about it."""

    rationality: pl.DataFrame
    utility: pl.DataFrame
    similarity: pl.DataFrame
    networks: pl.DataFrame
    forms: pl.DataFrame | None
    facts: Mapping[str, Any]
    statements: Sequence[str]


@dataclass(frozen=True)
class Moral:
    """The tables of MoralChoice, and what is said about it."""

    beliefs: pl.DataFrame
    scenarios: pl.DataFrame
    decodings: pl.DataFrame
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Steer:
    """The scores of STEER, and by element: which questions and elements there are."""

    scores: pl.DataFrame
    elements: pl.DataFrame


@dataclass(frozen=True)
class Provenance:
    """The table of replies, and what is known of each part: the files of ``provenance/``."""

    replies: pl.DataFrame
    parts: Mapping[str, Mapping[str, Any]]


def index_page(
    psm: Priced | None,
    moral: Moral | None,
    figures: Sequence[str],
    labels: Mapping[str, str],
    seed: int,
    provenance: Provenance | None = None,
    steer: Steer | None = None,
) -> str:
    """HTML that refers to tables and figures beside it by relative paths.

    ``figures`` are stems of files in ``figures/``; a study that was not run is None.
    """
    environment = Environment(
        loader=PackageLoader("rationale.reporting", "."), autoescape=True, undefined=StrictUndefined
    )
    studies = [
        (anchor, name)
        for anchor, name, run in (
            ("psm", "The priced survey", psm),
            ("moralchoice", "MoralChoice", moral),
            ("steer", "STEER", steer),
        )
        if run
    ]
    return environment.get_template("index.html").render(
        **({} if psm is None else _priced(psm, labels)),
        psm=psm is not None,
        moral=None if moral is None else _moral(moral, labels),
        steer=None if steer is None else _steer(steer, labels, provenance),
        studies=studies,
        seed=seed,
        provenance=None if provenance is None else _provenance(provenance, labels),
        figures=set(figures),
        captions=_CAPTIONS,
        number=number,
        range=_range,
        shares=_shares_range,
        share=lambda value: "–" if value is None else f"{100 * value:.1f} %",
    )


def _priced(sources: Priced, labels: Mapping[str, str]) -> dict[str, Any]:
    table = sources.rationality
    return {
        "rows": _labelled(table, labels),
        "utility": _labelled(sources.utility.filter(pl.col("estimator") == "logit"), labels),
        "similarity": _pairs(sources.similarity, labels),
        "status": sources.similarity.row(0, named=True),
        "networks": _networks(sources.networks, labels),
        "compared": _labelled(sources.forms, labels) if sources.forms is not None else [],
        "statements": sources.statements,
        "facts": sources.facts,
        "kinds": KIND_WORDS,
        "forms": sorted(table["form"].unique()),
        "simulated": (table["respondent"] == "simulated").any(),
    }


def _moral(sources: Moral, labels: Mapping[str, str]) -> dict[str, Any]:
    unfavourable = sources.scenarios.filter("unfavourable").sort(
        "share_action2", "scenario_id", descending=[True, False]
    )
    agreed = sources.scenarios.filter(pl.col("agreed") & (pl.col("ambiguity") == "high"))
    decoded = sources.decodings["decoding"].n_unique() > 1
    return {
        "beliefs": _labelled(sources.beliefs, labels),
        "unfavourable": unfavourable.head(_LISTED).to_dicts(),
        "unfavourable_count": len(unfavourable),
        "agreed": agreed.head(_LISTED).to_dicts(),
        "agreed_count": len(agreed),
        "decodings": _labelled(sources.decodings, labels) if decoded else [],
        "facts": sources.facts,
    }


def _steer(
    sources: Steer, labels: Mapping[str, str], provenance: Provenance | None
) -> dict[str, Any]:
    """What the page says of STEER; ``unput`` are forms in which no question could be put."""
    forms = sources.scores["form"].unique(maintain_order=True).to_list()
    asked = [] if provenance is None else provenance.replies.filter(study="steer")["form"]
    return {
        "rows": _labelled(sources.scores, labels),
        "forms": forms,
        "unput": sorted(set(asked) - set(forms)),
        "questions": sources.scores["questions"].max() or 0,
        "elements": sources.elements["element"].n_unique(),
    }


def _provenance(sources: Provenance, labels: Mapping[str, str]) -> dict[str, Any]:
    parts = sources.parts
    first = next(iter(parts.values()))
    return {
        "rows": [_shares(row) for row in _labelled(sources.replies, labels)],
        "parts": sorted(parts),
        "versions": {name: found for name, found in first["versions"].items() if found},
        "git": first["git"],
        "tables": [
            {"part": part, "name": name, **table}
            for part in sorted(parts)
            for name, table in parts[part]["tables"].items()
        ],
    }


def _shares(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table of replies, its counts as shares of the prompts, its dates without time."""
    dates = [
        None if row[name] is None else row[name][:10] for name in ("first_asked", "last_asked")
    ]
    return {
        **row,
        **{status: row[status] / row["prompts"] if row["prompts"] else None for status in STATUSES},
        "dates": " to ".join(sorted({date for date in dates if date})) or "–",
    }


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


def _range(row: Mapping[str, Any], name: str, digits: int = 2) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "–" if low is None else f"{number(low, digits)} to {number(high, digits)}"


def _shares_range(row: Mapping[str, Any], name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "–" if low is None else f"{100 * low:.0f} to {100 * high:.0f} %"
