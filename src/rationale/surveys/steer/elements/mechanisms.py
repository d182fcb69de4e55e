"""Mechanisms: top trading cycles and the choice of an auction (STEER 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, money

SWAP = dict.fromkeys(["p1", "p2", "p3", "p4", "p5", "t1", "t2", "t3", "t4", "t5"], "")
WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


def trading_cycles(rankings: Sequence[Sequence[int]]) -> list[list[tuple[int, ...]]]:
    """The circles of each round of top trading cycles (Shapley and Scarf 1974, after Gale).

    ``rankings`` holds the things that each person likes, best first; person n owns thing n. In each
    round everybody left points at the owner of the best thing left, and the circles leave.
    """
    left, rounds = set(range(len(rankings))), []
    while left:
        points = {p: next(thing for thing in rankings[p] if thing in left) for p in left}
        circles = set()
        for start in left:
            path = [start]
            while points[path[-1]] not in path:
                path.append(points[path[-1]])
            circle = path[path.index(points[path[-1]]) :]
            place = circle.index(min(circle))
            circles.add((*circle[place:], *circle[:place]))
        rounds.append(sorted(circles))
        left -= {p for circle in circles for p in circle}
    return rounds


def allotted(rounds: Sequence[Sequence[Sequence[int]]]) -> dict[int, int]:
    """Which thing each person gets: in a circle, that of the next."""
    return {
        person: circle[(place + 1) % len(circle)]
        for circles in rounds
        for circle in circles
        for place, person in enumerate(circle)
    }


@generator("top-trading-cycles", texts={**SWAP, "intro": "who"})
def top_trading_cycles(draw: Draw) -> Draft | None:
    """Who gets what by top trading cycles; at least two rounds, and somebody trades."""
    count = {8: 3, 9: 4, 10: 5}[draw.grade]
    rankings = [draw.rng.sample(range(count), count) for _ in range(count)]
    rounds = trading_cycles(rankings)
    gets = allotted(rounds)
    if len(rounds) < 2 or all(person == thing for person, thing in gets.items()):
        return None
    people = [draw.phrase(f"p{n + 1}") for n in range(count)]
    places = draw.rng.sample(range(1, 6), count)
    things = [draw.phrase(f"t{place}") for place in places]
    asked = draw.rng.randrange(count)
    by_thing = draw.rng.random() < 0.5
    if by_thing:
        key = next(person for person in gets if gets[person] == asked)
        ask, shown = f"Who ends up with {things[asked]}?", people
    else:
        key = gets[asked]
        ask, shown = f"What {_ends(people[asked])} up with?", things
    options = [
        Option(
            capitalised(name),
            None
            if place == key
            else _swap_mistake(rankings, *((place, asked) if by_thing else (asked, place))),
        )
        for place, name in enumerate(shown)
    ]
    right = options.pop(key)
    return Draft(
        (keyed(f"{_swap_text(draw, people, things, rankings)}\n\n{ask}", right, options),),
        {"rankings": rankings, "asked": asked, "by": "thing" if by_thing else "person"},
        "; ".join(
            f"round {n}: " + ", ".join(_circle(people, circle) for circle in circles)
            for n, circles in enumerate(rounds, start=1)
        ),
    )


def _swap_text(
    draw: Draw, people: Sequence[str], things: Sequence[str], rankings: Sequence[Sequence[int]]
) -> str:
    lines = [
        f"- {capitalised(person)} (now {things[own]}): {', '.join(things[t] for t in rankings[own])}"
        for own, person in enumerate(people)
    ]
    return (
        f"{draw.say('intro', who=listing(people))} The exchange runs by top trading cycles: all "
        f"point at the owner of what they like best, perhaps at themselves. Where the pointing "
        f"goes round in a circle, or somebody points at themselves, those people take what they "
        f"point at and leave. The others go on in the same way with what is left. Here is what "
        f"each has now and how each ranks everything, best first:\n\n" + "\n".join(lines)
    )


def _ends(name: str) -> str:
    return f"{'do' if name == 'you' else 'does'} {name} end"


def _circle(people: Sequence[str], circle: Sequence[int]) -> str:
    if len(circle) == 1:
        return f"{people[circle[0]]} alone"
    return " -> ".join(people[person] for person in (*circle, circle[0]))


def _swap_mistake(rankings: Sequence[Sequence[int]], person: int, thing: int) -> str:
    if person == thing:
        return "leaves things with their owner"
    if rankings[person][0] == thing:
        return "grants a first choice without a circle"
    taken: set[int] = set()
    for chooser, ranking in enumerate(rankings):
        taken.add(pick := next(one for one in ranking if one not in taken))
        if (chooser, pick) == (person, thing):
            return "lets people choose one after the other"
    return "closes a wrong circle"


# Auctions. A format's payment rule: the own bid, or what the last rival would have paid.
FIRST, SECOND, ENGLISH, DUTCH = "first", "second", "english", "dutch"
NAMES = {
    FIRST: "the first-price sealed-bid auction",
    SECOND: "the second-price sealed-bid auction",
    ENGLISH: "the English auction",
    DUTCH: "the Dutch auction",
}
GLOSSES = {
    FIRST: "a first-price sealed-bid auction, where the highest bid wins and is paid",
    SECOND: "a second-price sealed-bid auction, where the highest bid wins "
    "but the second-highest is paid",
    ENGLISH: "an English auction, where the price rises until only one bidder is left",
    DUTCH: "a Dutch auction, where the price falls until somebody takes it",
}
ATTITUDES = {
    "averse": "All bidders dislike risk: "
    "of two chances with the same average gain, each takes the safer.",
    "seeking": "All bidders like risk: "
    "of two chances with the same average gain, each takes the riskier.",
    "neutral": "Risk means nothing to the bidders: each cares for the average gain alone.",
}
PRICE_SETTERS = (FIRST, DUTCH)


def revenue_order(formats: Sequence[str], values: str, attitude: str) -> list[set[str]]:
    """The formats by expected revenue, highest first; those of one set earn the same.

    Bidders are alike and bid as in the symmetric equilibrium. Independent private values: all earn
    the same under risk neutrality (Vickrey 1961; Myerson 1981); with risk aversion bids rise where
    one pays the own bid, with risk seeking they fall, and elsewhere stay (Riley and Samuelson 1981;
    Maskin and Riley 1984). Affiliated values, risk neutrality, three bidders or more: English over
    second-price over first-price, and Dutch as first-price (Milgrom and Weber 1982).
    """
    if values == "affiliated":
        groups = [{ENGLISH}, {SECOND}, {FIRST, DUTCH}]
    elif attitude == "neutral":
        groups = [{ENGLISH, SECOND, FIRST, DUTCH}]
    else:
        groups = [{FIRST, DUTCH}, {ENGLISH, SECOND}]
        groups = groups if attitude == "averse" else groups[::-1]
    return [kept for group in groups if (kept := group & set(formats))]


@generator(
    "risk-attitude-auctions",
    texts={"intro": "count", "private": "", "seller": "", "lot": ""},
    sizes="bid",
)
def risk_attitude_auctions(draw: Draw) -> Draft | None:
    """Which of two formats earns more (or less), given how the bidders take risk.

    Grade 10 also asks what the winner pays at bids that are stated.
    """
    rng = draw.rng
    graded = draw.grade == 10
    pair = [FIRST, SECOND] if graded else [rng.choice(PRICE_SETTERS), rng.choice((SECOND, ENGLISH))]
    attitude = rng.choice(("averse", "seeking") if graded else tuple(ATTITUDES))
    most = rng.random() < 0.5
    order = revenue_order(pair, "private", attitude)
    key = next(iter(order[0 if most else -1])) if len(order) > 1 else None
    text = _auction(draw, "private", attitude, rng.sample(pair, 2))
    instance = {"formats": pair, "values": "private", "attitude": attitude}
    instance |= {"asked": "most" if most else "least"}
    if graded:
        return _with_payment(draw, text, instance, key)
    ask = f"Which of the two can be expected to earn {'more' if most else 'less'}?"
    options = {one: Option(capitalised(NAMES[one]), _risk_mistake(attitude)) for one in pair}
    options[None] = Option("Neither: they earn the same", _risk_mistake(attitude))
    options[key] = Option(options[key].text)
    right = options.pop(key)
    return Draft(
        (keyed(f"{text} {ask}", right, list(options.values())),), instance, _risk_reason(attitude)
    )


def _with_payment(draw: Draw, text: str, instance: dict, key: str) -> Draft | None:
    """The format and the payment; the other amount lies above the right one as often as below.

    That amount is the next bid up or down, or the estimate where nobody bids more. The two amounts
    are drawn first and alike for either format, and the rest of the ladder around them.
    """
    rng = draw.rng
    place = 1 if key == FIRST else 2
    slip = place + rng.choice((-1, 1))
    ladder = _ladder(draw, min(place, slip))
    if ladder is None:
        return None
    estimate, *bids = ladder
    pay, other = ladder[place], ladder[slip]
    said = {0: "pays the estimate", 1: "pays the highest bid", 2: "pays the second-highest bid"}
    wrong_pay = said.get(slip, "pays the third-highest bid")
    wrong_format = "mistakes what risk does to the bids"
    shown = rng.sample(bids, 3)
    more = "more" if instance["asked"] == "most" else "less"
    ask = (
        f"{capitalised(draw.phrase('lot'))} is estimated at {money(estimate)}. Which auction can "
        f"be expected to earn {more}, and what does the winner pay in it if the three highest bids "
        f"then turn out to be {listing([money(bid) for bid in shown])}?"
    )
    options = []
    for name in (FIRST, SECOND):
        for amount in (pay, other):
            reasons = [wrong_format] * (name != key) + [wrong_pay] * (amount != pay)
            label = f"The {name}-price auction; the winner pays {money(amount)}"
            options.append((label, ", and ".join(reasons) or None))
    right = next(Option(label) for label, reason in options if reason is None)
    rest = [Option(label, reason) for label, reason in options if reason is not None]
    instance |= {"bids": shown, "estimate": estimate}
    return Draft(
        (keyed(f"{text} {ask}", right, rest, pay),),
        instance,
        f"{_risk_reason(instance['attitude'])} The winner pays {money(pay)}.",
    )


def _ladder(draw: Draw, upper: int) -> list[int] | None:
    """Estimate and three bids, highest first; those at ``upper`` and below it are drawn first."""
    low, _, step = draw.story.sizes["bid"]
    amounts = {draw.size("bid"), draw.size("bid")}
    if len(amounts) < 2 or min(amounts) < low + 16 * step:
        return None
    ladder = sorted(amounts, reverse=True)
    for _ in range(upper):
        ladder.insert(0, ladder[0] + step * draw.rng.randint(1, 8))
    while len(ladder) < 4:
        ladder.append(ladder[-1] - step * draw.rng.randint(1, 8))
    return ladder


def _risk_mistake(attitude: str) -> str:
    if attitude == "neutral":
        return "sees a difference where risk means nothing to the bidders"
    return "mistakes what risk does to the bids"


def _risk_reason(attitude: str) -> str:
    return {
        "averse": "Averse to risk, bidders bid higher where they pay their own bid; else the same.",
        "seeking": "Fond of risk, bidders bid lower where they pay their own bid; else the same.",
        "neutral": "With independent values and no care for risk, all formats earn the same.",
    }[attitude]


@generator(
    "affiliated-auctions",
    texts={"intro": "count", "private": "", "shared": "", "seller": ""},
)
def affiliated_auctions(draw: Draw) -> Draft | None:
    """A format by its rank in expected revenue (grade 10), or the whole ranking (grade 11)."""
    if draw.grade == 11:
        return _ranking(draw)
    rng = draw.rng
    formats = rng.choice(
        [(ENGLISH, SECOND), (SECOND, FIRST), (ENGLISH, FIRST), (SECOND, DUTCH), (ENGLISH, DUTCH)]
        + [(ENGLISH, SECOND, FIRST), (ENGLISH, SECOND, DUTCH)] * 2
    )
    place = rng.randrange(len(formats) + 1)
    values = "private" if place == len(formats) else "affiliated"
    rank = rng.randrange(len(formats)) if values == "private" else place
    order = revenue_order(formats, values, "neutral")
    key = next(iter(order[rank])) if values == "affiliated" else None
    asked = {2: ("more", "less"), 3: ("the most", "the second most", "the least")}[len(formats)]
    text = _auction(draw, values, "neutral", rng.sample(formats, len(formats)))
    number, none = WORDS[len(formats)], "Neither" if len(formats) == 2 else "None"
    ask = f"Which of the {number} can be expected to earn {asked[rank]}?"
    wrong = (
        "overlooks that values move together" if values == "affiliated" else "links unlinked values"
    )
    off = wrong if values == "private" else "mistakes what rivals' bids reveal"
    options = {one: Option(capitalised(NAMES[one]), off) for one in formats}
    options[None] = Option(f"{none}: they earn the same", wrong)
    right = Option(options.pop(key).text)
    return Draft(
        (keyed(f"{text} {ask}", right, list(options.values())),),
        {"formats": list(formats), "values": values, "attitude": "neutral", "asked": rank + 1},
        _values_reason(values),
    )


CASES = (
    ("affiliated", "neutral", "takes independent values to move together"),
    ("private", "neutral", "overlooks what sets the formats apart"),
    ("private", "averse", "takes the bidders to be averse to risk"),
    ("private", "seeking", "takes the bidders to seek risk"),
)


def _ranking(draw: Draw) -> Draft | None:
    """Four rankings, each of them right in one of the four cases."""
    formats = [ENGLISH, SECOND, draw.rng.choice(PRICE_SETTERS)]
    upward = draw.rng.random() < 0.5
    case = draw.rng.randrange(4)
    values, attitude, _ = CASES[case]
    options = []
    for number, (value, taste, wrong) in enumerate(CASES):
        order = revenue_order(formats, value, taste)
        if number == 1 and values == "affiliated":
            wrong = "overlooks that values move together"
        options.append(
            Option(
                _ranked(order[::-1] if upward else order, formats),
                None if number == case else wrong,
            )
        )
    right = options.pop(case)
    text = _auction(draw, values, attitude, draw.rng.sample(formats, 3))
    way = "the lowest to the highest" if upward else "the highest to the lowest"
    ask = f"How do the three rank, from {way} expected earnings?"
    reason = _values_reason(values) if attitude == "neutral" else _risk_reason(attitude)
    return Draft(
        (keyed(f"{text} {ask}", right, options),),
        {"formats": formats, "values": values, "attitude": attitude, "upward": int(upward)},
        reason,
    )


SHORT = {ENGLISH: "English", SECOND: "second-price", FIRST: "first-price", DUTCH: "Dutch"}


def _ranked(order: Sequence[set[str]], formats: Sequence[str]) -> str:
    """``English, then second-price, then Dutch``; those that earn the same stand together."""
    said = [
        " and ".join(SHORT[one] for one in formats if one in group)
        + (" alike" if len(group) == 2 else "")
        for group in order
    ]
    if len(order) == 1:
        return capitalised(f"{listing([SHORT[one] for one in formats])} alike")
    return capitalised(", then ".join(said))


def _values_reason(values: str) -> str:
    if values == "private":
        return "With independent values and no care for risk, all formats earn the same."
    return (
        "When values move together, the price earns more the more it depends on rivals' "
        "information: English over second-price over first-price (and Dutch)."
    )


def _auction(draw: Draw, values: str, attitude: str, formats: Sequence[str]) -> str:
    """What is sold to whom, how the bidders take risk, and which formats there are to choose from."""
    count = WORDS[draw.rng.randint(3, 9)]
    intro = draw.say("intro", count=count)
    kind = draw.say("private" if values == "private" else "shared")
    seller = draw.phrase("seller")
    stop = ";" if len(formats) > 2 else ","
    glossed = f"{stop} ".join(
        [GLOSSES[one] for one in formats[:-1]] + [f"or {GLOSSES[formats[-1]]}"]
    )
    return (
        f"{intro} {kind} {ATTITUDES[attitude]} They know nothing more of one another, and all "
        f"bid as well as they can. {capitalised(seller)} can hold {glossed}."
    )
