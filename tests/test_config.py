"""The config: every problem at once, each with its place; defaults; keys that are never told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rationale.config import (
    canonical,
    identity_of,
    key_variables,
    missing_key,
    params_of,
    question_of,
    read_config,
)
from rationale.schema import DocumentError

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / "workflow" / "schemas"
GPT = {"llm": "openai/gpt-4o"}


def config(**models):
    return {"seed": 7, "models": models or {"random": {"simulated": "random"}}}


def problems(document):
    with pytest.raises(DocumentError) as error:
        read_config(document, [], SCHEMAS)
    return error.value.problems


def of_params(**params):
    return problems(config(gpt={**GPT, "params": params}))


def test_the_shipped_config_is_in_order():
    from rationale.schema import read_yaml

    file = ROOT / "config.yaml"
    assert read_config(read_yaml(file), [str(file)], SCHEMAS)["psm"]["options"] == 100


def test_defaults_are_filled_in_for_sections_and_models():
    whole = read_config(config(gpt=GPT, first={"simulated": "position"}), [], SCHEMAS)
    assert whole["asking"]["attempts"] == 3
    assert whole["psm"]["forms"] == ["listed"]
    assert whole["models"]["gpt"] == {**GPT, "params": {}, "limits": {}, "unsupported": "refuse"}
    assert whole["models"]["first"]["position"] == 1


@pytest.mark.parametrize("document", [[], [1], None, "text"])
def test_a_config_that_is_no_mapping_is_an_error(document):
    assert "allowed: a mapping of keys" in problems(document)[0]


def test_an_empty_config_names_both_keys_that_it_lacks():
    text = " ".join(problems({}))
    assert "'seed' is missing" in text
    assert "'models' is missing" in text


@pytest.mark.parametrize("slug", [4.1, 2024, True, None, "", "GPT", "a/b", "-a", "a b", "x" * 101])
def test_a_slug_that_is_no_file_name_is_an_error_that_says_how_to_write_it(slug):
    (said,) = problems(config(**{}) | {"models": {slug: {"simulated": "random"}}})
    assert said.startswith(f"config: models.{slug}: the slug {slug!r} is not allowed; use a-z")


@pytest.mark.parametrize("slug", ["4.1", "2024", "gpt-4.1-mini"])
def test_a_slug_of_digits_in_quotes_is_one(slug):
    assert slug in read_config(config(**{slug: GPT}), [], SCHEMAS)["models"]


@pytest.mark.parametrize("spec", [None, [], "openai/gpt-4o", 3, {}, {"label": "x"}])
def test_a_respondent_without_a_kind_is_told_the_kinds(spec):
    (said,) = problems(config(one=spec))
    assert said.startswith("config: models.one: found ")
    assert "one of llm, simulated, recorded" in said


def test_a_respondent_of_two_kinds_is_an_error():
    (said,) = problems(config(one={**GPT, "simulated": "random"}))
    assert "exactly one of llm, simulated, recorded" in said


def test_a_misspelt_kind_is_named_with_the_nearest():
    (said,) = problems(config(one={"simulatd": "random"}))
    assert said.endswith("Did you mean 'simulated'?")


@pytest.mark.parametrize("kind", ["randon", ["random"], 1, {"a": 1}, None])
def test_an_unknown_simulated_kind_is_named_with_the_known_ones(kind):
    (said,) = problems(config(one={"simulated": kind}))
    assert said.startswith(
        f"config: models.one.simulated: found {kind!r}; allowed: utility, random"
    )


def test_problems_of_all_sections_and_models_are_told_at_once():
    document = config(a={"simulated": "random", "noise": 1}, B={"llm": "gpt-4o"})
    document |= {"seed": True, "asking": {"atempts": 2}, "psm": {"options": 1}}
    said = problems(document)
    for place in ("seed", "asking", "psm.options", "models.a", "models.B:", "models.B.llm"):
        assert any(place in line for line in said), place


@pytest.mark.parametrize(
    "params",
    [
        {"api_key": "sk-123"},
        {"API-Key": "sk-123"},
        {"authorization": "sk-123"},
        {"aws_secret_access_key": "sk-123"},
        {"extra_headers": {"Authorization": "sk-123"}},
        {"extra_headers": {"x-api-key": "sk-123"}},
        {"headers": {"X-Auth-Token": "sk-123"}},
        {"extra_body": {"api_key": "sk-123"}},
        {"extra_body": {"provider": [{"options": {"apiKey": "sk-123"}}]}},
        {"extra_body": {"headers": {"X-Token": "sk-123"}}},
    ],
)
def test_params_that_carry_a_key_are_an_error_that_does_not_tell_it(params):
    (said,) = of_params(**params)
    assert said.startswith("config: models.gpt.params.")
    assert said.endswith("keys come from the environment: use key_env.")
    assert "sk-123" not in said


@pytest.mark.parametrize(
    "more",
    [
        {"api_base": "https://host/v1?key=sk-123"},
        {"api_base": "https://host/v1#sk-123"},
        {"api_base": "https://me:sk-123@host/v1"},
        {"api_base": "sk-123"},
        {"key_env": "sk-123"},
        {"key_env": ["sk-123"]},
    ],
)
def test_an_address_or_a_variable_that_could_be_a_key_is_an_error_that_does_not_tell_it(more):
    said = problems(config(gpt={**GPT, **more}))
    assert said
    assert all(f"config: models.gpt.{next(iter(more))}: found" in line for line in said)
    assert "sk-123" not in " ".join(said)


@pytest.mark.parametrize(
    "name",
    [
        *("model", "messages", "stream", "n", "timeout", "request_timeout", "max_retries"),
        *("num_retries", "drop_params", "mock_response", "fallbacks"),
    ],
)
def test_params_that_rationale_sets_are_an_error(name):
    assert of_params(**{name: 1}) == [
        f"config: models.gpt.params.{name}: set by Rationale; remove it."
    ]


@pytest.mark.parametrize("name", ["api_base", "base_url"])
def test_an_address_belongs_beside_params(name):
    assert "write it beside params" in of_params(**{name: "http://localhost:1/v1"})[0]


def test_ordinary_params_pass():
    params = {
        "temperature": 0,
        "max_tokens": 256,
        "max_completion_tokens": 9,
        "extra_headers": {"X-Title": "Rationale"},
        "extra_body": {"top_k": 1},
    }
    whole = read_config(config(gpt={**GPT, "params": params}), [], SCHEMAS)
    assert whole["models"]["gpt"]["params"] == params


def test_params_that_are_no_mapping_are_an_error_once():
    (said,) = problems(config(gpt={**GPT, "params": ["temperature"]}))
    assert "models.gpt.params: found" in said


def test_a_model_has_the_key_of_its_provider():
    assert key_variables(GPT) == ("OPENAI_API_KEY",)
    assert key_variables({"llm": "unheard-of/model"}) == ()
    assert key_variables({"simulated": "random"}) == ()


def test_a_providers_key_is_not_for_another_address():
    local = {**GPT, "api_base": "http://localhost:1/v1"}
    assert key_variables(local) == ()
    assert key_variables({**local, "key_env": "MY_KEY"}) == ("MY_KEY",)


def test_a_missing_key_is_named_by_its_variables():
    said = missing_key("g", {"llm": "gemini/flash"}, {"GEMINI_API_KEY": ""})
    assert "models.g: no key for gemini/flash" in said
    assert "GEMINI_API_KEY or GOOGLE_API_KEY" in said


def test_a_message_about_keys_never_holds_a_value():
    said = missing_key("gpt", {**GPT, "key_env": "MY_KEY"}, {"OPENAI_API_KEY": "sk-123"})
    assert "set MY_KEY" in said
    assert "sk-123" not in said


def test_one_of_several_variables_is_enough():
    assert missing_key("g", {"llm": "gemini/flash"}, {"GOOGLE_API_KEY": "k"}) is None


def test_labels_prices_limits_and_keys_are_no_part_of_the_question():
    spec = {**GPT, "params": {"temperature": 0}}
    dressed = {**spec, "label": "G", "prices": {}, "limits": {}, "key_env": "K"}
    assert question_of(dressed) == spec


def test_another_address_is_another_respondent():
    assert identity_of("openai/m", None) != identity_of("openai/m", "http://localhost:1/v1")


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=5))
def test_one_meaning_has_one_text(mapping):
    backwards = dict(reversed(mapping.items()))
    assert canonical(mapping) == canonical(backwards)


def test_two_entries_that_ask_the_same_are_refused():
    """One model under two names would be paid for twice, or counted twice."""
    twice = {"llm": "openai/gpt-4o", "params": {"max_tokens": 1024}}
    config = {"seed": 1, "models": {"a": {"llm": "openai/gpt-4o"}, "b": {**twice, "label": "B"}}}
    with pytest.raises(DocumentError, match=r"models\.b: asks openai/gpt-4o the same as models\.a"):
        read_config(config, [], SCHEMAS)


def test_a_limit_under_its_newer_name_stands_alone():
    assert params_of({"params": {"max_completion_tokens": 9}}) == {"max_completion_tokens": 9}
    assert params_of({"params": {}}) == {"max_tokens": 1024}
