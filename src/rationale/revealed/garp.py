"""The generalised axiom at an efficiency level, with a cycle to check by hand when it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rationale.inference.checks import refuse
from rationale.revealed.costs import checked_costs, cost_ratios


class Garp(NamedTuple):
    """Outcome of a GARP test, with its witness.

    ``cycle`` lists rounds; each is revealed preferred to the next and the last to the first.
    ``ratios[i]`` is the share of its own expenditure at which round ``cycle[i]`` could have had
    the next answer, ``strict[i]`` whether that is strictly below the efficiency. The first arc
    always is. All three are empty when GARP holds.
    """

    holds: bool
    cycle: tuple[int, ...] = ()
    ratios: tuple[float, ...] = ()
    strict: tuple[bool, ...] = ()


def garp(costs: ArrayLike, efficiency: ArrayLike = 1.0) -> Garp:
    """Test GARP_e and show a shortest violation.

    Round r is weakly revealed preferred to k iff c[r, k]/c[r, r] <= e, strictly iff < e. GARP_e
    holds iff no cycle of weak relations holds a strict one.

    Equal answers need no label. The definition also relates rounds r and k with equal answers at
    any e, but their cost columns agree, so whatever is preferred to r is preferred to k: a cycle
    that steps from r to k without cost is a shorter cycle through k alone.

    Parameters
    ----------
    costs : (T, T) with [r, k] the cost of round k's answer at round r's prices.
    efficiency : e in [0, 1], one for all rounds or (T,) one a round.

    Raises ValueError for costs that ``checked_costs`` refuses or efficiencies outside [0, 1].
    Source: Moral Minds, definitions 1 and 2, whose strict relation is read without the case of
    equal answers: with it, every repeated answer would be a violation. Varian (1982).
    """
    from rationale.revealed import kernels

    ratios = cost_ratios(costs)
    limit = _efficiencies(efficiency, len(ratios))[:, None]
    weak, strict = ratios <= limit, ratios < limit
    component = kernels.components(weak)
    violations = strict & (component[:, None] == component)
    if not violations.any():
        return Garp(holds=True)
    cycle = kernels.shortest_cycle(weak, violations)
    arcs = cycle, np.roll(cycle, -1)
    return Garp(False, *(tuple(x.tolist()) for x in (cycle, ratios[arcs], strict[arcs])))


def check_witness(costs: ArrayLike, cycle: Sequence[int], efficiency: ArrayLike = 1.0) -> bool:
    """Whether ``cycle`` proves that GARP_e fails; independent of the search in ``garp``.

    Parameters
    ----------
    costs : (T, T) as in ``garp``.
    cycle : rounds, each weakly revealed preferred to the next and the last to the first.
    efficiency : e in [0, 1], one for all rounds or (T,) one a round.

    True iff the rounds are different, every arc of the cycle is weak and one is strict.
    Raises ValueError as ``garp`` does.
    """
    costs = checked_costs(costs)
    limit = _efficiencies(efficiency, len(costs))
    if len(cycle) < 2 or len(set(cycle)) < len(cycle):
        return False
    arcs = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
    gaps = [costs[r, k] / costs[r, r] - limit[r] for r, k in arcs]
    return bool(max(gaps) <= 0 and min(gaps) < 0)


def _efficiencies(efficiency: ArrayLike, n_rounds: int) -> np.ndarray:
    limit = np.asarray(efficiency, dtype=np.float64)
    if limit.shape not in ((), (n_rounds,)):
        raise ValueError(
            f"efficiency: expected one number or one for each of {n_rounds} rounds; "
            f"found shape {limit.shape}. Pass a number or an array of shape ({n_rounds},)."
        )
    outside = ~((limit >= 0) & (limit <= 1))
    refuse(outside, limit, "efficiency", "numbers in [0, 1]", "Pass 1 for exact optimisation")
    return np.broadcast_to(limit, (n_rounds,))
