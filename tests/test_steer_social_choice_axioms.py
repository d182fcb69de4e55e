"""Keys of the axioms of social choice against their definitions, ballot by ballot."""

from collections import Counter
from functools import cache
from itertools import combinations, permutations, product

import networkx as nx
import pytest
import steer
import votes

from rationale.surveys.steer.elements import dictators, voting


@cache
def drawn(element):
    return [one for seed in (1, 2) for one in steer.questions(element, seed=seed)]


def of(element, ask):
    return [one for one in drawn(element) if one.draft.instance.get("ask") == ask]


def yes(text, holds):
    return text == ("Yes" if holds else "No")


# Pareto efficiency


def worse_than_some(instance):
    """Alternatives that every single ballot has below one and the same other."""
    cast = votes.one_by_one(instance["ballots"])
    return {
        one
        for one, other in permutations(range(len(cast[0])), 2)
        if all(ballot.index(other) < ballot.index(one) for ballot in cast)
    }


def test_a_choice_respects_pareto_unless_all_have_another_above_it():
    def right(draft, text):
        return yes(text, draft.instance["chosen"] not in worse_than_some(draft.instance))

    assert len(of("pareto", "check")) > steer.share(400)
    assert votes.wrong_keys(of("pareto", "check"), right) == []


def test_one_choice_alone_breaks_pareto():
    def right(draft, text):
        names = draft.instance["alternatives"]
        return text in [votes.named(names, [one]) for one in worse_than_some(draft.instance)]

    assert len(of("pareto", "find")) > steer.share(300)
    assert votes.wrong_keys(of("pareto", "find"), right) == []


def test_one_order_of_votes_alone_ends_with_what_all_rank_lower():
    def right(draft, text):
        names = draft.instance["alternatives"]
        words = text.lower().replace(" against ", ", then ").split(", then ")
        agenda = [[name.lower() for name in names].index(word) for word in words]
        cast = votes.one_by_one(draft.instance["ballots"])
        left = agenda[0]
        for other in agenda[1:]:
            left = other if votes.prefers(cast, other, left) == 1 else left
        return left in worse_than_some(draft.instance)

    assert len(of("pareto", "agenda")) > steer.share(600)
    assert votes.wrong_keys(of("pareto", "agenda"), right) == []


# Monotonicity


def only_raised(before, after, one):
    """Whether all pairs without the one keep their order, and it overtakes but is not overtaken."""
    if before == after:
        return False
    return all(
        (old.index(a) < old.index(b)) == (new.index(a) < new.index(b))
        or (one == b and new.index(b) < new.index(a))
        for old, new in zip(before, after, strict=True)
        for a, b in permutations(old, 2)
        if old.index(a) < old.index(b)
    )


def test_monotonicity_is_broken_where_the_one_raised_falls_behind():
    def right(draft, text):
        before = [ranking for _, ranking in draft.instance["ballots"]]
        after = list(before)
        place, after[place] = draft.instance["changed"]
        old, new = draft.instance["group"]
        broken = any(
            only_raised(before, after, one)
            and old.index(one) < old.index(other)
            and new.index(one) > new.index(other)
            for one, other in permutations(range(3), 2)
        )
        return yes(text, broken)

    found = [one for one in drawn("monotonicity") if one.grade < 7]
    assert len(found) > steer.share(1200)
    assert votes.wrong_keys(found, right) == []


def out_and_decide(cast, rule):
    """Who wins if one of three goes out by a rule as its text says, and a majority decides."""
    if "fewest first places" in rule:
        points = votes.over(votes.firsts(cast), 3)
    elif "fewest points" in rule:
        points = votes.over(votes.borda(cast), 3)
    else:
        assert "most last places" in rule
        points = {one: -sum(ballot[2] == one for ballot in cast) for one in range(3)}
    (out,) = [one for one in points if points[one] == min(points.values())]
    a, b = {0, 1, 2} - {out}
    return {1: a, -1: b}[votes.prefers(cast, a, b)]


