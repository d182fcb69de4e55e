"""Forms, prompts and the check of the section: every bad input is named with its cure."""

import copy
from pathlib import Path

import polars as pl
import pytest
import yaml

from rationale.schema import DocumentError
from rationale.surveys.moralchoice.check import check_moralchoice
from rationale.surveys.moralchoice.forms import Template, forms_of, question, read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.reading import read

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / "workflow/schemas"
SECTION = {
    "scenarios": str(ROOT / "resources/moralchoice/scenarios.csv"),
    "leave_out": [],
    "forms": ["ab", "repeat", "compare"],
    "samples": {"low": 5, "high": 10},
    "params": {"temperature": 1},
    "decodings": {},
}
DIGEST = "0" * 64
SCENARIOS = pl.DataFrame(
    {
        "scenario_id": ["L", "H"],
        "ambiguity": ["low", "high"],
        "context": ["You find {keys}.", "You wait."],
        "action1": ["I return them.", "I knock."],
        "action2": ["I keep them.", "I leave."],
    }
)
SHOWN = Template("ab", "letter", "{context}\nA. {first}\nB. {second}\n", "Say {{A}} or {{B}}.\n")


def written(folder, name="mine", **parts):
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump({"reply": "letter", **parts}))
    return path


def plan(models=None, everyone=None, resource=lambda path: str(ROOT / path), **section):
    models = models or {}
    whole = {**copy.deepcopy(SECTION), **section}
    return check_moralchoice(whole, models, everyone or models, resource, SCHEMAS)


def problems(*arguments, **section):
    with pytest.raises(DocumentError) as raised:
        plan(*arguments, **section)
    return raised.value.problems


def problem(*arguments, **section):
    (found,) = problems(*arguments, **section)
    return found


def test_each_template_has_two_orders_for_the_study_and_each_decoding():
    names = list(forms_of(["ab", "x-0"], ["cold"]))
    assert names[:4] == ["ab-0", "ab-1", "x-0-0", "x-0-1"]
    assert names[4:] == ["ab-0.cold", "ab-1.cold", "x-0-0.cold", "x-0-1.cold"]
    assert forms_of(["ab"], ["cold"])["ab-1.cold"].asked == "ab-1"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("{context} {first}", "{second} is missing"),
        ("{context} {first} {second} {third}", "unknown placeholder {third}"),
        ("{context} {frist} {second}", "Did you mean 'first'?"),
        ("{context} {first!r} {second}", "bare placeholder"),
        ("{context} {first} {second} {", "write a literal brace twice"),
    ],
)
def test_a_question_that_cannot_be_filled_is_refused(tmp_path, words, said):
    with pytest.raises(DocumentError, match=r"mine\.yaml: question") as raised:
        read_template(written(tmp_path, question=words), SCHEMAS / "template.schema.json")
    assert any(said in one for one in raised.value.problems)


def test_a_header_has_no_placeholder(tmp_path):
    path = written(tmp_path, question="{context} {first} {second}", system="About {context}")
    with pytest.raises(DocumentError, match=r"mine\.yaml: system"):
        read_template(path, SCHEMAS / "template.schema.json")


def test_braces_in_a_scenario_are_words():
    assert question(SHOWN, "You find {keys}.", "{0}", "b") == "You find {keys}.\nA. {0}\nB. b"


def test_prompts_go_scenario_by_scenario_and_sample_by_sample():
    prompts = block_prompts(SCENARIOS, range(1, 3), SHOWN, 1, {"low": 1, "high": 2})
    assert [(one.prompt_id, one.sample) for one in prompts] == [("L", 0), ("H", 0), ("H", 1)]
    assert prompts[0].turns == ("You find {keys}.\nA. I keep them.\nB. I return them.",)
    assert prompts[0].system == "Say {A} or {B}."


@pytest.mark.parametrize(("order", "action"), [(0, 1), (1, 2)])
def test_a_prompt_says_what_its_letters_mean(order, action):
    (prompt,) = block_prompts(SCENARIOS, range(1, 2), SHOWN, order, {"low": 1})
    assert read(prompt.reply, "A").value == action


