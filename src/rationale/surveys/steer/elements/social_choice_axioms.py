"""Axioms of social choice (STEER 4.1): what a group's choice owes to the ballots of its members."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from random import Random

from rationale.surveys.steer.elements import dictators, independence, monotone, voting
from rationale.surveys.steer.elements.ballots import (
    MOST_TRIES,
    VOTE,
    Vote,
    asked,
    cast,
    counts,
    insist,
    named_options,
    names_of,
    opened,
    order,
)
from rationale.surveys.steer.elements.voting import Profile, Ranking
from rationale.surveys.steer.options import either
from rationale.surveys.steer.questions import Draft, Draw, Option, generator, keyed
from rationale.surveys.steer.wording import capitalised, listing, number

# Pareto efficiency


@generator("pareto", texts=VOTE, sizes="ballots")
def pareto(draw: Draw) -> Draft | None:
    """Nothing is chosen that every voter ranks below some other alternative (Pareto 1906)."""
    if draw.grade == 6:
        return pareto_agenda(draw)
    size = {4: 3, 5: 4}[draw.grade]
    vote = with_dominated(draw, size)
    if vote is None:
        return None
    pairs = voting.unanimous(vote.profile)
    dominated = sorted({worse for _, worse in pairs})
    return draw.rng.choice((pareto_check, pareto_find))(draw, vote, pairs, dominated)


def with_dominated(draw: Draw, size: int) -> Vote | None:
    """Ballots that all have one alternative above some other, and do not agree on everything."""
    better, worse = draw.rng.sample(range(size), 2)
    rankings: list[Ranking] = []
    while len(rankings) < 3:
        ranking = voting.random_ranking(draw.rng, size)
        if voting.above(ranking, worse, better):
            swap = {worse: better, better: worse}
            ranking = tuple(swap.get(one, one) for one in ranking)
        if ranking in rankings:
            if size == 3 and draw.rng.random() < 0.1:
                return None
            continue
        rankings.append(ranking)
    profile = tuple(zip(counts(draw, 3), rankings, strict=True))
    return Vote(names_of(draw, size), profile, draw.phrase("who"))


def pareto_check(
    draw: Draw, vote: Vote, pairs: Sequence[tuple[int, int]], dominated: Sequence[int]
) -> Draft | None:
    """Whether a choice respects the principle; if so it often is not the favourite of most."""
    respects = draw.rng.random() < 0.5
    firsts = voting.first_places(vote.profile)
    free = [one for one in range(len(vote.names)) if one not in dominated]
    unloved = [one for one in free if firsts[one] < max(firsts)]
    chosen = draw.rng.choice((unloved or free) if respects else dominated)
    name = vote.names[chosen]
    better = [vote.names[a] for a, b in pairs if b == chosen]
    favourite = firsts[chosen] == max(firsts)
    key, other = either(
        respects,
        "Yes",
        "No",
        f"overlooks that all have {listing(better)} above it",
        "asks for the favourite of most" if not favourite else "asks that all agree on everything",
    )
    text = asked(
        draw,
        vote,
        f"In the end the choice falls on {name}.",
        f"{unanimity(draw)} Does this choice respect that?",
    )
    why = (
        f"All rank {better[0]} above {name}."
        if better
        else f"No option is above {name} on all ballots."
    )
    return Draft((keyed(text, key, (other,)),), vote.instance(ask="check", chosen=chosen), why)


def pareto_find(
    draw: Draw, vote: Vote, pairs: Sequence[tuple[int, int]], dominated: Sequence[int]
) -> Draft | None:
    """The one alternative that may not be chosen."""
    if len(dominated) != 1:
        return None
    (key,) = dominated
    firsts = voting.first_places(vote.profile)
    lasts = voting.last_places(vote.profile)
    table = voting.margins(vote.profile)
    mistakes = {
        one: "takes an option that nobody ranks first for one that all rank below another"
        for one in range(len(vote.names))
        if firsts[one] == 0
    }
    for one, row in enumerate(table):
        if lasts[one]:
            mistakes.setdefault(one, "takes what is last on some ballots")
        if min(row) < 0:
            mistakes.setdefault(
                one, f"takes a majority for {vote.names[row.index(min(row))]} for all"
            )
    options = named_options(vote.names, key, mistakes, "takes the favourite of most")
    text = asked(draw, vote, f"{unanimity(draw)} Which choice would break this principle?")
    better = next(vote.names[a] for a, b in pairs if b == key)
    why = f"All rank {better} above {vote.names[key]}."
    return Draft((keyed(text, *options),), vote.instance(ask="find"), why)


def unanimity(draw: Draw) -> str:
    """The principle in plain words, one way or another."""
    return draw.rng.choice(
        (
            "A group should never choose an option if all of its members prefer one and the same "
            "other option to it.",
            "If everybody ranks one option above another, the group should not choose the lower "
            "of these two.",
            "No option should be chosen when there is another one that every single ballot places "
            "above it.",
        )
    )


# 1 is above 0 on all ballots, and by majorities 0 beats 2, 2 beats 3 and 3 beats 1.
ROUND_ABOUT: tuple[Ranking, ...] = ((1, 0, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0))


def pareto_agenda(draw: Draw) -> Draft | None:
    """Which order of votes two by two ends with something that all rank below another."""
    labels = draw.rng.sample(range(4), 4)
    groups = tuple(zip(counts(draw, 3), draw.rng.sample(ROUND_ABOUT, 3), strict=True))
    vote = Vote(names_of(draw, 4), voting.relabelled(groups, labels), draw.phrase("who"))
    table = voting.margins(vote.profile)
    if voting.has_tied_pair(table):
        return None
    dominated = {worse for _, worse in voting.unanimous(vote.profile)}
    agendas = [one for one in permutations(range(4)) if one[0] < one[1]]
    ends = {agenda: voting.sequential_winner(table, agenda) for agenda in agendas}
    bad = [agenda for agenda in agendas if ends[agenda] in dominated]
    good = [agenda for agenda in agendas if ends[agenda] not in dominated]
    if not bad:
        return None
    key = draw.rng.choice(bad)
    wrong = draw.rng.sample(good, 3)

    def show(agenda: Ranking) -> str:
        first = draw.rng.sample(agenda[:2], 2)
        a, b, c, d = (vote.names[one] for one in (*first, *agenda[2:]))
        return capitalised(f"{a} against {b}, then {c}, then {d}")

    text = asked(
        draw,
        vote,
        "Majority votes between two options decide: the winner of each vote meets the next option, "
        "and the last winner is chosen. Everybody votes as their ballot says. Which of these orders "
        f"of voting ends with an option that all the {vote.who} rank below one and the same other "
        "option?",
    )
    others = [
        Option(show(one), f"ends with {vote.names[ends[one]]}, below no option on all ballots")
        for one in wrong
    ]
    better = next(a for a, b in voting.unanimous(vote.profile) if b == ends[key])
    why = f"It ends with {vote.names[ends[key]]}, and all rank {vote.names[better]} above that."
    instance = vote.instance(ask="agenda", agendas=[list(key), *(list(one) for one in wrong)])
    return Draft((keyed(text, Option(show(key)), others),), instance, why)


# Monotonicity


@generator("monotonicity", texts={**VOTE, "people": ""}, sizes="ballots")
def monotonicity(draw: Draw) -> Draft | None:
    """An alternative that some voters moved up, and nothing else, may not fall (Arrow 1951)."""
    return monotone.losing_rule(draw) if draw.grade == 7 else monotone.moved_up(draw)


# Transitivity


@generator(
    "social-transitivity",
    texts={**VOTE, "voter": "", "bloc": "", "blocs": "", "unit": "", "units": ""},
    sizes="ballots units",
)
def social_transitivity(draw: Draw) -> Draft | None:
    """Majority comparisons either give a ranking or run in a circle (Condorcet 1785)."""
    if draw.grade == 6:
        return circle_rule(draw)
    size = {4: 3, 5: 4}[draw.grade]
    circle = draw.rng.random() < 0.5
    kind = draw.rng.choice(("check", "ranking"))
    if kind == "ranking":
        circle = draw.rng.random() < 0.25
    vote = insist(lambda: with_circle(circular_vote(draw, size), circle))
    if vote is None:
        return None
    found = voting.majority_ranking(voting.margins(vote.profile))
    rule = draw.rng.choice(
        (
            f"The group prefers one option to another if more {vote.who} rank it above the other "
            "than below.",
            f"Of any two options, the group prefers the one that more {vote.who} rank above the "
            "other.",
            f"Pair by pair, the group prefers the option that more {vote.who} rank higher than the "
            "other one.",
        )
    )
    if kind == "check":
        return circle_check(draw, vote, rule, found)
    return circle_ranking(draw, vote, rule, found)


def with_circle(vote: Vote, circle: bool) -> Vote | None:
    """Ballots without tied comparisons that do, or do not, give a circle; None for others."""
    table = voting.margins(vote.profile)
    found = voting.majority_ranking(table)
    return vote if not voting.has_tied_pair(table) and (found is None) == circle else None


def circular_vote(draw: Draw, size: int) -> Vote:
    """Ballots among which circles of majorities are frequent: many are turns of one ranking."""
    rankings: list[Ranking] = []
    base = voting.random_ranking(draw.rng, size)
    groups = 3 if draw.rng.random() < 0.3 else 4
    while len(rankings) < groups:
        turn = draw.rng.randrange(size)
        ranking = (*base[turn:], *base[:turn])
        if draw.rng.random() < 0.4:
            ranking = voting.random_ranking(draw.rng, size)
        if ranking not in rankings:
            rankings.append(ranking)
    profile = tuple(zip(counts(draw, groups), rankings, strict=True))
    return Vote(names_of(draw, size), profile, draw.phrase("who"))


def circle_check(draw: Draw, vote: Vote, rule: str, found: Ranking | None) -> Draft:
    """Whether the group's preferences are transitive."""
    transitive = found is not None
    key, other = either(
        transitive,
        "Yes",
        "No",
        "takes it that the ranking of a group cannot run in a circle",
        "takes split votes for a circle",
    )
    text = asked(
        draw,
        vote,
        rule,
        "Can all options be put in one order from best to worst so that the group prefers each one "
        "to all those below it?",
    )
    return Draft(
        (keyed(text, key, (other,)),), vote.instance(ask="check"), said_circle(vote, found)
    )


