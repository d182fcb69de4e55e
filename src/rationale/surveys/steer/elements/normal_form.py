"""Games in strategic form, played once and at the same time (STEER 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

from rationale.surveys.steer.elements.games import (
    Cast,
    Game,
    Profile,
    averages,
    best_responses,
    cast,
    dominant,
    dominated,
    equilibria,
    profiles,
    random_game,
    relabelled,
    removals,
    single_best,
    steps,
    told,
    turned,
    with_action,
)
from rationale.surveys.steer.options import crossed
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number, percent, with_article

TWO = dict.fromkeys(
    ["intro", "unit", "row", "column", "a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"], ""
)
THREE = {**TWO, "three": "", "third": ""}
CONTEST = {**TWO, "contest": "share last start"}
TRIES = 400


@generator("interpret-games", texts=TWO, sizes="payoff")
def interpret_games(draw: Draw) -> Draft | None:
    """One player's payoff where both actions are given.

    The mistakes cross: the other player's number, and the cell of the wrong action of one player.
    """
    count = {3: 2, 4: 2, 5: draw.rng.choice((3, 4))}[draw.grade]
    game = random_game(draw.rng, (count, count), steps(draw))
    who = cast(draw, game.shape)
    asked, wrong = draw.rng.randrange(2), draw.rng.randrange(2)
    chosen = tuple(draw.rng.randrange(count) for _ in range(2))
    slip = draw.rng.choice([other for other in range(count) if other != chosen[wrong]])
    right, beside = game.payoffs[chosen], game.payoffs[with_action(chosen, wrong, slip)]
    options = crossed(
        right[asked],
        (right[1 - asked], "takes the other one's number"),
        (beside[asked], "reads the wrong row" if wrong == 0 else "reads the wrong column"),
        number,
        both=beside[1 - asked],
    )
    if options is None:
        return None
    ask = (
        f"Suppose {who.choosing(chosen, game.players)}. "
        f"What {'do' if who.players[asked] == 'you' else 'does'} {who.players[asked]} get?"
    )
    return Draft(
        (keyed(_text(draw, game, who, ask, draw.grade == 3), *options, value=right[asked]),),
        {**game.instance(), "profile": list(chosen), "asked": asked},
        f"{who.profile(chosen)} gives {number(right[0])} and {number(right[1])}.",
    )


@generator("best-response", texts=TWO, sizes="payoff")
def best_response(draw: Draw) -> Draft | None:
    """The action that pays most against an action known, or (grade 9) against known chances."""
    count = 2 if draw.grade == 5 else 3
    game = random_game(draw.rng, (count, count), steps(draw))
    who = cast(draw, game.shape)
    asked = draw.rng.randrange(2)
    belief = _belief(draw.rng, count, draw.grade == 9)
    values = averages(game, asked, belief)
    key = single_best(values)
    if key is None or sorted(values)[-1] == sorted(values)[-2]:
        return None
    name = who.players[asked]
    given = _expected(who, asked, belief)
    most = "gives {} the most on average" if draw.grade == 9 else "gives {} the most"
    ask = f"{given} Which choice {most.format(name)}?"
    shown = "; ".join(
        f"{who.actions[asked][own]}: {number(value)}" for own, value in enumerate(values)
    )
    return Draft(
        (
            keyed(
                _text(draw, game, who, ask, count == 2 and draw.rng.random() < 0.5),
                *_choices(who, asked, key, lambda own: _misread(game, asked, own, belief)),
            ),
        ),
        {**game.instance(), "asked": asked, "belief": [str(share) for share in belief]},
        f"Against that, {shown}.",
    )


@generator("dominant-strategies", texts=THREE, sizes="payoff")
def dominant_strategies(draw: Draw) -> Draft | None:
    """The one action that pays strictly more than any other, whatever the others do."""
    shape = {5: (2, 2), 6: (3, 3), 7: (2, 2, 2)}[draw.grade]
    game = _with_dominant(draw.rng, shape, steps(draw))
    if game is None:
        return None
    who = cast(draw, shape)
    asked = 0
    if draw.rng.random() < 0.5:
        game, asked = _seated_second(game), 1
    key = dominant(game, asked)
    others = [name for player, name in enumerate(who.players) if player != asked]
    do = "does" if len(others) == 1 and others != ["you"] else "do"
    rest = "the other one" if shape[asked] == 2 else "any other"
    ask = (
        f"Which choice always gives {who.players[asked]} more than {rest}, "
        f"whatever {listing(others)} {do}?"
    )
    return Draft(
        (
            keyed(
                _text(draw, game, who, ask, len(shape) == 2 and draw.rng.random() < _words(draw)),
                *_choices(who, asked, key, lambda own: _tempting(game, asked, own)),
            ),
        ),
        {**game.instance(), "asked": asked},
        f"'{who.action(asked, key)}' pays more than every other choice in each case.",
    )


@generator("dominated-strategies", texts=TWO, sizes="payoff")
def dominated_strategies(draw: Draw) -> Draft | None:
    """The one action that another action beats whatever the other player does.

    Every other action is the best response to something, so that none of them is dominated, not
    even by a mixture.
    """
    count = {5: 2, 6: 3, 7: 4}[draw.grade]
    game = _with_dominated(draw.rng, count, steps(draw))
    asked = draw.rng.randrange(2)
    game = turned(game) if asked else game
    found = dominated(game, asked)
    if len(found) != 1 or (count > 2 and not _all_best_once(game, asked, found)):
        return None
    (key, better), who = next(iter(found.items())), cast(draw, game.shape)
    name, other = who.players[asked], who.does(1 - asked, "do", "does")
    rest = "the other one" if count == 2 else "another one"
    ask = (
        f"Which choice should {name} never make, because {rest} always gives {name} more, "
        f"whatever {other}?"
    )
    return Draft(
        (
            keyed(
                _text(draw, game, who, ask, count == 2 and draw.rng.random() < 0.5),
                *_choices(who, asked, key, lambda own: _feared(game, asked, own)),
            ),
        ),
        {**game.instance(), "asked": asked},
        f"'{who.action(asked, better)}' pays more than '{who.action(asked, key)}' in each case.",
    )


@generator("iterated-removal", texts=TWO, sizes="payoff")
def iterated_removal(draw: Draw) -> Draft | None:
    """The profile, or one player's action, that is left when dominated actions are removed in turn.

    The player asked for alone has no dominant action: two rounds at least are needed.
    """
    count = {7: 2, 8: 3, 9: 4}[draw.grade]
    game = _solvable(draw.rng, count, steps(draw))
    asked = draw.rng.randrange(2)
    game = turned(game) if asked else game
    rounds = removals(game)
    if any(len(left) > 1 for left in rounds[-1]) or dominant(game, asked) is not None:
        return None
    last = tuple(min(left) for left in rounds[-1])
    who = cast(draw, game.shape)
    both = "Both of you go" if who.players[0] == "you" else "Both go"
    given = (
        f"A choice is ruled out when another choice of the same player gives that player more in "
        f"every case still open. {both} on like this, on either side, until nothing more can be "
        f"ruled out."
    )
    if draw.rng.random() < 0.5:
        ask = f"{given} Which choice is left for {who.players[asked]} in the end?"
        options = _choices(who, asked, last[asked], lambda own: _kept(rounds, asked, own))
    else:
        ask = f"{given} Which pair of choices is left in the end?"
        options = _pairs(draw.rng, game, who, last, "is removed")
    return Draft(
        (keyed(_text(draw, game, who, ask, count == 2 and draw.rng.random() < 0.3), *options),),
        {**game.instance(), "asked": asked},
        f"{_removed(who, rounds)} What is left: {who.profile(last)}.",
    )


@generator("pure-nash", texts=THREE, sizes="payoff")
def pure_nash(draw: Draw) -> Draft | None:
    """The only profile from which nobody gains by changing their own action alone.

    The options are the corners of a square: two players each take the action of the equilibrium or
    another one.
    """
    shape = {8: (2, 2), 9: (3, 3), 10: (4, 4), 11: (2, 2, 2)}[draw.grade]
    game = _with_one_equilibrium(draw.rng, shape, steps(draw))
    if game is None:
        return None
    who, key = cast(draw, shape), equilibria(game)[0]
    if len(shape) == 2:
        first, second = who.players
        ask = (
            f"At which of these pairs of choices would neither {first} nor {second} gain by "
            f"switching alone?"
        )
    else:
        ask = "At which of these would none of the three gain by switching alone?"
    options = _pairs(draw.rng, game, who, key, "would do better with another choice")
    return Draft(
        (
            keyed(
                _text(draw, game, who, ask, shape == (2, 2) and draw.rng.random() < 0.5), *options
            ),
        ),
        game.instance(),
        f"{who.profile(key)}: each choice is the best against the other{'s' * (len(shape) > 2)}.",
    )


@generator("level-k", texts=CONTEST, sizes="payoff")
def level_k(draw: Draw) -> Draft | None:
    """What a reasoner of level k does, given what level 0 does (Nagel 1995; Stahl and Wilson 1995).

    Half of the questions are a contest to guess a share of the average, half a game with three
    actions each where level 0 takes every action equally often.
    """
    level = {6: 1, 7: 2, 8: draw.rng.choice((3, 4))}[draw.grade]
    return _contest(draw, level) if draw.rng.random() < 0.5 else _level_game(draw, level)


# What is left of the average is a share of the list again.
SHARES = {
    "half": Fraction(1, 2),
    "a third": Fraction(1, 3),
    "two thirds": Fraction(2, 3),
    "a quarter": Fraction(1, 4),
    "three quarters": Fraction(3, 4),
    **{f"{tenths}0%": Fraction(tenths, 10) for tenths in (2, 3, 4, 6, 7, 8)},
}


def level_guess(share: Fraction, start: int, level: int) -> Fraction:
    """What level k guesses where the target is a share of the average and level 0 guesses start."""
    return share**level * start


def _contest(draw: Draw, level: int) -> Draft | None:
    """A guess of level k; neither the size nor the digits of four options tell which one it is.

    The second mistake takes the share away (levels 1 and 2) or is a level off (2, and 3 against 4):
    right and wrong could as well change places. No number lies midway between two roundings.
    """
    said = draw.rng.choice(list(SHARES))
    share = SHARES[said]
    start, last = (draw.rng.randrange(20, 91) for _ in range(2))
    if level == 1 or (level == 2 and draw.rng.random() < 0.5):
        slip, reason = (1 - share, level), "takes the share away"
    else:
        wrong = 7 - level if level > 2 else draw.rng.choice((1, 3))
        slip = share, wrong
        reason = "takes a step too many" if wrong > level else "stops a step early"
    ways = {(share, level), slip, *((share, k) for k in (1, 2, 3) if level == 2)}
    values = [level_guess(s, first, k) for s, k in ways for first in (start, last)]
    if start == last or any((value * 100 % 1) == Fraction(1, 2) for value in values):
        return None
    key = level_guess(share, start, level)
    options = crossed(
        key,
        (level_guess(share, last, level), "starts from last time's average"),
        (level_guess(slip[0], start, slip[1]), reason),
        number,
        both=level_guess(slip[0], last, slip[1]),
        lowest=Fraction(1, 10),
    )
    if options is None:
        return None
    text = draw.say("contest", share=said, start=start, last=last)
    ladder = (
        f"A guesser of level 1 expects everybody else to be of level 0, and guesses {said} of "
        f"their average."
    )
    if level > 1:
        ladder += f" From there on, each level guesses {said} of what the level below guesses."
    ask = f"What does a guesser of level {level} guess?"
    if draw.story.person == "first":
        ask = f"If you are a guesser of level {level}, what do you guess?"
    ask += " Round to two decimals where needed."
    return Draft(
        (keyed(f"{text} {ladder} {ask}", *options, value=key),),
        {"kind": "contest", "share": str(share), "start": start, "last": last, "level": level},
        " -> ".join(number(level_guess(share, start, k)) for k in range(level + 1)),
    )


def level_choices(game: Game, level: int) -> list[tuple[int, ...]] | None:
    """What each of two players does at levels 1 to ``level``; None where a best action is tied."""
    uniform = [[Fraction(1, count)] * count for count in game.shape]
    beliefs, found = uniform, []
    for _ in range(level):
        chosen = tuple(single_best(averages(game, p, beliefs[1 - p])) for p in game.players)
        if None in chosen:
            return None
        found.append(chosen)
        beliefs = [
            [Fraction(int(action == chosen[p])) for action in range(game.shape[p])]
            for p in game.players
        ]
    return found


def _level_game(draw: Draw, level: int) -> Draft | None:
    game = random_game(draw.rng, (3, 3), steps(draw))
    asked = draw.rng.randrange(2)
    chain = level_choices(game, level + 1)
    if chain is None or (level > 1 and chain[level - 1][asked] == chain[level - 2][asked]):
        return None
    who, key = cast(draw, game.shape), chain[level - 1][asked]
    mistakes = {chain[level][asked]: f"reasons as level {level + 1} does"}
    mistakes |= {chain[k - 1][asked]: f"reasons as level {k} does" for k in range(1, level)}
    name, other = who.players[asked], who.players[1 - asked]
    ladder = (
        "A player of level 0 picks each choice equally often. A player of level 1 makes the "
        "choice that gives that player the most on average against level 0"
    )
    step = "a player of level 2 the best choice against level 1"
    ladder += {1: "", 2: f", and {step}"}.get(level, f", {step}, and so on")
    ask = (
        f"{capitalised(who.does(asked, 'play', 'plays'))} at level {level} and "
        f"{'take' if name == 'you' else 'takes'} {other} to play at level {level - 1}. "
        f"Which choice {'do' if name == 'you' else 'does'} {name} make?"
    )
    return Draft(
        (
            keyed(
                _text(draw, game, who, f"{ladder}. {ask}", False),
                *_choices(
                    who, asked, key, lambda own: mistakes.get(own, _tempting(game, asked, own))
                ),
            ),
        ),
        {"kind": "game", **game.instance(), "asked": asked, "level": level},
        "; ".join(f"level {k}: {who.profile(one)}" for k, one in enumerate(chain[:level], start=1)),
    )


def _words(draw: Draw) -> float:
    """How often a small game is told in words: half of the time, larger ones never."""
    return 0.5 if draw.grade <= 5 else 0


def _text(draw: Draw, game: Game, who: Cast, ask: str, in_words: bool) -> str:
    intro = draw.say("three" if len(game.shape) == 3 else "intro")
    unit, body = draw.say("unit"), told(game, who, in_words)
    if in_words:
        return f"{intro} {unit} {body} {ask}"
    return f"{intro} {unit}\n\n{body}\n\n{ask}"


def _choices(
    who: Cast, asked: int, key: int, mistake: Callable[[int], str]
) -> tuple[Option, list[Option]]:
    others = [own for own in range(len(who.actions[asked])) if own != key]
    return Option(who.action(asked, key)), [
        Option(who.action(asked, own), mistake(own)) for own in others
    ]


def _pairs(
    rng: Random, game: Game, who: Cast, key: Profile, wrong: str
) -> tuple[Option, list[Option]]:
    """The key and the three profiles in which one, another or both of two players do something else."""
    first, second = sorted(rng.sample(list(game.players), 2))
    slips = [
        rng.choice([own for own in range(game.shape[player]) if own != key[player]])
        for player in (first, second)
    ]
    found = (
        with_action(key, first, slips[0]),
        with_action(key, second, slips[1]),
        with_action(with_action(key, first, slips[0]), second, slips[1]),
    )
    return Option(who.profile(key)), [
        Option(who.profile(one), _why_not(game, one, key, wrong)) for one in found
    ]


def _why_not(game: Game, profile: Profile, key: Profile, wrong: str) -> str:
    places = ("first", "second", "third")
    if wrong == "is removed":
        bad = [places[p] for p in game.players if profile[p] != key[p]]
        return f"takes an action of the {listing(bad)} player that is removed"
    bad = [places[p] for p in game.players if profile[p] not in best_responses(game, p, profile)]
    return f"the {listing(bad)} player {wrong}"


def _belief(rng: Random, count: int, mixed: bool) -> list[Fraction]:
    """The other's chances: certain of one action, or all of them possible in steps of 10%."""
    if not mixed:
        sure = rng.randrange(count)
        return [Fraction(int(action == sure)) for action in range(count)]
    cuts = sorted(rng.sample(range(1, 10), count - 1))
    bounds = [0, *cuts, 10]
    return [Fraction(high - low, 10) for low, high in pairwise(bounds)]


