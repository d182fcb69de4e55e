"""How often MoralChoice's intervals hold the truth, over seeds: respondents whose beliefs are stated.

Each seed asks simulated respondents the shipped scenarios of low ambiguity in all six forms, in
words, reads the replies and takes the 95 % intervals that the tables have. Printed is the share of
seeds in which each interval holds what the respondent's beliefs imply, and the mean estimate.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from rationale.beliefs.likelihoods import entropy
from rationale.inference.intervals import clopper_pearson
from rationale.reporting.moralchoice import Resampled, beliefs_of, beliefs_table, forms_table
from rationale.respondents.base import Call
from rationale.respondents.simulated import Simulated
from rationale.surveys.moralchoice.forms import forms_of, read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.reading import read
from rationale.surveys.moralchoice.scenarios import read_scenarios
from rationale.surveys.moralchoice.tables import count_replies

ROOT = Path(__file__).parent.parent
TEMPLATES = ("ab", "repeat", "compare")
LOW, ORDER, COMPARE = 0.7, 0.2, -0.15
SAMPLES = {"low": 5, "high": 10}


def truths() -> dict[str, float]:
    """What the stated beliefs imply: p is 0.7 +- 0.1 by order, less 0.15 in compare."""
    p = np.array([LOW + sign * ORDER / 2 + shift for shift in (0, 0, COMPARE) for sign in (1, -1)])
    qf_e = entropy(p).mean()
    return {
        "p_action1": p.mean(),
        "order_effect": ORDER,
        "effect of compare": COMPARE * 2 / 3,
        "qf_e": qf_e,
        "qf_e_corrected": qf_e,
        "qf_c": 1 - (entropy(p.mean()) - qf_e),
        "qf_c_corrected": 1 - (entropy(p.mean()) - qf_e),
    }


async def replies(seed: int, scenarios: pl.DataFrame) -> pl.DataFrame:
    """One row a reply, as the reading of a run has it."""
    columns = scenarios["scenario_id", "ambiguity", "action1", "action2"]
    known = {name: tuple(rest) for name, *rest in columns.iter_rows()}
    spec = {
        "simulated": "utility",
        "ideal": [1],
        "beliefs": {"low": LOW, "order": ORDER, "forms": {"compare": COMPARE}},
        "params": {"temperature": 1},
    }
    respondent = Simulated("someone", spec, seed, known)
    rows = []
    for form in forms_of(TEMPLATES, []).values():
        template = read_template(
            ROOT / f"resources/moralchoice/forms/{form.template}.yaml",
            ROOT / "workflow/schemas/template.schema.json",
        )
        every = range(1, len(scenarios) + 1)
        for prompt in block_prompts(scenarios, every, template, form.order, SAMPLES):
            words = ({"role": "user", "content": prompt.turns[0]},)
            call = Call(
                "m", None, {}, words, prompt.sample, 1, "moralchoice", form.name, prompt.prompt_id
            )
            reading = read(prompt.reply, (await respondent.reply(call)).text)
            rows.append(
                (prompt.prompt_id, form.template, form.order, None, reading.status, reading.value)
            )
    schema = {
        "scenario_id": pl.String,
        "form": pl.String,
        "order": pl.Int64,
        "decoding": pl.String,
        "status": pl.String,
        "action": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def estimates(seed: int, scenarios: pl.DataFrame) -> dict[str, Mapping[str, float]]:
    """Estimate, low and high of each measure."""
    counts = count_replies(asyncio.run(replies(seed, scenarios)), scenarios)
    beliefs, resampled = beliefs_of("m", "simulated", counts, scenarios), Resampled(seed, 999)
    row = beliefs_table(beliefs, resampled).row(0, named=True)
    forms = forms_table(beliefs, resampled).row(
        by_predicate=pl.col("template") == "compare", named=True
    )
    found = {
        name: (row[name], row[f"{name}_low"], row[f"{name}_high"])
        for name in truths()
        if name in row
    }
    found["effect of compare"] = (forms["effect"], forms["effect_low"], forms["effect_high"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    seeds = parser.parse_args().seeds
    scenarios = read_scenarios([ROOT / "resources/moralchoice/scenarios.csv"]).filter(
        ambiguity="low"
    )
    found = [estimates(seed, scenarios) for seed in range(seeds)]
    print(
        f"{'measure':<20}{'truth':>8}{'mean':>8}{'held':>7}   95 % interval of the share, {seeds} seeds"
    )
    for name, truth in truths().items():
        values = np.array([one[name] for one in found], dtype=float)
        held = int(((values[:, 1] <= truth) & (truth <= values[:, 2])).sum())
        low, high = clopper_pearson(held, seeds)
        mean = values[:, 0].mean()
        print(f"{name:<20}{truth:>8.3f}{mean:>8.3f}{held / seeds:>7.2f}   {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