def circle_ranking(draw: Draw, vote: Vote, rule: str, found: Ranking | None) -> Draft:
    """The group's ranking, or that there is none; the others start elsewhere in the same round."""
    base = found or voting.random_ranking(draw.rng, len(vote.names))
    turns = [(*base[n:], *base[:n]) for n in range(len(base))]
    shown = turns[:1] + draw.rng.sample(turns[1:], 2)
    none = "None: the group's preferences run in a circle"
    firsts = voting.ranked(voting.first_places(vote.profile))
    options = [
        Option(
            vote.order(one),
            None
            if one == found
            else "counts first places alone"
            if one == firsts
            else missed_majority(vote, one),
        )
        for one in shown
    ]
    options.append(Option(none, "takes split votes for a circle" if found else None))
    key = next(one for one in options if one.mistake is None)
    text = asked(draw, vote, rule, "Which ranking of the options fits the group's preferences?")
    others = [one for one in options if one is not key]
    return Draft(
        (keyed(text, key, others),), vote.instance(ask="ranking"), said_circle(vote, found)
    )


def missed_majority(vote: Vote, ranking: Ranking) -> str | None:
    """The largest majority against which a ranking goes; None where it fits them all."""
    table = voting.margins(vote.profile)
    lead, better, worse = max((table[b][a], b, a) for a, b in combinations(ranking, 2))
    names = vote.names
    return f"overlooks that {names[better]} beat {names[worse]}" if lead > 0 else None


