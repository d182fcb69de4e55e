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


def told(*texts, **top):
    """Tokens of a reply; of one that ends in a slash, which is cut off, the likeliest are told."""
    return [_slashed(text[:-1], top) if text.endswith("/") else token(text) for text in texts]


def _slashed(text, top):
    """The letter that was said stands among the likeliest in the dress in which it was said."""
    return token(text, **{text if name in text else name: p for name, p in top.items()})


THREE = {"first": 0, "options": ["A loan", "Half of it", "Nothing"]}


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (["B/"], 2),
        ([" B/"], 2),
        (["▁B/", "</s>"], 2),
        (["ĠB/", "<|eot_id|>"], 2),
        (["B./"], 2),
        (["(B/", ")"], 2),
        (["**", "B/", "**"], 2),
        (["**B**/"], 2),
        (["B)/", " Half", " of", " it"], 2),
        (["A/", ".", " A", " loan"], 1),
        (["Option", " B/"], 2),
        (["Answer", ":", " A/", ".", " A", " loan"], 1),
        (["A", " loan", " is", " dear", ".\n\n", "Answer", ":", " A/", ".\n"], 1),
        (["A", "\n", "B", " is", " half", ".\n", "The", " answer", " is", " B/", "."], 2),
        (["Half", ".", "\nAnswer", ":", "\u2581B/"], 2),
        (["Half", ".", "<0x0A>", "▁Answer", ":", "▁B/"], 2),
        (["Answer", ":", " B/", "\n", "A", " loan", " would", " be", " dear", "."], 2),
        (["<think>", "A", "?", " No", "</think>", "\n", "B/"], 2),
        (['{"', "answer", '":', ' "', "B/", '"}'], 2),
        (["$", "\\boxed", "{", "B/", "}$"], 2),
        (["Answer", ":", "\n\nAnswer", ": ", "B/"], 2),
    ],
)
def test_probabilities_are_read_at_the_letter_that_names_the_answer(texts, place):
    said = told(*texts, A=0.2, B=0.7)
    assert letter_probabilities([said], THREE, place) == pytest.approx([0.2, 0.7, 0])


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (["A/", " loan"], 1),  # the option in its words: no letter was chosen
        (["My", " answer", ":", " A/", " loan"], 1),
        (["Half", " of", " it", ",", " not", " A/"], 2),
        (["Answer", ":", " A/"], 2),  # told of other words than those that were read
        (["token_id:33/"], 2),
        (["b/"], 2),
    ],
)
def test_without_such_a_letter_probabilities_are_unknown(texts, place):
    assert letter_probabilities([told(*texts, A=0.2, B=0.7)], THREE, place) is None


def test_the_last_turn_is_the_one_that_answers():
    said = [told("A", " loan", A=1), told("B/", A=0.2, B=0.7)]
    assert letter_probabilities(said, THREE, 2) == pytest.approx([0.2, 0.7, 0])
    assert letter_probabilities([None, said[1]], THREE, 2) == pytest.approx([0.2, 0.7, 0])
    assert letter_probabilities([said[1], None], THREE, 2) is None


def test_letters_in_other_dress_add_up():
    """0.5 + 0.2; 'b' is no option's letter, and a token told twice counts once."""
    tops = [(" B", 0.5), (" B", 0.5), ("(B", 0.2), (" b", 0.1)]
    said = {"token": " B", "logprob": log(0.5)}
    said["top"] = [{"token": text, "logprob": log(p)} for text, p in tops]
    assert letter_probabilities([[said]], THREE, 2) == pytest.approx([0, 0.7, 0])


def test_what_was_said_counts_though_it_is_not_among_the_likeliest():
    """A server may tell five of the likeliest, and say a sixth."""
    said = {"token": "B", "logprob": log(0.1), "top": [{"token": "A", "logprob": log(0.4)}]}
    assert letter_probabilities([[said]], THREE, 2) == pytest.approx([0.4, 0.1, 0])


@pytest.mark.parametrize(
    "logprobs", [None, [], [[]], [None], [[token("Hm")]], [[{"token": "B", "top": []}]]]
)
def test_probabilities_that_nobody_told_are_unknown(logprobs):
    assert letter_probabilities(logprobs, THREE, 2) is None


def test_the_probabilities_of_a_question_are_kept_with_its_key():
    said = [[token("B", A=0.25, B=0.75)]]
    found = graded(table(row(1)), answer("q1", "B", logprobs=said))
    assert found["p_options"] == pytest.approx([0.25, 0.75])
    assert found["key"] == 2
    assert exp(log(0.75)) == pytest.approx(found["p_options"][found["key"] - 1])
