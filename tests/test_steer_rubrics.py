"""Rubrics: what is read from their files, and what is refused."""

from __future__ import annotations

import pytest
import steer

from rationale.schema import DocumentError
from rationale.surveys.steer.rubrics import read_rubric

SCHEMA = steer.SCHEMAS / "rubric.schema.json"
SHIPPED = sorted((steer.RESOURCES / "rubrics").glob("*.yaml"))


def read(tmp_path, text: str):
    path = tmp_path / "mine.yaml"
    path.write_text(f"title: Mine\n{text}", encoding="utf-8")
    return read_rubric(path, SCHEMA, steer.taxonomy())


def problem(tmp_path, text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        read(tmp_path, text)
    return str(caught.value)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_rubrics_are_sound(path):
    assert read_rubric(path, SCHEMA, steer.taxonomy()).about


def test_nothing_named_is_everything(tmp_path):
    found = read(tmp_path, "")
    assert found.elements == tuple(steer.taxonomy().elements)
    assert (found.domains, found.grades, found.forms, found.metric) == (
        None,
        None,
        None,
        "normalised",
    )


def test_settings_modules_and_elements_are_joined(tmp_path):
    """Two biases of one module, three of another less one, and an element beside them."""
    found = read(
        tmp_path,
        "modules: [deterministic-biases]\nelements: [plurality]\nleave_out: {elements: [endowment]}",
    )
    assert found.elements == ("sunk-cost", "time-inconsistency", "plurality")
    assert found.left_out == ("endowment",)


def test_an_element_is_said_before_its_module(tmp_path):
    found = read(
        tmp_path,
        "modules: [deterministic-biases]\n"
        "polarity: {deterministic-biases: human-like, endowment: rational}",
    )
    assert found.counts("sunk-cost") == "human-like"
    assert found.counts("endowment") == "rational"


def test_grades_from_and_to(tmp_path):
    assert read(tmp_path, "grades: {from: 11}").grades == (11, 12, 13)
    assert read(tmp_path, "grades: {to: 1}").grades == (0, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("module: [logic]", "unknown key 'module'"),
        ("modules: [logics]", "Did you mean 'logic'?"),
        ("leave_out: {elements: [pluralty]}", "leave_out.elements: found 'pluralty'"),
        ("domains: [medicin]", "Did you mean 'medicine'?"),
        ("polarity: {sunk-costs: human-like}", "Did you mean 'sunk-cost'?"),
        ("polarity: {sunk-cost: humanlike}", "Did you mean 'human-like'?"),
        ("polarity: {plurality: human-like}", "not known in plurality"),
        ("grades: {from: 5, to: 3}", "name the lower grade first"),
        ("grades: [1, 99]", "grades: found 99"),
        ("elements: [plurality]\ngrades: [13]", "none of them is asked in these elements"),
        ("elements: [plurality]\nleave_out: {settings: [social]}", "no element is left"),
        ("metric: acuracy", "Did you mean 'accuracy'?"),
    ],
)
def test_mistakes_are_named(tmp_path, text, said):
    assert said in problem(tmp_path, text)


@pytest.mark.parametrize(("said", "form"), [("", "together"), ("form: apart\n", "apart")])
def test_the_form_that_is_scored_is_the_files_or_else_the_runs(tmp_path, said, form):
    path = tmp_path / "mine.yaml"
    path.write_text(f"title: Mine\nelements: [bayes]\n{said}")
    schema = steer.SCHEMAS / "rubric.schema.json"
    assert read_rubric(path, schema, steer.taxonomy(), "together").form == form


def test_a_polarity_of_what_is_not_on_the_card_is_named(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\nelements: [bayes]\npolarity: {sunk-cost: human-like}\n")
    with pytest.raises(DocumentError, match=r"polarity.sunk-cost: it is not on the card"):
        read_rubric(path, steer.SCHEMAS / "rubric.schema.json", steer.taxonomy())
