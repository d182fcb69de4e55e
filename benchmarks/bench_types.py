"""Speed of the solvers for types on the same draws, and of 500 draws end to end on one core.

Seven simulated respondents with noise answer the moral survey's 160 rounds; a draw takes 20 rounds
of each, e is the smallest CCEI among them. ``ordering``, the paper's mixed-integer program, runs
on the first draws only, under a time limit; so that it finishes some, all three also solve draws
of 4 models x 4 rounds. Exits with 1 if two finished solvers disagree.

    python benchmarks/bench_types.py [seconds for ordering] [draws for ordering]
"""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from itertools import product
from time import perf_counter
from typing import NamedTuple

import numpy as np

from rationale.revealed.ccei import ccei
from rationale.revealed.costs import costs
from rationale.revealed.draws import draw_rounds_apart
from rationale.revealed.pooled import Pool
from rationale.revealed.subsets import Largest, largest_sets
from rationale.revealed.types import pool_draw, similarity, verify_types
from rationale.seeds import generator

HIGH, STATEMENTS, BUDGET, LISTED = 5, 5, 12, 100
MODELS, MANY, RHO, DRAWS, SOLVED = 7, 40, 20, 500, 50
FEW, FEW_RHO, FEW_SOLVED = 4, 4, 10
# At the smallest CCEI of 40 such respondents all share a type; this level divides them.
MANY_EFFICIENCY = 0.65
# Ideals around the middle and noise as large as a point of the scale: CCEIs near the paper's.
SPREAD, NOISE = 1.0, 0.5


class Model(NamedTuple):
    numbers: np.ndarray
    answers: np.ndarray
    corners: np.ndarray
    prices: np.ndarray


def respond(name: int) -> Model:
    """A respondent with a noisy utility; corners flip where its ideal lies under the line."""
    draws = generator("bench", "types", name)
    ideal = np.clip(draws.normal(HIGH / 2, SPREAD, STATEMENTS), 0, HIGH)
    points = np.array(list(product(range(HIGH + 1), repeat=STATEMENTS)))
    corners = np.repeat(np.array(list(product((0, HIGH), repeat=STATEMENTS))), STATEMENTS, axis=0)
    prices = np.tile(np.ones((STATEMENTS,) * 2) + np.eye(STATEMENTS), (2**STATEMENTS, 1))
    under = (prices * abs(np.round(ideal) - corners)).sum(axis=1) <= BUDGET
    corners = np.where(under[:, None], HIGH - corners, corners)
    options = [
        draws.permutation(points[line])[:LISTED]
        for line in costs(points, corners, prices) == BUDGET
    ]
    utility = [-0.5 * ((shown - ideal) ** 2).mean(axis=1) for shown in options]
    best = [np.argmax(u + NOISE * draws.gumbel(size=LISTED)) for u in utility]
    answers = np.array([shown[i] for shown, i in zip(options, best, strict=True)])
    return Model(np.arange(1, len(corners) + 1), answers, corners, prices)


def lowest_ccei(models: list[Model]) -> float:
    return min(ccei(costs(m.answers, m.corners, m.prices)) for m in models)


def pooled_draws(models: list[Model], efficiency: float, rho: int, n_draws: int) -> list[Pool]:
    answered = [m.numbers for m in models]
    draws = [draw_rounds_apart(answered, rho, ("bench", k, "rounds")) for k in range(n_draws)]
    return [pool_draw(models, rounds, efficiency) for rounds in draws]


def timed(pools: list[Pool], solver: str, limit: float = 60.0) -> tuple[list[Largest], list[float]]:
    found, seconds = [], []
    for pooled in pools:
        start = perf_counter()
        found.append(largest_sets(pooled, None, solver, limit))
        seconds.append(perf_counter() - start)
    return found, seconds


def agreement(found: list[Largest], truth: list[Largest]) -> tuple[int, int]:
    """Draws that the solver finished, and those where its sets are among all largest sets."""
    pairs = [pair for pair in zip(found, truth, strict=False) if pair[0].status == "optimal"]
    return len(pairs), sum(set(a.sets) <= set(b.sets) for a, b in pairs)


def solver_row(name: str, found: list[Largest], seconds: list[float], truth: list[Largest]) -> str:
    optimal, agree = agreement(found, truth)
    times = f"{np.median(seconds) * 1e3:>12.2f}{max(seconds) * 1e3:>12.2f}"
    counts = f"{optimal:>10}{len(found) - optimal:>10}{f'{agree} of {optimal}':>14}"
    return f"{name:<14}{len(found):>6}{times}{counts}"


def solver_table(pools: list[Pool], limit: float, n_ordering: int) -> bool:
    """Print a row a solver; whether all that finished agree with ``enumeration``."""
    heads = f"{'solver':<14}{'draws':>6}{'median ms':>12}{'most ms':>12}"
    print(f"{heads}{'optimal':>10}{'time-out':>10}{'agree':>14}")
    truth, alike = timed(pools, "enumeration")[0], True
    for name, some in (("enumeration", pools), ("cycles", pools), ("ordering", pools[:n_ordering])):
        found, seconds = timed(some, name, limit)
        print(solver_row(name, found, seconds, truth))
        optimal, agree = agreement(found, truth)
        alike &= optimal == agree
    print()
    return alike


def end_to_end(models: list[Model], efficiency: float, draws: int) -> str:
    """Wall time of drawing, pooling, dividing and checking, and of verifying all again."""
    start = perf_counter()
    found = similarity(models, efficiency, RHO, draws, ("bench",))
    middle = perf_counter()
    checked = verify_types(models, found)
    assert not checked.violations, checked
    off = found.shares[~np.eye(len(models), dtype=bool)]
    return (
        f"{len(models):>3} models x {found.rho:>2} rounds, {draws} draws: {middle - start:.2f} s, "
        f"verified in {perf_counter() - middle:.2f} s; {checked.types} types, none violates; "
        f"G {off.mean():.2f} (s.d. {off.std():.2f}), e = {efficiency:.3f}, "
        f"proven {found.proven.mean():.0%}, all ties known {found.listed.mean():.0%}"
    )


def environment() -> str:
    packages = "  ".join(f"{p} {version(p)}" for p in ("rationale", "numba", "numpy", "highspy"))
    return f"{packages}  Python {platform.python_version()}  {os.cpu_count()} cores, one used"


def main(limit: float = 20.0, n_ordering: int = 2) -> int:
    many = [respond(k) for k in range(MANY)]
    models = many[:MODELS]
    efficiency = lowest_ccei(models)
    print(f"Largest set of models, e = {efficiency:.3f}\n{environment()}")
    print(f"\n{MODELS} models x {RHO} rounds, ordering {limit:g} s a draw")
    alike = solver_table(pooled_draws(models, efficiency, RHO, SOLVED), limit, n_ordering)
    print(f"{FEW} models x {FEW_RHO} rounds")
    few = pooled_draws(models[:FEW], efficiency, FEW_RHO, FEW_SOLVED)
    alike &= solver_table(few, limit, FEW_SOLVED)
    print(end_to_end(models, efficiency, DRAWS))
    print(end_to_end(many, MANY_EFFICIENCY, DRAWS // 10))
    if not alike:
        print("Two solvers that finished disagree.", file=sys.stderr)
    return int(not alike)


if __name__ == "__main__":
    sys.exit(main(*(kind(word) for kind, word in zip((float, int), sys.argv[1:], strict=False))))
