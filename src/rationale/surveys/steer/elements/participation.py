"""Whether anybody loses by taking part: individual rationality (STEER 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.elements.shared_costs import COUNTS, PEOPLE, PROJECT, round_step
from rationale.surveys.steer.elements.two_values import (
    game_instance,
    interim,
    two_values,
    two_values_words,
)
from rationale.surveys.steer.options import either
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, money, number

SHARED = (
    "own",
    "equal",
    "unanimous",
    "proportional",
    "entry",
    "shortfall",
    "vote",
    "discount",
)


@generator(
    "individual-rationality",
    texts={**PROJECT, **PEOPLE, "fixed": "", "uses": "", "use": ""},
    sizes="share",
)
def individual_rationality(draw: Draw) -> Draft | None:
    """Does anybody lose by taking part: with payments given, under a rule, or in expectation?"""
    return {7: _stays_out, 8: _always_gains, 9: _expects}[draw.grade](draw)


def _stays_out(draw: Draw) -> Draft | None:
    """Three people, a fixed fee and a price a use: who, if anybody, pays more than they get?"""
    wanted = draw.rng.randrange(4)
    found = until(lambda: _fees(draw, wanted))
    if found is None:
        return None
    fixed, price, uses, worths = found
    names = [draw.phrase(f"p{place}") for place in (1, 2, 3)]
    said = [
        f"{name} {'expect' if name == 'you' else 'expects'} {count} {draw.phrase('uses')} and "
        f"{'value' if name == 'you' else 'values'} them at {money(worth)} in all"
        for name, count, worth in zip(names, uses, worths, strict=True)
    ]
    text = (
        f"{draw.say('project', count=COUNTS[3])} Whoever takes part pays {money(fixed)} "
        f"{draw.phrase('fixed')} and {money(price)} for every {draw.phrase('use')}; whoever "
        f"stays out pays nothing and gets nothing. For the coming year {'; '.join(said)}. Who would be "
        "worse off by taking part than by staying out?"
    )
    pays = [fixed + price * count for count in uses]
    options = [*map(capitalised, names), "None of them"]
    others = [
        Option(option, _fee_mistake(place, uses, worths))
        for place, option in enumerate(options)
        if place != wanted
    ]
    shown = "; ".join(
        f"{name}: {money(worth)} for {money(pay)}"
        for name, worth, pay in zip(names, worths, pays, strict=True)
    )
    return Draft(
        (keyed(text, Option(options[wanted]), others),),
        {"fixed": fixed, "price": price, "uses": list(uses), "worths": list(worths)},
        f"Worth and payment: {shown}.",
    )


def _fees(draw: Draw, wanted: int):
    step = round_step(draw, "share")
    fixed, price = step * draw.rng.randint(5, 20), step * draw.rng.randint(1, 6)
    uses = draw.rng.sample(range(3, 15), 3)
    worths = [
        fixed + price * count + step * draw.rng.choice((-6, -4, -3, -2, 2, 3, 4, 6, 9))
        for count in uses
    ]
    losers = [k for k in range(3) if worths[k] < fixed + price * uses[k]]
    if min(worths) <= 0 or losers != ([] if wanted == 3 else [wanted]):
        return None
    return fixed, price, uses, worths


def _fee_mistake(place: int, uses: Sequence[int], worths: Sequence[int]) -> str:
    if place == 3:
        return "leaves out the fixed payment"
    if worths[place] == min(worths):
        return "looks at the lowest worth alone"
    return "looks at the payment alone" if uses[place] == max(uses) else "adds up wrongly"


def never_loses(rule: str, low: int, share: int, fee: int) -> bool:
    """Whether nobody who is truthful can lose, for all values from ``low`` up.

    The service costs ``share`` a head; see ``shared_words`` for the rules. It must be able to run
    for one with the lowest value, and unable to run at the lowest values of all (``entry``).
    """
    if rule in ("own", "unanimous", "proportional", "shortfall"):
        return True
    if rule == "entry":
        return False
    if rule == "discount":
        return low >= 2 * fee
    return low >= share


def shared_words(draw: Draw, rule: str, game: Mapping) -> str:
    """A rule of payment for a service whose cost is given, in sentences."""
    cost, part, fee = money(game["count"] * game["share"]), money(game["share"]), money(game["fee"])
    runs = draw.phrase("runs")
    reach = f"{runs} if the reports add up to at least {cost}"
    some = COUNTS[game["votes"]]
    how = {
        "own": f"{reach}, and then each pays the amount reported",
        "equal": f"{reach}, and then each pays {part}",
        "unanimous": f"{runs} if every report is at least {part}, and then each pays {part}",
        "proportional": f"{reach}, and then {cost} is shared in proportion to the reports",
        "entry": f"each pays {fee} beforehand, which is not returned; {reach}, and then {cost} is "
        "shared in proportion to the reports",
        "shortfall": f"{reach}, and then each pays the amount, if any, by which the others' reports "
        f"fall short of {cost}",
        "vote": f"{runs} if at least {some} reports are {part} or more, and then each pays {part}",
        "discount": f"{reach}, and then each pays {fee} and half of the amount reported",
        "half": f"{reach}, and then each pays half of the amount reported",
        "fixed": f"{reach}, and then each pays {fee}",
        "willing": f"{runs} if at least {some} reports are {fee} or more, and then those who "
        f"reported so much pay {fee} each and the others nothing, though all have the use of it",
    }[rule]
    return f"{capitalised(how)}."


def service_words(draw: Draw, game: Mapping) -> str:
    return (
        f"{draw.say('project', count=COUNTS[game['count']])} It would cost "
        f"{money(game['count'] * game['share'])} a year. Each {draw.phrase('member')} reports what "
        f"{draw.phrase('good')} is worth to them a year, in whole dollars; it is worth between "
        f"{money(game['low'])} and {money(game['high'])} to each."
    )


def service(draw: Draw) -> dict:
    """A service: how many share it, each one's part of its cost, the values, a fee and a vote."""
    step = round_step(draw, "share")
    count = draw.rng.randint(3, 5)
    low = step * draw.rng.randint(1, 12)
    share = step * draw.rng.randint(3, 14)
    return {
        "count": count,
        "low": low,
        "high": low + step * draw.rng.randint(5, 15),
        "share": share,
        "fee": step * draw.rng.randint(1, 12),
        "votes": draw.rng.randint(2, count - 1),
    }


