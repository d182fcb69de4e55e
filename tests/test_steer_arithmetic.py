"""Arithmetic: keys against the same sums done another way, by counting and by enumeration."""

import re
from fractions import Fraction
from random import Random

import pytest
import steer

from rationale.surveys.steer.elements.arithmetic import mean
from rationale.surveys.steer.elements.mistakes import either_way

SEEDS = (1, 2, 3)


def drawn(slug):
    return [one for seed in SEEDS for one in steer.questions(slug, seed=seed)]


def shown(option):
    """The number that an option states."""
    return Fraction(re.search(r"-?[\d,]+(\.\d+)?", option.text)[0].replace(",", ""))


def stock(kind, start, more=0, less=0):
    """What is left of a stock, by columns: digit by digit with a carry, from the right."""
    signed = [
        (start, 1),
        (more, 1 if kind != "subtract" else 0),
        (less, -1 if kind != "add" else 0),
    ]
    total, carry = 0, 0
    for place in range(6):
        column = carry + sum(sign * (value // 10**place % 10) for value, sign in signed)
        carry, digit = divmod(column, 10)
        total += digit * 10**place
    return total + carry * 10**6


def groups_of(kind, groups, each=0, total=0, ways=1):
    """Equal groups by repeated addition, and sharing out by repeated subtraction."""
    left = total if kind == "divide" else sum(each for _ in range(groups))
    if kind == "multiply":
        return left
    among, rounds = groups if kind == "divide" else ways, 0
    while left >= among:
        left, rounds = left - among, rounds + 1
    assert left == 0
    return rounds


def mean_of_worlds(outcomes):
    """The mean amount over 200 equally likely worlds, each outcome in its share of them."""
    worlds = [
        int(amount) for chance, amount in outcomes for _ in range(int(200 * Fraction(chance)))
    ]
    assert len(worlds) < 200
    return Fraction(sum(worlds), 200)


SOLVERS = {
    "addition-subtraction": lambda instance: stock(**instance),
    "multiplication-division": lambda instance: groups_of(**instance),
    "expectation": lambda instance: mean_of_worlds(instance["outcomes"]),
}


@pytest.mark.parametrize("slug", SOLVERS)
def test_keys_are_those_of_another_method(slug):
    for one in drawn(slug):
        assert one.draft.parts[0].value == SOLVERS[slug](one.draft.instance), one.question_id


@pytest.mark.parametrize("slug", SOLVERS)
def test_only_the_key_states_the_value(slug):
    for one in drawn(slug):
        (part,) = one.draft.parts
        right = [option for option in part.options if shown(option) == part.value]
        assert right == [part.key], one.question_id


@pytest.mark.parametrize("slug", SOLVERS)
def test_texts_state_every_number_of_the_instance(slug):
    for one in steer.questions(slug):
        said = one.draft.parts[0].text
        for name, value in one.draft.instance.items():
            if isinstance(value, int):
                assert re.search(rf"(?<!\d){value:,}(?!\d)", said), f"{one.question_id}: {name}"
            elif name == "outcomes":
                assert all(f"{int(amount):,}" in said for _, amount in value)


def test_ten_and_five():
    """Illustration 1.1.a: 10 + 5 = 15."""
    assert stock("add", 10, 5) == 15


def test_five_dinners():
    """Illustration 1.1.b: 5 dinners of $30 are 30 + 30 + 30 + 30 + 30 = $150."""
    assert groups_of("multiply", 5, 30) == 150


def test_expected_rain():
    """Illustration 1.1.c: 20% of half an inch, 1/5 × 1/2 = 1/10 inch."""
    assert mean([(Fraction(1, 5), Fraction(1, 2))]) == Fraction(1, 10)


def test_mean_of_three_outcomes():
    """1/4 × 40 + 1/2 × 10 + 1/10 × 5 = 10 + 5 + 0.5 = 15.5."""
    outcomes = [(Fraction(1, 4), 40), (Fraction(1, 2), 10), (Fraction(1, 10), 5)]
    assert mean(outcomes) == Fraction(31, 2)


def test_chances_leave_something_for_nothing():
    for one in drawn("expectation"):
        assert sum(Fraction(chance) for chance, _ in one.draft.instance["outcomes"]) < 1


def test_a_mistake_that_leads_nowhere_is_none():
    """The only mistake gives the key itself."""
    assert either_way(Random(1), 5, [(5, "no mistake")]) is None
