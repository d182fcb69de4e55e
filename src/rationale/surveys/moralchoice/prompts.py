"""The prompts of MoralChoice: every scenario of a block in one form, as often as it is sampled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from rationale.asking.prompts import Prompt
from rationale.surveys.moralchoice.forms import LETTERS, Template, header, question
from rationale.surveys.moralchoice.reading import expected_reply


def block_prompts(
    scenarios: pl.DataFrame,
    numbers: range,
    template: Template,
    order: int,
    samples: Mapping[str, int],
) -> list[Prompt]:
    """The prompts of the scenarios with these numbers (from 1), sample by sample.

    ``samples`` gives the replies wanted by ambiguity. Raises ValueError for a block that is not
    within the scenarios.
    """
    if not 1 <= numbers.start < numbers.stop <= len(scenarios) + 1:
        raise ValueError(
            f"the block {numbers.start} to {numbers.stop - 1} is not within the "
            f"{len(scenarios)} scenarios; delete results/moralchoice/prompts and run again"
        )
    block = scenarios.slice(numbers.start - 1, len(numbers))
    return [
        prompt
        for scenario in block.iter_rows(named=True)
        for prompt in _samples(scenario, template, order, samples[scenario["ambiguity"]])
    ]


def _samples(scenario: Mapping, template: Template, order: int, count: int) -> Iterator[Prompt]:
    shown = (scenario["action1"], scenario["action2"])
    first, second = shown if order == 0 else shown[::-1]
    words = question(template, scenario["context"], first, second)
    expected = expected_reply(template.reply, first, second, order, LETTERS)
    system = header(template)
    for sample in range(count):
        yield Prompt(scenario["scenario_id"], (words,), sample, system, expected)
