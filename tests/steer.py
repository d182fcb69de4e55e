"""Elements' questions for tests, and a text model that sees nothing but the options."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from math import log, sqrt
from pathlib import Path

import numpy as np

from rationale.surveys.steer.bank import Question, draw_questions, generator_of
from rationale.surveys.steer.stories import Story, read_stories, read_words
from rationale.surveys.steer.taxonomy import Taxonomy, read_taxonomy

HOME = Path(__file__).parents[1]
RESOURCES = HOME / "resources/steer"
SCHEMAS = HOME / "workflow/schemas"
BUCKETS = 512
# The most questions of an element that a test looks at: none, or fewer where slow tests are left out.
most: int | None = None


@lru_cache
def taxonomy() -> Taxonomy:
    return read_taxonomy(RESOURCES / "taxonomy.yaml", SCHEMAS / "taxonomy.schema.json")


@lru_cache
def stories(element: str) -> list[Story]:
    generator = generator_of(taxonomy().elements[element])
    return read_stories(
        RESOURCES / f"stories/{element}.yaml",
        SCHEMAS / "stories.schema.json",
        taxonomy().domains,
        read_words(RESOURCES / "words.yaml"),
        generator.texts,
        generator.sizes,
    )


def questions(element: str, total: int = 1000, seed: int = 1) -> list[Question]:
    """At least ``total`` questions of an element, evenly over its domains and grades."""
    return _questions(element, total if most is None else min(most, total), seed)


def share(number: int) -> int:
    """What is left of a number out of 1,000 questions where fewer are looked at."""
    return number if most is None else number * most // 1000


@lru_cache(maxsize=80)
def _questions(element: str, total: int, seed: int) -> list[Question]:
    found = taxonomy().elements[element]
    cells = len({story.domain for story in stories(element)}) * len(found.grades)
    return draw_questions(found, stories(element), seed=seed, per_cell=-(-total // cells))


def keyed_parts(drawn: list[Question]) -> list[tuple[list[str], int]]:
    """Option texts in the order shown and the key's place, for each part that has a key."""
    return [
        ([option.text for option in shown], shown.index(part.key))
        for one in drawn
        for part, shown in zip(one.draft.parts, one.shown, strict=True)
        if part.key is not None
    ]


def features(options: list[str]) -> np.ndarray:
    """What the options alone show, a row an option: length, rank, likeness to the others, words."""
    words = [re.findall(r"[a-z]+|\d+|[^\w\s]", text.lower()) for text in options]
    lengths = [len(text) for text in options]
    numbers = [_first_number(text) for text in options]
    rows = []
    for place, text in enumerate(options):
        row = np.zeros(16 + BUCKETS)
        row[0] = log(len(text))
        row[1 + min(5, sorted(lengths).index(lengths[place]))] = 1
        if all(value is not None for value in numbers):
            row[7 + min(5, sorted(numbers).index(numbers[place]))] = 1
        mine = set(words[place])
        others = [set(found) for number, found in enumerate(words) if number != place]
        row[13] = np.mean([len(mine & o) / max(1, len(mine | o)) for o in others])
        for word in (
            *words[place],
            *map(" ".join, zip(words[place], words[place][1:], strict=False)),
        ):
            row[16 + zlib.crc32(word.encode()) % BUCKETS] += 1 / sqrt(len(words[place]) or 1)
        rows.append(row)
    return np.array(rows)


def options_only_accuracy(parts: list[tuple[list[str], int]]) -> tuple[float, float, int]:
    """Accuracy, chance and number of test parts of a conditional logit that sees the options alone.

    It learns on every other part and is tested on the rest.
    """
    learn, test = parts[::2], parts[1::2]
    prepared = [(features(options), key) for options, key in learn]
    weights = np.zeros(16 + BUCKETS)
    for step in range(12):
        for rows, key in prepared:
            score = rows @ weights
            share = np.exp(score - score.max())
            share /= share.sum()
            weights += 0.3 / (1 + step) * (rows[key] - share @ rows) - 1e-4 * weights
    right = [np.argmax(features(options) @ weights) == key for options, key in test]
    chance = float(np.mean([1 / len(options) for options, _ in test]))
    return float(np.mean(right)), chance, len(test)


def _first_number(text: str) -> float | None:
    found = re.search(r"-?\$?\d[\d,]*\.?\d*", text)
    return float(found[0].replace("$", "").replace(",", "").rstrip(".")) if found else None
