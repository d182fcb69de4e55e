"""Keys of social choice against counts ballot by ballot and sharing by brute force."""

from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations

import pytest
import steer
import votes

from rationale.surveys.steer.elements import sharing, voting
from rationale.surveys.steer.wording import money


@cache
def drawn(element):
    return [one for seed in (1, 2) for one in steer.questions(element, seed=seed)]


def of(element, procedure, ask=None):
    return [
        one
        for one in drawn(element)
        if one.draft.instance["procedure"] == procedure
        and ask in (None, one.draft.instance.get("ask"))
    ]


def by_points(draft, text, points, place):
    """Whether an option names who stands at a place by points, nobody else having as many."""
    names = draft.instance["alternatives"]
    at_place = sorted(points.values(), reverse=True)[place]
    holders = [one for one in points if points[one] == at_place]
    return [votes.named(names, [one]) for one in holders] == [text]


def test_plurality_winners_lead_a_count_of_first_places():
    def right(draft, text):
        cast = votes.one_by_one(draft.instance["ballots"])
        points = votes.over(votes.firsts(cast), len(cast[0]))
        if draft.instance["ask"] == "winner":
            return by_points(draft, text, points, 0)
        descending = [
            ranking
            for ranking in permutations(points)
            if all(points[a] > points[b] for a, b in pairwise(ranking))
        ]
        return text in [votes.named(draft.instance["alternatives"], one) for one in descending]

    assert votes.wrong_keys(drawn("plurality"), right) == []


def test_borda_keys_follow_from_counting_who_stands_below_on_every_ballot():
    def right(draft, text):
        points = votes.borda(votes.one_by_one(draft.instance["ballots"]))
        place = {"winner": 0, "second": 1, "last": -1}[draft.instance["ask"]]
        return by_points(draft, text, points, place)

    assert votes.wrong_keys(drawn("borda"), right) == []


def test_copeland_winners_win_most_comparisons_of_ballots():
    def right(draft, text):
        if "ballots" in draft.instance:
            points = votes.copeland(votes.one_by_one(draft.instance["ballots"]))
        else:
            points = dict.fromkeys(range(4), 0)
            for one, other, won in draft.instance["results"]:
                points[one] += 2 if won else 1
                points[other] += 0 if won else 1
        return by_points(draft, text, points, 0)

    assert votes.wrong_keys(drawn("copeland"), right) == []


def test_the_results_of_comparisons_are_those_in_the_text():
    for one in drawn("copeland"):
        if "results" in one.draft.instance:
            names, text = one.draft.instance["alternatives"], one.draft.parts[0].text
            for a, b, won in one.draft.instance["results"]:
                line = f"{names[a]} {'beat' if won else 'drew with'} {names[b]}"
                assert f"- {line[0].upper()}{line[1:]}\n" in text


@pytest.mark.parametrize("element", ["plurality", "borda", "copeland"])
def test_the_ballots_are_those_in_the_text(element):
    for one in drawn(element):
        instance, text = one.draft.instance, one.draft.parts[0].text
        for count, ranking in instance.get("ballots", []):
            assert f"\n- {count} " in text
            assert f": {votes.named(instance['alternatives'], ranking)}\n" in text


def test_every_ranking_shown_has_as_many_places_in_common_with_the_others():
    """Corners of a square: whoever picks the ranking most like the others, or least, just guesses."""
    rankings = [one for one in drawn("plurality") if one.grade == 4]
    assert len(rankings) > steer.share(600)
    for one in rankings:
        shown = [option.text.lower().split(", then ") for option in one.draft.parts[0].options]
        common = [
            sum(a == b for other in shown for a, b in zip(mine, other, strict=True))
            for mine in shown
        ]
        assert len(set(common)) == 1


def test_a_lot_is_worth_what_its_points_add_up_to():
    def right(draft, text):
        values, lot = draft.instance["values"], set(draft.instance["lot"])
        rest = {0, 1, 2, 3} - lot
        chooser_takes = max((lot, rest), key=lambda one: sum(values[1][n] for n in one))
        divider_keeps = rest if chooser_takes == lot else lot
        owned = (divider_keeps, chooser_takes)[draft.instance["owner"]]
        points = sum(values[draft.instance["eyes"]][n] for n in owned)
        return text == f"{points} points"

    found = [one for one in of("fair-division", "divide and choose") if "lot" in one.draft.instance]
    assert len(found) > steer.share(200)
    assert votes.wrong_keys(found, right) == []


def test_only_the_even_division_leaves_half_either_way():
    def right(draft, text):
        mine = draft.instance["values"][draft.instance["divider"]]
        sides = text.lower().split(" against ")
        points = [
            sum(
                worth
                for part, worth in zip(draft.instance["parts"], mine, strict=True)
                if part.lower() in side
            )
            for side in sides
        ]
        assert sum(points) == 100
        return min(points) >= 50

    found = [
        one for one in of("fair-division", "divide and choose") if "parts" in one.draft.instance
    ]
    assert len(found) > steer.share(150)
    assert votes.wrong_keys(found, right) == []


def test_the_piece_stays_with_the_last_who_had_to_cut():
    def right(draft, text):
        holder = 0
        for turn, share in enumerate(draft.instance["seen"], start=1):
            if Fraction(share, 100) > Fraction(1, 4):
                holder = turn
        return text == draft.instance["people"][holder]

    assert votes.wrong_keys(of("fair-division", "last diminisher"), right) == []


