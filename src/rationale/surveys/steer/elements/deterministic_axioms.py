"""Axioms of utility without chance: completeness, transitivity, independence (STEER 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations, product

from rationale.surveys.steer.elements.phrases import phrases
from rationale.surveys.steer.questions import Draft, Draw, Option, Part, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number

# Attributes that speak for an option, and its price.
Offer = tuple[int, ...]


@generator(
    "completeness",
    texts={
        "first": "a b",
        "second": "a b",
        "kinds": "",
        "two": "kind x",
        "three": "kind x y",
    },
    sizes="x y",
)
def completeness(draw: Draw) -> Draft | None:
    """One pair put twice, the other way round and in other words: decide it, and alike.

    Indifference is a decision; to be unable to say is none.
    """
    kinds = draw.rng.sample(phrases(draw, "kinds"), 2)
    numbers = [(draw.size("x"), draw.size("y")) for _ in kinds]
    if any(one == other for one, other in zip(*numbers, strict=True)):
        return None
    said = [described(draw, kind, *pair) for kind, pair in zip(kinds, numbers, strict=True)]
    options = (
        Option(capitalised(kinds[0]), meaning="a"),
        Option(capitalised(kinds[1]), meaning="b"),
        Option("Both are equally good", meaning="equal"),
        Option("I cannot say", meaning="none"),
    )
    parts = (
        Part(draw.say("first", a=said[0], b=said[1]), options),
        Part(draw.say("second", a=said[1], b=said[0]), options),
    )
    shown = [list(pair[: draw.grade - 1]) for pair in numbers]
    return Draft(
        parts,
        {"options": kinds, "attributes": [[str(value) for value in pair] for pair in shown]},
        "It is the same pair twice: one of the two, or both equally, and the same both times.",
        "decided-alike",
    )


def described(draw: Draw, kind: str, x: int, y: int) -> str:
    """An option with as many attributes as the grade says: its kind, and up to two numbers."""
    if draw.grade == 1:
        return kind
    if draw.grade == 2:
        return draw.phrase("two", kind=kind, x=number(x))
    return draw.phrase("three", kind=kind, x=number(x), y=number(y))


@generator(
    "transitivity",
    texts={
        "frame": "statements x y",
        "prefers": "x y",
        "items": "",
        "choose": "x y x_price y_price",
        "next": "x y x_price y_price",
    },
    sizes="price",
)
def transitivity(draw: Draw) -> Draft | None:
    """What stated preferences in a row say of the ends of the row; at grade 3, three own choices."""
    if draw.grade == 3:
        return own_choices(draw)
    return stated_chain(draw)


def stated_chain(draw: Draw) -> Draft:
    """Statements that join items in a row: settled when all of them point the same way."""
    count = draw.grade + 2
    items = draw.rng.sample(phrases(draw, "items"), count)
    length = count - 1 if draw.rng.random() < 0.7 else 2
    start = draw.rng.randrange(count - length)
    ends = (start, start + length)
    settled = draw.rng.random() < 2 / 3
    ups = [draw.rng.random() < 0.5 for _ in range(count - 1)]
    within = slice(start, start + length)
    if settled:
        ups[within] = [ups[start]] * length
    elif len(set(ups[within])) == 1:
        turned = draw.rng.randrange(start, start + length)
        ups[turned] = not ups[turned]
    pairs = [(n, n + 1) if up else (n + 1, n) for n, up in enumerate(ups)]
    draw.rng.shuffle(pairs)
    asked = draw.rng.sample(ends, 2)
    best = (ends[0] if ups[start] else ends[1]) if settled else None
    text = draw.say(
        "frame",
        statements=say_preferences(draw, pairs, items),
        x=items[asked[0]],
        y=items[asked[1]],
    )
    instance = {
        "items": items,
        "preferred": [list(pair) for pair in pairs],
        "asked": asked,
    }
    part = keyed(text, *ranked(items, asked, best))
    row = range(*ends) if best == ends[0] else range(ends[1], ends[0], -1)
    reason = "The statements about these two do not join into a chain."
    if settled:
        reason = f"From best to worst: {', '.join(items[n] for n in (*row, sum(ends) - best))}."
    return Draft((part,), instance, reason)


def say_preferences(draw: Draw, pairs: Sequence[tuple[int, int]], items: Sequence[str]) -> str:
    """A sentence a pair, in the story's phrases, none twice before all were used."""
    text = draw.phrase("prefers", x="{x}", y="{y}")
    wordings = [phrase.strip() for phrase in text.split(";")]
    draw.rng.shuffle(wordings)
    return " ".join(
        capitalised(wordings[n % len(wordings)].format(x=items[better], y=items[worse])) + "."
        for n, (better, worse) in enumerate(pairs)
    )


def ranked(
    items: Sequence[str], asked: Sequence[int], best: int | None
) -> tuple[Option, list[Option]]:
    """The key and the other two of: the one, the other, it cannot be told."""
    untold = "It cannot be told from this"
    names = {one: capitalised(items[one]) for one in asked}
    if best is None:
        reason = "joins statements that only share their better or their worse end"
        return Option(untold), [Option(name, reason) for name in names.values()]
    other = next(one for one in asked if one != best)
    return Option(names[best]), [
        Option(names[other], "reads the chain backwards"),
        Option(untold, "does not join the statements"),
    ]


