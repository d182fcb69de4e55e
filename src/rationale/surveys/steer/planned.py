"""All that STEER asks a model, without asking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from rationale.asking.prompts import Prompt
from rationale.surveys.steer.bank import drawn_table, example_table
from rationale.surveys.steer.forms import Form
from rationale.surveys.steer.prompts import put_questions
from rationale.surveys.steer.stories import Story
from rationale.surveys.steer.taxonomy import Taxonomy


@dataclass(frozen=True)
class Planned:
    """The prompts of every form, as the jobs that write them draw them; questions are drawn once.

    ``grades`` maps the elements to grades of theirs, ``published`` are tables of published questions,
    an element each; ``most_shots`` is how many examples a cell has.
    """

    taxonomy: Taxonomy
    stories: Mapping[str, Sequence[Story]]
    grades: Mapping[str, Collection[int]]
    domains: Collection[str]
    per_cell: int
    seed: int
    most_shots: int = 0
    published: Sequence[pl.DataFrame] = ()

    @cached_property
    def asked(self) -> pl.DataFrame:
        """The questions drawn from stories."""
        return drawn_table(
            self.taxonomy, self.stories, self.grades, self.domains, self.seed, self.per_cell
        )

    @cached_property
    def examples(self) -> pl.DataFrame:
        """Questions other than those that are asked."""
        return example_table(
            *(self.taxonomy, self.stories, self.grades, self.domains),
            seed=self.seed,
            number=self.most_shots,
            asked=self.asked,
        )

    def prompts(self, form: Form, context_tokens: int | None) -> list[Prompt]:
        """The prompts of a form for a model with such a context."""
        tables = [(self.asked, self.examples if form.shots else None)]
        tables += [(table, None) for table in self.published]
        return [
            put.prompt
            for table, examples in tables
            for put in put_questions(table, form, self.seed, context_tokens, examples)
        ]
