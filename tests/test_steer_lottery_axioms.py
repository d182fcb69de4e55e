"""Axioms over lotteries: keys against every ranking, rules against expected utilities."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
import steer

from rationale.surveys.steer.bank import guessing
from rationale.surveys.steer.elements.prospects import chance_said
from rationale.surveys.steer.rules import consistent

SEEDS = (1, 2, 3)
OPEN = "It cannot be told from this"


def many(slug, *grades):
    found = [one for seed in SEEDS for one in steer.questions(slug, seed=seed)]
    return [one for one in found if not grades or one.grade in grades]


def passing(draft) -> set[tuple[str, ...]]:
    meanings = [[option.meaning for option in part.options] for part in draft.parts]
    return {way for way in product(*meanings) if consistent(draft.rule, way)}


# Completeness


def test_a_preference_or_indifference_must_be_stated_twice():
    for one in many("lottery-completeness"):
        decided = ("lottery 1", "lottery 2", "indifferent")
        assert passing(one.draft) == {(said, said) for said in decided}
        assert guessing(one.draft) == Fraction(3, 16)


def test_both_tellings_give_every_chance():
    """As a percentage first, as so many in 100 then; the chances leave something for nothing."""
    for one in many("lottery-completeness"):
        first, again = one.draft.parts
        for lottery in one.draft.instance["lotteries"].values():
            assert sum(chance for chance, _ in lottery) <= 95
            for chance, prize in lottery:
                assert f" {chance}% chance of {prize}" in first.text
                assert f"{chance} chances in 100 of {prize}" in again.text


def test_lotteries_have_as_many_prizes_as_the_grade_says():
    for one in many("lottery-completeness"):
        sizes = {len(lottery) for lottery in one.draft.instance["lotteries"].values()}
        assert sizes == {one.grade - 1}


# Transitivity


def ranked_first(instance) -> set[int]:
    """Which of the two lotteries asked about stands higher, over all rankings of all lotteries."""
    pairs = [tuple(map(tuple, pair)) for pair in instance["preferred"]]
    lotteries = {lottery for pair in pairs for lottery in pair}
    asked = [tuple(one) for one in instance["asked"]]
    found = set()
    for ranking in permutations(lotteries):
        place = {lottery: n for n, lottery in enumerate(ranking)}
        if all(place[better] < place[worse] for better, worse in pairs):
            found.add(min((0, 1), key=lambda n: place[asked[n]]))
    return found


def test_the_key_holds_in_every_ranking_that_fits_the_statements():
    for one in many("lottery-transitivity", 3, 4):
        instance, key = one.draft.instance, one.draft.parts[0].key.text
        found = ranked_first(instance)
        if len(found) == 2:
            assert key == OPEN
        else:
            chance, prize = instance["asked"][found.pop()]
            assert f" {chance}% chance of {prize}" in key


def test_statements_and_options_are_those_of_the_instance():
    for one in many("lottery-transitivity", 3, 4):
        part, instance = one.draft.parts[0], one.draft.instance
        assert len(instance["preferred"]) == one.grade - 1
        for (chance, prize), (other, lesser) in instance["preferred"]:
            assert (
                f"{chance_said(chance)} of {prize} than {chance_said(other)} of {lesser}"
                in part.text
            )
        for chance, prize in instance["asked"]:
            assert sum(f" {chance}% chance of {prize}" in o.text for o in part.options) == 1


def test_no_answer_is_right_more_often_than_another():
    found = Counter(
        "open" if one.draft.parts[0].key.text == OPEN else "settled"
        for one in many("lottery-transitivity", 3, 4)
    )
    assert abs(found["open"] / found.total() - 1 / 3) < 0.05


def test_the_higher_chance_is_right_no_more_often_than_a_third():
    hits = []
    for one in many("lottery-transitivity", 3, 4):
        chance, prize = max(one.draft.instance["asked"])
        hits.append(f" {chance}% chance of {prize}" in one.draft.parts[0].key.text)
    assert abs(sum(hits) / len(hits) - 1 / 3) < 0.05


def test_going_by_the_chance_leads_where_it_is_said_to():
    for one in many("lottery-transitivity", 3, 4):
        (low, _), (high, _) = sorted(one.draft.instance["asked"])
        for option in one.draft.parts[0].options:
            if option.mistake and "chance" in option.mistake:
                assert f" {high}% chance" in option.text
            if option.mistake and "prize" in option.mistake:
                assert f" {low}% chance" in option.text


def test_own_choices_pass_exactly_when_a_ranking_explains_them():
    """Of the eight ways to choose, the six rankings give six; two are circles."""
    rankings = {
        tuple(min(pair, key=ranking.index) for pair in ("ab", "bc", "ac"))
        for ranking in permutations("abc")
    }
    for one in many("lottery-transitivity", 5):
        passed = {tuple(said[0] for said in way) for way in passing(one.draft)}
        assert passed == rankings
        assert guessing(one.draft) == Fraction(3, 4)


def test_own_choices_are_from_all_pairs_of_three_lotteries():
    for one in many("lottery-transitivity", 5):
        lotteries = one.draft.instance["lotteries"]
        pairs = [tuple(option.meaning[0] for option in part.options) for part in one.draft.parts]
        assert sorted(pairs) == sorted(combinations("abc", 2))
        for part in one.draft.parts:
            for option in part.options:
                chance, prize = lotteries[option.meaning[0]]
                assert option.text.endswith(f" {chance}% chance of {prize}")


def test_three_cuisines():
    """Illustration 2.3.b: Italian over Mexican, Mexican over Japanese, so Italian over Japanese."""
    italian, mexican, japanese = [62, "Italian"], [69, "Mexican"], [11, "Japanese"]
    stated = [[italian, mexican], [mexican, japanese]]
    assert ranked_first({"preferred": stated, "asked": [italian, japanese]}) == {0}


def test_two_lotteries_better_than_a_third_stay_open():
    a, b, c = [10, "a"], [20, "b"], [30, "c"]
    assert ranked_first({"preferred": [[a, b], [c, b]], "asked": [a, c]}) == {0, 1}


# Independence


def utilities(prizes):
    """Every ranking of the prizes with even and with uneven steps, nothing being worth nothing."""
    for ranking in permutations(prizes):
        for steps in ((1, 2, 3), (1, 2, 10), (1, 9, 10)):
            yield dict(zip(ranking, steps, strict=False))


def best(values: dict) -> str | None:
    top = max(values.values())
    named = [name for name, value in values.items() if value == top]
    return named[0] if len(named) == 1 else None


@pytest.mark.parametrize("grade", [3, 4, 5])
def test_every_expected_utility_maximiser_passes(grade):
    for one in many("lottery-independence", grade)[:150]:
        instance = one.draft.instance
        lotteries = {name: instance[name] for name in ("a", "b", "new")}
        for utility in utilities({prize for _, prize in lotteries.values()}):
            worth = {n: Fraction(c, 100) * utility[prize] for n, (c, prize) in lotteries.items()}
            first = best({name: worth[name] for name in "ab"})
            if grade == 5:
                share = Fraction(instance["share"], 100)
                mixed = {n: share * worth["new"] + (1 - share) * worth[n] for n in "ab"}
                second = best(mixed)
            else:
                second = best(worth)
            if first and second:
                assert consistent(one.draft.rule, (first, second))


def test_a_switch_between_the_old_two_fails():
    for one in many("lottery-independence"):
        assert not consistent(one.draft.rule, ("a", "b"))
        assert not consistent(one.draft.rule, ("b", "a"))


def test_a_new_lottery_may_win_but_a_dominated_one_may_not():
    """Illustration 2.3.c: 67% of the same beach is worse than the 80% known before."""
    for one in many("lottery-independence", 3, 4):
        expected = {("a", "a"), ("b", "b")}
        if one.grade == 3:
            expected |= {("a", "new"), ("b", "new")}
        assert passing(one.draft) == expected


def test_the_dominated_lottery_has_the_prize_and_a_smaller_chance():
    for one in many("lottery-independence", 4):
        chance, prize = one.draft.instance["new"]
        (dominating,) = (c for c, other in (one.draft.instance[n] for n in "ab") if other == prize)
        assert 0 < chance < dominating