def own_choices(draw: Draw) -> Draft | None:
    """Three choices, one for each pair out of three options; indifference is allowed."""
    items = draw.rng.sample(phrases(draw, "items"), 3)
    prices = [draw.size("price") for _ in items]
    if len(set(prices)) < 3:
        return None
    parts = []
    for turn, (one, other) in enumerate(((0, 1), (1, 2), (2, 0))):
        text = draw.say(
            "choose" if turn == 0 else "next",
            x=items[one],
            y=items[other],
            x_price=number(prices[one]),
            y_price=number(prices[other]),
        )
        left, right = "abc"[one], "abc"[other]
        options = (
            Option(capitalised(items[one]), meaning=f"{left}>{right}"),
            Option(capitalised(items[other]), meaning=f"{right}>{left}"),
            Option("Both are equally good", meaning=f"{left}={right}"),
        )
        parts.append(Part(text, options))
    return Draft(
        tuple(parts),
        {"items": items, "prices": [str(price) for price in prices]},
        "Any ranking of the three will do, ties too, but the choices must not run in a circle.",
        "acyclic",
    )


@generator(
    "independence",
    texts={
        "first": "offers",
        "second": "new",
        "last": "gone left new",
        "names": "",
        "one": "x price",
        "two": "x y price",
    },
    sizes="x y price",
)
def independence(draw: Draw) -> Draft | None:
    """Two offers, then a third beside them: keep the first choice, or take the third.

    At grades 2 and 3 one of the first two then drops out, which asks for a second pair of the three.
    At grade 4 the third is worse in everything than one of the two and not than the other, so that
    it may not be taken either.
    """
    scales = ("x", "price") if draw.grade == 2 else ("x", "y", "price")
    columns = [sorted({draw.size(name) for _ in range(3)}) for name in scales]
    if any(len(column) < 3 for column in columns):
        return None
    columns[-1] = [-price for price in reversed(columns[-1])]
    offers = [
        tuple(column[rank] for column, rank in zip(columns, ranks, strict=True))
        for ranks in draw.rng.choice(arrangements(draw.grade))
    ]
    names = draw.rng.sample(phrases(draw, "names"), 3)
    said = [say_offer(draw, name, offer) for name, offer in zip(names, offers, strict=True)]
    options = [
        Option(capitalised(name), meaning=meaning)
        for name, meaning in zip(names, ("a", "b", "new"), strict=True)
    ]
    parts = (
        Part(draw.say("first", offers=listing(said[:2])), tuple(options[:2])),
        Part(draw.say("second", new=said[2]), tuple(options)),
    )
    instance = {
        "names": names,
        "offers": [[str(value) for value in (*one[:-1], -one[-1])] for one in offers],
    }
    if draw.grade == 4:
        reason = "The first choice stands; the third is worse in everything than one."
        return Draft(parts, instance, reason, "keeps")
    left = draw.rng.randrange(2)
    reason = "What is chosen out of all three must be chosen out of each pair that holds it."
    return Draft(
        (*parts, one_gone(draw, names, left)),
        {**instance, "gone": names[1 - left]},
        reason,
        "best-of-each-pair",
    )


def one_gone(draw: Draw, names: Sequence[str], left: int) -> Part:
    """The choice between one of the first two offers and the third, once the other has gone."""
    text = draw.say("last", gone=names[1 - left], left=names[left], new=names[2])
    old = "ab"[left]
    return Part(
        text,
        (
            Option(capitalised(names[left]), meaning=f"{old}>new"),
            Option(capitalised(names[2]), meaning=f"new>{old}"),
        ),
    )


def say_offer(draw: Draw, name: str, offer: Offer) -> str:
    """``the Alto (12 hours of battery, $300)``."""
    values = {"x": number(offer[0]), "price": number(-offer[-1])}
    if len(offer) == 2:
        return f"{name} ({draw.phrase('one', **values)})"
    return f"{name} ({draw.phrase('two', **values, y=number(offer[1]))})"


@cache
def arrangements(grade: int) -> list[tuple[Offer, ...]]:
    """Ranks, from worst (0) to best (2), of three offers in each attribute and in price."""
    columns = product(permutations(range(3)), repeat=2 if grade == 2 else 3)
    found = (tuple(zip(*column, strict=True)) for column in columns)
    return [offers for offers in found if fits(offers, grade)]


def fits(offers: Sequence[Offer], grade: int) -> bool:
    """Whether none of three offers dominates another, but for one over the third at grade 4."""
    worse = [
        (one, other)
        for one in range(3)
        for other in range(3)
        if one != other and dominates(offers[one], offers[other])
    ]
    if grade < 4:
        return not worse
    return len(worse) == 1 and worse[0][1] == 2


def dominates(one: Offer, other: Offer) -> bool:
    """Whether an offer is better in everything."""
    return all(mine > yours for mine, yours in zip(one, other, strict=True))
