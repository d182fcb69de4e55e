"""Probability: of outcomes, of their complement, and of causes given evidence (STEER 1.3)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from random import Random

from rationale.surveys.steer.elements.mistakes import either_way, evenly_ranked
from rationale.surveys.steer.options import crossed
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import (
    counted,
    listing,
    number,
    percent,
    with_article,
)

HALF = Fraction(1, 2)
# How far from a half a belief between two causes may lie: surer ones would mostly be mistakes.
MOST_SURE = Fraction(35, 100)


@generator(
    "probability",
    texts={
        "kinds": "",
        "one": "contents kind",
        "either": "contents first second",
        "kept": "contents first second",
        "back": "contents first second",
    },
    sizes="count",
)
@evenly_ranked
def probability(draw: Draw) -> Draft | None:
    """The share of a kind, or of two kinds, in one draw; the chance of a pair in two draws."""
    rng = draw.rng
    listed = [kind.strip().split("|") for kind in draw.phrase("kinds").split(";")]
    kinds = rng.sample(listed, 4 if draw.grade == 2 else rng.choice((3, 4)))
    counts = [draw.size("count") for _ in kinds]
    if draw.grade < 3 and rng.random() < 0.4:
        counts[0] += sum(counts[1:])
    told = list(zip(counts, kinds, strict=True))
    rng.shuffle(told)
    contents = listing([counted(count, *kind) for count, kind in told])
    if draw.grade == 3:
        return _two_draws(draw, kinds, counts, contents)
    return _one_draw(draw, kinds, counts, contents)


def _one_draw(draw: Draw, kinds: list, counts: list[int], contents: str) -> Draft | None:
    """Mistakes of the share's numerator crossed with mistakes of its denominator."""
    rng, total = draw.rng, sum(counts)
    names = [with_article(kind[0]) for kind in kinds]
    many = [kind[-1] if len(kind) > 1 else f"{kind[0]}s" for kind in kinds]
    if draw.grade == 1:
        text = draw.say("one", contents=contents, kind=names[0])
        right = counts[0]
        parts = [
            (count, f"takes the share of {name}")
            for count, name in zip(counts[1:], many[1:], strict=True)
        ]
    else:
        text = draw.say("either", contents=contents, first=names[0], second=names[1])
        right = counts[0] + counts[1]
        parts = [
            (counts[0] + counts[2], f"takes {many[2]} for {many[1]}"),
            (counts[0], f"leaves out {many[1]}"),
            (counts[0] + counts[1] + counts[2], f"adds {many[2]}"),
        ]
    contrary = (total - right, "takes the chance that it does not happen")
    parts.append(contrary)
    extra, kind = rng.choice(
        ((1, "one"), (right, "what is asked for"), *zip(counts[1:], many[1:], strict=True))
    )
    sign = rng.choice((1, -1))
    wrong = total + sign * extra
    part = either_way(rng, right, parts)
    if part is None or kind in part[1] or wrong <= max(right, part[0]):
        return None
    said = _miscounted(kind, sign > 0)
    options = crossed(
        Fraction(right, total),
        (Fraction(part[0], total), part[1]),
        (Fraction(right, wrong), said),
        str,
        both=Fraction(wrong - right if part == contrary else part[0], wrong),
    )
    if options is None:
        return None
    instance = {"counts": counts, "asked": [0] if draw.grade == 1 else [0, 1]}
    share = Fraction(right, total)
    explanation = f"{number(right)} of {number(total)}: {share}"
    return Draft((keyed(text, *options, value=share),), instance, explanation)


def _miscounted(kind: str, twice: bool) -> str:
    if kind == "one":
        return "counts one too many in all" if twice else "counts one too few in all"
    return f"counts {kind} twice in all" if twice else f"leaves {kind} out of all"


