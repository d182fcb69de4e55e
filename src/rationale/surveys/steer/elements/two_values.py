"""Truth in expectation, where everybody has one of two values (STEER 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.elements.shared_costs import AUCTION, COUNTS, PROJECT, round_step
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import money, number, percent


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
    step = round_step(draw, "worth" if auction else "share")
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


def two_values_words(draw: Draw, game: Mapping) -> str:
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


def game_instance(game: Mapping) -> dict:
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
        f"{two_values_words(draw, game)} All want worth minus payment to be as large as possible "
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
        game_instance(game),
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
