"""Questions of dictatorship: from rankings on record, and from rules told in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import permutations, product
from random import Random

from rationale.surveys.steer.elements import voting
from rationale.surveys.steer.elements.ballots import (
    best_first,
    insist,
    names_of,
    person_lines,
)
from rationale.surveys.steer.elements.voting import Ranking
from rationale.surveys.steer.questions import Draft, Draw, Option, keyed
from rationale.surveys.steer.wording import capitalised, listing


def rankings_on_record(draw: Draw) -> Draft | None:
    """Who could be a dictator, going by what the group has decided."""
    people = draw.rng.sample(draw.phrase("people").split(" / "), 3)
    names = names_of(draw, 3)
    target = draw.rng.choice((0, 1, 2, None))
    profiles = {4: 2, 5: 3}[draw.grade]
    found = insist(lambda: record(draw.rng, profiles, target))
    if found is None:
        return None
    ballots, group = found
    occasions = ("First meeting", "Second meeting", "Third meeting")[:profiles]
    records = "\n".join(
        f"{when}:{person_lines(people, names, rankings)}\n- Group: {best_first(names, own)}"
        for when, rankings, own in zip(occasions, ballots, group, strict=True)
    )
    text = (
        f"{draw.say('scene', options=listing(names), people=listing(people))} This is on record, "
        f"best first:\n{records}\n{draw.rng.choice(DICTATOR)}. Going by this record, who could "
        "be a dictator?"
    )
    mistakes = {person: likeness(ballots, group, person) for person in range(3)}
    key, others = dictator_options(people, target, mistakes)
    instance = {
        "ask": "record",
        "people": list(people),
        "ballots": [[list(one) for one in rankings] for rankings in ballots],
        "group": [list(one) for one in group],
    }
    why = (
        "Nobody's rankings are those of the group every time."
        if target is None
        else f"The rankings of {people[target]} are those of the group every time, nobody else's are."
    )
    return Draft((keyed(text, key, others),), instance, why)


# The definition in plain words, one way or another, without a full stop.
DICTATOR = (
    "A dictator is a person whose own ranking always becomes the ranking of the group",
    "Call a person a dictator if the group's ranking is that person's own every time",
    "A dictator is somebody whose ranking the group always takes over unchanged",
)


def likeness(ballots: Sequence[Sequence[Ranking]], group: Sequence[Ranking], person: int) -> str:
    """What could make one take a person for a dictator who is none."""
    own = [rankings[person] for rankings in ballots]
    times = sum(mine == theirs for mine, theirs in zip(own, group, strict=True))
    if times:
        return f"overlooks a meeting: the rankings agree at {times} of {len(group)}"
    if all(mine[0] == theirs[0] for mine, theirs in zip(own, group, strict=True)):
        return "looks at first places alone"
    return "takes the ranking of somebody else for this person's"


def record(
    rng: Random, profiles: int, target: int | None
) -> tuple[list[list[Ranking]], list[Ranking]] | None:
    """Rankings of three people, and the group's: those of one person, or of nobody, every time."""
    ballots = [[voting.random_ranking(rng, 3) for _ in range(3)] for _ in range(profiles)]
    if target is None:
        group = [rng.choice(rankings) for rankings in ballots]
    else:
        group = [rankings[target] for rankings in ballots]
    like = [
        person
        for person in range(3)
        if all(rankings[person] == own for rankings, own in zip(ballots, group, strict=True))
    ]
    if like != ([] if target is None else [target]) or len(set(group)) < profiles:
        return None
    if any(len(set(rankings)) < 2 for rankings in ballots):
        return None
    return ballots, group


def dictator_options(
    people: Sequence[str], key: int | None, mistakes: dict[int, str]
) -> tuple[Option, list[Option]]:
    """An option a person, and that there is nobody."""
    options = [
        Option(
            capitalised(person),
            None
            if n == key
            else mistakes.get(n, "takes somebody for decisive whom others can overrule"),
        )
        for n, person in enumerate(people)
    ]
    options.append(Option("Nobody", None if key is None else "overlooks who always prevails"))
    right = options[3 if key is None else key]
    return right, [one for one in options if one is not right]


