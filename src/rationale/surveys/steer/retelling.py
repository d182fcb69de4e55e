"""A model as storyteller: prompts to retell a story, and what of its replies can be used.

The study had a model write its questions. Here a model only retells: numbers, options and keys stay
with the generators, and a retold story must keep every placeholder, every number and the sense of
what is asked. What fails a check is dropped with the reason; people still review what is kept.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import polars as pl

from rationale.asking.prompts import Prompt
from rationale.schema import DocumentError, check, read_schema, read_yaml
from rationale.seeds import digest
from rationale.surveys.replies import Reading, first_readable, plain, refuses, said
from rationale.surveys.steer.bank import refuse_unsound
from rationale.surveys.steer.questions import Draw, Generator
from rationale.surveys.steer.stories import Story, one_line, placeholders
from rationale.surveys.templates import template_problems

PLACEHOLDERS = ("domain", "person", "texts")
PERSONS = {"first": "the reader is a person of the story", "third": "the story is about others"}
DROPPED = {"prompt_id": pl.String, "template": pl.String, "reason": pl.String}
LENGTHS = (0.5, 2.0)
TRIALS = 5

_LABEL = re.compile(r"^\s*\[([a-z][a-z0-9_]*)\]\s*$", re.MULTILINE)
_SMALL = "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_LARGE = "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = "hundred thousand million billion dozen half halves quarters thirds twice double triple"
_RANKS = "first second third quarter fourth fifth last"
_NUMBERS = re.compile(
    rf"\d[\d,.]*\d|\d|[$€£%]|\b(?:{'|'.join(f'{_SMALL} {_LARGE} {_SCALES} {_RANKS}'.split())})\b"
)
_UNITS = re.compile(r"\b(?:day|week|month|quarter|year|hour|minute|percent|per cent)s?\b")
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|unless|neither|nor|cannot)\b|n['’]t\b"
)
_DIRECTIONS = {
    "most": r"most|largest|highest|greatest|biggest|best|maximum|maxim\w+|longest|latest",
    "least": r"least|smallest|lowest|fewest|worst|minimum|minim\w+|shortest|earliest",
    "more": r"more|higher|larger|greater|bigger|better",
    "less": r"less|lower|smaller|fewer|worse|sooner",
    "all": r"all|every|everybody|everyone|always|any",
    "some": r"some|somebody|someone|sometimes",
    "only": r"only|solely",
}
_LEAKS = re.compile(
    r"\b(?:(?:the )?(?:right|correct|optimal|rational) (?:answer|option|choice|decision|thing)"
    r"|the answer (?:is|would be)|optimal|obviously|clearly|of course|needless to say"
    r"|therefore|thus|hence"
    r"|(?:wise|wiser|wisest|sensible|smart|foolish|mistake|fallacy|bias)"
    r"|(?:you|he|she|they|we|i|_) (?:should|must|ought to|had better|would do well))\b"
)


@dataclass(frozen=True)
class RetellingTemplate:
    """How a retelling is asked for."""

    prompt: str
    system: str | None = None


def read_retelling(path: str | Path, schema: str | Path) -> RetellingTemplate:
    """The template in a YAML file.

    Raises DocumentError for a broken schema and for placeholders that are missing or unknown.
    """
    path = Path(path)
    found = check(read_yaml(path), read_schema(schema), path.name)
    problems = template_problems(
        found["prompt"], PLACEHOLDERS, PLACEHOLDERS, f"{path.name}: prompt"
    )
    problems += template_problems(found.get("system", ""), (), (), f"{path.name}: system")
    if problems:
        raise DocumentError(problems)
    return RetellingTemplate(found["prompt"], found.get("system"))


def retelling_prompts(
    template: RetellingTemplate, stories: Sequence[Story], domains: Mapping[str, str], number: int
) -> list[Prompt]:
    """``number`` prompts a story, each a sample of its own: ``{element}/{story}.{sample:02d}``."""
    return [
        Prompt(
            f"{story.element}/{story.slug}.{sample:02d}",
            (
                template.prompt.format(
                    domain=domains[story.domain].lower(),
                    person=PERSONS[story.person],
                    texts=laid_out(story.texts),
                ).strip(),
            ),
            sample,
            None if template.system is None else template.system.format().strip(),
            json.dumps({"kind": "retelling", "texts": list(story.texts)}),
        )
        for story in stories
        for sample in range(1, number + 1)
    ]


def laid_out(texts: Mapping[str, str]) -> str:
    """Texts in the layout that a reply has to have: each behind its name in square brackets."""
    return "\n\n".join(f"[{name}]\n{text}" for name, text in texts.items())


def read_retold(expected: str, text: str) -> Reading:
    """The texts of a retelling by name: answered when each of them is there once, and no other.

    Words before the first name are no part. Raises ValueError for another kind of prompt.
    """
    wanted = json.loads(expected)
    if wanted.get("kind") != "retelling":
        raise ValueError(f"expected a prompt for a retelling; found {expected}")
    pieces = _LABEL.split(said(text))
    names, texts = pieces[1::2], list(map(one_line, pieces[2::2]))
    if not names:
        return Reading("refused" if refuses(plain(text)) else "invalid")
    if sorted(names) != sorted(wanted["texts"]) or not all(texts):
        return Reading("invalid")
    return Reading("answered", dict(zip(names, texts, strict=True)))


def retelling_problems(story: Story, texts: Mapping[str, str]) -> list[str]:
    """Why a retelling cannot stand in for a story; nothing when it can."""
    problems = [
        f"{name}: {problem}"
        for name, before in story.texts.items()
        for problem in _text_problems(before, texts[name])
    ]
    if not problems and all(texts[name] == text for name, text in story.texts.items()):
        return ["it is the story itself, word for word"]
    return problems


def retold_story(
    story: Story,
    texts: Mapping[str, str],
    model: str,
    sample: int,
    generator: Generator,
    grades: Sequence[int],
) -> Story:
    """The story in other words, marked with who told it.

    Raises ValueError when a question drawn from it is not sound at one of the grades.
    """
    slug = f"{story.slug}-{model.replace('.', '-')}-{sample}"
    told = replace(story, slug=slug, texts=dict(texts), origin=model)
    for grade in grades:
        for trial in range(TRIALS):
            draft = generator.draw(Draw(told, grade, Random(digest(slug, grade, trial))))
            if draft is not None:
                refuse_unsound(draft, slug)
    return told


def _text_problems(before: str, after: str) -> Iterator[str]:
    try:
        kept = Counter(placeholders(after))
    except ValueError as error:
        yield f"braces that are no placeholder ({error})"
        return
    wanted = Counter(placeholders(before))
    for name in sorted(kept.keys() | wanted.keys()):
        if kept[name] != wanted[name]:
            yield f"{{{name}}} stands {kept[name]} times, in the story {wanted[name]} times"
    old, new = _words(before), _words(after)
    yield from _changed("number", _NUMBERS, old, new)
    yield from _changed("unit", _UNITS, old, new)
    if len(_NEGATIONS.findall(old)) != len(_NEGATIONS.findall(new)):
        yield "a negation more or less than in the story"
    for name, pattern in _DIRECTIONS.items():
        found = [bool(re.search(rf"\b(?:{pattern})\b", text)) for text in (old, new)]
        if found[0] != found[1]:
            yield f"a word of the kind '{name}' that stands in one of the two only"
    for leak in sorted(set(_LEAKS.findall(new)) - set(_LEAKS.findall(old))):
        yield f"words that may give the key away: '{leak}'"
    if ("?" in old) != ("?" in new):
        yield "a question that stands in one of the two only"
    ratio = len(new.split()) / max(1, len(old.split()))
    if len(old.split()) > 8 and not LENGTHS[0] <= ratio <= LENGTHS[1]:
        yield f"{ratio:.1f} times as long as the story; allowed: {LENGTHS[0]} to {LENGTHS[1]}"


def _words(text: str) -> str:
    return re.sub(r"\{[^{}]*\}", "_", text).lower()


def _changed(kind: str, pattern: re.Pattern, old: str, new: str) -> Iterator[str]:
    before = Counter(found.rstrip(".,s") for found in pattern.findall(old))
    after = Counter(found.rstrip(".,s") for found in pattern.findall(new))
    for word in sorted(before.keys() | after.keys()):
        if before[word] != after[word]:
            yield f"the {kind} '{word}' stands {after[word]} times, in the story {before[word]} times"


class Retold(NamedTuple):
    """``kept`` are stories; ``dropped`` has the columns of DROPPED, a row a reply or a problem."""

    kept: list[Story]
    dropped: pl.DataFrame


def collect_retold(
    stories: Sequence[Story],
    prompts: pl.DataFrame,
    answers: pl.DataFrame,
    model: str,
    generator: Generator,
    grades: Sequence[int],
) -> Retold:
    """The retellings that can stand in for their stories; every other reply with what is wrong with it.

    ``prompts`` and ``answers`` are what was asked and every attempt at it. Raises ValueError for a
    prompt without an attempt.
    """
    told = {f"{story.element}/{story.slug}": story for story in stories}
    attempts = answers.sort("attempt").partition_by("prompt_id", as_dict=True)
    kept, dropped = [], []
    for prompt in prompts.iter_rows(named=True):
        name = prompt["prompt_id"]
        if (name,) not in attempts:
            raise ValueError(f"the prompt {name} was never put; ask its block again")
        rows = attempts[(name,)].iter_rows(named=True)
        reading, status = first_readable(rows, partial(read_retold, prompt["reply"]))
        story, sample = told[name.rpartition(".")[0]], prompt["sample"]
        reasons = [f"the reply is {status}"] if reading is None else []
        if reading is not None:
            reasons = retelling_problems(story, reading.value)
            if not reasons:
                kept.append(retold_story(story, reading.value, model, sample, generator, grades))
        dropped += [{"prompt_id": name, "template": story.slug, "reason": one} for one in reasons]
    return Retold(kept, pl.DataFrame(dropped, schema=DROPPED))
