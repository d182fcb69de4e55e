"""Grading: what was chosen against the key or the rule, and how sure the respondent was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import Any

import polars as pl

from rationale.surveys.replies import Reading
from rationale.surveys.steer.prompts import Put
from rationale.surveys.steer.reading import LETTERS, expected_reply, read, same_number
from rationale.surveys.steer.rules import consistent

GRADED = {
    "question_id": pl.String,
    "element": pl.String,
    "module": pl.String,
    "setting": pl.String,
    "domain": pl.String,
    "grade": pl.Int64,
    "template": pl.String,
    "origin": pl.String,
    "status": pl.String,
    "step": pl.String,
    "chosen": pl.List(pl.Float64),
    "right": pl.Boolean,
    "guess_rate": pl.Float64,
    "p_options": pl.List(pl.Float64),
    "key": pl.Int64,
    "shots": pl.Int64,
    "wanted": pl.Int64,
    "texts": pl.List(pl.String),
    "none_places": pl.List(pl.Int64),
}
# Steps of reading that can rest on a letter.
_BY_LETTER = ("letter", "lettered", "stated")
_DRESSED = re.compile(rf"[\W_]*([{LETTERS}])[\W_]*")
# Behind a letter that names an option a line ends, or a sign stands: else it is a word, "A loan".
_STANDS_ALONE = re.compile(r"\s*(?:[^\w\s'’]|$)")
_SHARED = ("element", "module", "setting", "domain", "grade", "template", "origin")


def grade_answers(
    questions: pl.DataFrame, puts: Sequence[Put], answers: pl.DataFrame
) -> pl.DataFrame:
    """A row a question that was put, in the columns of GRADED.

    Parameters
    ----------
    questions : the columns of bank.SCHEMA.
    puts : how each was put.
    answers : every attempt, the columns of asking.answers.SCHEMA.

    ``right`` is empty unless the reply was read: what is unread is not wrong. Of several attempts the
    first that can be read counts. ``p_options`` are the probabilities that the respondent gave to the
    letters of a question with one keyed part, as far as the provider told them, and ``key`` the place
    of the right one from 1; empty otherwise. ``guess_rate`` is 0 where a number was asked for.
    ``texts`` are the words of the attempt that counts: the one that was read, else the last.
    Raises ValueError for a question that was never put.
    """
    parts = {
        name: rows.sort("part").to_dicts()
        for (name,), rows in questions.group_by("question_id", maintain_order=True)
    }
    attempts = answers.sort("attempt").partition_by("prompt_id", as_dict=True)
    rows = []
    for put in puts:
        name = put.prompt.prompt_id
        if (name,) not in attempts:
            raise ValueError(f"the question {name} was never put; ask its block again")
        tried = attempts[(name,)].to_dicts()
        rows.append(_graded(put, parts[name], tried))
    return pl.DataFrame(rows, schema=GRADED)


def _graded(
    put: Put, parts: Sequence[Mapping[str, Any]], attempts: Sequence[Mapping]
) -> dict[str, Any]:
    row, reading, status = _first_read(put, attempts)
    counts = attempts[-1] if row is None else row
    expected = json.loads(put.prompt.reply)["parts"]
    free = "free" in expected[0]
    probabilities = None
    if reading is not None and not free and len(parts) == 1:
        probabilities = letter_probabilities(row["logprobs"], expected[0], reading.value[0])
    return {
        "question_id": put.prompt.prompt_id,
        **{name: parts[0][name] for name in _SHARED},
        "status": status,
        "step": None if reading is None else reading.step,
        "chosen": None if reading is None else [float(value) for value in reading.value],
        "right": None if reading is None else is_right(parts, put.keys, reading.value, free),
        "guess_rate": 0.0 if free else parts[0]["guess_rate"],
        "p_options": probabilities,
        "key": put.keys[0] if probabilities is not None else None,
        "shots": put.shots,
        "wanted": put.wanted,
        "texts": list(counts["text"]),
        "none_places": put.none_places,
    }


def _first_read(
    put: Put, attempts: Iterable[Mapping]
) -> tuple[Mapping | None, Reading | None, str]:
    """The first attempt that can be read, its reading, and the status of the question."""
    status = "error"
    for row in attempts:
        if row["status"] in ("error", "truncated") or row["finish_reason"] == "content_filter":
            status = row["status"] if row["status"] != "error" else status
            continue
        reading = read(put.prompt.reply, row["text"])
        if reading.status == "answered":
            return row, reading, "answered"
        status = reading.status
    return None, None, status


def is_right(
    parts: Sequence[Mapping[str, Any]],
    keys: Sequence[int | None],
    chosen: Sequence[int | float],
    free: bool = False,
) -> bool:
    """Whether every part has its key (three significant figures of a number), or the rule holds."""
    if free:
        pairs = zip(parts, chosen, strict=True)
        return all(same_number(found, part["value"]) for part, found in pairs)
    if parts[0]["rule"] is None:
        return list(keys) == list(chosen)
    meanings = [part["meanings"][int(place) - 1] for part, place in zip(parts, chosen, strict=True)]
    return consistent(parts[0]["rule"], meanings)


def letter_probabilities(
    logprobs: Sequence[Sequence[Mapping]] | None, part: Mapping[str, Any], place: int
) -> list[float] | None:
    """The probability of each option's letter where the reply settles on one; None when unknown.

    ``logprobs`` are the tokens of each turn with the likeliest of each place, ``part`` the letters
    as `reading.expected_reply` has them, and ``place`` what the reply was read as, from 1. A reply
    settles on the last line that reads as that option, at the token of its letter: no other letter
    counts, not in the reasons before and not as a word of the option behind. A letter that is not
    among the tokens told has probability 0; equal letters in other dress (" B", "(B") are added up.
    """
    told = logprobs[-1] if logprobs else None
    settled = _settling(told or (), part, place)
    if settled is None or not settled.get("top"):
        return None
    letters = _letters(part)
    found = dict.fromkeys(letters, 0.0)
    for token, logprob in _likeliest(settled):
        if _letter(token) in found:
            found[_letter(token)] += exp(logprob)
    return [min(1.0, value) for value in found.values()]


def _letters(part: Mapping[str, Any]) -> str:
    return LETTERS[part["first"] : part["first"] + len(part["options"])]


def _likeliest(settled: Mapping) -> set[tuple[str, float]]:
    """What is told of a place: each token once, and the one that was said even if it is left out."""
    told = {(other["token"], other["logprob"]) for other in settled["top"]}
    if settled["token"] not in {token for token, _ in told}:
        told.add((settled["token"], settled["logprob"]))
    return told


def _settling(tokens: Sequence[Mapping], part: Mapping[str, Any], place: int) -> Mapping | None:
    """The token of the letter by which a reply names what it was read as."""
    letter = _letters(part)[place - 1]
    alone = expected_reply([{**part, "turn": 0}])
    for line in reversed(_lines(tokens)):
        words = "".join(text for text, _ in line)
        reading = read(alone, [words])
        if reading.value != [place] or reading.step not in _BY_LETTER:
            continue
        end = 0
        for text, token in line:
            end += len(text)
            if _letter(text) == letter and _STANDS_ALONE.match(
                text.rpartition(letter)[2] + words[end:]
            ):
                return token
    return None


def _lines(tokens: Sequence[Mapping]) -> list[list[tuple[str, Mapping]]]:
    """Lines of (text, token); a token that goes over the end of a line is a piece in each."""
    lines: list[list[tuple[str, Mapping]]] = [[]]
    for token in tokens:
        first, *others = _undressed(token["token"]).split("\n")
        lines[-1].append((first, token))
        lines += [[(text, token)] for text in others]
    return lines


def _undressed(token: str) -> str:
    """A token as text: some servers tell blanks and line ends as their tokenizer spells them."""
    return token.replace("▁", " ").replace("Ġ", " ").replace("Ċ", "\n").replace("<0x0A>", "\n")


def _letter(token: str) -> str | None:
    """The capital letter that a token is, whatever signs are around it; None for other tokens."""
    found = _DRESSED.fullmatch(_undressed(token))
    return found[1] if found else None
