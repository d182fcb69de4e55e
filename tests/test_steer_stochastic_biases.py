"""Biases under uncertainty: keys against enumeration, rules against utilities and urns."""

from fractions import Fraction
from itertools import product

import pytest
import steer

from rationale.surveys.steer.bank import guessing
from rationale.surveys.steer.rules import consistent

SEEDS = (1, 2, 3)


def many(slug):
    return [one for seed in SEEDS for one in steer.questions(slug, seed=seed)]


# Gambler's fallacy


def tree(chances: dict[str, Fraction], draws: int) -> dict[tuple, Fraction]:
    """Every sequence of independent draws with its probability, by walking the tree."""
    paths = {(): Fraction(1)}
    for _ in range(draws):
        paths = {(*path, o): p * q for path, p in paths.items() for o, q in chances.items()}
    return paths


def chances_of(instance):
    x = Fraction(instance["chance"], 100)
    return {"x": x, "y": 1 - x}


def gamblers(kind):
    return [one for one in many("gamblers-fallacy") if one.draft.instance["kind"] == kind]


def test_the_likelier_outcome_stays_the_likelier_one():
    """Conditioning the tree of run + 1 draws on the run leaves the chances of the last draw."""
    for one in gamblers("next"):
        instance, part = one.draft.instance, one.draft.parts[0]
        paths = tree(chances_of(instance), min(instance["run"], 4) + 1)
        run = {path: p for path, p in paths.items() if set(path[:-1]) == {instance["seen"]}}
        after = {o: sum(p for path, p in run.items() if path[-1] == o) for o in "xy"}
        if after["x"] == after["y"]:
            assert part.key.text == "Both are equally likely"
        else:
            likelier = max(after, key=after.get)
            assert part.key.text.casefold() == instance[likelier].casefold()


def test_neither_outcome_nor_equal_likelihood_is_always_right():
    found = [one.draft.parts[0].key.text == "Both are equally likely" for one in gamblers("next")]
    assert abs(sum(found) / len(found) - 1 / 3) < 0.07


def test_expected_counts_follow_from_the_chance_alone():
    """The mean of a sum is the sum of the means, one draw after the other."""
    for one in gamblers("expected"):
        instance = one.draft.instance
        chance = chances_of(instance)[instance["counted"]]
        mean = sum((chance for _ in range(instance["more"])), Fraction(0))
        assert one.draft.parts[0].value == mean
        assert one.draft.parts[0].key.text == f"{int(mean):,}"
        assert instance["hits"] != chances_of(instance)[instance["seen"]] * 100


def test_the_words_of_the_sequence_stand_in_its_order():
    for one in gamblers("sequence"):
        instance, text = one.draft.instance, one.draft.parts[0].text
        said = [instance[o] for o in instance["order"]]
        mixed = f"{', '.join(said[:-1])} and then {said[-1]}, in this order?"
        alike = f"{said[0]}, all {('three', 'four')[len(said) - 3]} of them?"
        assert (alike if len(set(said)) == 1 else mixed) in text


def test_sequences_have_the_probability_of_their_path():
    for one in gamblers("sequence"):
        instance, part = one.draft.instance, one.draft.parts[0]
        order = tuple(instance["order"])
        share = tree(chances_of(instance), len(order))[order]
        assert part.value == share
        assert Fraction(part.key.text.rstrip("%")) == share * 100
        others = [Fraction(o.text.rstrip("%")) / 100 for o in part.options if o is not part.key]
        assert share not in others


def test_a_fair_coin_after_five_heads():
    """Illustration 2.5.a: of the 64 sequences of six flips, one is HHHHHH and one HHHHHT."""
    half = Fraction(1, 2)
    paths = tree({"heads": half, "tails": half}, 6)
    run = ("heads",) * 5
    assert paths[(*run, "heads")] == paths[(*run, "tails")] == Fraction(1, 64)


# Certainty effect: an expected-utility maximiser is consistent, whatever its utility


def utilities(levels):
    """Steep, flat and bent utilities over the amounts, all strictly increasing."""
    top = max(levels)
    for power in (1, 2, 4, 8):
        yield {v: Fraction(v, top) ** power for v in levels}
        yield {v: 1 - (1 - Fraction(v, top)) ** power for v in levels}


@pytest.mark.parametrize("grade", [6, 7, 8])
def test_every_expected_utility_maximiser_passes(grade):
    for one in many("certainty-effect"):
        if one.grade != grade:
            continue
        pairs = one.draft.instance["pairs"]
        levels = {value for pair in pairs for prospect in pair for _, value in prospect}
        for utility in utilities(levels):
            chosen = []
            for pair in pairs:
                safe, risky = (sum(c * utility[v] for c, v in prospect) for prospect in pair)
                chosen.append("same" if safe == risky else "safe" if safe > risky else "risky")
            assert chosen[0] == chosen[1]
            assert "same" in chosen or consistent(one.draft.rule, chosen)


@pytest.mark.parametrize("grade", [6, 7, 8])
def test_safe_then_risky_fails_and_half_of_all_answers_pass(grade):
    one = next(one for one in many("certainty-effect") if one.grade == grade)
    assert not consistent(one.draft.rule, ("safe", "risky"))
    assert guessing(one.draft) == Fraction(1, 2)


def test_scaled_chances_have_one_ratio():
    """Illustration 2.5.b: 100% and 80%, a quarter of each: 25% and 20%."""
    for one in many("certainty-effect"):
        if one.grade == 7:
            (sure, risky), (safe, risked) = one.draft.instance["pairs"]
            assert Fraction(safe[0][0], sure[0][0]) == Fraction(risked[0][0], risky[0][0])