@pytest.mark.parametrize("numbers", [range(0, 1), range(2, 4), range(2, 2)])
def test_a_block_beyond_the_scenarios_is_refused(numbers):
    with pytest.raises(ValueError, match="not within the 2 scenarios"):
        block_prompts(SCENARIOS, numbers, SHOWN, 0, {"low": 1, "high": 1})


def test_the_shipped_section_has_a_plan():
    found = plan()
    assert (len(found.forms), len(found.scenarios)) == (6, 80)


def test_a_form_without_a_file_is_named_with_the_nearest():
    assert "Did you mean 'compare'?" in problem(forms=["ab", "compair"])


def test_two_templates_in_the_same_words_are_refused(tmp_path):
    shipped = (ROOT / "resources/moralchoice/forms/ab.yaml").read_text()
    for name in ("ab", "again"):
        (tmp_path / f"{name}.yaml").write_text(shipped)

    def resource(path):
        return str(tmp_path / Path(path).name if path.endswith(".yaml") else ROOT / path)

    found = problem(forms=["ab", "again"], resource=resource)
    assert "again: puts the same words as 'ab'" in found


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("https://example.org/a.csv", "needs its sum"),
        ({"url": "https://example.org/a.csv"}, "allowed: the path of a CSV file"),
        ({"url": "https://example.org/a.csv", "sha256": "12"}, "64 hexadecimal digits"),
        ({"url": "ftp://example.org/a.csv", "sha256": DIGEST}, "http:// or https://"),
        ([], "one source or more"),
        (7, "found 7"),
    ],
)
def test_a_bad_source_is_one_problem(source, said):
    assert said in problem(scenarios=source)


def test_scenarios_to_be_fetched_are_not_read_yet():
    found = plan(scenarios={"url": "https://example.org/a.csv", "sha256": DIGEST.upper()})
    assert found.scenarios is None
    assert found.sources[0].path.endswith("/0000000000000000.csv")


@pytest.mark.parametrize(
    ("section", "place"),
    [
        ({"params": {"api_key": "x"}}, "moralchoice.params.api_key"),
        ({"decodings": {"a": {"n": 3}}}, "moralchoice.decodings.a.n"),
        (
            {"making": {"model": "w", "params": {"model": "x"}}},
            "moralchoice.making.params.model",
        ),
    ],
)
def test_secret_and_reserved_params_are_refused(section, place):
    assert problem({}, {"w": {"llm": "a/b"}}, **section).startswith(place)


def test_equal_decodings_are_refused():
    same = {"same": {"temperature": 1}, "cold": {"temperature": 0}, "ice": {"temperature": 0}}
    first, second = problems(decodings=same)
    assert "decodings.same: the same parameters as the study's own" in first
    assert "decodings.ice: the same parameters as those of 'cold'" in second


@pytest.mark.parametrize(
    ("name", "said"), [("writter", "Did you mean 'writer'?"), ("toy", "cannot write")]
)
def test_the_writer_must_be_able_to_write(name, said):
    everyone = {"writer": {"llm": "a/b"}, "toy": {"simulated": "random"}}
    assert said in problem({}, everyone, making={"model": name})


def test_a_belief_about_a_form_without_a_file_is_refused():
    models = {"toy": {"simulated": "utility", "beliefs": {"forms": {"compere": 0.1}}}}
    assert problem(models).startswith("models.toy.beliefs.forms: no such form, 'compere'")


def recorded(folder, line):
    path = folder / "old.csv"
    path.write_text(f"study,form,prompt_id,text\n{line}\n")
    return {"old": {"recorded": str(path)}}


def test_recorded_answers_to_unknown_scenarios_are_refused(tmp_path):
    assert "'Z_9'" in problem(recorded(tmp_path, "moralchoice,ab-0,Z_9,A"))


def test_recorded_answers_to_no_form_of_the_study_are_refused(tmp_path):
    found = problem(recorded(tmp_path, "moralchoice,ab0,L_001,A"))
    assert "forms in it: ab0" in found


def test_recorded_answers_to_some_forms_are_enough(tmp_path):
    assert plan(recorded(tmp_path, "moralchoice,ab-1,L_001,A")).scenarios is not None
