"""Speed of the CCEI beside prefgraph: the same random data, one run, wall time.

Each data set picks one of 100 listed options in each of the moral survey's 160 rounds. Ours takes
options and picks and includes the cost of every option; prefgraph gets its arrays ready made.
Exits with 1 if the two disagree by more than 1e-6.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np
from prefgraph import Engine

from rationale.revealed import ccei, costs, random_ccei, uniform_picks
from rationale.seeds import generator

HIGH, STATEMENTS, BUDGET, LISTED, DATA_SETS = 5, 5, 12, 100, 1000
TOLERANCE = 1e-6
# prefgraph refuses a price of 0; this one moves no cost by more than 3e-9.
NO_PRICE = 1e-10


class Survey(NamedTuple):
    """Corners (T, S), prices (T, S) and the options (100, S) listed in each of T rounds."""

    corners: np.ndarray
    prices: np.ndarray
    options: list[np.ndarray]


def moral_survey() -> Survey:
    points = np.array(list(product(range(HIGH + 1), repeat=STATEMENTS)))
    extremes = np.array(list(product((0, HIGH), repeat=STATEMENTS)))
    corners = np.repeat(extremes, STATEMENTS, axis=0)
    prices = np.tile(np.ones((STATEMENTS, STATEMENTS)) + np.eye(STATEMENTS), (len(extremes), 1))
    lines = costs(points, corners, prices) == BUDGET
    options = [
        generator("bench", "options", r).choice(points[line], LISTED, replace=False)
        for r, line in enumerate(lines)
    ]
    return Survey(corners, prices, options)


def as_goods(survey: Survey, answers: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Data sets (N, T, S) as prices and quantities of ten goods a round: q and 5 - q."""
    priced = np.hstack([survey.corners == 0, survey.corners == HIGH])
    prices = np.where(priced, np.hstack([survey.prices, survey.prices]), NO_PRICE)
    return [(prices, np.hstack([x, HIGH - x]).astype(np.float64)) for x in answers]


def best_of(times: int, run: Callable[[], object]) -> tuple[float, object]:
    """Shortest wall time of ``run`` in seconds, after one run to warm up, and its result."""
    result, seconds = run(), []
    for _ in range(times):
        start = perf_counter()
        result = run()
        seconds.append(perf_counter() - start)
    return min(seconds), result


def environment() -> str:
    packages = "  ".join(f"{p} {version(p)}" for p in ("rationale", "numba", "numpy", "prefgraph"))
    return f"{packages}  Python {platform.python_version()}  {os.cpu_count()} cores"


def report(ours: float, theirs: float, single: float, gap: float) -> str:
    rows = [("rationale, 1 thread", ours), (f"prefgraph, {os.cpu_count()} cores", theirs)]
    timed = [f"{name:<24}{s:>9.4f} s{DATA_SETS / s:>12,.0f} CCEIs/s" for name, s in rows]
    lines = [
        f"CCEI of {DATA_SETS:,} random data sets, 160 rounds each",
        environment(),
        "",
        *timed,
        f"{'prefgraph / rationale':<24}{theirs / ours:>9.1f} times the wall time",
        f"{'largest difference':<24}{gap:>9.1e}",
        f"{'one data set, ccei()':<24}{single * 1e6:>9.0f} microseconds",
    ]
    return "\n".join(lines)


def main() -> int:
    survey = moral_survey()
    picks = uniform_picks([LISTED] * len(survey.options), DATA_SETS, ("bench", "picks"))
    answers = np.stack([o[picks[:, r]] for r, o in enumerate(survey.options)], axis=1)
    goods, engine = as_goods(survey, answers), Engine(metrics=["ccei"])
    cost = costs(answers[0], survey.corners, survey.prices)

    ours, indices = best_of(
        20, lambda: random_ccei(survey.options, survey.corners, survey.prices, picks)
    )
    theirs, results = best_of(5, lambda: engine.analyze_arrays(goods))
    single, _ = best_of(1000, lambda: ccei(cost))

    gap = float(np.abs(indices - [result.ccei for result in results]).max())
    print(report(ours, theirs, single, gap))
    if gap > TOLERANCE:
        print(f"The two disagree by more than {TOLERANCE}.", file=sys.stderr)
    return int(gap > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