def _two_draws(draw: Draw, kinds: list, counts: list[int], contents: str) -> Draft | None:
    """With or without putting back, crossed with another kind than the one asked for."""
    rng, total = draw.rng, sum(counts)
    back, second = rng.random() < 0.5, rng.choice((0, 1))
    other = rng.choice([n for n in range(len(kinds)) if n not in (0, second)])

    def chance(of: int, then: int, puts_back: bool) -> Fraction:
        left = counts[then] - (of == then and not puts_back)
        return Fraction(counts[of], total) * Fraction(left, total if puts_back else total - 1)

    pair = (0, second)
    swapped = (other, other) if second == 0 else (0, other)
    key, values = chance(*pair, back), (chance(*swapped, back), chance(*pair, not back))
    options = crossed(
        key,
        (values[0], f"takes {with_article(kinds[other][0])} for {with_article(kinds[second][0])}"),
        (values[1], "forgets that it is put back" if back else "forgets that it is not put back"),
        str,
        both=chance(*swapped, not back),
        lowest=Fraction(1, 10**6),
    )
    if options is None:
        return None
    first_name, second_name = (with_article(kinds[n][0]) for n in pair)
    if second == 0:
        second_name += " too"
    text = draw.say(
        "back" if back else "kept", contents=contents, first=first_name, second=second_name
    )
    instance = {"counts": counts, "pair": list(pair), "back": int(back)}
    left = counts[second] - (second == 0 and not back)
    explanation = f"{counts[0]}/{total} × {left}/{total if back else total - 1} = {key}"
    return Draft((keyed(text, *options, value=key),), instance, explanation)


@generator(
    "complement",
    texts={"one": "chance", "event": "chance", "rest": "events", "trials": "chance times"},
)
@evenly_ranked
def complement(draw: Draw) -> Draft | None:
    """One minus the chance of what is described."""
    return {1: _not_one, 2: _not_several, 3: _at_least_one}[draw.grade](draw)


def _not_one(draw: Draw) -> Draft | None:
    chance = Fraction(draw.rng.randint(120, 880), 1000)
    slip = draw.rng.choice((-1, 1)) * Fraction(1, 10)
    said = "carries ten points too much" if slip > 0 else "carries ten points too little"
    if not Fraction(12, 100) <= chance - slip <= Fraction(88, 100):
        return None
    text = draw.say("one", chance=with_article(percent(chance)))
    return _rest(draw, text, chance, chance - slip, said, {"chances": [str(chance)]})


def _not_several(draw: Draw) -> Draft | None:
    """The first event is left out of the sum, or counted twice."""
    chances = _parts(draw.rng, draw.rng.randint(6, 94), draw.rng.choice((2, 3)))
    events = draw.phrase("event", chance="{}").split(";")
    if len(set(chances)) < len(chances):
        return None
    named = draw.rng.sample(events, len(chances))
    told = [
        event.strip().replace("{}", with_article(percent(chance)))
        for event, chance in zip(named, chances, strict=True)
    ]
    sign = draw.rng.choice((-1, 1))
    slip = sign * draw.rng.choice(chances)
    said = f"{'counts' if sign > 0 else 'leaves out'} the {percent(abs(slip))}"
    text = draw.say("rest", events=listing(told))
    instance = {"chances": [str(chance) for chance in chances]}
    said += " twice" if sign > 0 else ""
    return _rest(draw, text, sum(chances), sum(chances) + slip, said, instance)


def _parts(rng: Random, total: int, count: int) -> list[Fraction]:
    """Chances that make up a total in per cent, cut at random."""
    cuts = [0, *sorted(rng.sample(range(1, total), count - 1)), total]
    return [Fraction(high - low, 100) for low, high in pairwise(cuts)]


def _rest(
    draw: Draw, text: str, chance: Fraction, wrong: Fraction, said: str, instance: dict
) -> Draft | None:
    """A chance to be taken from one, crossed with a wrong chance."""
    if not 0 < wrong < 1:
        return None
    options = crossed(
        1 - chance,
        (chance, "does not take it from one"),
        (1 - wrong, said),
        percent,
        both=wrong,
    )
    if options is None:
        return None
    taken = " - ".join(percent(Fraction(one)) for one in instance["chances"])
    explanation = f"100% - {taken} = {percent(1 - chance)}"
    return Draft((keyed(text, *options, value=1 - chance),), instance, explanation)


