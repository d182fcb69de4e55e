"""All that a priced survey asks a model, without asking."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rationale.asking.prompts import Prompt
from rationale.surveys.psm.forms import Form
from rationale.surveys.psm.prompts import one_round, opening
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import Survey


class Planned:
    """The prompts of every form; those of equal open answers are made once."""

    def __init__(self, survey: Survey, forms: Mapping[str, Form], options: int, seed: int):
        self.survey, self.forms, self.options, self.seed = survey, forms, options, seed
        self.rounds = lru_cache(maxsize=256)(self._rounds)

    def opening(self, form: str) -> Prompt:
        """The open round of a form."""
        return opening(self.survey, self.forms[form])

    def _rounds(self, form: str, chosen: tuple[int, ...] | None) -> list[Prompt]:
        """The constrained rounds of a form after an open answer; without one none is flipped."""
        found = self.forms[form]
        shuffled = found.order == "shuffled"
        drawn = draw_rounds(self.survey, chosen, self.options, self.seed, shuffled)
        return [one_round(self.survey, found, one.number, one.options) for one in drawn]
