"""Infinitely repeated games: feasible averages, enforceable averages, triggers (STEER 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.options import crossed, either
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, number

Point = tuple[Fraction, Fraction]
# Payoffs of a stage game: game[i][j] is what (row, column) get when they play actions i and j.
Game = list[list[tuple[int, int]]]
ACTS = ("one", "two", "three")
STAGE = {
    "setup": "",
    "a": "",
    "b": "",
    "a_plays": "act",
    "b_plays": "act",
    "both_play": "act",
    "one": "",
    "two": "",
    "pay": "x y",
    "each": "x",
    "period": "",
}
DISCOUNTS = tuple(Fraction(n, 20) for n in range(4, 20))


def payoff_words(draw: Draw, game: Game) -> str:
    """What each pair of actions of two gives, the two pairs of like actions first."""
    both = [f"If {cell_words(draw, i, i)}, {_gets(draw, game[i][i])}." for i in (0, 1)]
    return (
        f"{' '.join(both)} If {cell_words(draw, 0, 1)}, {_pays(draw, game[0][1])}; the other way "
        f"round, {_pays(draw, game[1][0])}."
    )


def _gets(draw: Draw, pair: tuple[int, int]) -> str:
    same = pair[0] == pair[1]
    return draw.phrase("each", x=number(pair[0])) if same else _pays(draw, pair)


def _pays(draw: Draw, pair: tuple[int, int]) -> str:
    return draw.phrase("pay", x=number(pair[0]), y=number(pair[1]))


def cell_words(draw: Draw, i: int, j: int) -> str:
    """Who plays what: ``both charge the low price``."""
    if i == j:
        return draw.phrase("both_play", act=draw.phrase(ACTS[i]))
    mine = draw.phrase("a_plays", act=draw.phrase(ACTS[i]))
    return f"{mine} and {draw.phrase('b_plays', act=draw.phrase(ACTS[j]))}"


# Feasibility ----------------------------------------------------------------------------------


def turn(p: Sequence, q: Sequence, r: Sequence) -> Fraction:
    """Twice the signed area of a triangle; above 0 where p, q, r turn left."""
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def hull(points: Sequence[Sequence]) -> list[Sequence]:
    """Corners of the convex hull, counter-clockwise (Andrew 1979)."""
    ordered = sorted(set(map(tuple, points)))

    def chain(found: Sequence) -> list:
        corners: list = []
        for point in found:
            while len(corners) > 1 and turn(corners[-2], corners[-1], point) <= 0:
                corners.pop()
            corners.append(point)
        return corners[:-1]

    return chain(ordered) + chain(ordered[::-1])


def feasible(points: Sequence[Sequence], target: Sequence, margin: Fraction) -> bool | None:
    """Whether a point is an average of the points given; None closer than ``margin`` to an edge.

    A profile is feasible when it is a convex combination of stage payoffs with rational weights
    (Shoham and Leyton-Brown 2008, definition 6.1.3); for rational points that is the convex hull.
    """
    corners = hull(points)
    inside = True
    for p, q in zip(corners, corners[1:] + corners[:1], strict=True):
        area = turn(p, q, target)
        squared = (q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2
        if area * area < margin * margin * squared:
            return None
        inside &= area > 0
    return inside


def stage_game(rng: Random, grade: int, unit: int) -> Game:
    """Two actions each; at grade 9 the same to both players."""

    def size() -> int:
        return unit * rng.randint(1, 15)

    if grade == 9:
        both, other, low, high = (size() for _ in range(4))
        return [[(both, both), (low, high)], [(high, low), (other, other)]]
    return [[(size(), size()) for _ in range(2)] for _ in range(2)]


def _pair(draw: Draw, right: bool):
    """A stage game and a pair of averages that is feasible or not, as wanted; None at a miss."""
    unit = draw.size("unit")
    game = stage_game(draw.rng, draw.grade, unit)
    points = [pair for row in game for pair in row]
    if len(hull(points)) < 3 or len(set(points)) < 4:
        return None
    low, high = ([bound(p[k] for p in points) for k in (0, 1)] for bound in (min, max))
    target = tuple(
        Fraction(draw.rng.randrange(2 * low[k], 2 * high[k] + 1, unit), 2) for k in (0, 1)
    )
    if target in points:
        return None
    if feasible(points, target, Fraction(unit, 2)) is not right:
        return None
    return game, points, target


@generator("feasibility", texts={**STAGE, "average": "x y"}, sizes="unit")
def feasibility(draw: Draw) -> Draft | None:
    """Is a pair of average payoffs within the convex hull of the stage payoffs?

    Pairs outside lie within what each player alone can get, so that both must be weighed.
    """
    right = draw.rng.random() < 0.5
    found = until(lambda: _pair(draw, right))
    if found is None:
        return None
    game, points, target = found
    average = draw.phrase("average", x=number(target[0]), y=number(target[1]))
    text = (
        f"{draw.say('setup')} {payoff_words(draw, game)} Any pattern of choices over time can be "
        f"agreed on and kept up for good. Is there one that comes, in the long run, to {average}?"
    )
    key, other = either(
        right,
        "Yes, some pattern of choices comes to these averages",
        "No, no pattern of choices comes to these averages",
        "looks at each side's lowest and highest payoff alone",
        "takes only what a single round can give",
    )
    corners = " ".join(f"({number(x)}, {number(y)})" for x, y in hull(points))
    return Draft(
        (keyed(text, key, (other,)),),
        {
            "game": [[list(pair) for pair in row] for row in game],
            "target": [str(t) for t in target],
        },
        f"({number(target[0])}, {number(target[1])}) lies {'within' if right else 'outside'} the "
        f"convex hull of the payoffs, whose corners are {corners}.",
    )


# Enforceability -------------------------------------------------------------------------------


def minmax(game: Game, player: int) -> int:
    """The least that the other can hold a player to, both in pure actions."""
    return min(max(column) for column in _replies(game, player))


def maxmin(game: Game, player: int) -> int:
    """The most that a player can be sure of, in pure actions: what the hasty take for minmax."""
    return max(map(min, zip(*_replies(game, player), strict=True)))


def _replies(game: Game, player: int) -> list[list[int]]:
    """For each action of the other, the player's payoffs by own action."""
    mine = [[pair[player] for pair in row] for row in game]
    return mine if player == 1 else [list(column) for column in zip(*mine, strict=True)]


