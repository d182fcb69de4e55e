"""The page on which people review questions: one file, read and filled in without a server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rationale.surveys.steer.review import fingerprint
from rationale.surveys.steer.rules import RULES
from rationale.surveys.steer.taxonomy import Taxonomy


def render_review(sample: pl.DataFrame, taxonomy: Taxonomy) -> str:
    """The page, as HTML. ``sample`` has the columns of bank.SCHEMA, a row a part."""
    questions = [
        _question(rows.sort("part").to_dicts(), taxonomy)
        for _, rows in sample.group_by("question_id", maintain_order=True)
    ]
    there = {one["element"] for one in questions}
    elements = [one for one in taxonomy.elements.values() if one.slug in there]
    data = {
        "sample": _digest(questions),
        "questions": questions,
        "settings": [
            [slug, name]
            for slug, name in taxonomy.settings.items()
            if any(one.setting == slug for one in elements)
        ],
        "elements": [
            {"slug": one.slug, "name": one.name, "setting": one.setting} for one in elements
        ],
    }
    loader = PackageLoader("rationale.reporting", "")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("review.html").render(questions=_embedded(data))


def _question(parts: Sequence[Mapping[str, Any]], taxonomy: Taxonomy) -> dict[str, Any]:
    first = parts[0]
    element = taxonomy.elements[first["element"]]
    rule = first["rule"]
    return {
        "id": first["question_id"],
        "fingerprint": fingerprint(parts),
        "element": element.slug,
        "element_name": element.name,
        "setting": element.setting,
        "domain": taxonomy.domains[first["domain"]],
        "grade": first["grade"],
        "meaning": element.grades[first["grade"]],
        "explanation": first["explanation"],
        "rule": rule,
        "rule_text": " ".join((RULES[rule].__doc__ or "").split()) if rule else None,
        "parts": [
            {
                "text": part["text"],
                "options": part["options"],
                "key": part["key"],
                "behind": part["mistakes"] or part["meanings"],
            }
            for part in parts
        ],
    }


def _digest(questions: Sequence[Mapping[str, Any]]) -> str:
    seen = [[one["id"], one["fingerprint"]] for one in questions]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:12]


def _embedded(data: object) -> Markup:
    """JSON that may stand in a script: no text in it can end the script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Markup(
        text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )
