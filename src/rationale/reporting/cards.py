"""STEER report cards: one model under one rubric, as numbers.

Every question weighs the same. Intervals are 95 % and resample (element, template) clusters: the
questions told by one story stand and fall together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import hypot, isnan
from typing import NamedTuple

import numpy as np
import polars as pl

from rationale.inference.bootstrap import ROUNDING, Estimate, ratio_interval, stratified_weights
from rationale.scoring import normalised_interval
from rationale.surveys.steer.behaviours import RATIONAL, count_behaviours
from rationale.surveys.steer.rubrics import Rubric
from rationale.surveys.steer.taxonomy import Taxonomy

UNREAD = ("refused", "invalid", "truncated", "error")
# Of pairs that do not differ, those whose 95 % interval lies above 0 all the same.
BY_CHANCE = 0.025


class Score(NamedTuple):
    """A group of questions: how many were put and read, and what was made of those read.

    ``share`` of them shows what counts, ``guess_rate`` is expected from guessing evenly; ``score``
    is in the rubric's metric. Numbers that cannot be had are None: all without an answer, the
    bounds with a single cluster, the printed score where guessing is never right. ``right_share``
    of the very same answers are right, which is the share itself where right answers count.
    """

    questions: int
    answered: int
    share: float | None = None
    guess_rate: float | None = None
    score: float | None = None
    low: float | None = None
    high: float | None = None
    share_low: float | None = None
    share_high: float | None = None
    right_share: float | None = None
    right_low: float | None = None
    right_high: float | None = None


class Line(NamedTuple):
    """One number of a card. ``within`` is the element of a domain or the module of an element."""

    section: str
    name: str
    within: str | None
    label: str
    score: Score
    counts: str | None = None
    note: str | None = None


class Lower(NamedTuple):
    """A prerequisite compared with an element that builds on it, both by right answers.

    ``difference`` is the element's normalised accuracy less the prerequisite's, with its interval.
    ``failed``: the prerequisite is under the rubric's threshold, the element is not.
    """

    element: str
    prerequisite: str
    above: Score
    below: Score
    difference: float
    low: float | None
    high: float | None
    failed: bool

    @property
    def resolved(self) -> bool:
        """Whether the interval of the difference lies above 0."""
        return self.low is not None and self.low > 0

    @property
    def finding(self) -> str:
        """`fails` or `lower`, and whether that is resolved."""
        said = "fails" if self.failed else "lower"
        return f"{said}, {'resolved' if self.resolved else 'not resolved'}"


class Without(NamedTuple):
    """What is not on the card, how many questions of it were put, and why not."""

    name: str
    label: str
    questions: int
    reason: str


@dataclass(frozen=True)
class Card:
    """A report card. ``lines`` in the taxonomy's order; ``unread`` counts replies by status.

    ``lower`` are prerequisites that score lower than what builds on them, of ``compared`` pairs whose
    difference has an interval; ``without_data`` are elements of the rubric without a score;
    ``left_out`` is what the rubric or its behaviours exclude. ``names`` are those of elements and
    domains.
    """

    model: str
    rubric: Rubric
    headline: Score
    unread: Mapping[str, int]
    unread_rate: Estimate | None
    lines: tuple[Line, ...]
    lower: tuple[Lower, ...]
    compared: int
    without_data: tuple[Without, ...]
    left_out: tuple[Without, ...]
    names: Mapping[str, str]

    def of(self, section: str) -> list[Line]:
        """The lines of one section."""
        return [line for line in self.lines if line.section == section]

    @property
    def resolved(self) -> int:
        """Of the pairs compared, those in which the prerequisite is lower by a resolved difference."""
        return sum(one.resolved for one in self.lower)


@dataclass(frozen=True)
class Scored:
    """How groups of rows are scored: a metric, and draws of the clusters of all of them.

    ``clusters`` has the columns element, template and place; ``weights`` is (draws, clusters). One
    set of draws serves every group, named as for the study's tables: where both have the same
    clusters, seed and number of draws, cards and tables have the same intervals.
    """

    metric: str
    clusters: pl.DataFrame
    weights: np.ndarray

    def placed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with the ``place`` of their cluster."""
        names = ["element", "template"]
        return rows.join(self.clusters, on=names, nulls_equal=True, maintain_order="left")

    def of(self, rows: pl.DataFrame) -> Score:
        """The score of rows with ``place``, ``hit``, ``chance`` and ``right``."""
        read = rows.filter(pl.col("hit").is_not_null())
        if read.is_empty():
            return Score(rows.height, 0)
        (n, hits, chance, right), weights = self.drawn(read, "hit", "chance", "right")
        share = ratio_interval(hits, n, weights)
        correct = share if (hits == right).all() else ratio_interval(right, n, weights)
        found = share
        if self.metric != "accuracy":
            printed = self.metric == "printed"
            found = normalised_interval(share, hits, n, chance, weights, printed)
        guess = float(chance.sum() / n.sum())
        told = map(known, (*found, *share[1:], *correct))
        return Score(rows.height, read.height, float(share.estimate), guess, *told)

    def drawn(self, rows: pl.DataFrame, *names: str) -> tuple[list[np.ndarray], np.ndarray]:
        """The number of rows and sums of columns by cluster, and the draws of those clusters."""
        places, codes = np.unique(rows["place"].to_numpy(), return_inverse=True)
        columns = [np.ones(rows.height), *(rows[name].cast(float).to_numpy() for name in names)]
        return [np.bincount(codes, column) for column in columns], self.weights[:, places]


