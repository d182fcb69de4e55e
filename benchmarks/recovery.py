"""How well each estimator recovers a known utility from a simulated survey.

Respondents with stated weights a, ideal b and logit noise answer the shipped survey, every seed with
its own options; the open answer is the rounded ideal. The last chooses at random and has nothing to
recover: for it the ideals that an estimator reports stand there with their standard errors.

    python benchmarks/recovery.py --seeds 100

Over seeds and statements the table gives: bias, the mean error of each statement (root mean square
over statements); rmse, the root mean square error; median, the median size of an error; held, how
often the 95 % interval of 1.96 standard errors holds the truth. Fits without a number are left
out. Exits with status 1 where the logit's intervals hold the truth in clearly less than 93 %.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rationale.inference import clopper_pearson
from rationale.respondents.priced import Taste, choose
from rationale.revealed.logit import fit_logit
from rationale.revealed.utility import fit_least_squares
from rationale.seeds import generator
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import read_survey

HOME = Path(__file__).parent.parent
IDEAL = np.array([2.2, 1.4, 3.1, 3.6, 1.8])
EQUAL, UNEQUAL = np.full(5, 0.2), np.array([0.30, 0.25, 0.20, 0.15, 0.10])
RESPONDENTS = {
    "noise 0, equal": Taste(IDEAL, EQUAL, 0.0),
    "noise 0, unequal": Taste(IDEAL, UNEQUAL, 0.0),
    "noise 0.1, equal": Taste(IDEAL, EQUAL, 0.1),
    "noise 0.1, unequal": Taste(IDEAL, UNEQUAL, 0.1),
    "noise 0.5, equal": Taste(IDEAL, EQUAL, 0.5),
    "noise 0.5, unequal": Taste(IDEAL, UNEQUAL, 0.5),
    "at random": Taste(IDEAL, EQUAL, np.inf),
}
ESTIMATORS = ("logit", "least squares", "as printed")
PARTS = {"a": slice(0, 5), "b": slice(5, 10), "noise": slice(10, 11)}
COLUMNS = ("bias", "rmse", "median", "held")
Z, LEAST = 1.959964, 0.93


class Fit(NamedTuple):
    """One fit: status, then weights, ideal and noise in one array, and their standard errors."""

    status: str
    estimates: np.ndarray
    errors: np.ndarray


@cache
def shipped_survey():
    schema = HOME / "workflow/schemas/survey.schema.json"
    return read_survey(HOME / "resources/psm/moral.yaml", schema)


def fits(respondent: str, seed: int) -> list[Fit]:
    """Every estimator on the answers of one respondent in one survey."""
    rounds = draw_rounds(shipped_survey(), np.round(IDEAL).astype(int), 100, seed)
    draw, options = generator(seed, "recovery", respondent), [one.options for one in rounds]
    answers = np.array([listed[_pick(listed, RESPONDENTS[respondent], draw)] for listed in options])
    corners = np.array([one.corner for one in rounds])
    prices = np.array([[float(p) for p in one.prices] for one in rounds])
    logit = fit_logit(options, answers)
    found = [Fit(logit.status, np.hstack(logit[1:4]), np.hstack(logit[4:7]))]
    for form in ("derived", "printed"):
        fit = fit_least_squares(answers, corners, prices, form, seed_names=(seed,))
        found.append(
            Fit(fit.status, np.hstack([*fit[1:3], np.nan]), np.hstack([*fit[3:5], np.nan]))
        )
    return found


def _pick(listed: np.ndarray, taste: Taste, draw: np.random.Generator) -> int:
    return int(draw.integers(len(listed))) if np.isinf(taste.noise) else choose(listed, taste, draw)


def measures(found: list[Fit], taste: Taste) -> dict[str, float]:
    """Each column of the table for each part of the estimates; NaN where there is no number."""
    truth = np.hstack([taste.weights, taste.ideal, taste.noise if taste.noise < np.inf else np.nan])
    off = np.ma.masked_invalid([one.estimates for one in found]) - truth
    errors = np.ma.masked_invalid([one.errors for one in found])
    result = {}
    for name, part in PARTS.items():
        wrong = np.ma.masked_invalid(off[:, part])
        held = np.ma.abs(wrong) <= Z * errors[:, part]
        result[f"{name} bias"] = np.ma.sqrt(np.ma.mean(wrong.mean(axis=0) ** 2))
        result[f"{name} rmse"] = np.ma.sqrt(np.ma.mean(wrong**2))
        result[f"{name} median"] = np.ma.median(np.ma.abs(wrong))
        result[f"{name} held"] = held.mean()
    return {name: float(np.ma.filled(value, np.nan)) for name, value in result.items()}


def _row(estimator: str, found: list[Fit], measured: dict[str, float]) -> str:
    cells = [measured[f"{part} {column}"] for part in PARTS for column in COLUMNS]
    shown = "".join(f"{cell:8.3f}" if np.isfinite(cell) else f"{'-':>8}" for cell in cells)
    return f"  {estimator:<14}{shown}   {_statuses(found)}"


def _statuses(found: list[Fit]) -> str:
    shares = Counter(one.status for one in found).most_common()
    return ", ".join(f"{count / len(found):.0%} {name}" for name, count in shares)


def _of_nothing(estimator: str, found: list[Fit]) -> str:
    """What an estimator reports, at the median, of a respondent without preferences."""
    known = [
        np.ma.masked_invalid([getattr(one, kind) for one in found]) for kind in Fit._fields[1:]
    ]
    ideal, error = (np.ma.median(part[:, PARTS["b"]], axis=0) for part in known)
    numbers = [f"{b:.2f} ({e:.2f})" for b, e in zip(ideal, error, strict=True)]
    return f"  {estimator:<14} ideal {', '.join(numbers)}   {_statuses(found)}"


def _times(squares: dict[str, float], logit: dict[str, float]) -> str:
    """The error of least squares as a multiple of the logit's."""
    words = [
        f"{part} {squares[name] / logit[name]:.2f} ({column})"
        for part in ("a", "b")
        for column in ("rmse", "median")
        for name in [f"{part} {column}"]
    ]
    return ", ".join(words)