def _expected(who: Cast, asked: int, belief: Sequence[Fraction]) -> str:
    """What the player asked about knows, or expects, of the other one."""
    other = 1 - asked
    if 1 in belief:
        sure = who.actions[other][list(belief).index(Fraction(1))]
        return f"Suppose {who.does(other, 'choose', 'chooses')} to {sure}."
    chances = [
        f"to {action} with {with_article(percent(share))} chance"
        for share, action in zip(belief, who.actions[other], strict=True)
    ]
    expects = who.does(asked, "expect", "expects")
    return f"Suppose {expects} {who.players[other]} {listing(chances)}."


def _misread(game: Game, asked: int, own: int, belief: Sequence[Fraction]) -> str:
    """Which mistake leads to an action that is not the best against a belief."""
    count = game.shape[1 - asked]
    for other in range(count):
        if belief[other] != 1:
            sure = [Fraction(int(action == other)) for action in range(count)]
            if single_best(averages(game, asked, sure)) == own:
                return "takes what is best against another choice"
    return _tempting(game, asked, own)


def _tempting(game: Game, asked: int, own: int) -> str:
    """What may speak for an action that is not right, weightiest first."""
    pays = {
        action: [pay[asked] for one, pay in game.payoffs.items() if one[asked] == action]
        for action in range(game.shape[asked])
    }
    if max(pays[own]) == max(max(pay) for pay in pays.values()):
        return "goes for the highest single number"
    if min(pays[own]) == max(min(pay) for pay in pays.values()):
        return "goes for the best worst case"
    theirs = {
        action: sum(
            sum(pay) - pay[asked] for one, pay in game.payoffs.items() if one[asked] == action
        )
        for action in pays
    }
    if theirs[own] == max(theirs.values()):
        return "goes by the other's numbers"
    return "does not compare case by case"


