"""Optimization: keys against sorting, scipy's optimizers and trying every mix."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
import steer
from scipy.optimize import Bounds, LinearConstraint, linprog, milp, minimize_scalar

from rationale.surveys.steer.elements.mistakes import stated
from rationale.surveys.steer.elements.optimization import (
    best_corner,
    best_mix,
    best_whole,
    polynomial,
    value_at,
)


@lru_cache
def drawn(slug):
    return [one for seed in (1, 2) for one in steer.questions(slug, seed=seed)]


def curve(instance):
    """The function of an instance, to be made small."""
    sign = 1 if instance["aim"] == "least" else -1
    top, bottom = (np.polynomial.Polynomial(instance[n]) for n in ("numerator", "denominator"))
    return lambda x: sign * top(x) / bottom(x)


def lowest_place(function, low, high):
    """The best of bounded searches on pieces of an interval, and of its ends."""
    edges = np.linspace(low, high, 9)
    places = [low, high]
    for left, right in pairwise(edges):
        found = minimize_scalar(function, bounds=(left, right), method="bounded")
        places.append(found.x)
    return min(places, key=function)


def every_mix(gains, limits):
    """The best of all whole mixes on the grid."""
    top = [min(limit[-1] // limit[good] for limit in limits) for good in (0, 1)]
    first, second = np.meshgrid(np.arange(top[0] + 1), np.arange(top[1] + 1))
    fits = np.all([a * first + b * second <= most for a, b, most in limits], axis=0)
    return int((gains[0] * first + gains[1] * second)[fits].max())


def test_the_key_is_the_end_of_the_sorted_list():
    for one in drawn("discrete-optimum"):
        found = one.draft.instance
        sums = map(sum, zip(found["firsts"], found["seconds"], strict=True))
        ranked = sorted(zip(sums, found["names"], strict=True))
        value, name = ranked[-1 if found["aim"] == "most" else 0]
        (part,) = one.draft.parts
        assert (part.value, part.key.text.lower()) == (value, name.lower())
        assert len({total for total, _ in ranked}) == len(ranked)


def test_the_key_is_where_a_numerical_search_ends():
    """Without an interval the search runs from -200 to 200; 1/1,000 is the search's precision."""
    for one in steer.questions("continuous-optimum"):
        low, high = one.draft.instance["range"] or (-200, 200)
        place = lowest_place(curve(one.draft.instance), low, high)
        assert abs(place - one.draft.parts[0].value) < 1e-3, one.question_id


def test_no_other_option_does_as_well_as_the_key():
    for one in drawn("continuous-optimum"):
        (part,) = one.draft.parts
        function = curve(one.draft.instance)
        best = function(float(stated(part.key.text)))
        assert stated(part.key.text) == part.value
        others = [option for option in part.options if option is not part.key]
        assert all(function(float(stated(option.text))) > best + 1e-6 for option in others)


def test_options_lie_within_the_interval():
    for one in drawn("continuous-optimum"):
        if one.draft.instance["range"]:
            low, high = one.draft.instance["range"]
            assert all(low <= stated(o.text) <= high for o in one.draft.parts[0].options)


def test_parts_of_units_gain_what_a_linear_program_gains():
    for one in steer.questions("constrained-optimum"):
        gains, limits = one.draft.instance["gains"], np.array(one.draft.instance["limits"])
        if not one.draft.instance["whole"]:
            found = linprog([-gain for gain in gains], A_ub=limits[:, :2], b_ub=limits[:, 2])
            assert abs(-found.fun - one.draft.parts[0].value) < 1e-6, one.question_id


def test_whole_units_gain_what_an_integer_program_gains():
    for one in steer.questions("constrained-optimum"):
        gains, limits = one.draft.instance["gains"], np.array(one.draft.instance["limits"])
        if one.draft.instance["whole"]:
            found = milp(
                [-gain for gain in gains],
                constraints=LinearConstraint(limits[:, :2], ub=limits[:, 2]),
                bounds=Bounds(0, np.inf),
                integrality=[1, 1],
            )
            assert round(-found.fun) == one.draft.parts[0].value, one.question_id


def test_the_key_alone_is_the_best_of_all_mixes():
    """Whole mixes do as well as any at grades 4 and 5, so that both readings have one answer."""
    for one in drawn("constrained-optimum"):
        (part,) = one.draft.parts
        best = every_mix(one.draft.instance["gains"], one.draft.instance["limits"])
        assert [o for o in part.options if stated(o.text) == best] == [part.key], one.question_id


@pytest.mark.parametrize("slug", ["continuous-optimum", "constrained-optimum"])
def test_texts_state_the_limits(slug):
    for one in steer.questions(slug):
        found = one.draft.instance
        told = [*found.get("range", []), *(n for limit in found.get("limits", []) for n in limit)]
        assert all(f"{value:,}" in one.draft.parts[0].text for value in told)


def test_a_box_of_cardboard():
    """Illustration 1.2.b: V = x(15 - 2x)² = 4x³ - 60x² + 225x; V' = 12x² - 120x + 225 = 0 at 2.5."""
    volume = [0, 225, -60, 4]
    found = {"numerator": volume, "denominator": [1], "aim": "most"}
    assert abs(lowest_place(curve(found), 0, 7.5) - 2.5) < 1e-3
    assert value_at(volume, Fraction(5, 2)) == 250


def test_two_widgets():
    """Illustration 1.2.c: both earn 2 an hour, so that 15 hours bring 30 in several mixes."""
    assert best_corner((10, 20), [(5, 10, 15)]) == 30
    assert best_whole((10, 20), [(5, 10, 15)]) == 30
    assert 10 * 3 + 20 * 0 == 10 * 1 + 20 * 1 == 30


def test_a_corner_of_two_limits():
    """2x + y = 8 and x + 2y = 7 meet at (3, 2): 5 × 3 + 4 × 2 = 23."""
    assert best_corner((5, 4), [(2, 1, 8), (1, 2, 7)]) == 23
    assert best_mix((5, 4), [(2, 1, 8), (1, 2, 7)]) == (3, 2)


def test_whole_units_gain_less():
    """3x + 2y <= 7 for gains 5 and 3: 5 × 7/3 = 35/3 in parts, but 5 × 1 + 3 × 2 = 11 whole."""
    assert best_corner((5, 3), [(3, 2, 7)]) == Fraction(35, 3)
    assert best_whole((5, 3), [(3, 2, 7)]) == 11


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ([40, -12, 3], "3x² - 12x + 40"),
        ([1300, 60, -2], "1,300 + 60x - 2x²"),
        ([-5, 0, -4, 1], "x³ - 4x² - 5"),
    ],
)
def test_polynomials_as_a_person_writes_them(terms, said):
    assert polynomial(terms) == said
