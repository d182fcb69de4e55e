"""Figures of STEER: what is drawn where, that it fits, and that it can be drawn again."""

from itertools import combinations

import polars as pl
import pytest
from matplotlib import pyplot as plt

from rationale.seeds import generator

KINDS = ("llm", "recorded", "simulated")
ELEMENTS = ("bayes", "transitivity", "lottery-independence", "sunk-cost", "borda", "level-k")
FORMS = ("together", "apart", "shots-1", "shots-2", "shots-4", "shots-5", "none-correct", "free")
GUESS = 0.25


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def slugs(m):
    return [f"m{place:02d}" for place in range(m)]


def heads(m, form="plain"):
    return [
        {"model": slug, "respondent": KINDS[place % 3], "form": form}
        for place, slug in enumerate(slugs(m))
    ]


def spans(name, value, half=0.05):
    return {name: value, f"{name}_low": value - half, f"{name}_high": value + half}


def scored(accuracy, half=0.05):
    """Accuracy over a guess rate of a quarter, and what it is normalised."""
    normalised = (accuracy - GUESS) / (1 - GUESS)
    return {
        **{"questions": 40, "answered": 40, "guess_rate": GUESS},
        **spans("accuracy", accuracy, half),
        **spans("normalised", normalised, half / (1 - GUESS)),
    }


def steer(m):
    """Model k of m is right in k + 1 of m + 1 questions."""
    return pl.DataFrame([{**head, **scored((k + 1) / (m + 1))} for k, head in enumerate(heads(m))])


def parts(m, grades=range(14)):
    rows = []
    for k, head in enumerate(heads(m)):
        draw = generator("parts", k).normal(0, 0.06, len(grades))
        for grade, noise in zip(grades, draw, strict=True):
            accuracy = min(0.97, max(0.05, 1 - 0.05 * grade - 0.4 * k / m + noise))
            rows.append({**head, "by": "grade", "part": str(grade), **scored(accuracy, 0.1)})
        rows.append({**head, "by": "setting", "part": "foundations", **scored(0.6)})
    return pl.DataFrame(rows)


def elements(m, names=ELEMENTS):
    rows = []
    for k, head in enumerate(heads(m)):
        draw = generator("elements", k).beta(2.5 - 2 * k / m, 1 + k / m, (2, len(names)))
        for name, accuracy, worse in zip(names, *draw.round(2), strict=True):
            worst = scored(accuracy * (1 - 0.5 * worse))["normalised"]
            rows.append({**head, "element": name, **scored(accuracy), "worst_domain": "medicine"})
            rows[-1] |= {"worst_normalised": worst, "worst_accuracy": accuracy * (1 - 0.5 * worse)}
    return pl.DataFrame(rows)


def differences(m):
    """Model i wins over a later model j in most elements; neighbours are not resolved."""
    rows = []
    for i, j in combinations(range(m), 2):
        share = min(1.0, 0.5 + 0.05 * (j - i))
        verdict = slugs(m)[i] if j - i > 2 else "not resolved"
        pair = {"form": "plain", "model_1": slugs(m)[i], "model_2": slugs(m)[j]}
        rows.append({**pair, "elements": 6, "win_share": share, "verdict": verdict})
    return pl.DataFrame(rows, schema_overrides={"win_share": pl.Float64})


def form_effects(m, forms=FORMS):
    rows = []
    for k, head in enumerate(heads(m)):
        draw = generator("forms", k).normal(0.05, 0.08, len(forms))
        for form, effect in zip(forms, draw, strict=True):
            ends = {"effect": effect, "low": effect - 0.09, "high": effect + 0.09}
            verdict = "not resolved" if abs(effect) < 0.09 else "better" if effect > 0 else "worse"
            rows.append({**head, "form": form, "by": "all", "part": "all", **ends})
            rows[-1] |= {"verdict": verdict}
    return pl.DataFrame(rows)
