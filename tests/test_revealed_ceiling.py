"""What a noiseless maximiser reaches on the options it is shown."""

import numpy as np
import pytest

from rationale.revealed import ccei, costs
from rationale.revealed.ceiling import best_options, ceiling

CORNERS, PRICES = [(0, 0), (0, 0)], [(1, 2), (2, 1)]
OPTIONS = [[(0, 2), (4, 0)], [(2, 0), (0, 4), (1, 2)]]
EQUAL = (0.5, 0.5)


def test_a_ceiling_by_hand():
    """Ideal (0, 0): round 0 takes (0, 2), at squared distance 4 and not 16; round 1 takes (2, 0), at
    4 and not 16 or 5. At (1, 2) they cost 4 and 2, at (2, 1) 2 and 4: the ceiling is 2/4.
    """
    found = ceiling(EQUAL, (0, 0), OPTIONS, CORNERS, PRICES, 100, ("test",))
    assert found == (0.5, 0.5, 0.5, 0, 1)


def test_ties_are_drawn_and_averaged():
    """Ideal (2, 1): both options of round 0 are at squared distance 5; round 1 takes (2, 0). With
    (0, 2) the CCEI is 1/2 as above. With (4, 0), which costs 8 at round 1's prices where 4 were
    spent, there is no cycle. The mean of 400 draws is 0.75 with standard error 0.0125.
    """
    found = ceiling(EQUAL, (2, 1), OPTIONS, CORNERS, PRICES, 400, ("test",))
    assert found[1:] == (0.5, 1, 1, 400)
    assert found.ccei == pytest.approx(0.75, abs=0.05)
    assert found == ceiling(EQUAL, (2, 1), OPTIONS, CORNERS, PRICES, 400, ("test",))


def test_ties_survive_weights_that_are_not_exact():
    """0.1·9 + 0.2·1 + 0.7·4 = 3.9 = 0.1·4 + 0.2·0 + 0.7·5, though not in binary."""
    offers = [np.sqrt([(9.0, 1.0, 4.0), (4.0, 0.0, 5.0), (9.0, 9.0, 9.0)])]
    assert best_options((0.1, 0.2, 0.7), (0, 0, 0), offers)[0].tolist() == [0, 1]


def test_the_ceiling_is_the_ccei_of_the_best_options():
    rng = np.random.default_rng(3)
    corners, prices = rng.choice([0, 5], (30, 4)), rng.integers(1, 4, (30, 4))
    options = [rng.uniform(1, 4, (size, 4)) for size in rng.integers(1, 30, 30)]
    weights, ideal = np.array([0.4, 0.3, 0.2, 0.1]), np.array([1, 2, 3, 4])
    best = [max(o, key=lambda q: -sum(weights * (q - ideal) ** 2)) for o in options]
    found = ceiling(weights, ideal, options, corners, prices, 10, ("test",))
    assert found.ccei == ccei(costs(np.array(best), corners, prices)) < 1


def test_orders_of_options_and_rounds_and_the_unit_of_weights_do_not_matter():
    rng = np.random.default_rng(5)
    corners, prices = rng.choice([0, 5], (30, 4)), rng.integers(1, 4, (30, 4))
    options = [rng.uniform(1, 4, (20, 4)) for _ in range(30)]
    weights, ideal, order = rng.dirichlet(np.ones(4)), rng.uniform(0, 5, 4), rng.permutation(30)
    plain = ceiling(weights, ideal, options, corners, prices, 10, ("test",))
    moved = [rng.permutation(options[r]) for r in order]
    assert ceiling(3 * weights, ideal, moved, corners[order], prices[order], 10, ("x",)) == plain


@pytest.mark.parametrize(
    ("weights", "ideal", "options", "message"),
    [
        ((0.5, np.nan), (0, 0), OPTIONS, r"weights: .*found nan"),
        ((0.5, -0.5), (0, 0), OPTIONS, r"weights: .*found -0.5"),
        (EQUAL, (0, 0, 0), OPTIONS, r"2 weights, 3 ideals"),
        (EQUAL, (0, 0), OPTIONS[:1], r"choices: .*same rounds"),
    ],
)
def test_bad_input_is_refused(weights, ideal, options, message):
    with pytest.raises(ValueError, match=message):
        ceiling(weights, ideal, options, CORNERS, PRICES, 10, ("test",))
