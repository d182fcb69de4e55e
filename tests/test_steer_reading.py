"""Reading replies to questions: what counts, and what does not."""

import pytest

from rationale.surveys.steer.reading import expected_reply, read, same_number

OPTIONS = ["Finish the building", "Abandon the building", "$1,250", "Neither of the two"]
ONE = expected_reply([{"turn": 0, "first": 0, "options": OPTIONS}])
TWO = expected_reply(
    [
        {"turn": 0, "first": 0, "options": ["tea", "coffee"]},
        {"turn": 1, "first": 2, "options": ["tea", "coffee", "milk"]},
    ]
)
FREE = expected_reply([{"turn": 0, "free": True}])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("B", 2),
        ("b", 2),
        ("B.", 2),
        ("(B)", 2),
        ("**B**", 2),
        ("B)", 2),
        ("Option B", 2),
        ("Answer: B", 2),
        ("The answer is B.", 2),
        ("The correct answer is (B).", 2),
        ("B. Abandon the building", 2),
        ("B) Abandon the building.", 2),
        ("**B.** Abandon the building", 2),
        ("Abandon the building", 2),
        ("abandon the building.", 2),
        ("C. $1,250", 3),
        ("$1,250", 3),
        ("Answer: $1,250", 3),
        ("My answer: Abandon the building", 2),
        ("I choose option D.", 4),
        ("I would choose B", 2),
        ("The cost to come is 5, the gain 7.\nSo finishing pays.\n\nAnswer: A", 1),
        ("Let me think. A is cheap, B is not.\n\n**Final answer: B**", 2),
        ("$\\boxed{B}$", 2),
        ('{"answer": "B"}', 2),
        ("<think>A? No.</think>\nB", 2),
        ("Therefore, the answer is B: Abandon the building.", 2),
        ("Answer: B, since the rest is spent either way", 2),
    ],
)
def test_an_option_named_once_is_the_answer(text, place):
    reading = read(ONE, [text])
    assert (reading.status, reading.value) == ("answered", [place])


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("E", "none"),
        ("", "none"),
        ("A or B", "none"),
        ("Both A and B", "none"),
        ("A building is a building", "none"),
        ("I think finishing it is better, as the gain exceeds the cost.", "none"),
        ("Option A looks good because it pays.", "none"),
        ("Answer: A\nOn reflection,\nAnswer: B", "conflict"),
        ("Answer: A. Abandon the building", "conflict"),
        ("A. Abandon the building", "none"),
        ("Answer: A, B", "conflict"),
        ("Answer: B, or maybe A", "conflict"),
        ("The answer is B. No, wait, it is C.", "conflict"),
        ("Answer: not B", "none"),
        ("<think>the answer is B", "none"),
        ("1", "none"),
    ],
)
def test_what_names_no_single_option_is_invalid(text, step):
    reading = read(ONE, [text])
    assert (reading.status, reading.step) == ("invalid", step)


@pytest.mark.parametrize("text", ["Answer: B. A loan", "The answer is (B): A loan.", "B. A loan"])
def test_the_words_of_the_very_option_may_begin_with_a_letter(text):
    loans = expected_reply([{"turn": 0, "first": 0, "options": ["A gift", "A loan"]}])
    assert read(loans, [text]).value == [2]
    assert read(loans, ["Answer: B. A gift"]).step == "conflict"


def test_who_declines_refuses():
    assert read(ONE, ["I'm sorry, I can't answer that."]).status == "refused"


def test_letters_go_on_across_parts():
    assert read(TWO, ["B", "D"]).value == [2, 2]
    assert read(TWO, ["B", "E"]).value == [2, 3]


def test_a_letter_of_another_part_is_invalid():
    assert read(TWO, ["B", "A"]).status == "invalid"


def test_one_unread_part_leaves_the_question_unread():
    assert read(TWO, ["hm", "D"]).status == "invalid"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("$1,250", 1250),
        ("-40", -40),
        ("1,250.50 dollars", 1250.5),
        ("The answer is 0.35.", 0.35),
        ("3 times 4 is 12, plus 5 is 17.\nAnswer: 17", 17),
        ("Adding up.\nFinal answer: $17.5 million", 17.5),
    ],
)
def test_a_free_number_is_read(text, number):
    assert read(FREE, [text]).value == [number]


@pytest.mark.parametrize(
    "text", ["3 times 4 is 12", "between 5 and 6", "Answer: 5\nAnswer: 6", "a dozen"]
)
def test_numbers_that_leave_a_doubt_are_not_read(text):
    assert read(FREE, [text]).status == "invalid"


@pytest.mark.parametrize(
    ("found", "key", "same"),
    [
        (0.333, 1 / 3, True),
        (0.33, 1 / 3, False),
        (12345, 12300, True),
        (0, 0, True),
        (-2, 2, False),
    ],
)
def test_three_significant_figures_decide(found, key, same):
    assert same_number(found, key) is same
