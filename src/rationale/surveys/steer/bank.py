"""The question bank: questions of an element drawn from its stories, as one table."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from math import prod
from random import Random
from typing import Any

import polars as pl

from rationale.schema import DocumentError, shortened
from rationale.seeds import digest
from rationale.surveys.steer.questions import GENERATORS, Draft, Draw, Generator, Option, Part
from rationale.surveys.steer.rules import RULES, guess_rate
from rationale.surveys.steer.stories import Story
from rationale.surveys.steer.taxonomy import Element, Taxonomy

SCHEMA = {
    "question_id": pl.String,
    "part": pl.Int64,
    "element": pl.String,
    "module": pl.String,
    "setting": pl.String,
    "domain": pl.String,
    "grade": pl.Int64,
    "template": pl.String,
    "origin": pl.String,
    "person": pl.String,
    "seed": pl.Int64,
    "text": pl.String,
    "options": pl.List(pl.String),
    "key": pl.Int64,
    "value": pl.Float64,
    "rule": pl.String,
    "meanings": pl.List(pl.String),
    "mistakes": pl.List(pl.String),
    "guess_rate": pl.Float64,
    "explanation": pl.String,
    "instance": pl.String,
}
MOST_REDRAWS = 200


@dataclass(frozen=True)
class Question:
    """A question drawn: its options in the order shown."""

    question_id: str
    element: Element
    story: Story
    grade: int
    seed: int
    draft: Draft
    shown: tuple[tuple[Option, ...], ...]


def generator_of(element: Element) -> Generator:
    """The generator of an element. Raises KeyError for an element that has none."""
    import_module(f"rationale.surveys.steer.elements.{element.module.replace('-', '_')}")
    return GENERATORS[element.slug]


def draw_questions(
    element: Element,
    stories: Sequence[Story],
    *,
    seed: int,
    per_cell: int,
    grades: Collection[int] | None = None,
    domains: Collection[str] | None = None,
) -> list[Question]:
    """``per_cell`` questions of each domain and grade, shared evenly among the cell's stories.

    A question follows from seed, element, grade, story and its number alone, so that another story,
    grade or a larger ``per_cell`` leaves those drawn before as they were. Raises DocumentError when
    a story does not give that many different questions.
    """
    generator = generator_of(element)
    questions: list[Question] = []
    for domain in dict.fromkeys(story.domain for story in stories):
        if domains is not None and domain not in domains:
            continue
        told = [story for story in stories if story.domain == domain]
        for grade in element.grades:
            if grades is None or grade in grades:
                for story, number in _shares(told, per_cell, seed, element, grade):
                    questions += _of_story(element, generator, story, grade, seed, number)
    _refuse_equal(questions)
    return questions


def question_table(questions: Sequence[Question]) -> pl.DataFrame:
    """One row a part, in SCHEMA's columns; ``key`` counts from 1, empty where a rule grades."""
    return pl.DataFrame([row for one in questions for row in _rows(one)], schema=SCHEMA)


def drawn_table(
    taxonomy: Taxonomy,
    stories: Mapping[str, Sequence[Story]],
    grades: Mapping[str, Collection[int]],
    domains: Collection[str],
    seed: int,
    per_cell: int,
) -> pl.DataFrame:
    """The questions of several elements, as `draw_questions` draws them, in SCHEMA's columns.

    ``grades`` maps the elements that are wanted to grades of theirs; ``stories`` those to draw from.
    Raises DocumentError when there is no question at all, and what `draw_questions` raises.
    """
    questions = [
        question
        for slug, wanted in grades.items()
        for question in draw_questions(
            taxonomy.elements[slug],
            stories.get(slug, []),
            seed=seed,
            per_cell=per_cell,
            grades=wanted,
            domains=domains,
        )
    ]
    if grades and not questions:
        raise DocumentError([_untold(stories, grades, domains)])
    return question_table(questions)


def _untold(
    stories: Mapping[str, Sequence[Story]], wanted: Collection[str], domains: Collection[str]
) -> str:
    """Why no question can be drawn."""
    told = sorted({story.domain for slug in wanted for story in stories.get(slug, [])})
    return (
        f"steer.domains: found {', '.join(domains)}, in which no story is told of "
        f"{', '.join(shortened([*wanted]))}; allowed: {', '.join(told) or 'none: they have no story'}. "
        f"Name one of these, leave the elements out of steer.elements, or add stories (steer.stories)."
    )


