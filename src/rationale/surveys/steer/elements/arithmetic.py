"""Arithmetic: addition and subtraction, multiplication and division, expectation (STEER 1.1)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import lcm

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.elements.mistakes import evenly_ranked
from rationale.surveys.steer.options import crossed, slips
from rationale.surveys.steer.questions import Draft, Draw, generator, keyed
from rationale.surveys.steer.wording import listing, money, number, percent, with_article

# Lowest and highest number of a grade.
RANGES = {0: (5, 60), 1: (101, 999), 2: (1001, 9999)}
# Numbers of groups and of things in a group, by grade.
FACTORS = {0: ((2, 9), (2, 9)), 1: ((2, 9), (11, 99)), 2: ((11, 60), (11, 99))}
# Outcomes that are not nothing, by grade.
OUTCOMES = {2: (1,), 3: (2,), 4: (3, 4)}

Outcomes = list[tuple[Fraction, int | Fraction]]


@generator(
    "addition-subtraction",
    texts={
        "add": "start more",
        "subtract": "start less",
        "both": "start more less",
        "answer": "value",
    },
)
@evenly_ranked
def addition_subtraction(draw: Draw) -> Draft | None:
    """A stock that grows, shrinks, or (grade 2) both; the key is what there is at the end."""
    low, high = RANGES[draw.grade]
    start, more, less = (draw.rng.randint(low, high) for _ in range(3))
    kind = "both" if draw.grade == 2 else draw.rng.choice(("add", "subtract"))
    signs = {"add": (1, 0), "subtract": (0, -1), "both": (1, -1)}[kind]
    total = start + signs[0] * more + signs[1] * less
    taken = {"add": 0, "subtract": less, "both": max(more, less)}[kind]
    if total < 2 or more == less or taken >= start:
        return None
    swapped = start - signs[0] * more - signs[1] * less
    if kind == "both":
        first = (swapped, "takes what came in for what went away, and the other way round")
    else:
        first = (swapped, "subtracts" if kind == "add" else "adds")
    step = 10 ** draw.rng.randrange(len(str(max(start, more, less))))
    second = draw.rng.choice(slips(total, (step,)))
    options = crossed(
        total, first, second, lambda value: draw.phrase("answer", value=number(value)), lowest=2
    )
    if options is None:
        return None
    terms = {"start": start, "more": more, "less": less}
    used = {name: terms[name] for name in ("start", "more", "less") if signs_of(name, kind)}
    text = draw.say(kind, **{name: number(value) for name, value in used.items()})
    sum_said = number(start) + "".join(
        f" {sign} {number(used[name])}"
        for name, sign in (("more", "+"), ("less", "-"))
        if name in used
    )
    return Draft(
        (keyed(text, *options, value=total),),
        {"kind": kind, **used},
        f"{sum_said} = {number(total)}",
    )


def signs_of(name: str, kind: str) -> bool:
    """Whether a question of this kind has that number."""
    return name == "start" or kind == "both" or (name == "more") == (kind == "add")


@generator(
    "multiplication-division",
    texts={
        "multiply": "groups each",
        "divide": "total groups",
        "share": "groups each ways",
        "answer": "value",
    },
)
@evenly_ranked
def multiplication_division(draw: Draw) -> Draft | None:
    """Equal groups: how much together, how much in one, or (grade 2) shared out anew."""
    told = _product
    if draw.rng.random() < 0.5:
        told = _shared_out if draw.grade == 2 else _quotient
    of_groups, of_each = FACTORS[draw.grade]
    return until(lambda: told(draw, draw.rng.randint(*of_groups), draw.rng.randint(*of_each)))


def _product(draw: Draw, groups: int, each: int) -> Draft | None:
    """Four products near each other in the table of both numbers; any of them may be the key."""
    fewer, smaller = _beside(draw, groups, 0), _beside(draw, each, 1)
    if fewer is None or smaller is None:
        return None
    options = crossed(
        groups * each,
        (fewer * each, _miscounted(fewer - groups)),
        (groups * smaller, _missized(smaller - each)),
        lambda value: draw.phrase("answer", value=number(value)),
        both=fewer * smaller,
    )
    if options is None:
        return None
    key = groups * each
    text = draw.say("multiply", groups=number(groups), each=number(each))
    said = f"{number(groups)} × {number(each)} = {number(key)}"
    instance = {"kind": "multiply", "groups": groups, "each": each}
    return Draft((keyed(text, *options, value=key),), instance, said)


def _quotient(draw: Draw, groups: int, each: int) -> Draft | None:
    """Slips in two places: of the units and the tens, or of one and two or three in the table."""
    sizes = ((1, "one"), draw.rng.choice(((2, "two"), (3, "three"))))
    if draw.grade > 0:
        sizes = ((draw.rng.randint(1, 3), ""), (10, ""))
    slipped = [_slip(draw, size, name) for size, name in sizes]
    low, high = FACTORS[draw.grade][1]
    values = [each + size for size, _ in slipped]
    both = sum(values) - each
    if not all(low <= value <= high for value in (*values, both)):
        return None
    options = crossed(
        each,
        *((value, why) for value, (_, why) in zip(values, slipped, strict=True)),
        lambda value: draw.phrase("answer", value=number(value)),
    )
    if options is None:
        return None
    total = groups * each
    text = draw.say("divide", total=number(total), groups=number(groups))
    said = f"{number(total)} ÷ {number(groups)} = {number(each)}"
    instance = {"kind": "divide", "total": total, "groups": groups}
    return Draft((keyed(text, *options, value=each),), instance, said)


def _slip(draw: Draw, size: int, name: str) -> tuple[int, str]:
    """A quotient's slip up or down, and what is said of it."""
    sign = draw.rng.choice((1, -1))
    side = "high" if sign > 0 else "low"
    if name:
        lines = f"{name} line{'s' if size > 1 else ''}"
        return sign * size, f"ends {lines} too {side} in the table"
    if size == 10:
        return sign * size, f"gets the tens one too {side}"
    return sign * size, f"gets the units {size} too {side}"


