"""How often STEER's intervals hold the truth, over seeds: respondents whose abilities are stated.

Each seed asks simulated respondents the same questions in words, with and without an explanation,
reads and grades the replies, and takes the 95 % intervals that tables and cards have. Printed is the
share of seeds in which each interval holds what the stated abilities imply, and the mean estimate.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import numpy as np
import polars as pl

from rationale.inference.intervals import clopper_pearson
from rationale.reporting.cards import card_of
from rationale.reporting.cards_table import card_csv
from rationale.reporting.steer import parts_table, scores_table
from rationale.reporting.steer_across import form_effects_table
from rationale.reporting.steer_sheets import sheets_of
from rationale.respondents.base import Call
from rationale.respondents.pupil import Abilities, chance_right, confidence
from rationale.respondents.simulated import Simulated
from rationale.surveys.steer.bank import drawn_table
from rationale.surveys.steer.files import load_stories, load_taxonomy
from rationale.surveys.steer.forms import read_form
from rationale.surveys.steer.grading import grade_answers
from rationale.surveys.steer.prompts import put_questions
from rationale.surveys.steer.rubrics import read_rubric

ROOT = Path(__file__).parent.parent
STEER, SCHEMAS = ROOT / "resources/steer", ROOT / "workflow/schemas"
FORMS = ("plain", "together")
ELEMENTS = (
    *("addition-subtraction", "probability", "bayes", "expectation", "transitivity"),
    *("sunk-cost", "certainty-effect", "best-response", "borda", "risk-attitude-auctions"),
)
ABLE = {"accuracy": {"0": 0.9, "10": 0.4}, "overconfidence": 0.1, "forms": {"together": 0.1}}
BIASED = {"accuracy": 0.7, "bias": {"sunk-cost": 0.8, "certainty-effect": 0.7}}
DRAWS = 999


def bank(per_cell: int) -> tuple:
    """The taxonomy, and the questions of some elements."""
    taxonomy = load_taxonomy(STEER / "taxonomy.yaml", SCHEMAS)
    paths = [STEER / f"stories/{slug}.yaml" for slug in ELEMENTS]
    stories = load_stories(paths, STEER / "words.yaml", taxonomy, SCHEMAS)
    grades = {slug: list(taxonomy.elements[slug].grades) for slug in ELEMENTS}
    return taxonomy, drawn_table(taxonomy, stories, grades, list(taxonomy.domains), 1, per_cell)


async def conversation(respondent: Simulated, prompt, form: str) -> dict:
    """One attempt at a prompt, as the table of answers has it."""
    messages, replies = [], []
    for turn, words in enumerate(prompt.turns):
        messages.append({"role": "user", "content": words})
        call = Call(*("m", None, {}, tuple(messages), 0, 1, "steer", form, prompt.prompt_id, turn))
        replies.append(await respondent.reply(call))
        messages.append({"role": "assistant", "content": replies[-1].text})
    return {
        "prompt_id": prompt.prompt_id,
        "attempt": 1,
        "status": "answered",
        "finish_reason": "stop",
        "text": [one.text for one in replies],
        "logprobs": [one.logprobs or [] for one in replies],
    }


async def answered(abilities: dict, seed: int, questions: pl.DataFrame, puts: dict) -> pl.DataFrame:
    """The graded answers of a respondent in every form."""
    parts = questions.sort("part").group_by("question_id", maintain_order=True)
    known = {name: rows.to_dicts() for (name,), rows in parts}
    spec = {"simulated": "utility", "ideal": [1], "abilities": abilities}
    respondent = Simulated("someone", spec, seed, questions=known)
    tables = []
    for form, found in puts.items():
        rows = [await conversation(respondent, put.prompt, form) for put in found]
        graded = grade_answers(questions, found, pl.DataFrame(rows))
        tables.append(graded.select(pl.lit(form).alias("form"), pl.all()))
    return pl.concat(tables)


def truths(questions: pl.DataFrame) -> dict[str, float]:
    """What the stated abilities imply for these questions."""
    able = Abilities(**ABLE)
    rows = questions.filter(part=1).to_dicts()
    a = np.array([chance_right(able, row, "plain") for row in rows])
    r = np.array([row["guess_rate"] for row in rows])
    single = np.array([row["rule"] is None for row in rows])
    k = np.array([len(row["options"]) for row in rows])
    c = np.array([confidence(able, p, n) for p, n in zip(a, k, strict=True)])
    grade = np.array([row["grade"] for row in rows])
    together = np.array([chance_right(able, row, "together") for row in rows])
    return {
        "accuracy": a.mean(),
        "normalised": (a.mean() - r.mean()) / (1 - r.mean()),
        "grade 1": a[grade == 1].mean(),
        "grade 4": a[grade == 4].mean(),
        "ece": abs((c - a)[single].mean()),
        "p_key": (a * c + (1 - a) * (1 - c) / (k - 1))[single].mean(),
        "effect of together": (together - a).mean(),
        **{f"human-like: {slug}": share for slug, share in BIASED["bias"].items()},
    }


def estimates(seed: int, taxonomy, questions: pl.DataFrame, puts: dict, rubric) -> dict:
    """Estimate, low and high of each measure."""
    graded = asyncio.run(answered(ABLE, seed, questions, puts))
    sheets = sheets_of({"m": graded}, {"m": "simulated"}, taxonomy, seed, DRAWS)
    scores = scores_table(sheets).row(by_predicate=pl.col("form") == "plain", named=True)
    found = {
        name: (scores[name], scores[f"{name}_low"], scores[f"{name}_high"])
        for name in ("accuracy", "normalised", "ece", "p_key")
    }
    grades = parts_table(sheets).filter(form="plain", by="grade")
    for grade in ("1", "4"):
        row = grades.row(by_predicate=pl.col("part") == grade, named=True)
        found[f"grade {grade}"] = tuple(row[f"accuracy{end}"] for end in ("", "_low", "_high"))
    effect = form_effects_table(sheets).row(by_predicate=pl.col("by") == "all", named=True)
    found["effect of together"] = (effect["effect"], effect["low"], effect["high"])
    plain = {"plain": puts["plain"]}
    biased = asyncio.run(answered(BIASED, seed, questions, plain))
    card = card_csv(card_of("m", biased, questions, taxonomy, rubric, DRAWS, seed))
    for slug in BIASED["bias"]:
        row = card.filter(section="element", name=slug).row(0, named=True)
        guess = row["guess_rate"]
        found[f"human-like: {slug}"] = tuple(
            guess + (1 - guess) * row[name] for name in ("score", "low", "high")
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--per-cell", type=int, default=5)
    asked = parser.parse_args()
    seeds = asked.seeds
    taxonomy, questions = bank(asked.per_cell)
    rubric = read_rubric(
        STEER / "rubrics/bias-human-like.yaml", SCHEMAS / "rubric.schema.json", taxonomy
    )
    puts = {
        form: put_questions(
            questions,
            read_form(STEER / f"forms/{form}.yaml", SCHEMAS / "adaptation.schema.json"),
            1,
        )
        for form in FORMS
    }
    found = [estimates(seed, taxonomy, questions, puts, rubric) for seed in range(seeds)]
    print(f"{questions['question_id'].n_unique()} questions of {len(ELEMENTS)} elements")
    print(
        f"{'measure':<30}{'truth':>8}{'mean':>8}{'held':>7}   95 % interval of the share, {seeds} seeds"
    )
    for name, truth in truths(questions).items():
        values = np.array([one[name] for one in found], dtype=float)
        held = int(((values[:, 1] <= truth) & (truth <= values[:, 2])).sum())
        low, high = clopper_pearson(held, seeds)
        mean = values[:, 0].mean()
        print(f"{name:<30}{truth:>8.3f}{mean:>8.3f}{held / seeds:>7.2f}   {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
