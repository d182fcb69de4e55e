"""Bayesian games: equilibria with unknown types, and with beliefs updated on the way (STEER 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from random import Random

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number, percent

# A strategy of two types: whether the first and whether the second acts.
STRATEGIES = ((True, True), (False, False), (True, False), (False, True))
# A quality: its chance, its worth to the seller, its worth to the buyer.
Quality = tuple[Fraction, int, int]


def amount(draw: Draw, value: int) -> str:
    """``a gain of $300``, ``a loss of $200``."""
    sized = draw.phrase("amount", value=number(abs(value)))
    return f"a {'gain' if value > 0 else 'loss'} of {sized}"


def signed(rng: Random, low: int, high: int) -> int:
    """A whole number from low to high, not 0."""
    return rng.choice([value for value in range(low, high + 1) if value])


def _either_way(draw: Draw, when: int, other: int, condition: str) -> str:
    """What something brings on a condition and without it, as the end of a sentence."""
    if when == other:
        return f"{amount(draw, when)} either way."
    return f"{_both_amounts(draw, (when, f'if {condition}'), (other, 'if not'))}."


def _both_amounts(draw: Draw, first: tuple[int, str], second: tuple[int, str]) -> str:
    """``a gain of $300 if it rains and of $200 if not``: what is alike is said once."""
    said = amount(draw, second[0])
    if (first[0] > 0) == (second[0] > 0):
        said = said.removeprefix("a gain ").removeprefix("a loss ")
    return f"{amount(draw, first[0])} {first[1]} and {said} {second[1]}"


# Bayes-Nash equilibrium -----------------------------------------------------------------------


@generator(
    "bayes-nash",
    texts={
        "amount": "value",
        "trade": "",
        "quality": "chance state own worth",
        "best": "",
        "middle": "",
        "worst": "",
        "accepts": "",
        "rivals": "chance",
        "acting": "",
        "resting": "",
        "one": "",
        "two": "",
        "always": "",
        "never": "",
        "only_one": "",
        "only_two": "",
    },
    sizes="price unit",
)
def bayes_nash(draw: Draw) -> Draft | None:
    """A buyer's offer to a seller who knows more (Akerlof 1970), or two players with two types."""
    return _lemons(draw) if draw.grade == 11 else _rivals(draw)


def profit(qualities: Sequence[Quality], offer: int) -> Fraction:
    """What a buyer expects of an offer: the seller takes it unless the thing is worth more to them."""
    return sum(
        (chance * (worth - offer) for chance, own, worth in qualities if own <= offer), Fraction(0)
    )


def _lemons(draw: Draw) -> Draft | None:
    """An offer equal to a seller's worth, or none: one of these is best of all offers."""
    count = draw.rng.choice((2, 3))
    wanted = draw.rng.randrange(count + 1)
    qualities = until(lambda: _qualities(draw, count, wanted))
    if qualities is None:
        return None
    states = ("worst", "middle", "best") if count == 3 else ("worst", "best")
    said = [
        draw.phrase(
            "quality",
            chance=percent(chance),
            state=draw.phrase(state),
            own=number(own),
            worth=number(worth),
        )
        for state, (chance, own, worth) in zip(states, qualities, strict=True)
    ]
    text = f"{draw.say('trade')} {capitalised('; '.join(said[::-1]))}. {draw.say('accepts')}"
    offers = [0, *(own for _, own, _ in qualities)]
    options = [Option(_offer_words(draw, offers[wanted]))]
    for place, offer in enumerate(offers):
        if place != wanted:
            options.append(Option(_offer_words(draw, offer), _offer_mistake(offers, offer, wanted)))
    values = [f"{_offer_words(draw, o)}: {number(profit(qualities, o))}" for o in offers[1:]]
    return Draft(
        (keyed(text, options[0], options[1:]),),
        {"qualities": [[str(chance), own, worth] for chance, own, worth in qualities]},
        f"Expected profit, counting only what is sold at that price: {'; '.join(values)}.",
    )


