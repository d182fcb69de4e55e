"""Prospects: outcomes with their chances in per cent, and what known mistakes make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from random import Random

from rationale.surveys.steer.questions import Draw
from rationale.surveys.steer.wording import listing, number, with_article

# (chance in per cent, value), chances adding to 100.
Prospect = tuple[tuple[int, int], ...]
Value = Callable[[Prospect], int | Fraction]


def expected(prospect: Prospect) -> Fraction:
    """The expected value under linear utility."""
    return Fraction(sum(chance * value for chance, value in prospect), 100)


def best(prospect: Prospect) -> int:
    return max(value for _, value in prospect)


def worst(prospect: Prospect) -> int:
    return min(value for _, value in prospect)


def average(prospect: Prospect) -> Fraction:
    """The outcomes' plain average: their chances are left out."""
    return Fraction(sum(value for _, value in prospect), len(prospect))


def likeliest(prospect: Prospect) -> int:
    """The value of the likeliest outcome, the larger of two equally likely ones."""
    return max(prospect)[1]


def with_losses_times(factor: int) -> Value:
    """Expected value with every loss counted ``factor`` times: 2 under loss aversion, 0 unseen."""

    def value(prospect: Prospect) -> Fraction:
        return expected(tuple((c, v * (factor if v < 0 else 1)) for c, v in prospect))

    return value


def leaning(extreme: Value, share: Fraction) -> Value:
    """Expected value with a ``share`` of the weight moved to the worst or the best outcome."""
    return lambda prospect: (1 - share) * expected(prospect) + share * extreme(prospect)


def winner(prospects: Sequence[Prospect], value: Value) -> int | None:
    """The place of the prospect with the largest value; None for a tie."""
    values = [value(prospect) for prospect in prospects]
    top = max(values)
    return values.index(top) if values.count(top) == 1 else None


def clear_winner(prospects: Sequence[Prospect], value: Value = expected) -> int | None:
    """The same, None too where the second best comes within a fiftieth of the best."""
    values = sorted((Fraction(value(prospect)) for prospect in prospects), reverse=True)
    near = values[0] - values[1] < abs(values[0]) / 50
    return None if near else winner(prospects, value)


def spread(
    rng: Random, mean: int | Fraction, chances: Sequence[int], shares: Sequence, step: int
) -> Prospect | None:
    """A prospect with about this mean: all outcomes but the first are ``shares`` of it.

    Values are whole multiples of ``step``, so that the mean is met only nearly. None where two
    outcomes come out alike, one is a single unit (stories speak of units in the plural) or the
    first, which makes up the mean, is not the largest.
    """
    rest = [step * round(Fraction(mean) * Fraction(share) / step) for share in shares]
    missing = 100 * Fraction(mean) - sum(c * v for c, v in zip(chances[1:], rest, strict=True))
    first = step * round(missing / chances[0] / step)
    if first <= max(rest) or len(set(rest)) < len(rest) or {1, -1} & {first, *rest}:
        return None
    outcomes = list(zip(chances, (first, *rest), strict=True))
    rng.shuffle(outcomes)
    return tuple(outcomes)


def sure(mean: int | Fraction, step: int) -> Prospect:
    """The value next to ``mean`` for certain."""
    return ((100, step * max(1, round(Fraction(mean) / step))),)


def lower(rng: Random, mean: int | Fraction, least: int = 5, most: int = 28) -> Fraction:
    """A mean that is some per cent smaller."""
    return Fraction(mean) * (100 - rng.randint(least, most)) / 100


def step_of(draw: Draw, size: str = "value") -> int:
    """The step of a story's numbers."""
    return int((*draw.story.sizes[size], 1)[2])


def names(draw: Draw, count: int) -> list[str]:
    """Some of the names in the story's ``names``, which are parted by semicolons, in any order."""
    return draw.rng.sample([name.strip() for name in draw.phrase("names").split(";")], count)


def chance_said(chance: int) -> str:
    """``a 20% chance``, ``an 80% chance``."""
    return with_article(f"{chance}% chance")


def outcomes_said(draw: Draw, prospect: Prospect) -> str:
    """``a 20% chance of winning $50 and an 80% chance of winning nothing``, in the story's words."""
    return listing(
        [
            draw.phrase(
                "nothing" if value == 0 else "win" if value > 0 else "lose",
                chance=chance_said(chance),
                **({"value": number(abs(value))} if value else {}),
            )
            for chance, value in prospect
        ]
    )


def prospect_said(draw: Draw, name: str, prospect: Prospect) -> str:
    """A sentence that names a prospect and tells its outcomes."""
    if len(prospect) == 1:
        return draw.say("sure", name=name, value=number(prospect[0][1]))
    return draw.say("risky", name=name, outcomes=outcomes_said(draw, prospect))


def mean_said(name: str, prospect: Prospect, fee: int = 0) -> str:
    """``the Elm fund: 20% × 50 + 80% × 0 = 10``."""
    if len(prospect) == 1 and not fee:
        return f"{name}: {number(prospect[0][1])}"
    terms = " + ".join(f"{c}% × {number(v)}" for c, v in prospect)
    terms = terms if not fee else f"{terms} - {number(fee)}"
    return f"{name}: {terms} = {number(expected(prospect) - fee)}"


def mistaken(
    rng: Random, prospects: Sequence[Prospect], place: int, mistakes: Iterable[tuple[str, Value]]
) -> str | None:
    """One of the mistakes that lead to the prospect at this place and to no other; None for none."""
    leading = [reason for reason, value in mistakes if winner(prospects, value) == place]
    return rng.choice(leading) if leading else None
