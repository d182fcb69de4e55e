"""How a simulated respondent makes out and answers the questions of STEER.

Draws follow from the words that open a conversation, so that all its turns agree on one answer, and
equal words get an equal answer whatever form put them: the journal knows them as one call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import log
from typing import Any

import numpy as np

from rationale.surveys.steer.behaviours import BEHAVIOURS, asked_of, shows
from rationale.surveys.steer.reading import LETTERS
from rationale.surveys.steer.rules import consistent

_OPTION = re.compile(r"([A-Z])\. (\S.*)")
_NUMBER = re.compile(r"\b(?:number|figures?|digits?)\b", re.IGNORECASE)
_EXPLAIN = re.compile(r"\b(?:explain|reason\w*|think|step by step)\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"^Answer: [A-Z]$", re.MULTILINE)
_SHOTS = re.compile(r"shots-\d+")

# What a probability given to an answer stays within, and by how much it is the highest.
LEAST, MOST, AHEAD = 0.001, 0.999, 0.01

# The behaviours that people's biases are: at most one is known in an element.
BIASES = ("human-like", "loss-averse")

_REASONS = (
    "I took the facts one at a time and looked at what follows from them.",
    "What counts here is what can still be changed; the rest I left aside.",
    "I worked through the case from the end to the start. Then I checked each step again.",
    "I compared what each way would bring, and kept what holds up.",
)
_NOTES = (
    "**{0}**",
    "({0})",
    "{0}. {1}",
    "The answer is {0}.",
    "Answer: {0}\n\nThis is as far as the question goes; other circumstances may matter.",
)
_NOTES_BEHIND_REASONS = (
    "**Answer: {0}**",
    "Answer: {0}\n\nThis is as far as the question goes; other circumstances may matter.",
)
_NOTES_ON_NUMBERS = (
    "**{0}**",
    "The answer is {0}.",
    "Answer: {0}\n\nRounded where that was needed.",
)
_MUMBLES = (
    "It depends on what matters most.",
    "There is something to be said for several of these.",
    "One would have to know more about the case.",
    "Several of them could be defended.",
    "",
)


@dataclass(frozen=True)
class Abilities:
    """How well a simulated respondent answers STEER's questions.

    ``accuracy`` is its chance to be right: one share, or shares by grade, linear between the grades
    given and constant beyond them. ``bias`` holds, by element, the share of answers that people's
    bias gives, where it gives a wrong one; the others are right, whatever the grade or form.
    ``forms`` is what a form adds to accuracy; a form ``shots-n`` counts as the one with as many
    examples as are shown (``plain`` where none is). ``overconfidence`` is what the probability given
    to the chosen answer is above its chance to be right; ``probabilities`` says whether any are given.
    """

    accuracy: float | Mapping[str, float] = 0.7
    bias: Mapping[str, float] = field(default_factory=dict)
    overconfidence: float = 0.0
    forms: Mapping[str, float] = field(default_factory=dict)
    probabilities: bool = True


@dataclass(frozen=True)
class Shown:
    """What a message asks for: ``letter``, ``number`` or ``reasons``, and of which part (from 0).

    ``options`` are as shown behind letters that begin at place ``first``, ``places`` the part's own
    places (from 0) in the order shown; ``explain`` says that reasons are wanted before the letter.
    """

    asks: str
    part: int = 0
    first: int = 0
    options: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    explain: bool = False


@dataclass(frozen=True)
class Solved:
    """A question's answer: a place (from 0) a part, whether it is right, and the chance that it was."""

    chosen: tuple[int, ...]
    right: bool
    chance: float


def understand(words: str, parts: Sequence[Mapping[str, Any]], turn: int) -> Shown | None:
    """What the last message shows of a question, or None where it cannot be made out.

    Options before the text belong to examples. The letter of the first option tells the part, as
    letters go on from part to part. Without options a number is asked for where the words behind the
    text say so, and reasons otherwise; ``turn`` tells parts of equal text.
    """
    ends = [
        words.rfind(part["text"]) + len(part["text"]) for part in parts if part["text"] in words
    ]
    behind = words[max(ends, default=0) :]
    first, options, rest = _last_block(behind)
    if options:
        return _lettered(first, options, rest, parts)
    if not ends:
        return None
    if _NUMBER.search(behind):
        return _number(words, parts, turn)
    return Shown("reasons")


def _last_block(words: str) -> tuple[int, tuple[str, ...], str]:
    """The last options in a row: the place of their first letter, their texts, the words behind."""
    block: list[tuple[int, str]] = []
    rest: list[str] = []
    for line in words.splitlines():
        found = _OPTION.fullmatch(line)
        if found is None:
            rest.append(line)
            continue
        place = LETTERS.index(found[1])
        if rest or not block or place != block[-1][0] + 1:
            block, rest = [], []
        block.append((place, found[2]))
    first = block[0][0] if block else 0
    return first, tuple(text for _, text in block), "\n".join(rest)


def _lettered(
    first: int, options: tuple[str, ...], rest: str, parts: Sequence[Mapping[str, Any]]
) -> Shown | None:
    begins = 0
    for number, part in enumerate(parts):
        if begins == first:
            places = _places(options, part["options"])
            explain = bool(_EXPLAIN.search(rest))
            return places and Shown("letter", number, first, options, places, explain)
        begins += len(part["options"])
    return None


def _places(shown: Sequence[str], own: Sequence[str]) -> tuple[int, ...] | None:
    """The own place of each option shown; one that is not known stands for the one that is missing."""
    missing = [place for place, text in enumerate(own) if text not in shown]
    unknown = [text for text in shown if text not in own]
    if len(shown) != len(own) or len(unknown) != len(missing) or len(missing) > 1:
        return None
    return tuple(own.index(text) if text in own else missing[0] for text in shown)


