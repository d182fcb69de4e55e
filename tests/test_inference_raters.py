"""Agreement of raters: printed examples, and the same numbers pair by pair."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rationale.inference.raters import agreeing_pairs, fleiss_kappa, krippendorff_alpha

FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
# Four observers and twelve units of Krippendorff (2011), section C; then three and fifteen.
OBSERVERS = {
    0.743: ["123321412...", "1233224125.3", ".3332342251.", "12332441251."],
    0.691: [".....34121133.3", "1.213343.......", "..21344.21133.4"],
}


def tally(observers):
    """Counts of each value in each unit; a point is no judgement."""
    values = sorted(set("".join(observers)) - {"."})
    return [[unit.count(value) for value in values] for unit in zip(*observers, strict=True)]


def alpha_by_pairs(observers):
    """Alpha from every ordered pair of judgements, one by one, in a table of coincidences."""
    coincidences = Counter()
    for unit in zip(*observers, strict=True):
        judged = [value for value in unit if value != "."]
        for pair in permutations(judged, 2):
            coincidences[pair] += 1 / (len(judged) - 1)
    totals = Counter()
    for (value, _), weight in coincidences.items():
        totals[value] += weight
    total = totals.total()
    apart = sum(weight for (one, other), weight in coincidences.items() if one != other)
    by_chance = sum(totals[one] * totals[other] for one, other in permutations(totals, 2))
    return 1 - (total - 1) * apart / by_chance


def kappa_by_pairs(ratings):
    """Kappa from every pair of ratings of a subject and every pair of ratings with replacement."""
    observed = np.mean([one == other for row in ratings for one, other in combinations(row, 2)])
    everything = [value for row in ratings for value in row]
    by_chance = np.mean([one == other for one in everything for other in everything])
    return (observed - by_chance) / (1 - by_chance)


def test_kappa_of_a_printed_example():
    """Ten subjects, fourteen raters, five categories: P = 0.378, by chance 0.213, kappa 0.210."""
    assert round(fleiss_kappa(FOURTEEN_RATERS), 3) == 0.210


@pytest.mark.parametrize("printed", OBSERVERS)
def test_alpha_of_printed_examples(printed):
    assert round(krippendorff_alpha(tally(OBSERVERS[printed])), 3) == printed


UNITS = st.integers(1, 8).flatmap(
    lambda width: st.lists(st.text("123.", min_size=width, max_size=width), min_size=2, max_size=5)
)


@given(UNITS)
def test_alpha_is_that_of_all_pairs(observers):
    alpha = krippendorff_alpha(tally([*observers, "1" * len(observers[0])]))
    assume(alpha is not None)
    assert alpha == pytest.approx(alpha_by_pairs([*observers, "1" * len(observers[0])]))


@given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=8))
def test_kappa_is_that_of_all_pairs(ratings):
    kappa = fleiss_kappa([[row.count(value) for value in range(3)] for row in ratings])
    assume(kappa is not None)
    assert kappa == pytest.approx(kappa_by_pairs(ratings))


@given(st.integers(2, 5), st.lists(st.integers(0, 5), min_size=2, max_size=9))
def test_alpha_and_kappa_differ_by_the_size_of_the_sample_alone(raters, yes):
    """With n raters on each of N subjects, 1 - alpha = (1 - kappa)(Nn - 1)/(Nn)."""
    counts = [[min(one, raters), raters - min(one, raters)] for one in yes]
    kappa, alpha = fleiss_kappa(counts), krippendorff_alpha(counts)
    assume(kappa is not None)
    total = raters * len(yes)
    assert 1 - alpha == pytest.approx((1 - kappa) * (total - 1) / total)


@given(arrays(np.int64, (4, 3), elements=st.integers(0, 4)))
def test_agreement_is_never_above_one(counts):
    found = [fleiss_kappa(counts), krippendorff_alpha(counts)]
    assert all(one is None or one <= 1 + 1e-12 for one in found)


def test_counts_must_not_be_negative():
    with pytest.raises(ValueError, match="no negative number"):
        krippendorff_alpha([[2, -1]])


def test_agreeing_pairs_counted_by_hand():
    """Of (3, 1) there are 6 pairs, 3 of which agree; of (2, 2), 2 of 6; of (4, 0), all."""
    assert agreeing_pairs([[3, 1], [2, 2], [4, 0]]).tolist() == [1 / 2, 1 / 3, 1]


def test_a_unit_without_a_pair_is_refused():
    with pytest.raises(ValueError, match="two judgements a unit"):
        agreeing_pairs([[2, 0], [1, 0]])
