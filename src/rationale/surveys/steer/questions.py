"""Questions: parts with options, and a key or a rule by which they are graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from rationale.surveys.steer.stories import Story


@dataclass(frozen=True, slots=True)
class Option:
    """An option before it has a letter.

    ``mistake`` says which known mistake leads here; None for the key and where a rule grades.
    ``meaning`` is what choosing it says to the rule, where one grades.
    """

    text: str
    mistake: str | None = None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What is asked in one turn. ``value`` is the key as a number, where the key is one."""

    text: str
    options: tuple[Option, ...]
    key: Option | None = None
    value: int | Fraction | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A question as an element's generator draws it, options in any order.

    ``instance`` holds the exact numbers from which anybody can work out the key: JSON of texts,
    whole numbers, lists and fractions as ``"1/3"``. Either every part has a key, or ``rule`` names
    the rule (rules.py) and none has.
    """

    parts: tuple[Part, ...]
    instance: Mapping[str, Any]
    explanation: str
    rule: str | None = None


class Draw:
    """One draw of a question: a story, a grade and the randomness to fill it with."""

    def __init__(self, story: Story, grade: int, rng: Random):
        self.story = story
        self.grade = grade
        self.rng = rng
        self.words = _words(story, rng)

    def say(self, text: str, **values: object) -> str:
        """A text of the story, filled with the words drawn and the values given."""
        filled = self.story.texts[text].format_map({**self.words, **values})
        return filled[:1].upper() + filled[1:]

    def phrase(self, text: str, **values: object) -> str:
        """The same without a capital at its start, to stand within a sentence."""
        return self.story.texts[text].format_map({**self.words, **values})

    def size(self, name: str) -> int | Fraction:
        """A number within the story's sizes, all steps equally likely."""
        low, high, *step = self.story.sizes[name]
        low, high, width = (Fraction(str(bound)) for bound in (low, high, *(step or [1])))
        found = low + width * self.rng.randrange(int((high - low) / width) + 1)
        return int(found) if found.denominator == 1 else found


def keyed(text: str, key: Option, others: Sequence[Option], value: Any = None) -> Part:
    """A part with one right option."""
    return Part(text, (key, *others), key, value)


Generate = Callable[[Draw], Draft | None]


@dataclass(frozen=True)
class Generator:
    """How questions of an element are drawn.

    ``texts`` maps the texts of a story to the placeholders that each must have, ``sizes`` names the
    numbers that a story must bear. ``draw`` gives None where the numbers drawn leave a tie.
    """

    element: str
    texts: Mapping[str, frozenset[str]]
    sizes: frozenset[str]
    draw: Generate


GENERATORS: dict[str, Generator] = {}


def generator(element: str, texts: Mapping[str, str], sizes: str = "") -> Callable:
    """Register a function as the generator of an element.

    ``texts`` maps each text of a story to its placeholders, separated by spaces.
    """

    def register(draw: Generate) -> Generate:
        needed = {name: frozenset(wanted.split()) for name, wanted in texts.items()}
        GENERATORS[element] = Generator(element, needed, frozenset(sizes.split()), draw)
        return draw

    return register


def _words(story: Story, rng: Random) -> dict[str, str]:
    """A word for each placeholder of the story; those of one pool differ from each other."""
    drawn: dict[str, str] = {}
    for name, pool in story.words.items():
        left = [word for word in pool if word not in drawn.values()] or list(pool)
        drawn[name] = rng.choice(left)
    return drawn
