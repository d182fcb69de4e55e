"""Avoidance of cognitive biases in deterministic environments (STEER 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from rationale.surveys.steer.elements.phrases import phrases
from rationale.surveys.steer.questions import Draft, Draw, Option, Part, generator, keyed
from rationale.surveys.steer.wording import capitalised, counted, money, number


@generator(
    "sunk-cost",
    texts={
        "four": "spent projected remainder",
        "five": "total spent projected",
        "six": "spent remainder first second",
        "go_on": "",
        "stop": "",
    },
    sizes="spent projected",
)
def sunk_cost(draw: Draw) -> Draft | None:
    """Go on exactly when what is still to gain exceeds what is still to pay; what is spent counts not.

    The two are drawn so that going on is right half of the time, and that the whole cost exceeds
    the gain: to count what is spent then always speaks against going on.
    """
    spent, projected = draw.size("spent"), draw.size("projected")
    share = draw.rng.choice((40, 50, 60, 70, 80, 85, 115, 120, 130, 140, 150, 160))
    if projected * share % 100:
        return None
    remainder = projected * share // 100
    if remainder == spent or spent <= abs(projected - remainder) or spent == projected:
        return None
    right = remainder < projected
    go_on = Option(draw.say("go_on"), None if right else "clings to what is already spent")
    stop = Option(
        draw.say("stop"), "counts what is already spent as a cost to come" if right else None
    )
    first = projected * draw.rng.choice((30, 40, 60, 70)) // 100
    values = {
        "spent": spent,
        "projected": projected,
        "remainder": remainder,
        "total": spent + remainder,
        "first": first,
        "second": projected - first,
    }
    text = draw.say(
        {4: "four", 5: "five", 6: "six"}[draw.grade],
        **{name: number(value) for name, value in values.items()},
    )
    key, other = (go_on, stop) if right else (stop, go_on)
    return Draft(
        (keyed(text, key, (other,)),),
        {"spent": spent, "remainder": remainder, "projected": projected},
        f"{number(remainder)} still to pay against {number(projected)} still to gain; "
        f"the {number(spent)} are spent either way.",
    )


@generator(
    "endowment",
    texts={
        "mine": "mine theirs",
        "theirs": "mine theirs",
        "buy": "thing",
        "sell": "thing",
        "choose": "thing",
        "things": "",
    },
    sizes="price",
)
def endowment(draw: Draw) -> Draft | None:
    """A thing is worth the same to somebody who has it and to somebody who has not.

    At grade 6 a trade is offered from both sides: the same thing must be held in the end. From
    grade 7 on what one would pay for a thing must be what one would sell it for.
    """
    if draw.grade == 6:
        return both_sides(draw)
    thing = draw.rng.choice(phrases(draw, "things"))
    step = draw.size("price")
    low = draw.rng.randint(1, 3)
    prices = [step * (low + n) for n in range(4)]
    asked = ("buy", "sell") if draw.grade == 7 else ("buy", "sell", "choose")
    options = tuple(Option(money(price), meaning=str(price)) for price in prices)
    return Draft(
        tuple(Part(draw.say(text, thing=thing), options) for text in asked),
        {"thing": thing, "prices": [str(price) for price in prices], "asked": list(asked)},
        f"What the {thing} is worth does not depend on who has it: the same amount every time.",
        "same",
    )


def both_sides(draw: Draw) -> Draft:
    """Two things, one owned and one offered for it, and then the other way round."""
    one, other = draw.rng.sample(phrases(draw, "things"), 2)
    parts = (
        Part(draw.say("mine", mine=one, theirs=other), trade(one, other, "ab")),
        Part(draw.say("theirs", mine=other, theirs=one), trade(other, one, "ba")),
    )
    return Draft(
        parts,
        {"owned_first": one, "owned_second": other},
        f"To end up with the {one} both times, or with the {other} both times, or to find them equal.",
        "same",
    )


def trade(mine: str, theirs: str, meanings: str) -> tuple[Option, ...]:
    """Keep, trade, or both alike; the meaning is what is held in the end."""
    return (
        Option(f"Keep the {mine}", meaning=meanings[0]),
        Option(f"Trade it for the {theirs}", meaning=meanings[1]),
        Option("Both are equally good", meaning="equal"),
    )


UNITS = {5: ("day",), 6: ("week", "month"), 7: ("day", "week", "month")}
# Highest number of units between the two rewards, and lowest and highest of the delay of both.
SPANS = {"day": (14, 15, 60), "week": (8, 10, 40), "month": (4, 6, 18)}


@generator(
    "time-inconsistency",
    texts={
        "ask": "sooner later",
        "again": "sooner later",
        "plan": "sooner later",
        "arrived": "passed sooner later",
        "reward": "amount",
    },
    sizes="amount gain",
)
def time_inconsistency(draw: Draw) -> Draft | None:
    """A smaller reward sooner or a larger one later, at once and with both moved by one delay.

    At grade 7 the delay passes between the two questions: the plan made first is kept or changed.
    """
    unit = draw.rng.choice(UNITS[draw.grade])
    most, shortest, longest = SPANS[unit]
    wait, delay = draw.rng.randint(1, most), draw.rng.randint(shortest, longest)
    small = draw.size("amount")
    large = small + draw.size("gain")
    pairs = [dated(draw, (small, large), (start, start + wait), unit) for start in (0, delay)]
    texts: tuple[str, str] = ("ask", "again")
    if draw.grade == 7:
        texts = ("plan", "arrived")
        pairs.reverse()
    else:
        draw.rng.shuffle(pairs)
    parts = [
        Part(draw.say(text, sooner=pair[0], later=pair[1], **passed), moments(pair))
        for text, pair, passed in zip(
            texts,
            pairs,
            ({}, {"passed": counted(delay, unit)} if draw.grade == 7 else {}),
            strict=True,
        )
    ]
    return Draft(
        tuple(parts),
        {
            "amounts": [str(small), str(large)],
            "unit": unit,
            "wait": wait,
            "delay": delay,
            "near_first": pairs[0][0].endswith("today"),
        },
        f"Both times the larger reward comes {counted(wait, unit)} after the smaller one.",
        "same",
    )


def dated(draw: Draw, amounts: Sequence[int], times: Sequence[int], unit: str) -> tuple[str, ...]:
    """The two rewards with their times: ``$50 today``, ``$80 in 3 weeks``."""
    return tuple(
        f"{draw.phrase('reward', amount=number(amount))} "
        + (f"in {counted(time, unit)}" if time else "today")
        for amount, time in zip(amounts, times, strict=True)
    )


def moments(pair: Sequence[str]) -> tuple[Option, ...]:
    """Sooner, later, or both alike."""
    return (
        Option(capitalised(pair[0]), meaning="sooner"),
        Option(capitalised(pair[1]), meaning="later"),
        Option("Both are equally good", meaning="equal"),
    )
