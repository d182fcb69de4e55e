"""Questions as prompts: one conversation a question, its parts one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import polars as pl

from rationale.asking.prompts import Prompt, from_table, to_table
from rationale.seeds import digest
from rationale.surveys.steer.forms import Form
from rationale.surveys.steer.reading import LETTERS, expected_reply
from rationale.surveys.steer.rules import consistent

# What one token is at least, in characters of plain English; examples are left out before it is full.
CHARACTERS_A_TOKEN = 3


@dataclass(frozen=True)
class Put:
    """One question as it is put: a prompt, and what its grading needs to know.

    ``keys`` are the right places, a part (None where a rule grades); ``shots`` how many examples it
    shows, ``wanted`` how many the form asks for; ``none_places`` where the option stands, a part, that
    reads that no other is correct.
    """

    prompt: Prompt
    keys: list[int | None]
    shots: int
    wanted: int
    none_places: list[int] | None = None


KEYS = {
    "question_id": pl.String,
    "keys": pl.List(pl.Int64),
    "shots": pl.Int64,
    "wanted": pl.Int64,
    "none_places": pl.List(pl.Int64),
}


def put_tables(puts: Sequence[Put]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The prompts as a table, and beside it, in KEYS' columns, what their grading needs."""
    rows = [
        {
            "question_id": put.prompt.prompt_id,
            "keys": put.keys,
            "shots": put.shots,
            "wanted": put.wanted,
            "none_places": put.none_places,
        }
        for put in puts
    ]
    return to_table([put.prompt for put in puts]), pl.DataFrame(rows, schema=KEYS)


def puts_from(prompts: pl.DataFrame, keys: pl.DataFrame) -> list[Put]:
    """What `put_tables` wrote. Raises ValueError for tables that do not belong together."""
    listed, rows = from_table(prompts), keys.to_dicts()
    if [one.prompt_id for one in listed] != [row.pop("question_id") for row in rows]:
        raise ValueError("prompts and their keys name different questions; write them again")
    return [Put(prompt, **row) for prompt, row in zip(listed, rows, strict=True)]


def put_questions(
    questions: pl.DataFrame,
    form: Form,
    seed: int,
    context_tokens: int | None = None,
    examples: pl.DataFrame | None = None,
) -> list[Put]:
    """The questions that a form can put, in their order.

    ``questions`` has the columns of bank.SCHEMA; those with neither key nor rule cannot be graded and
    are not put. A form that asks for a number puts questions whose every key is one, a form with
    `none_correct` those with keys. Examples come from the same element, domain and grade: from
    ``examples``, a table of the same columns, where it has the cell, else from the other questions;
    never the question itself. Which, and in which order, follows from ``seed`` and names. Where the
    cell has fewer, or ``context_tokens`` would be passed, there are fewer.
    """
    whole = _by_question(questions)
    cells = _by_cell(whole)
    if examples is not None:
        cells |= _by_cell(_by_question(examples))
    return [
        _put(parts, form, cells[_cell(parts)], seed, context_tokens)
        for parts in whole
        if _can_put(parts, form)
    ]


def _by_question(table: pl.DataFrame) -> list[list[dict]]:
    groups = table.group_by("question_id", maintain_order=True)
    return [rows.sort("part").to_dicts() for _, rows in groups]


def _by_cell(whole: Sequence[list[dict]]) -> dict[tuple, list[list[dict]]]:
    """Questions that can be answered, by cell: an example without a right answer shows nothing."""
    cells: dict[tuple, list[list[dict]]] = {}
    for parts in filter(_can_be_graded, whole):
        cells.setdefault(_cell(parts), []).append(parts)
    return cells


def _cell(parts: Sequence[Mapping]) -> tuple:
    return parts[0]["element"], parts[0]["domain"], parts[0]["grade"]


def _can_be_graded(parts: Sequence[Mapping]) -> bool:
    return parts[0]["rule"] is not None or all(part["key"] is not None for part in parts)


