"""Imperfect information in extensive form: sequential equilibrium (STEER 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rationale.surveys.steer.elements.attempts import until
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import number, percent

# What the strong type and the weak type send.
Sent = tuple[int, int]
SENT: tuple[Sent, ...] = ((0, 0), (1, 1), (1, 0), (0, 1))
MOST, LEAST, ANY, NONE = "most", "least", "any", "none"


@dataclass(frozen=True)
class Signals:
    """A signalling game of two types and two messages (Cho and Kreps 1987).

    The sender is strong with chance ``prior``, sends a message that costs each type ``costs``
    [message][type], and gets ``let`` if let be and ``hit`` if challenged; a challenge gains the
    receiver ``gain`` against the weak and loses ``loss`` against the strong, else they get 0.
    """

    prior: Fraction
    let: int
    hit: int
    gain: int
    loss: int
    costs: tuple[tuple[int, int], tuple[int, int]]

    @property
    def bound(self) -> Fraction:
        """The belief in the strong at which a challenge gains nothing: it pays below."""
        return Fraction(self.gain, self.gain + self.loss)


def sustained(game: Signals, sent: Sent) -> str | None:
    """Whether the sender's strategy is part of a sequential equilibrium, and by which beliefs.

    ``most``: the belief in the strong after the unsent message must be at most ``game.bound``;
    ``any``: whatever it is; ``none``: no belief will do. None where somebody is indifferent.
    In a game of two moves every assessment in which beliefs on the path follow Bayes' rule is
    consistent (Kreps and Wilson 1982): trembles of the two types, at whatever relative rates, give
    any belief after a message that nobody sends, and beliefs after the other stay put. So every
    perfect Bayesian equilibrium is a sequential one here.
    """
    if sent[0] == sent[1]:
        return _pooled(game, sent[0])
    challenged = {sent[0]: False, sent[1]: True}
    slack = [
        _worth(game, sent[t], t, challenged[sent[t]])
        - _worth(game, 1 - sent[t], t, challenged[1 - sent[t]])
        for t in (0, 1)
    ]
    return None if 0 in slack else ANY if min(slack) > 0 else NONE


def _worth(game: Signals, message: int, t: int, challenged: bool) -> int:
    return (game.hit if challenged else game.let) - game.costs[message][t]


def _pooled(game: Signals, message: int) -> str | None:
    if game.prior == game.bound:
        return None
    now = [_worth(game, message, t, game.prior < game.bound) for t in (0, 1)]
    slack = {
        challenged: [now[t] - _worth(game, 1 - message, t, challenged) for t in (0, 1)]
        for challenged in (False, True)
    }
    if 0 in slack[False] + slack[True]:
        return None
    if min(slack[False]) > 0:
        return ANY
    return MOST if min(slack[True]) > 0 else NONE


@generator(
    "sequential-equilibrium",
    texts={
        "amount": "value",
        "setup": "chance",
        "moves": "let hit gain loss",
        "strong": "",
        "strongs": "",
        "weak": "",
        "weaks": "",
        "zero": "",
        "one": "",
        "seen_zero": "",
        "seen_one": "",
        "puts": "",
        "believes": "",
    },
    sizes="unit",
)
def sequential_equilibrium(draw: Draw) -> Draft | None:
    """Which beliefs hold two types to one message, or which strategy of theirs can be sustained."""
    return (_beliefs if draw.grade == 12 else _strategies)(draw)


def _game(draw: Draw) -> Signals:
    unit, rng = draw.size("unit"), draw.rng
    hit = rng.randint(1, 6)
    costs = [[0, 0], [0, 0]]
    for t in (0, 1):
        message = 1 if draw.grade == 12 else rng.randrange(2)
        costs[message][t] = unit * rng.randint(1, 9)
    return Signals(
        Fraction(rng.randint(1, 9), 10),
        unit * (hit + rng.randint(2, 7)),
        unit * hit,
        unit * rng.randint(1, 9),
        unit * rng.randint(1, 9),
        (tuple(costs[0]), tuple(costs[1])),
    )


def _instance(game: Signals) -> dict:
    return {
        "prior": str(game.prior),
        "let": game.let,
        "hit": game.hit,
        "gain": game.gain,
        "loss": game.loss,
        "costs": [list(pair) for pair in game.costs],
    }


def _words(draw: Draw, game: Signals) -> str:
    moves = {
        name: draw.phrase("amount", value=number(getattr(game, name)))
        for name in ("let", "hit", "gain", "loss")
    }
    return (
        f"{draw.say('setup', chance=percent(game.prior))} {draw.say('moves', **moves)} "
        f"{_costs(draw, game)}"
    )


def _costs(draw: Draw, game: Signals) -> str:
    """What each message costs each type."""
    say = draw.phrase
    kinds = (say("strongs"), say("weaks"))

    def priced(message: int) -> str:
        costs = game.costs[message]
        words = [say("amount", value=number(cost)) for cost in costs]
        name = say(("seen_zero", "seen_one")[message])
        if not any(costs):
            return f"{name} costs neither kind anything"
        if costs[0] == costs[1]:
            return f"{name} costs both kinds {words[0]}"
        if all(costs):
            return f"{name} costs {kinds[0]} {words[0]} and {kinds[1]} {words[1]}"
        t = 0 if costs[0] else 1
        return f"{name} costs {kinds[t]} {words[t]} and {kinds[1 - t]} nothing"

    said = f"{priced(1)}; {priced(0)}."
    return said[:1].upper() + said[1:]


def _beliefs(draw: Draw) -> Draft | None:
    """Both types send one message: by which beliefs after the other one, if any?"""
    wanted = draw.rng.choice((MOST, LEAST, ANY, NONE))
    message = 1 if wanted == NONE else 0 if wanted == ANY else draw.rng.randrange(2)
    truth = MOST if wanted == LEAST else wanted
    game = until(lambda: _pooling(draw, message, truth))
    if game is None:
        return None
    of_strong = wanted == MOST or (wanted in (ANY, NONE) and draw.rng.random() < 0.5)
    text, options = _belief_words(draw, game, message, of_strong)
    others = [
        Option(words, _belief_mistake(name, wanted))
        for name, words in options.items()
        if name != wanted
    ]
    return Draft(
        (keyed(text, Option(options[wanted]), others),),
        {**_instance(game), "message": message, "of": "strong" if of_strong else "weak"},
        _belief_explained(draw, game, message, truth),
    )


def _pooling(draw: Draw, message: int, truth: str) -> Signals | None:
    game = _game(draw)
    return game if sustained(game, (message, message)) == truth else None


def _belief_words(draw: Draw, game: Signals, message: int, of_strong: bool):
    say = draw.phrase
    kind = say("strong" if of_strong else "weak")
    bound = game.bound if of_strong else 1 - game.bound
    after = f"after {say(('seen_one', 'seen_zero')[message])}"
    text = (
        f"{_words(draw, game)} Everybody wants as much as possible on average. Is there a "
        f"sequential equilibrium in which both kinds {say(('zero', 'one')[message])}, and on what "
        "condition?"
    )
    chance = f"{say('puts')} the chance of {kind} at {bound}"
    return text, {
        MOST: f"Yes, if {chance} or less {after}",
        LEAST: f"Yes, if {chance} or more {after}",
        ANY: f"Yes, whatever {say('believes')} {after}",
        NONE: f"No, whatever {say('believes')} {after}",
    }


def _belief_mistake(name: str, wanted: str) -> str:
    if name == NONE:
        return "overlooks beliefs that deter departing"
    if name == ANY:
        return "overlooks that departing can pay"
    if wanted in (MOST, LEAST):
        return "turns the condition on the belief round"
    return "takes the belief to matter where it does not"


def _belief_explained(draw: Draw, game: Signals, message: int, truth: str) -> str:
    kinds = (draw.phrase("strongs"), draw.phrase("weaks"))
    challenged = game.prior < game.bound
    said = "; ".join(
        f"{kinds[t]} get {number(_worth(game, message, t, challenged))}, by departing "
        f"{number(_worth(game, 1 - message, t, False))} if let be and "
        f"{number(_worth(game, 1 - message, t, True))} if not"
        for t in (0, 1)
    )
    end = {
        ANY: "departing never pays",
        NONE: "somebody departs whatever is believed",
        MOST: "departing must be challenged, which pays up to a chance of "
        f"{draw.phrase('strong')} of {game.bound}",
    }[truth]
    return f"With both alike, {said}: {end}."


def _strategies(draw: Draw) -> Draft | None:
    """Each type dislikes one of the messages: which one strategy of the four can be sustained?"""
    wanted = draw.rng.choice(SENT)
    game = until(lambda: _lone(draw, wanted), 4000)
    if game is None:
        return None
    text = (
        f"{_words(draw, game)} Everybody wants as much as possible on average. Which of these can "
        f"be part of a sequential equilibrium?"
    )
    others = [Option(_sent_words(draw, s), _sent_mistake(game, s)) for s in SENT if s != wanted]
    by = sustained(game, wanted)
    belief = (
        "" if by == ANY else f", given a belief of at most {game.bound} after the other message"
    )
    return Draft(
        (keyed(text, Option(_sent_words(draw, wanted)), others),),
        _instance(game),
        f"A challenge pays while the chance of {draw.phrase('strong')} is below {game.bound}. Only "
        f"this strategy leaves neither kind better off by departing{belief}.",
    )


def _lone(draw: Draw, wanted: Sent) -> Signals | None:
    game = _game(draw)
    found = [sustained(game, sent) for sent in SENT]
    if None in found:
        return None
    return game if [s for s, f in zip(SENT, found, strict=True) if f != NONE] == [wanted] else None


def _sent_words(draw: Draw, sent: Sequence[int]) -> str:
    verbs = [draw.phrase(("zero", "one")[message]) for message in sent]
    if sent[0] == sent[1]:
        return f"Both kinds {verbs[0]}"
    return f"{draw.say('strongs')} {verbs[0]} and {draw.phrase('weaks')} {verbs[1]}"


def _sent_mistake(game: Signals, sent: Sent) -> str:
    cheap = tuple(0 if game.costs[0][t] <= game.costs[1][t] else 1 for t in (0, 1))
    if sent == cheap:
        return "looks at the costs of the messages alone"
    if sent[0] == sent[1]:
        return "overlooks that a kind gains by departing"
    passing = _worth(game, sent[1], 1, True) < _worth(game, sent[0], 1, False)
    if passing:
        return "overlooks that the weak gain by passing for strong"
    return "overlooks that the message costs the strong more than a challenge does"