def _offer_words(draw: Draw, offer: int) -> str:
    return f"Offer {draw.phrase('amount', value=number(offer))}" if offer else "Make no offer"


def _offer_mistake(offers: Sequence[int], offer: int, wanted: int) -> str:
    if offer == 0:
        return "lets the worst that could be sold rule out every offer"
    if offer == offers[1] and not wanted:
        return "forgets that only the worst is sold at that price"
    if offer > offers[wanted]:
        return "forgets that worse ones are sold at that price too"
    return "forgets what better ones would bring"


def _qualities(draw: Draw, count: int, wanted: int) -> list[Quality] | None:
    """Qualities for which the offer at that place, 0 for none, is best by far; None at a miss."""
    step = draw.size("price")
    owns = sorted(draw.rng.sample(range(2, 21), count))
    chances = _chances(draw.rng, count)
    found = [
        (chance, own * step, max(1, own + draw.rng.randint(-4, 9)) * step)
        for chance, own in zip(chances, owns, strict=True)
    ]
    if any(low[2] >= high[2] for low, high in pairwise(found)):
        return None
    if any(own == worth for _, own, worth in found):
        return None
    values = [Fraction(0), *(profit(found, own) for _, own, _ in found)]
    best = sorted(values)
    if values.index(best[-1]) != wanted or best[-1] - best[-2] < Fraction(step, 4):
        return None
    return found


def _chances(rng: Random, count: int) -> list[Fraction]:
    """Chances in steps of 10% that sum to 1, none below 10%."""
    cuts = sorted(rng.sample(range(1, 10), count - 1))
    ends = zip([0, *cuts], [*cuts, 10], strict=True)
    return [Fraction(high - low, 10) for low, high in ends]


def equilibria(chance: Fraction, gains: Sequence[Sequence[int]]) -> list[tuple]:
    """Pairs of strategies, each best against the other for both types (Harsanyi 1967).

    ``gains[type]`` are what acting gives when the other acts too, and when the other does not; not
    acting gives 0. Types are independent, the first of that chance. Empty where anybody is
    indifferent.
    """
    replies = {}
    for other in STRATEGIES:
        acts = chance * other[0] + (1 - chance) * other[1]
        values = [acts * both + (1 - acts) * alone for both, alone in gains]
        if 0 in values:
            return []
        replies[other] = tuple(value > 0 for value in values)
    return [
        (mine, yours)
        for mine, yours in product(STRATEGIES, repeat=2)
        if replies[yours] == mine and replies[mine] == yours
    ]


def _rivals(draw: Draw) -> Draft | None:
    """Both act or rest by their types; the only equilibrium in pure strategies."""
    wanted = draw.rng.choice(STRATEGIES)
    found = until(lambda: _rivalry(draw, wanted))
    if found is None:
        return None
    chance, gains = found
    lines = [
        f"With {draw.phrase(kind)}, {draw.phrase('acting')} brings "
        + _either_way(draw, both, alone, "the other does the same")
        for kind, (both, alone) in zip(("one", "two"), gains, strict=True)
    ]
    text = (
        f"{draw.say('rivals', chance=percent(chance))} "
        f"{' '.join(lines)} {draw.say('resting')} brings nothing either way. Both know these "
        "figures and want to gain as much as possible on average. In the only Bayes-Nash "
        "equilibrium in pure strategies, what is the strategy of each?"
    )
    names = dict(zip(STRATEGIES, ("always", "never", "only_one", "only_two"), strict=True))
    others = [
        Option(draw.say(names[s]), _rival_mistake(s, chance, gains))
        for s in STRATEGIES
        if s != wanted
    ]
    acts = chance * wanted[0] + (1 - chance) * wanted[1]
    values = [acts * both + (1 - acts) * alone for both, alone in gains]
    return Draft(
        (keyed(text, Option(draw.say(names[wanted])), others),),
        {"chance": str(chance), "gains": [list(pair) for pair in gains]},
        f"The other then acts with a chance of {percent(acts)}, and acting brings "
        f"{number(values[0])} with {draw.phrase('one')}, {number(values[1])} with "
        f"{draw.phrase('two')}.",
    )


