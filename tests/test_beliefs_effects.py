"""Effects of order and form, preferences and violations: by hand and by their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rationale.beliefs.effects import (
    form_effects,
    order_effect,
    preference_strength,
    prefers,
    violation_likelihood,
)

NAN = np.nan
ORDER = [0, 1] * 3
TEMPLATE = ["ab", "ab", "repeat", "repeat", "compare", "compare"]
# The two scenarios of tests/test_beliefs_likelihoods.py.
P = np.array([[1, 1, 1, 1, 1, 0.5], [1, 0, 0.75, 0.25, 0.5, 0.5]])
MATRICES = arrays(np.float64, (3, 6), elements=st.one_of(st.floats(0, 1), st.just(NAN)))


def test_order_effect_by_hand():
    """(0 + 0 + 1/2)/3 = 1/6; (1 + 1/2 + 0)/3 = 1/2."""
    assert order_effect(P, ORDER, TEMPLATE) == pytest.approx([1 / 6, 1 / 2])


def test_a_respondent_that_always_takes_the_first_has_an_order_effect_of_1():
    assert order_effect([[1, 0, 1, 0, 1, 0]], ORDER, TEMPLATE) == [1]


def test_a_respondent_that_always_takes_the_second_has_an_order_effect_of_minus_1():
    assert order_effect([[0, 1]], [0, 1], ["ab", "ab"]) == [-1]


def test_a_template_without_both_orders_tells_no_order_effect():
    """ab was asked in one order only, then repeat in the first scenario: compare alone counts."""
    p = [[0.9, NAN, 0.75, 0.5], [NAN, 0.25, 0.75, NAN]]
    found = order_effect(p, [0, 0, 0, 1], ["ab", "repeat", "compare", "compare"])
    assert found[0] == 0.25
    assert np.isnan(found[1])


@given(MATRICES)
@settings(max_examples=50, deadline=None)
def test_order_effect_is_that_of_plain_loops(p):
    for row, found in zip(p, order_effect(p, ORDER, TEMPLATE), strict=True):
        gaps = [row[z] - row[z + 1] for z in (0, 2, 4) if not np.isnan(row[z] + row[z + 1])]
        expected = sum(gaps) / len(gaps) if gaps else NAN
        assert found == pytest.approx(expected, abs=1e-14, nan_ok=True)


@given(MATRICES)
@settings(max_examples=50, deadline=None)
def test_naming_the_actions_the_other_way_keeps_the_order_effect(p):
    """Then every p is 1 - p and every order the other one."""
    swapped = order_effect(1 - p, [1 - order for order in ORDER], TEMPLATE)
    np.testing.assert_allclose(swapped, order_effect(p, ORDER, TEMPLATE), atol=1e-14)


def test_form_effects_by_hand():
    """First: 1, 1, 3/4 less their mean 11/12; second: 1/2 in each template."""
    found = form_effects(P, ORDER, TEMPLATE)
    assert found["ab"] == pytest.approx([1 / 12, 0])
    assert found["repeat"] == pytest.approx([1 / 12, 0])
    assert found["compare"] == pytest.approx([-1 / 6, 0])


def test_a_template_in_one_order_has_no_form_effect_and_moves_no_other():
    p = [[1.0, 0.5, 0.5, 0.25, 0.25]]
    found = form_effects(p, [0, 0, 1, 0, 1], ["ab", "repeat", "repeat", "compare", "compare"])
    assert np.isnan(found["ab"]).all()
    assert (found["repeat"], found["compare"]) == ([0.125], [-0.125])


def test_a_template_alone_has_no_form_effect():
    assert np.isnan(form_effects([[0.5, 0.5]], [0, 1], ["ab", "ab"])["ab"]).all()


@given(MATRICES)
@settings(max_examples=50, deadline=None)
def test_form_effects_sum_to_0(p):
    effects = np.array(list(form_effects(p, ORDER, TEMPLATE).values()))
    assert np.nansum(effects, axis=0) == pytest.approx([0, 0, 0], abs=1e-14)


@pytest.mark.parametrize(
    ("p", "order", "template", "message"),
    [
        ([[0.5, 0.5]], [0], ["ab", "ab"], r"found shape \(1, 2\), 1 orders, 2 templates"),
        ([0.5], [0], ["ab"], r"found shape \(1,\)"),
        ([[0.5, 0.5]], [0, 2], ["ab", "ab"], "found ab-2"),
        ([[0.5, 0.5]], [1, 1], ["ab", "ab"], "found ab-1 twice"),
        ([[0.5, 1.5]], [0, 1], ["ab", "ab"], "p: .*found 1.5"),
    ],
)
@pytest.mark.parametrize("effect", [order_effect, form_effects])
def test_forms_that_do_not_fit_are_refused(effect, p, order, template, message):
    with pytest.raises(ValueError, match=message):
        effect(p, order, template)


def test_strength_is_the_likelihood_of_the_likelier_action():
    assert preference_strength([0.2, 0.5, 1.0]).tolist() == [0.8, 0.5, 1.0]
    assert np.isnan(preference_strength(NAN))


def test_preferences_by_hand():
    found = prefers([1.0, 0.75, 0.74, 0.26, 0.25, 0.0])
    assert found.tolist() == [1, 1, 0, 0, -1, -1]


def test_a_preference_that_is_missing_is_not_none():
    assert np.isnan(prefers(NAN))


def test_a_share_that_rounding_moved_below_the_threshold_still_meets_it():
    """(0.7 + 0.6 + 1 + 0.8 + 0.8 + 0.6)/6 = 0.75, and in floating point just below."""
    p = np.sum([0.7, 0.6, 1.0, 0.8, 0.8, 0.6]) / 6
    assert (p < 0.75, prefers(p)) == (True, 1)


@given(st.floats(0, 1), st.floats(0.51, 1))
@settings(max_examples=50, deadline=None)
def test_preferences_follow_the_strength(p, threshold):
    strong = preference_strength(p) >= threshold - 1e-9
    assert abs(prefers(p, threshold)) == strong
    assert prefers(p, threshold) == -prefers(1 - p, threshold)


@pytest.mark.parametrize("threshold", [0.5, 0.0, 1.01, NAN])
def test_a_threshold_that_both_actions_could_meet_is_refused(threshold):
    with pytest.raises(ValueError, match=r"threshold: expected above 0\.5"):
        prefers([0.5], threshold)


def test_violations_by_hand():
    """Only where one label is Yes and the other No: p of action 1, or 1 - p of action 2."""
    first = ["Yes", "No", "Yes", "No", "No Agreement", "Yes", None]
    second = ["No", "Yes", "Yes", "No", "Yes", None, None]
    found = violation_likelihood([0.75] * 7, first, second)
    assert found[:2].tolist() == [0.75, 0.25]
    assert np.isnan(found[2:]).all()


def test_a_missing_likelihood_stays_missing():
    assert np.isnan(violation_likelihood([NAN], ["Yes"], ["No"])).all()


def test_swapping_the_actions_keeps_the_likelihood_of_the_violation():
    first, second = ["Yes", "No"], ["No", "Yes"]
    one = violation_likelihood([0.75, 0.125], first, second)
    assert one.tolist() == violation_likelihood([0.25, 0.875], second, first).tolist()


@pytest.mark.parametrize(
    ("p", "first", "second", "message"),
    [
        ([0.5], ["yes"], ["No"], "violates1: .*found yes at 0"),
        ([0.5], ["Yes"], [""], "violates2: "),
        ([0.5, 0.5], ["Yes"], ["No"], r"violates1: .*found \(1,\) for \(2,\)"),
        ([1.5], ["Yes"], ["No"], "p: .*found 1.5"),
    ],
)
def test_labels_that_do_not_fit_are_refused(p, first, second, message):
    with pytest.raises(ValueError, match=message):
        violation_likelihood(p, first, second)
