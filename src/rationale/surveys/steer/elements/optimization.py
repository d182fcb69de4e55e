"""Optimization: over a list, of a function, and under constraints (STEER 1.2)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import floor, lcm

from rationale.surveys.steer.elements.mistakes import evenly_ranked, stated
from rationale.surveys.steer.options import crossed
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number

# How a question for the largest and the smallest is asked, by grade.
ASKED = {
    0: {"most": "more", "least": "less"},
    1: {"most": "most", "least": "least"},
    2: {"most": "most_total", "least": "least_total"},
}

MOST_STOCK = 150
Limit = tuple[int, int, int]
# A factor, and what is said of having it once too often and once too little.
Scale = tuple[int, str, str]


@generator(
    "discrete-optimum",
    texts={
        "names": "",
        "item": "name value",
        "sum": "name first second",
        "lead": "items",
        "most": "",
        "least": "",
        "more": "",
        "less": "",
        "most_total": "",
        "least_total": "",
    },
    sizes="value more",
)
def discrete_optimum(draw: Draw) -> Draft | None:
    """The largest or smallest of numbers listed, or (grade 2) of sums of two."""
    rng, count = draw.rng, 2 if draw.grade == 0 else 4
    names = rng.sample([name.strip() for name in draw.phrase("names").split(";")], count)
    firsts = [draw.size("value") for _ in names]
    seconds = [draw.size("more") if draw.grade == 2 else 0 for _ in names]
    totals = [first + second for first, second in zip(firsts, seconds, strict=True)]
    if len(set(totals)) < count or len(set(firsts)) < count:
        return None
    aim = rng.choice(("most", "least"))
    best = max if aim == "most" else min
    key = totals.index(best(totals))
    told = zip(names, firsts, seconds, strict=True)
    if draw.grade == 2:
        items = [
            draw.phrase("sum", name=name, first=number(first), second=number(second))
            for name, first, second in told
        ]
    else:
        items = [draw.phrase("item", name=name, value=number(first)) for name, first, _ in told]
    text = draw.say("lead", items=listing(items))
    text += " " + draw.say(ASKED[draw.grade][aim])
    options = [
        Option(capitalised(name), None if place == key else _overlooked(place, firsts, totals, aim))
        for place, name in enumerate(names)
    ]
    others = [option for option in options if option.mistake is not None]
    instance = {"aim": aim, "names": names, "firsts": firsts, "seconds": seconds}
    ranked = " > ".join(number(total) for total in sorted(totals, reverse=True))
    return Draft((keyed(text, options[key], others, totals[key]),), instance, ranked)


def _overlooked(place: int, firsts: list[int], totals: list[int], aim: str) -> str:
    """The mistake of one who names this place."""
    best, worst = (max, min) if aim == "most" else (min, max)
    if totals[place] == worst(totals):
        return "takes the wrong end"
    if firsts != totals and firsts[place] == best(firsts):
        return "compares the first numbers alone"
    return "overlooks a better one"


# What those overlook who come out at twice the place, by how the ratio bends.
INNER = {1: "leaves out the factor 4", -1: "leaves out the factor 2 in the bracket"}


@generator(
    "continuous-optimum",
    texts={"open": "formula", "range": "formula low high", "answer": "value"},
    sizes="best level bends",
)
@evenly_ranked
def continuous_optimum(draw: Draw) -> Draft | None:
    """Where a parabola, a cubic or a ratio is largest (``bends`` -1) or smallest (``bends`` 1)."""
    if draw.grade < 5:
        return _parabola(draw)
    return _cubic(draw) if draw.rng.random() < 0.6 else _ratio(draw)


def _parabola(draw: Draw) -> Draft | None:
    rng, bends, level = draw.rng, draw.size("bends"), draw.size("level")
    steep, inner = rng.randint(3, 5), 2
    if draw.grade == 3:
        steep, inner = rng.sample((2, 3, 4, 5), 2)
        found = _scaled(
            draw,
            (inner, "does not divide within the bracket", "divides within the bracket twice"),
            (
                steep,
                "multiplies by the factor of the bracket",
                "divides by the factor of the bracket",
            ),
        )
    else:
        found = _scaled(
            draw,
            (2, "does not halve", "halves twice"),
            (steep, "does not divide by the factor of x²", "divides by the factor of x² twice"),
        )
    if found is None:
        return None
    best, options = found
    if draw.grade == 3:
        reach = steep * (inner * min(best, 4)) ** 2
        top = level if bends > 0 else level + reach
        square = f"{steep}({inner}x - {inner * best})²"
        formula = f"{square} + {number(top)}" if bends > 0 else f"{number(top)} - {square}"
        width = steep * inner**2
        terms = [top + bends * width * best**2, -2 * bends * width * best, bends * width]
        explanation = f"the bracket is 0 at x = {inner * best} / {inner} = {best}"
    else:
        low = level + steep * best**2 if bends > 0 else level
        terms = [low, -2 * bends * steep * best, bends * steep]
        formula = polynomial(terms)
        explanation = f"{number(2 * steep * best)} / (2 × {steep}) = {best}"
    text = draw.say("open", formula=formula)
    return Draft((keyed(text, *options, value=best),), _function(terms, [1], bends), explanation)


def _scaled(draw: Draw, one: Scale, two: Scale) -> tuple[int, tuple] | None:
    """A place to be found, its mistakes factors too many or too few; any corner of four is the key.

    The four numbers are drawn before the one that is right, so that they do not tell which it is.
    """
    rng = draw.rng
    highest = 2 * draw.story.sizes["best"][1] // (one[0] * two[0])
    base = rng.randint(2, max(2, highest))
    powers = rng.randrange(2), rng.randrange(2)
    key = base * one[0] ** powers[0] * two[0] ** powers[1]
    wrong = [
        (Fraction(key * factor) if power == 0 else Fraction(key, factor), reasons[power])
        for power, (factor, *reasons) in zip(powers, (one, two), strict=True)
    ]
    both = wrong[0][0] * wrong[1][0] / key
    options = crossed(key, *wrong, lambda x: _at(draw, x), both=both, lowest=2)
    return None if options is None else (key, options)


def _cubic(draw: Draw) -> Draft | None:
    """Two turning points and two ends: each of the four is a candidate."""
    rng, middle, bends = draw.rng, draw.size("best"), draw.size("bends")
    half = rng.randint(1, 4)
    left, right = middle - half, middle + half
    low, high = left - rng.randint(1, 2 * half), right + rng.randint(1, 2 * half)
    if low < 2:
        return None
    sign = rng.choice((-1, 1))
    terms = [0, 6 * sign * left * right, -3 * sign * (left + right), 2 * sign]
    places = (low, left, right, high)
    terms[0] = draw.size("level") - min(value_at(terms, x) for x in places)
    values = [bends * value_at(terms, x) for x in places]
    if values.count(min(values)) > 1:
        return None
    key = values.index(min(values))
    reasons = ("takes the lower end", "takes a turning point that another value beats")
    reasons = (*reasons, reasons[1], "takes the upper end")
    options = [
        Option(_at(draw, x), None if place == key else reasons[place])
        for place, x in enumerate(places)
    ]
    text = draw.say("range", formula=polynomial(terms), low=number(low), high=number(high))
    told = ", ".join(f"{number(value_at(terms, x))} at {x}" for x in places)
    others = [option for option in options if option.mistake]
    return Draft(
        (keyed(text, options[key], others, places[key]),),
        _function(terms, [1], bends, low, high),
        told,
    )


def _ratio(draw: Draw) -> Draft | None:
    """Smallest cost A/4x + s²x + C, or largest effect Kx/(s²(2x)² + A), within the interval."""
    rng, bends, level = draw.rng, draw.size("bends"), draw.size("level")
    factor = rng.choice((3, 4, 5))
    square = factor**2
    found = _scaled(
        draw,
        (factor, f"leaves out the factor {square}", f"divides by {factor} twice"),
        (2, INNER[bends], "divides by 2 twice"),
    )
    if found is None:
        return None
    best, options = found
    shown = [int(stated(option.text)) for option in (options[0], *options[1])]
    low, high = rng.randint(1, min(shown)), max(shown) + rng.randint(0, max(shown) // 2)
    part = 4 * square * best**2
    if bends > 0:
        formula = f"{number(part)}/(4x) + {square}x + {number(level)}"
        top, bottom = [part, 4 * level, 4 * square], [0, 4]
        root = f"√({number(part)} / (4 × {square}))"
    else:
        top, bottom = [0, 8 * square * best * level], [part, 0, 4 * square]
        formula = f"{number(top[1])}x/({square}(2x)² + {number(part)})"
        root = f"√({number(part)} / {square}) / 2"
    text = draw.say("range", formula=formula, low=number(low), high=number(high))
    said = f"{root} = {best}, which lies within the range"
    function = _function(top, bottom, bends, low, high)
    return Draft((keyed(text, *options, value=best),), function, said)


def polynomial(terms: list[int]) -> str:
    """``3x² - 12x + 40``; from the constant up where the highest power is subtracted."""
    powers = list(enumerate(terms))
    if terms[-1] > 0:
        powers.reverse()
    said = ""
    for power, factor in powers:
        if factor:
            x = ("", "x", "x²", "x³")[power]
            size = x if abs(factor) == 1 and x else number(abs(factor)) + x
            sign = (" + " if factor > 0 else " - ") if said else ("" if factor > 0 else "-")
            said += sign + size
    return said


def value_at(terms: list[int], x: int | Fraction) -> int | Fraction:
    """A polynomial's value; ``terms`` from the constant up."""
    return sum(factor * x**power for power, factor in enumerate(terms))