def _rivalry(draw: Draw, wanted: tuple[bool, bool]):
    unit = draw.size("unit")
    chance = Fraction(draw.rng.choice((2, 3, 4, 6, 7, 8)), 10)
    gains = [tuple(unit * signed(draw.rng, -9, 9) for _ in range(2)) for _ in range(2)]
    minded = [both > 0 for both, alone in gains if (both > 0) == (alone > 0)]
    if len(minded) == 2 or equilibria(chance, gains) != [(wanted, wanted)]:
        return None
    return chance, gains


def _rival_mistake(strategy: tuple, chance: Fraction, gains: Sequence[Sequence[int]]) -> str:
    for share, mistake in (
        (Fraction(1), "takes it for sure that the other acts"),
        (Fraction(0), "takes it for sure that the other does not act"),
        (chance, "takes the chance of a type for the chance that the other acts"),
        (Fraction(1, 2), "takes the other to act half of the time"),
    ):
        if tuple(share * both + (1 - share) * alone > 0 for both, alone in gains) == strategy:
            return mistake
    return "does not check what pays when the other does so too"


# Subgame-perfect Bayes-Nash equilibrium -------------------------------------------------------

# Who moves where somebody does: both types, the first alone, the second alone.
MOVES = ((True, True), (True, False), (False, True))
MOVERS = dict(zip(MOVES, ("all_move", "ones_move", "twos_move"), strict=True))
# What one who answers a move does on each report: fights on the first, fights on the second.
Answer = tuple[bool, bool]


def answered(
    chance: Fraction, right: Fraction, moved: Sequence[bool], fights: Sequence, yields: Sequence
) -> set[Answer]:
    """The best answers to a move, by report, after the beliefs that Bayes' rule gives.

    ``fights`` and ``yields`` are what the one who answers gets against each type; a report names
    the type with chance ``right``. Where nobody should have moved any belief is admitted.
    """
    best = []
    for report in (0, 1):
        weights = [
            (chance if t == 0 else 1 - chance) * moved[t] * (right if t == report else 1 - right)
            for t in (0, 1)
        ]
        if any(weights):
            gap = sum(w * (f - y) for w, f, y in zip(weights, fights, yields, strict=True))
            best.append([gap > 0] if gap else [True, False])
        else:
            gaps = [f - y for f, y in zip(fights, yields, strict=True)]
            best.append([fight for fight in (True, False) if _ever(gaps, fight)])
    return set(product(*best))


def _ever(gaps: Sequence[int], fight: bool) -> bool:
    return any((gap > 0) == fight or gap == 0 for gap in gaps)


def perfect(game: dict) -> list[tuple[tuple[bool, bool], Answer]]:
    """Perfect Bayesian equilibria in pure strategies: who moves, and how the move is answered.

    ``game`` has ``chance`` of the first type, ``right`` (the chance that the report names the
    type), ``fought`` and ``spared`` (what each type gets by moving), ``fights`` and ``yields`` (the
    other's). Not to move gives 0. Nobody may be indifferent: such games give no equilibria.
    """
    found = []
    for moved in STRATEGIES:
        answers = answered(game["chance"], game["right"], moved, game["fights"], game["yields"])
        for answer in sorted(answers):
            values = [_moving(game, t, answer) for t in (0, 1)]
            if 0 in values:
                return []
            if tuple(value > 0 for value in values) == moved:
                found.append((moved, answer))
    return found


def _moving(game: dict, t: int, answer: Answer) -> Fraction:
    share = game["right"] * answer[t] + (1 - game["right"]) * answer[1 - t]
    return share * game["fought"][t] + (1 - share) * game["spared"][t]