def _at_least_one(draw: Draw) -> Draft | None:
    """At least one of some trials; trials too many or too few, and not taking it from one.

    The four numbers are drawn first, and of such alone that any of them can be the key: so they do
    not tell which one is.
    """
    low, high = draw.rng.choice(_numbers_of_trials())
    chance, times, other = draw.rng.choice(_trials()[draw.rng.choice(_corners(low, high))])
    none, wrong = (1 - chance) ** times, (1 - chance) ** other
    miscount = f"{('one trial', 'two trials')[abs(other - times) - 1]} too"
    options = crossed(
        1 - none,
        (none, "stops at the chance that it never happens"),
        (1 - wrong, f"counts {miscount} {'many' if other > times else 'few'}"),
        _whole,
        both=wrong,
    )
    if options is None:
        return None
    text = draw.say("trials", chance=with_article(percent(chance)), times=number(times))
    return Draft(
        (keyed(text, *options, value=1 - none),),
        {"chance": str(chance), "times": times},
        f"1 - {number(1 - chance, 3)}^{times} = {_whole(1 - none)} (rounded)",
    )


@cache
def _trials() -> dict[tuple[int, int], list[tuple[Fraction, int, int]]]:
    """Chances, numbers of trials and mistaken ones, by the per cents that it never happens in both."""
    found: dict[tuple[int, int], list[tuple[Fraction, int, int]]] = {}
    for points, times, other in product(range(4, 162), range(2, 7), range(2, 7)):
        chance = Fraction(points, 200)
        none, wrong = (1 - chance) ** times, (1 - chance) ** other
        if abs(times - other) in (1, 2) and not (_tie(none) or _tie(wrong)):
            shown = round(100 * none), round(100 * wrong)
            found.setdefault(shown, []).append((chance, times, other))
    return found


@cache
def _numbers_of_trials() -> list[tuple[int, int]]:
    """Pairs of per cents under a half that can, with what they leave, be right in all four ways."""
    pairs = [pair for pair in _trials() if 8 < pair[0] < pair[1] < 50]
    return [pair for pair in pairs if all(corner in _trials() for corner in _corners(*pair))]


def _corners(low: int, high: int) -> list[tuple[int, int]]:
    """The per cents that it never happens, the right one and the mistaken one, in all four ways."""
    return [(low, high), (high, low), (100 - low, 100 - high), (100 - high, 100 - low)]


@generator(
    "bayes",
    texts={
        "counts": "total with hits without alarms",
        "rates": "prior hit alarm",
        "names": "",
        "three": "prior1 prior2 prior3 rate1 rate2 rate3 asked",
    },
    sizes="prior hit alarm",
)
@evenly_ranked
def bayes(draw: Draw) -> Draft | None:
    """The chance of a cause given evidence: its prior times its likelihood, as a share of all such."""
    if draw.grade == 6:
        return _three_causes(draw)
    rng = draw.rng
    prior, hit, alarm = (Fraction(draw.size(name), 100) for name in ("prior", "hit", "alarm"))
    if draw.grade == 4:
        total = rng.randint(120, 990)
        ill = round(total * prior)
        counts = (ill, round(ill * hit), round((total - ill) * alarm))
        if min(counts) < 2 or counts[1] >= ill:
            return None
        prior, hit = Fraction(ill, total), Fraction(counts[1], ill)
        alarm = Fraction(counts[2], total - ill)
        instance = {"with": ill, "hits": counts[1], "alarms": counts[2]}
        instance |= {"total": total, "without": total - ill}
        text = draw.say("counts", **{name: number(value) for name, value in instance.items()})
        said = f"{instance['hits']} / ({instance['hits']} + {instance['alarms']})"
    else:
        instance = {"prior": str(prior), "hit": str(hit), "alarm": str(alarm)}
        text = draw.say("rates", prior=percent(prior), hit=percent(hit), alarm=percent(alarm))
        said = (
            f"{number(prior)} × {number(hit, 3)} / ({number(prior)} × {number(hit, 3)} + "
            f"{number(1 - prior)} × {number(alarm, 3)})"
        )
    key = posterior((prior, 1 - prior), (hit, alarm))[0]
    value, why = rng.choice(_wrong_beliefs(prior, hit, alarm))
    if max(abs(key - HALF), abs(value - HALF)) > MOST_SURE:
        return None
    options = _beliefs(key, (value, why), (1 - key, "gives the chance of the contrary"), 1 - value)
    if options is None:
        return None
    return Draft((keyed(text, *options, value=key),), instance, f"{said} = {_whole(key)} (rounded)")


