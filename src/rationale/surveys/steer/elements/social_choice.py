"""Social choice: plurality, Borda, Copeland, and procedures of fair division (STEER 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from rationale.surveys.steer.elements import fair_division
from rationale.surveys.steer.elements.ballots import (
    VOTE,
    Vote,
    cast,
    named_options,
    names_of,
    opened,
)
from rationale.surveys.steer.elements.voting import (
    Ranking,
    above,
    borda_points,
    copeland_points,
    first_places,
    highest,
    last_places,
    lowest,
    margins,
    ranked,
    scores,
)
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, counted, listing


def largest_group(vote: Vote) -> Ranking:
    """The ranking of the largest group of voters."""
    return max(vote.profile, key=lambda group: group[0])[1]


@generator("plurality", texts=VOTE, sizes="ballots")
def plurality(draw: Draw) -> Draft | None:
    """Who is ranked first by most voters (grade 4: the ranking by first places)."""
    if draw.grade == 4:
        return plurality_ranking(draw, cast(draw, 4, 7))
    vote = cast(draw, *{2: (3, 4), 3: (4, 6)}[draw.grade])
    firsts = first_places(vote.profile)
    winner = highest(firsts)
    traps = (highest(borda_points(vote.profile)), largest_group(vote)[0])
    seconds = scores(vote.profile, (1, 1, *[0] * (len(vote.names) - 2)))
    if winner is None or (all(trap == winner for trap in traps) and draw.rng.random() < 0.7):
        return None
    mistakes = {
        one: "takes an option that nobody ranks first, for its lower places"
        for one, count in enumerate(firsts)
        if count == 0
    }
    mistakes |= {
        lowest(last_places(vote.profile)): "looks for the fewest last places",
        highest(seconds): "counts first and second places alike",
        traps[0]: "counts lower places too",
        traps[1]: "looks at the largest group alone",
    }
    for one, count in enumerate(firsts):
        mistakes.setdefault(one, f"adds up wrongly: it has {counted(count, 'first place')}")
    options = named_options(vote.names, winner, mistakes, "")
    text = (
        f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n"
        f"{plurality_rule(draw, vote.who)} Which one wins?"
    )
    return Draft(
        (keyed(text, *options),),
        vote.instance(ask="winner"),
        f"First places: {vote.tally(firsts)}.",
    )


def plurality_rule(draw: Draw, who: str) -> str:
    """The rule in plain words, one way or another."""
    return draw.rng.choice(
        (
            f"Whichever is ranked first by the largest number of {who} wins.",
            "Only first places count, and whichever has the most of them wins.",
            "A ballot counts as one vote for the option named first on it, and the most votes win.",
        )
    )


# Two swaps of places in a ranking of four that leave each other alone.
SWAPS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))


def plurality_ranking(draw: Draw, vote: Vote) -> Draft | None:
    """All alternatives by first places.

    The others swap two alternatives, another two, or both, each pair as some other way to count has
    it: like the corners of a square, so that the rankings alone do not tell the right one.
    """
    firsts = first_places(vote.profile)
    right = ranked(firsts)
    if right is None:
        return None
    for swaps in draw.rng.sample(SWAPS, len(SWAPS)):
        reasons = [swap_reason(vote, right[high], right[low]) for high, low in swaps]
        if None not in reasons:
            break
    else:
        return None
    first, second = (swapped(right, *pair) for pair in swaps)
    wrong = [
        Option(vote.order(first), reasons[0]),
        Option(vote.order(second), reasons[1]),
        Option(vote.order(swapped(first, *swaps[1])), "; ".join(dict.fromkeys(reasons))),
    ]
    text = (
        f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n"
        f"They are now put in order by how many {vote.who} rank them first. What is the order?"
    )
    return Draft(
        (keyed(text, Option(vote.order(right)), wrong),),
        vote.instance(ask="ranking"),
        f"First places: {vote.tally(firsts)}.",
    )


def swapped(ranking: Ranking, high: int, low: int) -> Ranking:
    """The ranking with two places swapped."""
    found = list(ranking)
    found[high], found[low] = found[low], found[high]
    return tuple(found)


def swap_reason(vote: Vote, better: int, worse: int) -> str | None:
    """Which other way to count has the worse of two alternatives above the better one, if any."""
    points, lasts = borda_points(vote.profile), last_places(vote.profile)
    pair = f"for {vote.names[better]} and {vote.names[worse]}"
    if points[worse] > points[better]:
        return f"{pair} counts lower places too"
    if lasts[worse] < lasts[better]:
        return f"{pair} counts last places"
    if above(largest_group(vote), worse, better):
        return f"{pair} takes over the order of the largest group"
    return None


@generator("borda", texts=VOTE, sizes="ballots")
def borda(draw: Draw) -> Draft | None:
    """Who has the most Borda points, or the second most, or the fewest (de Borda 1781)."""
    size, groups = {4: (3, 4), 5: (4, 4), 6: (5, 5)}[draw.grade]
    vote = cast(draw, size, groups)
    points = borda_points(vote.profile)
    found = ranked(points)
    if found is None:
        return None
    ask = draw.rng.choice(("winner", "winner", "winner", "second", "last"))
    place = {"winner": 0, "second": 1, "last": -1}[ask]
    key = found[place]
    firsts = first_places(vote.profile)
    trap = {"winner": highest(firsts), "second": ranked_place(firsts, 1), "last": lowest(firsts)}
    if trap[ask] == key and draw.rng.random() < 0.6:
        return None
    options = named_options(vote.names, key, borda_mistakes(vote, place, trap[ask]), "")
    question = {
        "winner": "Which one gets the most points?",
        "second": "Which one gets the second most points?",
        "last": "Which one gets the fewest points?",
    }[ask]
    text = f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n{borda_rule(draw, size)} {question}"
    return Draft(
        (keyed(text, *options),),
        vote.instance(ask=ask),
        f"Points: {vote.tally(points)}.",
    )


def borda_mistakes(vote: Vote, place: int, by_firsts: int | None) -> dict[int, str]:
    """What leads to each alternative in place of the one at a place by points; slips come last."""
    points = borda_points(vote.profile)
    alike = borda_points(tuple((1, ranking) for _, ranking in vote.profile))
    size = len(points)
    found = {
        by_firsts: "counts first places alone",
        largest_group(vote)[place]: "looks at the largest group alone",
    }
    others = {
        ranked_place(alike, place): "counts every line as one ballot",
        ranked_place(scores(vote.profile, (1, 1, *[0] * (size - 2))), place): (
            "counts first and second places alike"
        ),
        ranked_place([-n for n in last_places(vote.profile)], place): "counts last places alone",
        ranked(points)[-1 - place if place in (0, -1) else 0]: (
            "takes the most points" if place else "takes the fewest points"
        ),
    }
    for one, reason in others.items():
        found.setdefault(one, reason)
    for one, sum_ in enumerate(points):
        found.setdefault(one, f"adds up wrongly: it has {counted(sum_, 'point')}")
    return found


def ranked_place(points: Sequence[int], place: int) -> int | None:
    """Who stands at a place by points; None where some are level."""
    found = ranked(points)
    return None if found is None else found[place]


def borda_rule(draw: Draw, size: int) -> str:
    """``A first place on a ballot is worth 2 points, a second place 1 …``, one way or another."""
    start, place, last = draw.rng.choice(
        (
            ("A first place on a ballot is worth", "a {} place", "the last place none"),
            ("Whatever is first on a ballot gets", "the {}", "the last none"),
            ("Every ballot gives its first option", "its {}", "its last none"),
        )
    )
    worth = [f"{start} {size - 1} points"]
    for n, name in enumerate(("second", "third", "fourth")[: size - 2]):
        worth.append(f"{place.format(name)} {size - 2 - n}")
    return f"{listing([*worth, last])}."


@generator(
    "copeland",
    texts={**VOTE, "given": "options"},
    sizes="ballots",
)
def copeland(draw: Draw) -> Draft | None:
    """Who has the most points when every two are compared: 1 for a win, ½ for a draw."""
    if draw.grade == 5:
        return copeland_given(draw)
    size = draw.rng.choice((3, 4)) if draw.grade == 6 else 5
    vote = cast(draw, size, {3: 4, 4: 4, 5: 4}[size])
    points = copeland_points(margins(vote.profile))
    winner = highest(points)
    traps = {
        highest(first_places(vote.profile)): "counts first places alone",
        highest(borda_points(vote.profile)): "adds up points for places",
    }
    if winner is None or (set(traps) == {winner} and draw.rng.random() < 0.8):
        return None
    if size > 3 and points[winner] == size - 1 and draw.rng.random() < 0.5:
        return None
    for one in range(size):
        traps.setdefault(one, missed_comparison(vote, one))
    options = named_options(vote.names, winner, traps, "")
    text = (
        f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n"
        f"{copeland_rule(draw, vote.who)} Which one has the most points?"
    )
    return Draft(
        (keyed(text, *options),),
        vote.instance(ask="winner"),
        f"Points from comparisons: {vote.tally(points)}.",
    )


def missed_comparison(vote: Vote, one: int) -> str:
    """Which comparison one has to get wrong to choose an alternative that does not win."""
    row = margins(vote.profile)[one]
    worst = min((lead, other) for other, lead in enumerate(row) if other != one)
    better = vote.names[worst[1]]
    if worst[0] == 0:
        return f"takes its draw with {better} for a win"
    return f"overlooks that more {vote.who} prefer {better}"


def copeland_rule(draw: Draw, who: str) -> str:
    """The method from ballots in plain words, one way or another."""
    return draw.rng.choice(
        (
            f"Every two are now compared: the one that more {who} rank above the other gets 1 "
            "point, and if they are level each gets half a point.",
            f"Each option is now compared with every other one. The one of the two that more {who} "
            "rank higher gets 1 point; if they are level, each gets half a point.",
            f"Points are given for every pair: 1 to the option that more {who} prefer to the "
            "other, or half a point to each if it is a tie.",
        )
    )


def copeland_given(draw: Draw) -> Draft | None:
    """Four alternatives and the results of all comparisons, some of them draws."""
    names = names_of(draw, 4)
    pairs = [tuple(draw.rng.sample(pair, 2)) for pair in combinations(range(4), 2)]
    results = [(a, b, draw.rng.choice((1, 1, 1, 1, 0))) for a, b in draw.rng.sample(pairs, 6)]
    table = [[0] * 4 for _ in range(4)]
    for a, b, won in results:
        table[a][b], table[b][a] = won, -won
    points = copeland_points(table)
    winner = highest(points)
    if winner is None or (max(points) == 3 and draw.rng.random() < 0.7):
        return None
    options = named_options(names, winner, given_mistakes(names, table), "")
    lines = "".join(
        f"\n- {capitalised(names[a])} {'beat' if won else 'drew with'} {names[b]}"
        for a, b, won in results
    )
    worth = draw.rng.choice(
        (
            "A win is worth 1 point, a draw half a point to each of the two, and a defeat nothing.",
            "For each win there is 1 point, for each draw half a point, for a defeat none.",
            "The winner of a pair gets 1 point and the loser none; a draw gives both half a point.",
        )
    )
    text = (
        f"{draw.say('given', options=listing(names))} The results:{lines}\n"
        f"{worth} Which one has the most points?"
    )
    instance = {"alternatives": list(names), "results": [list(one) for one in results]}
    tally = Vote(names, (), "").tally(points)
    return Draft((keyed(text, *options),), instance, f"Points from comparisons: {tally}.")


def given_mistakes(names: Sequence[str], table: Sequence[Sequence[int]]) -> dict[int, str]:
    """What leads to each alternative that has not the most points."""
    losses = [sum(margin < 0 for margin in row) for row in table]
    wins = [sum(margin > 0 for margin in row) for row in table]
    draws = [3 - won - lost for won, lost in zip(wins, losses, strict=True)]
    points = copeland_points(table)
    found = {}
    for one in range(4):
        if wins[one] == max(wins):
            found[one] = "counts draws as nothing"
        elif losses[one] == min(losses):
            found[one] = "counts a draw like a win"
        elif points[one] == min(points):
            found[one] = "takes the fewest points"
        elif draws[one] == max(draws) > 0:
            found[one] = "takes the most draws"
        else:
            loser_to = next(other for other, margin in enumerate(table[one]) if margin < 0)
            found[one] = f"takes its defeat by {names[loser_to]} for a win"
    return found


@generator(
    "fair-division",
    texts={
        "people": "",
        "cut": "names",
        "parts": "",
        "bid": "names",
        "object": "",
        "items": "names",
        "goods": "",
    },
    sizes="bid",
)
def fair_shares(draw: Draw) -> Draft | None:
    """Divide and choose; last diminisher, sealed bids and which of them fits; items and envy."""
    ask = {
        4: (fair_division.lot_value, fair_division.even_split),
        5: (fair_division.trimmed_piece, fair_division.bid_share, fair_division.fitting_procedure),
        6: (
            fair_division.allocation_choice,
            fair_division.allocation_choice,
            fair_division.allocation_check,
        ),
    }[draw.grade]
    return draw.rng.choice(ask)(draw)