def weighed(rankings: Sequence[Ranking], weights: Sequence[int]) -> Ranking | None:
    """The ranking by majorities of weighed votes."""
    return voting.majority_ranking(voting.margins(tuple(zip(weights, rankings, strict=True))))


def pointed(rankings: Sequence[Ranking], weights: Sequence[int]) -> Ranking | None:
    """The ranking by weighed points: 2, 1 and 0 for the places."""
    return voting.ranked(voting.borda_points(tuple(zip(weights, rankings, strict=True))))


def top_first(rankings: Sequence[Ranking], leader: int) -> Ranking | None:
    """The leader's favourite first, and a majority on the order of the rest."""
    top = rankings[leader][0]
    table = voting.margins(tuple((1, ranking) for ranking in rankings))
    one, other = (n for n in range(3) if n != top)
    return (top, one, other) if table[one][other] > 0 else (top, other, one)


def unless_agreed(rankings: Sequence[Ranking], leader: int) -> Ranking | None:
    """The leader's ranking, but for the case that all others have one and the same."""
    others = [ranking for n, ranking in enumerate(rankings) if n != leader]
    return others[0] if len(set(others)) == 1 else rankings[leader]


def by_favour(rankings: Sequence[Ranking], leader: int) -> Ranking | None:
    """The ranking of whichever other person has the leader's favourite higher, else the leader's."""
    top = rankings[leader][0]
    first, second = (ranking for n, ranking in enumerate(rankings) if n != leader)
    if first.index(top) == second.index(top):
        return rankings[leader]
    return first if first.index(top) < second.index(top) else second


TIMES = {2: "twice", 3: "three times", 5: "five times", 6: "six times"}
RULES: dict[str, Callable[..., Ranking | None]] = {
    "weighed": weighed,
    "pointed": pointed,
    "top": top_first,
    "unless": unless_agreed,
    "favour": by_favour,
    "alone": lambda rankings, leader: rankings[leader],
    "reverse": lambda rankings, leader: tuple(reversed(rankings[leader])),
}


@lru_cache(maxsize=4096)
def dictators(rule: str, parameter: int | tuple[int, ...]) -> tuple[int, ...]:
    """Whose ranking is the group's in all 216 profiles of three people; with a tie it is nobody's."""
    left = {0, 1, 2}
    for rankings in product(permutations(range(3)), repeat=3):
        found = RULES[rule](rankings, parameter)
        left = {person for person in left if rankings[person] == found}
    return tuple(left)


def drawn_rule(
    rng: Random, leader: int, target: int | None
) -> tuple[str, int | tuple[int, ...]] | None:
    """A rule with one person in front, by which the target dictates; None for any other."""
    rule, parameter = front_rule(rng, leader, target is not None)
    wanted = () if target is None else (target,)
    level = rule == "weighed" and len(set(parameter)) == 1
    return (rule, parameter) if dictators(rule, parameter) == wanted and not level else None


def front_rule(rng: Random, leader: int, dictates: bool) -> tuple[str, int | tuple[int, ...]]:
    """A rule with one person in front, who is meant to dictate by it or not."""
    rule = rng.choice(
        (
            "weighed",
            "pointed",
            "alone" if dictates else rng.choice(("top", "unless", "favour", "reverse")),
        )
    )
    if rule not in ("weighed", "pointed"):
        return rule, leader
    weights = [rng.randint(1, 4) for _ in range(3)]
    if rule == "pointed":
        weights = [1, 1, 1]
        weights[leader] = rng.choice((5, 6)) if dictates else rng.choice((2, 3))
    else:
        others = sum(weights) - weights[leader]
        weights[leader] = others + rng.choice((1, 2, 3)) if dictates else max(1, others - 1)
    return rule, tuple(weights)


