"""What the explorer shows of STEER: questions, answers, and the taxonomy as a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rationale.reporting.explorer.layout import NODE, draw
from rationale.reporting.explorer.packing import Block, coded, texts_once
from rationale.surveys.steer.rules import RULES
from rationale.surveys.steer.taxonomy import Taxonomy

BASELINE = "plain"
STATUSES = ("answered", "refused", "invalid", "truncated", "error")
UNREAD = 2
UNKNOWN = -1.0
PROBABILITIES = 10_000
_NAME = ("element", "question_id")
_ANSWER = {
    "form": pl.String,
    "status": pl.String,
    "step": pl.String,
    "right": pl.Boolean,
    "guess_rate": pl.Float64,
    "chosen": pl.List(pl.Float64),
    "p_options": pl.List(pl.Float64),
    "key": pl.Int64,
    "shots": pl.Int64,
    "wanted": pl.Int64,
    "texts": pl.List(pl.String),
    "none_places": pl.List(pl.Int64),
}


@dataclass(frozen=True)
class Steer:
    """``questions`` in bank.SCHEMA; ``graded`` by model, a row a form x question that was put."""

    questions: pl.DataFrame
    graded: Mapping[str, pl.DataFrame]
    taxonomy: Taxonomy


def steer_blocks(study: Steer) -> dict[str, Block]:
    """Blocks ``steer`` (scores), ``questions`` (their words) and ``replies`` (the models' words).

    Raises ValueError for an element that the taxonomy lacks, and for answers to questions that are
    not among the questions.
    """
    parts = _parts(study)
    first = parts.unique(_NAME, keep="first", maintain_order=True)
    answers = _answers(study.graded, first)
    return {
        "steer": _scores(study, first, parts, answers),
        "questions": _words(first, parts),
        "replies": _replies(answers),
    }


def steer_summary(study: Steer) -> dict[str, Any]:
    """How many questions and answers there are, and of each model: put, read and right."""
    return {
        "questions": study.questions.select(_NAME).n_unique(),
        "answers": sum(map(len, study.graded.values())),
        "models": {
            model: [len(rows), int(rows["right"].count()), int(rows["right"].sum())]
            for model, rows in study.graded.items()
        },
    }


def _parts(study: Steer) -> pl.DataFrame:
    """Every part, in the order of taxonomy, domain, grade, question, part."""
    order = {slug: number for number, slug in enumerate(study.taxonomy.elements)}
    unknown = sorted(set(study.questions["element"]) - set(order))
    if unknown:
        raise ValueError(f"the taxonomy has no element {', '.join(unknown[:5])}")
    domains = {slug: number for number, slug in enumerate(study.taxonomy.domains)}
    return study.questions.sort(
        pl.col("element").replace_strict(order, return_dtype=pl.Int64),
        pl.col("domain").replace_strict(domains, default=len(domains), return_dtype=pl.Int64),
        "domain",
        "grade",
        "question_id",
        "part",
    )


def _answers(graded: Mapping[str, pl.DataFrame], first: pl.DataFrame) -> pl.DataFrame:
    """Every answer by question, form (baseline first) and model; question and model as numbers."""
    names = dict.fromkeys(_NAME, pl.String)
    empty = pl.DataFrame(schema={**names, **_ANSWER, "model": pl.Int64})
    tables = [
        rows.select(*_NAME, *_ANSWER).cast(_ANSWER).with_columns(model=pl.lit(number, pl.Int64))
        for number, rows in enumerate(graded.values())
    ]
    numbers = first.select(_NAME).with_row_index("question")
    table = pl.concat([empty, *tables]).join(numbers, on=_NAME, how="left", maintain_order="left")
    lost = table.filter(pl.col("question").is_null())["question_id"]
    if len(lost):
        raise ValueError(f"answers to questions that are not given: {', '.join(lost.head(5))}")
    forms, _ = coded(table["form"], (BASELINE,))
    return table.cast({"form": pl.Enum(forms)}).sort("question", "form", "model")


def _scores(study: Steer, first: pl.DataFrame, parts: pl.DataFrame, answers: pl.DataFrame) -> Block:
    taxonomy = study.taxonomy
    elements = list(taxonomy.elements)
    element = first["element"].cast(pl.Enum(elements)).to_physical().to_numpy()
    domains, domain = coded(first["domain"], list(taxonomy.domains))
    origins, origin = coded(first["origin"])
    statuses, status = coded(answers["status"], STATUSES)
    guesses = answers["guess_rate"].fill_null(UNKNOWN)
    known = guesses.unique().sort()
    block = Block(
        {
            **_taxonomy(taxonomy),
            "domains": [[slug, taxonomy.domains.get(slug, slug)] for slug in domains],
            "origins": origins,
            "forms": answers["form"].dtype.categories.to_list(),
            "statuses": statuses,
            "models": list(study.graded),
            "guesses": [None if rate == UNKNOWN else rate for rate in known],
        }
    )
    block.texts("q.id", first["question_id"].to_list())
    for name, column in (("element", element), ("domain", domain), ("origin", origin)):
        block.column(f"q.{name}", column)
    block.column("q.grade", first["grade"].to_numpy())
    sizes = parts.group_by(_NAME, maintain_order=True).len()["len"]
    block.column("q.parts", sizes.to_numpy())
    block.column("q.answers", np.bincount(answers["question"].to_numpy(), minlength=len(first)))
    right = answers["right"].cast(pl.Int64).fill_null(UNREAD)
    block.column("a.model", answers["model"].to_numpy())
    block.column("a.form", answers["form"].to_physical().to_numpy())
    block.column("a.status", status)
    block.column("a.right", right.to_numpy())
    block.column("a.guess", known.search_sorted(guesses).to_numpy())
    return block


def _taxonomy(taxonomy: Taxonomy) -> dict[str, Any]:
    requires = {slug: one.requires for slug, one in taxonomy.elements.items()}
    drawing = draw(requires)
    return {
        "settings": [list(pair) for pair in taxonomy.settings.items()],
        "modules": [list(pair) for pair in taxonomy.modules.items()],
        "elements": [
            {
                "slug": one.slug,
                "name": one.name,
                "ability": one.ability,
                "setting": one.setting,
                "module": one.module,
                "grades": {str(grade): text for grade, text in one.grades.items()},
                "requires": list(one.requires),
                "at": drawing.nodes[one.slug],
            }
            for one in taxonomy.elements.values()
        ],
        "drawing": {
            "width": drawing.width,
            "height": drawing.height,
            "node": NODE,
            "edges": drawing.edges,
        },
    }


def _words(first: pl.DataFrame, parts: pl.DataFrame) -> Block:
    rules, rule = coded(first["rule"])
    block = Block({"rules": [[name, _rule_text(name)] for name in rules]})
    block.column("rule", rule)
    block.column("guess", first["guess_rate"].fill_null(float("nan")).to_numpy())
    for name in ("template", "person", "explanation"):
        block.texts(name, first[name].to_list())
    block.texts("text", parts["text"].to_list())
    block.column("key", parts["key"].fill_null(0).to_numpy())
    block.column("value", parts["value"].fill_null(float("nan")).to_numpy())
    block.column("options.n", parts["options"].list.len().to_numpy())
    block.texts("option", _flat(parts["options"].to_list()))
    block.texts("behind", _flat(_behind(parts)))
    return block


def _rule_text(name: str) -> str:
    """What a rule says of itself."""
    return " ".join((RULES[name].__doc__ or "").replace("``", "").split()) if name in RULES else ""


def _behind(parts: pl.DataFrame) -> list[list[str | None]]:
    """What stands behind each option: the mistake that leads to it, or what it means to the rule."""
    return [
        mistakes or meanings or [None] * len(options)
        for mistakes, meanings, options in parts.select("mistakes", "meanings", "options").rows()
    ]


def _flat(lists: Sequence[Sequence]) -> list:
    return [one for many in lists for one in many]


def _replies(answers: pl.DataFrame) -> Block:
    steps, step = coded(answers["step"])
    block = Block({"steps": steps, "probabilities": PROBABILITIES})
    block.column("step", step)
    block.lists("chosen", answers["chosen"])
    block.lists("p", answers["p_options"], scale=PROBABILITIES)
    block.lists("none", answers["none_places"])
    for name in ("key", "shots", "wanted"):
        block.column(name, answers[name].fill_null(0).to_numpy())
    turns = answers["texts"].fill_null([])
    block.column("texts.n", turns.list.len().to_numpy())
    flat = turns.explode(empty_as_null=False, keep_nulls=False)
    texts_once(block, "text", flat.fill_null(""))
    return block
