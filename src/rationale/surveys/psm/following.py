"""The constrained rounds that follow from an open answer, in memory: what a batch is written from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rationale.asking.answers import Answer, to_table
from rationale.asking.prompts import Prompt
from rationale.surveys.psm.forms import Form
from rationale.surveys.psm.prompts import constrained
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.survey import Survey
from rationale.surveys.psm.tables import open_answer, rounds_table


def following_prompts(
    survey: Survey,
    form: Form,
    opening: Sequence[Answer],
    options: int,
    seed: int,
    blocks: Mapping[str, Sequence[int]],
) -> dict[str, list[Prompt]]:
    """The prompts of each block, the same as the graph's own files hold.

    ``opening`` are all attempts at the open round of the form ``listed``; ``blocks`` maps a name to
    its first round and the one after its last.
    """
    chosen = open_answer(to_table(opening), len(survey.statements), survey.high)
    shuffled = form.order == "shuffled"
    rounds = rounds_table(draw_rounds(survey, chosen, options, seed, shuffled=shuffled))
    return {
        name: constrained(survey, form, rounds, range(start, stop))
        for name, (start, stop) in blocks.items()
    }