def scored_by(metric: str, graded: pl.DataFrame, draws: int, seed: int) -> Scored:
    """How rows of ``graded`` are scored in a metric."""
    names = graded.select("element", "template").unique().sort("element", "template")
    weights = stratified_weights(names["element"].to_list(), draws, seed, "steer", "bootstrap")
    return Scored(metric, names.with_row_index("place"), weights)


def known(value: float) -> float | None:
    return None if isnan(value) else float(value)


def card_of(
    model: str,
    graded: pl.DataFrame,
    questions: pl.DataFrame,
    taxonomy: Taxonomy,
    rubric: Rubric,
    draws: int,
    seed: int,
) -> Card:
    """One model's card.

    Parameters
    ----------
    graded : a row a form and question, the columns of grading.GRADED and ``form``.
    questions : the bank's rows of those questions, a row a part.
    draws : how often clusters are drawn for an interval.

    Raises KeyError for an answer whose question is not in ``questions`` where a behaviour needs it.
    """
    scored = scored_by(rubric.metric, graded, draws, seed)
    graded = scored.placed(graded)
    asked = graded.filter(pl.col("element").is_in(rubric.elements))
    chosen = _chosen(asked, rubric)
    counted = count_behaviours(chosen, questions, rubric.polarity)
    rows = counted.filter("tells")
    head = rows.filter(pl.col("form") == rubric.form)
    lines = [*_forms(rows, rubric, scored), *_groups(head, taxonomy, rubric, scored)]
    pairs = _pairs(graded, chosen, taxonomy, rubric, replace(scored, metric="normalised"))
    return Card(
        model=model,
        rubric=rubric,
        headline=scored.of(head),
        unread={status: head.filter(pl.col("status") == status).height for status in UNREAD},
        unread_rate=_unread_rate(head, scored),
        lines=tuple(lines),
        lower=tuple(sorted((one for one in pairs if one.difference > ROUNDING), key=_surest_first)),
        compared=sum(one.low is not None for one in pairs),
        without_data=tuple(_without_data(asked, chosen, head, taxonomy, rubric)),
        left_out=tuple(_left_out(asked, counted, taxonomy, rubric)),
        names={
            **taxonomy.domains,
            **{slug: one.name for slug, one in taxonomy.elements.items()},
        },
    )


def _chosen(rows: pl.DataFrame, rubric: Rubric, grades: bool = True) -> pl.DataFrame:
    """The rows in a rubric's domains, forms and, unless told otherwise, grades."""
    if rubric.domains is not None:
        rows = rows.filter(pl.col("domain").is_in(rubric.domains))
    if grades and rubric.grades is not None:
        rows = rows.filter(pl.col("grade").is_in(rubric.grades))
    if rubric.forms is not None:
        rows = rows.filter(pl.col("form").is_in([*rubric.forms, rubric.form]))
    return rows


def _unread_rate(head: pl.DataFrame, scored: Scored) -> Estimate | None:
    if head.is_empty():
        return None
    (put, unread), weights = scored.drawn(head.with_columns(pl.col("hit").is_null()), "hit")
    return ratio_interval(unread, put, weights)


# Groups of questions


def _forms(rows: pl.DataFrame, rubric: Rubric, scored: Scored) -> Iterator[Line]:
    asked = rows["form"].unique(maintain_order=True).to_list()
    for form in sorted(asked, key=lambda name: (name != rubric.form, asked.index(name))):
        yield Line("form", form, None, form, scored.of(rows.filter(pl.col("form") == form)))


def _groups(
    head: pl.DataFrame, taxonomy: Taxonomy, rubric: Rubric, scored: Scored
) -> Iterator[Line]:
    elements = [taxonomy.elements[slug] for slug in rubric.elements]
    module_setting = {one.module: one.setting for one in elements}
    parts = _by(head, "setting")
    for setting in dict.fromkeys(one.setting for one in elements):
        found = scored.of(parts.get(setting, head.clear()))
        yield Line("setting", setting, None, taxonomy.settings[setting], found)
    parts = _by(head, "module")
    for module, setting in module_setting.items():
        found = scored.of(parts.get(module, head.clear()))
        yield Line("module", module, setting, taxonomy.modules[module], found)
    parts = _by(head, "element")
    for one in elements:
        rows = parts.get(one.slug, head.clear())
        counts = rubric.counts(one.slug)
        found = scored.of(rows)
        yield Line("element", one.slug, one.module, one.name, found, counts)
        for domain, told in _by(rows, "domain").items():
            found = scored.of(told)
            label = taxonomy.domains.get(domain, domain)
            yield Line("element-domain", domain, one.slug, label, found, counts)
    for grade, rows in sorted(_by(head, "grade").items()):
        yield Line("grade", str(grade), None, f"Grade {grade}", scored.of(rows))
    for domain, rows in sorted(_by(head, "domain").items()):
        found = scored.of(rows)
        yield Line("domain", domain, None, taxonomy.domains.get(domain, domain), found)