def keeping(
    game: Game, plan: tuple[int, int], discount: Fraction, held: Sequence[int]
) -> list[Fraction]:
    """What each player gains a round by keeping to a plan, against departing once for the best.

    The plan's payoff less the discounted average of the best departure now and ``held`` ever after.
    """
    gains = []
    for player in (0, 1):
        now = game[plan[0]][plan[1]][player]
        other_action = plan[1 - player]
        best = max(value for k, value in enumerate(_replies(game, player)[other_action])
                   if k != plan[player])  # fmt: skip
        gains.append(now - (1 - discount) * best - discount * held[player])
    return gains


SURE = "takes what a side can be sure of for what it can be held to"
WHO = ((True, True), (True, False), (False, True), (False, False))


@generator(
    "enforceability",
    texts={**STAGE, "three": "", "average": "x y", "heading": ""},
    sizes="unit",
)
def enforceability(draw: Draw) -> Draft | None:
    """Who of two gets more than the other can hold them to, or keeps to a plan for fear of it.

    A profile is enforceable when each player gets at least their minmax value (Shoham and
    Leyton-Brown 2008, definition 6.1.2). Nobody stands at exactly that value.
    """
    wanted = draw.rng.choice(WHO)
    found = until(lambda: _enforced(draw, wanted))
    if found is None:
        return None
    game, ask, truth, hasty, instance, explanation = found
    text = f"{draw.say('setup')} {_table_words(draw, game)} {ask}"
    options = {who: _who_words(draw, who) for who in WHO}
    others = [
        Option(options[who], hasty.get(who) or _who_mistake(draw, who, truth))
        for who in WHO
        if who != truth
    ]
    return Draft(
        (keyed(text, Option(options[truth]), others),),
        {"game": [[list(pair) for pair in row] for row in game], **instance},
        explanation,
    )


