"""Forms: the same rounds in other words, each template checked before anything is asked."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from test_psm_rounds import MORAL, SMALL

from rationale.schema import DocumentError
from rationale.surveys.psm.check import check_psm
from rationale.surveys.psm.forms import Form, opening_prompt, read_form, round_prompt
from rationale.surveys.psm.survey import Statement
from rationale.surveys.templates import form_files

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / "workflow" / "schemas"
FORMS = ROOT / "resources" / "psm" / "forms"
SHIPPED = ["listed", "shuffled", "reworded", "repeat"]
OPTIONS = np.array([[0, 4], [1, 2]])
PLAIN = {"sample": 0, "opening": "Rate {statements}", "round": "{statements} {options}"}


def shipped(name):
    return read_form(FORMS / f"{name}.yaml", SCHEMAS / "form.schema.json")


@pytest.fixture
def read(tmp_path):
    """Write forms and read the last."""

    def read(**forms):
        for name, keys in forms.items():
            (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(keys))
        return read_form(tmp_path / f"{name}.yaml", SCHEMAS / "form.schema.json")

    return read


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_form_puts_every_statement_and_option(name):
    form = shipped(name)
    options = MORAL.line(MORAL.corner(1), MORAL.price(1))[:3]
    words = round_prompt(form, MORAL, options)
    for place, statement in enumerate(MORAL.statements, start=1):
        assert f"{place}. {getattr(statement, form.wording)}\n" in words
        assert f"{place}. {getattr(statement, form.wording)}\n" in opening_prompt(form, MORAL)
    assert f"\nOption 3: {', '.join(map(str, options[2]))}\n" in words


def test_every_shipped_form_in_the_folder_is_tested():
    assert sorted(path.stem for path in FORMS.glob("*.yaml")) == sorted(SHIPPED)


def test_repeat_puts_the_same_words_as_listed():
    for prompt in (lambda f: opening_prompt(f, MORAL), lambda f: round_prompt(f, SMALL, OPTIONS)):
        assert prompt(shipped("repeat")) == prompt(shipped("listed"))


def test_shipped_forms_take_different_samples():
    assert len({shipped(name).sample for name in SHIPPED}) == len(SHIPPED)


def test_keys_that_a_form_lacks_come_from_the_one_it_is_like(read):
    form = read(plain=PLAIN, other={"like": "plain", "sample": 1})
    assert form == Form("other", 1, "text", "drawn", None, PLAIN["opening"], PLAIN["round"])


def test_a_form_depends_on_the_file_it_is_like():
    assert [path.name for path in form_files(FORMS / "repeat.yaml")] == [
        "listed.yaml",
        "repeat.yaml",
    ]


def test_a_like_of_a_like_is_refused_and_the_first_named(read):
    with pytest.raises(DocumentError, match="'b' is itself like 'a'; name that one"):
        read(a=PLAIN, b={"like": "a"}, c={"like": "b"})


@pytest.mark.parametrize("like", ["own", "../a", 3, ["a"]])
def test_a_like_that_names_no_other_form_is_an_error(read, like):
    with pytest.raises(DocumentError, match=r"own\.yaml: like: found"):
        read(own={**PLAIN, "like": like})


def test_a_like_that_does_not_exist_is_an_error(read):
    with pytest.raises(DocumentError, match="no such file"):
        read(own={"like": "nobody", "sample": 1})


def test_an_unknown_placeholder_is_named_with_the_nearest(read):
    with pytest.raises(DocumentError, match=r"unknown placeholder \{optoins\}.*'options'\?"):
        read(own={**PLAIN, "round": "{statements} {options} {optoins}"})


def test_a_missing_placeholder_is_named(read):
    with pytest.raises(DocumentError, match=r"round: the placeholder \{options\} is missing"):
        read(own={**PLAIN, "round": "{statements}"})


@pytest.mark.parametrize("bad", ["{high!r}", "{high:03d}", "{", "{}", "{0}", "{high.real}"])
def test_only_bare_placeholders_are_allowed(read, bad):
    with pytest.raises(DocumentError, match=r"own\.yaml: opening: "):
        read(own={**PLAIN, "opening": "{statements} " + bad})


def test_a_brace_written_twice_is_a_brace(read):
    form = read(own={**PLAIN, "opening": "{statements} as {{json}}"})
    assert opening_prompt(form, SMALL).endswith("as {json}")


def test_braces_in_statements_survive(read):
    survey = type(SMALL)(**{**vars(SMALL), "statements": (Statement("a", "{high} {"),) * 2})
    assert opening_prompt(read(own=PLAIN), survey) == "Rate 1. {high} {\n2. {high} {"


def test_a_statement_without_the_wording_of_a_form_is_named(read):
    form = read(own={**PLAIN, "wording": "reworded"})
    with pytest.raises(DocumentError, match="statement 'one' has no 'reworded' wording"):
        opening_prompt(form, SMALL)


def test_a_form_file_that_is_a_list_is_an_error(read):
    with pytest.raises(DocumentError, match=r"own\.yaml: found \['a'\]; allowed: a mapping"):
        read(own=["a"])


def test_forms_whose_replies_could_not_be_told_apart_are_refused(tmp_path):
    listed = (FORMS / "listed.yaml").read_text()
    (tmp_path / "listed.yaml").write_text(listed)
    (tmp_path / "twin.yaml").write_text("like: listed\norder: shuffled\n")
    psm = {"survey": "psm/moral.yaml", "forms": ["twin"]}
    with pytest.raises(DocumentError, match=r"twin: .*in the words of 'listed'.*another sample"):
        check_psm(
            psm,
            {},
            lambda name: ROOT / "resources" / name,
            lambda name: tmp_path / f"{name}.yaml",
            SCHEMAS,
        )


def test_the_form_of_the_open_round_is_always_among_the_forms():
    survey, files = check_psm(
        {"survey": "psm/moral.yaml", "forms": ["repeat"]},
        {},
        lambda name: ROOT / "resources" / name,
        lambda name: FORMS / f"{name}.yaml",
        SCHEMAS,
    )
    assert survey.rounds == 160
    assert list(files) == ["listed", "repeat"]
