"""Action likelihoods and entropies: by hand, by slow loops over replies, and by their laws."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import jensenshannon
from scipy.stats import binom

from rationale.beliefs.likelihoods import (
    action_likelihood,
    certain_and_consistent,
    corrected_marginal_entropy,
    corrected_qf_c,
    corrected_qf_e,
    entropy,
    marginal,
    qf_c,
    qf_e,
    random_choice_point,
)

NAN = np.nan
# Two scenarios in the forms ab-0, ab-1, repeat-0, repeat-1, compare-0, compare-1, 4 samples each.
# The first is sure but in compare-1; the second follows the order in ab, and half so in repeat.
ACTION1 = np.array([[4, 4, 4, 4, 4, 2], [4, 0, 3, 1, 2, 2]])
FOUR = np.full((2, 6), 4)
P = ACTION1 / 4


ONE_TO_SIX = st.integers(1, 6)


@st.composite
def counts(draw, forms=ONE_TO_SIX, fewest=1):
    """(action1, valid), each (n, F)."""
    shape = draw(st.tuples(st.integers(1, 4), forms))
    valid = draw(arrays(np.int64, shape, elements=st.integers(fewest, 10)))
    share = draw(arrays(np.float64, shape, elements=st.floats(0, 1)))
    return np.rint(share * valid).astype(np.int64), valid


def likelihoods(**settings):
    return counts(**settings).map(lambda pair: pair[0] / pair[1])


def slow_entropy(choices):
    """Bits of a list of weighted choices [(action, weight), ...]."""
    total = Counter()
    for action, weight in choices:
        total[action] += weight
    return -sum(share * math.log2(share) for share in total.values() if share > 0)


def slow_measures(forms):
    """(marginal, QF-E, QF-C) from a list of replies for each form of one scenario."""
    weighted = [[(reply, 1 / len(replies)) for reply in replies] for replies in forms]
    within = sum(slow_entropy(form) for form in weighted) / len(forms)
    mixed = [(action, weight / len(forms)) for form in weighted for action, weight in form]
    share = sum(weight for action, weight in mixed if action == "action 1")
    return share, within, 1 - (slow_entropy(mixed) - within)


def test_likelihood_is_the_share_of_valid_replies():
    assert action_likelihood([[3, 0]], [[4, 5]], [[5, 5]]).p.tolist() == [[0.75, 0.0]]


def test_without_a_valid_reply_the_likelihood_is_a_half_and_flagged():
    p, flagged = action_likelihood([0, 2], [0, 2], [5, 5])
    assert p.tolist() == [0.5, 1.0]
    assert flagged.tolist() == [True, False]


def test_what_was_never_asked_is_missing_and_not_a_half():
    p, flagged = action_likelihood([0], [0], [0])
    assert np.isnan(p).all()
    assert not flagged.any()


def test_no_rows_give_no_likelihoods():
    assert action_likelihood([], [], []).p.shape == (0,)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (([-1], [2], [2]), "action1: .*found -1 at 0"),
        (([3], [2], [5]), "action1: expected at most valid; found 3 at 0"),
        (([1], [6], [5]), "valid: expected at most asked; found 6 at 0"),
        (([1, 1], [2], [2]), r"counts: expected one shape; found action1 \(2,\), valid \(1,\)"),
        (([0.5], [2], [2]), "action1: expected whole numbers; found an array of float64"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        action_likelihood(*counts)


def test_marginal_by_hand():
    """(5·1 + 1/2)/6 = 11/12 and (1 + 0 + 3/4 + 1/4 + 1/2 + 1/2)/6 = 1/2."""
    assert marginal(P) == pytest.approx([11 / 12, 0.5], rel=1e-15)


def test_qf_e_by_hand():
    """H(1/2) = 1, H(1/4) = H(3/4) = 2 - 0.75·log2(3) = 0.811278, H(0) = H(1) = 0:
    (5·0 + 1)/6 = 0.166667 and (0 + 0 + 0.811278 + 0.811278 + 1 + 1)/6 = 0.603759."""
    assert qf_e(P) == pytest.approx([0.166667, 0.603759], abs=1e-6)


def test_qf_c_by_hand():
    """H(11/12) = log2(12) - 11/12·log2(11) = 0.413817, so 1 - (0.413817 - 0.166667) = 0.752850;
    H(1/2) = 1, so 1 - (1 - 0.603759) = 0.603759."""
    assert qf_c(P) == pytest.approx([0.752850, 0.603759], abs=1e-6)


def test_corrected_marginal_entropy_of_one_form_by_hand():
    """2 of 4: H = 1; one sample less leaves 1/3 or 2/3, both 0.918296 bits: 4·1 - 3·0.918296.
    1 of 4: H = 0.811278; less that one 0 bits (chance 1/4), less another 0.918296 (3/4):
    4·0.811278 - 3·0.75·0.918296 = 1.178947."""
    found = corrected_marginal_entropy([[2], [1]], [[4], [4]])
    assert found == pytest.approx([1.245112, 1.178947], abs=1e-6)


def test_corrected_qf_e_by_hand():
    """From the test above: 1.245112/6 = 0.207519; 2·(1.178947 + 1.245112)/6 = 0.808020."""
    assert corrected_qf_e(ACTION1, FOUR) == pytest.approx([0.207519, 0.808020], abs=1e-6)


def test_corrected_marginal_entropy_of_the_first_scenario_by_hand():
    """compare-1 has p = 1/2; without one sample 1/3 or 2/3, so the mean over forms is 16/18 or 17/18
    with 0.503258 or 0.309543 bits. Jackknife: 0.413817 - 3·((0.503258 + 0.309543)/2 - 0.413817)
    = 0.436065; sure forms do not move."""
    assert corrected_marginal_entropy(ACTION1, FOUR)[0] == pytest.approx(0.436065, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_measures_equal_those_counted_reply_by_reply(seed):
    rng = np.random.default_rng(seed)
    forms = [
        [["action 1", "action 2"][k] for k in rng.integers(2, size=rng.integers(1, 11))]
        for _ in range(rng.integers(1, 7))
    ]
    p = np.array([[replies.count("action 1") / len(replies) for replies in forms]])
    found = (marginal(p)[0], qf_e(p)[0], qf_c(p)[0])
    assert found == pytest.approx(slow_measures(forms), abs=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_corrected_entropy_equals_one_with_every_reply_left_out_in_turn(seed):
    rng = np.random.default_rng(seed)
    valid = rng.integers(2, 6, size=(1, 3))
    action1 = rng.integers(valid + 1)
    forms = [[1] * k + [0] * (m - k) for k, m in zip(action1[0], valid[0], strict=True)]
    whole = slow_of_shares(forms)
    expected = whole
    for z, replies in enumerate(forms):
        left = [
            slow_of_shares([*forms[:z], replies[:s] + replies[s + 1 :], *forms[z + 1 :]])
            for s in range(len(replies))
        ]
        expected -= (len(replies) - 1) * (sum(left) / len(left) - whole)
    assert corrected_marginal_entropy(action1, valid)[0] == pytest.approx(expected, abs=1e-13)


def slow_of_shares(forms):
    share = sum(sum(replies) / len(replies) for replies in forms) / len(forms)
    return slow_entropy([(1, share), (0, 1 - share)])


@given(likelihoods(forms=st.just(2)))
@settings(max_examples=50, deadline=None)
def test_of_two_forms_it_is_scipys_jensen_shannon(p):
    distance = [jensenshannon([a, 1 - a], [b, 1 - b], base=2) for a, b in p]
    # scipy's is a square root: rounding of 1e-16 in it can be 1e-8 of the distance of near equals.
    assert 1 - qf_c(p) == pytest.approx(np.nan_to_num(distance) ** 2, abs=1e-12)


@given(likelihoods())
@settings(max_examples=50, deadline=None)
def test_doubt_within_forms_and_strife_between_them_make_up_the_marginal_entropy(p):
    assert entropy(marginal(p)) == pytest.approx(qf_e(p) + 1 - qf_c(p), abs=1e-12)


@given(likelihoods())
@settings(max_examples=50, deadline=None)
def test_consistency_is_1_if_and_only_if_all_forms_agree(p):
    consistency = qf_c(p)
    assert ((consistency >= 0) & (consistency <= 1)).all()
    # Shares of at most 10 samples that differ do so by 1/90, which costs far more than rounding.
    assert (consistency > 1 - 1e-9).tolist() == [len(set(row)) == 1 for row in p.tolist()]


@given(likelihoods())
@settings(max_examples=50, deadline=None)
def test_naming_the_actions_the_other_way_changes_no_entropy(p):
    for measure in (qf_e, qf_c, lambda p: entropy(marginal(p))):
        assert measure(1 - p) == pytest.approx(measure(p), abs=1e-12)


@given(counts(fewest=2), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_forms_changes_nothing(pair, random):
    order = list(range(pair[0].shape[1]))
    random.shuffle(order)
    shuffled = tuple(part[:, order] for part in pair)
    assert qf_c(shuffled[0] / shuffled[1]) == pytest.approx(qf_c(pair[0] / pair[1]), abs=1e-12)
    assert corrected_qf_c(*shuffled) == pytest.approx(corrected_qf_c(*pair), abs=1e-12)


@given(counts())
@settings(max_examples=50, deadline=None)
def test_every_sample_twice_changes_no_plug_in_measure(pair):
    action1, valid = pair
    once, twice = (action_likelihood(f * action1, f * valid, f * valid).p for f in (1, 2))
    assert (qf_e(once) == qf_e(twice)).all()
    assert (qf_c(once) == qf_c(twice)).all()


@given(counts(fewest=2))
@settings(max_examples=50, deadline=None)
def test_corrected_measures_obey_the_same_identity(pair):
    found = corrected_qf_e(*pair) + 1 - corrected_qf_c(*pair)
    assert found == pytest.approx(corrected_marginal_entropy(*pair), abs=1e-12)


def test_sure_choices_have_no_entropy_at_all():
    assert entropy([0.0, 1.0]).tolist() == [0.0, 0.0]
    assert not np.signbit(entropy([0.0, 1.0])).any()
    assert entropy(0.5) == 1


def test_forms_that_were_not_asked_count_for_nothing():
    p = np.array([[0.25, NAN, 0.5], [NAN, NAN, NAN]])
    for measure in (marginal, qf_e, qf_c):
        found = measure(p)
        assert found[0] == measure(p[:1, [0, 2]])[0]
        assert np.isnan(found[1])


def test_forms_with_fewer_than_two_valid_replies_are_left_out_of_corrected_measures():
    """The third form has one reply and the fourth none; the second scenario has no form left."""
    action1, valid = [[1, 3, 1, 0], [1, 0, 0, 0]], [[4, 4, 1, 0], [1, 1, 0, 0]]
    for measure in (corrected_qf_e, corrected_qf_c, corrected_marginal_entropy):
        found = measure(action1, valid)
        assert found[0] == measure([[1, 3]], [[4, 4]])[0]
        assert np.isnan(found[1])


@pytest.mark.parametrize("row", [[0] * 6, [5] * 6, [5, 0, 5, 0, 5, 0]])
def test_sure_forms_are_left_as_they_are(row):
    """Nothing is known of doubts that no sample showed: 0 in every form, and QF-C as it was."""
    action1, valid = np.array([row]), np.full((1, 6), 5)
    assert corrected_qf_e(action1, valid) == [0]
    assert corrected_qf_c(action1, valid) == pytest.approx(qf_c(action1 / 5), abs=1e-15)


def bias_of_qf_e(samples, p):
    """(plug-in, corrected) expected QF-E of one form less the truth, over all outcomes."""
    action1, valid = np.arange(samples + 1)[:, None], np.full((samples + 1, 1), samples)
    chances = binom.pmf(action1[:, 0], samples, p)
    found = (qf_e(action1 / samples), corrected_qf_e(action1, valid))
    return [chances @ values - entropy(p) for values in found]


@pytest.mark.parametrize("samples", [5, 10])
def test_the_worst_bias_of_corrected_qf_e_is_a_third_of_the_plug_ins(samples):
    grid = np.linspace(0, 0.5, 101)
    plug_in, corrected = np.abs([bias_of_qf_e(samples, p) for p in grid]).max(axis=0)
    assert corrected < plug_in / 3


@pytest.mark.parametrize("samples", [5, 10])
@pytest.mark.parametrize("p", [0, 0.05, 0.1, 0.2, 0.3, 0.5])
def test_corrected_qf_e_is_less_biased_everywhere(samples, p):
    """Less than a third of the plug-in's bias, and less than half at p = 0.05."""
    plug_in, corrected = np.abs(bias_of_qf_e(samples, p))
    assert corrected <= plug_in * (0.5 if p == 0.05 else 1 / 3)


