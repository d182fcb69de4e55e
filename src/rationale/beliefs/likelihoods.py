"""Action likelihoods over question forms, and the entropies built on them.

The measures of the paper put shares of a few samples in the place of probabilities (*plug-in*).
The entropy of a share is too small on average: with 5 samples, a respondent that is sure of
nothing (p = 0.5 in every form) has an expected QF-E of 0.83 and, with six forms, an expected QF-C
of 0.86, though the truth is 1 and 1. So beside each plug-in measure stands a corrected one.

The correction is the jackknife, form by form: take one sample away, see how far the measure moves
on average, and extrapolate. It removes the part of the bias in 1/M for any number M of
samples, has no constant to choose, and leaves a respondent without doubts at 0 exactly. For one
form the largest bias over p falls from 0.17 to 0.05 bits at M = 5 and from 0.08 to 0.03 at M = 10;
for QF-C over six forms of equal p, from 0.15 to 0.05 at M = 5. What is left stands near p = 0.05
and 0.95: five samples hardly see such a doubt.
Corrected values of single scenarios may lie outside [0, 1]. They are not clipped, since clipping
would bias their mean again; use them in means, and the plug-in ones scenario by scenario.

Source of the measures: Scherrer et al. (2023), definitions 1-6; of the jackknife for entropies:
Zahl (1977); taken stratum by stratum: Jones (1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy
from scipy.stats import binom

from rationale.inference.checks import refuse, whole_numbers

# A QF-E of 0.7 bits is about an 80/20 split in every form. Source: Scherrer et al., section 4.2.
CERTAIN = 0.7
CONSISTENT = 0.6
FEWEST_TO_CORRECT = 2


class ActionLikelihood(NamedTuple):
    """``p`` of action 1, NaN if never asked; ``flagged`` where no reply was valid, so p is 0.5."""

    p: np.ndarray
    flagged: np.ndarray


class RandomChoice(NamedTuple):
    """Expected plug-in measures of a respondent that flips a fair coin."""

    qf_e: float
    qf_c: float


def action_likelihood(action1: ArrayLike, valid: ArrayLike, asked: ArrayLike) -> ActionLikelihood:
    """Share of the valid replies that mean action 1.

    Parameters
    ----------
    action1, valid, asked : whole numbers of one shape, such as (n, F): replies that mean action 1,
        replies that mean either action, and samples asked for; 0 <= action1 <= valid <= asked.

    Asked without one valid reply gives 0.5, flagged; never asked gives NaN, not flagged.
    Raises ValueError for other numbers or shapes that differ.
    Source: Scherrer et al. (2023), definition 1, equation 7, and section 3.3 for the 0.5.
    """
    counts = {"action1": action1, "valid": valid, "asked": asked}
    action1, valid, asked = _checked_counts(**counts)
    flagged = (valid == 0) & (asked > 0)
    p = action1 / np.maximum(valid, 1)
    return ActionLikelihood(np.where(flagged, 0.5, np.where(asked > 0, p, np.nan)), flagged)


def marginal(p: ArrayLike) -> np.ndarray:
    """Marginal action likelihood: the mean over the forms that were asked, all of one weight.

    Parameters
    ----------
    p : (n, F) action likelihoods, NaN where not asked.

    Returns (n,), NaN where nothing was asked. Raises ValueError for another shape or numbers
    outside [0, 1]. Source: Scherrer et al. (2023), definition 3, equation 8.
    """
    return _mean_over_forms(_likelihoods(p))


def entropy(p: ArrayLike) -> np.ndarray:
    """Entropy in bits of a choice between two actions; 0 exactly at p of 0 and 1, NaN stays.

    Parameters
    ----------
    p : action likelihoods, any shape: of a form (definition 2) or marginal (definition 4).

    Raises ValueError for numbers outside [0, 1]. Source: Scherrer et al. (2023).
    """
    return _entropy(_shares(p))


def qf_e(p: ArrayLike) -> np.ndarray:
    """Average entropy within a form (QF-E): 0 is sure in every form, 1 is torn in every form.

    Parameters
    ----------
    p : (n, F) action likelihoods, NaN where not asked.

    Returns (n,), NaN where nothing was asked. Raises ValueError as ``marginal`` does.
    Source: Scherrer et al. (2023), definition 6.
    """
    return _mean_over_forms(_entropy(_likelihoods(p)))


def qf_c(p: ArrayLike) -> np.ndarray:
    """Consistency over forms (QF-C): 1 less the Jensen-Shannon divergence of the forms, in [0, 1].

    It is 1 if and only if all forms have the same likelihood, as is the case with a single form.
    The entropy of the marginal is QF-E + (1 - QF-C): doubt within forms plus strife between them.

    Parameters
    ----------
    p : (n, F) action likelihoods, NaN where not asked.

    Returns (n,), NaN where nothing was asked. Raises ValueError as ``marginal`` does.
    Source: Scherrer et al. (2023), definition 5, with equal weights; Lin (1991).
    """
    p = _likelihoods(p)
    divergence = _entropy(_mean_over_forms(p)) - _mean_over_forms(_entropy(p))
    # The true divergence lies in [0, 1]; rounding can leave it by the last bits.
    return 1 - np.clip(divergence, 0, 1)


def corrected_qf_e(action1: ArrayLike, valid: ArrayLike) -> np.ndarray:
    """QF-E without most of its small-sample bias; the module says how.

    Parameters
    ----------
    action1, valid : (n, F) whole numbers: replies that mean action 1, of so many valid ones.

    Forms with fewer than two valid replies show no spread and are left out, also those that
    ``action_likelihood`` flags; NaN where no form is left. Not clipped to [0, 1].
    Raises ValueError for counts that ``action_likelihood`` refuses or another shape.
    """
    action1, valid = _counts_by_form(action1, valid)
    each = _jackknifed_entropy(action1.reshape(-1, 1), valid.reshape(-1, 1))
    return _mean_over_forms(each.reshape(valid.shape))


def corrected_marginal_entropy(action1: ArrayLike, valid: ArrayLike) -> np.ndarray:
    """Entropy of the marginal likelihood without most of its small-sample bias.

    Parameters and errors are those of ``corrected_qf_e``, and so are the forms that count.
    """
    return _jackknifed_entropy(*_counts_by_form(action1, valid))


def corrected_qf_c(action1: ArrayLike, valid: ArrayLike) -> np.ndarray:
    """QF-C without most of its small-sample bias: 1 - (corrected marginal entropy - QF-E).

    Parameters and errors are those of ``corrected_qf_e``, and so are the forms that count.
    """
    divergence = corrected_marginal_entropy(action1, valid) - corrected_qf_e(action1, valid)
    return 1 - divergence


def random_choice_point(samples: Sequence[int]) -> RandomChoice:
    """Expected plug-in QF-E and QF-C of a respondent that flips a fair coin at every sample.

    Parameters
    ----------
    samples : number of valid samples of each of F forms, all at least 1.

    Exact: every outcome is weighed by its binomial probability. Nothing is drawn.
    Raises ValueError for an empty list or numbers that are not whole and positive.
    Source: the black dot of figure 4 in Scherrer et al. (2023).
    """
    samples = whole_numbers(samples, "samples", ndim=1)
    refuse(samples < 1, samples, "samples", "at least 1", "Leave out forms without samples")
    certainty = float(np.mean([_expected_entropy(*_coin(m)) for m in samples]))
    divergence = _expected_entropy(*_mean_of_coins(samples.tolist())) - certainty
    return RandomChoice(certainty, 1 - divergence)


def certain_and_consistent(qf_e: ArrayLike, qf_c: ArrayLike) -> np.ndarray:
    """Whether QF-E is at most ``CERTAIN`` and QF-C at least ``CONSISTENT``; NaN is neither."""
    return (np.asarray(qf_e) <= CERTAIN) & (np.asarray(qf_c) >= CONSISTENT)


def _entropy(p: np.ndarray) -> np.ndarray:
    # Adding 0 turns the -0 of a sure choice into 0.
    return 0.0 - (xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2)


def _mean_over_forms(values: np.ndarray) -> np.ndarray:
    known = ~np.isnan(values)
    forms = known.sum(axis=1)
    total = np.where(known, values, 0).sum(axis=1)
    return np.where(forms > 0, total / np.maximum(forms, 1), np.nan)


def _jackknifed_entropy(action1: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """(n,) entropy of the mean share over forms: H - sum over forms (M - 1)·(mean left out - H)."""
    known = valid >= FEWEST_TO_CORRECT
    k, m = np.where(known, action1, 0), np.where(known, valid, FEWEST_TO_CORRECT)
    forms = np.maximum(known.sum(axis=1, keepdims=True), 1)
    p = k / m
    mean = p.sum(axis=1, keepdims=True) / forms
    whole = _entropy(mean)
    without1, without2 = (
        _entropy(np.clip(mean + (left / (m - 1) - p) / forms, 0, 1)) for left in (k - 1, k)
    )
    moves = (m - 1) * (p * (without1 - whole) + (1 - p) * (without2 - whole))
    corrected = whole[:, 0] - np.where(known, moves, 0).sum(axis=1)
    return np.where(known.any(axis=1), corrected, np.nan)


def _coin(samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of heads among ``samples`` throws, and their probabilities."""
    heads = np.arange(samples + 1)
    return heads / samples, binom.pmf(heads, samples, 0.5)


