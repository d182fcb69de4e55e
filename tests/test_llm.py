"""Language models over real HTTP: litellm against a provider on loopback."""

import asyncio
import base64
import json
import os
from urllib.parse import quote, quote_plus

import pytest
from helpers import PLACE, reads_yes
from server import LocalProvider, Response

from rationale.asking.job import ask_block
from rationale.asking.prompts import Prompt, to_table
from rationale.config import read_config
from rationale.redaction import redact
from rationale.respondents.base import Call, Denied, Filtered, Passing, Rejected
from rationale.respondents.llm import LanguageModel

pytest.importorskip("litellm")


def spec(provider, **more):
    return {
        "llm": "openai/test-model",
        "params": {},
        "limits": {},
        "unsupported": "refuse",
        **more,
    } | {"api_base": provider.base}


def reply(script, params=None, attempt=1, **more):
    """One call to a provider that follows a script: the reply, or the error as it is raised."""
    with LocalProvider(script) as provider:
        model = LanguageModel(spec(provider, params=params or {}, **more), 5, 4)
        asked = model.asked
        messages = ({"role": "user", "content": "hello"},)
        call = Call(asked.model, asked.api_base, asked.params, messages, 0, attempt)

        async def once():
            try:
                return await model.reply(call)
            finally:
                await model.close()

        return asyncio.run(once()), provider


def failure(script, **more):
    with pytest.raises(Exception) as caught:  # noqa: PT011 (the kind is what tests look at)
        reply(script, **more)
    return caught.value


def test_the_words_and_what_the_provider_says_of_them():
    got, _ = reply(lambda request: Response("yes"))
    assert (got.text, got.finish_reason) == ("yes", "stop")
    assert got.model_reported == "test-model-2026-11-01"
    assert (got.prompt_tokens, got.completion_tokens) == (1, 1)


def test_parameters_reach_the_provider_and_max_tokens_is_always_sent():
    _, provider = reply(lambda request: Response("yes"), params={"temperature": 0.5, "seed": 3})
    body = provider.requests[0].body
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.5, 3, 1024)


def test_log_probabilities_are_read():
    token = {"token": "A", "bytes": None, "logprob": -0.25, "top_logprobs": []}
    token["top_logprobs"] = [{"token": "B", "bytes": None, "logprob": -1.5}]
    got, _ = reply(
        lambda request: Response("A", logprobs=[token]),
        params={"logprobs": True, "top_logprobs": 1},
    )
    top = [{"token": "B", "logprob": -1.5}]
    assert got.logprobs == [{"token": "A", "logprob": -0.25, "top": top}]


def test_log_probabilities_in_the_layout_of_completions_are_read():
    """Lists side by side; of the second token the server tells no others."""
    listed = {
        "tokens": ["B", "."],
        "token_logprobs": [-0.25, -0.5],
        "top_logprobs": [{"B": -0.25, " A": -1.5}, None],
    }
    got, _ = reply(lambda request: Response("B.", logprobs=listed))
    top = [{"token": "B", "logprob": -0.25}, {"token": " A", "logprob": -1.5}]
    assert got.logprobs == [
        {"token": "B", "logprob": -0.25, "top": top},
        {"token": ".", "logprob": -0.5, "top": []},
    ]