def _always_gains(draw: Draw) -> Draft | None:
    right = draw.rng.random() < 0.5
    rules = [rule for rule in SHARED if rule not in (("entry",) if right else
             ("own", "unanimous", "proportional", "shortfall"))]  # fmt: skip
    rule = draw.rng.choice(rules)
    game = until(lambda: _participation(draw, rule, right))
    if game is None:
        return None
    sponsor = " A sponsor pays whatever is missing." if rule in ("shortfall", "discount") else ""
    text = (
        f"{service_words(draw, game)} {shared_words(draw, rule, game)}{sponsor} Whoever stays "
        "out pays nothing and gets nothing. Suppose that all report the truth. Is everybody, "
        "whatever these worths are, at least as well off by taking part as by staying out?"
    )
    key, other = either(
        right,
        "Yes, nobody can end up worse off",
        "No, somebody can end up worse off",
        "looks at the total alone, not at each",
        "suspects a loss where payments stay within the worth",
    )
    return Draft(
        (keyed(text, key, (other,)),),
        {"rule": rule, **game},
        _participation_reason(rule, game, right),
    )


def _participation(draw: Draw, rule: str, right: bool) -> dict | None:
    game = service(draw)
    cost = game["count"] * game["share"]
    if game["low"] + (game["count"] - 1) * game["high"] < cost or game["high"] <= game["share"]:
        return None
    if rule == "entry" and (2 * game["fee"] > game["share"] or game["low"] >= game["share"]):
        return None
    if rule != "entry" and rule != "discount":
        game["fee"] = 0
    sized = {name: game[name] for name in ("low", "share", "fee")}
    close = rule == "discount" and game["low"] == 2 * game["fee"]
    if close or game["low"] == game["share"] or never_loses(rule, **sized) != right:
        return None
    return game


def _participation_reason(rule: str, game: Mapping, right: bool) -> str:
    low, part, fee = money(game["low"]), money(game["share"]), money(game["fee"])
    if rule == "entry":
        return f"Where the reports fall short, everybody has lost {fee}."
    if rule == "discount":
        return (
            f"A worth of {low} pays {fee} + {money(Fraction(game['low'], 2))}, "
            f"{'less' if right else 'more'} than {low}."
        )
    if rule in ("equal", "vote"):
        return f"The lowest worth, {low}, is {'above' if right else 'below'} the payment of {part}."
    return "Nobody ever pays more than they report, which is the truth."


def _expects(draw: Draw) -> Draft | None:
    """Two values and an entrance fee: with which of them does one expect to lose?"""
    wanted = draw.rng.randrange(4)
    game = until(lambda: _entrance(draw, wanted), 4000)
    if game is None:
        return None
    high, low = map(money, game["worth"])
    text = (
        f"{two_values_words(draw, game)} To take part, each has to pay {money(game['fee'])} "
        "beforehand, which is not returned; whoever stays out pays nothing and gets nothing. "
        "Suppose that all take part and report the truth. With which worth would one do better, on "
        "average, by staying out?"
    )
    options = ["With neither", f"With {high} only", f"With {low} only", "With either"]
    mistakes = (
        "leaves out the entrance fee",
        "looks at the payment alone",
        "looks at the lower worth alone",
        "counts the entrance fee alone",
    )
    others = [Option(options[k], mistakes[k]) for k in range(4) if k != wanted]
    said = "; ".join(
        f"with {money(worth)}: {number(interim(game, worth, t))} less {money(game['fee'])}"
        for t, worth in enumerate(game["worth"])
    )
    return Draft(
        (keyed(text, Option(options[wanted]), others),),
        {**game_instance(game), "fee": game["fee"]},
        f"Expected, {said}.",
    )


def _entrance(draw: Draw, wanted: int) -> dict | None:
    step = round_step(draw, "share")
    game = {
        **two_values(draw, False),
        "fee": max(1, step * draw.rng.randint(1, 8) // 2),
    }
    values = [interim(game, worth, t) - game["fee"] for t, worth in enumerate(game["worth"])]
    if any(abs(value) * 20 < step for value in values):
        return None
    loses = tuple(value < 0 for value in values)
    orders = ((False, False), (True, False), (False, True), (True, True))
    return game if loses == orders[wanted] else None
