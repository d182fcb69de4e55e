"""Keys of the repeated games against triangles, linear programs, loops and discounted streams."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import steer
from scipy.optimize import linprog

from rationale.surveys.steer.elements.repeated_games import (
    feasible,
    keeping,
    maxmin,
    minmax,
    punished,
)

PRISONERS = [[(3, 3), (0, 5)], [(5, 0), (1, 1)]]
ROUNDS = 600


def points_of(instance):
    return [tuple(pair) for row in instance["game"] for pair in row]


def in_a_triangle(points, target):
    """Carathéodory: a point of the hull lies in a triangle of the points (barycentric, exact)."""
    for (ax, ay), (bx, by), (cx, cy) in combinations(points, 3):
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if area:
            b = ((target[0] - ax) * (cy - ay) - (cx - ax) * (target[1] - ay)) / Fraction(area)
            c = ((bx - ax) * (target[1] - ay) - (target[0] - ax) * (by - ay)) / Fraction(area)
            if b >= 0 and c >= 0 and b + c <= 1:
                return True
    return False


def weights_exist(points, target):
    rows = np.array([[1.0] * len(points), *zip(*points, strict=True)])
    found = linprog(np.zeros(len(points)), A_eq=rows, b_eq=[1.0, *map(float, target)])
    return found.status == 0


def held_to(game, player):
    """The minmax value by loops over the other's actions and the own replies."""
    size = range(len(game))
    worst = None
    for other in size:
        best = max((game[own][other] if player == 0 else game[other][own])[player] for own in size)
        worst = best if worst is None else min(worst, best)
    return worst


def stream(first, later, discount):
    return first + sum(later * discount**k for k in range(1, ROUNDS))


def who_says(text, names):
    if text in ("Both", "Neither"):
        return (text == "Both",) * 2
    assert text.startswith("Only ")
    return tuple(text == f"Only {name}" for name in names)


def names_of(question):
    """The two names among the options: those of "Only ..."."""
    return [o.text[5:] for o in question.draft.parts[0].options if o.text.startswith("Only")]


def test_feasible_keys_lie_in_a_triangle_of_the_payoffs():
    for one in steer.questions("feasibility", 4000, seed=2):
        target = tuple(map(Fraction, one.draft.instance["target"]))
        inside = in_a_triangle(points_of(one.draft.instance), target)
        assert one.draft.parts[0].key.text.startswith("Yes" if inside else "No")


def test_feasible_keys_agree_with_a_linear_program():
    for one in steer.questions("feasibility")[::5]:
        target = tuple(map(Fraction, one.draft.instance["target"]))
        inside = weights_exist(points_of(one.draft.instance), target)
        assert one.draft.parts[0].key.text.startswith("Yes" if inside else "No")


def test_most_pairs_that_are_out_of_reach_are_within_each_side_alone():
    out = [q for q in steer.questions("feasibility") if q.draft.parts[0].key.text.startswith("No")]
    boxed = 0
    for one in out:
        x, y = map(Fraction, one.draft.instance["target"])
        xs, ys = zip(*points_of(one.draft.instance), strict=True)
        boxed += min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys)
    assert boxed > len(out) / 2


def test_the_illustration_of_feasibility():
    """(3, 2) = 3/5 (3, 3) + 1/5 (5, 0) + 1/5 (1, 1) here: feasible."""
    points = [pair for row in PRISONERS for pair in row]
    weights = [Fraction(1, 2), Fraction(1, 10), Fraction(3, 10), Fraction(1, 10)]
    total = [sum(w * p[k] for w, p in zip(weights, points, strict=True)) for k in (0, 1)]
    assert total == [Fraction(31, 10), Fraction(21, 10)]
    assert feasible(points, (3, 2), Fraction(0))


def test_a_pair_within_both_ranges_can_be_out_of_reach():
    """(4, 4): the edge from (3, 3) to (5, 0) and (0, 5) lies under it."""
    assert feasible([p for row in PRISONERS for p in row], (4, 4), Fraction(1, 10)) is False


def test_a_pair_on_an_edge_is_not_asked():
    """(4, 3/2) is halfway from (3, 3) to (5, 0)."""
    points = [p for row in PRISONERS for p in row]
    assert feasible(points, (4, Fraction(3, 2)), Fraction(1, 10)) is None


def test_enforceable_averages_beat_the_minmax_values():
    for one in steer.questions("enforceability", 3000, seed=2):
        part, instance = one.draft.parts[0], one.draft.instance
        if one.grade < 12:
            target = list(map(Fraction, instance["target"]))
            held = [held_to(instance["game"], player) for player in (0, 1)]
            assert all(t != h for t, h in zip(target, held, strict=True))
            truth = tuple(t > h for t, h in zip(target, held, strict=True))
            shown = [o for o in part.options if who_says(o.text, names_in_order(one)) == truth]
            assert shown == [part.key]
            assert in_a_triangle(points_of(instance), target)