def test_reasoning_tokens_are_read():
    usage = {
        "prompt_tokens": 3,
        "completion_tokens": 9,
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    got, _ = reply(lambda request: Response("yes", usage=usage))
    assert got.reasoning_tokens == 7


def test_cost_follows_the_prices_in_the_config():
    """3 tokens in at 2 USD and 9 out at 10 USD a million: (6 + 90) / 1e6."""
    usage = {"prompt_tokens": 3, "completion_tokens": 9}
    got, _ = reply(lambda r: Response("yes", usage=usage), prices={"input": 2, "output": 10})
    assert got.cost_usd == pytest.approx(96e-6)


def uncounted(text="yes", finish_reason="stop", **usage):
    """A reply as a provider sends it that says nothing, or little, of tokens."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", **usage}
    body["choices"] = [{**choice, "finish_reason": finish_reason}]
    return Response(raw=json.dumps(body).encode())


@pytest.mark.parametrize("llm", ["openai/gpt-4o", "deepseek/deepseek-chat"])
@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({}, (None, None)),
        ({"usage": None}, (None, None)),
        ({"usage": {}}, (None, None)),
        ({"usage": {"prompt_tokens": 5}}, (5, None)),
        ({"usage": {"prompt_tokens": None, "completion_tokens": 3}}, (None, 3)),
    ],
)
@pytest.mark.parametrize("prices", [{}, {"prices": {"input": 2, "output": 10}}])
def test_tokens_that_a_provider_does_not_count_are_unknown_and_so_is_the_cost(
    llm, usage, tokens, prices
):
    got, _ = reply(lambda request: uncounted(**usage), llm=llm, **prices)
    assert (got.text, got.prompt_tokens, got.completion_tokens) == ("yes", *tokens)
    assert (got.reasoning_tokens, got.cost_usd) == (None, None)


def test_a_server_that_costs_nothing_costs_nothing_whatever_it_counts():
    got, _ = reply(lambda r: uncounted(), prices={"input": 0, "output": 0})
    assert (got.prompt_tokens, got.cost_usd) == (None, 0)


def test_a_reply_cut_off_before_its_first_word_has_tokens_that_nobody_counted():
    got, _ = reply(lambda r: uncounted("", "length", usage={"prompt_tokens": 5}))
    assert (got.prompt_tokens, got.completion_tokens) == (5, None)


def test_an_empty_reply_of_no_tokens_costs_its_prompt():
    """5 tokens in at 2 USD a million."""
    usage = {"prompt_tokens": 5, "completion_tokens": 0}
    got, _ = reply(lambda r: uncounted("", usage=usage), prices={"input": 2, "output": 10})
    assert (got.completion_tokens, got.cost_usd) == (0, 10e-6)


def test_the_cost_of_a_local_server_without_prices_is_unknown():
    got, _ = reply(lambda request: Response("yes"))
    assert got.cost_usd is None


def test_empty_content_is_an_empty_reply():
    got, _ = reply(lambda request: Response(None, finish_reason="length"))
    assert (got.text, got.finish_reason) == ("", "length")


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_what_can_pass_is_passing(status):
    assert isinstance(failure(lambda request: Response(status=status)), Passing)


def test_retry_after_is_read():
    error = failure(lambda request: Response(status=429, headers={"retry-after": "7"}))
    assert (error.retry_after, error.busy) == (7, True)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_is_wrong_for_every_call_is_denied(status):
    assert isinstance(failure(lambda request: Response(status=status)), Denied)


@pytest.mark.parametrize("status", [400, 422])
def test_a_malformed_call_is_rejected(status):
    assert type(failure(lambda request: Response(status=status))) is Rejected


def test_no_credit_left_is_denied_and_not_waited_for():
    error = failure(
        lambda r: Response(status=429, message="insufficient_quota", code="insufficient_quota")
    )
    assert isinstance(error, Denied)


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_content_filter_is_known_by_its_code_alone(code):
    error = failure(lambda r: Response(status=400, message="not allowed", code=code))
    assert isinstance(error, Filtered)


def test_a_content_filter_is_told_from_a_malformed_call():
    error = failure(
        lambda r: Response(status=400, message="content_filter", code="content_policy_violation")
    )
    assert isinstance(error, Filtered)


def test_a_reset_connection_is_passing():
    assert isinstance(failure(lambda request: Response(reset=True)), Passing)


def test_invalid_json_is_passing():
    assert isinstance(failure(lambda request: Response(raw=b"{not json")), Passing)


def test_one_request_a_call_no_retries_inside():
    with LocalProvider(lambda request: Response(status=500)) as provider:
        model = LanguageModel(spec(provider), 5, 4)
        call = Call(
            "openai/test-model", provider.base, {}, ({"role": "user", "content": "x"},), 0, 1
        )
        with pytest.raises(Passing):
            asyncio.run(model.reply(call))
        assert len(provider.requests) == 1


def test_an_unsupported_parameter_is_refused_before_any_call():
    model = LanguageModel(
        {
            "llm": "anthropic/claude-3-haiku-20240307",
            "params": {"logprobs": True},
            "limits": {},
            "unsupported": "refuse",
            "key_env": "SOME_KEY",
        },
        5,
        4,
    )
    os.environ["SOME_KEY"] = "x" * 20
    try:
        with pytest.raises(Denied, match="does not take logprobs; remove it from params "):
            model.connect()
    finally:
        del os.environ["SOME_KEY"]


@pytest.mark.parametrize(
    ("model", "params", "dropped"),
    [
        ("openai/gpt-4o", {}, set()),
        ("openai/gpt-5.1", {}, set()),
        ("openai/gpt-5.1", {"reasoning_effort": "high"}, {"logprobs", "top_logprobs"}),
        ("anthropic/claude-3-haiku-20240307", {}, {"logprobs", "top_logprobs"}),
    ],
)
def test_what_a_study_goes_without_is_left_out_where_it_is_not_taken(model, params, dropped):
    told = {"logprobs": True, "top_logprobs": 5}
    spec = {"llm": model, "unsupported": "refuse", "optional": list(told)}
    found = LanguageModel({**spec, "params": {**params, **told}}, 5, 4)
    found.settle()
    assert found._refused == dropped


def test_a_provider_key_is_not_sent_to_another_address(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret-secret")
    _, provider = reply(lambda request: Response("yes"))
    assert "secret" not in str(provider.requests[0].headers)


def test_a_named_key_is_sent(monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1234")
    _, provider = reply(lambda request: Response("yes"), key_env="GATEWAY_KEY")
    assert provider.requests[0].headers["Authorization"] == "Bearer gateway-key-1234"


def test_an_error_message_that_echoes_the_key_is_cleaned(monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1234")
    error = failure(
        lambda r: Response(status=401, message="bad key: gateway-key-1234"), key_env="GATEWAY_KEY"
    )
    assert "gateway-key-1234" not in str(error)
    assert "[GATEWAY_KEY]" in str(error)


def test_a_key_is_taken_out_whatever_its_variable_is_called(monkeypatch):
    monkeypatch.setenv("LAB_PASS", "lab0123")
    error = failure(lambda r: Response(status=401, message="bad: lab0123"), key_env="LAB_PASS")
    assert "lab0123" not in str(error)


def test_a_retry_after_that_is_no_time_is_passed_over():
    error = failure(lambda r: Response(status=429, headers={"retry-after": "Wed, soon"}))
    assert (type(error), error.retry_after) == (Passing, None)


def test_an_address_in_the_environment_is_refused_before_any_call(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret-secret")
    with LocalProvider(lambda request: Response("yes")) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base)
        model = LanguageModel(
            {"llm": "openai/gpt-4o", "params": {}, "limits": {}, "unsupported": "refuse"}, 5, 4
        )
        with pytest.raises(Denied, match="OPENAI_BASE_URL is set in the environment"):
            model.connect()
        assert provider.requests == []


def test_one_endless_retry_after_does_not_hold_up_the_rest(tmp_path, no_wait):
    def script(request):
        if request.words == "word 0":
            return Response(status=429, headers={"retry-after": "86400"})
        return Response("yes")

    prompts = [Prompt(f"r{n}", (f"word {n}",)) for n in range(5)]
    table, _ = ask_over_http(script, tmp_path, prompts, {**SETTINGS, "on_error": "record"})
    assert table["status"].to_list() == ["error"] + ["answered"] * 4


def test_redact_takes_out_what_looks_like_a_key():
    assert redact("Incorrect API key: sk-abcd1234*****wxyz.", {}) == "Incorrect API key: [key]"


@pytest.mark.parametrize("before", ["", "x", "me"])
def test_redact_takes_a_key_out_of_base64_wherever_it_begins(before):
    key = "marked/Key+7=="
    coded = base64.b64encode(f"{before}{key} and more".encode()).decode()
    kept = redact(coded, {"SOME_KEY": key})
    assert "[SOME_KEY]" in kept
    assert len(kept) - len("[SOME_KEY]") <= len(coded) - 4 * len(key) // 3 + 2


@pytest.mark.parametrize("form", [str, quote, quote_plus, lambda key: key[::-1]])
def test_redact_takes_out_a_key_in_other_writing(form):
    key = "marked/Key+7=="
    assert redact(f"at ?key={form(key)}.", {"SOME_KEY": f"{key}\n"}) == "at ?key=[SOME_KEY]."


def test_a_reply_that_holds_our_key_is_kept_without_it(monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1234")
    got, _ = reply(lambda r: Response("for gateway-key-1234: A"), key_env="GATEWAY_KEY")
    assert got.text == "for [GATEWAY_KEY]: A"


def test_a_word_in_place_of_a_key_is_left_in_replies(monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "none")
    got, _ = reply(lambda r: Response("none of both"), key_env="GATEWAY_KEY")
    assert got.text == "none of both"


def test_a_line_break_behind_a_key_is_not_sent(monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "gateway-key-1234\n")
    _, provider = reply(lambda request: Response("yes"), key_env="GATEWAY_KEY")
    assert provider.requests[0].headers["Authorization"] == "Bearer gateway-key-1234"


SETTINGS = {
    "attempts": 3,
    "block_size": 40,
    "concurrency": 4,
    "timeout_s": 5,
    "tries": 8,
    "max_wait_s": 60,
    "on_error": "fail",
    "min_free_mb": 0,
}


class Read:
    def __init__(self, status):
        self.status = status


def ask_over_http(script, folder, prompts, settings=SETTINGS, **more):
    with LocalProvider(script) as provider, open(folder / "log", "w") as log:
        table = asyncio.run(
            ask_block(
                to_table(prompts),
                PLACE,
                spec(provider, **more),
                0,
                settings,
                folder / "journal",
                lambda expected, texts: Read(reads_yes(None, texts)),
                log,
            )
        )
    return table, provider


def test_a_job_over_http_rides_out_errors(tmp_path, no_wait):
    """Every third request fails; every prompt is answered all the same."""

    def script(request):
        if request.number % 3 == 0:
            return Response(status=429 if request.number % 2 else 500, headers={"retry-after": "0"})
        return Response("yes")

    prompts = [Prompt(f"r{n:03d}", (f"word {n}",)) for n in range(30)]
    table, provider = ask_over_http(script, tmp_path, prompts)
    assert table["status"].to_list() == ["answered"] * 30
    assert max(provider.answered.values()) == 1


def test_a_job_keeps_to_the_concurrency_of_its_model(tmp_path):
    prompts = [Prompt(f"r{n:03d}", (f"word {n}",)) for n in range(30)]
    _, provider = ask_over_http(
        lambda r: Response("yes", wait_s=0.02), tmp_path, prompts, limits={"concurrency": 3}
    )
    assert provider.most_in_flight == 3


def test_a_provider_that_stays_away_fails_the_job_with_a_cure(tmp_path, no_wait):
    settings = {**SETTINGS, "tries": 2}
    with pytest.raises(RuntimeError, match="1 of 1 prompts were not answered") as caught:
        ask_over_http(lambda r: Response(status=503), tmp_path, [Prompt("r1", ("x",))], settings)
    assert "Run again: only these are asked" in str(caught.value)


def test_errors_can_be_recorded_as_missing(tmp_path, no_wait):
    settings = {**SETTINGS, "tries": 2, "on_error": "record"}
    table, _ = ask_over_http(
        lambda r: Response(status=503), tmp_path, [Prompt("r1", ("x",))], settings
    )
    assert table["status"].to_list() == ["error"]


def test_every_file_of_a_job_is_free_of_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("GATEWAY_KEY", "marked-key-987654321")

    def script(r):
        return Response("yes") if r.number else Response(status=500, message="marked-key-987654321")

    ask_over_http(script, tmp_path, [Prompt("r1", ("x",))], key_env="GATEWAY_KEY")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".jsonl" for path in files)
    assert [path for path in files if b"marked-key" in path.read_bytes()] == []


def test_the_shipped_schema_takes_a_language_model():
    config = {"seed": 1, "models": {"m": {"llm": "openai/gpt-4o", "params": {"temperature": 0}}}}
    schemas = os.path.join(os.path.dirname(__file__), "..", "workflow", "schemas")
    assert read_config(config, [], schemas)["models"]["m"]["unsupported"] == "refuse"