def said_circle(vote: Vote, found: Ranking | None) -> str:
    """The ranking, or a circle among the majorities."""
    if found is not None:
        return f"The majorities fit one ranking: {vote.order(found)}."
    table = voting.margins(vote.profile)
    for a, b, c in permutations(range(len(table)), 3):
        if table[a][b] > 0 and table[b][c] > 0 and table[c][a] > 0:
            x, y, z = (vote.names[one] for one in (a, b, c))
            return f"{capitalised(x)} beat {y}, {y} beat {z}, and {z} beat {x}."
    raise AssertionError("majorities without ties that give no ranking hold a circle of three")


def circle_rule(draw: Draw) -> Draft | None:
    """Three ways to weigh five blocs: the one that gives a ranking, or the one that gives a circle."""
    ask, target = draw.rng.choice(("circle", "ranking")), draw.rng.randrange(3)
    wanted = [(n == target) == (ask == "circle") for n in range(3)]
    for _ in range(MOST_TRIES):
        rankings = bloc_rankings(draw.rng)
        alike = tuple((1, ranking) for ranking in rankings)
        if gives_circle(alike) != wanted[0]:
            continue
        profiles = [
            weighed_blocs(draw, size, rankings, circle)
            for size, circle in zip(("ballots", "units"), wanted[1:], strict=True)
        ]
        if None not in profiles:
            return circle_rule_draft(draw, ask, target, [alike, *profiles])
    return None