def test_the_pot_of_sealed_bids_is_paid_out_in_full():
    """The procedure step by step, with a purse a person: what is paid in is paid out or left."""

    def right(draft, text):
        bids, who = draft.instance["bids"], draft.instance["person"]
        purse = [Fraction(0)] * 3
        winner = bids.index(max(bids))
        pot = Fraction(2 * bids[winner], 3)
        purse[winner] += bids[winner] - pot
        for one in {0, 1, 2} - {winner}:
            purse[one] += Fraction(bids[one], 3)
            pot -= Fraction(bids[one], 3)
        assert pot > 0
        if draft.instance["divided"]:
            purse = [have + pot / 3 for have in purse]
            assert sum(purse) == max(bids)
        assert purse[who].denominator == 1
        return text == money(purse[who])

    assert votes.wrong_keys(of("fair-division", "sealed bids"), right) == []


def test_a_procedure_fits_its_situation_alone():
    def right(draft, text):
        there = draft.instance
        if "two parts" in text:
            return there["people"] == 2 and there["divisible"]
        if "a fair third" in text:
            return there["people"] == 3 and there["divisible"]
        if "sealed bid" in text:
            return there["money"] and there["things"] == 1 and not there["divisible"]
        return there["things"] > 1 and not there["money"] and not there["divisible"]

    assert votes.wrong_keys(of("fair-division", "which"), right) == []


def allocation(draft, text):
    """The things that an option gives to everybody, read from its text."""
    people, goods = draft.instance["people"], draft.instance["goods"]
    lots = dict(part.split(": ") for part in text.split("; "))
    owned = [[n for n, good in enumerate(goods) if good in lots[person]] for person in people]
    assert sorted(n for lot in owned for n in lot) == list(range(4))
    return owned


def test_of_the_divisions_shown_one_leaves_nobody_envious():
    def right(draft, text):
        owned, values = allocation(draft, text), draft.instance["values"]
        worth = [[sum(mine[n] for n in lot) for lot in owned] for mine in values]
        return all(max(row) == row[person] for person, row in enumerate(worth))

    assert votes.wrong_keys(of("fair-division", "items", "envy"), right) == []


def test_of_the_divisions_shown_one_gives_everybody_a_third():
    def right(draft, text):
        owned, values = allocation(draft, text), draft.instance["values"]
        return all(
            3 * sum(mine[n] for n in lot) >= 100 for mine, lot in zip(values, owned, strict=True)
        )

    assert votes.wrong_keys(of("fair-division", "items", "share"), right) == []


def test_envy_is_seen_where_another_lot_is_worth_more():
    def right(draft, text):
        (owners,), values = draft.instance["shown"], draft.instance["values"]
        worth = [
            [sum(v for v, owner in zip(mine, owners, strict=True) if owner == n) for n in range(3)]
            for mine in values
        ]
        envious = any(row[person] < max(row) for person, row in enumerate(worth))
        return text == ("Yes" if envious else "No")

    assert votes.wrong_keys(of("fair-division", "items", "check"), right) == []


def test_envy_is_seen_half_of_the_time():
    """Some 220 questions: half, give or take 12 points."""
    keys = [one.draft.parts[0].key.text for one in of("fair-division", "items", "check")]
    assert 0.38 < keys.count("Yes") / len(keys) < 0.62


# By hand


def test_illustration_of_plurality():
    """L is first on 23 + 21 = 44 ballots, M on 40, N on 33 (each completed by the one left out)."""
    profile = ((23, (1, 0, 3, 2)), (21, (1, 3, 0, 2)), (40, (0, 3, 2, 1)), (33, (2, 1, 3, 0)))
    assert voting.first_places(profile) == [40, 44, 33, 0]
    assert voting.highest(voting.first_places(profile)) == 1


def test_illustration_of_borda():
    """A: 2·413 + 176 + 2·123 = 1,248; B: 413 + 2·176 = 765; C: 123."""
    profile = ((413, (0, 1, 2)), (176, (1, 0, 2)), (123, (0, 2, 1)))
    assert voting.borda_points(profile) == [1248, 765, 123]


def test_illustration_of_copeland_is_a_tie():
    """A beats B and C, B beats C and D: two points each, so nobody wins alone."""
    wins = {(0, 1), (0, 2), (3, 0), (1, 2), (1, 3), (2, 3)}
    table = [[((a, b) in wins) - ((b, a) in wins) for b in range(4)] for a in range(4)]
    assert voting.copeland_points(table) == [2, 2, 1, 1]
    assert voting.highest(voting.copeland_points(table)) is None


def test_half_a_point_for_a_draw():
    """2 : 2 voters between 0 and 1, all rank both above 2."""
    profile = ((2, (0, 1, 2)), (2, (1, 0, 2)))
    assert voting.copeland_points(voting.margins(profile)) == [Fraction(3, 2), Fraction(3, 2), 0]


def test_sealed_bids_by_hand():
    """Bids 900, 1,800, 2,700: 1,800 into the pot, 300 and 600 out, 900 left, 300 for each."""
    assert sharing.sealed_bids([900, 1800, 2700]) == [600, 900, 1200]
    assert sharing.sealed_bids([900, 1800, 2700], divided=False) == [300, 600, 900]


def test_fifteen_like_coins_are_without_envy_at_five_each():
    """The study's illustration: five coins each; six to one of them is envied."""
    values = [[1] * 15 for _ in range(3)]
    assert sharing.envies(values, [0] * 5 + [1] * 5 + [2] * 5) == []
    assert sharing.envies(values, [0] * 6 + [1] * 5 + [2] * 4) != []


def test_nobody_trims_and_the_cutter_keeps_the_piece():
    assert sharing.last_diminisher([20, 25, 10], 4) == 0
    assert sharing.last_diminisher([26, 25, 10], 4) == 1
