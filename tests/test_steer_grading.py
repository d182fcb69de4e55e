"""Grading by hand: keys, rules, numbers, and the probabilities of letters."""

from math import exp, log

import polars as pl
import pytest
from test_steer_prompts import by_rule, form, row, table

from rationale.surveys.steer.grading import grade_answers, letter_probabilities
from rationale.surveys.steer.prompts import put_questions


def answer(name, *texts, attempt=1, status="answered", finish="stop", logprobs=None):
    return {
        "prompt_id": name,
        "attempt": attempt,
        "status": status,
        "finish_reason": finish,
        "text": list(texts),
        "logprobs": logprobs,
    }


def graded(questions, *answers, name="plain"):
    puts = put_questions(questions, form(name), seed=1)
    return grade_answers(questions, puts, pl.DataFrame(answers)).row(0, named=True)


def test_the_key_is_right_and_another_option_wrong():
    assert graded(table(row(1)), answer("q1", "B"))["right"] is True
    assert graded(table(row(1)), answer("q1", "A"))["right"] is False


def test_what_is_unread_is_not_wrong():
    found = graded(table(row(1)), answer("q1", "Hard to say."))
    assert (found["right"], found["status"]) == (None, "invalid")


@pytest.mark.parametrize(
    ("status", "finish", "said"),
    [("error", None, "error"), ("truncated", "length", "truncated")],
)
def test_what_never_came_is_missing(status, finish, said):
    found = graded(table(row(1)), answer("q1", "B", status=status, finish=finish))
    assert (found["right"], found["status"]) == (None, said)


def test_the_first_attempt_that_can_be_read_counts():
    answers = [answer("q1", "hm"), answer("q1", "A", attempt=2), answer("q1", "B", attempt=3)]
    assert graded(table(row(1)), *answers)["right"] is False


def test_a_rule_grades_the_parts_together():
    assert graded(table(*by_rule(1)), answer("q1", "A", "C"))["right"] is True
    assert graded(table(*by_rule(1)), answer("q1", "A", "D"))["right"] is False


def test_every_keyed_part_must_be_right():
    two = table(row(1), row(1, part=2))
    assert graded(two, answer("q1", "B", "D"))["right"] is True
    assert graded(two, answer("q1", "B", "C"))["right"] is False


def test_a_number_is_right_at_three_significant_figures():
    question = table(row(1, value=1250.0))
    found = graded(question, answer("q1", "1,249.9"), name="free")
    assert (found["right"], found["guess_rate"]) == (True, 0)
    assert graded(question, answer("q1", "1,240"), name="free")["right"] is False


def test_a_question_that_was_never_put_is_refused():
    with pytest.raises(ValueError, match="was never put"):
        graded(table(row(1)), answer("q2", "B"))


def token(text, **top):
    return {
        "token": text,
        "logprob": 0.0,
        "top": [{"token": name, "logprob": log(p)} for name, p in top.items()],
    }


def test_probabilities_are_read_where_the_reply_settles():
    said = [token("A", A=1), token(" is", A=1), token("B", A=0.2, B=0.7)]
    assert letter_probabilities([said], 3) == pytest.approx([0.2, 0.7, 0])


def test_letters_in_other_dress_add_up():
    said = [
        {"token": " B", "logprob": 0, "top": [
            {"token": " B", "logprob": log(0.5)},
            {"token": "(B", "logprob": log(0.2)},
            {"token": " b", "logprob": log(0.1)},
        ]}
    ]  # fmt: skip
    assert letter_probabilities([said], 2) == pytest.approx([0, 0.7])


@pytest.mark.parametrize(
    "logprobs", [None, [], [[]], [[token("Hm")]], [[{"token": "B", "top": []}]]]
)
def test_probabilities_that_nobody_told_are_unknown(logprobs):
    assert letter_probabilities(logprobs, 2) is None


def test_the_probabilities_of_a_question_are_kept_with_its_key():
    said = [[token("B", A=0.25, B=0.75)]]
    found = graded(table(row(1)), answer("q1", "B", logprobs=said))
    assert found["p_options"] == pytest.approx([0.25, 0.75])
    assert found["key"] == 2
    assert exp(log(0.75)) == pytest.approx(found["p_options"][found["key"] - 1])
