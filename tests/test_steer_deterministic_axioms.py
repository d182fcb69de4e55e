"""Axioms of utility of STEER: stated chains against a closure of graphs, rules by counting."""

from fractions import Fraction
from itertools import permutations, product

import networkx as nx
import pytest
import steer

from rationale.surveys.steer.bank import guessing
from rationale.surveys.steer.rules import RULES, consistent
from rationale.surveys.steer.wording import capitalised

DRAWN = 2000


def by_grade(element):
    for one in steer.questions(element, DRAWN):
        yield one.grade, one.draft, one


def test_a_pair_put_twice_is_decided_by_3_of_16_guesses():
    """4 x 4 answers; a-a, b-b and equal-equal are decided alike."""
    for _, draft, _ in by_grade("completeness"):
        assert draft.rule == "decided-alike"
        assert guessing(draft) == Fraction(3, 16)


def test_both_turns_offer_the_same_four_meanings_in_the_same_words():
    for _, draft, _ in by_grade("completeness"):
        said = [{o.text: o.meaning for o in part.options} for part in draft.parts]
        assert said[0] == said[1]
        assert sorted(said[0].values()) == ["a", "b", "equal", "none"]


def test_the_second_turn_names_the_pair_the_other_way_round():
    for grade, draft, one in by_grade("completeness"):
        first, second = (part.text.lower() for part in draft.parts)
        a, b = (name.lower() for name in draft.instance["options"])
        assert first.index(a) < first.index(b), one.question_id
        assert second.index(b) < second.index(a), one.question_id
        assert all(len(values) == grade - 1 for values in draft.instance["attributes"])


def test_a_stated_preference_follows_where_the_graph_has_a_way():
    for grade, draft, one in by_grade("transitivity"):
        if grade < 3:
            instance, key = draft.instance, draft.parts[0].key.text
            graph = nx.transitive_closure(nx.DiGraph(tuple(p) for p in instance["preferred"]))
            x, y = instance["asked"]
            best = x if graph.has_edge(x, y) else y if graph.has_edge(y, x) else None
            expected = "It cannot be told from this"
            if best is not None:
                expected = capitalised(instance["items"][best])
            assert key == expected, one.question_id
            assert nx.is_directed_acyclic_graph(graph)
            assert frozenset((x, y)) not in map(frozenset, instance["preferred"])


def test_the_better_the_worse_and_the_open_are_keys_alike():
    keys = [
        draft.parts[0].key.text.startswith("It cannot")
        for grade, draft, _ in by_grade("transitivity")
        if grade < 3
    ]
    assert 0.29 < sum(keys) / len(keys) < 0.38


def test_tennis_running_and_swimming():
    """The study's 2.1.b: tennis over running over swimming, hence tennis over swimming."""
    graph = nx.transitive_closure(nx.DiGraph([("tennis", "running"), ("running", "swimming")]))
    assert graph.has_edge("tennis", "swimming")


def ranks(chosen):
    """Whether some ranking with ties of a, b and c agrees with every choice."""
    for rank in product(range(3), repeat=3):
        level = dict(zip("abc", rank, strict=True))
        if all(
            level[one[0]] > level[one[2]] if one[1] == ">" else level[one[0]] == level[one[2]]
            for one in chosen
        ):
            return True
    return False


def test_choices_are_acyclic_where_a_ranking_explains_them():
    """All 27 ways to answer; 13 of them are the rankings with ties of three (Fubini's number)."""
    pairs = [("a", "b"), ("b", "c"), ("c", "a")]
    ways = list(product(*[(f"{x}>{y}", f"{y}>{x}", f"{x}={y}") for x, y in pairs]))
    assert [consistent("acyclic", way) for way in ways] == [ranks(way) for way in ways]
    assert sum(map(ranks, ways)) == 13


def test_acyclic_looks_along_longer_ways():
    assert consistent("acyclic", ["a>b", "b=c", "c>d", "a>d"])
    assert not consistent("acyclic", ["a>b", "b=c", "c>d", "d=a"])


