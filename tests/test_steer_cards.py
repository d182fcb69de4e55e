"""Report cards: numbers, and how they are shown."""

from __future__ import annotations

from functools import lru_cache
from random import Random

import polars as pl
import steer

from rationale.surveys.steer.bank import draw_questions, question_table
from rationale.surveys.steer.behaviours import asked_of, shows
from rationale.surveys.steer.grading import GRADED
from rationale.surveys.steer.rubrics import read_rubric

FORMS = ("plain", "together", "none-correct", "free")
FORMED = {"form": pl.String, **GRADED, "none_places": pl.List(pl.Int64)}


@lru_cache
def bank(elements: tuple[str, ...] | None = None, per_cell: int = 1) -> pl.DataFrame:
    """Questions of some elements, or of all."""
    found = [steer.taxonomy().elements[slug] for slug in elements or steer.taxonomy().elements]
    return pl.concat(
        question_table(draw_questions(one, steer.stories(one.slug), seed=1, per_cell=per_cell))
        for one in found
    )


def answers(
    questions: pl.DataFrame, skill: dict[str, float], forms=("plain",), unread: float = 0.0
) -> pl.DataFrame:
    """What somebody answers who knows an element's answer with its skill and guesses else."""
    rng = Random(1)
    rows = []
    for _, parts in questions.group_by("question_id", maintain_order=True):
        parts = parts.to_dicts()
        rows += [
            _answer(rng, form, parts, skill.get(parts[0]["element"], 0.5), unread)
            for form in forms
            if _is_put(form, parts)
        ]
    return pl.DataFrame(rows, schema=FORMED)


def _is_put(form: str, parts: list[dict]) -> bool:
    if form == "free":
        return all(part["value"] is not None for part in parts)
    return form != "none-correct" or all(part["key"] is not None for part in parts)


def _answer(rng: Random, form: str, parts: list[dict], skill: float, unread: float) -> dict:
    asked = asked_of(parts)
    read, ways = rng.random() >= unread, [range(1, len(one) + 1) for one in asked.options]
    chosen = [rng.choice(way) for way in ways]
    while rng.random() < skill and not shows("rational", asked, chosen):
        chosen = [rng.choice(way) for way in ways]
    names = ("question_id", "element", "module", "setting", "domain", "grade", "template", "origin")
    return {
        "form": form,
        **{name: parts[0][name] for name in names},
        "status": "answered" if read else rng.choice(("refused", "invalid")),
        "chosen": [float(place) for place in chosen] if read else None,
        "right": shows("rational", asked, chosen) if read else None,
        "guess_rate": 0.0 if form == "free" else parts[0]["guess_rate"],
        "none_places": [1] * len(parts) if form == "none-correct" else None,
    }


def rubric(tmp_path, text: str, name: str = "mine"):
    path = tmp_path / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return read_rubric(path, steer.SCHEMAS / "rubric.schema.json", steer.taxonomy())