def _shared_out(draw: Draw, groups: int, each: int) -> Draft | None:
    """A product divided; mistakes in the number of groups and in the number of shares."""
    ways, other_ways = draw.rng.sample(range(2, 13), 2)
    fewer = _beside(draw, groups, 0)
    if fewer is None or each % lcm(ways, other_ways) or {ways, other_ways} & {groups, fewer, each}:
        return None
    key = groups * each // ways
    options = crossed(
        key,
        (fewer * each // ways, _miscounted(fewer - groups)),
        (groups * each // other_ways, f"divides by {other_ways}"),
        lambda value: draw.phrase("answer", value=number(value)),
        both=fewer * each // other_ways,
        lowest=10,
    )
    if options is None:
        return None
    text = draw.say("share", groups=number(groups), each=number(each), ways=number(ways))
    said = f"{number(groups)} × {number(each)} ÷ {number(ways)} = {number(key)}"
    instance = {"kind": "share", "groups": groups, "each": each, "ways": ways}
    return Draft((keyed(text, *options, value=key),), instance, said)


def _beside(draw: Draw, value: int, place: int) -> int | None:
    """A number one (or ten, from two digits on) beside it; None outside what the grade draws.

    Drawn so that either number is as likely to be the right one: options do not tell them apart.
    """
    low, high = FACTORS[draw.grade][place]
    steps = (1, 10) if high > 10 else (1,)
    found = value + draw.rng.choice((1, -1)) * draw.rng.choice(steps)
    return found if low <= found <= high else None


def _miscounted(more: int) -> str:
    count = {1: "one group", 10: "ten groups"}[abs(more)]
    return f"counts {count} too {'many' if more > 0 else 'few'}"


def _missized(more: int) -> str:
    size = {1: "one", 10: "ten"}[abs(more)]
    return f"takes a group as {size} {'larger' if more > 0 else 'smaller'} than it is"


@generator(
    "expectation",
    texts={"ask": "outcomes", "outcome": "chance amount", "answer": "value"},
    sizes="amount",
)
@evenly_ranked
def expectation(draw: Draw) -> Draft | None:
    """The sum of outcomes weighted by their chances; what is left of the chances brings nothing."""
    rng = draw.rng
    outcomes = _outcomes(draw, rng.choice(OUTCOMES[draw.grade]))
    if outcomes is None:
        return None
    key = mean(outcomes)
    (one, first), (two, second) = rng.sample(_misread(outcomes), 2)
    wrong = [one(outcomes), two(outcomes), two(one(outcomes))]
    if any(not 0 <= chance <= 1 for changed in wrong for chance, _ in changed):
        return None
    values = [mean(changed) for changed in wrong]
    if any(value == 1 or (100 * value).denominator > 1 for value in (key, *values)):
        return None
    show = money if draw.story.texts["answer"].startswith("$") else number
    options = crossed(
        key,
        (values[0], first),
        (values[1], second),
        lambda value: draw.phrase("answer", value=show(value).lstrip("$")),
        both=values[2],
        lowest=Fraction(1, 100),
    )
    if options is None:
        return None
    phrases = [
        draw.phrase("outcome", chance=with_article(percent(chance)), amount=number(amount))
        for chance, amount in outcomes
    ]
    text = draw.say("ask", outcomes=listing(phrases))
    sum_said = " + ".join(f"{percent(chance)} × {number(amount)}" for chance, amount in outcomes)
    instance = {"outcomes": [[str(chance), str(amount)] for chance, amount in outcomes]}
    return Draft((keyed(text, *options, value=key),), instance, f"{sum_said} = {number(key)}")


def mean(outcomes: Outcomes) -> Fraction:
    """Outcomes weighted by their chances."""
    return sum((chance * amount for chance, amount in outcomes), Fraction(0))


def _outcomes(draw: Draw, count: int) -> Outcomes | None:
    """Outcomes with different amounts, whose chances leave something for nothing to happen."""
    step = 20 if count < 4 else 10
    cuts = sorted(draw.rng.sample(range(1, step), count))
    chances = [Fraction(high - low, step) for low, high in pairwise([0, *cuts])]
    draw.rng.shuffle(chances)
    amounts = [draw.size("amount") for _ in range(count)]
    if len(set(amounts)) < count:
        return None
    return sorted(zip(chances, amounts, strict=True), key=lambda outcome: -outcome[1])


def _misread(outcomes: Outcomes) -> list[tuple[Callable, str]]:
    """Ways to go wrong with outcomes, what each makes of them and what is said of it."""
    found = [
        (_with_chance(place, change), f"{said} the chance of {number(amount)}")
        for place, (_, amount) in enumerate(outcomes)
        for change, said in (
            (lambda chance: 1 - chance, "takes the chance that it does not happen for"),
            (lambda chance: chance + Fraction(1, 10), "puts ten points too much on"),
            (lambda chance: chance - Fraction(1, 10), "puts ten points too little on"),
        )
    ]
    if len(outcomes) > 1:
        found.append((_swap, "swaps the chances of the first two outcomes"))
        found.append((_alike, "gives every outcome that is named the same chance"))
        found += [
            (_with_chance(place, lambda _: Fraction(0)), f"leaves out {number(amount)}")
            for place, (_, amount) in enumerate(outcomes)
        ]
    return found


def _with_chance(place: int, change: Callable[[Fraction], Fraction]) -> Callable:
    def changed(outcomes: Outcomes) -> Outcomes:
        return [
            (change(chance) if number == place else chance, amount)
            for number, (chance, amount) in enumerate(outcomes)
        ]

    return changed


def _swap(outcomes: Outcomes) -> Outcomes:
    (chance, amount), (other_chance, other_amount), *rest = outcomes
    return [(other_chance, amount), (chance, other_amount), *rest]


def _alike(outcomes: Outcomes) -> Outcomes:
    return [(Fraction(1, len(outcomes)), amount) for _, amount in outcomes]
