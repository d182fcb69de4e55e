"""Linear and whole-number programs of sums that must reach 1, on HiGHS."""

from __future__ import annotations

from collections.abc import Collection

import highspy
import numpy as np

TOLERANCE = 1e-6
SETTINGS = {
    "output_flag": False,
    "threads": 1,
    "parallel": "off",
    "random_seed": 0,
    "mip_rel_gap": 0.0,
}


class Program:
    """Minimise weights·x over x in [0, 1], the sum of x over every cut being at least 1.

    Parameters
    ----------
    weights : (N,) positive numbers.
    implied : (P, 2) variables: the first of a pair is never above the second.
    start : (N,) boolean, a solution to start from, for a program in whole numbers; without it
        x may be fractional.
    """

    def __init__(self, weights: np.ndarray, implied: np.ndarray, start: np.ndarray | None = None):
        self._model, self._first_cut = highspy.Highs(), len(implied)
        whole = bool(np.all(weights % 1 == 0))
        for name, value in SETTINGS.items():
            self._model.setOptionValue(name, value)
        self._model.setOptionValue("mip_abs_gap", 0.999 if whole else TOLERANCE / 10)
        self._add_columns(weights)
        self._add_rows([pair.astype(np.int32) for pair in implied], np.array([-1.0, 1.0]), 0.0)
        self._start = start

    def add(self, cuts: Collection[np.ndarray]) -> None:
        """Add cuts, each an array of the variables whose sum must reach 1."""
        self._add_rows([cut.astype(np.int32) for cut in cuts], None, 1.0)

    def drop_loose(self) -> None:
        """Drop the cuts whose sum is above 1 in the last solution."""
        sums = np.array(self._model.getSolution().row_value)[self._first_cut :]
        loose = np.flatnonzero(sums > 1 + TOLERANCE) + self._first_cut
        if len(loose):
            self._model.deleteRows(len(loose), loose.astype(np.int32))

    def solve(self, seconds: float) -> tuple[np.ndarray | None, float]:
        """The values found (None if the time was too short) and a proven lower bound."""
        if self._start is not None:
            return self._solve_whole(seconds)
        # HiGHS counts the time of a linear program from the first run on.
        self._model.setOptionValue("time_limit", self._model.getRunTime() + max(seconds, 0.0))
        self._model.run()
        if self._model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None, 0.0
        return self._values(), self._model.getInfo().objective_function_value

    def _solve_whole(self, seconds: float) -> tuple[np.ndarray | None, float]:
        count = len(self._start)
        kinds = np.full(count, highspy.HighsVarType.kInteger)
        self._model.changeColsIntegrality(count, np.arange(count, dtype=np.int32), kinds)
        start = highspy.HighsSolution()
        start.col_value = self._start.astype(np.float64).tolist()
        self._model.setSolution(start)
        self._model.setOptionValue("time_limit", max(seconds, 0.0))
        self._model.run()
        info = self._model.getInfo()
        found = info.primal_solution_status == highspy.kSolutionStatusFeasible
        return np.rint(self._values()) if found else None, max(info.mip_dual_bound, 0.0)

    def _values(self) -> np.ndarray:
        return np.clip(np.array(self._model.getSolution().col_value), 0, 1)

    def _add_columns(self, weights: np.ndarray) -> None:
        count = len(weights)
        self._model.addVars(count, np.zeros(count), np.ones(count))
        columns = np.arange(count, dtype=np.int32)
        self._model.changeColsCost(count, columns, weights.astype(np.float64))

    def _add_rows(self, rows: list[np.ndarray], values: np.ndarray | None, least: float) -> None:
        if not rows:
            return
        sizes = [len(row) for row in rows]
        starts = (np.cumsum(sizes) - sizes).astype(np.int32)
        entries = np.ones(sum(sizes)) if values is None else np.tile(values, len(rows))
        bounds = np.full(len(rows), least), np.full(len(rows), highspy.kHighsInf)
        index = np.concatenate(rows)
        self._model.addRows(len(rows), *bounds, len(index), starts, index, entries)