def _too_low(measured: dict[str, float], seeds: int) -> list[str]:
    """Parts whose intervals hold the truth too rarely for chance to explain it."""
    low = []
    for name, part in PARTS.items():
        intervals, held = seeds * (part.stop - part.start), measured[f"{name} held"]
        if np.isfinite(held) and clopper_pearson(round(held * intervals), intervals).high < LEAST:
            low.append(name)
    return low


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seeds", type=int, default=100)
    options.add_argument("--workers", type=int, default=None)
    given = options.parse_args()
    started, verdicts, low = time.monotonic(), [], []
    print(
        f"{given.seeds} surveys each: 160 rounds of 100 options; ideal {IDEAL.tolist()}, ", end=""
    )
    print(f"weights all 0.2 or {UNEQUAL.tolist()}\n")
    print(f"{'':<16}" + "".join(f"{part:^32}" for part in PARTS))
    print(f"{'':<16}" + "".join(f"{c:>8}" for c in COLUMNS) * len(PARTS) + "   fits")
    with ProcessPoolExecutor(given.workers) as pool:
        for respondent, taste in RESPONDENTS.items():
            found = list(pool.map(partial(fits, respondent), range(given.seeds), chunksize=5))
            by_estimator = dict(zip(ESTIMATORS, zip(*found, strict=True), strict=True))
            print(respondent)
            if np.isinf(taste.noise):
                print("\n".join(_of_nothing(*one) for one in by_estimator.items()))
                continue
            measured = {name: measures(of, taste) for name, of in by_estimator.items()}
            print("\n".join(_row(name, of, measured[name]) for name, of in by_estimator.items()))
            verdicts.append((respondent, _times(measured["least squares"], measured["logit"])))
            low += [f"{respondent}: {part}" for part in _too_low(measured["logit"], given.seeds)]
    print("\nerror of least squares as a multiple of the logit's (above 1: the logit is better)")
    print("\n".join(f"{respondent:<20}{words}" for respondent, words in verdicts))
    print(f"\nlogit intervals that hold the truth too rarely: {'; '.join(low) or 'none'}", end="")
    print(f"; {time.monotonic() - started:.0f} s")
    return int(bool(low))


if __name__ == "__main__":
    sys.exit(main())
