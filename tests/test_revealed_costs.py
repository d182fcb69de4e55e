"""Costs of answers, by hand, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest

from rationale.revealed import cost_ratios, costs, costs_of_consumption


def test_costs_count_from_the_rounds_corner():
    """Two statements on 0..5, prices (1, 2).

    Round 0 from (0, 0): (3, 1) costs 3 + 2 = 5, (4, 5) costs 4 + 10 = 14.
    Round 1 from (5, 0): (3, 1) costs 2 + 2 = 4, (4, 5) costs 1 + 10 = 11.
    """
    found = costs([(3, 1), (4, 5)], [(0, 0), (5, 0)], [(1, 2), (1, 2)])
    assert found.tolist() == [[5, 14], [4, 11]]


def test_costs_of_both_corners_of_a_diagonal_sum_to_the_whole_scale():
    """Opposite corners: each statement's distances sum to 5, so costs sum to 5·(1 + 2) = 15."""
    found = costs([(3, 1)], [(0, 0), (5, 5)], [(1, 2), (1, 2)])
    assert found.sum() == 15


def test_more_answers_than_rounds_give_more_columns():
    assert costs(np.zeros((7, 2)), np.ones((3, 2)), np.ones((3, 2))).shape == (3, 7)


def test_costs_of_consumption_are_prices_times_quantities():
    """Prices (1, 2) and (2, 1), bundles (3, 4) and (5, 0): 11, 5 and 10, 10."""
    found = costs_of_consumption([(1, 2), (2, 1)], [(3, 4), (5, 0)])
    assert found.tolist() == [[11, 5], [10, 10]]


def test_equal_answers_have_equal_columns_to_the_last_bit():
    rng = np.random.default_rng(1)
    answers = rng.random((40, 7))[rng.integers(0, 40, 200)]
    found = costs(answers, rng.random((30, 7)), rng.random((30, 7)))
    _, first, same = np.unique(answers, axis=0, return_index=True, return_inverse=True)
    assert np.array_equal(found, found[:, first[same]])


def test_large_integers_stay_exact():
    """3·(2^51 - 1) is below 2^53 only after the subtraction of the corner: 3·(2^51 - 1 - 2^50)."""
    assert costs([[2**51 - 1]], [[2**50]], [[3]])[0, 0] == 3 * (2**50 - 1)


def test_ratios_of_equal_fractions_are_equal():
    """1/3 and 4/12 must tie without a tolerance."""
    ratios = cost_ratios([[3, 1, 3], [4, 12, 12], [5, 5, 5]])
    assert ratios[0, 1] == ratios[1, 0]


@pytest.mark.parametrize(
    ("answers", "corners", "prices", "message"),
    [
        ([[1, np.nan]], [[0, 0]], [[1, 1]], r"answers: .*found nan at \(0, 1\) \(1 of 2\)"),
        ([[1, 1]], [[0, 0]], [[1, -2]], r"prices: .*found -2.0 at \(0, 1\)"),
        ([[1, 1, 1]], [[0, 0]], [[1, 1]], r"found \(1, 3\), \(1, 2\) and \(1, 2\)"),
        ([[1, 1]], [[0, 0], [0, 0]], [[1, 1]], r"one price vector a round"),
        (np.empty((0, 2)), [[0, 0]], [[1, 1]], r"answers: .*found shape \(0, 2\)"),
        ([1, 1], [[0, 0]], [[1, 1]], r"answers: .*found shape \(2,\)"),
    ],
)
def test_bad_points_are_refused(answers, corners, prices, message):
    with pytest.raises(ValueError, match=message):
        costs(answers, corners, prices)


def test_negative_quantities_are_refused():
    with pytest.raises(ValueError, match=r"quantities: .*found -1.0 at \(0, 1\)"):
        costs_of_consumption([[1, 1]], [[1, -1]])


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[1, 2, 3]], r"found shape \(1, 3\)"),
        ([[0, 1], [1, 1]], r"own expenditure: .*found 0.0 at 0 \(1 of 2\)"),
        ([[1, -1], [1, 1]], r"costs: .*found -1.0 at \(0, 1\)"),
        ([[1, np.inf], [1, 1]], r"costs: .*found inf at \(0, 1\)"),
    ],
)
def test_bad_cost_matrices_are_refused(cost, message):
    with pytest.raises(ValueError, match=message):
        cost_ratios(cost)


def test_a_refusal_names_the_first_five_places():
    with pytest.raises(
        ValueError, match=r"at 0, 0.0 at 1, 0.0 at 2, 0.0 at 3, 0.0 at 4 \(6 of 6\)"
    ):
        cost_ratios(np.zeros((6, 6)))


def test_importing_the_package_leaves_numba_out():
    code = "import rationale.revealed, sys; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
