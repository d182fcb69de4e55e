"""Risk-neutral expected utility (STEER 2.4): utility is linear, so the largest mean is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.elements.prospects import (
    Prospect,
    Value,
    average,
    best,
    chance_said,
    clear_winner,
    expected,
    leaning,
    likeliest,
    lower,
    mean_said,
    mistaken,
    names,
    outcomes_said,
    prospect_said,
    spread,
    step_of,
    sure,
    winner,
    with_losses_times,
    worst,
)
from rationale.surveys.steer.options import Mistake, crossed, slips
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number

TENTHS = [Fraction(tenth, 10) for tenth in range(1, 11)]
COUNTS = {2: "two", 3: "three"}

# The texts of stories that lay out prospects, sure and risky ones.
PROSPECTS = {
    "tell": "count prospects",
    "sure": "name value",
    "risky": "name outcomes",
    "win": "chance value",
    "nothing": "chance",
    "names": "",
}


# One chance is the largest, so that there is one likeliest outcome.
PARTITIONS = {
    count: [
        chances
        for chances in product(range(10, 90, 5), repeat=count)
        if sum(chances) == 100 and chances.count(max(chances)) == 1 and min(chances) >= least
    ]
    for count, least in ((2, 15), (3, 10))
}
# How many times its mean a prospect of maximize-expected-utility can pay: no prize out of this world.
LARGEST_SHARE = 4
CARELESS: list[tuple[str, Value]] = [
    ("looks at the largest outcome alone", best),
    ("looks at the worst outcome alone", worst),
    ("averages the outcomes and leaves out their chances", average),
    ("looks at the likeliest outcome alone", likeliest),
]
# What either adds or takes away is the same, so that nothing shows which of the options is the key.
LOSS_SLIPS = [
    ("weighs the loss twice", lambda chance, value: (chance, 2 * value)),
    ("leaves out the loss", lambda chance, value: (chance, 0)),
]
# How far below the best a neighbour and a prospect two steps away lie, least and most per cent.
FURTHER = {1: (5, 20), 2: (22, 45)}
AVERSE = [leaning(worst, tenth) for tenth in TENTHS]
SEEKING = [leaning(best, tenth) for tenth in TENTHS]


# Compute expected utility


@generator(
    "compute-expected-utility",
    texts={
        "ask": "outcomes",
        "first": "chance value",
        "second": "chance value",
        "third": "chance value",
        "loss": "chance value",
        "answer": "value",
    },
    sizes="value",
)
def compute_expected_utility(draw: Draw) -> Draft | None:
    """The sum of chance times utility; sizes step by 20 and chances by 5 %, so it is whole.

    Distractors give two gains each other's chance, slip in the sum or with the loss, or do both;
    all options lie between the worst and the best outcome, so that none drops out unreckoned.
    """
    kinds = {
        2: ("first", "second"),
        3: ("first", "second", "third"),
        4: ("first", "second", "third", "loss"),
    }[draw.grade]
    values = sorted({int(draw.size("value")) for _ in kinds}, reverse=True)
    if len(values) < len(kinds):
        return None
    if draw.grade == 4:
        values.append(-values.pop(draw.rng.randrange(4)))
    chances = _chances(draw.rng, len(kinds))
    prospect = tuple(zip(chances, values, strict=True))
    options = _miscounted(draw, prospect)
    if options is None:
        return None
    said = [
        draw.phrase(kind, chance=chance_said(chance), value=number(abs(value)))
        for kind, (chance, value) in zip(kinds, prospect, strict=True)
    ]
    part = keyed(draw.say("ask", outcomes=listing(said)), *options, value=expected(prospect))
    explained = mean_said("", prospect).removeprefix(": ")
    return Draft((part,), {"prospect": [list(one) for one in prospect]}, explained)


def _chances(rng: Random, count: int) -> list[int]:
    """Chances in steps of 5 % that add to 100, each at least 10."""
    cuts = sorted(rng.sample(range(1, 20), count - 1))
    chances = [5 * (b - a) for a, b in zip([0, *cuts], [*cuts, 20], strict=True)]
    return chances if min(chances) >= 10 else _chances(rng, count)


def _miscounted(draw: Draw, prospect: Prospect) -> tuple[Option, list[Option]] | None:
    one, other = draw.rng.sample([n for n, (_, v) in enumerate(prospect) if v > 0], 2)
    swap = list(range(len(prospect)))
    swap[one], swap[other] = other, one
    swapped = tuple((prospect[swap[n]][0], prospect[n][1]) for n in range(len(prospect)))
    second, both = _second_mistake(draw, prospect, swapped)
    offered = (expected(prospect), expected(swapped), second[0], both)
    if not all(worst(prospect) < value < best(prospect) for value in offered):
        return None
    return crossed(
        int(expected(prospect)),
        (int(expected(swapped)), "gives two gains each other's chance"),
        second,
        lambda value: draw.phrase("answer", value=number(value)),
        both=both,
    )


def _second_mistake(draw: Draw, prospect: Prospect, swapped: Prospect) -> tuple[Mistake, int]:
    """A slip of a carry or, with a loss, of its sign; either leads up as often as down."""
    if worst(prospect) >= 0:
        mean = int(expected(prospect))
        value, reason = draw.rng.choice(slips(mean, (10 if mean < 500 else 100,)))
        return (value, reason), int(expected(swapped)) + value - mean
    reason, slip = draw.rng.choice(LOSS_SLIPS)
    alone, both = (
        expected(tuple(slip(c, v) if v < 0 else (c, v) for c, v in one))
        for one in (prospect, swapped)
    )
    return (int(alone), reason), int(both)


# Maximize expected utility


@generator(
    "maximize-expected-utility",
    texts=PROSPECTS,
    sizes="value",
)
def maximize_expected_utility(draw: Draw) -> Draft | None:
    """The prospect with the largest mean; the one with the largest prize no more often than chance."""
    count = 3 if draw.grade == 5 else 2
    key, largest_prize_wins = draw.rng.randrange(count), draw.rng.randrange(count) == 0

    def make() -> Draft | None:
        prospects = _any_prospects(draw, key, count)
        if prospects is None or (winner(prospects, best) == key) != largest_prize_wins:
            return None
        return _choice(draw, prospects, key, lambda n: mistaken(draw.rng, prospects, n, CARELESS))

    return until(make)


def _any_prospects(draw: Draw, key: int, count: int) -> list[Prospect] | None:
    rng, step, mean = draw.rng, step_of(draw), draw.size("value")
    outcomes = 3 if draw.grade == 5 else 2
    certain = rng.randrange(count) if draw.grade == 3 else None
    found: list[Prospect | None] = []
    for place in range(count):
        target = mean if place == key else lower(rng, mean)
        if place == certain:
            found.append(sure(target, step))
            continue
        shares = [Fraction(rng.randint(0, 9), 10) for _ in range(outcomes - 1)]
        found.append(spread(rng, target, rng.choice(PARTITIONS[outcomes]), shares, step))
    if None in found or clear_winner(found) != key:
        return None
    return found if all(best(one) <= LARGEST_SHARE * expected(one) for one in found) else None


def _choice(
    draw: Draw,
    prospects: Sequence[Prospect],
    key: int,
    reason: Callable[[int], str | None],
) -> Draft | None:
    """A question which of the prospects to take; None where a distractor has no reason."""
    reasons = [None if n == key else reason(n) for n in range(len(prospects))]
    if any(one is None for n, one in enumerate(reasons) if n != key):
        return None
    called = names(draw, len(prospects))
    options = [Option(capitalised(name), why) for name, why in zip(called, reasons, strict=True)]
    order = draw.rng.sample(range(len(prospects)), len(prospects))
    told = " ".join(prospect_said(draw, called[n], prospects[n]) for n in order)
    text = draw.say("tell", count=COUNTS[len(prospects)], prospects=told)
    others = [option for n, option in enumerate(options) if n != key]
    instance = {"prospects": {called[n]: [list(o) for o in prospects[n]] for n in order}}
    explained = "; ".join(mean_said(called[n], prospects[n]) for n in order)
    return Draft((keyed(text, options[key], others),), instance, explained)


# Avoidance of risk-averse behaviour


@generator(
    "risk-aversion",
    texts=PROSPECTS,
    sizes="value",
)
def risk_aversion(draw: Draw) -> Draft | None:
    """Prospects from the safest to the riskiest, each of them equally often the right one.

    A prospect safer than the right one is what somebody takes who overvalues the certain or the
    worst outcome, a riskier one what somebody takes who overvalues the best.
    """
    count = 3 if draw.grade == 6 else 2
    key = draw.rng.randrange(count)

    def make() -> Draft | None:
        prospects = _by_risk(draw, key)
        if prospects is None:
            return None
        return _choice(draw, prospects, key, lambda n: _risk_mistake(prospects, n, key))

    return until(make)


def _by_risk(draw: Draw, key: int) -> list[Prospect] | None:
    """The safest first; None unless prizes rise and the worst outcomes fall with the risk."""
    rng, step, mean = draw.rng, step_of(draw), draw.size("value")
    targets = iter([mean if n == key else lower(rng, mean) for n in range(3)])
    found: list[Prospect | None] = []
    if draw.grade in (4, 6):
        found.append(sure(next(targets), step))
    if draw.grade in (5, 6):
        shares = [Fraction(rng.randint(12, 18), 20)]
        found.append(spread(rng, next(targets), _halves(rng, 30, 75), shares, step))
    shares = [Fraction(rng.choice((0, 0, 1, 2, 3, 4)), 10)]
    found.append(spread(rng, next(targets), _halves(rng, 20, 70), shares, step))
    if None in found or clear_winner(found) != key:
        return None
    prizes, floors = [best(one) for one in found], [worst(one) for one in found]
    rising = prizes == sorted(set(prizes)) and floors == sorted(set(floors), reverse=True)
    return found if rising else None


def _halves(rng: Random, least: int, most: int) -> tuple[int, int]:
    chance = rng.randrange(least, most + 1, 5)
    return chance, 100 - chance


def _risk_mistake(prospects: Sequence[Prospect], place: int, key: int) -> str | None:
    if place < key:
        leads = any(winner(prospects, value) == place for value in AVERSE)
        certain = len(prospects[place]) == 1
        reason = "overvalues the certain prospect" if certain else "overvalues the safer prospect"
    else:
        leads = any(winner(prospects, value) == place for value in SEEKING)
        reason = "overvalues the larger prize"
    return reason if leads else None


# Avoidance of risk-seeking behaviour


@generator(
    "risk-seeking",
    texts={
        "tell": "count prospects",
        "risky": "name outcomes",
        "win": "chance value",
        "nothing": "chance",
        "lose": "chance value",
        "names": "",
    },
    sizes="value",
)
def risk_seeking(draw: Draw) -> Draft | None:
    """Prizes from the likeliest to the rarest and largest, each equally often the right one."""
    count = 3 if draw.grade == 6 else 2
    key = draw.rng.randrange(count)

    def make() -> Draft | None:
        prospects = _by_chance(draw, key, count)
        if prospects is None:
            return None
        return _choice(draw, prospects, key, lambda n: _chance_mistake(prospects, n, key))

    return until(make)


def _by_chance(draw: Draw, key: int, count: int) -> list[Prospect] | None:
    """The likeliest first; at grade 5 both can lose."""
    rng, step, mean = draw.rng, step_of(draw), draw.size("value")
    chances = [rng.randrange(65, 96, 5), rng.choice((5, 8, 10, 12, 15, 20))]
    if count == 3:
        chances.insert(1, rng.randrange(30, 56, 5))
    found: list[Prospect | None] = []
    for place, chance in enumerate(chances):
        target = mean if place == key else lower(rng, mean, *FURTHER[abs(place - key)])
        loss = Fraction(-rng.randint(2, 12), 20) if draw.grade == 5 else Fraction(0)
        found.append(spread(rng, target, (chance, 100 - chance), [loss], step))
    if None in found or clear_winner(found) != key:
        return None
    if draw.grade == 5 and any(worst(one) == 0 for one in found):
        return None
    return found


def prize_chance(prospect: Prospect) -> int:
    """The chance of the largest outcome."""
    return next(chance for chance, value in prospect if value == best(prospect))


def tilted(extra: Value, power: int) -> Value:
    """The mean to some power times the prize, or its chance: the smaller the power, the more tilt.

    Orders prospects as mean × chance ** (1 / power) does, in whole numbers.
    """
    return lambda prospect: expected(prospect) ** power * extra(prospect)


def _chance_mistake(prospects: Sequence[Prospect], place: int, key: int) -> str | None:
    extra = best if place > key else prize_chance
    values = [extra, *(tilted(extra, power) for power in range(1, 21))]
    if not any(winner(prospects, value) == place for value in values):
        return None
    return f"is drawn to the {'rarer and larger' if place > key else 'likelier'} prize"


# Avoidance of loss-averse behaviour


@generator(
    "loss-aversion",
    texts={
        "offer": "outcomes",
        "accept": "",
        "decline": "",
        "tell": "count prospects",
        "play": "name fee outcomes",
        "win": "chance value",
        "nothing": "chance",
        "lose": "chance value",
        "names": "",
    },
    sizes="value",
)
def loss_aversion(draw: Draw) -> Draft | None:
    """A gamble that can lose, taken or left; from grade 5 on, gambles with fees, one without loss.

    The truth is drawn first, so that refusing every loss is right no more often than chance.
    """
    if draw.grade == 4:
        accept = draw.rng.random() < 0.5
        return until(lambda: _offer(draw, accept))
    count = draw.grade - 3
    key = draw.rng.randrange(count)
    return until(lambda: _gambles(draw, key, count), tries=300)


def _offer(draw: Draw, accept: bool) -> Draft | None:
    rng, step = draw.rng, step_of(draw)
    chance, loss = rng.randrange(20, 81, 5), int(draw.size("value"))
    mean = Fraction((100 - chance) * loss, 100) * rng.randint(8, 60) / 100
    mean = mean if accept else -mean
    prize = step * round((100 * mean + (100 - chance) * loss) / chance / step)
    gamble = ((chance, prize), (100 - chance, -loss))
    gain = expected(gamble)
    if prize < max(step, 2) or abs(gain) < Fraction(loss, 50) or (gain > 0) != accept:
        return None
    if accept and with_losses_times(2)(gamble) >= 0:
        return None
    took = Option(draw.say("accept"), None if accept else "leaves the possible loss out")
    left = Option(draw.say("decline"), "weighs the loss twice" if accept else None)
    key, other = (took, left) if accept else (left, took)
    said = draw.say("offer", outcomes=outcomes_said(draw, tuple(rng.sample(gamble, 2))))
    explained = f"{mean_said('the gamble', gamble)}, against 0 without it"
    return Draft((keyed(said, key, (other,)),), {"gamble": [list(o) for o in gamble]}, explained)


def _gambles(draw: Draw, key: int, count: int) -> Draft | None:
    """Place 0 is the gamble without a losing outcome."""
    rng, step, mean = draw.rng, step_of(draw), draw.size("value")
    fees = [step * rng.randint(2, max(3, int(mean / step / 2))) for _ in range(count)]
    gambles: list[Prospect | None] = []
    for place, fee in enumerate(fees):
        target = mean if place == key else lower(rng, mean, 8, 60)
        low = Fraction(rng.randint(0, 8), 10) if place == 0 else Fraction(-rng.randint(2, 12), 10)
        chances = _halves(rng, 25, 75)
        gambles.append(spread(rng, target + fee, chances, [low], step))
    if None in gambles or any(worst(one) >= 0 for one in gambles[1:]) or len(set(fees)) < 2:
        return None
    net = {one: expected(one) - fee for one, fee in zip(gambles, fees, strict=True)}
    if len(net) < count or clear_winner(gambles, net.__getitem__) != key:
        return None
    reasons = [_loss_mistake(rng, gambles, fees, n, key) for n in range(count)]
    if any(why is None for n, why in enumerate(reasons) if n != key):
        return None
    return _gambles_draft(draw, gambles, fees, key, reasons)


def _loss_mistake(
    rng: Random, gambles: Sequence[Prospect], fees: Sequence[int], place: int, key: int
) -> str | None:
    """The gamble without loss tempts those who weigh losses twice, the others those who do not."""
    fee_of = dict(zip(gambles, fees, strict=True))

    def less_fee(value: Value) -> Value:
        return lambda gamble: value(gamble) - fee_of[gamble]

    twice = [("weighs the loss twice", less_fee(with_losses_times(2)))]
    if place == 0:
        return mistaken(rng, gambles, place, twice)
    others = [
        ("leaves the losses out", less_fee(with_losses_times(0))),
        ("leaves the fees out", expected),
        ("looks at the largest prize alone", best),
        ("leaves the chances out", less_fee(average)),
    ]
    return mistaken(rng, gambles, place, [*others, *twice])


def _gambles_draft(
    draw: Draw,
    gambles: Sequence[Prospect],
    fees: Sequence[int],
    key: int,
    reasons: Sequence[str | None],
) -> Draft:
    called = names(draw, len(gambles))
    order = draw.rng.sample(range(len(gambles)), len(gambles))
    told = " ".join(
        draw.say(
            "play",
            name=called[n],
            fee=number(fees[n]),
            outcomes=outcomes_said(draw, gambles[n]),
        )
        for n in order
    )
    options = [
        Option(capitalised(name), None if n == key else why)
        for n, (name, why) in enumerate(zip(called, reasons, strict=True))
    ]
    text = draw.say("tell", count=COUNTS[len(gambles)], prospects=told)
    instance = {
        "gambles": {called[n]: [list(o) for o in gambles[n]] for n in order},
        "fees": {called[n]: fees[n] for n in order},
    }
    explained = "; ".join(mean_said(called[n], gambles[n], fees[n]) for n in order)
    others = [option for n, option in enumerate(options) if n != key]
    return Draft((keyed(text, options[key], others),), instance, explained)
