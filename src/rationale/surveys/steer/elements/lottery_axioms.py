"""Axioms of utility in stochastic environments (STEER 2.3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from rationale.surveys.steer.elements.prospects import chance_said, names
from rationale.surveys.steer.questions import Draft, Draw, Option, Part, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing

# (chance in per cent, prize); what is missing to 100 is nothing at all.
Lottery = tuple[int, str]

EITHER = "Neither one, they are equally good"
INCOMPARABLE = "Neither one, they cannot be compared"
OPEN = "It cannot be told from this"


def _prizes(draw: Draw, count: int) -> list[str]:
    """Some of the prizes in the story's ``prizes``, which are parted by semicolons."""
    return draw.rng.sample([one.strip() for one in draw.phrase("prizes").split(";")], count)


def _said(lottery: Lottery) -> str:
    return f"{chance_said(lottery[0])} of {lottery[1]}"


# Completeness over lotteries


@generator(
    "lottery-completeness",
    texts={
        "ask": "lotteries",
        "again": "lotteries",
        "lottery": "name outcomes",
        "names": "",
        "prizes": "",
    },
)
def lottery_completeness(draw: Draw) -> Draft:
    """The same two lotteries twice: a preference, or indifference, is stated and is the same.

    The second part tells them in the other order and their chances as so many in 100.
    """
    prizes = {2: 1, 3: 2, 4: 3}[draw.grade]
    called = names(draw, 2)
    pool = _prizes(draw, 2 * prizes) if prizes == 1 else _prizes(draw, prizes + 1)
    sides = [pool[:prizes], pool[-prizes:]]
    lotteries = [list(zip(_chances(draw, prizes), side, strict=True)) for side in sides]
    told = [
        draw.say("lottery", name=name, outcomes=listing([_said(one) for one in lottery]))
        for name, lottery in zip(called, lotteries, strict=True)
    ]
    retold = [
        draw.say("lottery", name=name, outcomes=listing([_counted(one) for one in lottery]))
        for name, lottery in zip(called, lotteries, strict=True)
    ]
    options = (
        *(Option(capitalised(name), meaning=f"lottery {n}") for n, name in enumerate(called, 1)),
        Option(EITHER, meaning="indifferent"),
        Option(INCOMPARABLE, meaning="none"),
    )
    parts = (
        Part(draw.say("ask", lotteries=" ".join(told)), options),
        Part(draw.say("again", lotteries=" ".join(reversed(retold))), options),
    )
    instance = {
        "lotteries": {
            name: [list(one) for one in lottery]
            for name, lottery in zip(called, lotteries, strict=True)
        }
    }
    explained = "the same preference, or indifference, both times"
    return Draft(parts, instance, explained, rule="decided-alike")


def _chances(draw: Draw, count: int) -> list[int]:
    """Chances in steps of 5 %, at least 5 each and at most 95 together."""
    highest = {1: 90, 2: 45, 3: 30}[count]
    return [draw.rng.randrange(5, highest + 1, 5) for _ in range(count)]


def _counted(lottery: Lottery) -> str:
    return f"{lottery[0]} chances in 100 of {lottery[1]}"


# Transitivity over lotteries


@generator(
    "lottery-transitivity",
    texts={
        "chain": "statements",
        "question": "one other",
        "choose": "",
        "choose_again": "",
        "prizes": "",
    },
)
def lottery_transitivity(draw: Draw) -> Draft:
    """What follows from stated preferences (grades 3 and 4), or three choices of one's own."""
    if draw.grade == 5:
        return _own_choices(draw)
    rng, count = draw.rng, draw.grade
    lotteries = _different(draw, count)
    apart = [(one, other) for one in range(count) for other in range(one + 2, count)]
    first, last = rng.choice(apart)
    truth = rng.choice(("first", "last", "open"))
    ways = product((True, False), repeat=count - 1)
    settled = {"first": {True}, "last": {False}, "open": {True, False}}[truth]
    up = rng.choice([way for way in ways if set(way[first:last]) == settled])
    pairs = [(n, n + 1) if up[n] else (n + 1, n) for n in range(count - 1)]
    if count == 4:
        rng.shuffle(pairs)
    stated = [f"{_said(lotteries[a])} than {_said(lotteries[b])}" for a, b in pairs]
    ends = [lotteries[first], lotteries[last]]
    options = {
        "first": Option(capitalised(_said(ends[0])), _chain_mistake(ends, 0, truth)),
        "last": Option(capitalised(_said(ends[1])), _chain_mistake(ends, 1, truth)),
        "open": Option(OPEN, None if truth == "open" else "does not link the statements"),
    }
    one, other = rng.sample(ends, 2)
    asked = draw.say("question", one=_said(one), other=_said(other))
    said = ("; " if count == 4 else ", ").join([*stated[:-1], f"and {stated[-1]}"])
    text = f"{draw.say('chain', statements=said)} {asked}"
    others = [option for name, option in options.items() if name != truth]
    instance = {
        "preferred": [[list(lotteries[a]), list(lotteries[b])] for a, b in pairs],
        "asked": [list(end) for end in ends],
    }
    explained = (
        "the statements leave these two open"
        if truth == "open"
        else " > ".join(
            _said(lotteries[n])
            for n in (range(first, last + 1) if truth == "first" else range(last, first - 1, -1))
        )
    )
    return Draft((keyed(text, options[truth], others),), instance, explained)