def _number(words: str, parts: Sequence[Mapping[str, Any]], turn: int) -> Shown | None:
    told = [number for number, part in enumerate(parts) if part["text"] in words]
    part = turn if turn in told else told[-1]
    return None if parts[part]["value"] is None else Shown("number", part)


def accuracy_at(abilities: Abilities, grade: int) -> float:
    """The chance to be right at a grade, before what a form adds."""
    if not isinstance(abilities.accuracy, Mapping):
        return float(abilities.accuracy)
    known = sorted((float(key), share) for key, share in abilities.accuracy.items())
    return float(np.interp(grade, *zip(*known, strict=True)))


def chance_right(abilities: Abilities, part: Mapping[str, Any], form: str) -> float:
    """The chance to answer a question right, in a form without its suffix."""
    if part["element"] in abilities.bias:
        return 1.0 - abilities.bias[part["element"]]
    return float(
        np.clip(accuracy_at(abilities, part["grade"]) + abilities.forms.get(form, 0.0), 0, 1)
    )


def form_shown(form: str, opening: str, parts: Sequence[Mapping[str, Any]]) -> str:
    """The form without its suffix; by the examples that it shows, not by those that it wants."""
    name = form.split(".")[0]
    if not _SHOTS.fullmatch(name):
        return name
    shown = len(_EXAMPLE.findall(opening)) // len(parts)
    return f"shots-{shown}" if shown else "plain"


def solve(
    abilities: Abilities, parts: Sequence[Mapping[str, Any]], form: str, draw: np.random.Generator
) -> Solved:
    """The answer to all parts of a question, drawn once."""
    wrong = answers(parts, right=False)
    chance = chance_right(abilities, parts[0], form)
    if parts[0]["element"] in abilities.bias:
        wrong = biased_answers(parts)
        chance = chance if wrong else 1.0
    right = bool(draw.random() < chance)
    ways = answers(parts, right=True) if right else wrong
    return Solved(ways[draw.integers(len(ways))], right, chance)


def answers(parts: Sequence[Mapping[str, Any]], right: bool) -> list[tuple[int, ...]]:
    """All right ways to answer, or all wrong ones: a place (from 0) a part."""
    ways = product(*(range(len(part["options"])) for part in parts))
    return [way for way in ways if _is_right(parts, way) == right]


def _is_right(parts: Sequence[Mapping[str, Any]], way: tuple[int, ...]) -> bool:
    pairs = zip(parts, way, strict=True)
    if parts[0]["rule"] is None:
        return all(place == part["key"] - 1 for part, place in pairs)
    return consistent(parts[0]["rule"], [part["meanings"][place] for part, place in pairs])


def biased_answers(parts: Sequence[Mapping[str, Any]]) -> list[tuple[int, ...]]:
    """The wrong ways to answer that people's bias gives.

    None where the bias has nothing to get wrong, as where going on is right; any wrong one in
    elements without a known bias.
    """
    wrong = answers(parts, right=False)
    named = [name for name in BIASES if parts[0]["element"] in BEHAVIOURS[name]]
    if not named:
        return wrong
    asked = asked_of(parts)
    return [way for way in wrong if shows(named[0], asked, [place + 1 for place in way])]


def number_said(value: float, right: bool) -> str:
    """A number to six significant digits; a wrong one is a tenth of its size and one above."""
    return f"{value if right else value + 0.1 * abs(value) + 1:.6g}"


def confidence(abilities: Abilities, chance: float, options: int) -> float:
    """The probability given to the chosen one of so many options: always the highest of all."""
    stated = float(np.clip(chance + abilities.overconfidence, LEAST, MOST))
    return max(stated, 1 / options + AHEAD)


def say(shown: Shown, place: int, draw: np.random.Generator, note: bool = False) -> str:
    """The reply that takes the option shown at a place; with a note in the dress of real models."""
    letter, text = LETTERS[shown.first + place], shown.options[place]
    notes = _NOTES_BEHIND_REASONS if shown.explain else _NOTES
    words = f"Answer: {letter}" if shown.explain else letter
    if note:
        words = _one(notes, draw).format(letter, text)
    return f"{_one(_REASONS, draw)}\n\n{words}" if shown.explain else words


def letter_logprobs(shown: Shown, place: int, p: float, reply: str) -> list[dict[str, Any]]:
    """The letter's token alone, and those of the other options, which share what is left evenly."""
    space = "" if reply == LETTERS[shown.first + place] else " "
    rest = (1 - p) / (len(shown.options) - 1)
    listed = [
        {"token": f"{space}{LETTERS[shown.first + n]}", "logprob": log(p if n == place else rest)}
        for n in range(len(shown.options))
    ]
    listed.sort(key=lambda one: -one["logprob"])
    chosen = {"token": f"{space}{LETTERS[shown.first + place]}", "logprob": log(p)}
    return [{**chosen, "top": listed}]


def reasons(draw: np.random.Generator) -> str:
    """Reasons that name no option."""
    return _one(_REASONS, draw)


def with_note(number: str, draw: np.random.Generator) -> str:
    """A number in the dress that real models give it."""
    return _one(_NOTES_ON_NUMBERS, draw).format(number)


def mumble(draw: np.random.Generator) -> str:
    """Words that name no option and no number."""
    return _one(_MUMBLES, draw)


def _one(texts: Sequence[str], draw: np.random.Generator) -> str:
    return texts[draw.integers(len(texts))]
