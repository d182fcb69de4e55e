"""Documents by hand: a message names file, place, what was found, what is allowed and the cure."""

import pytest

from rationale.schema import DocumentError, check, nearest, read_yaml

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["seed"],
    "properties": {
        "seed": {"type": "integer", "minimum": 0},
        "share": {"type": "number", "maximum": 1, "default": 0.5},
        "solver": {"enum": ["auto", "cycles"]},
        "inner": {
            "type": "object",
            "default": {},
            "properties": {"draws": {"type": "integer", "default": 500}},
        },
        "rows": {"type": "array", "items": {"type": "integer"}},
        "free": {"type": "object", "plain": True},
    },
}


def problems(document):
    with pytest.raises(DocumentError) as error:
        check(document, SCHEMA, "a.yaml")
    return error.value.problems


def written(folder, text, encoding="utf-8"):
    path = folder / "a.yaml"
    path.write_bytes(text.encode(encoding))
    return path


def test_defaults_are_filled_in_at_every_depth():
    filled = check({"seed": 1}, SCHEMA, "a.yaml")
    assert filled == {"seed": 1, "share": 0.5, "inner": {"draws": 500}}


def test_filling_in_leaves_the_document_and_the_schema_as_they_were():
    document = {"seed": 1, "inner": {}}
    check(document, SCHEMA, "a.yaml")["inner"]["draws"] = 7
    assert document == {"seed": 1, "inner": {}}
    assert check(document, SCHEMA, "a.yaml")["inner"]["draws"] == 500


def test_a_default_that_is_changed_by_its_user_is_not_changed_for_the_next():
    schema = {"properties": {"forms": {"type": "array", "default": ["listed"]}}}
    check({}, schema, "a.yaml")["forms"].append("repeat")
    assert check({}, schema, "a.yaml") == {"forms": ["listed"]}


def test_each_of_several_missing_keys_is_told_once():
    schema = {"type": "object", "required": ["one", "two"]}
    with pytest.raises(DocumentError) as error:
        check({}, schema, "a.yaml")
    assert error.value.problems == [
        "a.yaml: the key 'one' is missing; found: nothing.",
        "a.yaml: the key 'two' is missing; found: nothing.",
    ]


def test_an_unknown_key_is_named_with_the_allowed_ones_and_the_nearest():
    assert problems({"seed": 1, "solvr": "auto"}) == [
        "a.yaml: unknown key 'solvr'; allowed: free, inner, rows, seed, share, solver. "
        "Did you mean 'solver'?"
    ]


def test_a_word_far_from_all_has_no_nearest():
    assert nearest("zzz", ["auto", "cycles"]) == ""


def test_a_wrong_choice_is_named_with_the_nearest():
    (said,) = problems({"seed": 1, "solver": "cycle"})
    assert said == (
        "a.yaml: solver: found \"cycle\"; allowed: auto, cycles. Did you mean 'cycles'?"
    )


def test_a_place_inside_a_list_is_named():
    (said,) = problems({"seed": 1, "rows": [1, "two"]})
    assert said == 'a.yaml: rows[1]: found "two"; allowed: a whole number.'


def test_a_missing_key_is_named_with_what_was_found():
    assert problems({"share": 1}) == ["a.yaml: the key 'seed' is missing; found: share."]


@pytest.mark.parametrize("seed", [True, 1.5, "1", None])
def test_only_a_whole_number_is_a_whole_number(seed):
    (said,) = problems({"seed": seed})
    assert said.startswith("a.yaml: seed: found ")
    assert "allowed: a whole number" in said


@pytest.mark.parametrize("share", [True, float("nan"), float("inf"), "0.5", 10**400])
def test_only_a_finite_number_is_a_number(share):
    assert any("allowed: a finite number" in said for said in problems({"seed": 1, "share": share}))


def test_several_problems_are_told_at_once():
    assert len(problems({"seed": -1, "share": 2, "solver": "no", "other": 0})) == 4


@pytest.mark.parametrize("document", [None, [], [1], "text", 3])
def test_what_is_no_mapping_is_an_error(document):
    (said,) = problems(document)
    assert "allowed: a mapping of keys" in said


@pytest.mark.parametrize("value", [float("nan"), {1: "x"}, {"a": [float("inf")]}, b"x"])
def test_free_values_are_only_such_as_json_can_say(value):
    (said,) = problems({"seed": 1, "free": {"key": value}})
    assert said.startswith("a.yaml: free.key")


def test_a_value_nested_without_end_is_an_error():
    endless: dict = {}
    endless["again"] = endless
    assert any("at most 20 levels" in said for said in problems({"seed": 1, "free": endless}))


def test_a_key_that_stands_twice_is_named_with_both_lines(tmp_path):
    path = written(tmp_path, "seed: 1\nother: 2\nseed: 3\n")
    with pytest.raises(DocumentError, match=r"line 3: the key 'seed' stands twice .*line 1"):
        read_yaml(path)


def test_a_key_that_stands_twice_deep_down_is_found(tmp_path):
    with pytest.raises(DocumentError, match="stands twice"):
        read_yaml(written(tmp_path, "a:\n  - {b: 1, b: 2}\n"))


@pytest.mark.parametrize("text", ["a: [1", "a: 'x", "a:\n\t- 1", "? [1]\n: 2", "a: 2024-13-45"])
def test_what_is_not_yaml_is_a_named_error(tmp_path, text):
    with pytest.raises(DocumentError, match=r"a\.yaml: "):
        read_yaml(written(tmp_path, text))


def test_text_that_is_not_utf_8_is_an_error(tmp_path):
    with pytest.raises(DocumentError, match="save it as UTF-8"):
        read_yaml(written(tmp_path, "a: é", "latin-1"))


def test_a_missing_file_and_a_folder_are_errors(tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        read_yaml(tmp_path / "none.yaml")
    with pytest.raises(DocumentError, match="cannot be read"):
        read_yaml(tmp_path)


def test_an_empty_file_is_an_empty_document(tmp_path):
    assert read_yaml(written(tmp_path, "")) is None
