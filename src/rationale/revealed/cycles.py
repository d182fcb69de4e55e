"""The largest consistent set of models as a minimum hitting set, on HiGHS.

GARP_e fails for a set of models iff its pooled rounds hold a bad cycle, and a cycle names the models
on it. So the models to leave out are a smallest set that hits the models of every bad cycle.
Rows are found lazily: solve, look for bad cycles among the kept models, add the models of each as
a row, solve again. A solution without a bad cycle is optimal, as no row cuts off a consistent set.
"""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple

import highspy
import numpy as np
from scipy.sparse import csr_array

from rationale.revealed.pooled import Pool, as_set, members, relations

OPTIMAL, TIME_LIMIT = "optimal", "time limit"


class Found(NamedTuple):
    """A consistent set of models (None if none was found) and what the solver says of it."""

    kept: int | None
    status: str


def exact_solver(time_limit: float) -> highspy.Highs:
    """HiGHS on one thread, reproducible, to the proven optimum of an integer objective.

    An absolute gap below 1 proves an integer optimum; the relative gap, which would stop early,
    is off.
    """
    solver = highspy.Highs()
    options = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "random_seed": 0,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.999,
        "time_limit": max(time_limit, 0.0),
    }
    for name, value in options.items():
        solver.setOptionValue(name, value)
    return solver


def status_of(solver: highspy.Highs) -> str:
    """``optimal``, ``time limit``, or what else HiGHS says in its own words."""
    return solver.modelStatusToString(solver.getModelStatus()).lower().removesuffix(" reached")


def solution_of(solver: highspy.Highs, columns: int) -> np.ndarray | None:
    """The first ``columns`` values of the best solution, as booleans; None if there is none."""
    if solver.getInfo().primal_solution_status != highspy.kSolutionStatusFeasible:
        return None
    return np.array(solver.getSolution().col_value[:columns]) > 0.5


def hit_cycles(pooled: Pool, among: int, time_limit: float = 60.0) -> Found:
    """A largest set of models within ``among`` whose pooled rounds satisfy GARP_e.

    Parameters
    ----------
    pooled : the rounds.
    among : set of models to choose from.
    time_limit : seconds for all solves together. When it is reached, bad cycles that are left
        are hit by leaving out their models, so the set is consistent, perhaps not largest.
    """
    from rationale.revealed import subset_kernels as kernels

    deadline = monotonic() + time_limit
    rows, status = kernels.small_conflicts(*relations(pooled), among).tolist(), OPTIMAL
    while True:
        left_out = 0
        if rows:
            left_out, status = _smallest_hitting_set(rows, among, deadline - monotonic())
        new = kernels.apart_conflicts(*relations(pooled), among & ~left_out)
        if not new.size or status != OPTIMAL:
            return Found(among & ~left_out & ~int(np.bitwise_or.reduce(new, initial=0)), status)
        rows += new.tolist()


def _smallest_hitting_set(rows: list[int], among: int, time_limit: float) -> tuple[int, str]:
    """The best set found that shares a model with every row (none found: the empty set)."""
    models = np.array(members(among))
    program, solver = highspy.HighsLp(), exact_solver(time_limit)
    hits = csr_array([[row >> m & 1 for m in models.tolist()] for row in rows], dtype=float)
    program.num_row_, program.num_col_ = hits.shape
    program.col_cost_ = program.col_upper_ = np.ones(models.size)
    program.col_lower_ = np.zeros(models.size)
    program.integrality_ = [highspy.HighsVarType.kInteger] * models.size
    program.row_lower_ = np.ones(len(rows))
    program.row_upper_ = np.full(len(rows), highspy.kHighsInf)
    set_matrix(program, hits)
    solver.passModel(program)
    solver.run()
    hit = solution_of(solver, models.size)
    return 0 if hit is None else as_set(models[hit].tolist()), status_of(solver)


def set_matrix(program: highspy.HighsLp, rows: csr_array) -> None:
    """Give a program its rows."""
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_, program.a_matrix_.index_ = rows.indptr, rows.indices
    program.a_matrix_.value_ = rows.data
