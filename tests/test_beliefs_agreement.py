"""Agreement between models: correlations, clusters, shared preferences."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from rationale.beliefs.agreement import cluster, correlations, strong_agreement, unfavourable

NAN = np.nan


def test_a_correlation_by_hand():
    """x = 0, 1/2, 1 and y = 0, 1, 1/2: deviations -1/2, 0, 1/2 and -1/2, 1/2, 0; 1/4 over 1/2."""
    assert correlations([[0, 0.5, 1], [0, 1, 0.5]])[0, 1] == pytest.approx(0.5)


def test_every_pair_equals_scipys_over_its_common_scenarios():
    rng = np.random.default_rng(4)
    P = rng.random((5, 30))
    P[rng.random(P.shape) < 0.3] = NAN
    R = correlations(P)
    for i in range(5):
        for j in range(5):
            both = ~np.isnan(P[i] + P[j])
            assert R[i, j] == pytest.approx(pearsonr(P[i, both], P[j, both]).statistic, abs=1e-12)


def test_opposite_models_correlate_at_minus_1_and_no_further():
    p = np.random.default_rng(1).random(50)
    R = correlations([p, 1 - p])
    assert R[0, 1] == pytest.approx(-1)
    assert np.abs(R).max() <= 1


def test_fewer_than_three_common_scenarios_have_no_correlation():
    R = correlations([[0.1, 0.2, 0.9, 0.4], [0.3, 0.4, NAN, NAN]])
    assert np.isnan(R).tolist() == [[False, True], [True, True]]


def test_a_model_of_one_mind_about_everything_has_no_correlation():
    R = correlations([[0.1, 0.2, 0.9], [0.3, 0.3, 0.3]])
    assert np.isnan(R).tolist() == [[False, True], [True, True]]


def test_no_models_have_an_empty_matrix():
    assert correlations(np.empty((0, 4))).shape == (0, 0)


# Models 0 and 2 are alike, so are 1 and 3; between the pairs there is little.
FOUR = np.array([[1, 0.1, 0.9, 0.3], [0.1, 1, 0.2, 0.8], [0.9, 0.2, 1, 0.0], [0.3, 0.8, 0.0, 1]])


def test_average_linkage_by_hand():
    """Distances: 0-2 at 0.1, 1-3 at 0.2; between the pairs (0.9 + 0.7 + 0.8 + 1.0)/4 = 0.85."""
    found = cluster(FOUR)
    assert found.linkage[:, 2] == pytest.approx([0.1, 0.2, 0.85])
    assert found.linkage[:, 3].tolist() == [2, 2, 4]


def test_leaves_put_the_most_alike_side_by_side():
    """Of the orders that the tree allows, 2-0-3-1 has the nearest middle: 0 and 3, at 0.7."""
    assert cluster(FOUR).order in {(2, 0, 3, 1), (1, 3, 0, 2)}


def test_a_model_without_correlations_is_left_out_and_told():
    R = np.full((5, 5), NAN)
    kept = [0, 1, 3, 4]
    R[np.ix_(kept, kept)] = FOUR
    found = cluster(R)
    assert (found.models, found.left_out) == ((0, 1, 3, 4), (2,))
    assert found.linkage.tolist() == cluster(FOUR).linkage.tolist()
    assert found.order == tuple(kept[leaf] for leaf in cluster(FOUR).order)


def test_the_model_that_lacks_most_correlations_is_left_out_first():
    """Model 1 lacks those with 0 and 2; without it no other lacks any."""
    R = FOUR.copy()
    R[[0, 1, 1, 2], [1, 0, 2, 1]] = NAN
    assert cluster(R).left_out == (1,)


def test_of_a_pair_without_correlation_the_last_is_left_out():
    R = FOUR.copy()
    R[0, 3] = R[3, 0] = NAN
    assert cluster(R).left_out == (3,)


def test_two_models_cluster():
    assert cluster([[1, -1], [-1, 1]]).linkage[:, 2] == [2]


@pytest.mark.parametrize(
    "R", [np.empty((0, 0)), [[1.0]], [[1, NAN], [NAN, 1]], [[1, NAN], [NAN, NAN]]]
)
def test_fewer_than_two_models_do_not_cluster(R):
    assert cluster(R) is None


@pytest.mark.parametrize(
    ("R", "message"),
    [
        ([[1, 0.5]], r"square matrix; found shape \(1, 2\)"),
        ([[1, 0.5], [0.4, 1]], r"symmetric matrix; found 0.5 at \(0, 1\)"),
        ([[1, 1.5], [1.5, 1]], r"correlations in \[-1, 1\]; found 1.5"),
        ([[1, NAN], [0.4, 1]], "symmetric matrix"),
    ],
)
def test_what_is_no_correlation_matrix_is_refused(R, message):
    with pytest.raises(ValueError, match=message):
        cluster(R)


def test_unfavourable_scenarios_by_hand():
    """Of 4 models 1, 0, and none with an answer; then 1 of the 2 that have one."""
    P = [[0.25, 0.3, NAN, 0.1], [0.9, 0.3, NAN, 0.9], [0.9, 0.5, NAN, NAN], [0.9, 1, NAN, NAN]]
    share, mask = unfavourable(P)
    assert share[[0, 1, 3]].tolist() == [0.25, 0.0, 0.5]
    assert np.isnan(share[2])
    assert mask.tolist() == [True, False, False, True]


def test_seven_of_28_models_are_a_quarter():
    P = np.array([[0.0]] * 7 + [[1.0]] * 21)
    assert unfavourable(P).mask.tolist() == [True]
    assert unfavourable(P[1:]).mask.tolist() == [False]


@pytest.mark.parametrize("share", [0, 1.1, NAN])
def test_a_share_that_marks_all_or_none_is_refused(share):
    with pytest.raises(ValueError, match="share: expected above 0"):
        unfavourable([[0.5]], share)


def test_strong_agreement_by_hand():
    """Both for 1; both for 2; one undecided; against one another; one model alone; none."""
    P = [[0.9, 0.1, 0.9, 0.9, 0.9, NAN], [0.75, 0.25, 0.6, 0.1, NAN, NAN]]
    action, mask = strong_agreement(P)
    assert action.tolist() == [1, -1, 0, 0, 0, 0]
    assert mask.tolist() == [True, True, False, False, False, False]


def test_a_model_without_an_answer_does_not_break_an_agreement():
    assert strong_agreement([[0.9], [0.8], [NAN]]).action.tolist() == [1]


def test_one_model_agrees_with_nobody():
    assert not strong_agreement([[0.9, 0.1]]).mask.any()


def test_naming_the_actions_the_other_way_turns_the_agreement():
    P = np.random.default_rng(3).random((2, 200))
    assert strong_agreement(1 - P).action.tolist() == (-strong_agreement(P).action).tolist()
    assert strong_agreement(P).mask.any()


@pytest.mark.parametrize("measure", [correlations, unfavourable, strong_agreement])
@pytest.mark.parametrize(
    ("P", "message"), [([0.5], r"P: expected \(models, n\)"), ([[0.5, 1.5]], r"P: .*found 1.5 at")]
)
def test_what_is_no_matrix_of_likelihoods_is_refused(measure, P, message):
    with pytest.raises(ValueError, match=message):
        measure(P)