def posterior(priors: tuple, likelihoods: tuple) -> list[Fraction]:
    """Beliefs in causes after evidence, by Bayes' rule."""
    joint = [prior * rate for prior, rate in zip(priors, likelihoods, strict=True)]
    return [one / sum(joint) for one in joint]


def _wrong_beliefs(prior: Fraction, hit: Fraction, alarm: Fraction) -> list[tuple[Fraction, str]]:
    """What those believe who leave out a part of Bayes' rule."""
    return [
        (hit, "takes the hit rate for the answer"),
        (hit / (hit + alarm), "ignores the prior"),
        (prior, "uses the prior alone"),
        (prior * hit, "gives the chance of both together"),
        (1 - alarm, "takes one minus the false-alarm rate"),
        (prior * hit + (1 - prior) * alarm, "gives the chance of the evidence"),
    ]


def _three_causes(draw: Draw) -> Draft | None:
    """Crossed: another cause's belief, and forgetting the prior or the evidence."""
    rng = draw.rng
    first, second = (rng.randint(8, 70) for _ in range(2))
    priors = [Fraction(value, 100) for value in (first, second, 100 - first - second)]
    rates = [Fraction(draw.size("alarm"), 100) for _ in range(3)]
    if priors[2] < Fraction(1, 20) or len(set(priors)) < 3 or len(set(rates)) < 3:
        return None
    asked, other = rng.sample(range(3), 2)
    beliefs = posterior(tuple(priors), tuple(rates))
    ignorant = [rate / sum(rates) for rate in rates]
    wrong, why = rng.choice(
        (
            (ignorant, "ignores the priors"),
            (priors, "uses the prior alone"),
            (rates, "takes the rate for the answer"),
        )
    )
    names = [name.strip() for name in draw.phrase("names").split(";")]
    options = _beliefs(
        beliefs[asked],
        (wrong[asked], why),
        (beliefs[other], "answers for another cause"),
        wrong[other],
    )
    if options is None:
        return None
    values = {f"prior{n}": percent(prior) for n, prior in enumerate(priors, start=1)}
    values |= {f"rate{n}": percent(rate) for n, rate in enumerate(rates, start=1)}
    text = draw.say("three", asked=names[asked], **values)
    instance = {
        "priors": [str(prior) for prior in priors],
        "rates": [str(rate) for rate in rates],
        "asked": asked,
    }
    joint = [f"{number(p)} × {number(r, 3)}" for p, r in zip(priors, rates, strict=True)]
    said = f"{joint[asked]} / ({' + '.join(joint)}) = {_whole(beliefs[asked])} (rounded)"
    return Draft((keyed(text, *options, value=beliefs[asked]),), instance, said)


def _beliefs(
    key: Fraction, first: tuple, second: tuple, both: Fraction
) -> tuple[Option, list[Option]] | None:
    """Beliefs rounded to whole per cents, none of them halfway between two, 0% or 100%."""
    values = (key, first[0], second[0], both)
    if any(_tie(value) or not 1 <= 100 * value <= 99 for value in values):
        return None
    return crossed(key, first, second, _whole, both=both)


def _whole(share: Fraction) -> str:
    return f"{round(100 * share)}%"


def _tie(share: Fraction) -> bool:
    """Whether a share lies halfway between two whole per cents."""
    return (200 * share).denominator == 1 and int(200 * share) % 2 == 1
