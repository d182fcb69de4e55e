"""Intervals for shares, by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import binomtest

from rationale.inference import clopper_pearson, wilson

CASES = [(0, 1), (1, 1), (0, 30), (1, 30), (15, 30), (29, 30), (30, 30), (37, 1000), (999, 1000)]


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    ("interval", "method", "tolerance"),
    # scipy solves for the exact bounds by root finding, to about 1e-11.
    [(clopper_pearson, "exact", 1e-9), (wilson, "wilson", 1e-14)],
)
def test_bounds_equal_scipys(interval, method, tolerance, level):
    count, total = np.array(CASES).T
    found = interval(count, total, level)
    expected = [binomtest(k, n).proportion_ci(level, method) for k, n in CASES]
    assert found.low == pytest.approx([e.low for e in expected], abs=tolerance)
    assert found.high == pytest.approx([e.high for e in expected], abs=tolerance)


def test_clopper_pearson_without_success():
    """0 of 10: (1 - high)^10 = 0.025, so high = 1 - 0.025^0.1 = 0.30850."""
    low, high = clopper_pearson(0, 10)
    assert low == 0
    assert high == pytest.approx(1 - 0.025**0.1, rel=1e-12)


def test_wilson_of_one_half():
    """5 of 10 with z = 1.959964: 0.5 ± z/(10 + z²)·sqrt(2.5 + z²/4) = 0.5 ± 0.263407."""
    low, high = wilson(5, 10)
    assert low == pytest.approx(0.236593, abs=1e-6)
    assert high == pytest.approx(0.763407, abs=1e-6)


@pytest.mark.parametrize("interval", [clopper_pearson, wilson])
def test_counts_and_totals_broadcast(interval):
    assert interval([[1], [2]], [10, 20, 30]).low.shape == (2, 3)


@pytest.mark.parametrize("interval", [clopper_pearson, wilson])
def test_the_ends_are_exact(interval):
    assert interval(0, 7).low == 0
    assert interval(7, 7).high == 1


def test_wilson_takes_averaged_counts():
    assert wilson(2, 10).low < wilson(2.5, 10).low < wilson(3, 10).low


@pytest.mark.parametrize("interval", [clopper_pearson, wilson])
@pytest.mark.parametrize(
    ("count", "total", "level", "message"),
    [
        ([1, 5], 4, 0.95, r"count: .*found 5.0 at 1 \(1 of 2\)"),
        (-1, 4, 0.95, r"count: .*found -1.0"),
        (np.nan, 4, 0.95, r"count: .*found nan"),
        (0, 0, 0.95, r"total: .*found 0.0"),
        (1, 4, 95, r"level: .*found 95"),
    ],
)
def test_bad_counts_are_refused(interval, count, total, level, message):
    with pytest.raises(ValueError, match=message):
        interval(count, total, level)


def test_clopper_pearson_refuses_a_share():
    with pytest.raises(ValueError, match=r"count: expected whole numbers; found 0.05"):
        clopper_pearson(0.05, 1000)
