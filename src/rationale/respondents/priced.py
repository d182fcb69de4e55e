"""How a simulated respondent makes out and answers the prompts of a priced survey."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

_OPTION = re.compile(r"^Option (\d+): (\d+(?:, \d+)*)$", re.MULTILINE)
_STATEMENT = re.compile(r"^(\d+)\. \S", re.MULTILINE)
_HIGHEST = re.compile(r"\b0\b.{0,400}?\b(?:to|and)\s+(\d+)\b", re.DOTALL)

_NOTES = (
    "Option {0}. Note: This choice is a balance of the statements and not a personal conviction.",
    "**Option {0}**\n\nNote: I do not hold beliefs; this set simply seemed the most even-handed.",
    "Option {0}\n\nI weighed every statement and this came closest.",
    "I choose Option {0} because it is the most moderate on the statements that matter most.",
    "Having looked at every set, my answer is Option {0}.",
    "Option {0} (this is only an approximation of my stance)",
)
_MUMBLES = (
    "Option {0} or Option {1}, it depends on the circumstances.",
    "Somewhere around {0}, I would say.",
    "If I were a person I might choose Option {0}, but I am not one.",
    "Option {2}",
    "The statements are hard to compare with one another.",
    "",
)


@dataclass(frozen=True)
class Taste:
    """Utility -1/2 sum a_s (q_s - b_s)^2 with ideal b, weights a (sum 1) and a logit noise scale."""

    ideal: np.ndarray
    weights: np.ndarray
    noise: float

    def utility(self, answers: np.ndarray) -> np.ndarray:
        """Utility of (n, S) answers, (n,)."""
        return -0.5 * ((answers - self.ideal) ** 2) @ self.weights


@dataclass(frozen=True)
class Choice:
    """A constrained round as made out from its words: options (n, S) in shown order."""

    options: np.ndarray


@dataclass(frozen=True)
class Rating:
    """An open round as made out from its words."""

    statements: int
    high: int


def understand(words: str) -> Choice | Rating | None:
    """What a prompt asks for, or None. Options and statements must be numbered from 1."""
    found = _OPTION.findall(words)
    if found:
        rows = [[int(rating) for rating in row.split(", ")] for _, row in found]
        equal = len({len(row) for row in rows}) == 1
        return Choice(np.array(rows)) if equal and _in_order(n for n, _ in found) else None
    statements, highest = _STATEMENT.findall(words), _HIGHEST.search(words)
    if not statements or not highest or not _in_order(statements):
        return None
    return Rating(len(statements), int(highest.group(1)))


def _in_order(numbers: Iterable[str]) -> bool:
    return all(int(number) == place for place, number in enumerate(numbers, start=1))


def choose(options: np.ndarray, taste: Taste, draw: np.random.Generator) -> int:
    """The 0-based option: best by utility plus Gumbel noise (logit); exact ties are drawn."""
    utility = taste.utility(options)
    if taste.noise > 0:
        loss = utility - utility.max()
        return int(np.argmax(loss / taste.noise + draw.gumbel(size=len(loss))))
    best = np.flatnonzero(utility >= utility.max() - 1e-12)
    return int(draw.choice(best))


def rate(task: Rating, taste: Taste | None, draw: np.random.Generator) -> str:
    """Ratings in words: the best answer of all by the same noisy utility, any answer without one."""
    if taste is None:
        return ", ".join(map(str, draw.integers(0, task.high + 1, size=task.statements)))
    scale = np.arange(task.high + 1)
    ratings = [
        choose(scale[:, None], Taste(taste.ideal[[s]], taste.weights[[s]], taste.noise), draw)
        for s in range(task.statements)
    ]
    return ", ".join(map(str, ratings))


def with_note(number: int, draw: np.random.Generator) -> str:
    """The option with a note, as real models write them."""
    return _NOTES[draw.integers(len(_NOTES))].format(number)


def mumble(number: int, options: int, draw: np.random.Generator) -> str:
    """Words that name no single option on the list."""
    other = number % options + 1
    return _MUMBLES[draw.integers(len(_MUMBLES))].format(number, other, options + number)