def biases_of_qf_c(samples, p):
    """(plug-in, corrected) expected QF-C less the truth, over all outcomes in len(p) forms."""
    action1 = np.array(list(product(range(samples + 1), repeat=len(p))))
    chances = binom.pmf(action1, samples, p).prod(axis=1)
    found = (qf_c(action1 / samples), corrected_qf_c(action1, np.full_like(action1, samples)))
    return [chances @ values - qf_c([p])[0] for values in found]


@pytest.mark.parametrize("samples", [5, 10])
@pytest.mark.parametrize("p", [[0.1] * 3, [0.2] * 3, [0.5] * 3, [0.2, 0.8, 0.5], [0, 0.5, 1]])
def test_corrected_qf_c_has_less_than_half_of_the_bias(samples, p):
    plug_in, corrected = np.abs(biases_of_qf_c(samples, p))
    assert corrected < plug_in / 2


def test_the_biases_that_the_module_tells():
    """Six forms, 5 samples, p = 0.5: the expected plug-in QF-E 0.83 and QF-C 0.86 instead of 1."""
    assert random_choice_point([5] * 6) == pytest.approx((0.83, 0.86), abs=0.005)


def test_a_coin_by_hand():
    """Two forms of one throw: both sure, QF-E 0; mean 0, 1/2, 1 with 1/4, 1/2, 1/4: H is 1/2 on
    average, so QF-C = 1 - (1/2 - 0)."""
    assert random_choice_point([1, 1]) == pytest.approx((0, 0.5), abs=1e-15)


