"""The prompts of a priced survey, ready to be asked."""

from __future__ import annotations

import numpy as np
import polars as pl

from rationale.asking.prompts import Prompt
from rationale.surveys.psm.blocks import OPENING, prompt_id
from rationale.surveys.psm.forms import Form, opening_prompt, round_prompt
from rationale.surveys.psm.reading import option_reply, scale_reply
from rationale.surveys.psm.survey import Survey


def opening(survey: Survey, form: Form) -> Prompt:
    """The open round."""
    return Prompt(
        OPENING,
        (opening_prompt(form, survey),),
        form.sample,
        form.system,
        scale_reply(len(survey.statements), survey.high),
    )


def constrained(survey: Survey, form: Form, rounds: pl.DataFrame, numbers: range) -> list[Prompt]:
    """The constrained rounds with these numbers."""
    wanted = rounds.filter(pl.col("round").is_in(list(numbers))).sort("round")
    return [
        one_round(survey, form, row["round"], np.array(row["options"]))
        for row in wanted.iter_rows(named=True)
    ]


def one_round(survey: Survey, form: Form, number: int, options: np.ndarray) -> Prompt:
    """A constrained round; ``options`` is (n, S) in shown order."""
    return Prompt(
        prompt_id(number, survey.rounds),
        (round_prompt(form, survey, options),),
        form.sample,
        form.system,
        option_reply(len(options)),
    )
