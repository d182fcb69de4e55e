"""The priced survey's file: lines of answers that cost the budget, and what cannot be a survey."""

import copy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import yaml
from helpers import SMALL_SURVEY

from rationale.schema import DocumentError
from rationale.surveys.psm.survey import read_survey

ROOT = Path(__file__).parent.parent
SCHEMA = ROOT / "workflow" / "schemas" / "survey.schema.json"


@pytest.fixture
def read(tmp_path):
    """Read the small survey with some keys changed."""

    def read(**changed):
        path = tmp_path / "small.yaml"
        path.write_text(yaml.safe_dump({**copy.deepcopy(SMALL_SURVEY), **changed}))
        return read_survey(path, SCHEMA)

    return read


@pytest.fixture
def problem(read):
    """All that is wrong with the small survey with some keys changed."""

    def problem(**changed):
        with pytest.raises(DocumentError) as error:
            read(**changed)
        return str(error.value)

    return problem


@pytest.fixture(scope="module")
def moral():
    return read_survey(ROOT / "resources" / "psm" / "moral.yaml", SCHEMA)


def test_the_shipped_survey_has_160_rounds(moral):
    """32 corners of five statements, times five price vectors."""
    assert moral.rounds == 160


def test_every_line_of_the_shipped_survey_has_521_answers(moral):
    for number in range(1, 161):
        assert len(moral.line(moral.corner(number), moral.price(number))) == 521


def test_prices_turn_first_and_the_last_statement_s_corner_next(moral):
    """Rounds 1 to 5 count from (0, 0, 0, 0, 0), 6 to 10 from (0, 0, 0, 0, 5), 81 from (5, 0, …)."""
    assert [moral.price(n).index(2) for n in range(1, 7)] == [0, 1, 2, 3, 4, 0]
    assert moral.corner(5).tolist() == [0, 0, 0, 0, 0]
    assert moral.corner(6).tolist() == [0, 0, 0, 0, 5]
    assert moral.corner(11).tolist() == [0, 0, 0, 5, 0]
    assert moral.corner(81).tolist() == [5, 0, 0, 0, 0]
    assert moral.corner(160).tolist() == [5, 5, 5, 5, 5]


@pytest.mark.parametrize("price", [1e-20, 1e20, 1.0000000000000002])
def test_costs_that_could_not_be_added_exactly_are_refused(problem, price):
    assert "small.yaml: prices and budget: found numbers with too many digits" in problem(
        prices=[[1, price]]
    )


def test_rounds_pair_each_corner_with_each_price_once(moral):
    pairs = {(tuple(moral.corner(n)), moral.price(n)) for n in range(1, 161)}
    assert len(pairs) == 160
    assert {rating for corner, _ in pairs for rating in corner} == {0, 5}


def test_a_small_line_by_hand(read):
    """Prices (2, 1), budget 4 from (0, 0): 2x + y = 4 at (0, 4), (1, 2), (2, 0). From (5, 0) the
    first coordinate is turned over: (5, 4), (4, 2), (3, 0).
    """
    survey = read()
    price = survey.price(1)
    assert survey.line(np.array([0, 0]), price).tolist() == [[0, 4], [1, 2], [2, 0]]
    assert survey.line(np.array([5, 0]), price).tolist() == [[5, 4], [4, 2], [3, 0]]


def test_costs_are_distances_times_prices(read):
    """|3 - 5| x 2 + |1 - 0| x 1 = 5."""
    survey = read()
    assert survey.cost(np.array([3, 1]), np.array([5, 0]), survey.price(1)) == 5


def test_decimals_are_those_that_were_written(read):
    """0.1 x + 0.2 y = 0.3 at (1, 1) and (3, 0); in binary 0.1 + 0.2 is not 0.3."""
    survey = read(prices=[[0.1, 0.2]], budget=0.3)
    line = survey.line(np.array([0, 0]), survey.price(1))
    assert line.tolist() == [[1, 1], [3, 0]]
    assert survey.cost(line[0], np.array([0, 0]), survey.price(1)) == Fraction(3, 10)


@pytest.mark.parametrize("high", ["five", 0, -1, 2.5, True, 101])
def test_a_malformed_scale_is_named(problem, high):
    assert "small.yaml: scale.high: found" in problem(scale={**SMALL_SURVEY["scale"], "high": high})


def test_a_scale_starts_at_0(problem):
    assert "scale.low: found 1; allowed: 0 only" in problem(
        scale={**SMALL_SURVEY["scale"], "low": 1}
    )


def test_each_statement_needs_its_price(problem):
    said = problem(prices=[[2, 1], [1, 2, 3]])
    assert said == (
        "small.yaml: prices[1]: found 3 prices for 2 statements; allowed: one price a statement."
    )


def test_twin_slugs_are_named(problem):
    twins = [{"slug": "one", "text": "First."}, {"slug": "one", "text": "Second."}]
    assert "the slug 'one' stands twice" in problem(statements=twins)


def test_a_budget_that_no_answer_meets_names_the_nearest_that_fits(problem):
    said = problem(budget=4.25)
    assert "found 4.25; no answer costs just that at prices[0] = [2, 1] (and 2 more)" in said
    assert said.endswith("The nearest that fits every price vector is 4.")


def test_a_budget_that_a_single_answer_meets_is_too_thin(problem):
    """At prices (1, 1) only (0, 0) costs 0 and 2 answers cost 1; at (2, 1) only (0, 1) costs 1."""
    assert "a single answer costs just that at prices[0] = [2, 1]" in problem(budget=1)


def test_a_budget_of_half_the_far_corner_leaves_no_room_to_flip(problem):
    """At prices (1, 1) the far corner costs 10: the budget must be under 5."""
    said = problem(budget=5)
    assert "allowed: less than 5, half of what the far corner costs at prices[2] = [1, 1]" in said


def test_prices_that_no_budget_fits_are_said_to_be_so(problem):
    """7 x + 100 y on 0..5: each cost has one answer, none has two."""
    assert "No budget fits these prices." in problem(prices=[[7, 100]], budget=7)


@pytest.mark.parametrize("price", [0, -1, True, "2", float("inf"), float("nan")])
def test_prices_are_positive_finite_numbers(problem, price):
    assert "small.yaml: prices[0][1]: found" in problem(prices=[[1, price]])


def test_a_survey_too_large_for_memory_is_refused(problem):
    statements = [{"slug": f"s{n}", "text": "?"} for n in range(10)]
    said = problem(statements=statements, prices=[[1] * 10], budget=12)
    assert "make 60,466,176 answers and 1,024 rounds; allowed: 5,000,000 answers" in said


def test_a_survey_file_that_is_empty_is_an_error(tmp_path):
    (tmp_path / "none.yaml").write_text("")
    with pytest.raises(DocumentError, match=r"none\.yaml: found null; allowed: a mapping"):
        read_survey(tmp_path / "none.yaml", SCHEMA)
