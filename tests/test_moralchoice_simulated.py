"""Simulated respondents in MoralChoice: what they believe comes out of the words they reply."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationale.config import question_of
from rationale.respondents.base import Call, Rejected
from rationale.respondents.moral import Beliefs, decoded, favoured, probability, say, understand
from rationale.respondents.simulated import Simulated
from rationale.surveys.moralchoice.forms import question, read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.reading import read
from rationale.surveys.moralchoice.scenarios import read_scenarios

ROOT = Path(__file__).parent.parent
SURVEY = read_scenarios([ROOT / "resources/moralchoice/scenarios.csv"])
TEMPLATES = {
    name: read_template(
        ROOT / f"resources/moralchoice/forms/{name}.yaml",
        ROOT / "workflow/schemas/template.schema.json",
    )
    for name in ("ab", "repeat", "compare")
}
KNOWN = {
    name: tuple(rest)
    for name, *rest in SURVEY.select("scenario_id", "ambiguity", "action1", "action2").iter_rows()
}


def actions(spec, count=400, form="ab-0", number=1, name="someone"):
    """The actions that as many samples name; None where none is."""
    template, order = form.rpartition("-")[::2]
    prompts = block_prompts(
        SURVEY,
        range(number, number + 1),
        TEMPLATES[template],
        int(order),
        {"low": count, "high": count},
    )
    respondent = Simulated(name, {"ideal": [1], "noise": 0, **spec}, 7, KNOWN)

    async def replies():
        calls = (
            Call("m", None, {}, ({"role": "user", "content": one.turns[0]},), one.sample, 1,
                 "moralchoice", form, one.prompt_id)
            for one in prompts
        )  # fmt: skip
        return [(await respondent.reply(call)).text for call in calls]

    texts = asyncio.run(replies())
    return [read(one.reply, text).value for one, text in zip(prompts, texts, strict=True)]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("name", TEMPLATES)
def test_every_shipped_scenario_is_made_out_in_every_form(name, order):
    template = TEMPLATES[name]
    for row in SURVEY.iter_rows(named=True):
        one, two = row["action1"], row["action2"]
        shown = (one, two) if order == 0 else (two, one)
        found = understand(question(template, row["context"], *shown), one, two)
        assert (found.reply, found.shown, found.action1_first) == (
            *(template.reply, shown),
            order == 0,
        )


def test_an_action_within_the_other_is_not_looked_for_inside_it():
    found = understand("- I leave it all.\n- I leave", "I leave", "I leave it all.")
    assert found.shown == ("I leave it all.", "I leave")


def test_words_without_both_actions_are_not_made_out():
    assert understand("- I leave", "I leave", "I stay") is None


@pytest.mark.parametrize(
    ("beliefs", "ambiguity", "side", "first", "p"),
    [
        ({}, "low", 2, True, 0.95),
        ({}, "high", 1, True, 0.75),
        ({}, "high", 2, True, 0.25),
        ({"low": 0.6, "order": 0.4}, "low", 1, True, 0.8),
        ({"low": 0.6, "order": 0.4}, "low", 1, False, 0.4),
        ({"low": 0.6, "forms": {"ab": -0.3}}, "low", 1, True, 0.3),
        ({"low": 0.9, "order": 0.4}, "low", 1, True, 1.0),
    ],
)
def test_probabilities_by_hand(beliefs, ambiguity, side, first, p):
    """low or high or 1 - high, plus or minus half the order effect, plus the form's; within [0, 1]."""
    assert probability(Beliefs(**beliefs), ambiguity, "ab", side, first) == pytest.approx(p)


@pytest.mark.parametrize(
    ("p", "params", "expected"),
    [
        (0.8, {}, 0.8),
        (0.8, {"temperature": 1}, 0.8),
        (0.8, {"temperature": 0}, 1),
        (0.2, {"temperature": 0}, 0),
        (0.5, {"temperature": 0}, 0.5),
        (0.8, {"temperature": 0.5}, 16 / 17),
        (0.8, {"temperature": 2}, 2 / 3),
        (0.8, {"top_p": 0.8}, 1),
        (0.2, {"top_p": 0.5}, 0),
        (0.8, {"top_p": 0.9}, 0.8),
        (0.8, {"temperature": 2, "top_p": 0.7}, 2 / 3),
    ],
)
def test_decoding_by_hand(p, params, expected):
    """Odds 4 : 1 become 16 : 1 at temperature 1/2, and 2 : 1 at 2; top-p keeps the likelier action
    alone when it covers the share."""
    assert decoded(p, params) == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0.05, 5))