def _feared(game: Game, asked: int, own: int) -> str:
    """What may speak against an action that no other one always beats."""
    pays = {
        action: [pay[asked] for one, pay in game.payoffs.items() if one[asked] == action]
        for action in range(game.shape[asked])
    }
    if min(pays[own]) == min(min(pay) for pay in pays.values()):
        return "shuns the lowest single number"
    if sum(pays[own]) == min(sum(pay) for pay in pays.values()):
        return "shuns the lowest average"
    return "does not compare case by case"


def _kept(rounds: Sequence[Sequence[set[int]]], asked: int, own: int) -> str:
    """How far removal must go to be rid of an action."""
    gone = next(n for n, left in enumerate(rounds) if own not in left[asked])
    return "takes a dominated action" if gone == 1 else f"stops before round {gone} of removal"


def _removed(who: Cast, rounds: Sequence[Sequence[set[int]]]) -> str:
    said = []
    for before, after in pairwise(rounds):
        gone = [
            f"{who.players[p]}: {who.actions[p][own]}"
            for p in range(len(who.players))
            for own in sorted(before[p] - after[p])
        ]
        said.append(listing(gone))
    return f"Removed in turn: {'; then '.join(said)}."


def _seated_second(game: Game) -> Game:
    """The game with the first two players' places exchanged."""
    return Game(
        (game.shape[1], game.shape[0], *game.shape[2:]),
        {
            (one[1], one[0], *one[2:]): (pay[1], pay[0], *pay[2:])
            for one, pay in game.payoffs.items()
        },
    )


