"""Reading replies to a question: a letter, an option's text, or a number; strict, in named steps.

A reply counts when it names one option and nothing contradicts it. Where a reply reasons first, only a
line that says it is the answer ("Answer: B", "The answer is B") counts, and two such lines that name
different options count as none. Words of reasoning are never searched for the option they favour.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rationale.surveys.replies import Reading, plain, refuses

STEPS = ("letter", "lettered", "text", "stated", "number", "conflict", "refusal", "none")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_LEAD = r"(?:(?:so|thus|therefore|hence|in short|in conclusion),? *)?"
_SUBJECT = (
    r"(?:(?:my |the )?(?:final |correct |right |best )*(?:answer|choice|option)"
    r"(?: (?:is|would be|must be)(?: option| choice| answer)?)? *:? *"
    r"|i(?:'d| would| will)? (?:choose|pick|select|prefer|take|go with|answer)"
    r"(?: option| answer)? *:? *)"
)
_BARE = re.compile(
    rf"(?:(?:option|answer|choice) *)?[(\[{{]?([{LETTERS}])[)\].:}}]*", re.IGNORECASE
)
_LETTERED = re.compile(
    rf"(?:(?:option|answer|choice) +)?[(\[]?([{LETTERS}])[)\].:\-–—]+ *(.+)", re.IGNORECASE
)
_STATED = re.compile(
    rf"{_LEAD}{_SUBJECT}[(\[{{]?([{LETTERS}])(?:[)\].:,;}}\-–—]+ *(.*)|$)", re.IGNORECASE
)
_STATED_TEXT = re.compile(rf"{_LEAD}{_SUBJECT}(.+)", re.IGNORECASE)
_NUMBER = r"-?[$€£]? ?-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
_LONE_NUMBER = re.compile(rf"[^\d\n]{{0,20}}?({_NUMBER})[^\d\n]{{0,30}}", re.IGNORECASE)
_STATED_NUMBER = re.compile(
    rf"{_LEAD}(?:the |my )?(?:final )?(?:answer|result|total)(?: is| =|:)? *:? *[^\d\n]{{0,12}}?"
    rf"({_NUMBER})(?:[^\d\n]{{0,40}})",
    re.IGNORECASE,
)


def expected_reply(parts: Sequence[Mapping[str, Any]]) -> str:
    """What `read` needs to know of a prompt, as JSON.

    A part has the ``turn`` (from 0) whose reply answers it, and either ``options`` in the order shown
    with the letter of the ``first`` as its place in the alphabet, or ``free`` for a number.
    """
    return json.dumps({"parts": list(parts)}, ensure_ascii=False, sort_keys=True)


def read(expected: str, texts: Sequence[str]) -> Reading:
    """The reading of a conversation: answered when every part is, with a list of one value a part.

    A value is the place of the chosen option from 1, or a number. ``step`` is the step that decided
    the last part that was read. Else the status of the first part that is not answered.
    """
    values, step = [], None
    for part in json.loads(expected)["parts"]:
        reading = (
            _free(texts[part["turn"]]) if part.get("free") else _choice(part, texts[part["turn"]])
        )
        if reading.status != "answered":
            return reading
        values.append(reading.value)
        step = reading.step
    return Reading("answered", values, step)


def same_number(found: float, key: float, digits: int = 3) -> bool:
    """Whether two numbers are the same at so many significant figures."""
    return _rounded(found, digits) == _rounded(key, digits)


def _rounded(value: float, digits: int) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def _choice(part: Mapping[str, Any], text: str) -> Reading:
    body = plain(text)
    lines = body.splitlines()
    whole = " ".join(lines)
    known = _Options(part)
    for step, found in (
        ("letter", known.by_letter(_BARE.fullmatch(whole))),
        ("lettered", known.by_letter_and_text(_LETTERED.fullmatch(whole))),
        ("text", known.by_text(whole)),
    ):
        if found:
            return Reading("answered", found, step)
    return _settled(set(known.stated(lines)), body)


def _settled(stated: set, body: str) -> Reading:
    """What the lines that state an answer come to; None among them contradicts itself."""
    if len(stated) == 1 and None not in stated:
        return Reading("answered", stated.pop(), "stated")
    if stated:
        return Reading("invalid", None, "conflict")
    if refuses(body):
        return Reading("refused", None, "refusal")
    return Reading("invalid", None, "none")


class _Options:
    """The options of a part: by letter and by their words."""

    def __init__(self, part: Mapping[str, Any]):
        first, texts = part["first"], part["options"]
        self.places = {LETTERS[first + n]: n + 1 for n in range(len(texts))}
        self.words = {_words(text): n + 1 for n, text in enumerate(texts)}

    def by_letter(self, found: re.Match | None) -> int | None:
        return self.places.get(found[1].upper()) if found else None

    def by_text(self, text: str) -> int | None:
        return self.words.get(_words(text))

    def by_letter_and_text(self, found: re.Match | None) -> int | None:
        """The option whose letter and words agree; a letter before other words chooses nothing."""
        place = self.by_letter(found)
        return place if place and self.by_text(found[2]) == place else None

    def stated(self, lines: Sequence[str]) -> Iterator[int | None]:
        """What each line that states an answer names; None for a letter against its words."""
        for line in lines:
            found = _STATED.fullmatch(line)
            place = self.by_letter(found)
            if place:
                yield place if self.agrees(place, found[2] or "") else None
                continue
            behind = _STATED_TEXT.fullmatch(line)
            place = behind and self.by_text(behind[1])
            if place:
                yield place

    def agrees(self, place: int, behind: str) -> bool:
        """Whether the words behind a letter name no other option, by text or by a capital letter.

        The text of the very option may begin with a letter of its own: "B. A loan".
        """
        named = self.by_text(behind)
        letters = {
            self.places[one] for one in re.findall(r"\b[A-Z]\b", behind) if one in self.places
        }
        return named == place or (named is None and letters <= {place})


def _words(text: str) -> str:
    return " ".join(re.findall(r"[\w$€£%.,-]+", plain(text).casefold())).rstrip(". ")


def _free(text: str) -> Reading:
    body = plain(text).replace("−", "-")
    lines = body.splitlines()
    lone = _LONE_NUMBER.fullmatch(" ".join(lines))
    if lone:
        return Reading("answered", _number(lone[1]), "number")
    found = filter(None, map(_STATED_NUMBER.fullmatch, lines))
    return _settled({_number(one[1]) for one in found}, body)


def _number(text: str) -> float:
    return float(re.sub(r"[$€£, ]", "", text))
