"""The largest consistent set of models by the paper's mixed-integer program, on HiGHS.

The program seeks a number U_i for every round, psi_ij = 1 iff U_i >= U_j, and the largest number of
kept models x_m such that the relations of kept models agree with U. Two choices make it sound in
floating point:

- The strict U_i - U_j < psi_ij needs an epsilon. n rounds have at most n distinct values of U, so
  U may be a rank 0, 1, ..., n - 1 and the strict inequality a step of 1: epsilon is 1/n on the
  paper's scale, cuts off no order, and lies far above HiGHS's tolerance of 1e-6.
- The two rows with A bind one pair of rounds each. With x and psi binary, the smallest A that a
  row allows makes it psi_ij >= x_m(i) where i is weakly preferred to j at e, psi_ij <= 1 - x_m(j)
  where j is strictly preferred to i, and empty for all other pairs. So A is gone, the relaxation
  is as tight as any A can make it, and ties are decided by the same exact comparison as in
  ``garp``, not by a tolerance. (As printed, an answer of cost 0 would bind rounds of models that
  are left out.)

Source: Moral Minds, appendix A.1, proposition 1; Demuynck and Rehbeck (2023), theorem 2.
"""

from __future__ import annotations

import highspy
import numpy as np
from scipy.sparse import coo_array

from rationale.revealed.cycles import Found, exact_solver, set_matrix, solution_of, status_of
from rationale.revealed.pooled import Pool, as_set, members


def order_rounds(pooled: Pool, among: int, time_limit: float = 60.0) -> Found:
    """A largest set of models within ``among`` whose pooled rounds satisfy GARP_e.

    Parameters
    ----------
    pooled : the rounds.
    among : set of models to choose from.
    time_limit : seconds; when it is reached, the best set so far, or None if there is none.
    """
    models = np.array(members(among), dtype=np.int64)
    rounds = np.flatnonzero(np.isin(pooled.models, models))
    if not rounds.size:
        return Found(0, "optimal")
    part = np.ix_(rounds, rounds)
    owner = np.searchsorted(models, pooled.models[rounds])
    solver = exact_solver(time_limit)
    solver.passModel(_program(pooled.weak[part], pooled.strict[part], owner, models.size))
    solver.run()
    kept = solution_of(solver, models.size)
    return Found(None if kept is None else as_set(models[kept].tolist()), status_of(solver))


def _program(weak: np.ndarray, strict: np.ndarray, owner: np.ndarray, n_models: int):
    """Columns: x (W), then ranks U (n), then psi (n·n, row by row)."""
    n = len(owner)
    program = highspy.HighsLp()
    program.num_col_ = n_models + n + n * n
    upper = np.ones(program.num_col_)
    upper[n_models : n_models + n] = n - 1
    program.col_cost_ = np.where(np.arange(program.num_col_) < n_models, -1.0, 0.0)
    program.col_lower_, program.col_upper_ = np.zeros(program.num_col_), upper
    kinds = [highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous]
    program.integrality_ = [kinds[n_models <= c < n_models + n] for c in range(program.num_col_)]
    _set_rows(program, [*_rank_rows(n, n_models), *_relation_rows(weak, strict, owner, n_models)])
    return program


def _rank_rows(n: int, n_models: int) -> list[tuple]:
    """Blocks (columns, coefficients, least): U_j - U_i + n psi_ij >= 1, and psi - 1 <= U_i - U_j."""
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    columns = np.stack([n_models + i, n_models + j, n_models + n + i * n + j], axis=1)
    return [(columns, [-1, 1, n], 1), (columns, [1, -1, 1 - n], 1 - n)]


def _relation_rows(weak, strict, owner, n_models) -> list[tuple]:
    """Blocks (columns, coefficients, least): psi_ij - x_m(i) >= 0, and -psi_ij - x_m(j) >= -1."""
    n, psi = len(owner), n_models + len(owner)
    i, j = np.nonzero(weak & ~np.eye(n, dtype=bool))
    above = np.stack([psi + i * n + j, owner[i]], axis=1)
    j, i = np.nonzero(strict)
    below = np.stack([psi + i * n + j, owner[j]], axis=1)
    return [(above, [1, -1], 0), (below, [-1, -1], -1)]


def _set_rows(program, blocks: list[tuple]) -> None:
    sizes = [len(columns) for columns, _, _ in blocks]
    values = np.concatenate([np.tile(c, n) for (_, c, _), n in zip(blocks, sizes, strict=True)])
    widths = np.repeat([len(c) for _, c, _ in blocks], sizes)
    rows = np.repeat(np.arange(sum(sizes)), widths)
    columns = np.concatenate([columns.ravel() for columns, _, _ in blocks])
    shape = (sum(sizes), program.num_col_)
    matrix = coo_array((values.astype(float), (rows, columns)), shape=shape).tocsr()
    program.num_row_ = shape[0]
    program.row_lower_ = np.repeat([float(least) for _, _, least in blocks], sizes)
    program.row_upper_ = np.full(shape[0], highspy.kHighsInf)
    set_matrix(program, matrix)