def _with_dominant(rng: Random, shape: Sequence[int], amounts: Sequence[int]) -> Game | None:
    """A game in which the first player, and no other action of that player, is dominant."""
    game = random_game(rng, shape, amounts)
    pay = dict(game.payoffs)
    for rest in profiles(shape[1:]):
        column = sorted(rng.sample(amounts, shape[0]), reverse=True)
        column[1:] = rng.sample(column[1:], len(column) - 1)
        for own in range(shape[0]):
            pay[(own, *rest)] = (column[own], *pay[(own, *rest)][1:])
    return relabelled(Game(tuple(shape), pay), rng)


def _with_dominated(rng: Random, count: int, amounts: Sequence[int]) -> Game:
    """A game in which the first player's last action is beaten by another in every case.

    The other actions each are raised above all in one column of their own.
    """
    game = random_game(rng, (count, count), amounts)
    own = {(row, column): rng.choice(amounts) for row, column in profiles((count, count))}
    if count > 2:
        for best, column in enumerate(rng.sample(range(count), count - 1)):
            values = sorted(rng.sample(amounts, count), reverse=True)
            rest = [row for row in range(count) if row != best]
            for row, value in zip([best, *rng.sample(rest, len(rest))], values, strict=True):
                own[row, column] = value
    for column in range(count):
        below = [value for value in amounts if value < own[0, column]]
        own[count - 1, column] = rng.choice(below[-8:] or [amounts[0]])
    pay = {one: (own[one], other[1]) for one, other in game.payoffs.items()}
    return relabelled(Game((count, count), pay), rng)