def test_own_choices_are_guessed_13_times_in_27():
    for grade, draft, _ in by_grade("transitivity"):
        if grade == 3:
            assert draft.rule == "acyclic"
            assert guessing(draft) == Fraction(13, 27)


def test_own_choices_put_each_pair_of_three_once():
    for grade, draft, _ in by_grade("transitivity"):
        if grade == 3:
            pairs = [frozenset(o.text for o in part.options) for part in draft.parts]
            assert len(set(pairs)) == 3
            for part in draft.parts:
                for option in part.options[:2]:
                    better = draft.instance["items"]["abc".index(option.meaning[0])]
                    assert option.text == capitalised(better)


def better_in_all(one, other):
    """Attributes up, price (the last) down."""
    signs = [1] * (len(one) - 1) + [-1]
    return all(s * int(a) > s * int(b) for s, a, b in zip(signs, one, other, strict=True))


def test_a_third_offer_is_dominated_by_one_of_two_at_grade_4_and_at_no_other():
    for grade, draft, one in by_grade("independence"):
        offers = draft.instance["offers"]
        found = [
            (i, j) for i, j in product(range(3), repeat=2) if better_in_all(offers[i], offers[j])
        ]
        expected = [[(0, 2)], [(1, 2)]] if grade == 4 else [[]]
        assert found in expected, one.question_id


@pytest.mark.parametrize(
    ("grade", "rule", "chance"),
    [
        (2, "best-of-each-pair", Fraction(5, 12)),
        (3, "best-of-each-pair", Fraction(5, 12)),
        (4, "keeps", Fraction(1, 3)),
    ],
)
def test_guessing_between_two_and_then_three(grade, rule, chance):
    """2 x 3 ways of which 2 keep; with a second pair 2 x 3 x 2, of which 5 follow a ranking."""
    for found, draft, _ in by_grade("independence"):
        if found == grade:
            assert draft.rule == rule
            assert guessing(draft) == chance


def test_the_third_offer_is_new_and_the_others_are_the_same():
    for _, draft, _ in by_grade("independence"):
        first, second = ({o.meaning: o.text for o in part.options} for part in draft.parts[:2])
        assert first == {name: text for name, text in second.items() if name != "new"}
        assert draft.instance["names"][2] in draft.parts[1].text
        assert draft.instance["names"][2] not in draft.parts[0].text


@pytest.mark.parametrize("old", ["a", "b"])
def test_the_best_of_each_pair_is_what_some_ranking_of_three_gives(old):
    ways = set(product("ab", ["a", "b", "new"], [f"{old}>new", f"new>{old}"]))
    explained = {
        (
            min("ab", key=ranking.index),
            ranking[0],
            ">".join(sorted((old, "new"), key=ranking.index)),
        )
        for ranking in permutations(("a", "b", "new"))
    }
    assert {way for way in ways if consistent("best-of-each-pair", way)} == explained


def test_the_second_pair_is_the_third_offer_and_the_one_that_has_not_gone():
    gone = set()
    for grade, draft, one in by_grade("independence"):
        assert len(draft.parts) == (2 if grade == 4 else 3)
        if grade < 4:
            names, last = draft.instance["names"], draft.parts[2]
            left = next(name for name in names[:2] if name != draft.instance["gone"])
            assert {option.text for option in last.options} == {
                capitalised(left),
                capitalised(names[2]),
            }, one.question_id
            for option in last.options:
                place = {"a": 0, "b": 1, "new": 2}[option.meaning.split(">")[0]]
                assert option.text == capitalised(names[place])
            gone.add(names.index(draft.instance["gone"]))
    assert gone == {0, 1}


def test_three_phones():
    """The study's 2.1.c: A (90, $1,000), B (100, $1,250), C (80, $1,100). A dominates C, so that
    only the first choice once more is consistent."""
    assert better_in_all((90, 1000), (80, 1100))
    assert not better_in_all((100, 1250), (80, 1100))
    assert RULES["keeps"](["a", "a"])
    assert not RULES["keeps"](["b", "new"])