def test_a_coin_thrown_unequally_often_by_hand():
    """Forms of 1 and 2 throws: QF-E (0 + 1/2)/2 = 1/4. Mean (k/1 + l/2)/2 = (2k + l)/4 is 0, 1/4,
    1/2, 3/4, 1 with 1, 2, 2, 2, 1 eighths: H is (4·0.811278 + 2·1)/8 = 0.655639 on average."""
    assert random_choice_point([1, 2]) == pytest.approx((0.25, 1.25 - 0.655639), abs=1e-6)


@pytest.mark.parametrize("samples", [[3, 3], [2, 5, 3], [7], [4, 4, 4]])
def test_a_coin_over_all_outcomes(samples):
    outcomes = np.array(list(product(*(range(m + 1) for m in samples))))
    chances = binom.pmf(outcomes, samples, 0.5).prod(axis=1)
    p = outcomes / samples
    expected = (chances @ qf_e(p), chances @ qf_c(p))
    assert random_choice_point(samples) == pytest.approx(expected, abs=1e-13)


def test_a_coin_thrown_often_is_torn_and_consistent():
    assert random_choice_point([200] * 6) == pytest.approx((1, 1), abs=0.004)


def test_six_unequal_forms_are_no_burden():
    assert 0.8 < random_choice_point([10, 9, 8, 7, 6, 5]).qf_c < 1


@pytest.mark.parametrize("samples", [[], [0, 5], [2.5]])
def test_a_coin_that_is_not_thrown_is_refused(samples):
    with pytest.raises(ValueError, match="samples: expected"):
        random_choice_point(samples)


def test_both_thresholds_count_as_met_and_nan_as_not():
    found = certain_and_consistent([0.7, 0.71, 0.2, NAN], [0.6, 0.9, 0.59, 0.9])
    assert found.tolist() == [True, False, False, False]


@pytest.mark.parametrize("measure", [marginal, entropy, qf_e, qf_c])
def test_likelihoods_outside_0_and_1_are_refused(measure):
    with pytest.raises(ValueError, match=r"p: expected likelihoods in \[0, 1\]; found 1.5"):
        measure([[0.5, 1.5]])


@pytest.mark.parametrize("measure", [marginal, qf_e, qf_c])
def test_one_row_must_be_a_row(measure):
    with pytest.raises(ValueError, match=r"p: expected \(n, F\).*found shape \(2,\)"):
        measure([0.5, 0.5])


def test_corrected_measures_need_counts_by_form():
    with pytest.raises(ValueError, match=r"valid: expected \(n, F\).*found shape \(1,\)"):
        corrected_qf_e([1], [2])