def _chain_mistake(ends: Sequence[Lottery], place: int, truth: str) -> str | None:
    if truth == ("first", "last")[place]:
        return None
    likelier = ends[place][0] > ends[1 - place][0]
    if truth == "open":
        return f"adds a preference not stated: goes by the {'chance' if likelier else 'prize'}"
    return "goes by the higher chance" if likelier else "reads the chain backwards"


def _different(draw: Draw, count: int) -> list[Lottery]:
    chances = draw.rng.sample(range(6, 95), count)
    return list(zip(chances, _prizes(draw, count), strict=True))


def _own_choices(draw: Draw) -> Draft:
    """Three pairs of three lotteries whose chances lie close together (after Tversky 1969)."""
    rng = draw.rng
    low = rng.randint(20, 70)
    chances = [low, low + rng.randint(3, 8), low + rng.randint(9, 16)]
    rng.shuffle(chances)
    lotteries = dict(zip("abc", zip(chances, _prizes(draw, 3), strict=True), strict=True))
    texts = [draw.say("choose"), draw.say("choose_again"), draw.say("choose_again")]
    parts = tuple(
        Part(
            text,
            tuple(
                Option(capitalised(_said(lotteries[one])), meaning=f"{one}>{other}")
                for one, other in (pair, pair[::-1])
            ),
        )
        for text, pair in zip(texts, ("ab", "bc", "ac"), strict=True)
    )
    instance = {"lotteries": {name: list(lottery) for name, lottery in lotteries.items()}}
    return Draft(parts, instance, "the three choices make no circle", rule="acyclic")


# Independence over lotteries


@generator(
    "lottery-independence",
    texts={"ask": "", "third": "new", "mixed": "chance new", "prizes": ""},
)
def lottery_independence(draw: Draw) -> Draft:
    """A choice from two lotteries, then with a third one about.

    Grade 3: the third turns up, and the choice stays or goes to the new one. Grade 4: one of the two
    dominates the new one, so the choice stays. Grade 5: both are mixed with the third, and by the
    independence axiom (von Neumann and Morgenstern 1944) the choice stays.
    """
    rng = draw.rng
    prizes = _prizes(draw, 3)
    chances = rng.sample(range(20, 96), 2)
    old = {"a": (chances[0], prizes[0]), "b": (chances[1], prizes[1])}
    new: Lottery = (rng.randint(10, 95), prizes[2])
    if draw.grade == 4:
        chance, prize = old[rng.choice("ab")]
        new = (chance - rng.randint(5, 14), prize)
    ask = Part(draw.say("ask"), _options(old))
    if draw.grade == 5:
        share = rng.choice((20, 25, 30, 40, 50, 60, 70, 75, 80))
        text = draw.say("mixed", chance=chance_said(share), new=_said(new))
        parts, rule = (ask, Part(text, _options(old))), "same"
        explained = "the same lottery, mixed with the third or not"
        extra = {"share": share}
    else:
        text = draw.say("third", new=_said(new))
        parts = (ask, Part(text, _options({**old, "new": new})))
        rule = "same" if draw.grade == 4 else "keeps-or-takes-new"
        explained = "the first choice again" + ("" if draw.grade == 4 else ", or the new lottery")
        extra = {}
    instance = {name: list(lottery) for name, lottery in {**old, "new": new}.items()} | extra
    return Draft(parts, instance, explained, rule=rule)


def _options(lotteries: dict[str, Lottery]) -> tuple[Option, ...]:
    return tuple(
        Option(capitalised(_said(lottery)), meaning=name) for name, lottery in lotteries.items()
    )
