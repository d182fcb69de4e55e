"""Simulated respondents in STEER: what they are able to comes out of the words they reply."""

import asyncio
from functools import lru_cache
from math import sqrt

import polars as pl
import pytest
import steer
from test_steer_prompts import FORMS, by_rule, form, row

from rationale.config import question_of, read_config
from rationale.respondents.base import Call, Rejected
from rationale.respondents.pupil import (
    BIASES,
    Abilities,
    accuracy_at,
    confidence,
    form_shown,
    number_said,
    understand,
)
from rationale.respondents.simulated import Simulated
from rationale.schema import DocumentError
from rationale.scoring.calibration import calibration_error
from rationale.surveys.steer.bank import draw_questions, question_table
from rationale.surveys.steer.behaviours import BEHAVIOURS, count_behaviours
from rationale.surveys.steer.grading import grade_answers
from rationale.surveys.steer.prompts import put_questions
from rationale.surveys.steer.reading import same_number

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


MANY = ("addition-subtraction", "borda", "contrapositive", "plurality")


def near(found, share):
    """Whether the mean of 0s and 1s is within four standard errors of a share."""
    return abs(found.mean() - share) < 4 * sqrt(share * (1 - share) / len(found))


def many():
    questions = bank(*MANY, per_cell=15)
    assert len(questions) > 500  # a standard error of 0.02 at 0.7
    return questions


def test_the_share_right_is_the_accuracy():
    assert near(answered(many(), utility(accuracy=0.7))["right"], 0.7)


def test_parts_that_a_rule_grades_are_decided_together():
    """Drawn part by part, certainty-effect at 0.7 would agree in 0.49 + 0.09 of its questions."""
    graded = answered(bank(*BY_RULE, per_cell=8), utility(accuracy=0.7))
    assert near(graded["right"], 0.7)


@pytest.mark.parametrize(("grade", "share"), [(0, 0.9), (2, 0.9), (4, 0.7), (5, 0.6), (12, 0.5)])
def test_accuracy_is_linear_between_grades_and_constant_beyond(grade, share):
    """From 0.9 at 2 to 0.5 at 6: 0.1 a grade."""
    assert accuracy_at(Abilities(accuracy={"6": 0.5, "2": 0.9}), grade) == pytest.approx(share)


def test_a_form_adds_to_accuracy():
    spec = utility(accuracy=0.5, forms={"none-correct": -0.3, "plain": 0.6})
    assert near(answered(many(), spec, "none-correct")["right"], 0.2)
    assert answered(bank(*MIXED), spec)["right"].all()


def hits(share, name, *elements):
    """The graded answers of a pupil with biases, and whether each shows its bias, where one can."""
    questions = bank(*elements, per_cell=20)
    spec = utility(accuracy=0.1, bias=dict.fromkeys(elements, share))
    graded = answered(questions, spec).with_columns(form=pl.lit("plain"))
    counted = count_behaviours(graded, questions, dict.fromkeys(elements, name))
    return counted.filter("tells")["hit"], counted.filter(~pl.col("tells"))["right"]


@pytest.mark.parametrize(
    ("name", "element"),
    [(name, element) for name in BIASES for element in sorted(BEHAVIOURS[name])],
)
def test_a_bias_shows_in_its_share_and_elsewhere_the_answer_is_right(name, element):
    """Where no answer can show the bias there is nothing to get wrong, whatever the accuracy."""
    shown, others = hits(0.7, name, element)
    assert near(shown, 0.7)
    assert others.all()


def test_an_element_without_a_known_bias_is_wrong_in_its_share():
    graded = answered(
        bank("bayes", "transitivity", per_cell=20),
        utility(bias={"bayes": 0.8, "transitivity": 0.8}),
    )
    assert near(graded["right"], 0.2)


@pytest.mark.parametrize("over", [0.2, 0.0, -0.25])
def test_probabilities_are_off_by_the_overconfidence(over):
    """Accuracy 0.7 and a top probability of 0.7 + over: the error is |over|, within four standard
    errors of the share that is right."""
    graded = answered(many(), utility(accuracy=0.7, overconfidence=over))
    top = graded["p_options"].list.max()
    assert top.to_list() == pytest.approx([0.7 + over] * len(top))
    assert (graded["p_options"].list.arg_max() + 1).to_list() == graded["chosen"].list[0].to_list()
    error = calibration_error(top.to_numpy(), graded["right"].to_numpy())
    assert abs(error - abs(over)) < 4 * sqrt(0.21 / len(top))


def test_probabilities_of_a_biased_element_follow_its_share():
    """1 - 0.25 - 0.1, and 1 - 0.1 where going on is right."""
    spec = utility(bias={"sunk-cost": 0.25}, overconfidence=-0.1)
    tops = answered(bank("sunk-cost"), spec)["p_options"].list.max().round(9)
    assert set(tops) == {0.65, 0.9}