def names_in_order(question):
    """The name of the one whose payoffs stand first in the text comes first."""
    first, second = names_of(question)
    return (first, second) if first == question_name(question) else (second, first)


def question_name(question):
    explanation = question.draft.explanation
    names = names_of(question)
    return min(names, key=lambda name: explanation.lower().index(name.lower()))


def test_plans_are_kept_where_the_discounted_stream_is_larger():
    for one in steer.questions("enforceability", 3000, seed=2):
        part, instance = one.draft.parts[0], one.draft.instance
        if one.grade == 12:
            game, (i, j) = instance["game"], instance["plan"]
            discount = float(Fraction(instance["discount"]))
            departed = (game[1 - i][j][0], game[i][1 - j][1])
            truth = tuple(
                stream(game[i][j][k], game[i][j][k], discount)
                > stream(departed[k], held_to(game, k), discount)
                for k in (0, 1)
            )
            shown = [o for o in part.options if who_says(o.text, names_in_order(one)) == truth]
            assert shown == [part.key]


def test_names_stand_in_the_text_in_the_order_of_their_payoffs():
    for one in steer.questions("enforceability")[:200]:
        first, second = names_in_order(one)
        story = one.draft.parts[0].text.lower()
        assert story.rindex(f" {first}".lower()) < story.rindex(f" {second}".lower()) or (
            one.grade == 12
        )


def test_minmax_and_maxmin_of_matching_pennies():
    """One wins 1 on a match: held to 1 in pure actions, sure of 0 only."""
    game = [[(1, 0), (0, 1)], [(0, 1), (1, 0)]]
    assert [minmax(game, 0), minmax(game, 1), maxmin(game, 0), maxmin(game, 1)] == [1, 1, 0, 0]


def test_the_illustration_of_enforceability():
    """2 a round against 3/4 of 0 and 1/4 of 3: (1 - 0.75) x 3 = 0.75 < 2, so yes for both."""
    game = [[(2, 2), (-1, 3)], [(3, -1), (0, 0)]]
    held = [minmax(game, 0), minmax(game, 1)]
    assert held == [0, 0]
    assert keeping(game, (0, 0), Fraction(3, 4), held) == [Fraction(5, 4), Fraction(5, 4)]


@pytest.fixture(scope="module")
def triggers():
    return steer.questions("trigger-strategies", 3000, seed=2)


def departure(payoffs, discount, rounds):
    """The stream of one who departs once less that of one who never does."""
    T, R, P, _ = payoffs
    length = ROUNDS if rounds is None else rounds
    return T - R + sum((P - R) * discount**k for k in range(1, length + 1))


def test_grim_triggers_hold_where_departing_earns_less(triggers):
    for one in triggers:
        if one.grade == 10:
            discount = float(Fraction(one.draft.instance["discount"]))
            holds = departure(one.draft.instance["payoffs"], discount, None) < 0
            assert one.draft.parts[0].key.text.startswith("Yes" if holds else "No")


def test_lengths_of_punishment_are_the_shortest_that_hold(triggers):
    for one in triggers:
        if one.grade == 11:
            discount = Fraction(one.draft.instance["discount"])
            holds = [
                departure(one.draft.instance["payoffs"], discount, n) <= 0 for n in range(1, 5)
            ]
            key = one.draft.parts[0].key.text
            assert int(key.split()[0]) == holds.index(True) + 1 == one.draft.parts[0].value


def test_the_lowest_discount_factor_leaves_departing_worth_nothing(triggers):
    for one in triggers:
        if one.grade == 12:
            part, payoffs = one.draft.parts[0], one.draft.instance["payoffs"]
            bound = part.value
            gain, loss = payoffs[0] - payoffs[1], payoffs[1] - payoffs[2]
            assert punished(gain, loss, bound, None) == 0
            assert abs(Fraction(part.key.text) - bound) <= Fraction(1, 200)
            for other in part.options:
                if other is not part.key:
                    assert abs(departure(payoffs, float(other.text), None)) > gain / 1000


def test_triggers_are_prisoners_dilemmas(triggers):
    for one in triggers:
        T, R, P, S = one.draft.instance["payoffs"]
        assert T > R > P > S > 0


def test_the_illustration_of_triggers():
    """6 - 4 = 2 once against 4 - 3 = 1 ever after at 0.8: 2 - 0.8 / 0.2 = -2, so it holds."""
    assert punished(2, 1, Fraction(4, 5), None) == -2


def test_two_rounds_of_punishment_can_be_too_few():
    """A gain of 3 against 2 x (0.8 + 0.64) = 2.88; with a third round 2 x 1.952 = 3.904."""
    assert punished(3, 2, Fraction(4, 5), 2) == Fraction(3, 25)
    assert punished(3, 2, Fraction(4, 5), 3) < 0
