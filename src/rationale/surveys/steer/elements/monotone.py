"""Questions of monotonicity: ballots on which an option moves up."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from rationale.surveys.steer.elements import voting
from rationale.surveys.steer.elements.ballots import (
    MOST_TRIES,
    Vote,
    asked,
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
from rationale.surveys.steer.wording import capitalised, number

PRINCIPLE = (
    "If some voters move an option up and change nothing else, that option should not fall behind "
    "one that it was ahead of.",
    "An option that is moved up on some ballots, with the order of the others unchanged, should "
    "not fall behind one that it was ahead of in the group's ranking.",
    "To move one option up on some ballots, and nothing else, should never make the group place it "
    "behind another that it was ahead of.",
)


def moved_up(draw: Draw) -> Draft | None:
    """Whether the group's rankings before and after a change of ballots break the principle."""
    names, rankings, voters, who, lines = who_votes(draw)
    breaks = draw.rng.random() < 0.5
    found = insist(lambda: changed_vote(draw.rng, rankings, breaks))
    if found is None:
        return None
    changer, new, group = found
    after = (*rankings[:changer], new, *rankings[changer + 1 :])
    breaches = voting.monotonicity_breaches(rankings, after, group)
    key, other = either(
        breaks,
        "Yes",
        "No",
        "blames a change that the principle allows",
        "does not follow the option that moved up",
    )
    changed = who[changer]
    hands = "hands in a new ballot" if draw.grade == 5 else "hand in new ballots"
    start = (
        f"Three {draw.phrase('who')} hand in ballots, best first"
        if draw.grade == 5
        else "The ballots"
    )
    text = (
        f"{opened(draw, names)} {start}:{lines}\n"
        f"The group's ranking is: {order_in(names, group[0])}. Then {changed} {hands}, with "
        f"{order_in(names, new)}; the others stay as they are. The group's ranking is now: "
        f"{order_in(names, group[1])}. {draw.rng.choice(PRINCIPLE)} Is this principle broken here?"
    )
    instance = {
        "alternatives": list(names),
        "ballots": [[n, list(one)] for n, one in zip(voters, rankings, strict=True)],
        "changed": [changer, list(new)],
        "group": [list(one) for one in group],
    }
    return Draft(
        (keyed(text, key, (other,)),), instance, said_move(names, rankings, after, breaches)
    )


def who_votes(
    draw: Draw,
) -> tuple[tuple[str, ...], tuple[Ranking, ...], list[int], list[str], str]:
    """Alternatives, rankings, voters a ranking, who they are, and the lines that say so."""
    if draw.grade == 5:
        people = draw.rng.sample(draw.phrase("people").split(" / "), 3)
        rankings = tuple(voting.random_ranking(draw.rng, 3) for _ in people)
        names = names_of(draw, 3)
        return names, rankings, [1, 1, 1], people, person_lines(people, names, rankings)
    vote = Vote(names_of(draw, 3), unequal_profile(draw, 3, 4), draw.phrase("who"))
    rankings = tuple(ranking for _, ranking in vote.profile)
    voters = [count for count, _ in vote.profile]
    who = [f"the {number(count)} {vote.who}" for count in voters]
    return vote.names, rankings, voters, who, vote.lines()


def changed_vote(
    rng: Random, rankings: Sequence[Ranking], breaks: bool
) -> tuple[int, Ranking, tuple[Ranking, Ranking]] | None:
    """Who changes the ballot to what, and the group's rankings before and after.

    Either the one moved up falls (``breaks``), or it stays, or rises, or it was moved down and
    falls, or something else falls.
    """
    changer = rng.randrange(len(rankings))
    old = rankings[changer]
    one = rng.choice(old)
    new = voting.moved(old, one, rng.randrange(3))
    if new == old:
        return None
    before, after = voting.random_ranking(rng, 3), voting.random_ranking(rng, 3)
    if before == after and rng.random() < 0.7:
        return None
    changed = (*rankings[:changer], new, *rankings[changer + 1 :])
    breaches = voting.monotonicity_breaches(rankings, changed, (before, after))
    return (changer, new, (before, after)) if bool(breaches) == breaks else None


def said_move(
    names: Sequence[str],
    before: Sequence[Ranking],
    after: Sequence[Ranking],
    breaches: Sequence[tuple[int, int]],
) -> str:
    """What moved up, and what became of it."""
    if breaches:
        one, other = breaches[0]
        return f"{capitalised(names[one])} moved up, and fell behind {names[other]}."
    up = [names[one] for one in voting.raised(before, after)]
    if not up:
        return "No option was moved up with nothing else changed."
    return f"{capitalised(up[0])} moved up, and fell behind none that it was ahead of."


def losing_rule(draw: Draw) -> Draft | None:
    """Of three ways to drop one alternative, the one by which a winner that gains support loses."""
    target = draw.rng.choice(list(voting.KNOCKOUTS))
    for _ in range(MOST_TRIES):
        before = unequal_profile(draw, 3, draw.rng.choice((4, 5)))
        winner = voting.without_first(before, voting.KNOCKOUTS[target])
        if winner is None or voting.condorcet_winner(voting.margins(before)) == winner:
            continue
        found = [
            (place, after)
            for place, after in raises(before, winner)
            if breaking_rules(before, after, winner) == [target]
        ]
        if found:
            place, after = draw.rng.choice(found)
            return losing_draft(draw, before, after, place, winner)
    return None


def raises(profile: Profile, one: int) -> list[tuple[int, Profile]]:
    """All ways in which one group moves an alternative up, with the group's place."""
    return [
        (place, (*profile[:place], (count, voting.moved(ranking, one, to)), *profile[place + 1 :]))
        for place, (count, ranking) in enumerate(profile)
        for to in range(ranking.index(one))
    ]


def breaking_rules(before: Profile, after: Profile, one: int) -> list[str] | None:
    """The rules by which an alternative wins before and not after; None where there is a tie."""
    found = []
    for name, points in voting.KNOCKOUTS.items():
        winners = [voting.without_first(profile, points) for profile in (before, after)]
        if None in winners:
            return None
        if winners[0] == one != winners[1]:
            found.append(name)
    return found


def losing_draft(draw: Draw, before: Profile, after: Profile, place: int, winner: int) -> Draft:
    """The question which rule turns the winner that gains support into a loser."""
    vote = Vote(names_of(draw, 3), before, draw.phrase("who"))
    name = vote.names[winner]
    count, new = after[place]
    outcome = {
        rule: [voting.without_first(profile, points) for profile in (before, after)]
        for rule, points in voting.KNOCKOUTS.items()
    }
    (key,) = (rule for rule, (old, now) in outcome.items() if old == winner != now)
    others = [
        Option(
            rule,
            f"both times {name} would win" if old == winner else f"at first {name} would not win",
        )
        for rule, (old, _) in outcome.items()
        if rule != key
    ]
    text = asked(
        draw,
        vote,
        f"Then the {number(count)} {vote.who} in one group move {name} up: they now have "
        f"{order_in(vote.names, new)}. Under each rule below one option goes out, and a majority "
        "decides between the other two. (A first place is worth 2 points, a second place 1.) No "
        "winner should become a loser because some voters move it up. Under which rule does that "
        f"happen to {name}?",
    )
    instance = vote.instance(ask="rule", changed=[place, list(new)], winner=winner)
    now = outcome[key][1]
    why = f"The winner is {name} at first, and {vote.names[now]} after the change."
    return Draft((keyed(text, Option(key), others),), instance, why)
