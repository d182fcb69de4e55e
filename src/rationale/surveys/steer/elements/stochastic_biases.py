"""Avoidance of cognitive biases in stochastic environments (STEER 2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rationale.surveys.steer.elements.prospects import (
    Prospect,
    chance_said,
    outcomes_said,
    step_of,
)
from rationale.surveys.steer.options import crossed
from rationale.surveys.steer.questions import Draft, Draw, Option, Part, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number, percent

# Avoidance of the gambler's fallacy

EQUAL = "Both are equally likely"
COUNTED = {2: "two", 3: "three", 4: "four"}
UNEVEN = (20, 30, 40, 60, 70, 80)


@generator(
    "gamblers-fallacy",
    texts={
        "device": "chance",
        "streak": "run seen",
        "record": "past hits seen",
        "next": "",
        "expected": "more counted",
        "sequence": "more order",
        "x": "",
        "y": "",
    },
)
def gamblers_fallacy(draw: Draw) -> Draft | None:
    """Independent draws: what came before changes nothing, so chances and means stay as they are.

    Grade 2 asks which outcome is likelier next (either of them or neither, equally often), grade 3
    how many of the draws to come will turn out one way, grade 4 how likely a sequence is.
    """
    return {2: _next_draw, 3: _expected_count, 4: _sequence}[draw.grade](draw)


def _said(draw: Draw, chance: int, seen: str, run: int) -> str:
    device = draw.say("device", chance=chance_said(chance))
    return f"{device} {draw.say('streak', run=number(run), seen=draw.phrase(seen))}"


def _device(kind: str, draw: Draw, chance: int) -> dict[str, Any]:
    return {"kind": kind, "x": draw.phrase("x"), "y": draw.phrase("y"), "chance": chance}


def _next_draw(draw: Draw) -> Draft:
    rng = draw.rng
    likelier = rng.choice(("x", "y", None))
    more = rng.randrange(56, 81)
    chance = 50 if likelier is None else more if likelier == "x" else 100 - more
    seen = rng.choice("xy")
    if likelier and rng.random() < 1 / 3:
        seen = likelier
    run = rng.randint(4, 9) if seen == likelier or likelier is None else rng.randint(3, 5)
    mistakes = {
        "x": "expects the run to go on" if seen == "x" else "takes the other outcome to be due",
        "y": "expects the run to go on" if seen == "y" else "takes the other outcome to be due",
        None: "takes two outcomes for equally likely because there are two",
    }
    texts = {"x": draw.say("x"), "y": draw.say("y"), None: EQUAL}
    options = {
        one: Option(text, None if one == likelier else mistakes[one]) for one, text in texts.items()
    }
    others = [option for one, option in options.items() if one != likelier]
    text = f"{_said(draw, chance, seen, run)} {draw.say('next')}"
    explained = f"{draw.phrase('x')}: {chance}%; {draw.phrase('y')}: {100 - chance}%, as ever"
    instance = {
        "kind": "next",
        "x": draw.phrase("x"),
        "y": draw.phrase("y"),
        "chance": chance,
        "seen": seen,
        "run": run,
    }
    return Draft((keyed(text, options[likelier], others),), instance, explained)


def _expected_count(draw: Draw) -> Draft | None:
    rng = draw.rng
    chance = rng.choice([*range(15, 43), *range(58, 86)])
    past, hundreds, seen, counted = 100, rng.randint(1, 6), rng.choice("xy"), rng.choice("xy")
    more = 100 * hundreds
    chances = {"x": chance, "y": 100 - chance}
    extra = rng.choice((-1, 1)) * rng.randint(2, 12 // hundreds) * hundreds
    hits = chances[seen] + extra
    key = chances[counted] * hundreds
    made_up = key - extra if counted == seen else key + extra
    options = crossed(
        key,
        (made_up, "expects the draws to come to make up for those before"),
        (more - key, "swaps the two chances"),
        number,
        lowest=0,
    )
    if options is None:
        return None
    record = draw.say("record", past=number(past), hits=number(hits), seen=draw.phrase(seen))
    asked = draw.say("expected", more=number(more), counted=draw.phrase(counted))
    device = draw.say("device", chance=chance_said(chance))
    instance = {
        "kind": "expected",
        "x": draw.phrase("x"),
        "y": draw.phrase("y"),
        "chance": chance,
        "past": past,
        "hits": hits,
        "seen": seen,
    }
    return Draft(
        (keyed(f"{device} {record} {asked}", *options, value=key),),
        {**instance, "more": more, "counted": counted},
        f"{chances[counted]}% of {number(more)} = {number(key)}, whatever came before",
    )


def _sequence(draw: Draw) -> Draft:
    """The options are chances of sequences with other numbers of the outcome seen, all alike."""
    rng = draw.rng
    chance, seen, draws = rng.choice(UNEVEN), rng.choice("xy"), rng.choice((3, 4))
    unseen = "y" if seen == "x" else "x"
    again = rng.randrange(draws + 1)
    order = rng.sample([seen] * again + [unseen] * (draws - again), draws)
    share = Fraction(chance if seen == "x" else 100 - chance, 100)
    values = {n: share**n * (1 - share) ** (draws - n) for n in range(draws + 1)}
    others = rng.sample([n for n in values if n != again], 3)
    key = Option(percent(values[again], 2))
    wrong = [Option(percent(values[n], 2), _sequence_mistake(n - again)) for n in others]
    run = rng.randint(3, 6)
    asked = draw.say("sequence", more=COUNTED[draws], order=_order_said(draw, order))
    terms = " × ".join(percent(share if one == seen else 1 - share) for one in order)
    instance = {
        "kind": "sequence",
        "x": draw.phrase("x"),
        "y": draw.phrase("y"),
        "chance": chance,
        "seen": seen,
        "run": run,
        "order": order,
    }
    text = f"{_said(draw, chance, seen, run)} {asked}"
    part = keyed(text, key, wrong, value=values[again])
    return Draft((part,), instance, f"{terms} = {percent(values[again], 2)}")


def _order_said(draw: Draw, order: Sequence[str]) -> str:
    if len(set(order)) == 1:
        return f"{draw.phrase(order[0])}, all {COUNTED[len(order)]} of them"
    return f"{listing([draw.phrase(one) for one in order], 'and then')}, in this order"


def _sequence_mistake(more_seen: int) -> str:
    kind = "goes on with the run" if more_seen > 0 else "seems due"
    draws = "one draw" if abs(more_seen) == 1 else f"{COUNTED[abs(more_seen)]} draws"
    return f"gives {draws} the chance of the outcome that {kind}"


# Avoidance of the certainty effect


@generator(
    "certainty-effect",
    texts={
        "ask": "",
        "staged": "chance",
        "again": "",
        "sure": "value",
        "win": "chance value",
        "nothing": "chance",
    },
    sizes="value",
)
def certainty_effect(draw: Draw) -> Draft | None:
    """A sure prize or a larger one that may fail, then both made less likely in the same way.

    By the independence axiom whoever takes the safer prospect first takes the safer one again
    (Allais 1953; Kahneman and Tversky 1979). Grade 6 leaves the options as they are behind a draw
    that comes first, grade 7 multiplies the chances by a common ratio, grade 8 takes a common
    consequence away.
    """
    rng, step, low = draw.rng, step_of(draw), int(draw.size("value"))
    if draw.grade == 8:
        common = rng.choice((60, 66, 70, 75, 80, 85, 89, 90))
        chances = 100 - common, 100 - common - rng.randint(1, (100 - common) // 3)
    else:
        common, chances = 0, (100, rng.choice((60, 70, 75, 80, 85, 90, 95)))
    share = Fraction(rng.randint(100, 160), 100)
    high = step * round(share * low * chances[0] / chances[1] / step)
    if high <= low or high * chances[1] == low * chances[0]:
        return None
    ratio = 1 if draw.grade == 8 else rng.choice((2, 4, 5, 10))
    if chances[1] % ratio:
        return None
    certain: Prospect = ((100, low),)
    mixed = [(chances[1], high), (common, low), (chances[0] - chances[1], 0)]
    first = [certain, tuple(outcome for outcome in mixed if outcome[0])]
    later = [_or_nothing(c // ratio, v) for c, v in zip(chances, (low, high), strict=True)]
    again = draw.say("again")
    if draw.grade == 6:
        later, again = first, draw.say("staged", chance=chance_said(100 // ratio))
    parts = (_choice(draw, draw.say("ask"), first), _choice(draw, again, later))
    instance: dict[str, Any] = {
        "pairs": [[[list(o) for o in p] for p in q] for q in (first, later)]
    }
    if draw.grade == 6:
        instance["counts"] = f"1/{ratio}"
    explained = "the safer option both times, or the riskier one both times"
    return Draft(parts, instance, explained, rule="same")


def _or_nothing(chance: int, value: int) -> Prospect:
    return ((100, value),) if chance == 100 else ((chance, value), (100 - chance, 0))


def _choice(draw: Draw, text: str, pair: Sequence[Prospect]) -> Part:
    said = [
        draw.say("sure", value=number(prospect[0][1]))
        if len(prospect) == 1
        else capitalised(outcomes_said(draw, prospect))
        for prospect in pair
    ]
    return Part(text, (Option(said[0], meaning="safe"), Option(said[1], meaning="risky")))


# Avoidance of the reflection effect

EITHER_GAIN = "Either one, they are equally good"
EITHER_LOSS = "Either one, they are equally bad"


@generator(
    "reflection-effect",
    texts={
        "gains": "",
        "losses": "",
        "gain": "value",
        "win": "chance value",
        "loss": "value",
        "lose": "chance value",
        "nothing": "chance",
    },
    sizes="value",
)
def reflection_effect(draw: Draw) -> Draft | None:
    """Two prospects with one mean, the second more spread out, as gains and mirrored as losses.

    As their means are equal, the choice shows nothing but the attitude to risk; without an equal
    mean somebody neutral to risk would rightly choose otherwise in losses than in gains.
    """
    rng, mean = draw.rng, int(draw.size("value"))
    safer, riskier = {
        5: (100, 50),
        6: (100, rng.choice((20, 25, 30, 40, 60, 75, 80))),
        7: (rng.choice((50, 60, 75, 80, 90, 95)), rng.choice((15, 20, 25, 30, 40))),
    }[draw.grade]
    if (mean * 100) % safer or (mean * 100) % riskier:
        return None
    pair = [_or_nothing(chance, mean * 100 // chance) for chance in (safer, riskier)]
    parts = (
        _attitude(draw, draw.say("gains"), pair, EITHER_GAIN),
        _attitude(draw, draw.say("losses"), [_mirrored(one) for one in pair], EITHER_LOSS),
    )
    instance = {"gains": [[list(o) for o in one] for one in pair], "mirrored": "losses"}
    explained = f"each has the mean {number(mean)}: the same attitude to risk both times"
    return Draft(parts, instance, explained, rule="same-risk-attitude")


def _mirrored(prospect: Prospect) -> Prospect:
    return tuple((chance, -value) for chance, value in prospect)


def _attitude(draw: Draw, text: str, pair: Sequence[Prospect], either: str) -> Part:
    said = []
    for prospect in pair:
        if len(prospect) == 1:
            value = prospect[0][1]
            said.append(draw.say("gain" if value > 0 else "loss", value=number(abs(value))))
        else:
            said.append(capitalised(outcomes_said(draw, prospect)))
    options = zip((*said, either), ("averse", "seeking", "neutral"), strict=True)
    return Part(text, tuple(Option(shown, meaning=meaning) for shown, meaning in options))


# Avoidance of ambiguity aversion

NO_PREFERENCE = "No preference"


@generator(
    "ambiguity-aversion",
    texts={
        "two": "total known_one known_other one other",
        "bet": "wanted",
        "bet_again": "wanted",
        "known": "",
        "unknown": "",
        "mixed": "total facts",
        "choose": "",
        "choose_again": "",
        "choose_last": "",
        "kinds": "",
    },
)
def ambiguity_aversion(draw: Draw) -> Draft | None:
    """Bets that some number of balls of the unknown kind explains, all of them (Ellsberg 1961).

    An option's meaning is the range of that number at which the option is the best one: a bet is
    chosen where it wins with more balls, no preference stated where both win with as many.
    """
    kinds = [kind.strip() for kind in draw.phrase("kinds").split(";")]
    kinds = draw.rng.sample(kinds, 2 if draw.grade == 7 else draw.grade - 5)
    return _two_urns(draw, kinds) if draw.grade == 7 else _one_urn(draw, kinds)


def _two_urns(draw: Draw, kinds: Sequence[str]) -> Draft:
    total = 10 * draw.rng.randint(2, 12)
    known = total // 2 if draw.rng.random() < 0.5 else total * draw.rng.choice((3, 4, 6, 7)) // 10
    one, other = kinds
    urns = draw.say(
        "two",
        total=number(total),
        known_one=number(known),
        known_other=number(total - known),
        one=one,
        other=other,
    )
    few, many = _range(0, known - 1), _range(known + 1, total)
    said = draw.say("known"), draw.say("unknown"), NO_PREFERENCE
    parts = tuple(
        Part(text, tuple(Option(o, meaning=m) for o, m in zip(said, meanings, strict=True)))
        for text, meanings in (
            (f"{urns} {draw.say('bet', wanted=one)}", (few, many, str(known))),
            (draw.say("bet_again", wanted=other), (many, few, str(known))),
        )
    )
    instance = {"kind": "two urns", "total": total, "known": {one: known, other: total - known}}
    explained = f"one number of {one} in the unknown one must explain both choices"
    return Draft(parts, instance | {"bets": [one, other]}, explained, rule="one-belief")


def _one_urn(draw: Draw, kinds: Sequence[str]) -> Draft | None:
    """Known numbers of the first kinds; of the last two, only how many they are together."""
    rng = draw.rng
    unknown = 5 * rng.randint(4, 16)
    known = {kind: 5 * rng.randint(1, 12) for kind in kinds[:-2]}
    first, black, yellow = kinds[0], kinds[-2], kinds[-1]
    pairs = [([first], [black]), ([black, yellow], [first, yellow])]
    if draw.grade == 9:
        second = kinds[1]
        pairs = [([first], [black]), ([second], [yellow]), ([first, yellow], [second, black])]
    facts = ", ".join(f"{number(count)} are {kind}" for kind, count in known.items())
    facts += f", and the other {number(unknown)} are {black} or {yellow}"
    total = number(unknown + sum(known.values()))
    texts = [f"{draw.say('mixed', total=total, facts=facts)} {draw.say('choose')}"]
    texts += [draw.say(name) for name in ("choose_again", "choose_last")[: len(pairs) - 1]]
    parts = []
    for text, pair in zip(texts, pairs, strict=True):
        ranges = _ranges(pair, known, black, unknown)
        if ranges is None:
            return None
        shown = [f"Bet on {listing(bet, 'or')}" for bet in pair] + [NO_PREFERENCE]
        options = zip(shown, ranges, strict=True)
        parts.append(Part(text, tuple(Option(o, meaning=m) for o, m in options)))
    instance = {"kind": "one urn", "known": known, "unknown": [black, yellow], "rest": unknown}
    explained = f"one number of {black}, from 0 to {unknown}, must explain every choice"
    return Draft(
        tuple(parts), instance | {"bets": [list(p) for p in pairs]}, explained, rule="one-belief"
    )


def _ranges(
    pair: Sequence[Sequence[str]], known: dict[str, int], black: str, unknown: int
) -> tuple[str, str, str] | None:
    """The numbers of ``black`` at which either bet wins more often, and that at which neither does.

    A bet wins with a + s·b balls, s being 1 with black, -1 with yellow, 0 with both or neither; the
    bets break even at one b. None unless that is a whole number strictly within its bounds.
    """
    sides = []
    for bet in pair:
        slope = sum(1 if kind == black else -1 for kind in bet if kind not in known)
        fixed = sum(known.get(kind, 0) for kind in bet)
        fixed += unknown if any(kind != black and kind not in known for kind in bet) else 0
        sides.append((fixed, slope))
    rise = sides[0][1] - sides[1][1]
    even = Fraction(sides[1][0] - sides[0][0], rise)
    if even.denominator > 1 or not 0 < even < unknown:
        return None
    below, above = _range(0, int(even) - 1), _range(int(even) + 1, unknown)
    return (above, below, str(even)) if rise > 0 else (below, above, str(even))


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