def _by(rows: pl.DataFrame, column: str) -> dict:
    return {name: part for (name,), part in rows.partition_by(column, as_dict=True).items()}


# Prerequisites


def _pairs(
    graded: pl.DataFrame, chosen: pl.DataFrame, taxonomy: Taxonomy, rubric: Rubric, scored: Scored
) -> list[Lower]:
    """Every element with every prerequisite of it, where both have a score.

    Both scores are normalised accuracies of right answers, whatever the card counts, in its domains;
    an element's in the card's grades, a prerequisite's in all grades, whether it is on the card or not.
    """
    here = pl.col("form") == rubric.form
    anywhere = _chosen(graded, rubric, grades=False).filter(here)
    prerequisites = _right_scores(anywhere, scored)
    own = _right_scores(chosen.filter(here), scored)
    return [
        _compared(element, other, own[element], prerequisites[other], rubric.threshold)
        for element in rubric.elements
        if element in own
        for other in sorted(taxonomy.prerequisites(element))
        if other in prerequisites
    ]


def _surest_first(one: Lower) -> tuple:
    """Pairs that fail first, then the largest sure differences."""
    return not one.failed, one.low is None, -(one.low or 0), -one.difference


def _right_scores(rows: pl.DataFrame, scored: Scored) -> dict[str, Score]:
    """By element the score of right answers, where there is one."""
    right = rows.with_columns(hit=pl.col("right"), chance=pl.col("guess_rate"))
    known = right.filter(pl.col("chance").is_not_null())
    scores = {slug: scored.of(part) for slug, part in _by(known, "element").items()}
    return {slug: one for slug, one in scores.items() if one.score is not None}


def _compared(element: str, other: str, above: Score, below: Score, threshold: float) -> Lower:
    """The difference of two scores of different questions, its interval from theirs.

    Each side of it is the root of the sum of squares of the sides that lead there (Zou and Donner
    2008), which needs no more than the two intervals.
    """
    difference = above.score - below.score
    low = high = None
    if None not in (above.low, above.high, below.low, below.high):
        low = difference - hypot(above.score - above.low, below.high - below.score)
        high = difference + hypot(above.high - above.score, below.score - below.low)
    failed = below.score < threshold <= above.score
    return Lower(element, other, above, below, difference, low, high, failed)


# What is not on the card


def _without_data(
    asked: pl.DataFrame,
    chosen: pl.DataFrame,
    head: pl.DataFrame,
    taxonomy: Taxonomy,
    rubric: Rubric,
) -> Iterator[Without]:
    """The elements of a rubric that have no score, and why."""
    here = pl.col("form") == rubric.form
    steps = (
        (asked.filter(here), f"not asked in the form {rubric.form}"),
        (chosen.filter(here), "nothing was asked in the card's domains and grades"),
        (head, "none of its questions can tell"),
        (head.filter(pl.col("hit").is_not_null()), "no reply could be read"),
    )
    counts = [dict(rows.group_by("element").len().iter_rows()) for rows, _ in steps]
    for slug in rubric.elements:
        for place, (_, reason) in enumerate(steps):
            if slug not in counts[place]:
                before = counts[place - 1][slug] if place else 0
                yield Without(slug, taxonomy.elements[slug].name, before, reason)
                break


def _left_out(
    asked: pl.DataFrame, counted: pl.DataFrame, taxonomy: Taxonomy, rubric: Rubric
) -> Iterator[Without]:
    """What was put in the card's form and is not counted."""
    here = asked.filter(pl.col("form") == rubric.form)
    for slug in rubric.left_out:
        yield Without(slug, taxonomy.elements[slug].name, 0, "left out by the rubric")
    outside = pl.lit(False)
    if rubric.domains is not None:
        outside = ~pl.col("domain").is_in(rubric.domains)
        yield from _some("domains", "Other domains", here.filter(outside), "not on this rubric")
    if rubric.grades is not None:
        other = here.filter(~outside & ~pl.col("grade").is_in(rubric.grades))
        yield from _some("grades", "Other grades", other, "not on this rubric")
    mute = counted.filter(~pl.col("tells") & (pl.col("form") == rubric.form))
    for slug in rubric.elements:
        counts = rubric.counts(slug)
        reason = (
            "their guess rate is unknown"
            if counts == RATIONAL
            else f"no answer to them would be {counts}"
        )
        rows = mute.filter(pl.col("element") == slug)
        yield from _some(slug, taxonomy.elements[slug].name, rows, reason)


def _some(name: str, label: str, rows: pl.DataFrame, reason: str) -> Iterator[Without]:
    if rows.height:
        yield Without(name, label, rows.height, reason)