def test_one_rule_alone_makes_a_winner_lose_by_support():
    def right(draft, text):
        ballots = draft.instance["ballots"]
        place, new = draft.instance["changed"]
        changed = [[n, new if k == place else old] for k, (n, old) in enumerate(ballots)]
        before, after = votes.one_by_one(ballots), votes.one_by_one(changed)
        winner = draft.instance["winner"]
        assert only_raised(before, after, winner)
        return out_and_decide(before, text) == winner != out_and_decide(after, text)

    assert len(of("monotonicity", "rule")) > steer.share(600)
    assert votes.wrong_keys(of("monotonicity", "rule"), right) == []


# Transitivity


def test_comparisons_fit_one_order_or_run_in_a_circle():
    def right(draft, text):
        cast = votes.one_by_one(draft.instance["ballots"])
        wins = [(a, b) for a, b in permutations(cast[0], 2) if votes.prefers(cast, a, b) == 1]
        return yes(text, nx.is_directed_acyclic_graph(nx.DiGraph(wins)))

    assert len(of("social-transitivity", "check")) > steer.share(500)
    assert votes.wrong_keys(of("social-transitivity", "check"), right) == []


def test_the_ranking_is_the_only_one_that_fits_all_comparisons():
    def right(draft, text):
        names = draft.instance["alternatives"]
        fitting = votes.fitting_rankings(votes.one_by_one(draft.instance["ballots"]))
        if not fitting:
            return text.startswith("None")
        return [text] == [votes.named(names, ranking) for ranking in fitting]

    found = [one for one in of("social-transitivity", "ranking") if one.grade < 6]
    assert len(found) > steer.share(500)
    assert votes.wrong_keys(found, right) == []


@pytest.mark.parametrize("ask", ["circle", "ranking"])
def test_one_way_to_weigh_the_blocs_alone_gives_the_answer(ask):
    found = [one for one in of("social-transitivity", ask) if one.grade == 6]
    assert len(found) > steer.share(250)
    for one in found:
        (part,) = one.draft.parts
        assert len(part.options) == 3
        told, weights = one.story.texts, one.draft.instance["weights"]
        for option in part.options:
            (name,) = [n for n in ("bloc", "voter", "unit") if option.text.endswith(told[n])]
            row = weights[("bloc", "voter", "unit").index(name)]
            cast = votes.one_by_one(zip(row, one.draft.instance["rankings"], strict=True))
            circle = votes.fitting_rankings(cast) == []
            assert (option is part.key) == (circle == (ask == "circle")), one.question_id


# Dictators


def test_the_record_fits_one_person_or_nobody():
    def right(draft, text):
        people = draft.instance["people"]
        alike = [
            person
            for n, person in enumerate(people)
            if [rankings[n] for rankings in draft.instance["ballots"]] == draft.instance["group"]
        ]
        return text in (alike or ["Nobody"])

    assert len(of("non-dictatorship", "record")) > steer.share(1200)
    assert votes.wrong_keys(of("non-dictatorship", "record"), right) == []


def first_above(rankings, a, b, votes_of):
    """Whether the first of two gets more votes; None where both get as many."""
    lead = sum(
        votes_of[n] if ranking.index(a) < ranking.index(b) else -votes_of[n]
        for n, ranking in enumerate(rankings)
    )
    return None if lead == 0 else lead > 0


def agrees(rule, parameter, rankings, person):
    """Whether the group's order of every two is that of a person, by a rule told again here."""
    mine = rankings[person]
    others = [ranking for n, ranking in enumerate(rankings) if n != parameter]
    for a, b in combinations(mine, 2):
        if rule == "weighed":
            ahead = first_above(rankings, a, b, parameter)
        elif rule == "pointed":
            points = [
                sum(
                    w * (2 - ranking.index(one))
                    for w, ranking in zip(parameter, rankings, strict=True)
                )
                for one in (a, b)
            ]
            ahead = None if points[0] == points[1] else points[0] > points[1]
        elif rule == "alone":
            ahead = rankings[parameter].index(a) < rankings[parameter].index(b)
        elif rule == "reverse":
            ahead = rankings[parameter].index(a) > rankings[parameter].index(b)
        elif rule == "top":
            top = rankings[parameter][0]
            ahead = a == top or (b != top and first_above(rankings, a, b, (1, 1, 1)))
        elif rule == "unless":
            chosen = others[0] if others[0] == others[1] else rankings[parameter]
            ahead = chosen.index(a) < chosen.index(b)
        else:
            assert rule == "favour"
            places = [ranking.index(rankings[parameter][0]) for ranking in others]
            chosen = (
                rankings[parameter] if places[0] == places[1] else others[places.index(min(places))]
            )
            ahead = chosen.index(a) < chosen.index(b)
        if not ahead:
            return False
    return True


