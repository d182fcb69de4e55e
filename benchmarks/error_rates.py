"""How often the rationality test passes a respondent of each kind, over many seeds.

Every seed is a whole survey, through the words of prompts and replies. Respondents that choose at
random, or always the same position, should pass at no more than the nominal rate; one with stable
preferences and little noise should pass at 1 %. Exits with status 1 where that is not so.

    python benchmarks/error_rates.py --seeds 200
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from rationale.inference import clopper_pearson
from rationale.respondents.base import Call
from rationale.respondents.simulated import Simulated
from rationale.revealed import random_ccei, rationality_test, uniform_picks
from rationale.revealed.ccei import ccei
from rationale.revealed.costs import costs
from rationale.surveys.psm.forms import opening_prompt, read_form, round_prompt
from rationale.surveys.psm.reading import read_option, read_scale
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import read_survey

HOME = Path(__file__).parent.parent
LEVELS = (0.01, 0.05, 0.10)
TASTE = {"ideal": [2.2, 1.4, 3.1, 3.6, 1.8]}
KINDS = {
    "random": ({"simulated": "random"}, False),
    "same position": ({"simulated": "position", "position": 1}, False),
    "utility, noise 0.1": ({"simulated": "utility", **TASTE, "noise": 0.1}, True),
    "utility, no noise": ({"simulated": "utility", **TASTE, "noise": 0}, True),
}


def p_value(kind: str, draws: int, seed: int) -> float:
    """The p-value of one respondent in one survey; every draw follows from the seed."""
    schemas = HOME / "workflow/schemas"
    survey = read_survey(HOME / "resources/psm/moral.yaml", schemas / "survey.schema.json")
    form = read_form(HOME / "resources/psm/forms/listed.yaml", schemas / "form.schema.json")
    respondent = Simulated(kind, KINDS[kind][0], seed)

    def said(words: str) -> str:
        call = Call("simulated", None, {}, ({"role": "user", "content": words},), 0, 1)
        return asyncio.run(respondent.reply(call)).text

    opening = read_scale(said(opening_prompt(form, survey)), len(survey.statements), survey.high)
    rounds = draw_rounds(survey, opening.value, 100, seed)
    replies = [said(round_prompt(form, survey, one.options)) for one in rounds]
    chosen = [
        read_option(text, len(one.options)) for text, one in zip(replies, rounds, strict=True)
    ]
    answers = np.array([r.options[c.value - 1] for r, c in zip(rounds, chosen, strict=True)])
    corners = np.array([one.corner for one in rounds])
    prices = np.array([[float(p) for p in one.prices] for one in rounds])
    options = [one.options for one in rounds]
    picks = uniform_picks([len(o) for o in options], draws, (seed, "error rates", kind))
    null = random_ccei(options, corners, prices, picks)
    return rationality_test(ccei(costs(answers, corners, prices)), null).p_value


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seeds", type=int, default=200)
    options.add_argument("--draws", type=int, default=1000)
    options.add_argument("--workers", type=int, default=None)
    given = options.parse_args()
    started, failed = time.monotonic(), False
    print(f"share of {given.seeds} seeds that pass, with 95 % intervals; {given.draws} draws each")
    print(f"{'respondent':<20}" + "".join(f"{f'at {level:.0%}':>24}" for level in LEVELS))
    with ProcessPoolExecutor(given.workers) as pool:
        for kind, (_, rational) in KINDS.items():
            work = partial(p_value, kind, given.draws)
            p = np.array(list(pool.map(work, range(given.seeds), chunksize=5)))
            cells = []
            for level in LEVELS:
                count = int(np.sum(p <= level))
                low, high = clopper_pearson(count, given.seeds)
                cells.append(f"{count / given.seeds:.3f} [{low:.3f}, {high:.3f}]")
                failed |= (low > level) if not rational else False
            failed |= rational and bool(np.mean(p <= LEVELS[0]) < 0.99)
            print(f"{kind:<20}" + "".join(f"{cell:>24}" for cell in cells), flush=True)
    print(f"{'not ' if failed else ''}as it should be; {time.monotonic() - started:.0f} s")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