def _enforced(draw: Draw, wanted: tuple[bool, bool]):
    """A game and a question about it whose answer is the one wanted; None at a miss."""
    size = 3 if draw.grade == 11 else 2
    unit = draw.size("unit")
    game = [
        [(unit * draw.rng.randint(1, 15), unit * draw.rng.randint(1, 15)) for _ in range(size)]
        for _ in range(size)
    ]
    held = [minmax(game, player) for player in (0, 1)]
    sure = [maxmin(game, player) for player in (0, 1)]
    if sure == held and draw.rng.random() < 0.6:
        return None
    asked = _by_plan if draw.grade == 12 else _by_average
    found = asked(draw, game, held, sure, unit, wanted)
    return None if found is None else (game, *found)


def _table_words(draw: Draw, game: Game) -> str:
    """Two actions in sentences, three as one sentence a row, with the order of the columns."""
    if len(game) == 2:
        return payoff_words(draw, game)
    rows = []
    for act, row in zip(ACTS, game, strict=True):
        cells = "; ".join(f"{number(x)} and {number(y)}" for x, y in row)
        rows.append(f"If {draw.phrase('a_plays', act=draw.phrase(act))}: {cells}.")
    order = ", ".join(draw.phrase(act) for act in ACTS)
    return (
        f"{draw.say('heading')} Each time, the three pairs are for {draw.phrase('b')}'s choices in "
        f"this order: {order}. {' '.join(rows)}"
    )


def _by_average(draw: Draw, game: Game, held: list[int], sure: list[int], unit: int, wanted: tuple):
    """A feasible pair of averages; who gets more than they can be held to."""
    points = [pair for row in game for pair in row]
    target = tuple(
        Fraction(draw.rng.randrange(2 * min(side), 2 * max(side) + 1, unit), 2)
        for side in zip(*points, strict=True)
    )
    if len(hull(points)) < 3:
        return None
    if any(abs(target[k] - held[k]) < unit for k in (0, 1)):
        return None
    truth = tuple(target[k] > held[k] for k in (0, 1))
    if truth != wanted or not feasible(points, target, Fraction(unit, 4)):
        return None
    hasty = {
        tuple(target[k] > sure[k] for k in (0, 1)): SURE,
        (True, True): "takes the lowest payoff for what a side can be held to",
    }
    average = draw.phrase("average", x=number(target[0]), y=number(target[1]))
    ask = (
        "Nobody randomises. A patient side keeps to a scheme exactly when this brings it more, on "
        "average, than it can be held to: what its best reply earns against the one choice of the "
        f"other side to which even the best reply earns least. One scheme comes to {average}. Who "
        "would keep to it?"
    )
    explanation = (
        f"{draw.say('a')} can be held to {number(held[0])}, {draw.phrase('b')} to "
        f"{number(held[1])}; the scheme brings {number(target[0])} and {number(target[1])}."
    )
    return ask, truth, hasty, {"target": [str(t) for t in target]}, explanation


def _by_plan(draw: Draw, game: Game, held: list[int], sure: list[int], unit: int, wanted: tuple):
    """A pair of actions for good, a discount factor; who gains nothing by departing."""
    plan = draw.rng.randrange(2), draw.rng.randrange(2)
    discount = draw.rng.choice(DISCOUNTS)
    gains = keeping(game, plan, discount, held)
    tempted = [gain for gain in keeping(game, plan, Fraction(0), held) if gain < 0]
    if any(abs(gain) * 10 < unit for gain in gains) or not tempted:
        return None
    truth = tuple(gain > 0 for gain in gains)
    if truth != wanted:
        return None
    others = {
        "weighs later rounds as if they were not discounted": keeping(
            game, plan, Fraction(1), held
        ),
        "looks at the gain of the first round alone": keeping(game, plan, Fraction(0), held),
        SURE: keeping(game, plan, discount, sure),
    }
    hasty = {tuple(gain > 0 for gain in gains): why for why, gains in others.items()}
    period = draw.phrase("period")
    ask = (
        f"Nobody randomises. The plan is that, every {period}, {cell_words(draw, *plan)}. Should one "
        f"side depart from it, the other, from the next {period} on, sticks for good to the choice "
        "to which even the best reply earns the departing side least, and that side makes this best "
        f"reply. To both, a gain one {period} later is worth {number(discount)} times the same gain "
        "now. As long as the other keeps to the plan, who does better by keeping to it for good than "
        "by departing?"
    )
    values = game[plan[0]][plan[1]]
    bests = [keeping(game, plan, Fraction(0), held)[k] for k in (0, 1)]
    explanation = "; ".join(
        f"{draw.phrase(name)}: {number(values[k])} a {period} against (1 - {number(discount)}) x "
        f"{number(values[k] - bests[k])} + {number(discount)} x {number(held[k])}"
        for k, name in ((0, "a"), (1, "b"))
    )
    instance = {"plan": list(plan), "discount": str(discount)}
    return ask, truth, hasty, instance, capitalised(explanation) + "."


