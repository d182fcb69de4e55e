"""Probability: keys against urns, trials and populations counted one by one."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import steer

from rationale.surveys.steer.elements.mistakes import stated
from rationale.surveys.steer.elements.probability import posterior

SEEDS = (1, 2)


def drawn(slug):
    return [one for seed in SEEDS for one in steer.questions(slug, seed=seed)]


def from_urn(instance):
    """The share of all equally likely draws in which what is asked for happens."""
    urn = [kind for kind, count in enumerate(instance["counts"]) for _ in range(count)]
    if "asked" in instance:
        return Fraction(sum(kind in instance["asked"] for kind in urn), len(urn))
    pairs = product(urn, repeat=2) if instance["back"] else permutations(urn, 2)
    hits = [pair == tuple(instance["pair"]) for pair in pairs]
    return Fraction(sum(hits), len(hits))


def left_over(instance):
    """One case after the other: of 1,000 equally likely ones, or every way that trials can end."""
    if "chances" in instance:
        taken = sum(int(1000 * Fraction(chance)) for chance in instance["chances"])
        return Fraction(len(set(range(1000)) - set(range(taken))), 1000)
    chance = Fraction(instance["chance"])
    total = Fraction(0)
    for ends in product((True, False), repeat=instance["times"]):
        if any(ends):
            weight = Fraction(1)
            for end in ends:
                weight *= chance if end else 1 - chance
            total += weight
    return total


def among_the_flagged(instance):
    """The share of the cause asked for among those who show the evidence, in a population."""
    if "hits" in instance:
        people = [("with", n < instance["hits"]) for n in range(instance["with"])]
        people += [("without", n < instance["alarms"]) for n in range(instance["without"])]
        flagged = [cause for cause, flag in people if flag]
        return Fraction(flagged.count("with"), len(flagged))
    if "hit" in instance:
        prior = Fraction(instance["prior"])
        priors, asked = [prior, 1 - prior], 0
        rates = [Fraction(instance[name]) for name in ("hit", "alarm")]
    else:
        priors, rates = ([Fraction(x) for x in instance[name]] for name in ("priors", "rates"))
        asked = instance["asked"]
    causes = np.repeat(np.arange(len(priors)), [int(100 * prior) for prior in priors])
    limits = np.array([int(100 * rate) for rate in rates])[causes]
    flags = np.arange(100)[None, :] < limits[:, None]
    return Fraction(int(flags[causes == asked].sum()), int(flags.sum()))


SOLVERS = {"probability": from_urn, "complement": left_over, "bayes": among_the_flagged}


@pytest.mark.parametrize("slug", SOLVERS)
def test_keys_are_those_counted_one_by_one(slug):
    for one in drawn(slug):
        assert one.draft.parts[0].value == SOLVERS[slug](one.draft.instance), one.question_id


@pytest.mark.parametrize("slug", SOLVERS)
def test_the_key_alone_states_the_value_to_the_last_digit_shown(slug):
    """Fractions and tenths of a per cent are exact; whole per cents are never halfway."""
    for one in drawn(slug):
        (part,) = one.draft.parts
        scale = 1 if slug == "probability" else 100
        precision = {"probability": 0, "complement": Fraction(1, 2), "bayes": Fraction(1, 2)}[slug]
        if slug == "complement" and one.grade < 3:
            precision = 0
        gaps = {option: abs(stated(option.text) - scale * part.value) for option in part.options}
        near = [option for option, gap in gaps.items() if gap <= precision]
        assert near == [part.key], one.question_id


def test_texts_state_every_count():
    for one in steer.questions("probability"):
        assert all(f"{count} " in one.draft.parts[0].text for count in one.draft.instance["counts"])


def test_texts_state_every_chance():
    for one in steer.questions("complement"):
        found = one.draft.instance
        for chance in found.get("chances", [found.get("chance")]):
            assert f"{float(100 * Fraction(chance)):g}%" in one.draft.parts[0].text


def test_a_marble():
    """Illustration 1.3.a: 5 of 5 + 3 + 2 = 10 marbles are red, 1/2."""
    assert from_urn({"counts": [5, 3, 2], "asked": [0]}) == Fraction(1, 2)


def test_a_carp():
    """Illustration 1.3.b: 1 - 0.85 = 0.15."""
    assert left_over({"chances": ["17/20"]}) == Fraction(3, 20)


def test_a_try():
    """Illustration 1.3.c: 0.79 × 0.27 / 0.55 = 0.2133 / 0.55, about 39%.

    Its chance of a try against other teams is (0.55 - 0.2133) / 0.73.
    """
    prior, hit, all_tries = Fraction(27, 100), Fraction(79, 100), Fraction(55, 100)
    others = (all_tries - hit * prior) / (1 - prior)
    assert posterior((prior, 1 - prior), (hit, others))[0] == Fraction(2133, 5500)


def test_two_of_a_kind_without_putting_back():
    """4 of 10, then 3 of 9: 12/90 = 2/15; put back, 16/100 = 4/25."""
    kept = {"counts": [4, 6], "pair": [0, 0], "back": 0}
    assert from_urn(kept) == Fraction(2, 15)
    assert from_urn({**kept, "back": 1}) == Fraction(4, 25)


def test_a_rare_disease():
    """1 in 100 ill, 9 of 10 of them positive, 1 in 11 of the others: 0.9 / (0.9 + 9) = 1/11."""
    prior = Fraction(1, 100)
    assert posterior((prior, 1 - prior), (Fraction(9, 10), Fraction(1, 11)))[0] == Fraction(1, 11)
