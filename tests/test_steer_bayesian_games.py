"""Keys of the Bayesian games against every offer, every profile, every belief on a grid."""

from fractions import Fraction
from itertools import product

import pytest
import steer

from rationale.surveys.steer.elements.bayesian_games import equilibria, perfect, profit

BOTH = (True, False)
PAIRS = list(product(BOTH, repeat=2))


@pytest.fixture(scope="module")
def bayes():
    return steer.questions("bayes-nash", 3000, seed=3)


@pytest.fixture(scope="module")
def entries():
    return steer.questions("perfect-bayes-nash", 2000, seed=3)


def best_offers(qualities, step):
    """Every offer from 0 on, in steps, by what it earns when only willing sellers sell."""
    top = max(own for _, own, _ in qualities)
    earned = {
        offer: sum(Fraction(c) * (worth - offer) for c, own, worth in qualities if offer >= own)
        for offer in range(0, top + 2 * step, step)
    }
    most = max(earned.values())
    return [offer for offer, value in earned.items() if value == most], most


def test_offers_are_the_best_of_all_that_could_be_made(bayes):
    for one in bayes:
        if one.grade == 11:
            qualities, key = one.draft.instance["qualities"], one.draft.parts[0].key.text
            step = int(one.story.sizes["price"][2])
            best, most = best_offers(qualities, step)
            if key == "Make no offer":
                assert most == 0
                assert best[0] == 0
            else:
                assert [int(key.split("$")[1].replace(",", ""))] == best


def expected(chance, gains, mine, other):
    """What a strategy brings before types are known, summed over all pairs of types."""
    total = Fraction(0)
    for t, u in product((0, 1), repeat=2):
        weight = (chance, 1 - chance)[t] * (chance, 1 - chance)[u]
        if mine[t]:
            total += weight * gains[t][0 if other[u] else 1]
    return total


def test_rivals_have_one_equilibrium_in_pure_strategies(bayes):
    for one in bayes:
        if one.grade == 12:
            chance, gains = Fraction(one.draft.instance["chance"]), one.draft.instance["gains"]
            found = [
                (a, b)
                for a, b in product(PAIRS, repeat=2)
                if all(
                    expected(chance, gains, a, b) >= expected(chance, gains, c, b) for c in PAIRS
                )
                and all(
                    expected(chance, gains, b, a) >= expected(chance, gains, c, a) for c in PAIRS
                )
            ]
            names = {
                (True, True): "always",
                (False, False): "never",
                (True, False): "only_one",
                (False, True): "only_two",
            }
            assert len(found) == 1
            assert found[0][0] == found[0][1]
            assert one.draft.parts[0].key.text == one.story.texts[names[found[0][0]]]


def entrant_gets(game, t, moves, answer):
    if not moves:
        return 0
    right = Fraction(game["right"])
    shares = (right, 1 - right) if t == 0 else (1 - right, right)
    return sum(
        share * (game["fought"] if fights else game["spared"])[t]
        for share, fights in zip(shares, answer, strict=True)
    )


def fits(game, moved, answer):
    """Whether each answer is best for a belief: Bayes' rule, or any of 21 where nobody moves."""
    chance, right = Fraction(game["chance"]), Fraction(game["right"])
    for report in (0, 1):
        one = chance * moved[0] * (right if report == 0 else 1 - right)
        two = (1 - chance) * moved[1] * (1 - right if report == 0 else right)
        beliefs = [one / (one + two)] if one + two else [Fraction(n, 20) for n in range(21)]
        if not any(
            (answer[report] and gain >= 0) or (not answer[report] and gain <= 0)
            for gain in (
                b * (game["fights"][0] - game["yields"][0])
                + (1 - b) * (game["fights"][1] - game["yields"][1])
                for b in beliefs
            )
        ):
            return False
    return True


def perfect_by_force(game, alike):
    return [
        (moved, answer)
        for moved, answer in product(PAIRS, repeat=2)
        if (not alike or answer[0] == answer[1])
        and all(
            entrant_gets(game, t, moved[t], answer) >= entrant_gets(game, t, not moved[t], answer)
            for t in (0, 1)
        )
        and fits(game, moved, answer)
    ]


def test_entries_have_one_perfect_equilibrium_and_the_key_says_it(entries):
    for one in entries:
        found = perfect_by_force(one.draft.instance, one.grade == 12)
        assert len(found) == 1
        (moved, answer), key, words = found[0], one.draft.parts[0].key.text, one.story.texts
        fights = words["fights"].split("{")[0].strip().lower()
        if one.grade == 12:
            who = {(1, 1): "all_move", (1, 0): "ones_move", (0, 1): "twos_move"}[moved]
            assert key.lower().startswith(words[who].lower())
            assert key.endswith(words["fights" if answer[0] else "yields"])
        elif answer[0] == answer[1]:
            assert key.endswith("whatever the report says")
            assert key.lower().startswith(fights) == answer[0]
        else:
            assert key.endswith(words["says_one" if answer[0] else "says_two"])
            assert key.lower().startswith(fights)


def test_the_illustration_of_the_painting():
    """1 for a painting that is worth 5 half of the time: 2.5 - 1 = 1.5; 0 brings 0."""
    qualities = [(Fraction(1, 2), 0, 0), (Fraction(1, 2), 1, 5)]
    assert [profit(qualities, offer) for offer in (0, 1, 2)] == [0, Fraction(3, 2), Fraction(1, 2)]


def test_a_price_that_good_ones_ask_can_lose_by_the_bad_ones():
    """At 10: 0.5 x (12 - 10) + 0.5 x (2 - 10) = -3; at 1: 0.5 x (2 - 1) = 0.5."""
    qualities = [(Fraction(1, 2), 1, 2), (Fraction(1, 2), 10, 12)]
    assert [profit(qualities, offer) for offer in (1, 10)] == [Fraction(1, 2), -3]


def test_only_the_strong_act_where_a_crowd_ruins_the_weak():
    """The first acts anyway; the second gets 0.6 x (-4) + 0.4 x 3 = -1.2 against that."""
    assert equilibria(Fraction(3, 5), [(1, 5), (-4, 3)]) == [((True, False), (True, False))]


def test_an_entrant_is_fought_only_on_a_report_that_makes_a_fight_pay():
    """Belief in the first after its report: 0.5 x 0.8 / 0.5 = 0.8, so fighting brings 0.6."""
    game = {
        "chance": Fraction(1, 2),
        "right": Fraction(4, 5),
        "fought": [1, 1],
        "spared": [3, 3],
        "fights": [1, -1],
        "yields": [0, 0],
    }
    assert perfect(game) == [((True, True), (True, False))]