def _who_words(draw: Draw, who: tuple[bool, bool]) -> str:
    if who[0] == who[1]:
        return "Both" if who[0] else "Neither"
    return f"Only {draw.phrase('a' if who[0] else 'b')}"


def _who_mistake(draw: Draw, who: tuple[bool, bool], truth: tuple[bool, ...]) -> str:
    wrong = [draw.phrase(n) for n, w, t in zip("ab", who, truth, strict=True) if w != t]
    if draw.grade == 12:
        return f"misjudges what departing is worth to {' and '.join(wrong)}"
    return f"misjudges what {' and '.join(wrong)} can be held to"


# Trigger strategies ---------------------------------------------------------------------------


def punished(gain: int, loss: int, discount: Fraction, rounds: int | None) -> Fraction:
    """What departing once is worth: the gain now less the loss in each round of punishment.

    ``rounds`` None stands for punishment without end.
    """
    if rounds is None:
        return gain - loss * discount / (1 - discount)
    return gain - loss * sum(discount**k for k in range(1, rounds + 1))


@generator("trigger-strategies", texts=STAGE, sizes="unit")
def trigger_strategies(draw: Draw) -> Draft | None:
    """A prisoner's dilemma without end: does a threat hold, how long must it last, how patient?

    T > R > P > S. Grim trigger holds both to the first action if and only if the discount factor
    is at least (T - R) / (T - P) (Friedman 1971). The punishment repeats the stage equilibrium, so
    that it is one of every subgame too.
    """
    wanted = draw.rng.randrange(4)
    asked = {10: _grim, 11: _length, 12: _patience}[draw.grade]
    found = until(lambda: _threatened(draw, asked, wanted))
    if found is None:
        return None
    payoffs, (ask, part, instance, explanation) = found
    T, R, P, S = payoffs
    game = [[(R, R), (S, T)], [(T, S), (P, P)]]
    text = f"{draw.say('setup')} {payoff_words(draw, game)} {ask}"
    key, others, value = part
    return Draft(
        (keyed(text, key, others, value=value),),
        {"payoffs": list(payoffs), **instance},
        explanation,
    )


def _threatened(draw: Draw, asked, wanted: int):
    """Payoffs T, R, P, S and a question about them with the key wanted, 0 to 3; None at a miss."""
    unit = draw.size("unit")
    # Alike for both at grade 12, where P / R must be as likely to be the key as (T - R) / (T - P).
    last, gain = draw.rng.randint(2, 9), draw.rng.randint(1, 19)
    if draw.grade == 12:
        last, gain = draw.rng.randint(2, 19), draw.rng.randint(2, 19)
    loss = draw.rng.randint(1, 19)
    stage = (last + loss + gain, last + loss, last, draw.rng.randint(1, last - 1))
    payoffs = tuple(unit * value for value in stage)
    found = asked(draw, wanted, *payoffs)
    return None if found is None else (payoffs, found)


def _threat(draw: Draw, ending: str) -> str:
    one, two, period = draw.phrase("one"), draw.phrase("two"), draw.phrase("period")
    return (
        f"Both settle on {one}, with a threat: after any departure, both choose {two} "
        f"{ending.format(period=period)}."
    )


def _worth(draw: Draw, discount: Fraction) -> str:
    return (
        f"To both, an amount one {draw.phrase('period')} later is worth {number(discount)} times "
        "the same amount now (a discount factor)."
    )