def weighed_blocs(
    draw: Draw, size: str, rankings: Sequence[Ranking], circle: bool
) -> Profile | None:
    """Blocs of different weights, within those of the story, that do or do not give a circle."""
    low, high = (int(bound) for bound in draw.story.sizes[size][:2])
    for _ in range(20):
        weights = draw.rng.sample(range(low, high + 1), len(rankings))
        profile = tuple(zip(weights, rankings, strict=True))
        if gives_circle(profile) == circle:
            return profile
    return None


def gives_circle(profile: Profile) -> bool | None:
    """Whether three alternatives beat each other in a circle; None where two are level."""
    leads = [voting.margin(profile, *pair) for pair in ((0, 1), (1, 2), (2, 0))]
    if 0 in leads:
        return None
    return len({lead > 0 for lead in leads}) == 1


def bloc_rankings(rng: Random) -> tuple[Ranking, ...]:
    """Five rankings of three alternatives, most of them turns of one."""
    base = voting.random_ranking(rng, 3)
    turns = [(*base[n:], *base[:n]) for n in range(3)]
    return tuple(
        rng.choice(turns) if rng.random() < 0.75 else voting.random_ranking(rng, 3)
        for _ in range(5)
    )


def circle_rule_draft(draw: Draw, ask: str, target: int, profiles: Sequence[Profile]) -> Draft:
    """The question under which way to weigh there is a ranking, or a circle."""
    names = names_of(draw, 3)
    blocs = draw.rng.sample(draw.phrase("blocs").split(" / "), 5)
    who, units = draw.phrase("who"), draw.phrase("units")
    rows = zip(blocs, profiles[1], profiles[2], strict=True)
    lines = "".join(
        f"\n- {capitalised(bloc)} ({number(people)} {who}, {number(own)} {units}): "
        f"{order(names, ranking)}"
        for bloc, (people, ranking), (own, _) in rows
    )
    bloc, voter, unit = (draw.phrase(text) for text in ("bloc", "voter", "unit"))
    rules = [f"One vote for each {bloc}", f"One vote for each {voter}", f"One vote for each {unit}"]
    wanted = {
        "ranking": "give a ranking from best to worst, without a circle",
        "circle": "run in a circle, with each option beaten by another one",
    }[ask]
    text = (
        f"{opened(draw, names)} Within each {bloc} all think alike, and the rankings are:{lines}\n"
        "Every two options are compared by majority vote. With which way of voting do these "
        f"majorities {wanted}?"
    )
    said = [
        said_circle(one, voting.majority_ranking(voting.margins(one.profile)))
        for one in (Vote(names, profile, who) for profile in profiles)
    ]
    wrong = "overlooks the circle. " if ask == "ranking" else "sees a circle. "
    others = [Option(rule, f"{wrong}{said[n]}") for n, rule in enumerate(rules) if n != target]
    instance = {
        "ask": ask,
        "alternatives": list(names),
        "rankings": [list(ranking) for _, ranking in profiles[0]],
        "weights": [[weight for weight, _ in profile] for profile in profiles],
    }
    why = f"{rules[target]}. {said[target]}"
    return Draft((keyed(text, Option(rules[target]), others),), instance, why)


# Dictators


@generator("non-dictatorship", texts={"scene": "options people", "alternatives": "", "people": ""})
def non_dictatorship(draw: Draw) -> Draft | None:
    """Nobody is such that the group's ranking always is that person's own (Arrow 1951)."""
    return dictators.rule_told(draw) if draw.grade == 6 else dictators.rankings_on_record(draw)


