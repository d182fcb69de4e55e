"""Simulated respondents: they follow the rule that they state, and read nothing but the words."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_psm_rounds import MORAL

from rationale.respondents import priced
from rationale.respondents.base import Call, Rejected
from rationale.respondents.priced import Choice, Rating, Taste, choose, understand
from rationale.respondents.simulated import _REFUSALS, Simulated
from rationale.surveys.psm.forms import opening_prompt, read_form, round_prompt
from rationale.surveys.psm.reading import read_option, read_scale
from rationale.surveys.psm.rounds import draw_rounds

ROOT = Path(__file__).parent.parent
FORMS = {
    name: read_form(
        ROOT / "resources" / "psm" / "forms" / f"{name}.yaml",
        ROOT / "workflow" / "schemas" / "form.schema.json",
    )
    for name in ("listed", "shuffled", "reworded", "repeat")
}
IDEAL = [2.2, 1.4, 3.1, 3.6, 1.8]
ROUND = draw_rounds(MORAL, (2, 1, 3, 4, 2), 100, seed=7)[0]
WORDS = round_prompt(FORMS["listed"], MORAL, ROUND.options)
OPENING = opening_prompt(FORMS["listed"], MORAL)
TASTE = {"ideal": IDEAL, "noise": 0.0}


def reply(spec, words=WORDS, name="someone", sample=0, attempt=1, seed=7):
    respondent = Simulated(name, spec, seed)
    call = Call("m", None, {}, ({"role": "user", "content": words},), sample, attempt)
    return asyncio.run(respondent.reply(call)).text


def numbers(spec, count, words=WORDS):
    """The options that a respondent names in as many attempts."""
    texts = [reply(spec, words, attempt=attempt) for attempt in range(1, count + 1)]
    return [read_option(text, 100).value for text in texts]


def generator(seed=0):
    return np.random.default_rng(seed)


def test_without_noise_the_best_option_is_taken():
    losses = ((ROUND.options - np.array(IDEAL)) ** 2).sum(axis=1)
    assert losses[numbers({"simulated": "utility", **TASTE}, 1)[0] - 1] == losses.min()


def test_weights_decide_what_is_best():
    """From (0, 4) and (1, 2) with ideal (0, 2): losses a2 x 4 and a1 x 1. Weights 1 and 1 take the
    second, 9 and 1 the first.
    """
    options = np.array([[0, 4], [1, 2]])
    ideal = np.array([0.0, 2.0])
    assert choose(options, Taste(ideal, np.array([0.5, 0.5]), 0), generator()) == 1
    assert choose(options, Taste(ideal, np.array([0.9, 0.1]), 0), generator()) == 0


def test_exact_ties_are_drawn():
    options = np.array([[1, 3], [3, 1], [0, 0]])
    taste = Taste(np.array([2.0, 2.0]), np.array([0.5, 0.5]), 0)
    draw = generator()
    assert {choose(options, taste, draw) for _ in range(50)} == {0, 1}


def test_noise_gives_logit_shares():
    """Utilities 0, -1/2, -2 at noise 1/2 count double: shares e^0, e^-1, e^-4 over their sum, that
    is 0.721, 0.265, 0.013. In 20,000 draws the sd of a share is at most 0.0032; the tolerance is
    four of them.
    """
    taste = Taste(np.array([0.0]), np.array([1.0]), 0.5)
    draw = generator()
    chosen = [choose(np.array([[0], [1], [2]]), taste, draw) for _ in range(20_000)]
    shares = np.bincount(chosen, minlength=3) / 20_000
    assert shares == pytest.approx([0.721, 0.265, 0.013], abs=0.013)


@given(st.floats(1e-300, 1e6), st.lists(st.integers(0, 100), min_size=2, max_size=9))
def test_any_noise_names_an_option_on_the_list(noise, ratings):
    taste = Taste(np.array([1000.0]), np.array([1.0]), noise)
    assert 0 <= choose(np.array(ratings)[:, None], taste, generator()) < len(ratings)


def test_the_smallest_noise_takes_the_best_however_bad_it_is():
    """All utilities over 1e-306 are beyond floating point; 100 is still the nearest to 1000."""
    taste = Taste(np.array([1000.0]), np.array([1.0]), 1e-306)
    with np.errstate(over="ignore"):
        assert choose(np.array([[0], [100], [50]]), taste, generator()) == 1


def test_weights_count_by_their_shares():
    one = {"simulated": "utility", "ideal": IDEAL, "noise": 0.5, "weights": [1, 2, 1, 1, 1]}
    ten = {**one, "weights": [10, 20, 10, 10, 10]}
    assert numbers(one, 20) == numbers(ten, 20)


@pytest.mark.parametrize("kind", ["refuser", "chatty", "unreadable"])
def test_manners_show_in_their_share_of_replies(kind):
    """400 replies at 1/4: mean 100, sd 8.7; four sd are 35."""
    spec = {"simulated": kind, **TASTE, "share": 0.25}
    replies = [reply(spec, attempt=attempt) for attempt in range(1, 401)]
    plainly = reply({"simulated": "utility", **TASTE})
    assert abs(sum(one != plainly for one in replies) - 100) <= 35


def test_random_takes_every_option_about_equally_often():
    """2,000 draws of 4: mean 500, sd 19; four sd are 77."""
    words = round_prompt(FORMS["listed"], MORAL, ROUND.options[:4])
    counts = np.bincount(numbers({"simulated": "random"}, 2000, words))[1:]
    assert (abs(counts - 500) <= 77).all()


def test_position_takes_its_place_or_the_last():
    assert numbers({"simulated": "position", "position": 3}, 1) == [3]
    assert numbers({"simulated": "position", "position": 500}, 1) == [100]


def test_biased_looks_at_the_head_only():
    spec = {"simulated": "biased", **TASTE, "first": 5, "share": 1.0}
    head = ((ROUND.options[:5] - np.array(IDEAL)) ** 2).sum(axis=1)
    assert numbers(spec, 1) == [int(head.argmin()) + 1]
    noisy = {**spec, "noise": 100.0}
    assert set(numbers(noisy, 100)) == {1, 2, 3, 4, 5}


def test_biased_is_unbiased_in_the_other_rounds():
    spec = {"simulated": "biased", **TASTE, "first": 1, "share": 0.0}
    assert numbers(spec, 1) == numbers({"simulated": "utility", **TASTE}, 1)


def test_a_refuser_refuses_in_words_that_are_read_as_refusals():
    assert all(read_option(text, 100).status == "refused" for text in _REFUSALS)
    assert all(read_scale(text, 5, 5).status == "refused" for text in _REFUSALS)
    text = reply({"simulated": "refuser", **TASTE, "share": 1.0})
    assert text in _REFUSALS


class Nth:
    """A generator that always takes one place of a list."""

    def __init__(self, place):
        self.place = place

    def integers(self, count):
        return self.place


@pytest.mark.parametrize("place", range(len(priced._NOTES)))
def test_an_option_is_read_whatever_note_is_added(place):
    for number in range(1, 101):
        assert read_option(priced.with_note(number, Nth(place)), 100).value == number


@pytest.mark.parametrize("place", range(len(priced._MUMBLES)))
def test_a_mumble_is_never_read_as_an_answer(place):
    for options in (2, 3, 100, 521):
        for number in range(1, options + 1):
            text = priced.mumble(number, options, Nth(place))
            assert read_option(text, options).status != "answered", text


def test_chatty_and_quiet_choose_alike():
    chatty = {"simulated": "chatty", **TASTE, "share": 1.0}
    assert numbers(chatty, 3) == numbers({"simulated": "utility", **TASTE}, 3)
    assert reply(chatty) != reply({"simulated": "utility", **TASTE})


def test_unreadable_names_no_option():
    assert set(numbers({"simulated": "unreadable", **TASTE, "share": 1.0}, 30)) == {None}


def test_the_same_call_has_the_same_reply():
    spec = {"simulated": "random"}
    assert [reply(spec) for _ in range(3)] == [reply(spec)] * 3


@pytest.mark.parametrize(
    "other", [{"name": "other"}, {"seed": 8}, {"sample": 1}, {"words": WORDS + " "}]
)
def test_another_name_seed_sample_or_wording_has_other_draws(other):
    spec = {"simulated": "random"}
    one = [reply(spec, attempt=attempt) for attempt in range(1, 6)]
    two = [reply(spec, **{"attempt": attempt, **other}) for attempt in range(1, 6)]
    assert one != two


@pytest.mark.parametrize("name", FORMS)
def test_the_words_of_every_form_are_made_out(name):
    found = understand(round_prompt(FORMS[name], MORAL, ROUND.options))
    assert isinstance(found, Choice)
    assert found.options.tolist() == ROUND.options.tolist()
    assert understand(opening_prompt(FORMS[name], MORAL)) == Rating(5, 5)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("high", [1, 10, 100])
def test_scales_of_any_length_are_made_out(name, high):
    survey = type(MORAL)(**{**vars(MORAL), "high": high})
    assert understand(opening_prompt(FORMS[name], survey)) == Rating(5, high)
    options = np.array([[0, high, 1, 0, high], [high, 0, 0, 1, 0]])
    found = understand(round_prompt(FORMS[name], survey, options))
    assert found.options.tolist() == options.tolist()


@settings(max_examples=30)
@given(st.integers(0, 1000))
def test_the_open_answer_is_read_and_near_the_ideal(seed):
    """Without noise each rating is the whole number nearest to the ideal: 2, 1, 3, 4, 2."""
    spec = {"simulated": "utility", **TASTE}
    assert read_scale(reply(spec, OPENING, seed=seed), 5, 5).value == (2, 1, 3, 4, 2)
    free = read_scale(reply({"simulated": "random"}, OPENING, seed=seed), 5, 5)
    assert free.status == "answered"


def test_a_prompt_that_cannot_be_made_out_is_rejected():
    with pytest.raises(Rejected, match="cannot make out this prompt"):
        reply({"simulated": "random"}, "How are you?")


@pytest.mark.parametrize("words", ["Option 2: 1, 2", "Option 1: 1, 2\nOption 2: 1, 2, 3"])
def test_lists_out_of_order_or_of_unequal_rows_are_not_made_out(words):
    assert understand(words) is None


def test_a_taste_of_another_width_is_rejected():
    with pytest.raises(Rejected, match="5 statements, the simulated respondent 2 ideals"):
        reply({"simulated": "utility", "ideal": [1, 2], "noise": 0})


def test_a_label_is_no_part_of_who_is_asked():
    spec = {"simulated": "random"}
    assert Simulated("a", spec, 1).asked == Simulated("a", {**spec, "label": "A"}, 1).asked
    assert Simulated("a", spec, 1).asked != Simulated("b", spec, 1).asked
