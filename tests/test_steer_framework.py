"""Taxonomy, stories, rules, wording and options: what every element is made with."""

from collections import Counter
from fractions import Fraction
from random import Random

import networkx as nx
import pytest
import steer
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from rationale.schema import DocumentError
from rationale.surveys.steer.bank import draw_questions, refuse_unsound
from rationale.surveys.steer.options import crossed, either, numeric
from rationale.surveys.steer.questions import Draft, Option, Part, keyed
from rationale.surveys.steer.rules import RULES, consistent, guess_rate
from rationale.surveys.steer.stories import read_stories, write_stories
from rationale.surveys.steer.taxonomy import read_taxonomy
from rationale.surveys.steer.wording import (
    listing,
    money,
    number,
    percent,
    with_article,
)

STORY = {
    "slug": "finance-fund",
    "domain": "finance",
    "person": "first",
    "texts": {"ask": "{name} has {amount} dollars."},
    "words": {"name": ["Ann", "Bob"]},
    "sizes": {"amount": [1, 9, 2]},
}


def read(tmp_path, **changes):
    path = tmp_path / "sunk-cost.yaml"
    path.write_text(yaml.safe_dump({"element": "sunk-cost", "stories": [{**STORY, **changes}]}))
    schema = steer.SCHEMAS / "stories.schema.json"
    pools = {"people": ("Kai", "Lee")}
    return read_stories(path, schema, ["finance"], pools, {"ask": {"amount"}}, {"amount"})


def problem(tmp_path, **changes):
    with pytest.raises(DocumentError) as caught:
        read(tmp_path, **changes)
    return "\n".join(caught.value.problems)


def taxonomy_problem(tmp_path, change):
    document = yaml.safe_load((steer.RESOURCES / "taxonomy.yaml").read_text())
    change(document["settings"][0]["modules"][0]["elements"])
    path = tmp_path / "taxonomy.yaml"
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(DocumentError) as caught:
        read_taxonomy(path, steer.SCHEMAS / "taxonomy.schema.json")
    return "\n".join(caught.value.problems)


def test_there_are_64_elements_in_four_settings():
    taxonomy = steer.taxonomy()
    settings = Counter(element.setting for element in taxonomy.elements.values())
    assert dict(settings) == {
        "foundations": 14,
        "single-agent": 18,
        "multi-agent": 15,
        "social": 17,
    }


def test_every_element_has_stories_of_its_own():
    files = {path.stem for path in (steer.RESOURCES / "stories").glob("*.yaml")}
    assert files == set(steer.taxonomy().elements)


def test_no_element_builds_on_itself():
    assert nx.is_directed_acyclic_graph(steer.taxonomy().dependencies)


def test_iterated_removal_needs_what_figure_5_of_the_study_shows():
    needed = steer.taxonomy().prerequisites("iterated-removal")
    assert {
        "interpret-games",
        "first-order-belief",
        "best-response",
        "dominated-strategies",
        "transitivity",
        "independence",
    } <= needed


def test_grades_run_from_0_to_13():
    grades = {grade for one in steer.taxonomy().elements.values() for grade in one.grades}
    assert grades == set(range(14))


def test_a_prerequisite_that_is_no_element_is_named(tmp_path):
    said = taxonomy_problem(tmp_path, lambda found: found[0].update(requires=["byes"]))
    assert "addition-subtraction requires 'byes', which is no element. Did you mean 'bayes'" in said


def test_elements_that_build_on_each_other_are_refused(tmp_path):
    said = taxonomy_problem(tmp_path, lambda found: found[0].update(requires=["expectation"]))
    assert "build on each other in a circle" in said


def test_a_slug_that_stands_twice_is_refused(tmp_path):
    said = taxonomy_problem(tmp_path, lambda found: found.append(found[0]))
    assert "the slug 'addition-subtraction' stands twice" in said


def test_a_story_is_read(tmp_path):
    (story,) = read(tmp_path)
    assert story.words == {"name": ("Ann", "Bob")}
    assert story.sizes == {"amount": (1, 9, 2)}
    assert story.origin == "written"


def test_a_pool_is_named_by_its_name(tmp_path):
    (story,) = read(tmp_path, words={"name": "people"})
    assert story.words == {"name": ("Kai", "Lee")}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"texts": {"ask": "{name} has money."}}, "the placeholder {amount} is missing"),
        ({"texts": {"ask": "{nam} has {amount}."}}, "unknown placeholder {nam}"),
        ({"texts": {"ask": "{amount:d} {name}"}}, "found a conversion or a format"),
        ({"texts": {"ask": "{amount"}}, "write a literal brace twice"),
        ({"texts": {"ask": "{amount}", "aks": "x"}}, "unknown texts.aks"),
        ({"texts": {"aks": "x"}}, "texts.ask is missing"),
        ({"domain": "finanze"}, "unknown domain 'finanze'; allowed: finance. Did you mean"),
        ({"words": {"name": "peple"}}, "unknown pool 'peple'"),
        ({"sizes": {}}, "sizes.amount is missing"),
        ({"sizes": {"amount": [9, 1]}}, "allowed: lowest, highest and a step above 0"),
        ({"person": "second"}, "allowed: first, third"),
    ],
)
def test_a_broken_story_is_named(tmp_path, changes, said):
    assert said in problem(tmp_path, **changes)


def test_stories_are_read_as_they_were_written(tmp_path):
    stories = read(tmp_path)
    write_stories(tmp_path / "again.yaml", "sunk-cost", stories)
    schema = steer.SCHEMAS / "stories.schema.json"
    again = read_stories(
        tmp_path / "again.yaml", schema, ["finance"], {}, {"ask": {"amount"}}, {"amount"}
    )
    assert again == stories


