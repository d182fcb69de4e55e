"""Question forms: ways to put the same rounds, each a file that a reviewer can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rationale.schema import DocumentError, check, read_schema
from rationale.surveys.psm.survey import Survey
from rationale.surveys.templates import merged_keys, template_problems

PLACEHOLDERS = {
    "opening": {"statements", "count", "high", "low_label", "high_label"},
    "round": {"statements", "count", "high", "low_label", "high_label", "options", "shown"},
}
NEEDED = {"opening": {"statements"}, "round": {"statements", "options"}}


@dataclass(frozen=True)
class Form:
    """Wording, order and templates of a form. ``sample`` keeps apart forms that put equal words."""

    name: str
    sample: int
    wording: str
    order: str
    system: str | None
    opening: str
    round: str


def read_form(path: str | Path, schema: str | Path) -> Form:
    """The form in a YAML file, named for the file; keys it lacks come from the form it is `like`.

    Raises DocumentError for broken schemas, for a `like` that names no other form or leads to
    another `like`, and for templates that lack a placeholder or name an unknown one.
    """
    path = Path(path)
    where = path.name
    found = check(merged_keys(path), read_schema(schema), where)
    problems = [
        problem
        for part in ("opening", "round")
        for problem in template_problems(
            found[part], PLACEHOLDERS[part], NEEDED[part], f"{where}: {part}"
        )
    ]
    if problems:
        raise DocumentError(problems)
    texts = {key: value for key, value in found.items() if key not in ("like", "about", "system")}
    return Form(name=path.stem, system=found.get("system"), **texts)


def opening_prompt(form: Form, survey: Survey) -> str:
    """The open round in words: any answer on the scale."""
    return form.opening.format(**_words(form, survey)).strip()


def round_prompt(form: Form, survey: Survey, options: np.ndarray) -> str:
    """A constrained round in words; ``options`` is (n, S) in shown order, numbered from 1."""
    lines = (
        f"Option {number}: {', '.join(map(str, option))}"
        for number, option in enumerate(options.tolist(), start=1)
    )
    words = _words(form, survey)
    return form.round.format(**words, options="\n".join(lines), shown=len(options)).strip()


def _words(form: Form, survey: Survey) -> Mapping[str, object]:
    texts = [_wording(statement, form.wording) for statement in survey.statements]
    return {
        "statements": "\n".join(f"{place}. {text}" for place, text in enumerate(texts, start=1)),
        "count": len(texts),
        "high": survey.high,
        "low_label": survey.low_label,
        "high_label": survey.high_label,
    }


def _wording(statement, wording: str) -> str:
    text = getattr(statement, wording)
    if text is None:
        raise DocumentError(
            [
                f"statement '{statement.slug}' has no '{wording}' wording, which this form puts; "
                f"add it to the survey file or leave the form out of the config."
            ]
        )
    return text