def _function(
    top: list[int], bottom: list[int], bends: int, low: int | None = None, high: int | None = None
) -> dict:
    return {
        "numerator": top,
        "denominator": bottom,
        "aim": "least" if bends > 0 else "most",
        "range": [] if low is None else [low, high],
    }


def _at(draw: Draw, x: int | Fraction) -> str:
    return draw.phrase("answer", value=number(x))


@generator(
    "constrained-optimum",
    texts={
        "one": "gain1 gain2 use1 use2 stock",
        "two": "gain1 gain2 use1 use2 stock more1 more2 supply",
        "whole": "",
        "answer": "value",
    },
    sizes="gain1 gain2",
)
@evenly_ranked
def constrained_optimum(draw: Draw) -> Draft | None:
    """The largest total gain from two goods under one or two limits.

    At grades 4 and 5 the best mix is of whole units anyhow; at grade 6 the best mix of whole units
    gains less than the best mix would.
    """
    rng, gains = draw.rng, (draw.size("gain1"), draw.size("gain2"))
    limits = _limits(draw)
    if limits is None or gains[0] == gains[1]:
        return None
    mix = best_mix(gains, limits)
    if draw.grade > 4 and not min(mix):
        return None
    key = gains[0] * mix[0] + gains[1] * mix[1]
    if draw.grade > 4 and (key == best_corner(gains, limits)) != (draw.grade == 5):
        return None
    mistaken = rng.choice([one for one in _mixes_gone_wrong(gains, limits) if one[0] != key])
    slipped = (_wrong_stock if draw.grade == 4 else _wrong_unit)(
        draw, gains, limits, key, mistaken[0]
    )
    if slipped is None:
        return None
    slip, both = slipped
    options = crossed(
        key,
        mistaken,
        slip,
        lambda value: draw.phrase("answer", value=number(value)),
        both=both,
        lowest=2,
    )
    if options is None:
        return None
    values = {"gain1": gains[0], "gain2": gains[1]}
    values |= dict(zip(("use1", "use2", "stock"), limits[0], strict=True))
    if draw.grade > 4:
        values |= dict(zip(("more1", "more2", "supply"), limits[1], strict=True))
    said = {name: number(value) for name, value in values.items()}
    text = draw.say("one" if draw.grade == 4 else "two", **said)
    if draw.grade == 6:
        text += " " + draw.say("whole")
    first, second = mix
    instance = {"gains": list(gains), "limits": [list(limit) for limit in limits]}
    return Draft(
        (keyed(text, *options, value=key),),
        instance | {"whole": int(draw.grade == 6)},
        f"{first} × {number(gains[0])} + {second} × {number(gains[1])} = {number(key)}",
    )