def test_a_story_that_gives_too_few_questions_says_so():
    element = steer.taxonomy().elements["sunk-cost"]
    (first, *_) = steer.stories("sunk-cost")
    narrow = type(first)(**{**first.__dict__, "sizes": {"spent": (7, 7), "projected": (50, 50)}})
    with pytest.raises(DocumentError, match="gives no more than"):
        draw_questions(element, [narrow], seed=1, per_cell=5000, grades=[4])


def test_a_draft_without_a_key_is_unsound():
    draft = Draft((Part("?", (Option("a"), Option("b", "m"))),), {}, "")
    with pytest.raises(ValueError, match="has no key"):
        refuse_unsound(draft, "here")


def test_an_option_twice_is_unsound():
    draft = Draft((keyed("?", Option("a"), [Option("a", "m")]),), {}, "")
    with pytest.raises(ValueError, match="one of them twice"):
        refuse_unsound(draft, "here")


def test_a_distractor_without_a_mistake_is_unsound():
    draft = Draft((keyed("?", Option("a"), [Option("b")]),), {}, "")
    with pytest.raises(ValueError, match="names no mistake"):
        refuse_unsound(draft, "here")


def test_an_option_that_says_nothing_to_the_rule_is_unsound():
    draft = Draft((Part("?", (Option("a", meaning="a"), Option("b"))),), {}, "", "same")
    with pytest.raises(ValueError, match="says nothing to the rule"):
        refuse_unsound(draft, "here")


def test_corners_hold_either_mistake_and_both():
    """10 with mistakes to 12 and 7: both together lead to 12 + 7 - 10 = 9."""
    key, others = crossed(10, (12, "up"), (7, "down"), number)
    assert key.text == "10"
    assert [(one.text, one.mistake) for one in others] == [
        ("12", "up"),
        ("7", "down"),
        ("9", "up, and down"),
    ]


def test_corners_that_show_alike_are_none():
    assert crossed(10, (12, "up"), (12, "too"), number) is None
    assert crossed(10, (12, "up"), (3, "down"), number, lowest=6) is None


def test_the_rank_of_a_numeric_key_is_even():
    mistakes = [(100 + d, "m") for d in (1, -1, 2, -2, 3, -3, 4, -4)]
    ranks = Counter()
    for seed in range(2000):
        key, others = numeric(Random(seed), 100, mistakes, str)
        ranks[sorted([100, *(int(one.text) for one in others)]).index(int(key.text))] += 1
    assert chisquare([ranks[rank] for rank in range(4)]).pvalue > 1e-3


def test_too_few_mistakes_give_no_options():
    assert numeric(Random(1), 5, [(5, "same"), (6, "m")], str) is None


def test_either_gives_the_truth_and_the_mistake_behind_the_other():
    assert either(True, "Yes", "No", "y", "n") == (Option("Yes"), Option("No", "n"))
    assert either(False, "Yes", "No", "y", "n") == (Option("No"), Option("Yes", "y"))


@pytest.mark.parametrize(
    ("rule", "chosen", "holds"),
    [
        ("same", ["a", "a"], True),
        ("same", ["a", "b"], False),
        ("decided-alike", ["none", "none"], False),
        ("keeps-or-takes-new", ["a", "new"], True),
        ("keeps-or-takes-new", ["a", "b"], False),
    ],
)
def test_a_rule_says_which_answers_agree(rule, chosen, holds):
    assert consistent(rule, chosen) is holds


def test_guessing_satisfies_a_rule_as_often_as_counting_says():
    """Of 2 x 3 answers to {a, b} and {a, b, new}: aa, a-new, bb, b-new agree, 4 of 6."""
    assert guess_rate("keeps-or-takes-new", [["a", "b"], ["a", "b", "new"]]) == Fraction(2, 3)


def test_every_rule_says_in_words_what_it_asks():
    assert all(len(rule.__doc__) > 20 for rule in RULES.values())


@pytest.mark.parametrize(
    ("value", "text"),
    [(1250, "1,250"), (Fraction(2501, 2), "1,250.5"), (-7, "-7"), (Fraction(1, 3), "0.33")],
)
def test_numbers_as_people_write_them(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1250, "$1,250"), (Fraction(5, 2), "$2.50"), (-40, "-$40")]
)
def test_money_as_people_write_it(value, text):
    assert money(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(1, 8), "12.5%"), (Fraction(1, 2), "50%"), (Fraction(1, 3), "33.3%")],
)
def test_shares_as_people_write_them(value, text):
    assert percent(value) == text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("80% chance", "an 80% chance"),
        ("8.5% chance", "an 8.5% chance"),
        ("20% chance", "a 20% chance"),
        ("18% chance", "an 18% chance"),
        ("$11,000 loan", "an $11,000 loan"),
        ("180-day loan", "a 180-day loan"),
        ("apple", "an apple"),
    ],
)
def test_the_article_follows_the_sound(words, said):
    assert with_article(words) == said


@given(st.lists(st.text("abc", min_size=1), min_size=3, max_size=6))
def test_a_list_has_its_and_before_the_last(items):
    assert listing(items) == ", ".join(items[:-1]) + " and " + items[-1]


def test_whole_tens_keep_their_nought():
    assert number(Fraction(904, 10), 0) == "90"
    assert percent(Fraction(2004, 10000)) == "20%"
