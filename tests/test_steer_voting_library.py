"""Keys of voting questions against the library pref_voting, where it is installed."""

import pytest
import steer
import votes

pref_voting = pytest.importorskip(
    "pref_voting", reason="pref_voting pins an older numpy; tests of the elements count anew anyway"
)

from pref_voting.c1_methods import copeland  # noqa: E402
from pref_voting.iterative_methods import baldwin, instant_runoff  # noqa: E402
from pref_voting.profiles import Profile  # noqa: E402
from pref_voting.scoring_methods import anti_plurality, borda, plurality  # noqa: E402


def profile(ballots):
    return Profile([ranking for _, ranking in ballots], rcounts=[count for count, _ in ballots])


def asked(element, *asks):
    return [one for one in steer.questions(element) if one.draft.instance.get("ask") in asks]


def keys_against(questions, winners):
    """Questions whose key is not the one winner that the library finds."""
    wrong = []
    for one in questions:
        found = winners(profile(one.draft.instance["ballots"]))
        names = one.draft.instance["alternatives"]
        if [votes.named(names, [who]) for who in found] != [one.draft.parts[0].key.text]:
            wrong.append(one.question_id)
    return wrong


@pytest.mark.parametrize(
    ("element", "method"), [("plurality", plurality), ("borda", borda), ("copeland", copeland)]
)
def test_winners_are_the_library_s(element, method):
    questions = asked(element, "winner")
    assert len(questions) > 450
    assert keys_against(questions, method) == []


def test_rankings_by_first_places_are_the_library_s():
    for one in asked("plurality", "ranking"):
        scores = profile(one.draft.instance["ballots"]).plurality_scores()
        ranking = sorted(range(4), key=lambda who: -scores[who])
        assert one.draft.parts[0].key.text == votes.named(
            one.draft.instance["alternatives"], ranking
        )


def test_second_and_last_by_points_are_the_library_s():
    for ask, place in (("second", 1), ("last", -1)):
        for one in asked("borda", ask):
            scores = profile(one.draft.instance["ballots"]).borda_scores()
            who = sorted(scores, key=lambda who: -scores[who])[place]
            key = votes.named(one.draft.instance["alternatives"], [who])
            assert one.draft.parts[0].key.text == key


def test_winners_of_all_comparisons_are_the_library_s():
    for one in asked("condorcet-criterion", "find", "check", "chooses", "misses"):
        winner = profile(one.draft.instance["ballots"]).condorcet_winner()
        there, key = one.draft.instance, one.draft.parts[0].key.text
        if there["ask"] == "find":
            named = (
                "None of them" if winner is None else votes.named(there["alternatives"], [winner])
            )
            assert key == named
        elif there["ask"] == "check":
            assert key == ("Yes" if winner in (None, there["chosen"]) else "No")
        else:
            assert winner is not None


def test_rules_that_choose_or_miss_it_are_the_library_s():
    methods = {
        "Most first places": plurality,
        "Most points: 3, 2, 1 and 0 for places one to four": borda,
        "Fewest last places": anti_plurality,
    }
    for one in asked("condorcet-criterion", "chooses", "misses"):
        ballots = profile(one.draft.instance["ballots"])
        for option in one.draft.parts[0].options:
            if option.text in methods:
                hit = methods[option.text](ballots) == [ballots.condorcet_winner()]
                expected = (option is one.draft.parts[0].key) == (
                    one.draft.instance["ask"] == "chooses"
                )
                assert hit == expected


def test_circles_of_majorities_are_the_library_s():
    for one in asked("social-transitivity", "check"):
        circle = profile(one.draft.instance["ballots"]).margin_graph().has_cycle()
        assert one.draft.parts[0].key.text == ("No" if circle else "Yes")


def test_winners_that_lose_by_support_are_the_library_s():
    """Of three, the fewest first places out is instant runoff; the fewest points out is Baldwin's."""
    methods = {"fewest first places": instant_runoff, "fewest points": baldwin}
    seen = set()
    for one in asked("monotonicity", "rule"):
        before = one.draft.instance["ballots"]
        place, new = one.draft.instance["changed"]
        after = [[n, new if k == place else old] for k, (n, old) in enumerate(before)]
        winner = [one.draft.instance["winner"]]
        for option in one.draft.parts[0].options:
            for name, method in methods.items():
                if name in option.text:
                    breaks = method(profile(before)) == winner != method(profile(after))
                    assert breaks == (option is one.draft.parts[0].key)
                    seen.add(name)
    assert seen == set(methods)
