"""Replies as tables: statuses, what each means, and counts."""

import polars as pl
import pytest

from rationale.asking.answers import Answer, to_table
from rationale.asking.prompts import to_table as prompt_table
from rationale.surveys.moralchoice.forms import Form, Template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.tables import (
    READINGS,
    count_replies,
    disagreements,
    read_replies,
    with_decisions,
)

SCENARIOS = pl.DataFrame(
    {
        "scenario_id": ["Z", "Y"],
        "ambiguity": ["low", "low"],
        "generation_rule": [None, "Do not kill"],
        "context": ["You find keys.", "You wait."],
        "action1": ["I return them.", "I knock."],
        "action2": ["I keep them.", "I leave."],
    }
)
TEMPLATE = Template("ab", "letter", "{context} A. {first} B. {second}")
FORMS = {"ab-1": Form("ab", 1), "ab-1.cold": Form("ab", 1, "cold")}


def prompts(samples=1):
    return prompt_table(block_prompts(SCENARIOS, range(1, 3), TEMPLATE, 1, {"low": samples}))


def answer(name="Z", text="A", status="answered", sample=0, attempt=1, finish="stop"):
    texts = [] if text is None else [text]
    return Answer(name, sample, attempt, status, texts, finish)


def readings(*answers, samples=1, form="ab-1"):
    return read_replies({"ab-1": prompts(samples)}, {form: to_table(answers)}, FORMS)


def first(*answers):
    return readings(*answers, answer("Y")).row(0, named=True)


def test_a_letter_means_the_action_that_stood_there():
    """Order 1 lists action 2 first: A is action 2."""
    row = first(answer(text="A"))
    assert (row["scenario_id"], row["order"], row["status"], row["action"]) == (
        *("Z", 1),
        *("answered", 2),
    )


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (answer(status="truncated"), "truncated"),
        (answer(text=None, status="error"), "error"),
        (answer(text="A", status="refused", finish="content_filter"), "refused"),
        (answer(text="Perhaps."), "invalid"),
        (answer(text=""), "invalid"),
    ],
)
def test_what_is_no_answer_means_no_action(given, status):
    row = first(given)
    assert (row["status"], row["action"]) == (status, None)


def test_the_last_attempt_counts():
    assert first(answer(text="B", attempt=2), answer(text="A", attempt=1))["action"] == 1


def test_a_prompt_without_answer_is_refused():
    with pytest.raises(ValueError, match="do not belong together"):
        readings(answer("Z"))


def test_an_answer_without_prompt_is_refused():
    with pytest.raises(ValueError, match="do not belong together"):
        readings(answer("Z"), answer("Y"), answer("X"))


def test_nothing_asked_is_an_empty_table():
    assert read_replies({}, {}, FORMS).schema == pl.Schema(READINGS)


def test_counts_by_status():
    """Z: B, A, cut off, none; Y: four of a kind. B is action 1 here."""
    found = [
        *(answer(text="B", sample=0), answer(text="A", sample=1)),
        *(answer(status="truncated", sample=2), answer(text=None, status="error", sample=3)),
        *(answer("Y", "B", sample=sample) for sample in range(4)),
    ]
    table = count_replies(readings(*found, samples=4), SCENARIOS)
    columns = "asked", "action1", "valid", "refused", "invalid", "truncated", "missing"
    assert table.select(columns).rows() == [(3, 1, 2, 0, 0, 1, 1), (4, 4, 4, 0, 0, 0, 0)]


def test_counts_follow_the_order_of_the_scenarios():
    table = count_replies(readings(answer("Y"), answer("Z")).reverse(), SCENARIOS)
    assert table["scenario_id"].to_list() == ["Z", "Y"]
    assert table["rule"].to_list() == [None, "Do not kill"]


def test_decodings_are_counted_apart():
    both = pl.concat([readings(answer(), answer("Y"), form=name) for name in ("ab-1", "ab-1.cold")])
    table = count_replies(both, SCENARIOS)
    assert table["decoding"].to_list() == [None, "cold", None, "cold"]
    assert table["asked"].to_list() == [1] * 4


def test_answers_to_unknown_scenarios_are_refused():
    with pytest.raises(ValueError, match="not in the survey: Y"):
        count_replies(readings(answer(), answer("Y")), SCENARIOS.head(1))


def decisions(sample, *decided):
    return pl.DataFrame(
        [("ab-1", name, sample, decision) for name, decision in decided],
        schema={
            "form": pl.String,
            "prompt_id": pl.String,
            "sample": pl.Int64,
            "recorded_decision": pl.String,
        },
        orient="row",
    )


@pytest.mark.parametrize("sample", [None, 0])
def test_decisions_are_joined_with_and_without_sample_numbers(sample):
    found = with_decisions(readings(answer(), answer("Y")), decisions(sample, ("Y", "action2")))
    assert found["recorded_decision"].to_list() == [None, "action2"]
    assert found.columns == list(READINGS)


def test_a_decision_on_another_sample_does_not_count():
    found = with_decisions(readings(answer(), answer("Y")), decisions(1, ("Y", "action2")))
    assert found["recorded_decision"].null_count() == 2


@pytest.mark.parametrize(
    ("text", "theirs", "differ"),
    [
        ("A", "action2", False),
        ("A", "action1", True),
        ("A", "invalid", True),
        ("Perhaps.", "action1", True),
        ("Perhaps.", "refusal", False),
    ],
)
def test_disagreements(text, theirs, differ):
    """A is action 2; a reply that neither reads is no disagreement."""
    found = with_decisions(readings(answer(text=text), answer("Y")), decisions(0, ("Z", theirs)))
    assert len(disagreements(found)) == differ
