"""Behaviours: exactly the ways to answer that show them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
import steer

from rationale.surveys.steer.bank import question_table
from rationale.surveys.steer.behaviours import BEHAVIOURS, Asked, asked_of, guess_rate, shows

PAIRS = [(name, element) for name, known in BEHAVIOURS.items() for element in known]
BIASES = ("deterministic-biases", "stochastic-biases")


def drawn(element: str, total: int = 60) -> list[tuple[list[dict], Asked]]:
    table = question_table(steer.questions(element, total))
    parts = table.partition_by("question_id", maintain_order=True)
    return [(rows.to_dicts(), asked_of(rows.to_dicts())) for rows in parts]


def ways(asked: Asked) -> list[tuple[int, ...]]:
    return list(product(*(range(1, len(options) + 1) for options in asked.options)))


def shown(name: str, asked: Asked) -> list[tuple[int, ...]]:
    return [way for way in ways(asked) if shows(name, asked, way)]


def texts(asked: Asked, way: tuple[int, ...]) -> list[str]:
    return [options[place - 1] for options, place in zip(asked.options, way, strict=True)]


def one(element: str, **values) -> Asked:
    """A question that states no more than a test needs."""
    blank = {"keys": [None], "rule": None, "instance": {}}
    behind = values.pop("behind")
    return Asked(element, behind, behind, **{**blank, **values})


def test_every_element_of_the_bias_modules_has_a_human_like_answer():
    biases = [e.slug for e in steer.taxonomy().elements.values() if e.module in BIASES]
    assert sorted(BEHAVIOURS["human-like"]) == sorted(biases)


@pytest.mark.parametrize(("name", "element"), PAIRS)
def test_the_guess_rate_is_the_share_of_ways(name, element):
    for _, asked in drawn(element):
        share = Fraction(len(shown(name, asked)), len(ways(asked)))
        assert guess_rate(name, asked) == share
        assert share < 1


@pytest.mark.parametrize(("name", "element"), PAIRS)
def test_most_questions_can_tell(name, element):
    able = [bool(shown(name, asked)) for _, asked in drawn(element)]
    assert sum(able) / len(able) > 0.3


@pytest.mark.parametrize("element", sorted(BEHAVIOURS["human-like"]))
def test_no_answer_is_rational_and_human_like(element):
    for _, asked in drawn(element):
        assert not set(shown("rational", asked)) & set(shown("human-like", asked))


@pytest.mark.parametrize("element", sorted(BEHAVIOURS["risk-averse"]))
def test_no_answer_is_averse_and_seeking(element):
    if element in BEHAVIOURS["risk-seeking"]:
        for _, asked in drawn(element):
            assert not set(shown("risk-averse", asked)) & set(shown("risk-seeking", asked))


@pytest.mark.parametrize("element", ["sunk-cost", "endowment", "plurality", "ambiguity-aversion"])
def test_rational_is_what_the_bank_calls_right(element):
    for parts, asked in drawn(element, 30):
        assert float(guess_rate("rational", asked)) == parts[0]["guess_rate"]


def test_sunk_cost_by_its_numbers():
    """Going on is human-like exactly where the remainder exceeds what it brings."""
    for _, asked in drawn("sunk-cost"):
        pays = asked.instance["remainder"] < asked.instance["projected"]
        assert len(shown("human-like", asked)) == (not pays)


def test_gamblers_fallacy_names_the_outcome_not_seen():
    """Next draw: the other outcome than that of the run, unless it is the likelier one anyway."""
    for _, asked in drawn("gamblers-fallacy"):
        told = asked.instance
        if told["kind"] == "next":
            due = told["y"] if told["seen"] == "x" else told["x"]
            chance = told["chance"] if due == told["x"] else 100 - told["chance"]
            found = [texts(asked, way)[0].casefold() for way in shown("human-like", asked)]
            assert len(found) == (chance <= 50)


def test_gamblers_fallacy_in_a_sequence_has_fewer_of_the_outcome_seen():
    """The options are chances of sequences: those with more draws of what has not come up yet."""
    for _, asked in drawn("gamblers-fallacy"):
        told = asked.instance
        if told["kind"] == "sequence":
            seen = told["chance"] if told["seen"] == "x" else 100 - told["chance"]
            values = [float(text.rstrip("%")) for text in asked.options[0]]
            right = values[asked.keys[0] - 1]
            for (place,) in ways(asked):
                less = values[place - 1] > right if seen < 50 else values[place - 1] < right
                assert shows("human-like", asked, (place,)) == less


def test_endowment_asks_more_to_give_up_than_to_get():
    """Grade 7 has the prices 1 to 4 twice: 6 of the 16 pairs have the selling price above the other."""
    for parts, asked in drawn("endowment"):
        expected = {6: Fraction(1, 9), 7: Fraction(6, 16), 8: Fraction(6, 16)}
        assert guess_rate("human-like", asked) == expected[parts[0]["grade"]]
        for way in shown("human-like", asked):
            said = texts(asked, way)
            if parts[0]["grade"] == 6:
                assert all(text.startswith("Keep") for text in said)


def test_endowment_prices_in_either_order():
    """Sells at 30 what it would buy at 20, and not the other way round."""
    behind = [["20", "30"], ["20", "30"]]
    sell_first = one("endowment", behind=behind, instance={"asked": ["sell", "buy"]})
    assert shown("human-like", sell_first) == [(2, 1)]


def test_time_inconsistency_takes_the_present():
    """The sooner of the near rewards, which says today, and the later of the far ones."""
    for _, asked in drawn("time-inconsistency"):
        (way,) = shown("human-like", asked)
        near, far = texts(asked, way) if asked.instance["near_first"] else texts(asked, way)[::-1]
        assert near.endswith("today")
        assert f"in {asked.instance['wait'] + asked.instance['delay']} " in far


def test_certainty_effect_takes_the_sure_prize_and_then_the_larger_one():
    for parts, asked in drawn("certainty-effect"):
        for way in shown("human-like", asked):
            assert parts[0]["grade"] > 6
            assert [asked.behind[0][way[0] - 1], asked.behind[1][way[1] - 1]] == ["safe", "risky"]


def test_certainty_effect_says_nothing_behind_a_first_draw():
    """Grade 6 offers the same prospects again if a draw comes up: people isolate and do not reverse."""
    for parts, asked in drawn("certainty-effect"):
        assert len(shown("human-like", asked)) == (parts[0]["grade"] != 6)


def test_ambiguity_aversion_bets_on_what_is_known():
    """One urn, first two parts: the colour of known number, or both unknown ones together."""
    for _, asked in drawn("ambiguity-aversion"):
        if asked.instance["kind"] == "one urn":
            black, yellow = asked.instance["unknown"]
            for way in shown("human-like", asked):
                for text in texts(asked, way)[:2]:
                    assert (black in text) == (yellow in text)


def test_ambiguity_aversion_in_two_urns_takes_the_known_one_twice():
    """Of 20 balls in the known urn 8 are red: it is best with 0-7 red in the other, then with 9-20."""
    ranges = [["0-7", "9-20", "8"], ["0-7", "9-20", "8"]]
    asked = one("ambiguity-aversion", behind=ranges, rule="one-belief", keys=[None, None])
    assert shown("human-like", asked) == [(1, 2)]


def test_known_bets_that_one_belief_explains_show_nothing():
    """0-9 in one part and 5-20 in the other: whoever expects 7 bets so."""
    ranges = [["0-9", "11-20", "10"], ["0-3", "5-20", "4"]]
    asked = one("ambiguity-aversion", behind=ranges, rule="one-belief", keys=[None, None])
    assert shown("human-like", asked) == []


@pytest.mark.parametrize(
    ("element", "averse"),
    [
        ("risk-aversion", ("certain prospect", "safer prospect")),
        ("risk-seeking", ("likelier prize",)),
    ],
)
def test_spread_agrees_with_the_mistakes(element, averse):
    """Where the bank says who takes a distractor, variances say the same."""
    for _, asked in drawn(element, 200):
        for (place,) in ways(asked):
            mistake = asked.behind[0][place - 1]
            if mistake is not None:
                assert shows("risk-averse", asked, (place,)) == mistake.endswith(averse)
                assert shows("risk-seeking", asked, (place,)) != mistake.endswith(averse)


def test_loss_aversion_declines_what_pays():
    """Losses twice: a gamble of mean 10 with 50 % to lose 60 is worth 10 - 30 = -20."""
    for _, asked in drawn("loss-aversion"):
        if "gamble" in asked.instance:
            gamble = asked.instance["gamble"]
            worth = sum(c * v * (2 if v < 0 else 1) for c, v in gamble)
            pays = sum(c * v for c, v in gamble) > 0
            assert len(shown("loss-averse", asked)) == (pays and worth < 0)


@pytest.mark.parametrize(("name", "element"), PAIRS)
def test_questions_that_say_nothing_of_their_options_show_nothing(name, element):
    """As in the published files: no mistakes, no meanings, no instance."""
    bare = one(element, behind=[[None, None]], keys=[1])
    assert guess_rate(name, bare) == 0


def test_none_of_the_others_is_no_mistake():
    """The option that clings to what is spent gave way: choosing its place shows nothing."""
    for parts, asked in drawn("sunk-cost"):
        for way in shown("human-like", asked):
            assert not shows("human-like", asked_of(parts, list(way)), way)
