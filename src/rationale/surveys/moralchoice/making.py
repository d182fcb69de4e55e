"""Scenarios that a model writes: the prompts, the reading of the replies, and what is kept of them.

A prompt asks for one scenario about one rule. Low ambiguity is asked for without examples, high
ambiguity with a few drawn from those that were written by hand about the same rule. What comes
back is read strictly, and all of it is either kept or listed with the reason why not. No filter
replaces the review by people: coherence, and which action is the better one, are theirs to judge.
Source: Scherrer et al. (2023), section 3.2.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, get_args

import polars as pl

from rationale.asking.answers import Status
from rationale.asking.prompts import Prompt
from rationale.schema import DocumentError, check, nearest, read_schema, read_yaml, shortened
from rationale.seeds import digest, generator
from rationale.surveys.moralchoice.scenarios import AMBIGUITIES, LABELS, RULES, SCHEMA
from rationale.surveys.replies import Reading, first_readable, plain, refuses, said
from rationale.surveys.templates import template_problems

PLACEHOLDERS = {
    "low": ("rule", "explanation", "setting"),
    "high": ("rule", "explanation", "setting", "examples"),
}
PARTS = ("context", "action1", "action2")
READINGS = dict.fromkeys(("prompt_id", "ambiguity", "rule", "status", *PARTS), pl.String)
DROPPED = {
    "prompt_id": pl.String,
    "reason": pl.String,
    "near": pl.String,
    "similarity": pl.Float64,
}
HAND_WRITTEN = "Hand-Written"
GENERATED = "Generated"

CONTEXT_WORDS = (5, 80)
ACTION_WORDS = (2, 40)
NEAR_DUPLICATE = 0.7
STATUSES = get_args(Status)


@dataclass(frozen=True)
class MakingTemplate:
    """How scenarios are asked for. ``explanations`` has the slug of every rule as a key."""

    name: str
    prompt: str
    explanations: Mapping[str, str]
    settings: tuple[str, ...]
    system: str | None = None


class Collected(NamedTuple):
    """``kept`` is a scenario table; ``dropped`` has the columns of DROPPED, a row a reply."""

    kept: pl.DataFrame
    dropped: pl.DataFrame


def read_template(path: str | Path, ambiguity: str, schema: str | Path) -> MakingTemplate:
    """The template in a YAML file, named for the file.

    Raises DocumentError for a broken schema, for a prompt that lacks one of the placeholders of
    its ambiguity or names another, and for a system text with placeholders.
    """
    path = Path(path)
    found = check(read_yaml(path), read_schema(schema), path.name)
    problems = _prompt_problems(found["prompt"], ambiguity, path.name)
    problems += template_problems(found.get("system", ""), (), (), f"{path.name}: system")
    if problems:
        raise DocumentError(problems)
    return MakingTemplate(
        path.stem,
        found["prompt"],
        found["explanations"],
        tuple(found["settings"]),
        found.get("system"),
    )


def making_prompts(
    template: MakingTemplate,
    ambiguity: str,
    rules: Sequence[str],
    number_per_rule: int,
    examples: pl.DataFrame,
    shots: int = 5,
    *,
    names: tuple[object, ...],
) -> list[Prompt]:
    """The prompts for scenarios of one ambiguity, ``number_per_rule`` for each of ``rules``.

    Prompts are numbered from 1 within their rule, and the number is also the sample: words that
    are put twice are askings apart. The settings take turns in an order seeded by ``names``, the
    ambiguity and the rule. For high ambiguity a prompt shows ``shots`` scenarios, seeded by
    ``names`` and its id, out of the hand-written ones of high ambiguity about its rule in the
    scenario table ``examples``; all of them, in drawn order, where there are fewer. Examples of
    another rule never fill up: they would teach another violation.

    More prompts a rule leave those before them as they were. Raises DocumentError for rules that
    are not among RULES, for a template that is not for this ambiguity, for less than one example a
    prompt, and for a rule without an example.
    """
    pools = _pools(examples, rules) if ambiguity == "high" else {}
    problems = _prompt_problems(template.prompt, ambiguity, f"{template.name}.yaml")
    problems += _rule_problems(rules)
    if ambiguity == "high":
        problems += _example_problems(pools, shots)
    if problems:
        raise DocumentError(problems)
    return [
        _prompt(template, ambiguity, rule, number, pools.get(rule, []), shots, names)
        for rule in rules
        for number in range(1, number_per_rule + 1)
    ]


def scenario_reply(ambiguity: str, rule: str) -> str:
    """What `read_making` needs to know of a prompt, and what the reading's table says of it."""
    return json.dumps({"kind": "scenario", "ambiguity": ambiguity, "rule": rule})


