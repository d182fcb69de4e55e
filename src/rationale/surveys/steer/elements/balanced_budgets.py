"""Whether payments in equal payments out (STEER 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.elements.participation import service, service_words, shared_words
from rationale.surveys.steer.elements.shared_costs import COUNTS, PEOPLE, PROJECT, round_step
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import listing, money

BALANCED = ("own", "equal", "unanimous", "proportional", "shortfall", "half", "fixed", "willing")


def revenue(rule: str, game: Mapping, reports: Sequence[int]) -> Fraction | None:
    """What is collected; None where the service does not run."""
    count, share, fee = game["count"], game["share"], game["fee"]
    total, cost = sum(reports), count * share
    if rule == "unanimous":
        return Fraction(cost) if min(reports) >= share else None
    if rule == "willing":
        willing = sum(report >= fee for report in reports)
        return Fraction(willing * fee) if willing >= game["votes"] else None
    if total < cost:
        return None
    if rule == "shortfall":
        return Fraction(sum(max(0, cost - total + report) for report in reports))
    return {
        "own": Fraction(total),
        "equal": Fraction(cost),
        "proportional": Fraction(cost),
        "half": Fraction(total, 2),
        "fixed": Fraction(count * fee),
    }[rule]


@generator(
    "budget-balance",
    texts={**PROJECT, **PEOPLE, "seller": "", "sellers": ""},
    sizes="share",
)
def budget_balance(draw: Draw) -> Draft | None:
    """Do payments in equal payments out: of amounts given, of a rule, of a rule for all reports?"""
    return {7: _amounts, 8: _at_reports, 9: _at_all_reports}[draw.grade](draw)


THREE = (
    "Exactly as much is paid in as is paid out",
    "More is paid in than is paid out",
    "Less is paid in than is paid out",
)
THREE_MISTAKES = ("assumes that payments must match", "misses a payment out", "misses a payment in")


def _amounts(draw: Draw) -> Draft | None:
    """Payments by members and to suppliers, listed."""
    wanted = draw.rng.randrange(3)
    step = round_step(draw, "share")
    paid = [step * draw.rng.randint(3, 30) for _ in range(3)]
    total = sum(paid) + (0, -1, 1)[wanted] * step * draw.rng.randint(1, 6)
    first = step * draw.rng.randint(1, max(1, total // step - 2))
    if len(set(paid)) < 3 or not 0 < first < total or first == total - first:
        return None
    names = [draw.phrase(f"p{place}") for place in (1, 2, 3)]
    said = [
        f"{name} {'pay' if name == 'you' else 'pays'} {money(amount)}"
        for name, amount in zip(names, paid, strict=True)
    ]
    text = (
        f"{draw.say('project', count=COUNTS[3])} {draw.say('runs')}, and in the first year "
        f"{listing(said)} into the common fund. Out of it go {money(first)} to "
        f"{draw.phrase('seller')} and {money(total - first)} to "
        f"{draw.phrase('sellers')}. Is the budget balanced?"
    )
    return Draft(
        (_three(text, wanted),),
        {"paid": paid, "out": [first, total - first]},
        f"Paid in: {money(sum(paid))}; paid out: {money(total)}.",
    )


def _three(text: str, wanted: int, reported: int | None = None):
    """``reported``: the option of one who takes the reports for the payments."""
    mistakes = list(THREE_MISTAKES)
    if reported is not None:
        mistakes[1:] = ["adds up the payments wrongly"] * 2
        mistakes[reported] = "takes the reports for the payments"
    others = [Option(THREE[k], mistakes[k]) for k in range(3) if k != wanted]
    return keyed(text, Option(THREE[wanted]), others)


def _at_reports(draw: Draw) -> Draft | None:
    wanted = draw.rng.randrange(3)
    found = until(lambda: _collected(draw, wanted), 4000)
    if found is None:
        return None
    rule, game, reports, paid = found
    names = [draw.phrase(f"p{place}") for place in (1, 2, 3)]
    said = listing(
        [f"{money(report)} by {name}" for name, report in zip(names, reports, strict=True)]
    )
    cost = money(3 * game["share"])
    text = (
        f"{draw.say('project', count=COUNTS[3])} It would cost {cost} a year. Each "
        f"{draw.phrase('member')} reports what {draw.phrase('good')} is worth to them a year. "
        f"{shared_words(draw, rule, game)} Nothing else is paid in, and the cost is all that is "
        f"paid out. The reports are {said}. Is the budget balanced?"
    )
    return Draft(
        (_three(text, wanted, _sign(sum(reports) - 3 * game["share"])),),
        {"rule": rule, **game, "reports": list(reports)},
        f"Collected: {money(paid)}, to pay: {cost}.",
    )


def _collected(draw: Draw, wanted: int):
    rule = draw.rng.choice(BALANCED)
    game = {**service(draw), "count": 3, "votes": 2}
    step = round_step(draw, "share")
    reports = [draw.rng.choice(range(game["low"], game["high"] + step, step)) for _ in range(3)]
    paid = revenue(rule, game, reports)
    if paid is None or len(set(reports)) < 3:
        return None
    return (rule, game, reports, paid) if _sign(paid - 3 * game["share"]) == wanted else None


def _sign(surplus: Fraction) -> int:
    return 0 if surplus == 0 else 1 if surplus > 0 else 2


FOUR = (
    "It is exactly the cost, whatever the reports",
    "It is never less than the cost, and sometimes or always more",
    "It is never more than the cost, and sometimes or always less",
    "It is sometimes more than the cost and sometimes less",
)
FOUR_MISTAKES = (
    "takes the rule to share out exactly the cost",
    "overlooks reports that leave a gap, or that none leaves money over",
    "overlooks reports that leave money over, or that none leaves a gap",
    "overlooks that the rule bounds what is collected",
)


def over_all(rule: str, game: Mapping) -> int | None:
    """Which of FOUR holds for all whole reports from low to high; None where it never runs."""
    count, low, high = game["count"], game["low"], game["high"]
    cost = count * game["share"]
    if rule in ("equal", "proportional", "unanimous"):
        bounds = (cost, cost)
    elif rule == "own":
        bounds = (max(cost, count * low), count * high)
    elif rule == "half":
        bounds = (Fraction(max(cost, count * low), 2), Fraction(count * high, 2))
    elif rule == "fixed":
        bounds = (count * game["fee"],) * 2
    elif rule == "willing":
        least = count if low >= game["fee"] else game["votes"]
        bounds = (least * game["fee"], count * game["fee"])
    else:
        bounds = (cost - 1, cost)
    able = {
        "unanimous": high >= game["share"],
        "willing": high >= game["fee"],
    }.get(rule, count * high >= cost)
    if not able:
        return None
    less, more = bounds[0] < cost, bounds[1] > cost
    return 3 if less and more else 2 if less else 1 if more else 0


def _at_all_reports(draw: Draw) -> Draft | None:
    wanted = draw.rng.randrange(4)
    found = until(lambda: _ruled(draw, wanted), 4000)
    if found is None:
        return None
    rule, game = found
    text = (
        f"{service_words(draw, game)} {shared_words(draw, rule, game)} Nothing else is paid in. "
        f"Suppose that {draw.phrase('runs')}. What is true of the total that is paid in?"
    )
    others = [Option(FOUR[k], FOUR_MISTAKES[k]) for k in range(4) if k != wanted]
    return Draft(
        (keyed(text, Option(FOUR[wanted]), others),),
        {"rule": rule, **game},
        _all_reports_reason(rule, game),
    )


def _ruled(draw: Draw, wanted: int):
    rule = draw.rng.choice(BALANCED)
    game = service(draw)
    cost, low, high = game["count"] * game["share"], game["low"], game["high"]
    if low >= game["share"] or high <= game["share"] or high == low:
        return None
    if rule == "willing" and not low < game["fee"] < high:
        return None
    if rule == "fixed" and game["count"] * game["fee"] == cost:
        return None
    if rule not in ("fixed", "willing"):
        game["fee"] = 0
    return (rule, game) if over_all(rule, game) == wanted else None


def _all_reports_reason(rule: str, game: Mapping) -> str:
    cost, count = money(game["count"] * game["share"]), game["count"]
    return {
        "own": f"The reports come to {cost} or more, and all of it is paid.",
        "equal": f"{COUNTS[count].capitalize()} shares of {money(game['share'])} are {cost}.",
        "unanimous": f"{COUNTS[count].capitalize()} shares of {money(game['share'])} are {cost}.",
        "proportional": f"The shares add up to {cost} by the rule.",
        "shortfall": f"At reports of {cost} in all each pays the report; the more is "
        "reported, the less comes in.",
        "half": f"Half of all reports comes to between {money(Fraction(count * game['share'], 2))} and "
        f"{money(Fraction(count * game['high'], 2))}, against {cost}.",
        "fixed": f"{COUNTS[count].capitalize()} times {money(game['fee'])} is "
        f"{money(count * game['fee'])}, against {cost}.",
        "willing": f"{money(game['votes'] * game['fee'])} to {money(count * game['fee'])} come in, "
        f"against {cost}.",
    }[rule]