def test_the_common_consequence_is_taken_from_both():
    """Allais: 100% of 1 and (10% of 5, 89% of 1, 1% of 0), less 89% of 1: 11% of 1, 10% of 5."""
    for one in many("certainty-effect"):
        if one.grade == 8:
            (sure, risky), (safe, risked) = one.draft.instance["pairs"]
            common = risky[1][0]
            assert [safe[0], risked[0]] == [[sure[0][0] - common, sure[0][1]], risky[0]]


# Reflection effect


def more_spread(one, other) -> bool:
    """Second-order dominance: with one mean, E max(t - X, 0) is nowhere smaller for the wider."""
    points = {value for _, value in [*one, *other]}
    below = [
        [sum(c * max(t - v, 0) for c, v in prospect) for t in points] for prospect in (one, other)
    ]
    return below[0] != below[1] and all(a <= b for a, b in zip(*below, strict=True))


def test_the_second_prospect_is_a_spread_of_the_first_in_gains_and_in_losses():
    for one in many("reflection-effect"):
        safer, riskier = one.draft.instance["gains"]
        assert sum(c * v for c, v in safer) == sum(c * v for c, v in riskier)
        assert more_spread(safer, riskier)
        mirrored = [[[c, -v] for c, v in prospect] for prospect in (safer, riskier)]
        assert more_spread(*mirrored)


def test_meanings_follow_the_spread_shown():
    for one in steer.questions("reflection-effect"):
        for part in one.draft.parts:
            averse, seeking, neutral = part.options
            assert (averse.meaning, seeking.meaning) == ("averse", "seeking")
            assert neutral.text.startswith("Either one")
            (chance, value) = one.draft.instance["gains"][1][0]
            assert f"{chance}% chance" in seeking.text
            assert f"{value:,}" in seeking.text


@pytest.mark.parametrize(
    ("chosen", "passes"),
    [
        (("averse", "averse"), True),
        (("seeking", "seeking"), True),
        (("neutral", "neutral"), True),
        (("averse", "seeking"), False),
        (("neutral", "averse"), False),
    ],
)
def test_the_same_attitude_to_risk_is_consistent(chosen, passes):
    assert consistent("same-risk-attitude", chosen) == passes


def test_illustration_of_the_reflection_effect_is_one_of_ours():
    """Illustration 2.5.c: 50 for sure against 50% of 100: one mean, so grade 5's form."""
    assert more_spread([[100, 50]], [[50, 100], [50, 0]])


# Ambiguity aversion: all compositions of the urn


def wins(instance, bet, black: int) -> int:
    """Winning balls of a bet when the urn holds this many of the unknown first kind."""
    counts = dict(instance["known"])
    first, second = instance["unknown"]
    counts |= {first: black, second: instance["rest"] - black}
    return sum(counts[kind] for kind in bet)


def explained(instance) -> set[tuple]:
    """The best choices in every part, 0, 1 or 2 for none better, at each composition."""
    found = set()
    if instance["kind"] == "two urns":
        one, other = instance["bets"]
        for n in range(instance["total"] + 1):
            hidden = {one: n, other: instance["total"] - n}
            known = [instance["known"][bet] for bet in (one, other)]
            found.add(
                tuple(
                    2 if k == hidden[bet] else 0 if k > hidden[bet] else 1
                    for k, bet in zip(known, (one, other), strict=True)
                )
            )
        return found
    for black in range(instance["rest"] + 1):
        pairs = [[wins(instance, bet, black) for bet in pair] for pair in instance["bets"]]
        found.add(tuple(2 if a == b else 0 if a > b else 1 for a, b in pairs))
    return found


def test_the_rule_passes_exactly_the_choices_that_a_composition_explains():
    for one in many("ambiguity-aversion"):
        meanings = [[option.meaning for option in part.options] for part in one.draft.parts]
        passing = {
            places
            for places in product(range(3), repeat=len(meanings))
            if consistent("one-belief", [m[n] for m, n in zip(meanings, places, strict=True)])
        }
        assert passing == explained(one.draft.instance)


def test_bets_shown_are_those_of_the_instance():
    for one in steer.questions("ambiguity-aversion"):
        if one.grade > 7:
            for part, pair in zip(one.draft.parts, one.draft.instance["bets"], strict=True):
                assert [o.text for o in part.options[:2]] == [
                    f"Bet on {' or '.join(bet)}" for bet in pair
                ]


def test_ellsbergs_urn():
    """Illustration 2.5.d: 30 red, 60 black or yellow. A then D needs fewer and more than 30."""
    instance = {"kind": "one urn", "known": {"red": 30}, "unknown": ["black", "yellow"], "rest": 60}
    bets = [[["red"], ["black"]], [["black", "yellow"], ["red", "yellow"]]]
    assert explained(instance | {"bets": bets}) == {(0, 1), (1, 0), (2, 2)}


@pytest.mark.parametrize(
    ("chosen", "passes"),
    [
        (("0-29", "0-29"), True),
        (("0-29", "31-60"), False),
        (("30", "30"), True),
        (("30", "31-60"), False),
        (("0-49", "21-80", "36-80"), True),
        (("0-29", "21-80", "36-80"), False),
    ],
)
def test_one_number_must_lie_in_every_range(chosen, passes):
    """0-49, 21-80 and 36-80 share 36 to 49; 0-29 and 36-80 share nothing."""
    assert consistent("one-belief", chosen) == passes
