"""Properties of mechanisms: truthfulness, participation, balanced budgets (STEER 4.3).

Everybody's utility is the worth of what they get less what they pay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.options import either
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, money, number, percent

COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
AUCTION = {"auction": "count", "item": "", "items": "", "bidder": ""}
PROJECT = {"project": "count", "good": "", "runs": "", "member": ""}
PEOPLE = {"p1": "", "p2": "", "p3": ""}
UNIT = Fraction(1, 4)

# Dominant-strategy incentive compatibility ----------------------------------------------------

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
    step = _step(draw, "worth")
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


def _step(draw: Draw, size: str) -> int:
    """A step of round amounts: a twentieth of the story's largest."""
    return max(1, int(draw.story.sizes[size][1]) // 20)


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
    step, low = _step(draw, "worth"), int(draw.story.sizes["worth"][0])
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
    share = _step(draw, "share") * draw.rng.randint(2, 20)
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


# Two values: Bayesian incentive compatibility, and participation in expectation ----------------


def chances(count: int, high: Fraction, votes: int | None) -> tuple[Fraction, Fraction]:
    """The chance to get the thing by reporting the high and the low value, others truthful.

    ``votes`` None: the highest report wins one thing, ties by lot; else all get it when so many
    report the high value. Each of the others has the high value with chance ``high``.
    """
    others = count - 1
    share = [comb(others, k) * high**k * (1 - high) ** (others - k) for k in range(count)]
    if votes is None:
        lottery = sum((s / (k + 1) for k, s in enumerate(share)), Fraction(0))
        return lottery, share[0] / count
    return sum(share[votes - 1 :], Fraction(0)), sum(share[votes:], Fraction(0))


def two_values(draw: Draw, auction: bool) -> dict:
    """Two values, their chances and what one pays who gets the thing, by report."""
    step = _step(draw, "worth" if auction else "share")
    low = step * draw.rng.randint(3, 10)
    high = low + step * draw.rng.randint(3, 10)
    cheap = draw.rng.randint(1, low // step)
    count = draw.rng.choice((2, 3)) if auction else draw.rng.choice((3, 4))
    return {
        "count": count,
        "chance": Fraction(draw.rng.randint(2, 8), 10),
        "votes": None if auction else draw.rng.randint(1, count - 1),
        "worth": (high, low),
        "pays": (step * draw.rng.randint(cheap, high // step), step * cheap),
    }


def interim(game: Mapping, worth: int, report: int) -> Fraction:
    """What one expects who has a worth and makes the high (0) or the low (1) report."""
    chance = chances(game["count"], game["chance"], game["votes"])[report]
    return chance * (worth - game["pays"][report])


def _two_values_words(draw: Draw, game: Mapping) -> str:
    """Values, chances, reports, who gets the thing and what they pay."""
    high, low = map(money, game["worth"])
    dear, cheap = map(money, game["pays"])
    member = draw.phrase("bidder" if game["votes"] is None else "member")
    opening = "auction" if game["votes"] is None else "project"
    thing = draw.phrase("item" if game["votes"] is None else "good")
    votes = game["votes"]
    if votes is None:
        pays = f"{dear} after a report of {high}, {cheap} after a report of {low}"
        pays = f"{dear}, whatever the report" if dear == cheap else pays
        best = "higher" if game["count"] == 2 else "highest"
        how = f"The {best} report wins, ties are broken by lot, and only the winner pays: {pays}."
    else:
        least = "one report is" if votes == 1 else f"{COUNTS[votes]} reports are"
        pays = (
            f"those who reported {high} pay {dear} each, those who reported {low} pay {cheap} each,"
        )
        pays = f"everybody pays {dear}" if dear == cheap else pays
        how = (
            f"{draw.say('runs')} if at least {least} {high}. If so, {pays} and all have the use of "
            "it; if not, nobody pays."
        )
    return (
        f"{draw.say(opening, count=COUNTS[game['count']])} To each {member}, {thing} is worth "
        f"{high} with a chance of {percent(game['chance'])} and {low} otherwise, independently of "
        f"the {_others(game)}; only they themselves know which. Each reports one of the two "
        f"amounts. {how}"
    )


def _others(game: Mapping) -> str:
    return "other" if game["count"] == 2 else "others"


def _game_instance(game: Mapping) -> dict:
    return {**game, "chance": str(game["chance"]), "worth": list(game["worth"]),
            "pays": list(game["pays"])}  # fmt: skip


@generator("bayesian-truthfulness", texts={**AUCTION, **PROJECT}, sizes="worth share")
def bayesian_truthfulness(draw: Draw) -> Draft | None:
    """Is the truth best in expectation for both values, given that others are truthful?

    A mechanism of two values is Bayesian incentive compatible when neither type gains by the other
    report in expectation (d'Aspremont and Gerard-Varet 1979). Not both can gain here, since the
    high report gets the thing more often.
    """
    wanted = draw.rng.randrange(3)
    found = until(lambda: _reports(draw, wanted), 4000)
    if found is None:
        return None
    game, gains = found
    high, low = map(money, game["worth"])
    text = (
        f"{_two_values_words(draw, game)} All want worth minus payment to be as large as possible "
        f"on average. If {'the other reports' if game['count'] == 2 else 'all others report'} the "
        "truth, is the truth best for each?"
    )
    options = [
        "Yes, it is best with either worth",
        f"No, somebody with a worth of {high} does better by lying",
        f"No, somebody with a worth of {low} does better by lying",
    ]
    mistakes = (
        "overlooks that a lie pays on average",
        "looks at the lower payment alone"
        if len(set(game["pays"])) == 2
        else "takes it that the lower report is cheaper",
        "looks at the better chance alone",
    )
    others = [Option(options[k], mistakes[k]) for k in range(3) if k != wanted]
    said = "; ".join(
        f"with {money(worth)}: {number(truth)} by the truth, {number(lie)} by a lie"
        for worth, (truth, lie) in zip(game["worth"], gains, strict=True)
    )
    return Draft(
        (keyed(text, Option(options[wanted]), others),),
        _game_instance(game),
        f"Expected, {said}.",
    )


def _reports(draw: Draw, wanted: int):
    game = two_values(draw, draw.grade == 10)
    gains = [
        (interim(game, worth, t), interim(game, worth, 1 - t))
        for t, worth in enumerate(game["worth"])
    ]
    if any(abs(truth - lie) * 20 < game["worth"][1] // 10 for truth, lie in gains):
        return None
    lies = [t for t, (truth, lie) in enumerate(gains) if lie > truth]
    return (game, gains) if lies == ([] if wanted == 0 else [wanted - 1]) else None


# Individual rationality -----------------------------------------------------------------------

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
    step = _step(draw, "share")
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

    The service costs ``share`` a head; see ``_shared_words`` for the rules. It must be able to run
    for one with the lowest value, and unable to run at the lowest values of all (``entry``).
    """
    if rule in ("own", "unanimous", "proportional", "shortfall"):
        return True
    if rule == "entry":
        return False
    if rule == "discount":
        return low >= 2 * fee
    return low >= share


def _shared_words(draw: Draw, rule: str, game: Mapping) -> str:
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


def _service_words(draw: Draw, game: Mapping) -> str:
    return (
        f"{draw.say('project', count=COUNTS[game['count']])} It would cost "
        f"{money(game['count'] * game['share'])} a year. Each {draw.phrase('member')} reports what "
        f"{draw.phrase('good')} is worth to them a year, in whole dollars; it is worth between "
        f"{money(game['low'])} and {money(game['high'])} to each."
    )


def _service(draw: Draw) -> dict:
    """A service: how many share it, each one's part of its cost, the values, a fee and a vote."""
    step = _step(draw, "share")
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
        f"{_service_words(draw, game)} {_shared_words(draw, rule, game)}{sponsor} Whoever stays "
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
    game = _service(draw)
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
        f"{_two_values_words(draw, game)} To take part, each has to pay {money(game['fee'])} "
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
        {**_game_instance(game), "fee": game["fee"]},
        f"Expected, {said}.",
    )


def _entrance(draw: Draw, wanted: int) -> dict | None:
    step = _step(draw, "share")
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


# Budget balance -------------------------------------------------------------------------------

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
    step = _step(draw, "share")
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
        f"{_shared_words(draw, rule, game)} Nothing else is paid in, and the cost is all that is "
        f"paid out. The reports are {said}. Is the budget balanced?"
    )
    return Draft(
        (_three(text, wanted, _sign(sum(reports) - 3 * game["share"])),),
        {"rule": rule, **game, "reports": list(reports)},
        f"Collected: {money(paid)}, to pay: {cost}.",
    )


def _collected(draw: Draw, wanted: int):
    rule = draw.rng.choice(BALANCED)
    game = {**_service(draw), "count": 3, "votes": 2}
    step = _step(draw, "share")
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
        f"{_service_words(draw, game)} {_shared_words(draw, rule, game)} Nothing else is paid in. "
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
    game = _service(draw)
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