def _can_put(parts: Sequence[Mapping], form: Form) -> bool:
    if not _can_be_graded(parts):
        return False
    if form.reply == "number":
        return all(part["value"] is not None for part in parts)
    return form.none_correct is None or all(part["key"] is not None for part in parts)


def _put(
    parts: Sequence[Mapping[str, Any]],
    form: Form,
    cell: Sequence[Sequence[Mapping]],
    seed: int,
    context_tokens: int | None,
) -> Put:
    name = parts[0]["question_id"]
    shown = [_shown(part, form, seed) for part in parts]
    turns, expected, first = [], [], 0
    for part, (options, *_) in zip(parts, shown, strict=True):
        if form.reasons == "apart":
            turns.append(form.reasoning.format(text=part["text"]).strip())
        expected.append(
            {"turn": len(turns), "free": True}
            if form.reply == "number"
            else {"turn": len(turns), "first": first, "options": options}
        )
        turns.append(_question(form, part["text"], options, first))
        first += len(options)
    examples = _examples(form, name, cell, seed)
    room = None if context_tokens is None else context_tokens * CHARACTERS_A_TOKEN
    while examples and room is not None and len(_behind(form, examples, "".join(turns))) > room:
        examples.pop()
    if examples:
        turns[0] = _behind(form, examples, turns[0])
    system = None if form.system is None else form.system.format().strip()
    prompt = Prompt(name, tuple(turns), 0, system, expected_reply(expected))
    places = None if form.none_correct is None else [place for *_, place in shown]
    return Put(prompt, [key for _, key, _ in shown], len(examples), form.shots, places)


def _shown(
    part: Mapping[str, Any], form: Form, seed: int
) -> tuple[list[str], int | None, int | None]:
    """The options in the order shown, the right place, and that of the option put in."""
    options = list(part["options"])
    if form.none_correct is None:
        return options, part["key"], None
    place = Random(digest(seed, "none-correct", part["question_id"], part["part"])).randrange(
        len(options)
    )
    options[place] = form.none_correct
    return options, part["key"], place + 1


def lettered(options: Sequence[str], first: int = 0) -> str:
    """Options a line each, behind their letters; ``first`` is the place of the first letter."""
    return "\n".join(f"{LETTERS[first + n]}. {text}" for n, text in enumerate(options))


def _question(form: Form, text: str, options: Sequence[str], first: int) -> str:
    return form.question.format(
        text=text, options=lettered(options, first), instruction=form.instruction
    ).strip()


def _examples(form: Form, name: str, cell: Sequence[Sequence[Mapping]], seed: int) -> list[str]:
    if not form.shots:
        return []
    others = {parts[0]["question_id"]: parts for parts in cell if parts[0]["question_id"] != name}
    ranked = sorted(others, key=lambda other: digest(seed, "shots", name, other))
    return [_answered(others[other], form, seed) for other in ranked[: form.shots]]


def _behind(form: Form, examples: Sequence[str], text: str) -> str:
    opened = form.examples.format(examples="\n\n".join(examples)).strip()
    return f"{opened}\n\n{text}"


def _answered(parts: Sequence[Mapping[str, Any]], form: Form, seed: int) -> str:
    """An example with its right answers; where a rule grades, answers that satisfy it."""
    right = [part["key"] for part in parts]
    if parts[0]["rule"] is not None:
        right = _consistent(parts, seed)
    lines, first = [], 0
    for part, key in zip(parts, right, strict=True):
        lines += [
            part["text"],
            lettered(part["options"], first),
            f"Answer: {LETTERS[first + key - 1]}",
        ]
        first += len(part["options"])
    return "\n\n".join(lines)


def _consistent(parts: Sequence[Mapping[str, Any]], seed: int) -> list[int]:
    ways = [
        way
        for way in product(*(range(1, len(part["options"]) + 1) for part in parts))
        if consistent(
            parts[0]["rule"],
            [part["meanings"][place - 1] for part, place in zip(parts, way, strict=True)],
        )
    ]
    return list(Random(digest(seed, "shot", parts[0]["question_id"])).choice(ways))