def _prompt_problems(prompt: str, ambiguity: str, where: str) -> list[str]:
    if ambiguity not in PLACEHOLDERS:
        return [
            f"{where}: found the ambiguity '{ambiguity}'; allowed: {', '.join(AMBIGUITIES)}."
            f"{nearest(ambiguity, list(AMBIGUITIES))}"
        ]
    names = PLACEHOLDERS[ambiguity]
    return template_problems(prompt, names, names, f"{where}: prompt")


def _rule_problems(rules: Sequence[str]) -> list[str]:
    return [
        f"rules: found '{rule}'; allowed: {', '.join(RULES)}.{nearest(rule, list(RULES))}"
        for rule in rules
        if rule not in RULES
    ]


def _example_problems(pools: Mapping[str, list], shots: int) -> list[str]:
    if shots < 1:
        return [f"shots: found {shots}; allowed: 1 or more, for high ambiguity."]
    return [
        f"examples: no scenario has ambiguity high, generation_type {HAND_WRITTEN} and "
        f"generation_rule '{rule}'; write one or more into the scenarios, or make only low ones."
        for rule, pool in pools.items()
        if not pool
    ]


def _pools(examples: pl.DataFrame, rules: Sequence[str]) -> dict[str, list[Mapping]]:
    """The hand-written scenarios of high ambiguity by rule, ordered by their id."""
    by_hand = examples.filter(ambiguity="high", generation_type=HAND_WRITTEN).sort("scenario_id")
    return {rule: by_hand.filter(generation_rule=rule).to_dicts() for rule in rules}


def _prompt(
    template: MakingTemplate,
    ambiguity: str,
    rule: str,
    number: int,
    pool: Sequence[Mapping],
    shots: int,
    names: tuple[object, ...],
) -> Prompt:
    slug = LABELS[RULES.index(rule)]
    prompt_id = f"{ambiguity}.{slug}.{number:03d}"
    turns = generator(*names, "settings", ambiguity, slug).permutation(len(template.settings))
    drawn = generator(*names, prompt_id).permutation(len(pool))[:shots]
    words = template.prompt.format(
        rule=rule,
        explanation=template.explanations[slug],
        setting=template.settings[turns[(number - 1) % len(turns)]],
        examples="\n\n".join(_laid_out(pool[place]) for place in drawn),
    )
    system = None if template.system is None else template.system.format().strip()
    reply = scenario_reply(ambiguity, rule)
    return Prompt(prompt_id, (words.strip(),), number, system, reply)


def _laid_out(scenario: Mapping) -> str:
    """A scenario in the layout that a reply has to have."""
    context, action1, action2 = (" ".join(scenario[name].split()) for name in PARTS)
    return f"Context: {context}\nAction 1: {action1}\nAction 2: {action2}"


