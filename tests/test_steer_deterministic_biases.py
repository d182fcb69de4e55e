"""Biases without chance: sunk cost by wealth at the end, endowment and time by counting guesses."""

import re
from fractions import Fraction
from itertools import product

import steer

from rationale.surveys.steer.bank import guessing
from rationale.surveys.steer.rules import consistent

DRAWN = 2000


def numbers(text):
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


def in_thousands(text):
    """The text with dollars in whole thousands as thousands, as instances hold them."""
    return re.sub(r"(\$[\d,]+),000(?!,\d)", r"\1", text)


def wealth(instance, goes_on):
    """What is owned in the end: the spent is paid either way."""
    paid = instance["spent"] + (instance["remainder"] if goes_on else 0)
    return (instance["projected"] if goes_on else 0) - paid


def test_the_key_leaves_more_in_the_end():
    for one in steer.questions("sunk-cost", DRAWN):
        instance, key = one.draft.instance, one.draft.parts[0].key.text
        goes_on = key == one.story.texts["go_on"]
        assert wealth(instance, goes_on) > wealth(instance, not goes_on), one.question_id


def test_going_on_is_right_half_of_the_time():
    drawn = steer.questions("sunk-cost", DRAWN)
    going = sum(one.draft.parts[0].key.text == one.story.texts["go_on"] for one in drawn)
    assert 0.46 < going / len(drawn) < 0.54


def test_counting_what_is_spent_speaks_against_every_project():
    """So the mistake named for stopping does lead there, and the total says nothing of the key."""
    for one in steer.questions("sunk-cost", DRAWN):
        instance = one.draft.instance
        assert instance["spent"] + instance["remainder"] > instance["projected"], one.question_id


def test_the_text_states_numbers_that_give_the_instance():
    """Grade 5 tells the total in place of the rest, grade 6 the gain in two parts."""
    for one in steer.questions("sunk-cost", DRAWN):
        instance, told = one.draft.instance, numbers(in_thousands(one.draft.parts[0].text))
        assert len(told) == {4: 3, 5: 3, 6: 4}[one.grade], one.question_id
        if one.grade == 4:
            assert sorted(told) == sorted(instance.values())
        elif one.grade == 5:
            total = instance["spent"] + instance["remainder"]
            assert sorted(told) == sorted([total, instance["spent"], instance["projected"]])
        else:
            assert told[:2] == [instance["spent"], instance["remainder"]]
            assert sum(told[2:]) == instance["projected"]


def test_the_study_project_is_to_be_abandoned():
    """Illustration 2.2.a: 500,000 spent, 800,000 to pay, 700,000 to gain: -1,300 + 700 < -500."""
    instance = {"spent": 500_000, "remainder": 800_000, "projected": 700_000}
    assert wealth(instance, True) == -600_000
    assert wealth(instance, False) == -500_000


def test_counting_the_spent_often_misleads():
    """Going on is right although spent and rest together exceed the gain."""
    drawn = steer.questions("sunk-cost", DRAWN)
    misled = [wealth(one.draft.instance, True) < 0 for one in drawn]
    going = [one.draft.parts[0].key.text == one.story.texts["go_on"] for one in drawn]
    assert sum(m and g for m, g in zip(misled, going, strict=True)) > len(drawn) / 8


def held(one, turn, option):
    """What is held after an answer to a trade: read off the option's words."""
    instance = one.draft.instance
    mine = instance["owned_first" if turn == 0 else "owned_second"]
    theirs = instance["owned_second" if turn == 0 else "owned_first"]
    return {f"Keep the {mine}": mine, f"Trade it for the {theirs}": theirs}.get(option.text)


def test_trades_agree_where_the_same_thing_is_held_in_the_end():
    for one in steer.questions("endowment", DRAWN):
        if one.grade == 6:
            assert guessing(one.draft) == Fraction(1, 3)
            for first, second in product(*(part.options for part in one.draft.parts)):
                same = held(one, 0, first) == held(one, 1, second)
                meanings = [first.meaning, second.meaning]
                assert consistent(one.draft.rule, meanings) == same, one.question_id


def test_prices_agree_where_the_same_amount_is_named_each_time():
    """Four prices: 1/4 by chance for two prices, 1/16 for three."""
    for one in steer.questions("endowment", DRAWN):
        if one.grade > 6:
            assert guessing(one.draft) == Fraction(1, 4 ** (one.grade - 6))
            for part in one.draft.parts:
                assert [numbers(o.text) for o in part.options] == [
                    [int(o.meaning)] for o in part.options
                ]


def test_every_turn_names_the_thing():
    for one in steer.questions("endowment", DRAWN):
        things = [one.draft.instance.get(n) for n in ("thing", "owned_first", "owned_second")]
        for part in one.draft.parts:
            assert all(thing in part.text for thing in things if thing), one.question_id


def days(text):
    """(amount, time) of ``$50 today`` or ``$80 in 3 weeks``, the time in the units told."""
    found = numbers(text)
    return (found[0], 0) if text.endswith("today") else (found[0], found[1])


def test_both_rewards_move_by_the_same_delay():
    for one in steer.questions("time-inconsistency", DRAWN):
        dated = []
        for part in one.draft.parts:
            by_meaning = {o.meaning: days(o.text) for o in part.options if o.meaning != "equal"}
            dated.append((by_meaning["sooner"], by_meaning["later"]))
        (small, first), (large, second) = dated[0]
        (other_small, third), (other_large, fourth) = dated[1]
        assert (small, large) == (other_small, other_large), one.question_id
        assert small < large
        assert first - third == second - fourth != 0
        assert second > first


def test_a_plan_is_asked_again_when_its_day_has_come():
    for one in steer.questions("time-inconsistency", DRAWN):
        if one.grade == 7:
            plan, now = one.draft.parts
            delay, unit = one.draft.instance["delay"], one.draft.instance["unit"]
            assert f"{delay} {unit}s" in now.text
            assert any(option.text.endswith("today") for option in now.options)
            assert not any(option.text.endswith("today") for option in plan.options)


def test_time_is_guessed_three_times_in_nine():
    for one in steer.questions("time-inconsistency", DRAWN):
        assert one.draft.rule == "same"
        assert guessing(one.draft) == Fraction(1, 3)


def test_ten_and_twenty_dollars():
    """The study's 2.2.c: $10 today over $20 tomorrow goes with $10 after 15 over $20 after 16."""
    assert consistent("same", ["sooner", "sooner"])
    assert not consistent("same", ["sooner", "later"])


def test_a_wallet_and_a_hat():
    """The study's 2.2.b: the wallet was kept; now holding the hat, trading gives the wallet."""
    assert consistent("same", ["a", "a"])
    assert not consistent("same", ["a", "b"])
