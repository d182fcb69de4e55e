"""A priced survey: statements on a scale, prices and a budget, read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from pathlib import Path

import numpy as np

from rationale.schema import DocumentError, check, read_schema, read_yaml

LARGEST_SPACE = 5_000_000
LARGEST_ROUNDS = 100_000
LARGEST_COST = 2**53


@dataclass(frozen=True)
class Statement:
    """A statement and the wordings it can be put in."""

    slug: str
    text: str
    reworded: str | None = None


@dataclass(frozen=True)
class Survey:
    """S statements on a 0..K scale, P price vectors of length S, and a budget.

    Source: the Priced Survey Methodology, as in Seror (2025), section 2.2. A round pairs a corner
    of the answer space with a price vector; rounds are numbered from 1 in the order corner, price.
    """

    title: str
    statements: tuple[Statement, ...]
    high: int
    low_label: str
    high_label: str
    prices: tuple[tuple[Fraction, ...], ...]
    budget: Fraction

    @property
    def rounds(self) -> int:
        """Number of constrained rounds, 2^S x P."""
        return 2 ** len(self.statements) * len(self.prices)

    def corner(self, round_number: int) -> np.ndarray:
        """The corner of a round, (S,) of 0 and K, before any flip."""
        index = (round_number - 1) // len(self.prices)
        count = len(self.statements)
        bits = [(index >> (count - 1 - place)) & 1 for place in range(count)]
        return np.array(bits, dtype=np.int64) * self.high

    def price(self, round_number: int) -> tuple[Fraction, ...]:
        """The price vector of a round."""
        return self.prices[(round_number - 1) % len(self.prices)]

    def line(self, corner: np.ndarray, price: tuple[Fraction, ...]) -> np.ndarray:
        """Every answer whose cost from the corner is the budget: (n, S) ints in 0..K.

        In the order of the numbers that the answers' distances from the corner spell, so that a
        corner and its opposite list mirrored answers.
        """
        return np.abs(_line_of_origin(price, self.budget, self.high) - corner)

    def cost(self, answer: np.ndarray, corner: np.ndarray, price: tuple[Fraction, ...]) -> Fraction:
        """The cost of an answer, p . |q - o|, exact."""
        distances = np.abs(np.asarray(answer) - corner)
        return sum((p * int(d) for p, d in zip(price, distances, strict=True)), Fraction(0))


def read_survey(path: str | Path, schema: str | Path) -> Survey:
    """The survey in a YAML file.

    Raises DocumentError when the file breaks the schema, when prices do not match the statements,
    when no answer meets the budget, or when the flip rule cannot work.
    """
    where = Path(path).name
    found = check(read_yaml(path), read_schema(schema), where)
    survey = Survey(
        title=found["title"],
        statements=tuple(Statement(**one) for one in found["statements"]),
        high=found["scale"]["high"],
        low_label=found["scale"]["low_label"],
        high_label=found["scale"]["high_label"],
        prices=tuple(tuple(map(_exact, price)) for price in found["prices"]),
        budget=_exact(found["budget"]),
    )
    problems = _problems(survey, where)
    if problems:
        raise DocumentError(problems)
    return survey


def _exact(number: float) -> Fraction:
    """The decimal that a person wrote, not its binary neighbour."""
    return Fraction(str(number))


@lru_cache(maxsize=256)
def _line_of_origin(price: tuple[Fraction, ...], budget: Fraction, high: int) -> np.ndarray:
    (scaled,), budget = _whole([price], budget)
    space = _space(len(price), high)
    line = space[space @ np.array(scaled) == budget]
    line.setflags(write=False)
    return line


def _whole(prices: Sequence[Sequence[Fraction]], budget: Fraction) -> tuple[list[list[int]], int]:
    """Prices and budget as whole numbers, all multiplied by the same number."""
    scale = lcm(budget.denominator, *(p.denominator for price in prices for p in price))
    return [[int(p * scale) for p in price] for price in prices], int(budget * scale)


def _space(statements: int, high: int) -> np.ndarray:
    axes = np.indices((high + 1,) * statements, dtype=np.int64)
    return axes.reshape(statements, -1).T


def _problems(survey: Survey, where: str) -> list[str]:
    count = len(survey.statements)
    slugs = [statement.slug for statement in survey.statements]
    problems = [
        f"{where}: statements: the slug '{slug}' stands twice; give each statement its own."
        for slug in sorted({s for s in slugs if slugs.count(s) > 1})
    ]
    problems += [
        f"{where}: prices[{row}]: found {len(price)} prices for {count} statements; "
        f"allowed: one price a statement."
        for row, price in enumerate(survey.prices)
        if len(price) != count
    ]
    if (survey.high + 1) ** count > LARGEST_SPACE or survey.rounds > LARGEST_ROUNDS:
        problems.append(
            f"{where}: {count} statements on 0..{survey.high} at {len(survey.prices)} prices make "
            f"{(survey.high + 1) ** count:,} answers and {survey.rounds:,} rounds; allowed: "
            f"{LARGEST_SPACE:,} answers and {LARGEST_ROUNDS:,} rounds at the most."
        )
    scaled, budget = _whole(survey.prices, survey.budget)
    if max(budget, *(survey.high * sum(price) for price in scaled)) > LARGEST_COST:
        problems.append(
            f"{where}: prices and budget: found numbers with too many digits for costs to be exact; "
            f"allowed: up to 15 digits from the largest price to the last decimal."
        )
    return problems or _budget_problems(survey, where)


def _budget_problems(survey: Survey, where: str) -> list[str]:
    """What keeps the budget from working at some price vectors: too few answers, no room to flip."""
    origin = np.zeros(len(survey.statements), dtype=np.int64)
    on_line = [len(survey.line(origin, price)) for price in survey.prices]
    most = [survey.high * sum(price) for price in survey.prices]
    thin = [row for row, count in enumerate(on_line) if count < 2]
    high = [row for row, cost in enumerate(most) if 2 * survey.budget >= cost and row not in thin]
    found = f"{where}: budget: found {_decimal(survey.budget)}"
    problems = []
    if thin:
        meets = ("no answer costs", "a single answer costs")[on_line[thin[0]]]
        problems.append(
            f"{found}; {meets} just that at {_rows(survey, thin)}, where costs run from 0 to "
            f"{_decimal(most[thin[0]])}; allowed: a budget that two answers or more can meet."
        )
    if high:
        problems.append(
            f"{found}; allowed: less than {_decimal(most[high[0]] / 2)}, half of what the far corner "
            f"costs at {_rows(survey, high)}, so that an open answer under the line lies above it "
            f"once the corner is flipped."
        )
    if problems:
        problems[-1] += _nearest_budget(survey)
    return problems


def _rows(survey: Survey, rows: list[int]) -> str:
    shown = [_decimal(price) for price in survey.prices[rows[0]]]
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"prices[{rows[0]}] = {shown}{more}"


def _nearest_budget(survey: Survey) -> str:
    """The budget nearest to the one found that works at every price vector."""
    prices, budget = _whole(survey.prices, survey.budget)
    space = _space(len(survey.statements), survey.high)
    fit = None
    for price in prices:
        costs, counts = np.unique(space @ np.array(price), return_counts=True)
        fits = costs[(counts >= 2) & (costs > 0) & (2 * costs < survey.high * sum(price))]
        fit = fits if fit is None else np.intersect1d(fit, fits)
    if not len(fit):
        return " No budget fits these prices."
    best = survey.budget * int(fit[np.argmin(np.abs(fit - budget))]) / budget
    return f" The nearest that fits every price vector is {_decimal(best)}."


def _decimal(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