_LABEL = (
    r"(?:(?P<context>context|scenario|situation)(?:\s*\#?\d{1,4})?"
    r"|(?:action|option)[\s_#(\[-]*(?P<number>[12ab]|one|two)\b[)\]]{0,2})"
)
_KEY = re.compile(_LABEL, re.IGNORECASE)
_LINE = re.compile(
    r"[\s>#*_`•·–+(\[-]*+(?:\d{1,3}[.)]\s+)?+[*_`]*+"
    rf"{_LABEL}[*_`\s]*(?:\([^()]{{1,60}}\))?[*_`]*(?:[:：.]|\s[–—-]\s|(?<=[)\]])\s|$)",
    re.IGNORECASE,
)
_NUMBERS = {"1": "action1", "a": "action1", "one": "action1"}
_NUMBERS |= {"2": "action2", "b": "action2", "two": "action2"}
_NO_PART = re.compile(
    r"```\w*|\W*+(?:(?:the |possible |two )*+(?:actions|options))?+\W*+", re.IGNORECASE
)
_FENCED = re.compile(r"^```\w*[^\S\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PAIRS = {'"': '"', "“": "”", "«": "»", "'": "'", "[": "]", "(": ")"}
_MARKUP = re.compile(r"[*`_<>{}\[\]|\\]")
_INVISIBLE = re.compile("[\u200b\ufeff]")


def read_making(expected: str, text: str) -> Reading:
    """The scenario that a reply writes: answered with its PARTS by name, refused, or invalid.

    The three parts must be there once each, behind their labels or as the keys of one JSON object,
    each on a line of its own; words before the first label are no part. Bold labels, headings,
    bullets, quotes and code fences are dress. Anything behind a part, an empty part and markup
    left in a part make the reply invalid. The words of a part are never changed, but for white
    space. Raises ValueError when ``expected`` is not what `scenario_reply` wrote.
    """
    if json.loads(expected).get("kind") != "scenario":
        raise ValueError(f"expected a prompt for a scenario; found {expected}")
    parts = _parts(said(text))
    if not any(name for name, _ in parts):
        return Reading("refused" if refuses(plain(text)) else "invalid")
    value = {name: _bare(words) for name, words in parts}
    if sorted(name for name, _ in parts) != sorted(PARTS) or not all(
        map(_is_clean, value.values())
    ):
        return Reading("invalid")
    return Reading("answered", {name: value[name] for name in PARTS})


def _parts(text: str) -> list[tuple[str, str]]:
    """The labelled parts in their order; what stands behind a part and has no label is named ''."""
    fenced = _FENCED.findall(text)
    body = (fenced[0] if len(fenced) == 1 else text).strip()
    if body.startswith("{"):
        return _keyed(body)
    found: list[tuple[str, str]] = []
    for line in _INVISIBLE.sub("", text).splitlines():
        _add(found, line)
    return found


def _keyed(body: str) -> list[tuple[str, str]]:
    try:
        pairs = json.loads(body, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return []
    return [
        (_name(_KEY.fullmatch(key)), value if isinstance(value, str) else "")
        for key, value in pairs
    ]


def _add(found: list[tuple[str, str]], line: str) -> None:
    """Add what a line says; the line behind a label that stands alone is that label's part."""
    waiting = bool(found) and not found[-1][1]
    label = _LINE.match(line)
    if label is not None:
        part = (_name(label), line[label.end() :].strip(" \t*_`"))
        # A heading 'Scenario' may stand above the three parts.
        found[-1 if waiting and found[-1][0] == part[0] == "context" else len(found) :] = [part]
    elif waiting and _bare(line):
        found[-1] = (found[-1][0], line)
    elif found and not _NO_PART.fullmatch(line):
        found.append(("", line))


def _name(label: re.Match | None) -> str:
    if label is None:
        return ""
    return "context" if label["context"] else _NUMBERS[label["number"].lower()]


def _bare(words: str) -> str:
    """The words of a part without bullet, bold and the quotes around the whole."""
    words = words.strip().strip("*_`").strip()
    words = re.sub(r"\A(?:[-•·>+]\s+)+[*_`]*", "", words)
    while len(words) > 1 and _PAIRS.get(words[0]) == words[-1] and _is_pair(words):
        words = words[1:-1].strip()
    return re.sub(r"[^\S\n\r]+", " ", words)


def _is_pair(words: str) -> bool:
    return not {words[0], words[-1]} & set(words[1:-1])


def _is_clean(words: str) -> bool:
    return bool(words) and words.isprintable() and not _MARKUP.search(words)


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


def made_readings(prompts: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """The columns of READINGS, a row a prompt: its first attempt that is a scenario, else its last.

    ``prompts`` and ``answers`` are what was asked and every attempt at it. Raises ValueError for a
    prompt without an attempt.
    """
    attempts = answers.sort("attempt").partition_by("prompt_id", as_dict=True)
    rows = []
    for prompt in prompts.iter_rows(named=True):
        name = prompt["prompt_id"]
        if (name,) not in attempts:
            raise ValueError(f"the prompt {name} was never put; ask its block again")
        expected = prompt["reply"]
        reading, status = first_readable(
            attempts[(name,)].iter_rows(named=True), partial(read_making, expected)
        )
        known = {key: json.loads(expected)[key] for key in ("ambiguity", "rule")}
        parts = {} if reading is None else reading.value
        rows.append({"prompt_id": name, **known, "status": status, **parts})
    return pl.DataFrame(rows, schema=READINGS)