def example_table(
    taxonomy: Taxonomy,
    stories: Mapping[str, Sequence[Story]],
    grades: Mapping[str, Collection[int]],
    domains: Collection[str],
    seed: int,
    number: int,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """So many questions of each cell to show as examples, none of them worded as one that is asked.

    They are drawn by a seed of their own, so that more questions to ask leave them as they were: only
    one that is then asked goes. One more than ``number`` is drawn for that. Their ids begin with
    `example.`; ``asked`` has SCHEMA's columns, as has what is returned.
    """
    own = digest(seed, "examples") % 2**31
    drawn = drawn_table(taxonomy, stories, grades, domains, own, number + 1)
    told = _worded(drawn).join(_worded(asked), on="words", how="anti")
    kept = drawn.join(told, on="question_id", how="semi", maintain_order="left")
    return kept.with_columns(question_id="example." + pl.col("question_id"))


def _worded(table: pl.DataFrame) -> pl.DataFrame:
    """The words of each question: texts and options of all its parts, options in any order."""
    part = pl.concat_str("text", pl.col("options").list.sort().list.join("\n"), separator="\n")
    return table.sort("part").group_by("question_id").agg(words=part.str.join("\n\n"))


def guessing(draft: Draft) -> Fraction:
    """The chance that answers drawn evenly in every part are right."""
    if draft.rule is None:
        return prod((Fraction(1, len(part.options)) for part in draft.parts), start=Fraction(1))
    meanings = [[option.meaning for option in part.options] for part in draft.parts]
    return guess_rate(draft.rule, meanings)


def _shares(
    stories: Sequence[Story], total: int, seed: int, element: Element, grade: int
) -> Iterator[tuple[Story, int]]:
    ranked = sorted(stories, key=lambda one: digest(seed, element.slug, grade, one.slug))
    for place, story in enumerate(ranked):
        if number := total // len(ranked) + (place < total % len(ranked)):
            yield story, number


def _of_story(
    element: Element, generator: Generator, story: Story, grade: int, seed: int, number: int
) -> Iterator[Question]:
    seen: set[tuple] = set()
    for n in range(1, number + 1):
        name = f"{element.slug}.{grade}.{story.slug}.{n:04d}"
        rng = Random(digest(seed, "steer", name))
        draft = _new_draft(generator, story, grade, rng, seen)
        if draft is None:
            raise DocumentError(
                [
                    f"steer: the story '{story.slug}' of {element.slug} gives no more than {n - 1} "
                    f"different questions at grade {grade}; ask for fewer (steer.per_cell), or "
                    f"write more stories or wider sizes."
                ]
            )
        seen.add(_wording(draft))
        yield Question(name, element, story, grade, seed, draft, _shuffled(draft, rng))


def _new_draft(
    generator: Generator, story: Story, grade: int, rng: Random, seen: set[tuple]
) -> Draft | None:
    for _ in range(MOST_REDRAWS):
        draft = generator.draw(Draw(story, grade, rng))
        if draft is not None and _wording(draft) not in seen:
            refuse_unsound(draft, f"{generator.element}: {story.slug}: grade {grade}")
            return draft
    return None


def refuse_unsound(draft: Draft, where: str) -> None:
    """Raise ValueError for a draft that breaks what every question must keep."""
    keys = [part.key for part in draft.parts]
    if draft.rule is None and any(key is None or key.mistake is not None for key in keys):
        raise ValueError(f"{where}: a part has no key, or its key a mistake")
    if draft.rule is not None and (draft.rule not in RULES or any(keys)):
        raise ValueError(f"{where}: {draft.rule!r} is no rule of rules.py, or parts have keys too")
    for part in draft.parts:
        _refuse_unsound_part(part, draft.rule, where)


def _refuse_unsound_part(part: Part, rule: str | None, where: str) -> None:
    texts = [option.text for option in part.options]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        raise ValueError(f"{where}: fewer than two options, or one of them twice: {texts}")
    if any("{" in text or "  " in text for text in (part.text, *texts)):
        raise ValueError(f"{where}: a brace or two spaces in {part.text!r} or {texts}")
    if rule is None and any(o.mistake is None for o in part.options if o is not part.key):
        raise ValueError(f"{where}: an option that is not the key names no mistake: {texts}")
    if rule is not None and not all(option.meaning for option in part.options):
        raise ValueError(f"{where}: an option says nothing to the rule: {texts}")


def _wording(draft: Draft) -> tuple:
    return tuple((p.text, *sorted(option.text for option in p.options)) for p in draft.parts)


def _shuffled(draft: Draft, rng: Random) -> tuple[tuple[Option, ...], ...]:
    return tuple(tuple(rng.sample(part.options, len(part.options))) for part in draft.parts)


def _refuse_equal(questions: Sequence[Question]) -> None:
    first: dict[tuple, str] = {}
    for one in questions:
        other = first.setdefault(_wording(one.draft), one.question_id)
        if other != one.question_id:
            same = f"{other} and {one.question_id}"
            raise DocumentError([f"steer: the questions {same} are the same; change a story."])


def _rows(one: Question) -> Iterator[dict[str, Any]]:
    draft = one.draft
    shared = {
        "question_id": one.question_id,
        "element": one.element.slug,
        "module": one.element.module,
        "setting": one.element.setting,
        "domain": one.story.domain,
        "grade": one.grade,
        "template": one.story.slug,
        "origin": one.story.origin,
        "person": one.story.person,
        "seed": one.seed,
        "rule": draft.rule,
        "guess_rate": float(guessing(draft)),
        "explanation": draft.explanation,
        "instance": json.dumps(draft.instance, ensure_ascii=False),
    }
    for number, (part, shown) in enumerate(zip(draft.parts, one.shown, strict=True), start=1):
        yield {
            **shared,
            "part": number,
            "text": part.text,
            "options": [option.text for option in shown],
            "key": None if part.key is None else shown.index(part.key) + 1,
            "value": None if part.value is None else float(part.value),
            "meanings": [option.meaning for option in shown] if draft.rule else None,
            "mistakes": None if draft.rule else [option.mistake for option in shown],
        }
