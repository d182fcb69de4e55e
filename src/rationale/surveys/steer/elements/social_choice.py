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
)
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing


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
    if winner is None or (all(trap == winner for trap in traps) and draw.rng.random() < 0.7):
        return None
    mistakes = {
        traps[0]: "counts lower places too",
        traps[1]: "looks at the largest group alone",
    }
    options = named_options(vote.names, winner, mistakes, "adds up first places wrongly")
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
            "Only first places count, and whichever has most of them wins.",
            "A ballot counts as one vote for the option named first on it, and most votes win.",
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
        Option(vote.order(swapped(first, *swaps[1])), " or ".join(dict.fromkeys(reasons))),
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
    if points[worse] > points[better]:
        return "counts lower places too"
    if lasts[worse] < lasts[better]:
        return "ranks by fewest last places"
    if above(largest_group(vote), worse, better):
        return "takes over the ranking of the largest group"
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
    key = found[{"winner": 0, "second": 1, "last": -1}[ask]]
    firsts = first_places(vote.profile)
    trap = {"winner": highest(firsts), "second": ranked_place(firsts, 1), "last": lowest(firsts)}
    if trap[ask] == key and draw.rng.random() < 0.6:
        return None
    mistakes = {largest_group(vote)[0]: "looks at the largest group alone"}
    if trap[ask] is not None:
        mistakes[trap[ask]] = "counts first places alone"
    options = named_options(vote.names, key, mistakes, "adds up the points wrongly")
    question = {
        "winner": "Which one gets the most points?",
        "second": "Which one gets the second most points?",
        "last": "Which one gets the fewest points?",
    }[ask]
    text = f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n{borda_rule(size)} {question}"
    return Draft(
        (keyed(text, *options),),
        vote.instance(ask=ask),
        f"Points: {vote.tally(points)}.",
    )


def ranked_place(points: Sequence[int], place: int) -> int | None:
    """Who stands at a place by points; None where some are level."""
    found = ranked(points)
    return None if found is None else found[place]


def borda_rule(size: int) -> str:
    """``A first place on a ballot is worth 2 points, a second place 1 point and …``"""
    places = ("first", "second", "third", "fourth")[: size - 1]
    worth = [
        f"a {place} place {size - 1 - n}{' points' if n == 0 else ''}"
        for n, place in enumerate(places)
    ]
    worth[0] = f"A first place on a ballot is worth {size - 1} points"
    return f"{listing([*worth, 'the last place none'])}."


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
    options = named_options(vote.names, winner, traps, "gets a comparison wrong")
    text = (
        f"{opened(draw, vote.names)} The ballots:{vote.lines()}\n"
        f"{copeland_rule(vote.who)} Which one has the most points?"
    )
    return Draft(
        (keyed(text, *options),),
        vote.instance(ask="winner"),
        f"Points from comparisons: {vote.tally(points)}.",
    )


def copeland_rule(who: str) -> str:
    """The method from ballots, in plain words."""
    return (
        f"Every two are now compared: the one that more {who} rank above the other gets 1 point, "
        "and if they are level each gets half a point."
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
    losses = [sum(margin < 0 for margin in row) for row in table]
    wins = [sum(margin > 0 for margin in row) for row in table]
    mistakes = {
        one: "counts a draw as nothing" if wins[one] == max(wins) else "counts losses too few"
        for one in range(4)
        if wins[one] == max(wins) or losses[one] == min(losses)
    }
    options = named_options(names, winner, mistakes, "miscounts the comparisons")
    lines = "".join(
        f"\n- {capitalised(names[a])} {'beat' if won else 'drew with'} {names[b]}"
        for a, b, won in results
    )
    text = (
        f"{draw.say('given', options=listing(names))} The results:{lines}\n"
        "A win is worth 1 point, a draw half a point to each of the two, and a defeat nothing. "
        "Which one has the most points?"
    )
    instance = {"alternatives": list(names), "results": [list(one) for one in results]}
    tally = Vote(names, (), "").tally(points)
    return Draft((keyed(text, *options),), instance, f"Points from comparisons: {tally}.")


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