def test_temperature_treats_both_actions_alike(p, temperature):
    params = {"temperature": temperature}
    assert decoded(p, params) + decoded(1 - p, params) == pytest.approx(1)


def test_the_smallest_temperature_takes_the_likelier_action():
    """exp(1.4e300), the odds, is beyond floating point."""
    with np.errstate(all="raise"):
        assert decoded(0.8, {"temperature": 1e-300}) == 1
        assert decoded(0.2, {"temperature": 1e-300}) == 0


def test_one_camp_favours_the_same_actions_and_another_not():
    names = SURVEY.filter(ambiguity="high")["scenario_id"]
    left, right = Beliefs(camp="left"), Beliefs(camp="right")
    sides = [
        [favoured(beliefs, who, 7, name) for name in names]
        for beliefs, who in ((left, "a"), (left, "b"), (right, "a"))
    ]
    assert sides[0] == sides[1] != sides[2]


@pytest.mark.parametrize(("reply", "words"), [("letter", "AB"), ("yes-no", ("Yes", "No"))])
def test_what_is_said(reply, words):
    dilemma = understand("- I go\n- I stay", "I go", "I stay")
    spoken = type(dilemma)(reply, dilemma.shown, True)
    assert (say(spoken, True), say(spoken, False)) == tuple(words)


@pytest.mark.parametrize("form", ["ab-0", "repeat-1", "compare-0"])
def test_shares_follow_beliefs(form):
    """400 replies at 0.7: mean 280, sd 9.2; four sd are 37. With order 0.2: 0.8 first, 0.6 second."""
    beliefs = {"low": 0.7, "order": 0.2}
    found = actions({"simulated": "utility", "beliefs": beliefs}, form=form)
    assert abs(found.count(1) - 400 * (0.8 if form.endswith("0") else 0.6)) <= 40


def test_random_takes_either_and_position_its_place():
    """400 at 1/2: sd 10; four sd are 40."""
    assert abs(actions({"simulated": "random"}).count(1) - 200) <= 40
    assert set(actions({"simulated": "position", "position": 1}, 20, "ab-1")) == {2}
    assert set(actions({"simulated": "position", "position": 2}, 20, "ab-1")) == {1}


def test_biased_takes_the_first_in_its_share():
    """Action 2 first, share 1/2, low 1: action 2 in half of 400; four sd are 40."""
    spec = {"simulated": "biased", "share": 0.5, "beliefs": {"low": 1.0}}
    assert abs(actions(spec, form="ab-1").count(2) - 200) <= 40


@pytest.mark.parametrize("kind", ["refuser", "unreadable"])
def test_manners_show_in_their_share(kind):
    """400 at 1/4: mean 100, sd 8.7; four sd are 35."""
    assert abs(actions({"simulated": kind, "share": 0.25}).count(None) - 100) <= 35


@pytest.mark.parametrize("form", ["ab-0", "repeat-1", "compare-0"])
def test_notes_hide_no_answer(form):
    spec = {"simulated": "chatty", "share": 1, "beliefs": {"low": 1.0}}
    assert set(actions(spec, 50, form)) == {1}


def test_a_question_of_an_unknown_scenario_is_rejected():
    call = Call(
        "m", None, {}, ({"role": "user", "content": "?"},), 0, 1, "moralchoice", "ab-0", "Q"
    )
    with pytest.raises(Rejected, match="cannot make out"):
        asyncio.run(Simulated("a", {"simulated": "random"}, 7, KNOWN).reply(call))


def key(spec, study, scenarios=None):
    asked = Simulated("a", question_of(spec, study), 7, scenarios).asked
    return Call(asked.model, None, asked.params, (), 0, 1).key()


def test_calls_of_a_study_do_not_change_with_what_the_other_looks_at():
    plain = {"simulated": "utility", "ideal": [1], "noise": 0}
    believing = {**plain, "beliefs": {"low": 0.1}}
    assert key(plain, "psm") == key(believing, "psm")
    assert key(plain, "moralchoice", KNOWN) != key(believing, "moralchoice", KNOWN)
    assert key(plain, "moralchoice", KNOWN) == key({**plain, "ideal": [4]}, "moralchoice", KNOWN)
