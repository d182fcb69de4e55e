"""Which of the scenarios that were written are kept, and why the others are dropped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

import polars as pl

from rationale.asking.answers import Status
from rationale.schema import DocumentError, nearest, shortened
from rationale.seeds import digest
from rationale.surveys.moralchoice.making import PARTS, READINGS
from rationale.surveys.moralchoice.scenarios import AMBIGUITIES, RULES, SCHEMA

DROPPED = {
    "prompt_id": pl.String,
    "reason": pl.String,
    "near": pl.String,
    "similarity": pl.Float64,
}
GENERATED = "Generated"

CONTEXT_WORDS = (5, 80)
ACTION_WORDS = (2, 40)
NEAR_DUPLICATE = 0.7
STATUSES = get_args(Status)


class Collected(NamedTuple):
    """``kept`` is a scenario table; ``dropped`` has the columns of DROPPED, a row a reply."""

    kept: pl.DataFrame
    dropped: pl.DataFrame


def collect_scenarios(readings: pl.DataFrame, existing: pl.DataFrame) -> Collected:
    """The scenarios that hold up, and every other reply with the reason why it was dropped.

    Parameters
    ----------
    readings : one row a prompt with the columns of READINGS; the parts are null unless the status
        is answered.
    existing : scenario table; new contexts must differ from its contexts too.

    A kept scenario is labelled by nobody yet, and its id follows from its content. Contexts are
    compared by their words, whatever their case and order: similarity is the number of words that
    both have over the number that either has (Jaccard), and from NEAR_DUPLICATE on the later one
    goes. Earlier is the smaller number at the end of the prompt_id, then the prompt_id; so more
    prompts a rule drop nothing that was kept. ``near`` is a scenario_id of ``existing`` or the
    prompt_id of a scenario kept before.
    Raises DocumentError for missing columns, a prompt_id that stands twice, an unknown status,
    ambiguity or rule, and an answered row without its parts.
    """
    if problems := _reading_problems(readings):
        raise DocumentError(shortened(problems))
    known = [_Context.of(row["scenario_id"], row["context"]) for row in existing.to_dicts()]
    kept, dropped = [], []
    for row in sorted(readings.to_dicts(), key=lambda row: _rank(row["prompt_id"])):
        drop = _drop(row, known)
        if drop is None:
            known.append(_Context.of(row["prompt_id"], row["context"]))
            kept.append(_scenario(row))
        else:
            dropped.append({"prompt_id": row["prompt_id"], **drop._asdict()})
    return Collected(pl.DataFrame(kept, schema=SCHEMA), pl.DataFrame(dropped, schema=DROPPED))


class _Context(NamedTuple):
    name: str
    normal: str
    words: frozenset[str]

    @classmethod
    def of(cls, name: str, context: str) -> _Context:
        normal = _normal(context)
        return cls(name, normal, frozenset(normal.split()))

    def similarity(self, other: _Context) -> float:
        shared = len(self.words & other.words)
        return shared / (len(self.words) + len(other.words) - shared)


class _Drop(NamedTuple):
    reason: str
    near: str | None = None
    similarity: float | None = None


def _normal(text: str) -> str:
    """Words alone, in one case and one spelling of characters, a space between them."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def _rank(prompt_id: str) -> tuple[int, str]:
    number = re.search(r"\d+\Z", prompt_id, re.ASCII)
    return (int(number[0][:18]) if number else 0, prompt_id)


def _drop(row: Mapping, known: Sequence[_Context]) -> _Drop | None:
    if row["status"] != "answered":
        return _Drop(row["status"])
    reason = next(_faults(row), None)
    return _twin(_Context.of("", row["context"]), known) if reason is None else _Drop(reason)


def _faults(row: Mapping) -> Iterator[str]:
    """What is wrong with the words of a scenario by itself."""
    context, *actions = (row[name] for name in PARTS)
    if any(len(text.splitlines()) > 1 for text in (context, *actions)):
        yield "line break"
    yield from _lengths("context", context, CONTEXT_WORDS)
    for action in actions:
        yield from _lengths("action", action, ACTION_WORDS)
    if _normal(actions[0]) == _normal(actions[1]):
        yield "equal actions"
    if not all(re.search(r"\b(?:I|[Ww]e)\b", action) for action in actions):
        yield "action not in the first person"
    if not re.search(r"\byou", context, re.IGNORECASE):
        yield "context not addressed to you"
    if any(f" {_normal(row['rule'])} " in f" {_normal(action)} " for action in actions):
        yield "action repeats the rule"


def _lengths(part: str, text: str, limits: tuple[int, int]) -> Iterator[str]:
    words = len(text.split())
    if words < limits[0]:
        yield f"{part} too short"
    if words > limits[1]:
        yield f"{part} too long"


def _twin(context: _Context, known: Sequence[_Context]) -> _Drop | None:
    for other in known:
        if other.normal == context.normal:
            return _Drop("duplicate", other.name, 1.0)
    similarity, _, near = max(
        ((context.similarity(other), -place, other.name) for place, other in enumerate(known)),
        default=(0.0, 0, None),
    )
    return _Drop("near duplicate", near, similarity) if similarity >= NEAR_DUPLICATE else None


def _scenario(row: Mapping) -> dict[str, str]:
    parts = {name: row[name] for name in PARTS}
    return {
        "scenario_id": f"M_{digest(*parts.values()):032x}"[:14],
        "ambiguity": row["ambiguity"],
        "generation_type": GENERATED,
        "generation_rule": row["rule"],
        **parts,
    }


def _reading_problems(readings: pl.DataFrame) -> list[str]:
    missing = [name for name in READINGS if name not in readings.columns]
    if missing:
        found = ", ".join(readings.columns) or "nothing"
        return [f"readings: the columns {', '.join(missing)} are missing; found: {found}."]
    if readings["prompt_id"].null_count():
        return ["readings: a prompt_id is missing; name the prompt of every reading."]
    seen: set[str] = set()
    problems: list[str] = []
    for row in readings.to_dicts():
        where = f"readings: prompt_id '{row['prompt_id']}'"
        if row["prompt_id"] in seen:
            problems.append(f"{where}: stands twice; pass one reading a prompt.")
        seen.add(row["prompt_id"])
        problems += [f"{where}: {problem}" for problem in _row_problems(row)]
    return problems


def _row_problems(row: Mapping) -> Iterator[str]:
    allowed = {"ambiguity": AMBIGUITIES, "rule": RULES, "status": STATUSES}
    for name, values in allowed.items():
        if row[name] not in values:
            hint = nearest(str(row[name]), list(values))
            yield f"{name}: found '{row[name]}'; allowed: {', '.join(values)}.{hint}"
    empty = [name for name in PARTS if not row[name]]
    if row["status"] == "answered" and empty:
        yield f"answered, but without {', '.join(empty)}; read the reply again."
