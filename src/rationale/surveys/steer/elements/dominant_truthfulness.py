"""Truth as a dominant strategy, in auctions and in projects that are paid for together (STEER 4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.elements.shared_costs import (
    AUCTION,
    COUNTS,
    PEOPLE,
    PROJECT,
    round_step,
)
from rationale.surveys.steer.options import either
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, money

UNIT = Fraction(1, 4)
# Auction rules by grade: who wins, what the winner pays, and what else is paid.
SIMPLE = (
    {"price": "losing"},
    {"price": "losing", "extra": "entry"},
    {"price": "losing", "extra": "gift"},
    {"price": "lottery"},
    {"price": "own"},
    {"price": "own", "wins": "second"},
    {"price": "next"},
    {"price": "mean"},
    {"price": "losing", "extra": "winner"},
    {"price": "own", "extra": "gift"},
)
LARGER = (
    {"price": "losing", "reserve": True},
    {"price": "losing", "reserve": True, "extra": "entry"},
    {"price": "losing", "several": True},
    {"price": "losing", "several": True, "extra": "gift"},
    {"price": "losing", "several": True, "extra": "entry"},
    {"price": "own", "reserve": True},
    {"price": "bare", "reserve": True},
    {"price": "next", "reserve": True},
    {"price": "own", "several": True},
    {"price": "lowest", "several": True},
    {"price": "next", "several": True},
    {"price": "losing", "reserve": True, "extra": "winner"},
)
PROJECTS = {
    "vote": True,
    "unanimous": True,
    "shortfall": True,
    "regardless": True,
    "own": False,
    "proportional": False,
    "equal": False,
    "willing": False,
    "half": False,
}


@generator(
    "dominant-strategy-truthfulness", texts={**AUCTION, **PEOPLE, **PROJECT}, sizes="worth share"
)
def dominant_strategy_truthfulness(draw: Draw) -> Draft | None:
    """Is the truth best whatever others report; or who gains by another bid, given all values?"""
    if draw.grade == 10:
        return _truthful_project(draw)
    return _truthful_auction(draw) if draw.rng.random() < 0.5 else _who_gains(draw)


def truthful(rule: Mapping) -> bool:
    """Whether bidding one's worth is weakly dominant.

    It is exactly when a winner pays the lowest bid that would still have won (Vickrey 1961; Myerson
    1981), apart from what is paid whatever the bids.
    """
    return (
        rule["price"] in ("losing", "lottery")
        and rule.get("wins") != "second"
        and rule.get("extra") != "winner"
    )


def payoff(rule: Mapping, bids: Sequence, bidder: int, worth: int) -> Fraction:
    """What a bidder gets, where no two bids are equal."""
    fixed = {"entry": -rule["fee"], "gift": rule["fee"]}.get(rule.get("extra"), 0)
    if rule["price"] == "lottery":
        able = [bid for bid in bids if bid >= rule["posted"]]
        wins = bids[bidder] >= rule["posted"]
        return Fraction(worth - rule["posted"], len(able)) if wins else Fraction(0)
    ranked = sorted(bids, reverse=True)
    able = [bid for bid in ranked if bid >= rule["floor"]]
    units = rule["units"]
    winning = able[1:2] if rule.get("wins") == "second" else able[:units]
    if bids[bidder] not in winning:
        return Fraction(fixed)
    price = {
        "losing": max(ranked[units], rule["floor"]),
        "bare": ranked[units],
        "next": (*ranked, 0)[units + 1],
        "own": bids[bidder],
        "lowest": winning[-1],
        "mean": Fraction(ranked[0] + ranked[1], 2),
    }[rule["price"]]
    return worth - price + fixed - (rule["fee"] if rule.get("extra") == "winner" else 0)


def gainers(rule: Mapping, values: Sequence[int]) -> list[int]:
    """Who could do better by another bid when the others bid their values, all different."""
    found = []
    for bidder, worth in enumerate(values):
        others = {value for place, value in enumerate(values) if place != bidder}
        limits = {*others, rule["floor"], rule["posted"], worth, 0}
        tried = {limit + step for limit in limits for step in (-UNIT, 0, UNIT)} - others
        bids = [[*values[:bidder], bid, *values[bidder + 1 :]] for bid in tried if bid >= 0]
        truth = payoff(rule, values, bidder, worth)
        if any(payoff(rule, bid, bidder, worth) > truth for bid in bids):
            found.append(bidder)
    return found


def _rule(draw: Draw, shape: Mapping, count: int, top: int) -> dict:
    """The rule of a shape with its amounts."""
    step = round_step(draw, "worth")
    levels = range(2 * step, max(3 * step, top - step), step)
    units = draw.rng.randint(2, count - 2) if shape.get("several") and count > 3 else 1
    if shape.get("several") and count == 3:
        units = 2
    return {
        **{name: value for name, value in shape.items() if name not in ("reserve", "several")},
        "units": units,
        "floor": draw.rng.choice(levels) if shape.get("reserve") else 0,
        "posted": draw.rng.choice(levels) if shape["price"] == "lottery" else 0,
        "fee": step * draw.rng.randint(1, 2) if shape.get("extra") else 0,
    }


def _auction_words(draw: Draw, rule: Mapping) -> str:
    """The rule in sentences."""
    units, floor = rule["units"], rule["floor"]
    if rule["price"] == "lottery":
        posted = money(rule["posted"])
        said = f"One of those who bid at least {posted} is drawn by lot, wins and pays {posted}."
    else:
        wins = "the second-highest bid wins" if rule.get("wins") else "the highest bid wins"
        if units > 1:
            wins = (
                f"there are {COUNTS[units]} {draw.phrase('items')}, and the {COUNTS[units]} "
                "highest bids win one each"
            )
        if floor:
            wins += f", provided it is at least {money(floor)}"
        said = f"{capitalised(wins)}. {_price_words(rule)}."
    fee = money(rule["fee"])
    extra = {
        None: "",
        "entry": f" Every bidder also pays {fee} for taking part, whatever the bids.",
        "gift": f" Every bidder also gets {fee} for taking part, whatever the bids.",
        "winner": f" On top of that, a winner pays a handling fee of {fee}.",
    }[rule.get("extra")]
    ties = "" if rule["price"] == "lottery" else " Ties are broken by lot."
    return f"{said}{extra}{ties}"


def _price_words(rule: Mapping) -> str:
    many = rule["units"] > 1
    who = "Each winner" if many else "The winner"
    bid = {
        "losing": "the highest bid that did not win" if many else "the second-highest bid",
        "bare": "the second-highest bid, whatever it is",
        "next": "the second-highest bid that did not win" if many else "the third-highest bid",
        "own": "their own bid",
        "lowest": "the lowest bid that won",
        "mean": "the average of the highest and the second-highest bid",
    }[rule["price"]]
    if rule["price"] == "losing" and rule["floor"]:
        bid += f", or {money(rule['floor'])} if that is more"
    return f"{who} pays {bid}"


def _truthful_auction(draw: Draw) -> Draft | None:
    right = draw.rng.random() < 0.5
    count = draw.rng.randint(4, 6)
    shapes = [s for s in (SIMPLE if draw.grade == 8 else LARGER) if truthful(s) == right]
    rule = _rule(draw, draw.rng.choice(shapes), count, int(draw.story.sizes["worth"][1]))
    text = (
        f"{draw.say('auction', count=COUNTS[count])} Each hands in one sealed bid and knows only "
        f"what {draw.phrase('item')} is worth to them. {_auction_words(draw, rule)} Everybody "
        "wants worth minus payment to be as large as possible. Is it best for each of them to bid "
        "exactly that worth, whatever the others bid?"
    )
    key, other = _truth_options(right)
    return Draft(
        (keyed(text, key, (other,)),),
        {"kind": "auction", "rule": rule, "count": count},
        "A bid decides only whether one wins, never what one pays for winning."
        if right
        else _flaw(rule),
    )


def _truth_options(right: bool) -> tuple[Option, Option]:
    return either(
        right,
        "Yes, nothing else is ever better than the truth",
        "No, something else is sometimes better than the truth",
        "overlooks a report that pays more than the truth",
        "suspects a gain from lying where there is none",
    )


def _flaw(rule: Mapping) -> str:
    if rule.get("extra") == "winner":
        return "With a worth just above the price, the fee makes winning a loss: bid less."
    return {
        "own": "A winner pays what they bid: bidding a little less saves money.",
        "mean": "The winner's own bid raises the price: bidding a little less saves money.",
        "lowest": "The lowest winner's own bid is the price: bidding a little less saves money.",
        "next": "Winning costs less than the bid that must be beaten: bidding more can pay.",
        "bare": "Winning can cost less than the bid that it takes: bidding more can pay.",
    }[rule["price"]]


def _who_gains(draw: Draw) -> Draft | None:
    """Three bidders whose worths are known; who of them, if anybody, gains by another bid?"""
    wanted = draw.rng.randrange(4)
    shape = draw.rng.choice(_askable(draw.grade, wanted == 3))
    found = until(lambda: _single(draw, shape, wanted))
    if found is None:
        return None
    rule, values = found
    names = [draw.phrase(f"p{place}") for place in (1, 2, 3)]
    said = [f"{money(value)} to {name}" for name, value in zip(names, values, strict=True)]
    text = (
        f"{draw.say('auction', count=COUNTS[3])} Each hands in one sealed bid. "
        f"{_auction_words(draw, rule)} {capitalised(draw.phrase('item'))} is worth "
        f"{listing(said)}, and everybody wants worth minus payment to be as large as possible. If the "
        "other two bid exactly what it is worth to them, who can do better by bidding something "
        "else?"
    )
    options = [*map(capitalised, names), "None of them"]
    others = [
        Option(option, _gain_mistake(place, rule, values))
        for place, option in enumerate(options)
        if place != wanted
    ]
    return Draft(
        (keyed(text, Option(options[wanted]), others),),
        {"kind": "who", "rule": rule, "values": list(values)},
        "Nobody gains by another bid against these values."
        if wanted == 3
        else f"Only {names[wanted]} can gain. {_flaw(rule)}",
    )


def _askable(grade: int, nobody: bool) -> list[Mapping]:
    """Shapes under which nobody of three gains, or one alone; the highest not always the one."""
    shapes = SIMPLE if grade == 8 else LARGER
    if nobody:
        return [s for s in shapes if truthful(s) or s.get("extra") == "winner"]
    second = [s for s in shapes if s["price"] == "next" and not s.get("several")]
    highest = [
        s
        for s in shapes
        if not truthful(s)
        and s["price"] not in ("next", "lowest")
        and not (s.get("wins") or s.get("several") or s.get("extra") == "gift")
    ]
    return 2 * second + highest


def _single(draw: Draw, shape: Mapping, wanted: int):
    """A rule and three worths with the one who gains, or none (3); None at a miss."""
    step, low = round_step(draw, "worth"), int(draw.story.sizes["worth"][0])
    high = int(draw.story.sizes["worth"][1])
    values = draw.rng.sample(range(low, high + 1, step), 3)
    rule = _rule(draw, shape, 3, high)
    if {rule["floor"], rule["posted"]} & set(values):
        return None
    found = gainers(rule, values)
    return (rule, values) if found == ([] if wanted == 3 else [wanted]) else None


def _gain_mistake(place: int, rule: Mapping, values: Sequence[int]) -> str:
    if place == 3:
        return "takes the rule for one that makes the truth best"
    able = values[place] >= max(rule["floor"], rule["posted"])
    if able and rule["price"] == "lottery":
        return "takes a bid to change the price or the lot"
    if able and values[place] in sorted(values, reverse=True)[: rule["units"]]:
        return "takes a winner to gain from bidding less"
    return "takes one who loses to gain from bidding more"


def _truthful_project(draw: Draw) -> Draft | None:
    right = draw.rng.random() < 0.5
    rule = draw.rng.choice([name for name, holds in PROJECTS.items() if holds == right])
    count = draw.rng.randint(3, 6)
    share = round_step(draw, "share") * draw.rng.randint(2, 20)
    votes = draw.rng.randint(2, count - 1)
    text = (
        f"{draw.say('project', count=COUNTS[count])} {_project_words(draw, rule, count, share, votes)}"
        f" Everybody wants worth minus payment to be as large as possible, and reports may be any "
        "amount from $0 up. Is it best for each of them to report the true worth, whatever the "
        "others report?"
    )
    key, other = _truth_options(right)
    return Draft(
        (keyed(text, key, (other,)),),
        {"kind": "project", "rule": rule, "count": count, "share": share, "votes": votes},
        PROJECT_REASONS[rule],
    )


PROJECT_REASONS = {
    "vote": "A report only says whether the fixed share is worth paying: the truth is best.",
    "unanimous": "A report only says whether the fixed share is worth paying: the truth is best.",
    "shortfall": "What one pays depends on the others' reports alone: the truth is best.",
    "regardless": "Reports change nothing, so no lie can help.",
    "own": "One pays what one reports: reporting less saves money where it still suffices.",
    "proportional": "A lower report lowers one's share where it still suffices.",
    "equal": "With a worth above the share one gains by exaggerating, below it by reporting 0.",
    "willing": "Where the others suffice, a low report gets one the same for nothing.",
    "half": "A report raises what one pays: reporting less saves money where it still suffices.",
}


def _project_words(draw: Draw, rule: str, count: int, share: int, votes: int) -> str:
    say = draw.phrase
    cost, part, runs = money(count * share), money(share), say("runs")
    reach = f"{runs} if the reports add up to at least the cost"
    enough = f"{runs} if at least {COUNTS[votes]} of the reports are {part} or more"
    how = {
        "vote": f"{enough}, and then everybody pays {part}",
        "unanimous": f"{runs} if every report is {part} or more, and then everybody pays {part}",
        "shortfall": f"{reach}, and then each pays the amount, if any, by which the others' reports "
        "fall short of the cost",
        "regardless": f"{runs} whatever is reported, and everybody pays {part}",
        "own": f"{reach}, and then each pays the amount reported",
        "proportional": f"{reach}, which is then shared in proportion to the reports",
        "equal": f"{reach}, and then everybody pays {part}",
        "willing": f"{enough}, and then only those who reported so much pay {part} each, though all "
        "have the use of it",
        "half": f"{reach}, and then each pays half of the amount reported",
    }[rule]
    return (
        f"It would cost {cost} a year. Each {say('member')} reports what {say('good')} is worth to "
        f"them a year, which nobody else knows. {capitalised(how)}."
        f"{' A sponsor pays whatever is missing.' if rule in ('shortfall', 'half', 'willing') else ''}"
    )