def _all_best_once(game: Game, asked: int, found: dict[int, int]) -> bool:
    best = set()
    for other in range(game.shape[1 - asked]):
        profile = with_action((0, 0), 1 - asked, other)
        responses = best_responses(game, asked, profile)
        best |= responses if len(responses) == 1 else set()
    return best | found.keys() == set(range(game.shape[asked]))


def _solvable(rng: Random, count: int, amounts: Sequence[int]) -> Game:
    """A game that removal solves: each action removed lies under one that stays, in what stays.

    Against what has been removed before, it may pay anything, and so does not look dominated at
    first. The second player's actions go first.
    """
    game = random_game(rng, (count, count), amounts)
    pay = {one: list(values) for one, values in game.payoffs.items()}
    order = [(player, own) for own in range(count - 1, 0, -1) for player in (1, 0)]
    low = len(amounts) * 2 // 5
    for column in range(count):
        for row in range(count):
            pay[row, column] = [rng.choice(amounts[low:]) for _ in range(2)]
    for place in range(len(order) - 1, -1, -1):
        player, own = order[place]
        gone = {(who, action) for who, action in order[:place]}
        over = rng.randrange(own)
        for other in range(count):
            if (1 - player, other) in gone:
                continue
            mine = (own, other) if player == 0 else (other, own)
            above = pay[(over, other) if player == 0 else (other, over)][player]
            pay[mine][player] = max(amounts[0], above - amounts.step * rng.randint(1, 4))
    return relabelled(Game((count, count), {one: tuple(v) for one, v in pay.items()}), rng)


def _with_one_equilibrium(rng: Random, shape: Sequence[int], amounts: Sequence[int]) -> Game | None:
    """A random game with one pure equilibrium, all of its best responses strict."""
    for _ in range(TRIES):
        game = random_game(rng, shape, amounts)
        found = equilibria(game)
        if len(found) == 1 and all(
            len(best_responses(game, player, found[0])) == 1 for player in game.players
        ):
            return game
    return None
