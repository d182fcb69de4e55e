"""A model as storyteller: what is asked for, and which retellings can stand in for a story."""

import json
from dataclasses import replace

import polars as pl
import pytest
import steer

from rationale.schema import DocumentError
from rationale.surveys.steer.bank import generator_of
from rationale.surveys.steer.retelling import (
    collect_retold,
    laid_out,
    read_retelling,
    read_retold,
    retelling_problems,
    retelling_prompts,
)
from rationale.surveys.steer.stories import Story

STORY = Story(
    "finance-bakery",
    "sunk-cost",
    "finance",
    "first",
    {
        "ask": "You have put ${spent} thousand into {shop}, and cannot get it back. After two weeks, "
        "which of the two plans has the largest profit?",
        "stop": "Close {shop}",
    },
    {"shop": ("a bakery", "a café")},
)
GOOD = {
    "ask": "${spent} thousand of yours has gone into {shop} and is not coming back. Two weeks later, "
    "which of the two plans brings the largest profit?",
    "stop": "Shut {shop} down",
}


def problems(**changes):
    return "\n".join(retelling_problems(STORY, {**GOOD, **changes}))


def template():
    return read_retelling(
        steer.RESOURCES / "retelling.yaml", steer.SCHEMAS / "retelling.schema.json"
    )


def test_a_retelling_that_keeps_everything_passes():
    assert problems() == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{spent}", "{cost}", "{cost} stands 1 times, in the story 0 times"),
        ("{spent}", "some", "{spent} stands 0 times, in the story 1 times"),
        ("{shop}", "{shop} and {shop}", "{shop} stands 2 times"),
        ("{spent}", "{spent", "braces that are no placeholder"),
        ("thousand", "million", "the number 'million' stands 1 times"),
        ("Two weeks", "Three weeks", "the number 'three' stands 1 times"),
        ("Two weeks", "Two months", "the unit 'month' stands 1 times"),
        ("$", "", "the number '$' stands 0 times"),
        ("thousand", "thousand (and 5)", "the number '5' stands 1 times"),
        ("is not coming", "is coming", "a negation more or less"),
        ("largest", "smallest", "a word of the kind 'least'"),
        ("brings", "clearly brings", "may give the key away: 'clearly'"),
        ("profit?", "profit? You should close it.", "may give the key away: 'you should'"),
        ("profit?", "profit.", "a question that stands in one of the two only"),
        ("Two weeks", "After very " + "very " * 60 + "long hours, two weeks", "times as long"),
    ],
)
def test_a_retelling_that_changes_the_question_is_named(old, new, said):
    found = problems(ask=GOOD["ask"].replace(old, new))
    assert said in found


def test_the_story_itself_is_no_retelling():
    assert retelling_problems(STORY, STORY.texts) == ["it is the story itself, word for word"]


def test_a_prompt_shows_every_text_behind_its_name():
    (prompt,) = retelling_prompts(template(), [STORY], {"finance": "Finance"}, 1)
    assert laid_out(STORY.texts) in prompt.turns[0]
    assert "{amount}" in prompt.turns[0]
    assert prompt.prompt_id == "sunk-cost/finance-bakery.01"


def test_each_retelling_is_a_sample_of_its_own():
    prompts = retelling_prompts(template(), [STORY], {"finance": "Finance"}, 3)
    assert [prompt.sample for prompt in prompts] == [1, 2, 3]


EXPECTED = json.dumps({"kind": "retelling", "texts": ["ask", "stop"]})


def test_a_reply_is_read_by_its_labels():
    reading = read_retold(EXPECTED, f"Here it is:\n\n{laid_out(GOOD)}\n")
    assert reading.status == "answered"
    assert reading.value == GOOD


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("[ask]\nonly one", "invalid"),
        ("[ask]\na\n[ask]\nb\n[stop]\nc", "invalid"),
        ("[ask]\na\n[stop]\nb\n[more]\nc", "invalid"),
        ("[ask]\n\n[stop]\nb", "invalid"),
        ("Once upon a time", "invalid"),
        ("I'm sorry, I can't help with that.", "refused"),
    ],
)
def test_a_reply_without_every_text_once_is_not_read(text, status):
    assert read_retold(EXPECTED, text).status == status


@pytest.fixture
def replies():
    """Prompts for a real story, twice, and the replies to them."""
    story = next(one for one in steer.stories("sunk-cost") if one.slug == "finance-warehouse")
    from rationale.asking.prompts import to_table

    prompts = to_table(retelling_prompts(template(), [story], {"finance": "Finance"}, 2))
    retold = {
        name: text.replace("You manage", "In your hands is").replace("Finish", "Complete")
        for name, text in story.texts.items()
    }
    changed = {**retold, "four": retold["four"].replace("million", "billion")}
    answers = pl.DataFrame(
        {
            "prompt_id": prompts["prompt_id"],
            "attempt": [1, 1],
            "status": ["answered", "answered"],
            "finish_reason": ["stop", "stop"],
            "text": [[laid_out(retold)], [laid_out(changed)]],
        }
    )
    return story, prompts, answers


def collected(story, prompts, answers):
    element = steer.taxonomy().elements["sunk-cost"]
    return collect_retold(
        [story], prompts, answers, "gpt-4.1", generator_of(element), list(element.grades)
    )


def test_what_is_kept_is_marked_with_who_told_it(replies):
    (kept,) = collected(*replies).kept
    assert kept.origin == "gpt-4.1"
    assert kept.slug == "finance-warehouse-gpt-4-1-1"
    assert kept.texts["go_on"] == "Complete the building"


def test_a_changed_number_is_dropped_and_named(replies):
    dropped = collected(*replies).dropped
    assert set(dropped["prompt_id"]) == {"sunk-cost/finance-warehouse.02"}
    assert "four: the number 'billion' stands" in dropped["reason"][0]


def test_a_reply_that_cannot_be_read_is_dropped_and_named(replies):
    story, prompts, answers = replies
    answers = answers.with_columns(pl.Series("text", [["no"], ["no"]]))
    assert (
        collected(story, prompts, answers).dropped["reason"].to_list()
        == ["the reply is invalid"] * 2
    )


def test_a_prompt_without_an_answer_is_refused(replies):
    story, prompts, answers = replies
    with pytest.raises(ValueError, match="was never put"):
        collected(story, prompts, answers.head(1))


def test_a_template_without_a_placeholder_is_refused(tmp_path):
    path = tmp_path / "retelling.yaml"
    path.write_text("prompt: Retell {texts} of {domain}.\n")
    with pytest.raises(DocumentError, match=r"placeholder \{person\} is missing"):
        read_retelling(path, steer.SCHEMAS / "retelling.schema.json")


def test_a_story_keeps_its_words_and_sizes_when_retold(replies):
    story, *_ = replies
    (kept,) = collected(*replies).kept
    assert replace(kept, slug="", texts={}, origin="") == replace(
        story, slug="", texts={}, origin=""
    )