# Condorcet's criterion


@generator("condorcet-criterion", texts=VOTE, sizes="ballots")
def condorcet(draw: Draw) -> Draft | None:
    """Whatever beats every other alternative one to one has to be chosen (Condorcet 1785)."""
    if draw.grade == 7:
        return condorcet_rule(draw)
    size = {5: 3, 6: 4}[draw.grade]
    kind = draw.rng.choice(("check", "find"))
    none = draw.rng.random() < (0.25 if kind == "check" else 1 / (size + 1))
    vote = insist(lambda: tempting_vote(draw, size, none))
    if vote is None:
        return None
    winner = voting.condorcet_winner(voting.margins(vote.profile))
    favourite = voting.highest(voting.first_places(vote.profile))
    return (condorcet_check if kind == "check" else condorcet_find)(draw, vote, winner, favourite)


def tempting_vote(draw: Draw, size: int, none: bool) -> Vote | None:
    """Ballots with a winner of all comparisons, often not the favourite of most, or ``none``."""
    vote = circular_vote(draw, size) if none else cast(draw, size, 4)
    table = voting.margins(vote.profile)
    winner = voting.condorcet_winner(table)
    if voting.has_tied_pair(table) or (winner is None) != none:
        return None
    favourite = voting.highest(voting.first_places(vote.profile))
    plain = winner is not None and favourite in (winner, None)
    return None if plain and draw.rng.random() < 0.7 else vote


POINTS = next(rule for rule, points in voting.PLACES.items() if points == (3, 2, 1, 0))


def criterion(draw: Draw, who: str) -> str:
    """The criterion in plain words, one way or another, without a full stop."""
    return draw.rng.choice(
        (
            f"Compare the options two at a time: the one that more {who} rank above the other wins. "
            "If one option wins against each of the others, it should be chosen",
            f"Of two options, the one that more {who} rank higher beats the other. An option that "
            "beats every other one should be chosen",
            f"An option should be chosen if, set against each of the others in turn, it is the one "
            f"that more {who} rank higher",
        )
    )


def condorcet_check(
    draw: Draw, vote: Vote, winner: int | None, favourite: int | None
) -> Draft | None:
    """Whether a choice respects the criterion; where nothing beats all others any choice does.

    Circles make up a quarter of the draws, choices of what beats all others another quarter.
    """
    respects = winner is None or draw.rng.random() < 1 / 3
    others = [one for one in range(len(vote.names)) if one != winner]
    tempting = favourite if favourite in others else draw.rng.choice(others)
    chosen = winner if winner is not None and respects else tempting
    firsts = "counts first places alone"
    row = voting.margins(vote.profile)[chosen]
    slip = "sees a circle as a breach" if winner is None else "misreads a comparison that it wins"
    won = "takes a comparison won for all of them" if max(row) > 0 else "looks at no comparison"
    key, other = either(
        respects,
        "Yes",
        "No",
        firsts if chosen == favourite else won,
        slip if winner is None or chosen == favourite else firsts,
    )
    name = vote.names[chosen]
    text = asked(
        draw,
        vote,
        f"In the end the choice falls on {name}. {criterion(draw, vote.who)}; where there is no "
        "such option, any choice will do. Does this choice respect that rule?",
    )
    instance = vote.instance(ask="check", chosen=chosen)
    return Draft((keyed(text, key, (other,)),), instance, said_winner(vote, winner))


def condorcet_find(draw: Draw, vote: Vote, winner: int | None, favourite: int | None) -> Draft:
    """Which alternative the criterion demands, if any."""
    mistakes = {highest_borda(vote): "adds up points for places"}
    if favourite is not None:
        mistakes[favourite] = "counts first places alone"
    options = [
        Option(
            capitalised(name),
            None if one == winner else mistakes.get(one) or beaten(vote, one),
        )
        for one, name in enumerate(vote.names)
    ]
    none = None if winner is None else "overlooks the one that beats all others"
    options.append(Option("None of them", none))
    key = next(one for one in options if one.mistake is None)
    text = asked(
        draw, vote, f"{criterion(draw, vote.who)}. Which option does this rule demand here?"
    )
    others = [one for one in options if one is not key]
    instance = vote.instance(ask="find")
    return Draft((keyed(text, key, others),), instance, said_winner(vote, winner))