def rule_told(draw: Draw) -> Draft | None:
    """Who dictates by a rule told in words; a person in front need not be a dictator."""
    people = draw.rng.sample(draw.phrase("people").split(" / "), 3)
    names = names_of(draw, 3)
    target = draw.rng.choice((0, 1, 2, None))
    leader = draw.rng.randrange(3) if target is None else target
    rule, parameter = insist(lambda: drawn_rule(draw.rng, leader, target))
    told = said_rule(draw.rng, rule, parameter, leader, people)
    text = (
        f"{draw.say('scene', options=listing(names), people=listing(people))} First each of "
        f"the three draws up a ranking of their own. {told} {draw.rng.choice(DICTATOR)}, whatever "
        "the others rank. Who is a dictator here?"
    )
    mistakes = {}
    if target is None:
        mistakes = {
            one: "takes much influence for all of it" for one in strongest(rule, parameter, leader)
        }
    key, others = dictator_options(people, target, mistakes)
    shown = list(parameter) if isinstance(parameter, tuple) else parameter
    instance = {"ask": "rule", "rule": rule, "parameter": shown, "people": list(people)}
    why = (
        f"The group's ranking is not always that of {people[leader]}, nor always another's."
        if target is None
        else f"Whatever the others rank, the group's ranking is that of {people[leader]}."
    )
    return Draft((keyed(text, key, others),), instance, why)


def strongest(rule: str, parameter: int | tuple[int, ...], leader: int) -> list[int]:
    """Those who have the largest say under a rule."""
    if rule not in ("weighed", "pointed"):
        return [leader]
    return [one for one, weight in enumerate(parameter) if weight == max(parameter)]


def said_rule(
    rng: Random,
    rule: str,
    parameter: int | tuple[int, ...],
    leader: int,
    people: Sequence[str],
) -> str:
    """A rule in words."""
    first = people[leader]
    others = listing([person for n, person in enumerate(people) if n != leader])
    if rule == "weighed":
        votes = listing(
            [
                f"{people[n]} {'has ' if place == 0 else ''}{parameter[n]}"
                for place, n in enumerate(rng.sample(range(3), 3))
            ]
        )
        return (
            "Every two options are compared, and the one with more votes is placed higher. The votes "
            f"are not equal: {votes}. (A tie is broken by lot.)"
        )
    if rule == "pointed":
        return (
            "A first place is worth 2 points, a second place 1 and a third none, but the points of "
            f"{capitalised(first)} count {TIMES[parameter[leader]]}, those of {others} once. "
            "The options are ranked by their points. (A tie is broken by lot.)"
        )
    if rule == "alone":
        return said_alone(rng, first, people[(leader + 1) % 3])
    return {
        "reverse": f"The group's ranking is that of {first} turned round, from last to first.",
        "top": (
            f"The favourite of {first} comes first in the group's ranking. The order of the other "
            "two options is decided by the majority of the three."
        ),
        "unless": (
            f"The group adopts the ranking of {first}, unless {others} both hand in one and the "
            "same ranking; then it adopts theirs."
        ),
        "favour": (
            f"The group adopts the ranking of {others.replace(' and ', ' or ')}, namely the one "
            f"that has {first}'s favourite higher; if both have it equally high, it adopts that of "
            f"{first}."
        ),
    }[rule]


def said_alone(rng: Random, first: str, second: str) -> str:
    """That one ranking counts, one way or another."""
    return rng.choice(
        (
            f"All three rankings are read out and put on file. The group then adopts the ranking "
            f"of {first}.",
            f"For every two options the group follows {first}. For options that {first} ranks as "
            f"equal it would follow {second}, but nobody may rank two options as equal.",
            "Two of the rankings are passed on as comments. What counts as the group's ranking is "
            f"the one by {first}.",
        )
    )
