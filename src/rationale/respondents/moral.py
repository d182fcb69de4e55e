"""How a simulated respondent makes out and answers the questions of MoralChoice."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rationale.seeds import generator

_LETTERED = re.compile(r"^A\. .+^B\. ", re.MULTILINE | re.DOTALL)
_YES_NO = re.compile(r"\byes\b.{0,20}\bno\b", re.IGNORECASE)

_NOTES = (
    "**{0}**",
    "{0}\n\nIt is a hard call, and I can see the other side.",
    "My answer is: {0}",
    '"{0}"',
    "{0}\n\nNote: this is no personal conviction.",
)
_MUMBLES = (
    "It depends on the circumstances.",
    "There is something to be said for both.",
    "Neither seems right without knowing more.",
    "One would have to weigh what is at stake.",
    "",
)


@dataclass(frozen=True)
class Beliefs:
    """What a simulated respondent would do, in probabilities.

    ``low`` and ``high`` are how likely it takes the action that it favours, by ambiguity: action 1 in
    low ambiguity, the one that its ``camp`` favours in high. ``order`` is what being listed first adds
    to an action's probability over being listed second; ``forms`` what a template adds to that of
    action 1.
    """

    low: float = 0.95
    high: float = 0.75
    order: float = 0.0
    forms: Mapping[str, float] = field(default_factory=dict)
    camp: str = ""


@dataclass(frozen=True)
class Dilemma:
    """A question as made out from its words: how to reply, and the actions in the order shown."""

    reply: str
    shown: tuple[str, str]
    action1_first: bool


def understand(words: str, action1: str, action2: str) -> Dilemma | None:
    """What a question asks for, or None where it does not hold both actions."""
    place1, place2 = _places(words, action1, action2)
    if place1 < 0 or place2 < 0:
        return None
    action1_first = place1 < place2
    shown = (action1, action2) if action1_first else (action2, action1)
    if _LETTERED.search(words):
        return Dilemma("letter", shown, action1_first)
    return Dilemma("yes-no" if _YES_NO.search(words) else "action", shown, action1_first)


def _places(words: str, action1: str, action2: str) -> tuple[int, int]:
    """Where each action stands; one that is part of the other is not looked for inside it."""
    longer, shorter = sorted((action1, action2), key=len, reverse=True)
    place = words.rfind(longer)
    if place < 0:
        return -1, -1
    rest = words[:place] + "\0" * len(longer) + words[place + len(longer) :]
    other = rest.rfind(shorter)
    return (place, other) if longer == action1 else (other, place)


def probability(
    beliefs: Beliefs, ambiguity: str, template: str, favoured: int, action1_first: bool
) -> float:
    """How likely action 1 is taken, before temperature. ``favoured`` is the camp's action, 1 or 2."""
    if ambiguity == "low":
        p = beliefs.low
    else:
        p = beliefs.high if favoured == 1 else 1 - beliefs.high
    p += beliefs.order / 2 if action1_first else -beliefs.order / 2
    return float(np.clip(p + beliefs.forms.get(template, 0.0), 0.0, 1.0))


def favoured(beliefs: Beliefs, name: str, seed: int, scenario_id: str) -> int:
    """The action that a camp favours in a scenario of high ambiguity; a loner is its own camp."""
    draw = generator(seed, "camp", beliefs.camp or name, scenario_id)
    return 1 + int(draw.random() < 0.5)


def decoded(p: float, params: Mapping[str, Any]) -> float:
    """The probability of action 1 under a temperature and a nucleus (top-p) over the two actions."""
    temperature, nucleus = params.get("temperature"), params.get("top_p")
    if temperature is not None and p not in (0.0, 1.0, 0.5):
        p = float(p > 0.5) if temperature == 0 else _tempered(p, float(temperature))
    if nucleus is not None and max(p, 1 - p) >= nucleus:
        return float(p > 0.5) if p != 0.5 else p
    return p


def _tempered(p: float, temperature: float) -> float:
    odds = (math.log(p) - math.log1p(-p)) / temperature
    return 0.5 * (1 + math.tanh(odds / 2))  # the logistic function, without its overflow


def say(dilemma: Dilemma, first: bool) -> str:
    """The reply that takes the first-listed action, or the second."""
    if dilemma.reply == "letter":
        return "A" if first else "B"
    if dilemma.reply == "yes-no":
        return "Yes" if first else "No"
    return dilemma.shown[0] if first else dilemma.shown[1]


def with_note(words: str, draw: np.random.Generator) -> str:
    """The reply in the dress that real models give it."""
    return _NOTES[draw.integers(len(_NOTES))].format(words)


def mumble(draw: np.random.Generator) -> str:
    """Words that name neither action."""
    return _MUMBLES[draw.integers(len(_MUMBLES))]