@generator(
    "perfect-bayes-nash",
    texts={
        "amount": "value",
        "setup": "chance",
        "one": "",
        "two": "",
        "moving": "",
        "mover": "",
        "fights": "",
        "yields": "",
        "fighting": "",
        "yielding": "",
        "answerer": "",
        "staying": "",
        "all_move": "",
        "ones_move": "",
        "twos_move": "",
        "report": "right",
        "says_one": "",
        "says_two": "",
    },
    sizes="unit",
)
def perfect_bayes_nash(draw: Draw) -> Draft | None:
    """An entrant of unknown type and an incumbent who answers, at grade 13 after a noisy report.

    The game has one equilibrium in pure strategies, whatever is believed where nobody should be.
    """
    wanted = (draw.rng.choice(MOVES), draw.rng.choice(STRATEGIES))
    if draw.grade == 12:
        wanted = (wanted[0], wanted[1][:1] * 2)
    elif wanted[1][0] != wanted[1][1]:
        wanted = ((True, True), wanted[1])
    game = until(lambda: _entry(draw, wanted), 4000)
    if game is None:
        return None
    found = perfect(game)[0]
    text = f"{draw.say('setup', chance=percent(game['chance']))} {_entry_words(draw, game)}"
    options, ask = (_twofold if draw.grade == 12 else _by_report)(draw, game, *found)
    instance = {name: value if isinstance(value, list) else str(value)
                for name, value in game.items()}  # fmt: skip
    return Draft(
        (keyed(f"{text} {ask}", options[0], options[1:]),),
        instance,
        _entry_explained(draw, game, *found),
    )


def _entry(draw: Draw, wanted: tuple) -> dict | None:
    """A game whose only equilibrium is the one wanted; None at a miss."""
    moved, answer = wanted
    unit, rng = draw.size("unit"), draw.rng
    payoffs = {name: [signed(rng, -9, 9) for _ in range(2)] for name in ("fights", "yields")}
    gaps = [f - y for f, y in zip(payoffs["fights"], payoffs["yields"], strict=True)]
    if 0 in gaps or (gaps[0] > 0) == (gaps[1] > 0):
        return None
    if moved != (True, True) and answer[0] != (gaps[moved.index(True)] > 0):
        return None
    # Whoever moves gains at least if spared, whoever does not loses at least if fought.
    payoffs["spared"] = [rng.randint(1, 9) if moves else signed(rng, -9, 9) for moves in moved]
    payoffs["fought"] = [
        signed(rng, -9, spared if moves else min(spared, -1))
        for moves, spared in zip(moved, payoffs["spared"], strict=True)
    ]
    if payoffs["fought"] == payoffs["spared"]:
        return None
    chance, right = rng.choice((2, 3, 4, 6, 7, 8)), rng.choice((6, 7, 8, 9))
    right = right if draw.grade == 13 else 5
    if not _answers(chance, right, moved, gaps, answer):
        return None
    game = {
        "chance": Fraction(chance, 10),
        "right": Fraction(right, 10),
        **{name: [unit * value for value in values] for name, values in payoffs.items()},
    }
    found = perfect(game)
    if draw.grade == 12:
        found = [pair for pair in found if len(set(pair[1])) == 1]
    return game if found == [wanted] else None


def _answers(
    chance: int, right: int, moved: Sequence[bool], gaps: Sequence[int], answer: Answer
) -> bool:
    """Whether an answer is best, in tenths: the sieve before all equilibria are looked for."""
    return all(
        (
            sum(
                (chance, 10 - chance)[t] * moved[t] * (right if t == report else 10 - right) * gap
                for t, gap in enumerate(gaps)
            )
            > 0
        )
        == answer[report]
        for report in (0, 1)
    )


def _entry_words(draw: Draw, game: dict) -> str:
    """The payoffs in sentences."""
    say = draw.phrase
    lines = [f"{draw.say('staying')}."]
    for t, kind in enumerate(("one", "two")):
        spared, fought = game["spared"][t], game["fought"][t]
        brings = _both_amounts(
            draw,
            (spared, f"if {say('answerer')} {say('yields')}"),
            (fought, f"if {say('answerer')} {say('fights')}"),
        )
        if spared == fought:
            brings = f"{amount(draw, spared)} in any case"
        lines.append(f"For {say(kind)}, {say('moving')} means {brings}.")
    kinds = [f"against {say(kind)}" for kind in ("one", "two")]
    against = [
        f"{say(words)} means "
        + (
            _both_amounts(draw, *zip(game[name], kinds, strict=True))
            if len(set(game[name])) == 2
            else f"{amount(draw, game[name][0])} in any case"
        )
        for words, name in (("fighting", "fights"), ("yielding", "yields"))
    ]
    return f"{' '.join(lines)} For {say('answerer')}, {'; '.join(against)}."


