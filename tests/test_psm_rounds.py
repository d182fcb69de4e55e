"""Rounds: every option costs the budget, the flip follows the open answer, draws follow names."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from helpers import SMALL_SURVEY
from hypothesis import given, settings
from hypothesis import strategies as st

from rationale.surveys.psm.blocks import blocks, prompt_id
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import Statement, Survey, read_survey
from rationale.surveys.psm.tables import rounds_table

ROOT = Path(__file__).parent.parent
MORAL = read_survey(
    ROOT / "resources" / "psm" / "moral.yaml", ROOT / "workflow" / "schemas" / "survey.schema.json"
)
SMALL = Survey(
    title="Small",
    statements=(Statement("one", "First."), Statement("two", "Second.")),
    high=5,
    low_label="never",
    high_label="always",
    prices=((2, 1), (1, 2), (1, 1)),
    budget=SMALL_SURVEY["budget"],
)
open_answers = st.tuples(*[st.integers(0, 5)] * 5)


@pytest.fixture(scope="module")
def rounds():
    return draw_rounds(MORAL, (2, 1, 3, 4, 2), 100, seed=7)


def options(drawn):
    return [one.options.tolist() for one in drawn]


def test_every_option_costs_exactly_the_budget(rounds):
    for one in rounds:
        assert {MORAL.cost(option, one.corner, one.prices) for option in one.options} == {12}


def test_a_round_shows_100_distinct_options(rounds):
    assert {len(np.unique(one.options, axis=0)) for one in rounds} == {100}


def test_rounds_keep_their_numbers(rounds):
    assert [one.number for one in rounds] == list(range(1, 161))


@settings(max_examples=15, deadline=None)
@given(open_answers)
def test_a_round_is_flipped_just_when_the_open_answer_is_not_above_and_then_it_is(answer):
    for one in draw_rounds(MORAL, answer, 2, seed=1):
        unflipped = MORAL.corner(one.number)
        under = MORAL.cost(answer, unflipped, one.prices) <= MORAL.budget
        assert one.flipped == under
        assert (one.corner == (5 - unflipped if under else unflipped)).all()
        assert MORAL.cost(answer, one.corner, one.prices) > MORAL.budget


@pytest.mark.parametrize("number", [1, 57, 160])
def test_every_open_answer_lies_above_one_of_the_two_lines(number):
    """Costs from a corner and from the opposite one sum to 5 x (2 + 1 + 1 + 1 + 1) = 30 > 2 x 12."""
    corner, price = MORAL.corner(number), MORAL.price(number)
    for answer in product(range(6), repeat=5):
        near, far = MORAL.cost(answer, corner, price), MORAL.cost(answer, 5 - corner, price)
        assert near + far == 30
        assert max(near, far) > MORAL.budget


def test_a_flipped_round_has_draws_of_its_own_and_no_mirrored_ones():
    (one,) = draw_rounds(MORAL, None, 100, seed=7)[:1]
    (flipped,) = draw_rounds(MORAL, (0, 0, 0, 0, 0), 100, seed=7)[:1]
    assert flipped.flipped
    assert (5 - flipped.options).tolist() != one.options.tolist()


def test_an_open_answer_on_the_line_is_flipped():
    """(2, 0) costs 2 x 2 = 4, the budget, from (0, 0) at prices (2, 1)."""
    assert draw_rounds(SMALL, (2, 0), 6, seed=1)[0].flipped


def test_without_an_open_answer_nothing_is_flipped():
    assert not any(one.flipped for one in draw_rounds(MORAL, None, 2, seed=1))


@settings(max_examples=10, deadline=None)
@given(open_answers, open_answers)
def test_draws_depend_on_seed_number_and_flip_alone(one, other):
    for a, b in zip(draw_rounds(MORAL, one, 20, 3), draw_rounds(MORAL, other, 20, 3), strict=True):
        assert (a.flipped != b.flipped) or (a.options == b.options).all()


def test_the_same_seed_draws_the_same_and_another_seed_another():
    first = options(draw_rounds(MORAL, (0, 0, 0, 0, 0), 100, 7))
    assert first == options(draw_rounds(MORAL, (0, 0, 0, 0, 0), 100, 7))
    assert first != options(draw_rounds(MORAL, (0, 0, 0, 0, 0), 100, 8))


def test_shuffled_rounds_show_the_same_options_in_another_order(rounds):
    shuffled = draw_rounds(MORAL, (2, 1, 3, 4, 2), 100, seed=7, shuffled=True)
    pairs = list(zip(options(rounds), options(shuffled), strict=True))
    assert all(sorted(one) == sorted(other) for one, other in pairs)
    assert all(one != other for one, other in pairs)


def test_a_short_line_is_shown_whole():
    """2x + y = 4 has three answers, fewer than six."""
    drawn = draw_rounds(SMALL, None, 6, seed=1)[0]
    assert sorted(drawn.options.tolist()) == [[0, 4], [1, 2], [2, 0]]


def test_no_answer_of_a_line_is_favoured():
    """Over 400 seeds each of 3 answers comes first about 133 times; sd sqrt(400 x 2/9) = 9.4, so
    that 95..171 is four sd either way.
    """
    firsts = [tuple(draw_rounds(SMALL, None, 1, s)[0].options[0]) for s in range(400)]
    assert all(95 <= firsts.count(answer) <= 171 for answer in [(0, 4), (1, 2), (2, 0)])


def test_the_table_holds_the_rounds_as_drawn(rounds):
    table = rounds_table(rounds)
    assert table["options"].to_list() == options(rounds)
    assert table["corner"].to_list() == [one.corner.tolist() for one in rounds]
    assert table["flipped"].to_list() == [one.flipped for one in rounds]
    assert table["prices"][0].to_list() == [2, 1, 1, 1, 1]


@given(st.integers(1, 300), st.integers(1, 310))
def test_blocks_hold_every_round_once_in_order(count, size):
    held = blocks(count, size)
    assert [number for numbers in held.values() for number in numbers] == [*range(1, count + 1)]
    assert max(len(numbers) for numbers in held.values()) <= size


def test_blocks_are_named_for_their_ends():
    assert list(blocks(160, 80)) == ["r001-r080", "r081-r160"]
    assert list(blocks(3, 2)) == ["r001-r002", "r003"]
    assert prompt_id(7, 1000) == "r0007"