@pytest.mark.parametrize(
    ("chance", "over", "options", "p"),
    [(0.7, 0.1, 4, 0.8), (1, 0, 2, 0.999), (0.2, 0, 4, 0.26), (0.1, -0.5, 2, 0.51)],
)
def test_confidence_by_hand(chance, over, options, p):
    """Chance and overconfidence, at most 0.999, at least 0.01 above an even share."""
    assert confidence(Abilities(overconfidence=over), chance, options) == pytest.approx(p)


def test_the_letter_behind_reasons_has_its_probability():
    graded = answered(bank("borda"), utility(accuracy=0.7), "together")
    assert graded["p_options"].list.max().to_list() == pytest.approx([0.7] * len(graded))


def test_probabilities_can_be_left_out():
    spec = utility(probabilities=False)
    assert answered(bank("sunk-cost"), spec)["p_options"].is_null().all()


@pytest.mark.parametrize("name", ["plain", "together", "apart", "shots-2", "none-correct", "free"])
@pytest.mark.parametrize(
    ("kind", "status"),
    [("refuser", "refused"), ("unreadable", "invalid"), ("chatty", "answered")],
)
def test_manners_show_in_the_status(kind, status, name):
    spec = {**utility(accuracy=1), "simulated": kind, "share": 1}
    graded = answered(bank(*MIXED), spec, name)
    assert set(graded["status"]) == {status}
    assert set(graded["right"]) == {True if kind == "chatty" else None}


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_notes_hide_no_answer_of_any_element(name):
    graded = answered(bank(), {**utility(accuracy=1), "simulated": "chatty", "share": 1}, name)
    assert graded["right"].to_list() == [True] * len(graded)


@pytest.mark.parametrize("name", ["plain", "apart"])
def test_manners_keep_to_their_share(name):
    """One draw a question of one part, although the turns that show options are much alike."""
    spec = {**utility(), "simulated": "refuser", "share": 0.3}
    assert near(answered(many(), spec, name)["status"] == "refused", 0.3)


def test_random_guesses_in_every_part_and_knows_it():
    graded = answered(many(), {"simulated": "random"})
    assert near(graded["right"], graded["guess_rate"].mean())
    assert {round(p * len(some), 9) for some in graded["p_options"] for p in some} == {1}


def test_position_takes_its_place_or_the_last_and_tells_no_probability():
    graded = answered(bank("endowment", "sunk-cost"), {"simulated": "position", "position": 3})
    places = dict(graded.group_by("element").agg(pl.col("chosen").list.explode()).iter_rows())
    assert (set(places["endowment"]), set(places["sunk-cost"])) == ({3}, {2})
    assert graded["p_options"].is_null().all()


def test_biased_takes_the_first_option_in_its_share():
    spec = {**utility(accuracy=1), "simulated": "biased", "share": 1, "first": 1}
    assert set(answered(bank("borda"), spec)["chosen"].list[0]) == {1}


@pytest.mark.parametrize("kind", ["random", "position"])
def test_those_without_abilities_answer_every_form(kind):
    for name in FORMS:
        graded = answered(bank(*MIXED), {"simulated": kind, "position": 2}, name)
        assert set(graded["status"]) == {"answered"}


def test_equal_words_are_answered_alike_whatever_form_put_them():
    """Cells of three questions: two examples are all that both forms can show."""
    questions = bank("borda", "sunk-cost", per_cell=3)
    spec = utility(accuracy=0.5, forms={"shots-2": 0.2, "shots-4": -0.5, "shots-5": 0.5})
    four, five = (answered(questions, spec, name) for name in ("shots-4", "shots-5"))
    assert set(four["shots"]) == {2}
    assert four["chosen"].to_list() == five["chosen"].to_list()
    assert near(four["right"], 0.7)


def test_another_attempt_and_another_name_draw_anew():
    questions = bank("borda")
    (put, *_) = put_questions(questions, form("plain"), seed=1)

    def texts(who):
        respondent = Simulated(who, utility(accuracy=0.5), 7, questions=known(questions))
        return [
            asyncio.run(conversation(respondent, put.prompt, "plain", attempt))[0][0]
            for attempt in range(1, 13)
        ]

    assert len(set(texts("someone"))) > 1
    assert texts("someone") == texts("someone") != texts("another")


def test_the_context_in_a_form_name_is_no_part_of_the_form():
    assert form_shown("none-correct.8192", "", [{}]) == "none-correct"
    assert form_shown("shots-5.8192", "Answer: A\n\nAnswer: C\n\nNow", [{}, {}]) == "shots-1"
    assert form_shown("shots-5.8192", "No example", [{}]) == "plain"