def _grim(draw: Draw, wanted: int, T: int, R: int, P: int, S: int):
    right = wanted % 2 == 0
    bound = Fraction(T - R, T - P)
    near = [d for d in DISCOUNTS if abs(d - bound) <= Fraction(1, 4) and (d > bound) == right]
    near = [d for d in near if d != bound]
    if not near or not Fraction(1, 5) < bound < Fraction(19, 20):
        return None
    discount = draw.rng.choice(near)
    key, other = either(
        right,
        "Yes, the threat is enough",
        "No, departing once pays more",
        "weighs the loss of later rounds as if they were not discounted",
        "looks at the gain of the first round alone",
    )
    ask = (
        f"{_threat(draw, 'from the next {period} on, for good')} {_worth(draw, discount)} "
        f"Does this threat keep both to {draw.phrase('one')}?"
    )
    sign = ">=" if right else "<"
    explanation = (
        f"Departing gains {number(T - R)} once and loses {number(R - P)} a {draw.phrase('period')} "
        f"ever after: it takes a discount factor of at least {T - R}/{T - P}, and "
        f"{number(discount)} {sign} {number(bound, 4)}."
    )
    return ask, (key, (other,), None), {"discount": str(discount)}, explanation


def _length(draw: Draw, wanted: int, T: int, R: int, P: int, S: int):
    rounds, discount = wanted + 1, draw.rng.choice(DISCOUNTS)
    values = [punished(T - R, R - P, discount, n) for n in range(rounds + 1)]
    if values[-1] >= 0 or values[-2] <= 0 or abs(values[-1] * 50) < T - R:
        return None
    period = draw.phrase("period")

    def show(n: int) -> str:
        return f"{n} {period if n == 1 else period + 's'}"

    plain = -(-(T - R) // (R - P))
    early = next(n for n in range(1, 6) if _early(T - R, R - P, discount, n) <= 0)
    others = []
    for n in range(1, 5):
        if n == plain:
            mistake = "counts later rounds as if they were not discounted"
        elif n == early:
            mistake = "counts a loss for the round of the departure too"
        elif n < rounds:
            mistake = "stops before the losses outweigh the gain"
        else:
            mistake = "punishes for longer than is needed"
        if n != rounds:
            others.append(Option(show(n), mistake))
    ask = (
        f"{_threat(draw, 'for a fixed number of {period}s, then both go back')} "
        f"{_worth(draw, discount)} "
        f"What is the smallest number of {period}s for which the threat keeps both to "
        f"{draw.phrase('one')}?"
    )
    total = sum(discount**k for k in range(1, rounds + 1)) * (R - P)
    explanation = (
        f"Departing gains {number(T - R)}; punishment for {show(rounds)} costs {number(total, 3)}"
        + (f", one fewer {number(total - discount**rounds * (R - P), 3)}" if rounds > 1 else "")
        + "."
    )
    return ask, (Option(show(rounds)), others, rounds), {"discount": str(discount)}, explanation


def _early(gain: int, loss: int, discount: Fraction, rounds: int) -> Fraction:
    """What departing seems worth to one who discounts every loss by one round too few."""
    return gain - loss * sum(discount**k for k in range(rounds))


def _patience(draw: Draw, wanted: int, T: int, R: int, P: int, S: int):
    bound, ratio = Fraction(T - R, T - P), Fraction(P, R)
    if not all(Fraction(1, 10) <= value <= Fraction(9, 10) for value in (bound, ratio)):
        return None
    first = (ratio, "divides the payoffs of punishment and keeping")
    second = (1 - bound, "takes the weight of the present for that of the future")
    options = crossed(bound, first, second, _decimal, both=1 - ratio)
    if options is None or sorted((bound, 1 - bound, ratio, 1 - ratio)).index(bound) != wanted:
        return None
    ask = (
        f"{_threat(draw, 'from the next {period} on, for good')} What is the lowest discount "
        f"factor (the same for both: what an amount one {draw.phrase('period')} later is worth, "
        f"as a share of the same amount now) at which the threat keeps both to "
        f"{draw.phrase('one')}? (Rounded to two decimals.)"
    )
    explanation = f"({number(T)} - {number(R)}) / ({number(T)} - {number(P)}) = {_decimal(bound)}."
    return ask, (*options, bound), {}, explanation


def _decimal(value: Fraction) -> str:
    return f"{float(value):.2f}"
