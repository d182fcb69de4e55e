"""People's review of questions: a sample of every cell, and what the reviewers' files say of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rationale.inference import wilson
from rationale.inference.raters import agreeing_pairs, krippendorff_alpha
from rationale.schema import DocumentError, check, read_schema, shortened
from rationale.seeds import digest
from rationale.surveys.steer.taxonomy import Taxonomy

CELL = ("element", "domain", "grade")
VERDICTS = ("accept", "reject")
JUDGEMENTS = {"question_id": pl.String, "verdict": pl.String, "reason": pl.String}
VALIDITY = {
    "scope": pl.String,
    "slug": pl.String,
    "name": pl.String,
    "questions": pl.Int64,
    "reviewed": pl.Int64,
    "accepted": pl.Int64,
    "rate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "reviewers": pl.Int64,
    "judged_twice": pl.Int64,
    "agreement": pl.Float64,
    "alpha": pl.Float64,
}


def review_sample(questions: pl.DataFrame, per_cell: int, seed: int) -> pl.DataFrame:
    """The rows of ``per_cell`` questions of each element, domain and grade; all of a smaller cell.

    ``questions`` has the columns of bank.SCHEMA. A question is drawn by its own name, so that a
    larger sample holds a smaller one. The order of ``questions`` is kept.
    """
    ids = questions.select(*CELL, "question_id").unique(maintain_order=True)
    drawn = [str(digest(seed, "review", one)) for one in ids["question_id"]]
    chosen = (
        ids.with_columns(pl.Series("drawn", drawn, dtype=pl.String))
        .sort("drawn")
        .group_by(*CELL, maintain_order=True)
        .head(per_cell)
    )
    return questions.filter(pl.col("question_id").is_in(chosen["question_id"].to_list()))


def fingerprint(parts: Sequence[Mapping[str, Any]]) -> str:
    """Eight hex digits of what a reviewer saw of a question: texts, options and keys, part by part."""
    seen = [[part["text"], list(part["options"]), part["key"], part["rule"]] for part in parts]
    return hashlib.sha256(json.dumps(seen, ensure_ascii=False).encode()).hexdigest()[:8]


def fingerprints(sample: pl.DataFrame) -> dict[str, str]:
    """The fingerprint of every question of a sample."""
    return {
        name: fingerprint(rows.sort("part").to_dicts())
        for (name,), rows in sample.group_by("question_id", maintain_order=True)
    }


def read_judgements(path: str | Path, sample: pl.DataFrame, schema: str | Path) -> pl.DataFrame:
    """The judgements in a file that the review page has saved; columns of JUDGEMENTS.

    Raises DocumentError for a file that is missing or broken, a question that the sample does not
    have or that has changed since it was judged, one judged twice, and a rejection without a reason.
    """
    found = check(_json(path), read_schema(schema), Path(path).name)
    if problems := list(_problems(found["judgements"], fingerprints(sample), str(path))):
        raise DocumentError(shortened(problems))
    rows = [{name: one.get(name) for name in JUDGEMENTS} for one in found["judgements"]]
    return pl.DataFrame(rows, schema=JUDGEMENTS)


def validity(
    sample: pl.DataFrame, judgements: Mapping[str, pl.DataFrame], taxonomy: Taxonomy
) -> pl.DataFrame:
    """How many of the reviewed questions hold up: over all, by setting and by element.

    A question is accepted when everybody who judged it did. ``low`` and ``high`` are Wilson's 95 %
    interval; ``agreement`` is the share of equal pairs of verdicts over the questions that two or
    more judged, ``alpha`` Krippendorff's (nominal). Empty where nobody judged, or nobody twice.
    """
    cells = sample.select("question_id", "setting", "element").unique(maintain_order=True)
    counts = cells.join(_counted(judgements), on="question_id", how="left", maintain_order="left")
    counts = counts.with_columns(pl.col(*VERDICTS).fill_null(0))
    scopes = [("all", "all", "All questions", counts)]
    scopes += [
        ("setting", slug, name, counts.filter(setting=slug))
        for slug, name in taxonomy.settings.items()
    ]
    scopes += [
        ("element", one.slug, one.name, counts.filter(element=one.slug))
        for one in taxonomy.elements.values()
    ]
    rows = [
        {"scope": scope, "slug": slug, "name": name, **_rates(table, judgements)}
        for scope, slug, name, table in scopes
        if table.height
    ]
    return pl.DataFrame(rows, schema=VALIDITY)


def rejections(sample: pl.DataFrame, judgements: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """A row a rejection: reviewer, question, element, domain, grade, template and the reason."""
    columns = ("question_id", *CELL, "template")
    questions = sample.select(columns).unique(maintain_order=True)
    found = [
        one.filter(verdict="reject").select(pl.lit(name).alias("reviewer"), "question_id", "reason")
        for name, one in judgements.items()
    ]
    empty = pl.DataFrame(schema=dict.fromkeys(("reviewer", "question_id", "reason"), pl.String))
    joined = pl.concat([empty, *found]).join(questions, on="question_id", maintain_order="left")
    return joined.select("reviewer", *columns, "reason")


def _json(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        problem = "no such file; check steer.review.files in your config."
    except OSError as error:
        problem = f"cannot be read: {error.strerror}."
    except ValueError as error:
        problem = f"not JSON in UTF-8 ({error}); save it anew from the review page."
    raise DocumentError([f"{path}: {problem}"])


def _problems(judgements: Sequence[Mapping], known: Mapping[str, str], where: str) -> Iterator[str]:
    seen = set()
    for one in judgements:
        name = one["question_id"]
        if name not in known:
            yield f"{where}: the question {name} is not in the sample; check steer.review and seed."
        elif one["fingerprint"] != known[name]:
            yield f"{where}: the question {name} has changed since it was judged; judge it again."
        if name in seen:
            yield f"{where}: the question {name} is judged twice; keep one of the two."
        if one["verdict"] == "reject" and not one.get("reason", "").strip():
            yield f"{where}: the question {name} is rejected without a reason; write one."
        seen.add(name)


def _counted(judgements: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    empty = pl.DataFrame(schema=JUDGEMENTS)
    return (
        pl.concat([empty, *judgements.values()])
        .group_by("question_id")
        .agg((pl.col("verdict") == verdict).sum().alias(verdict) for verdict in VERDICTS)
    )


def _rates(counts: pl.DataFrame, judgements: Mapping[str, pl.DataFrame]) -> dict[str, Any]:
    reviewed = counts.filter(pl.sum_horizontal(VERDICTS) > 0)
    accepted = reviewed.filter(pl.col("reject") == 0).height
    names = set(reviewed["question_id"])
    interval = wilson(accepted, reviewed.height) if reviewed.height else None
    return {
        "questions": counts.height,
        "reviewed": reviewed.height,
        "accepted": accepted,
        "rate": accepted / reviewed.height if reviewed.height else None,
        "low": None if interval is None else float(interval.low),
        "high": None if interval is None else float(interval.high),
        "reviewers": sum(bool(names & set(one["question_id"])) for one in judgements.values()),
        **_agreement(reviewed.select(VERDICTS).to_numpy()),
    }


def _agreement(counts: np.ndarray) -> dict[str, Any]:
    judges = counts.sum(axis=1)
    several = counts[judges > 1]
    if not len(several):
        return {"judged_twice": 0, "agreement": None, "alpha": None}
    return {
        "judged_twice": len(several),
        "agreement": float(agreeing_pairs(several).mean()),
        "alpha": krippendorff_alpha(several),
    }