@cache
def always(rule, parameter):
    """People who get their own order of every two whatever the three rank."""
    profiles = list(product(permutations(range(3)), repeat=3))
    return [
        person
        for person in range(3)
        if all(agrees(rule, parameter, rankings, person) for rankings in profiles)
    ]


def test_a_dictator_prevails_in_all_216_profiles():
    def right(draft, text):
        parameter = draft.instance["parameter"]
        hashable = tuple(parameter) if isinstance(parameter, list) else parameter
        found = [draft.instance["people"][n] for n in always(draft.instance["rule"], hashable)]
        return text in (found or ["Nobody"])

    found = of("non-dictatorship", "rule")
    assert len(found) > steer.share(600)
    assert {one.draft.instance["rule"] for one in found} == set(dictators.RULES)
    assert votes.wrong_keys(found, right) == []


# Condorcet's criterion


def test_a_choice_respects_the_criterion_unless_another_beats_all():
    def right(draft, text):
        winners = votes.condorcet(votes.one_by_one(draft.instance["ballots"]))
        return yes(text, winners in ([], [draft.instance["chosen"]]))

    assert len(of("condorcet-criterion", "check")) > steer.share(500)
    assert votes.wrong_keys(of("condorcet-criterion", "check"), right) == []


def test_the_criterion_demands_what_beats_all_others():
    def right(draft, text):
        winners = votes.condorcet(votes.one_by_one(draft.instance["ballots"]))
        names = draft.instance["alternatives"]
        return text in ([votes.named(names, winners)] if winners else ["None of them"])

    assert len(of("condorcet-criterion", "find")) > steer.share(500)
    assert votes.wrong_keys(of("condorcet-criterion", "find"), right) == []


def places_counted(cast, rule):
    """What a rule counts, as its text says, the more the better."""
    size = len(cast[0])
    if rule == "Most first places":
        return votes.over(votes.firsts(cast), size)
    if rule == "Most first and second places together":
        return votes.over(votes.top_two(cast), size)
    if rule == "Fewest last places":
        return {one: -sum(ballot[-1] == one for ballot in cast) for one in range(size)}
    assert rule == "Most points: 3, 2, 1 and 0 for places one to four"
    return votes.over(votes.borda(cast), size)


@pytest.mark.parametrize("ask", ["chooses", "misses"])
def test_one_rule_alone_chooses_or_misses_what_beats_all_others(ask):
    def right(draft, text):
        cast = votes.one_by_one(draft.instance["ballots"])
        (winner,) = votes.condorcet(cast)
        (chosen,) = votes.best(places_counted(cast, text))
        return (chosen == winner) == (ask == "chooses")

    assert len(of("condorcet-criterion", ask)) > steer.share(250)
    assert votes.wrong_keys(of("condorcet-criterion", ask), right) == []


# Independence


def turned(draft, pair):
    """Whether the group has turned the order of two although every member keeps it."""
    one, other = pair
    there = draft.instance
    kept = all(
        (old.index(one) - old.index(other)) * (new.index(one) - new.index(other)) > 0
        for old, new in zip(there["before"], there["after"], strict=True)
    )
    leads = [ranking.index(one) - ranking.index(other) for ranking in there["group"]]
    return kept and leads[0] * leads[1] < 0


def test_independence_is_broken_where_the_group_alone_turns_two_round():
    def right(draft, text):
        return yes(text, turned(draft, draft.instance["pair"]))

    assert len(of("irrelevant-alternatives", "check")) > steer.share(600)
    assert votes.wrong_keys(of("irrelevant-alternatives", "check"), right) == []


def test_one_pair_shown_alone_breaks_independence():
    def right(draft, text):
        names = [name.lower() for name in draft.instance["alternatives"]]
        pair = [names.index(name) for name in text.lower().split(" and ")]
        return turned(draft, pair)

    assert len(of("irrelevant-alternatives", "find")) > steer.share(600)
    assert votes.wrong_keys(of("irrelevant-alternatives", "find"), right) == []


def test_one_rule_alone_turns_two_round_that_no_voter_does():
    def right(draft, text):
        ballots = draft.instance["ballots"]
        place, new = draft.instance["changed"]
        one, other = draft.instance["pair"]
        changed = [[n, new if k == place else old] for k, (n, old) in enumerate(ballots)]
        leads = []
        for cast in (votes.one_by_one(ballots), votes.one_by_one(changed)):
            points = places_counted(cast, text)
            leads.append(points[one] - points[other])
        assert 0 not in leads
        return leads[0] * leads[1] < 0

    assert len(of("irrelevant-alternatives", "rule")) > steer.share(600)
    assert votes.wrong_keys(of("irrelevant-alternatives", "rule"), right) == []


# Balance, and cases by hand


@pytest.mark.parametrize(
    "element",
    [
        "pareto",
        "monotonicity",
        "social-transitivity",
        "condorcet-criterion",
        "irrelevant-alternatives",
    ],
)
def test_yes_is_right_half_of_the_time(element):
    """2,000 questions, some 500 to 1,300 of them yes or no: half, give or take 7 points."""
    keys = Counter(
        one.draft.parts[0].key.text
        for one in drawn(element)
        if len(one.draft.parts[0].options) == 2
    )
    assert set(keys) == {"Yes", "No"}
    assert 0.43 < keys["Yes"] / keys.total() < 0.57


def test_every_rule_is_the_key_about_as_often():
    """Some 670 questions with four rules: 168 each."""
    for element in ("condorcet-criterion", "irrelevant-alternatives"):
        keys = Counter(
            one.draft.parts[0].key.text
            for one in drawn(element)
            if one.draft.instance["ask"] in ("chooses", "misses", "rule")
        )
        assert set(keys) == set(voting.PLACES)
        assert min(keys.values()) > 0.75 * keys.total() / 4


def test_illustration_of_pareto():
    """All 100 voters have M above U, so that choosing U is no Pareto efficient decision."""
    assert voting.unanimous(((100, (0, 1)),)) == [(0, 1)]


def test_illustration_of_monotonicity():
    """Alice is raised on ten ballots: she may stay first, and would break it if she fell."""
    before, after = ((1, 0),), ((0, 1),)
    assert voting.monotonicity_breaches(before, after, ((0, 1), (0, 1))) == []
    assert voting.monotonicity_breaches(before, after, ((0, 1), (1, 0))) == [(0, 1)]


def test_illustration_of_transitivity():
    """Half A > B > C, half B > C > A: majorities tie A with B and with C, points give B, A, C."""
    profile = ((1, (0, 1, 2)), (1, (1, 2, 0)))
    assert voting.majority_ranking(voting.margins(profile)) is None
    assert voting.ranked(voting.borda_points(profile)) == (1, 0, 2)


def test_the_circle_of_condorcet():
    """A > B > C, B > C > A, C > A > B: each beats another by two to one."""
    profile = ((1, (0, 1, 2)), (1, (1, 2, 0)), (1, (2, 0, 1)))
    table = voting.margins(profile)
    assert voting.majority_ranking(table) is None
    assert voting.condorcet_winner(table) is None


def test_moving_down_the_last_but_one_is_moving_up_the_last():
    assert voting.raised(((0, 1, 2),), ((0, 2, 1),)) == [2]
    assert voting.raised(((0, 1, 2),), ((1, 2, 0),)) == []


def test_more_than_all_others_together_is_a_dictator():
    """Four votes against one and two; three against three are a tie."""
    assert dictators.dictators("weighed", (4, 1, 2)) == (0,)
    assert dictators.dictators("weighed", (3, 1, 2)) == ()


def test_triple_points_do_not_dictate_among_three():
    """3 points ahead for two neighbours in the ranking, and 4 for the others against it."""
    assert dictators.dictators("pointed", (3, 1, 1)) == ()
    assert dictators.dictators("pointed", (5, 1, 1)) == (0,)
