"""Questions of independence: two rounds of ballots on which two options keep their order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random

from rationale.surveys.steer.elements import voting
from rationale.surveys.steer.elements.ballots import (
    MOST_TRIES,
    Vote,
    asked,
    best_first,
    insist,
    names_of,
    opened,
    order_in,
    person_lines,
    unequal_profile,
)
from rationale.surveys.steer.elements.voting import Profile, Ranking
from rationale.surveys.steer.options import either
from rationale.surveys.steer.questions import Draft, Draw, Option, keyed
from rationale.surveys.steer.wording import capitalised, listing, number

INDEPENDENCE = (
    "How a group orders two options should depend only on how its members order these two: if no "
    "member changes the order of the two, the group should not change it either.",
    "As long as nobody changes the order of two options, the group should not change it either, "
    "whatever happens to the other options.",
    "A group should turn the order of two options round only if some member has done so.",
)


@dataclass(frozen=True)
class Rounds:
    """Two rounds of ballots of three people, each with the ranking of the group."""

    people: tuple[str, ...]
    names: tuple[str, ...]
    before: tuple[Ranking, ...]
    after: tuple[Ranking, ...]
    group: tuple[Ranking, Ranking]

    @property
    def breaches(self) -> list[tuple[int, int]]:
        """Pairs that the group reordered though no member did."""
        return voting.independence_breaches(self.before, self.after, self.group)

    def reordered(self, pair: tuple[int, int]) -> bool:
        """Whether the group reordered two alternatives."""
        return voting.above(self.group[0], *pair) != voting.above(self.group[1], *pair)

    def reorderers(self, pair: tuple[int, int]) -> list[str]:
        """Who of the members reordered two alternatives."""
        return [
            person
            for person, old, new in zip(self.people, self.before, self.after, strict=True)
            if voting.above(old, *pair) != voting.above(new, *pair)
        ]

    def told(self, draw: Draw) -> str:
        """The scene and the two rounds."""
        return (
            f"{opened(draw, self.names)} Three {draw.phrase('who')} hand in ballots, best first:"
            f"{person_lines(self.people, self.names, self.before)}\n"
            f"- Ranking of the group: {best_first(self.names, self.group[0])}\n"
            f"After a discussion they vote again:"
            f"{person_lines(self.people, self.names, self.after)}\n"
            f"- Ranking of the group: {best_first(self.names, self.group[1])}\n"
            f"{draw.rng.choice(INDEPENDENCE)}"
        )

    def why(self, pair: tuple[int, int]) -> str:
        """Who changed the order of two alternatives, and whether the group did."""
        one, other = (self.names[n] for n in pair)
        changed = listing(self.reorderers(pair)) or "no member"
        group_too = "changed" if self.reordered(pair) else "stayed"
        return f"The order of {one} and {other}: changed by {changed}; the group's {group_too}."

    def instance(self, **more: object) -> dict[str, object]:
        """The rounds as JSON."""
        return {
            "alternatives": list(self.names),
            "before": [list(one) for one in self.before],
            "after": [list(one) for one in self.after],
            "group": [list(one) for one in self.group],
            **more,
        }


def drawn_rounds(draw: Draw, size: int) -> Rounds | None:
    """Two rounds in which two members at least move something and the group reorders two pairs."""
    people = tuple(draw.rng.sample(draw.phrase("people").split(" / "), 3))
    before = tuple(voting.random_ranking(draw.rng, size) for _ in people)
    after = tuple(shaken(draw.rng, ranking) for ranking in before)
    group = (voting.random_ranking(draw.rng, size), voting.random_ranking(draw.rng, size))
    rounds = Rounds(people, names_of(draw, size), before, after, group)
    flips = sum(rounds.reordered(pair) for pair in combinations(range(size), 2))
    moves = sum(old != new for old, new in zip(before, after, strict=True))
    return rounds if flips >= 2 and moves >= 2 else None


def shaken(rng: Random, ranking: Ranking) -> Ranking:
    """The ranking with one alternative moved, or as it was."""
    if rng.random() < 0.25:
        return ranking
    return voting.moved(ranking, rng.choice(ranking), rng.randrange(len(ranking)))


def pair_checked(draw: Draw) -> Draft | None:
    """Whether the group's order of two named alternatives turned on the third."""
    breaks = draw.rng.random() < 0.5

    def attempt() -> tuple[Rounds, tuple[int, int]] | None:
        rounds = drawn_rounds(draw, 3)
        if rounds is None:
            return None
        pairs = [p for p in combinations(range(3), 2) if (p in rounds.breaches) == breaks]
        flipped = [pair for pair in pairs if rounds.reordered(pair)]
        use = flipped if flipped and draw.rng.random() < 0.8 else pairs
        return (rounds, draw.rng.choice(use)) if use else None

    found = insist(attempt)
    if found is None:
        return None
    rounds, pair = found
    one, other = (rounds.names[n] for n in draw.rng.sample(pair, 2))
    key, wrong = either(
        breaks,
        "Yes",
        "No",
        "takes any change of the group's order for a breach",
        "does not see that no member changed the order of the two",
    )
    text = (
        f"{rounds.told(draw)} Do the two rankings of the group break this principle for {one} and "
        f"{other}?"
    )
    instance = rounds.instance(ask="check", pair=list(pair))
    return Draft((keyed(text, key, (wrong,)),), instance, rounds.why(pair))