@pytest.mark.parametrize(
    ("words", "asks"),
    [
        ("Story 1, part 1?\n\nA. yes 1\nB. no 1\n\nAnswer.", ("letter", 0, (0, 1), False)),
        ("Story 1, part 2?\n\nC. no 1\nD. yes 1\n\nGo.", ("letter", 1, (1, 0), False)),
        ("A. None of them.\nB. no 1\nExplain, then answer.", ("letter", 0, (0, 1), True)),
        ("A. yes 2\nB. no 2\n\nStory 1, part 1?\n\nThink.", ("reasons", 0, (), False)),
        ("Story 1, part 1?\n\nAnswer with a number.", None),
        ("A. yes 2\nB. no 2\nAnswer.", None),
        ("B. yes 1\nC. no 1\nAnswer.", None),
        ("A. yes 1\nAnswer.", None),
        ("How are you?", None),
    ],
)
def test_what_a_message_shows(words, asks):
    """A number is asked for where no part has one; options are another question's, begin at another
    letter, or are too few: such messages are not made out."""
    parts = by_rule(1)
    found = understand(words, parts, 0)
    assert asks == (found and (found.asks, found.part, found.places, found.explain))


def test_the_turn_tells_parts_of_equal_text():
    parts = [row(1, part=n, text="How many?", value=float(n)) for n in (1, 2)]
    assert understand("How many?\n\nAnswer with a number.", parts, 1).part == 1


@pytest.mark.parametrize(
    ("value", "wrong"), [(1234567.0, "1.35802e+06"), (-10.0, "-8"), (0.0, "1"), (0.5, "1.55")]
)
def test_a_wrong_number_is_another_one(value, wrong):
    """A tenth of its size and one above: -10 + 1 + 1 = -8."""
    assert number_said(value, right=False) == wrong
    assert same_number(float(number_said(value, right=True)), value)
    assert not same_number(float(wrong), value)


@pytest.mark.parametrize("name", ["unknown", "q1"])
def test_what_is_not_known_or_made_out_is_rejected(name):
    respondent = Simulated("a", {"simulated": "random"}, 7, questions={"q1": [row(1)]})
    call = Call("m", None, {}, ({"role": "user", "content": "?"},), 0, 1, "steer", "plain", name)
    with pytest.raises(Rejected, match="cannot make out"):
        asyncio.run(respondent.reply(call))


def checked(abilities, kind="utility"):
    spec = {"simulated": kind, "ideal": [1], "abilities": abilities}
    document = {"seed": 7, "models": {"a": spec}}
    return read_config(document, [], steer.SCHEMAS)["models"]["a"]["abilities"]


def test_grades_are_keys_with_or_without_quotes():
    assert checked({"accuracy": {0: 0.9, "12": 0.5}}) == {"accuracy": {"0": 0.9, "12": 0.5}}


@pytest.mark.parametrize(
    ("abilities", "said"),
    [
        ({"accuracy": 2}, "abilities.accuracy: found 2; allowed: 1 or less"),
        ({"accuracy": "high"}, "allowed: a finite number or a mapping of keys"),
        ({"accuracy": {}}, "accuracy: found {}; allowed: 1 or more entries"),
        ({"accuracy": {21: 0.5}}, "found 21; allowed: 20 or less (a grade, 0 to 20)"),
        ({"accuracy": {"x": 0.5}}, 'found "x"; allowed: text like'),
        ({"accuracy": {3: 7, "4": 8}}, "found 7; allowed: 1 or less"),
        ({"overconfident": 0.1}, "Did you mean 'overconfidence'?"),
        ({"probabilities": "no"}, 'found "no"; allowed: true or false'),
    ],
)
def test_abilities_that_cannot_be_are_named(abilities, said):
    with pytest.raises(DocumentError) as caught:
        checked(abilities)
    assert said in "\n".join(caught.value.problems)


def test_only_those_who_follow_something_have_abilities():
    with pytest.raises(DocumentError, match="unknown key 'abilities'"):
        checked({}, "random")


def key(spec, study, questions=None):
    asked = Simulated("a", question_of(spec, study), 7, questions=questions).asked
    return Call(asked.model, None, asked.params, (), 0, 1).key()


def test_calls_of_a_study_do_not_change_with_what_another_looks_at():
    plain, able = {"simulated": "utility", **TASTE}, utility(accuracy=0.1)
    questions = {"q1": [row(1)]}
    assert key(plain, "psm") == key(able, "psm")
    assert key(plain, "steer", questions) != key(able, "steer", questions)
    assert key(plain, "steer", questions) == key({**plain, "ideal": [4]}, "steer", questions)
    assert key(plain, "psm") != key(plain, "psm", questions)