def _does(draw: Draw) -> str:
    """``what does the chain do``, ``what do you do``."""
    answerer = draw.phrase("answerer")
    return f"what {'do' if answerer == 'you' else 'does'} {answerer} do"


def _twofold(draw: Draw, game: dict, moved: tuple, answer: Answer):
    """Who moves crossed with how it is answered: the key, another of either, and both."""
    other = draw.rng.choice([s for s in MOVES if s != moved])

    def words(who: tuple, fight: bool) -> str:
        response = draw.phrase("fights" if fight else "yields")
        return f"{draw.say(MOVERS[who])}, and {draw.phrase('answerer')} {response}"

    fight = answer[0]
    options = [
        Option(words(moved, fight)),
        Option(words(moved, not fight), "answers on a belief that does not fit who moves"),
        Option(words(other, fight), "misjudges which kinds gain by moving"),
        Option(words(other, not fight), "misjudges both who moves and the answer to it"),
    ]
    ask = (
        f"Both know these figures and want as much as possible on average. In the only "
        f"perfect Bayesian equilibrium in pure strategies, who {draw.phrase('mover')}, and "
        f"{_does(draw)} then?"
    )
    return options, ask


def _by_report(draw: Draw, game: dict, moved: tuple, answer: Answer):
    """The four answers to two reports."""
    say = draw.phrase
    certain = tuple(f > y for f, y in zip(game["fights"], game["yields"], strict=True))
    prior = answered(game["chance"], Fraction(1, 2), (True, True), game["fights"], game["yields"])

    def words(found: Answer) -> str:
        if found[0] == found[1]:
            return f"{draw.say('fights' if found[0] else 'yields')} whatever the report says"
        return f"{draw.say('fights')} only {say('says_one' if found[0] else 'says_two')}"

    def mistake(found: Answer) -> str:
        if found == certain:
            return "takes the report for certain"
        if found[0] != found[1]:
            return "reads the report against its meaning"
        if prior != {found}:
            return "goes by one of the two kinds alone"
        return "ignores the report" if all(moved) else "ignores who moves"

    options = [Option(words(answer))]
    options += [Option(words(s), mistake(s)) for s in STRATEGIES if s != answer]
    ask = (
        f"{draw.say('report', right=percent(game['right']))} Both know these figures and want as "
        f"much as possible on average. In the only perfect Bayesian equilibrium in pure strategies, "
        f"{_does(draw)}?"
    )
    return options, ask


def _entry_explained(draw: Draw, game: dict, moved: tuple, answer: Answer) -> str:
    beliefs = []
    for report in (0, 1) if draw.grade == 13 else (0,):
        weights = [
            (game["chance"], 1 - game["chance"])[t]
            * moved[t]
            * (game["right"] if t == report else 1 - game["right"])
            for t in (0, 1)
        ]
        if sum(weights):
            where = f" {draw.phrase(('says_one', 'says_two')[report])}" if draw.grade == 13 else ""
            beliefs.append(f"{percent(weights[0] / sum(weights))}{where}")
    if draw.grade == 13 and not all(moved):
        beliefs = [f"{percent(Fraction(moved[0]))} whatever the report says"]
    values = [number(_moving(game, t, answer)) for t in (0, 1)]
    return (
        f"{draw.say(MOVERS[moved])}: the chance of {draw.phrase('one')} is then "
        f"{listing(beliefs)}; moving brings {values[0]} to {draw.phrase('one')}, {values[1]} to "
        f"{draw.phrase('two')}."
    )
