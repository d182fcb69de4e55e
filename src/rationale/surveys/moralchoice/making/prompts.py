"""The prompts that ask for scenarios: a template, a rule, a setting, and examples written by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rationale.asking.prompts import Prompt
from rationale.schema import DocumentError, check, nearest, read_schema, read_yaml
from rationale.seeds import generator
from rationale.surveys.moralchoice.making import PARTS
from rationale.surveys.moralchoice.scenarios import AMBIGUITIES, LABELS, RULES
from rationale.surveys.templates import template_problems

PLACEHOLDERS = {
    "low": ("rule", "explanation", "setting"),
    "high": ("rule", "explanation", "setting", "examples"),
}
HAND_WRITTEN = "Hand-Written"


@dataclass(frozen=True)
class MakingTemplate:
    """How scenarios are asked for. ``explanations`` has the slug of every rule as a key."""

    name: str
    prompt: str
    explanations: Mapping[str, str]
    settings: tuple[str, ...]
    system: str | None = None


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
