"""Adjusted p-values, by hand and against scipy."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from rationale.inference import benjamini_hochberg, holm


def test_holm_by_hand():
    """Sorted 0.01, 0.03, 0.04 times 3, 2, 1: 0.03, 0.06, 0.04, and no later one below 0.06."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06], rel=1e-14)


def test_benjamini_hochberg_by_hand():
    """Sorted 0.01, 0.03, 0.04 times 3/1, 3/2, 3/3: 0.03, 0.045, 0.04; the second falls to 0.04."""
    assert benjamini_hochberg([0.04, 0.01, 0.03]) == pytest.approx([0.04, 0.03, 0.04], rel=1e-14)


def test_benjamini_hochberg_equals_scipys():
    p = np.random.default_rng(7).random(200) ** 3
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p), rel=1e-14)


def test_holm_equals_its_definition():
    """Adjusted p of hypothesis h: the largest (H - rank)·p among those at or below it, capped."""
    p = np.random.default_rng(8).random(60) ** 3
    ranks = {h: rank for rank, h in enumerate(sorted(range(60), key=lambda h: p[h]))}
    expected = [min(1, max((60 - ranks[g]) * p[g] for g in ranks if p[g] <= x)) for x in p]
    assert holm(p) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_nan_stays_and_counts_for_nothing(adjust):
    found = adjust([0.01, np.nan, 0.04, np.nan])
    assert np.isnan(found).tolist() == [False, True, False, True]
    assert found[[0, 2]].tolist() == adjust([0.01, 0.04]).tolist()


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_nothing_but_nan_stays_nan(adjust):
    assert np.isnan(adjust([np.nan, np.nan])).all()


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_no_adjusted_p_exceeds_one(adjust):
    assert adjust([0.9, 0.95, 1.0]).max() == 1


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_one_hypothesis_is_left_as_it_is(adjust):
    assert adjust([0.03]).tolist() == [0.03]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.1, 1.2, -0.1], r"p: .*found 1.2 at 1, -0.1 at 2 \(2 of 3\)"),
        ([], r"found shape \(0,\)"),
        ([[0.1]], r"found shape \(1, 1\)"),
    ],
)
def test_bad_p_values_are_refused(adjust, p, message):
    with pytest.raises(ValueError, match=message):
        adjust(p)
