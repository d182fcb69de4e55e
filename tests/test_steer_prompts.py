"""Questions as prompts: every form, one conversation a question."""

import json

import polars as pl
import pytest
import steer
import yaml

from rationale.schema import DocumentError
from rationale.surveys.steer.bank import SCHEMA
from rationale.surveys.steer.forms import read_form
from rationale.surveys.steer.prompts import put_questions
from rationale.surveys.steer.reading import read

FORMS = sorted(path.stem for path in (steer.RESOURCES / "forms").glob("*.yaml"))
ADAPTATION = steer.SCHEMAS / "adaptation.schema.json"


def form(name):
    return read_form(steer.RESOURCES / f"forms/{name}.yaml", ADAPTATION)


def row(number, part=1, **changes):
    return {
        "question_id": f"q{number}",
        "part": part,
        "element": "sunk-cost",
        "domain": "finance",
        "grade": 4,
        "text": f"Story {number}, part {part}?",
        "options": [f"yes {number}", f"no {number}"],
        "key": 2,
        "value": None,
        "rule": None,
        "meanings": None,
        **changes,
    }


def table(*rows):
    return pl.DataFrame(rows, schema=SCHEMA)


def by_rule(number):
    shared = {"key": None, "rule": "same", "meanings": ["a", "b"]}
    return [row(number, part, **shared) for part in (1, 2)]


SIX = table(*(row(number) for number in range(1, 7)))


def test_a_plain_question_shows_its_text_and_lettered_options():
    (put,) = put_questions(table(row(1)), form("plain"), seed=1)
    assert put.prompt.turns == (
        "Story 1, part 1?\n\nA. yes 1\nB. no 1\n\n"
        "Answer with the letter of one option and nothing else.",
    )
    assert put.keys == [2]


def test_the_parts_of_a_question_are_turns_and_letters_go_on():
    (put,) = put_questions(table(*by_rule(1)), form("plain"), seed=1)
    assert len(put.prompt.turns) == 2
    assert "C. yes 1\nD. no 1" in put.prompt.turns[1]
    assert read(put.prompt.reply, ["A", "C"]).value == [1, 1]


def test_reasons_apart_come_before_the_options():
    (put,) = put_questions(table(row(1)), form("apart"), seed=1)
    reasoning, question = put.prompt.turns
    assert "Story 1" in reasoning
    assert "yes 1" not in reasoning
    assert "A. yes 1" in question
    assert "Story 1" not in question
    assert read(put.prompt.reply, ["I think B", "A"]).value == [1]


def test_examples_are_others_of_the_same_cell_with_their_answers():
    other = row(9, domain="medicine")
    puts = put_questions(pl.concat([SIX, table(other)]), form("shots-4"), seed=1)
    first = puts[0].prompt.turns[0]
    assert first.count("Answer: B") == 4
    assert first.count("Story 1, part 1?") == 1
    assert "Story 9" not in first
    assert (puts[0].shots, puts[-1].shots, puts[-1].wanted) == (4, 0, 4)


def test_a_question_without_an_answer_is_no_example():
    """Published questions of one cell, of which one has neither key nor rule."""
    puts = put_questions(table(row(1), row(2, key=None)), form("shots-1"), seed=1)
    assert [(put.prompt.prompt_id, put.shots) for put in puts] == [("q1", 0)]


def test_examples_of_a_rule_satisfy_it():
    puts = put_questions(table(*by_rule(1), *by_rule(2)), form("shots-1"), seed=1)
    said = puts[0].prompt.turns[0]
    assert ("Answer: A" in said and "Answer: C" in said) or (
        "Answer: B" in said and "Answer: D" in said
    )


def test_more_shots_keep_the_first_ones():
    two, four = (put_questions(SIX, form(f"shots-{n}"), seed=1)[0].prompt.turns[0] for n in (2, 4))
    shown = [f"Story {n}, part" for n in range(2, 7)]
    assert {one for one in shown if one in two} < {one for one in shown if one in four}


def test_a_full_context_shows_fewer_examples():
    puts = put_questions(SIX, form("shots-5"), seed=1, context_tokens=100)
    assert 0 < puts[0].shots < 5
    assert len(puts[0].prompt.turns[0]) <= 100 * 3


def test_one_option_gives_way_to_none_of_the_others():
    several = table(*(row(number) for number in range(1, 201)))
    puts = put_questions(several, form("none-correct"), seed=1)
    replaced = [json.loads(put.prompt.reply)["parts"][0]["options"] for put in puts]
    at_key = sum(options[1].startswith("None of") for options in replaced)
    assert all(sum(one.startswith("None of") for one in options) == 1 for options in replaced)
    assert 70 < at_key < 130  # half of 200, within 4 standard errors


def test_what_has_no_key_is_not_put_with_none_correct():
    puts = put_questions(table(row(1), *by_rule(2)), form("none-correct"), seed=1)
    assert [put.prompt.prompt_id for put in puts] == ["q1"]


def test_a_number_is_asked_for_where_the_key_is_one():
    puts = put_questions(table(row(1), row(2, value=12.5)), form("free"), seed=1)
    assert [put.prompt.prompt_id for put in puts] == ["q2"]
    assert "yes 2" not in puts[0].prompt.turns[0]
    assert read(puts[0].prompt.reply, ["12.5"]).value == [12.5]


@pytest.mark.parametrize("name", FORMS)
def test_every_shipped_form_puts_a_question(name):
    (put, *_) = put_questions(table(*(row(n, value=1.5) for n in range(1, 8))), form(name), seed=1)
    assert all("{" not in turn for turn in put.prompt.turns)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": "{text} {instruction}"}, "question: the placeholder {options} is missing"),
        ({"question": "{options} {instruction}"}, "question: the placeholder {text} is missing"),
        ({"question": "{text} {options}"}, "question: the placeholder {instruction} is missing"),
        ({"reasons": "apart"}, "the key 'reasoning' is missing"),
        ({"shots": 2}, "the key 'examples' is missing"),
        ({"reply": "number", "none_correct": "None."}, "a form that asks for a number has none"),
        ({"instructions": "x"}, "Did you mean 'instruction'?"),
    ],
)
def test_a_broken_form_is_named(tmp_path, changes, said):
    whole = {"question": "{text}\n{options}\n{instruction}", "instruction": "Answer.", **changes}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(whole))
    with pytest.raises(DocumentError) as caught:
        read_form(path, ADAPTATION)
    assert said in "\n".join(caught.value.problems)