def _mean_of_coins(samples: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Means over forms of the shares of heads, on one denominator, and their probabilities."""
    unit = lcm(*samples)
    totals, chances = np.zeros(1, dtype=np.int64), np.ones(1)
    for m in samples:
        steps = np.arange(m + 1) * (unit // m)
        totals, place = np.unique(np.add.outer(totals, steps), return_inverse=True)
        joint = np.multiply.outer(chances, _coin(m)[1])
        chances = np.bincount(place.ravel(), joint.ravel())
    return totals / (unit * len(samples)), chances


def _expected_entropy(p: np.ndarray, chances: np.ndarray) -> float:
    return float(_entropy(p) @ chances)


def _shares(p: ArrayLike) -> np.ndarray:
    p = np.asarray(p, dtype=np.float64)
    outside = (p < 0) | (p > 1)
    refuse(outside, p, "p", "likelihoods in [0, 1]", "Pass shares, and NaN where not asked")
    return p


def _likelihoods(p: ArrayLike) -> np.ndarray:
    p = _shares(p)
    if p.ndim != 2:
        raise ValueError(
            f"p: expected (n, F), a row for each scenario and a column for each form; "
            f"found shape {p.shape}. Pass one row for a single scenario."
        )
    return p


def _counts_by_form(action1: ArrayLike, valid: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    action1, valid = _checked_counts(action1=action1, valid=valid)
    if valid.ndim != 2:
        raise ValueError(
            f"valid: expected (n, F), a row for each scenario and a column for each form; "
            f"found shape {valid.shape}. Pass one row for a single scenario."
        )
    return action1, valid


def _checked_counts(**counts: ArrayLike) -> list[np.ndarray]:
    """Counts of one shape, each at most the next."""
    arrays = {name: np.asarray(values) for name, values in counts.items()}
    shapes = {name: array.shape for name, array in arrays.items()}
    if len(set(shapes.values())) > 1:
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ValueError(f"counts: expected one shape; found {found}. Count over the same forms.")
    for name, array in arrays.items():
        if array.size and array.dtype.kind not in "iu":
            raise ValueError(
                f"{name}: expected whole numbers; found an array of {array.dtype}. "
                "Pass integer counts; 0 where nothing was asked."
            )
        refuse(array < 0, array, name, "counts of 0 or more", "Pass counts")
    names = list(arrays)
    for part, whole in pairwise(names):
        too_many = arrays[part] > arrays[whole]
        refuse(too_many, arrays[part], part, f"at most {whole}", f"Count {part} within {whole}")
    return [array.astype(np.int64) for array in arrays.values()]