def beaten(vote: Vote, one: int) -> str:
    """That an alternative is chosen although it loses a comparison, by the largest margin."""
    row = voting.margins(vote.profile)[one]
    return f"overlooks the defeat by {vote.names[row.index(min(row))]}"


def highest_borda(vote: Vote) -> int | None:
    """Who has the most Borda points."""
    return voting.highest(voting.borda_points(vote.profile))


def said_winner(vote: Vote, winner: int | None) -> str:
    """Whom the criterion demands, with the comparisons."""
    if winner is None:
        return said_circle(vote, None)
    table = voting.margins(vote.profile)
    voters = sum(count for count, _ in vote.profile)
    against = listing(
        [
            f"{vote.names[other]} by {(voters + margin) // 2} to {(voters - margin) // 2}"
            for other, margin in enumerate(table[winner])
            if other != winner
        ]
    )
    return f"{capitalised(vote.names[winner])} beat {against}."


def condorcet_rule(draw: Draw) -> Draft | None:
    """Of four rules, the only one that chooses what beats all others, or the only one that does not.

    Points are the sum of the other three counts, so that they cannot be the only one to miss it.
    """
    target = draw.rng.choice(list(voting.PLACES))
    ask = draw.rng.choice(("chooses", "misses", "misses"))
    if target == POINTS:
        ask = "chooses"
    groups = 5 if ask == "chooses" else draw.rng.choice((3, 4, 4))
    low, high = (int(bound) for bound in draw.story.sizes["ballots"][:2])
    for _ in range(10 * MOST_TRIES):
        profile = voting.random_profile(draw.rng, 4, groups, low, high)
        found = sole_choice(profile, target, ask)
        if found is None:
            continue
        table = voting.margins(profile)
        winner = voting.condorcet_winner(table)
        wanted = {found[rule] for rule in found if (rule == target) == (ask == "chooses")}
        if wanted == {winner} and not voting.has_tied_pair(table):
            return condorcet_rule_draft(draw, ask, target, profile, found, winner)
    return None


def sole_choice(profile: Profile, target: str, ask: str) -> dict[str, int] | None:
    """What every rule chooses, if the target alone does; None if not, or for any tie.

    Where the target is to miss what beats all others, the other rules must agree with each other.
    """
    found: dict[str, int] = {}
    for rule in (target, *(rule for rule in voting.PLACES if rule != target)):
        chosen = voting.highest(voting.scores(profile, voting.PLACES[rule]))
        before = list(found.values())
        if chosen is None or chosen in before[:1]:
            return None
        if ask == "misses" and chosen not in (before[1:] or [chosen]):
            return None
        found[rule] = chosen
    return found


def condorcet_rule_draft(
    draw: Draw, ask: str, target: str, profile: Profile, found: dict[str, int], winner: int
) -> Draft:
    """The question which rule chooses, or does not choose, what beats all others."""
    vote = Vote(names_of(draw, 4), profile, draw.phrase("who"))
    wanted = {"chooses": "respects this principle", "misses": "breaks this principle"}[ask]
    text = asked(
        draw,
        vote,
        f"{criterion(draw, vote.who)}. Only one of the following ways to choose {wanted} with these "
        "ballots. Which?",
    )
    others = [
        Option(rule, f"chooses {vote.names[found[rule]]}")
        for rule in voting.PLACES
        if rule != target
    ]
    instance = vote.instance(ask=ask)
    why = f"{said_winner(vote, winner)} {target.split(':')[0]}: {vote.names[found[target]]}."
    return Draft((keyed(text, Option(target), others),), instance, why)


# Independence of irrelevant alternatives


@generator("irrelevant-alternatives", texts={**VOTE, "people": ""}, sizes="ballots")
def irrelevant_alternatives(draw: Draw) -> Draft | None:
    """How a group orders two alternatives turns on nothing but how its members do (Arrow 1951)."""
    ask = {
        6: independence.pair_checked,
        7: independence.pair_found,
        8: independence.reordering_rule,
    }
    return ask[draw.grade](draw)
