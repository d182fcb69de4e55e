"""Estimated tokens of every prompt against three real tokenizers: `python benchmarks/tokens.py`.

The tokenizers are those that litellm ships, so nothing is fetched: o200k and cl100k (OpenAI) and an
older one of Anthropic. Exits with status 1 when a count lies outside its estimate.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import polars as pl

from rationale.asking.prompts import Prompt
from rationale.asking.tokens import tokens
from rationale.surveys.moralchoice.forms import read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.scenarios import read_scenarios
from rationale.surveys.psm.forms import read_form
from rationale.surveys.psm.planned import Planned
from rationale.surveys.psm.survey import read_survey
from rationale.surveys.steer.files import load_stories, load_taxonomy
from rationale.surveys.steer.forms import read_form as read_steer_form
from rationale.surveys.steer.planned import Planned as PlannedBank

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / "workflow/schemas"
STEER = ROOT / "resources/steer"


def tokenizers() -> dict[str, Callable[[str], int]]:
    """Name to a count of tokens."""
    folder = (
        Path(importlib.util.find_spec("litellm").origin).parent / "litellm_core_utils/tokenizers"
    )
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    import tiktoken
    from tokenizers import Tokenizer

    openai = {name: tiktoken.get_encoding(f"{name}_base") for name in ("o200k", "cl100k")}
    claude = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))
    found = {name: lambda text, one=one: len(one.encode(text)) for name, one in openai.items()}
    return {**found, "claude": lambda text: len(claude.encode(text).ids)}


def prompts() -> Iterator[tuple[str, list[Prompt]]]:
    """The prompts of every form; those of the priced survey with 100 and with 5 options."""
    survey = read_survey(ROOT / "resources/psm/moral.yaml", SCHEMAS / "survey.schema.json")
    forms = {
        path.stem: read_form(path, SCHEMAS / "form.schema.json")
        for path in sorted((ROOT / "resources/psm/forms").glob("*.yaml"))
    }
    for options in (100, 5):
        planned = Planned(survey, forms, options, 1)
        for form in forms:
            yield f"psm {form} {options}", planned.rounds(form, None)
    yield "psm open", [planned.opening(form) for form in forms]
    scenarios = read_scenarios([ROOT / "resources/moralchoice/scenarios.csv"])
    for path in sorted((ROOT / "resources/moralchoice/forms").glob("*.yaml")):
        template = read_template(path, SCHEMAS / "template.schema.json")
        every = range(1, len(scenarios) + 1)
        yield (
            f"moralchoice {path.stem}",
            block_prompts(scenarios, every, template, 0, {"low": 1, "high": 1}),
        )


def steer_prompts() -> Iterator[tuple[str, list[Prompt]]]:
    """The prompts of every form of STEER: a question of each element, domain and grade."""
    taxonomy = load_taxonomy(STEER / "taxonomy.yaml", SCHEMAS)
    files = sorted((STEER / "stories").glob("*.yaml"))
    stories = load_stories(files, STEER / "words.yaml", taxonomy, SCHEMAS)
    grades = {slug: list(element.grades) for slug, element in taxonomy.elements.items()}
    bank = PlannedBank(taxonomy, stories, grades, list(taxonomy.domains), 1, 1, most_shots=5)
    for path in sorted((STEER / "forms").glob("*.yaml")):
        form = read_steer_form(path, SCHEMAS / "adaptation.schema.json")
        yield f"steer {path.stem}", bank.prompts(form, None)


def compared() -> pl.DataFrame:
    """One row a form and tokenizer: mean counts, characters a token, and how many lie outside."""
    rows = []
    for name, listed in chain(prompts(), steer_prompts()):
        texts = sorted({words for prompt in listed for words in prompt.turns})
        spans = [tokens(text) for text in texts]
        for tokenizer, number in tokenizers().items():
            counts = [number(text) for text in texts]
            inside = [s.low <= n <= s.high for s, n in zip(spans, counts, strict=True)]
            rows.append(
                {
                    "prompts": name,
                    "tokenizer": tokenizer,
                    "n": len(texts),
                    "characters a token": round(sum(map(len, texts)) / sum(counts), 2),
                    "low": round(sum(span.low for span in spans) / len(texts)),
                    "tokens": round(sum(counts) / len(texts)),
                    "high": round(sum(span.high for span in spans) / len(texts)),
                    "outside": len(texts) - sum(inside),
                }
            )
    return pl.DataFrame(rows)


if __name__ == "__main__":
    table = compared()
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
        print(table)
    sys.exit(1 if table["outside"].sum() else 0)