def pair_found(draw: Draw) -> Draft | None:
    """The one pair of four that the group reordered though no member did."""
    rounds = insist(lambda: drawn_rounds(draw, 4))
    if rounds is None or len(rounds.breaches) != 1:
        return None
    (breach,) = rounds.breaches
    others = [pair for pair in combinations(range(4), 2) if pair != breach]
    draw.rng.shuffle(others)
    wrong = sorted(others, key=lambda pair: not rounds.reordered(pair))[:3]

    def show(pair: tuple[int, int]) -> str:
        one, other = draw.rng.sample(pair, 2)
        return capitalised(f"{rounds.names[one]} and {rounds.names[other]}")

    options = [
        Option(
            show(pair),
            "overlooks that a member reordered the two too"
            if rounds.reordered(pair)
            else "the group has not reordered the two",
        )
        for pair in wrong
    ]
    text = f"{rounds.told(draw)} For which two options is this principle broken?"
    instance = rounds.instance(ask="find", shown=[list(pair) for pair in (breach, *wrong)])
    return Draft((keyed(text, Option(show(breach)), options),), instance, rounds.why(breach))


def reordering_rule(draw: Draw) -> Draft | None:
    """Of four rules, the one that turns the order of two round though no voter does."""
    target = draw.rng.choice(list(voting.PLACES))
    rules = [target, *(rule for rule in voting.PLACES if rule != target)]
    for _ in range(MOST_TRIES):
        before = unequal_profile(draw, 4, 4)
        pair = tuple(draw.rng.sample(range(4), 2))
        place = draw.rng.randrange(4)
        count, old = before[place]
        new = voting.random_ranking(draw.rng, 4)
        if new == old or voting.above(new, *pair) != voting.above(old, *pair):
            continue
        after = (*before[:place], (count, new), *before[place + 1 :])
        if all(reorders(before, after, pair, rule) == (rule == target) for rule in rules):
            return reordering_draft(draw, target, before, place, new, pair)
    return None


def reorders(before: Profile, after: Profile, pair: tuple[int, int], rule: str) -> bool | None:
    """Whether a rule orders two alternatives differently before and after; None for any tie."""
    points = voting.PLACES[rule]
    old, new = (voting.scores(profile, points) for profile in (before, after))
    leads = [some[pair[0]] - some[pair[1]] for some in (old, new)]
    return None if 0 in leads else (leads[0] > 0) != (leads[1] > 0)


def ahead(profile: Profile, pair: tuple[int, int], rule: str) -> int:
    """Which of two alternatives a rule has ahead."""
    points = voting.scores(profile, voting.PLACES[rule])
    return max(pair, key=lambda one: points[one])


def one_way_or_another(draw: Draw, one: str, other: str) -> str:
    """That the order of two alternatives should stay, and the question by which rule it does not."""
    return draw.rng.choice(
        (
            f"On every ballot the order of {one} and {other} is still the same, and so the group "
            "should not change the order of these two either. With which way to rank the options "
            "does it?",
            f"Nobody has changed the order of {one} and {other}, so these two should not change "
            "places in the ranking of the group either. With which way to rank the options do they?",
        )
    )


def reordering_draft(
    draw: Draw, target: str, before: Profile, place: int, new: Ranking, pair: tuple[int, int]
) -> Draft:
    """The question by which rule two alternatives change places."""
    vote = Vote(names_of(draw, 4), before, draw.phrase("who"))
    one, other = (vote.names[n] for n in pair)
    count = before[place][0]
    text = asked(
        draw,
        vote,
        f"Then the {number(count)} {vote.who} in one group change their ballots to "
        f"{order_in(vote.names, new)}. {one_way_or_another(draw, one, other)}",
    )
    after = (*before[:place], (count, new), *before[place + 1 :])
    options = [
        Option(rule, f"both times {vote.names[ahead(after, pair, rule)]} is ahead")
        for rule in voting.PLACES
        if rule != target
    ]
    instance = vote.instance(ask="rule", changed=[place, list(new)], pair=list(pair))
    points = [voting.scores(profile, voting.PLACES[target]) for profile in (before, after)]
    was, now = (f"{abs(some[pair[0]])} to {abs(some[pair[1]])}" for some in points)
    why = f"{target.split(':')[0]}: {one} and {other} have {was} at first, then {now}."
    return Draft((keyed(text, Option(target), options),), instance, why)
