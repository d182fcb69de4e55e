"""Keys of sequential equilibrium against all strategies and beliefs on a grid."""

from fractions import Fraction

import pytest
import steer

from rationale.surveys.steer.elements.imperfect_information import Signals, sustained

GRID = [Fraction(n, 24) for n in range(25)]
# The illustration: the formidable pay 1 for ale, message 1, and the gentle 3.
ALE = Signals(Fraction(1, 2), 4, 2, 2, 1, ((0, 0), (1, 3)))


@pytest.fixture(scope="module")
def drawn():
    return steer.questions("sequential-equilibrium", 3000, seed=3)


def challenges(game, belief):
    """The receiver's best replies to a belief in the strong: False, True or both."""
    value = (1 - belief) * game["gain"] - belief * game["loss"]
    return [True] if value > 0 else [False] if value < 0 else [False, True]


def payoff(game, message, kind, challenged):
    return (game["hit"] if challenged else game["let"]) - game["costs"][message][kind]


def supported(game, sent, belief):
    """Whether some best replies make a sender's strategy best, given the belief where it is free."""
    prior = Fraction(game["prior"])
    beliefs = {}
    for message in (0, 1):
        weights = [prior * (sent[0] == message), (1 - prior) * (sent[1] == message)]
        beliefs[message] = weights[0] / sum(weights) if sum(weights) else belief
    for first in challenges(game, beliefs[0]):
        for second in challenges(game, beliefs[1]):
            reply = (first, second)
            if all(
                payoff(game, sent[kind], kind, reply[sent[kind]])
                >= payoff(game, 1 - sent[kind], kind, reply[1 - sent[kind]])
                for kind in (0, 1)
            ):
                return True
    return False


def bound_of(game):
    return Fraction(game["gain"], game["gain"] + game["loss"])


def beliefs_said(text, of):
    """The beliefs in the strong for which an option says that there is an equilibrium."""
    if text.startswith("No"):
        return set()
    bound = next((Fraction(w) for w in text.replace(",", "").split() if "/" in w), None)
    if bound is None:
        return set(GRID)
    grid = [*GRID, bound, 1 - bound]
    own = [b if of == "strong" else 1 - b for b in grid]
    less = "or less" in text
    held = [b for b in own if (b <= bound if less else b >= bound)]
    return {b if of == "strong" else 1 - b for b in held}


def test_the_key_names_the_beliefs_that_support_it_and_no_other_option_does(drawn):
    for one in drawn:
        if one.grade == 12:
            game, part = one.draft.instance, one.draft.parts[0]
            sent = (game["message"],) * 2
            tried = [*GRID, bound_of(game)]
            truth = {b for b in tried if supported(game, sent, b)}
            for option in part.options:
                said = {b for b in beliefs_said(option.text, game["of"]) if b in tried}
                if "whatever" in option.text and said:
                    said = set(tried)
                assert (said == truth) == (option is part.key), option.text


def test_the_bound_of_the_key_is_the_end_of_the_interval(drawn):
    tiny = Fraction(1, 10**6)
    for one in drawn:
        if one.grade == 12 and "/" in one.draft.parts[0].key.text:
            game = one.draft.instance
            sent, bound = (game["message"],) * 2, bound_of(game)
            assert supported(game, sent, bound)
            assert supported(game, sent, bound - tiny) != supported(game, sent, bound + tiny)


def test_one_of_the_four_strategies_has_beliefs_that_support_it(drawn):
    for one in drawn:
        if one.grade == 13:
            game, part = one.draft.instance, one.draft.parts[0]
            tried = [*GRID, bound_of(game)]
            held = [
                sent
                for sent in ((0, 0), (1, 1), (1, 0), (0, 1))
                if any(supported(game, sent, b) for b in tried)
            ]
            assert len(held) == 1
            assert said(one, part.key.text) == held[0]
            assert len({said(one, option.text) for option in part.options}) == 4


def said(one, text):
    """What an option says that the strong and the weak send, from the words of the story."""
    words = one.story.texts
    found = {}
    for sent in ((0, 0), (1, 1), (1, 0), (0, 1)):
        first, second = (words[("zero", "one")[m]] for m in sent)
        found[
            f"Both kinds {first}"
            if sent[0] == sent[1]
            else f"{words['strongs'][:1].upper()}{words['strongs'][1:]} {first} and "
            f"{words['weaks']} {second}"
        ] = sent
    return found[text]


def test_the_illustration_has_no_equilibrium_in_which_both_choose_ale():
    """The gentle get at most 4 - 3 = 1 with ale, and at least 2 without it."""
    assert sustained(ALE, (1, 1)) == "none"


def test_with_a_prior_that_deters_challenges_both_may_go_without_ale():
    """Belief 9/10 is above 2/3: everybody is let be at no cost, so no belief matters."""
    game = Signals(Fraction(9, 10), 4, 2, 2, 1, ((0, 0), (1, 3)))
    assert sustained(game, (0, 0)) == "any"


def test_cheap_ale_is_held_by_a_belief_of_at_most_two_thirds():
    """4 - 1 = 3 is more than 2 (challenged without ale) and less than 4 (let be without it)."""
    game = Signals(Fraction(9, 10), 4, 2, 2, 1, ((0, 0), (1, 1)))
    assert (sustained(game, (1, 1)), game.bound) == ("most", Fraction(2, 3))


def test_only_the_strong_order_ale_when_it_is_dear_to_the_weak():
    """Strong: 4 - 1 = 3 against 2; weak: 2 against 4 - 3 = 1."""
    assert sustained(ALE, (1, 0)) == "any"
