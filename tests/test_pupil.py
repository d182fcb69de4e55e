"""Simulated respondents in STEER: what they are able to comes out of the words they reply."""

import asyncio
from functools import lru_cache
from math import sqrt

import polars as pl
import pytest
import steer
from test_steer_prompts import FORMS, form

from rationale.respondents.base import Call
from rationale.respondents.simulated import Simulated
from rationale.surveys.steer.bank import draw_questions, question_table
from rationale.surveys.steer.grading import grade_answers
from rationale.surveys.steer.prompts import put_questions

TASTE = {"ideal": [1], "noise": 0}
BY_RULE = ("transitivity", "certainty-effect", "endowment", "ambiguity-aversion", "independence")
MIXED = (*BY_RULE, "sunk-cost", "bayes", "contrapositive", "borda")


@lru_cache
def bank(*elements, per_cell=1, grades=None):
    """Questions of elements, of all where none is named."""
    known = steer.taxonomy().elements
    drawn = [
        draw_questions(known[slug], steer.stories(slug), seed=1, per_cell=per_cell, grades=grades)
        for slug in elements or known
    ]
    return question_table([question for some in drawn for question in some])


def known(questions):
    return {
        name: rows.sort("part").to_dicts()
        for (name,), rows in questions.group_by("question_id", maintain_order=True)
    }


def utility(**abilities):
    return {"simulated": "utility", **TASTE, "abilities": abilities}


async def conversation(respondent, prompt, name, attempt=1):
    """All turns of a prompt: texts and log-probabilities."""
    messages, replies = [], []
    for turn, words in enumerate(prompt.turns):
        messages.append({"role": "user", "content": words})
        call = Call("m", None, {}, tuple(messages), prompt.sample, attempt,
                    "steer", name, prompt.prompt_id, turn)  # fmt: skip
        replies.append(await respondent.reply(call))
        messages.append({"role": "assistant", "content": replies[-1].text})
    scored = [one.logprobs for one in replies]
    return [one.text for one in replies], scored if any(scored) else None


def answered(questions, spec, name="plain", seed=7, who="someone"):
    """The graded answers of a simulated respondent, one row a question."""
    puts = put_questions(questions, form(name), seed=1)
    respondent = Simulated(who, spec, seed, questions=known(questions))

    async def rows():
        for put in puts:
            texts, scored = await conversation(respondent, put.prompt, name)
            yield {
                "prompt_id": put.prompt.prompt_id,
                "attempt": 1,
                "status": "answered",
                "finish_reason": "stop",
                "text": texts,
                "logprobs": scored,
            }

    async def collected():
        return [one async for one in rows()]

    answers = asyncio.run(collected())
    return grade_answers(questions, puts, pl.DataFrame(answers, infer_schema_length=None))


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("accuracy", "right"), [(1, True), (0, False)])
def test_a_handful_of_elements_is_answered_in_every_form(name, accuracy, right):
    """Elements with keys and elements that a rule grades over two and three parts."""
    graded = answered(bank(*MIXED), utility(accuracy=accuracy), name)
    assert set(graded["status"]) == {"answered"}
    assert set(graded["right"]) == {right}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("accuracy", "right"), [(1, True), (0, False)])
def test_every_element_is_answered_in_every_form(name, accuracy, right):
    graded = answered(bank(), utility(accuracy=accuracy), name)
    assert graded.filter((pl.col("status") != "answered") | (pl.col("right") != right)).is_empty()
    if name == "plain":
        assert graded["element"].n_unique() == 64


def test_the_share_right_is_the_accuracy():
    """n questions at 0.7: four standard errors are 4 sqrt(0.21 / n)."""
    graded = answered(bank("addition-subtraction", "borda", per_cell=12), utility(accuracy=0.7))
    assert abs(graded["right"].mean() - 0.7) < 4 * sqrt(0.21 / len(graded))