def _wrong_stock(
    draw: Draw, gains: tuple[int, int], limits: list[Limit], key: int, wrong: int
) -> tuple[tuple[int, str], int] | None:
    """Reckoning with a wrong stock changes both values in proportion, so neither stands out."""
    ((*uses, stock),) = limits
    step, sign = lcm(*uses) * draw.rng.randint(1, 2), draw.rng.choice((1, -1))
    found = stock + sign * step
    if not 2 * lcm(*uses) <= found <= min(MOST_STOCK, 10 * lcm(*uses)):
        return None
    said = f"reckons with {number(found)} instead of {number(stock)}"
    return (key * found // stock, said), wrong * found // stock


def _wrong_unit(
    draw: Draw, gains: tuple[int, int], limits: list[Limit], key: int, wrong: int
) -> tuple[tuple[int, str], int]:
    """One unit too many or too few of either good."""
    good, sign = draw.rng.randrange(2), draw.rng.choice((1, -1))
    said = f"counts one unit of the {('first', 'second')[good]} too {'many' if sign > 0 else 'few'}"
    return (key + sign * gains[good], said), wrong + sign * gains[good]


def _limits(draw: Draw) -> list[Limit] | None:
    rng = draw.rng
    if draw.grade == 4:
        uses = rng.randint(2, 9), rng.randint(2, 9)
        stock = lcm(*uses) * rng.randint(2, 10)
        return [(*uses, stock)] if uses[0] != uses[1] and stock <= MOST_STOCK else None
    mix = rng.randint(2, 14), rng.randint(2, 14)
    limits = []
    for _ in range(2):
        uses = rng.randint(2, 9), rng.randint(2, 9)
        spare = rng.randrange(max(uses)) if draw.grade == 6 else 0
        limits.append((*uses, uses[0] * mix[0] + uses[1] * mix[1] + spare))
    (a, b, _), (c, d, _) = limits
    return limits if a * d != b * c else None


def _mixes_gone_wrong(gains: tuple[int, int], limits: list[Limit]) -> list[tuple[int, str]]:
    """What those count on who forget a limit, a good or, at the end, to round."""
    most = [floor(min(Fraction(limit[-1], limit[good]) for limit in limits)) for good in (0, 1)]
    alone = [gain * units for gain, units in zip(gains, most, strict=True)]
    found = [
        (alone[0], "spends everything on the first alone"),
        (alone[1], "spends everything on the second alone"),
        (sum(alone), "spends everything on each of the two"),
        (max(gains) * max(most), "takes the better gain with the smaller need"),
    ]
    if len(limits) > 1:
        found += [
            (best_whole(gains, limits[:1]), "ignores the second limit"),
            (best_whole(gains, limits[1:]), "ignores the first limit"),
        ]
        return found
    return [*found, (sum(alone) // 2, "shares what there is equally")]


def best_corner(gains: tuple[int, int], limits: list[Limit]) -> Fraction:
    """The best value when parts of units count: at a corner of what the limits allow."""
    lines = [*limits, (1, 0, 0), (0, 1, 0)]
    values = []
    for (a, b, m), (c, d, n) in combinations(lines, 2):
        if a * d != b * c:
            x = Fraction(m * d - b * n, a * d - b * c)
            y = Fraction(a * n - m * c, a * d - b * c)
            if min(x, y) >= 0 and all(e * x + f * y <= most for e, f, most in limits):
                values.append(gains[0] * x + gains[1] * y)
    return max(values)


def best_whole(gains: tuple[int, int], limits: list[Limit]) -> int:
    """The best value from whole units."""
    first, second = best_mix(gains, limits)
    return gains[0] * first + gains[1] * second


def best_mix(gains: tuple[int, int], limits: list[Limit]) -> tuple[int, int]:
    """The best whole units of the first and second good: for each of the first, all of the second."""
    most = min(stock // use for use, _, stock in limits)
    mixes = [
        (first, min((stock - use * first) // other for use, other, stock in limits))
        for first in range(most + 1)
    ]
    return max(mixes, key=lambda mix: gains[0] * mix[0] + gains[1] * mix[1])
