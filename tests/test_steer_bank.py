"""What every element's questions keep: enough of them, none twice, options that give nothing away."""

from collections import Counter
from math import sqrt

import pytest
import steer
from scipy.stats import chisquare

from rationale.schema import DocumentError
from rationale.surveys.steer.bank import (
    SCHEMA,
    draw_questions,
    drawn_table,
    example_table,
    generator_of,
    question_table,
)
from rationale.surveys.steer.questions import GENERATORS

FILES = {path.stem for path in (steer.RESOURCES / "stories").glob("*.yaml")}
ELEMENTS = [slug for slug in steer.taxonomy().elements if slug in FILES]
# A glance at every element in each run, a thorough look where time allows.
LOOKS = [
    *(pytest.param((slug, 180), id=slug) for slug in ELEMENTS),
    *(pytest.param((slug, 1000), id=f"{slug}-1000", marks=pytest.mark.slow) for slug in ELEMENTS),
]
# With 64 elements a false alarm of 1 in 10,000 each.
FAR = 3.7


def far_above(share: float, chance: float, number: int) -> bool:
    return share > chance + FAR * sqrt(chance * (1 - chance) / number)


@pytest.fixture(scope="module", params=LOOKS)
def drawn(request):
    slug, total = request.param
    found = steer.questions(slug, total)
    assert len(found) >= total
    return found


@pytest.fixture(scope="module")
def parts(drawn):
    found = steer.keyed_parts(drawn)
    return found or pytest.skip("graded by a rule: no option is the key")


def test_no_two_questions_are_equal(drawn):
    said = {
        tuple(
            (part.text, *sorted(option.text for option in part.options)) for part in one.draft.parts
        )
        for one in drawn
    }
    assert len(said) == len(drawn)


def test_every_grade_and_three_domains_have_questions(drawn):
    element = drawn[0].element
    assert {one.grade for one in drawn} == set(element.grades)
    assert len({one.story.domain for one in drawn}) >= 3


def test_every_domain_has_five_stories_told_in_both_persons(drawn):
    stories = steer.stories(drawn[0].element.slug)
    assert min(Counter(story.domain for story in stories).values()) >= 5
    assert {story.person for story in stories} == {"first", "third"}


def test_the_key_stands_at_every_place_alike(parts):
    for count in {len(options) for options, _ in parts}:
        places = Counter(key for options, key in parts if len(options) == count)
        found = [places[place] for place in range(count)]
        if sum(found) >= 5 * count:
            assert chisquare(found).pvalue > 1e-4


def test_the_longest_option_is_the_key_no_more_often_than_chance(parts):
    longest = [
        (max(range(len(options)), key=lambda n: len(options[n])) == key, 1 / len(options))
        for options, key in parts
        if len({len(text) for text in options}) == len(options)
        or sorted(map(len, options))[-1] > sorted(map(len, options))[-2]
    ]
    if longest:
        share = sum(hit for hit, _ in longest) / len(longest)
        chance = sum(guess for _, guess in longest) / len(longest)
        assert not far_above(share, chance, len(longest))


def test_options_alone_do_not_give_the_key_away(parts):
    share, chance, number = steer.options_only_accuracy(parts)
    assert not far_above(share, chance, number), f"{share:.3f} against {chance:.3f} by chance"


def test_the_table_has_a_row_a_part(drawn):
    table = question_table(drawn[:50])
    assert dict(table.schema) == SCHEMA
    assert table.height == sum(len(one.draft.parts) for one in drawn[:50])


def test_the_same_seed_draws_the_same_and_more_are_added_behind(drawn):
    element = drawn[0].element
    domain = drawn[0].story.domain
    stories = [story for story in steer.stories(element.slug) if story.domain == domain]
    few, more = (
        {
            one.question_id: one.draft.parts[0].text
            for one in draw_questions(element, stories, seed=1, per_cell=number)
        }
        for number in (len(stories), 2 * len(stories))
    )
    assert few.items() <= more.items()


def test_every_generator_is_of_an_element():
    for slug in ELEMENTS:
        generator_of(steer.taxonomy().elements[slug])
    assert set(GENERATORS) <= set(steer.taxonomy().elements)


def test_domains_in_which_nothing_is_told_are_named():
    told = {"sunk-cost": steer.stories("sunk-cost")}
    with pytest.raises(DocumentError, match="found civic, in which no story is told of sunk-cost"):
        drawn_table(steer.taxonomy(), told, {"sunk-cost": [0]}, ["civic"], 1, 1)


def test_examples_stay_when_more_questions_are_asked():
    """Of two cells' examples only those go whose very words are then asked."""
    slug = "discrete-optimum"
    told = (steer.taxonomy(), {slug: steer.stories(slug)}, {slug: [0]}, ["finance", "medicine"])
    few, many = (drawn_table(*told, seed=1, per_cell=number) for number in (2, 40))
    first, later = (example_table(*told, seed=1, number=5, asked=asked) for asked in (few, many))
    assert set(first["question_id"]) >= set(later["question_id"])
    assert first["question_id"].str.starts_with("example.").all()
    gone = first.join(later, on="question_id", how="anti")
    assert set(gone["text"]) <= set(many["text"])
    assert min(first.group_by("domain").len()["len"]) >= 5


def test_no_example_is_worded_as_a_question_that_is_asked():
    """Addition of small numbers: of so many questions some are drawn twice."""
    slug = "addition-subtraction"
    told = (steer.taxonomy(), {slug: steer.stories(slug)}, {slug: [0]}, ["finance"])
    asked = drawn_table(*told, seed=1, per_cell=400)
    found = example_table(*told, seed=1, number=60, asked=asked)
    words = {(row["text"], *sorted(row["options"])) for row in asked.to_dicts()}
    assert not words & {(row["text"], *sorted(row["options"])) for row in found.to_dicts()}
