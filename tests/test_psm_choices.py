"""Choices: the first attempt that can be read counts, and missing rounds stay, with a status."""

import numpy as np
import polars as pl
import pytest
from test_psm_rounds import SMALL

from rationale.asking.answers import Answer, to_table
from rationale.surveys.psm.rounds import draw_rounds
from rationale.surveys.psm.tables import (
    answered_rounds,
    choices_table,
    open_answer,
    rounds_table,
)

ROUNDS = rounds_table(draw_rounds(SMALL, None, 2, seed=1))
NAMES = ["opening", *(f"r{number:03d}" for number in range(1, 13))]


def attempts(prompt_id, *texts):
    """Attempts at a prompt: replies, or a status and a reply."""
    pairs = [text if isinstance(text, tuple) else ("answered", text) for text in texts]
    return [
        Answer(prompt_id, 0, number, status, [text], "stop")
        for number, (status, text) in enumerate(pairs, start=1)
    ]


def table(**texts):
    """Every prompt is answered, but for those given with other replies."""
    answers = {name: ["Option 1"] for name in NAMES} | {"opening": ["3, 4"]} | texts
    return to_table([one for name in answers for one in attempts(name, *answers[name])])


def row(number, **texts):
    choices = choices_table(table(**texts), ROUNDS, SMALL.high)
    return choices.row(by_predicate=pl.col("round") == number, named=True)


def test_there_is_a_row_for_every_round_the_open_one_first():
    assert choices_table(table(), ROUNDS, 5)["round"].to_list() == list(range(13))


def test_a_choice_holds_the_ratings_of_its_option():
    found = row(4, r004=["Option 2"])
    assert found["option"] == 2
    assert found["answer"] == ROUNDS["options"][3].to_list()[1]
    assert found["status"] == "answered"


def test_the_open_round_has_an_answer_and_no_option():
    found = row(0)
    assert (found["option"], found["answer"]) == (None, [3, 4])


def test_the_first_readable_attempt_counts():
    found = row(1, r001=["hm", "Option 2", "Option 1"])
    assert (found["option"], found["status"], found["attempts"]) == (2, "answered", 3)


def test_attempts_count_in_their_order_whatever_the_order_of_rows():
    answers = table(r001=["hm", "Option 2", "Option 1"]).reverse()
    assert choices_table(answers, ROUNDS, 5)["option"][1] == 2


def test_a_round_never_answered_stays_with_the_status_of_its_last_reply():
    assert row(1, r001=["hm", "hm", "I cannot choose."])["status"] == "refused"
    assert row(1, r001=["I cannot choose.", "hm"])["status"] == "invalid"
    assert row(1, r001=["hm"])["answer"] is None


def test_an_option_that_was_not_shown_is_no_answer():
    assert row(1, r001=["Option 3"])["status"] == "invalid"


def test_a_truncated_reply_is_never_read():
    found = row(1, r001=[("truncated", "Option 1")])
    assert (found["status"], found["option"]) == ("truncated", None)


def test_words_of_a_content_filter_are_never_read():
    filtered = [Answer("r001", 0, 1, "refused", ["Option 1"], "content_filter")]
    answers = pl.concat([table().filter(pl.col("prompt_id") != "r001"), to_table(filtered)])
    found = choices_table(answers, ROUNDS, 5).row(1, named=True)
    assert (found["status"], found["option"]) == ("refused", None)


def test_a_failed_call_is_an_error_and_hides_no_earlier_reply():
    assert row(1, r001=[("error", "")])["status"] == "error"
    assert row(1, r001=["I cannot choose.", ("error", "")])["status"] == "refused"


def test_a_prompt_that_was_never_put_is_an_error():
    answers = table().filter(pl.col("prompt_id") != "r005")
    with pytest.raises(ValueError, match="the prompt r005 was never put"):
        choices_table(answers, ROUNDS, 5)


def test_the_open_answer_is_read_from_its_prompt():
    assert open_answer(table(opening=["hm", "3, 4"]), 2, 5) == (3, 4)
    assert open_answer(table(opening=["3, 6"]), 2, 5) is None
    assert open_answer(table(opening=[("truncated", "3, 4")]), 2, 5) is None


def test_answered_rounds_are_arrays_of_one_length():
    choices = choices_table(table(r002=["hm"], r003=["Option 2"]), ROUNDS, 5)
    found = answered_rounds(choices, ROUNDS)
    assert found.numbers.tolist() == [1, *range(3, 13)]
    assert found.answers.shape == found.corners.shape == found.prices.shape == (11, 2)
    assert found.answers[1].tolist() == ROUNDS["options"][2].to_list()[1]
    assert found.answers.dtype == np.int64
    assert len(found.options) == 11


def test_without_an_answer_the_arrays_are_empty_and_keep_their_width():
    silent = {name: ["hm"] for name in NAMES}
    found = answered_rounds(choices_table(table(**silent), ROUNDS, 5), ROUNDS)
    assert found.answers.shape == found.prices.shape == (0, 2)
    assert found.options == []


def test_prices_become_whole_numbers():
    """0.1 and 0.25 are 2 and 5 twentieths."""
    rounds = ROUNDS.with_columns(pl.Series("prices", [[0.1, 0.25]] * 12))
    found = answered_rounds(choices_table(table(), rounds, 5), rounds)
    assert found.prices[0].tolist() == [2, 5]
