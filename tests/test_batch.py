"""Batch files in both layouts: golden lines, round trips, and what is open."""

import asyncio
import json
from dataclasses import replace

import polars as pl
import pytest
from aiohttp import web
from helpers import PLACE, ROOT, Scripted, ask, reads_yes
from server import LocalProvider, Response

from rationale.asking import batch
from rationale.asking.ask import explain_waiting
from rationale.asking.batch_files import open_calls, requests_of, take, write_files, write_taken
from rationale.asking.job import ask_block
from rationale.asking.journal import Journal, calls
from rationale.asking.pending import pending
from rationale.asking.prompts import Prompt, to_table
from rationale.config import identity_of, read_config
from rationale.respondents.base import Asked, Call, Denied
from rationale.respondents.batched import OfflineModel
from rationale.respondents.llm import LanguageModel
from rationale.schema import DocumentError
from rationale.surveys.replies import Reading

pytest.importorskip("litellm")

SCHEMAS = ROOT / "workflow/schemas"
OPENAI, ANTHROPIC = "openai/gpt-4o", "anthropic/claude-sonnet-4-5"
TALK = (
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Yes or no?"},
)
KEY = "ab" * 32
USAGE = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
PRICES = {"input": 2, "output": 8}


def spec(llm=OPENAI, params=None, **more):
    return {"llm": llm, "params": params or {}, "limits": {}, "unsupported": "refuse", **more}


def call_of(llm=OPENAI, params=None, messages=TALK, **more):
    asked = LanguageModel(spec(llm, params), 5, 1).asked
    return Call(asked.model, None, asked.params, messages, 0, 1, **more)


def body_of(llm, **params):
    """The body of one call in a batch."""
    model = OfflineModel(spec(llm, params))
    return asyncio.run(model.body(call_of(llm, params)))


def completion(text="yes", finish_reason="stop", model="gpt-4o-2024-08-06", **more):
    """What OpenAI documents as the body of a reply."""
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": model,
        "choices": [choice],
        "usage": USAGE,
        **more,
    }


def message(text="yes", stop_reason="end_turn", model="claude-sonnet-4-5-20250929"):
    """What Anthropic documents as a message."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 10},
    }


def openai_line(key, body=None, status=200, error=None, line_id="batch_req_1"):
    response = None if error else {"status_code": status, "request_id": "r", "body": body}
    return {"id": line_id, "custom_id": key, "response": response, "error": error}


def anthropic_line(key, **result):
    return {"custom_id": key, "result": result}


# --- requests -----------------------------------------------------------------------------------


def test_a_request_in_openais_layout():
    body = body_of(OPENAI, temperature=0, max_tokens=16, seed=7)
    assert json.loads(batch.request_line("openai", KEY, body)) == {
        "custom_id": KEY,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "gpt-4o",
            "messages": list(TALK),
            "temperature": 0,
            "max_tokens": 16,
            "seed": 7,
        },
    }


def test_a_request_in_anthropics_layout():
    body = body_of(ANTHROPIC, temperature=0.5, stop=["END"])
    assert json.loads(batch.request_line("anthropic", KEY, body)) == {
        "custom_id": KEY,
        "params": {
            "model": "claude-sonnet-4-5",
            "max_tokens": 1024,
            "temperature": 0.5,
            "stop_sequences": ["END"],
            "system": [{"type": "text", "text": "Be brief."}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Yes or no?"}]}],
        },
    }


def test_an_openai_file_is_lines_and_an_anthropic_file_one_object():
    lines = [b'{"custom_id":"a"}', b'{"custom_id":"b"}']
    assert batch.whole_file("openai", lines) == b'{"custom_id":"a"}\n{"custom_id":"b"}\n'
    whole = json.loads(batch.whole_file("anthropic", lines))
    assert whole == {"requests": [{"custom_id": "a"}, {"custom_id": "b"}]}


@pytest.mark.parametrize(
    "params",
    [{}, {"temperature": 0.3, "top_p": 0.9, "stop": ["x"]}, {"seed": 3, "logprobs": True}],
)
def test_a_batch_asks_openai_what_a_live_call_asks(params):
    with LocalProvider(lambda request: Response("yes")) as provider:
        local = spec(OPENAI, params, api_base=provider.base)
        asyncio.run(live(local, call_of(OPENAI, params)))
    assert (
        asyncio.run(OfflineModel(local).body(call_of(OPENAI, params))) == provider.requests[0].body
    )


async def live(entry, call):
    """The reply to one live call."""
    model = LanguageModel(entry, 5, 1)
    try:
        return await model.reply(replace(call, api_base=entry["api_base"]))
    finally:
        await model.close()


async def live_anthropic(reply, params):
    """One live call to a server that speaks Anthropic's protocol: what it got, what it gave."""
    seen = []

    async def answer(http):
        seen.append(await http.json())
        return web.json_response(reply)

    app = web.Application()
    app.router.add_post("/v1/messages", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    base = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    try:
        got = await live(spec(ANTHROPIC, params, api_base=base), call_of(ANTHROPIC, params))
    finally:
        await runner.cleanup()
    return seen[0], got


@pytest.mark.parametrize("params", [{}, {"temperature": 0.3, "stop": ["x"], "max_tokens": 9}])
def test_a_batch_asks_anthropic_what_a_live_call_asks(params):
    asked, _ = asyncio.run(live_anthropic(message(), params))
    assert body_of(ANTHROPIC, **params) == asked


@pytest.mark.parametrize("stop_reason", ["end_turn", "max_tokens", "refusal"])
def test_a_result_of_anthropic_reads_as_a_live_reply(stop_reason):
    body = message("yes", stop_reason)
    _, expected = asyncio.run(live_anthropic(body, {}))
    got = asyncio.run(OfflineModel(spec(ANTHROPIC)).read(call_of(ANTHROPIC), (), 200, body))
    assert replace(got, cost_usd=None) == replace(expected, cost_usd=None)


@pytest.mark.parametrize("finish_reason", ["stop", "length", "content_filter"])
def test_a_result_of_openai_reads_as_a_live_reply(finish_reason):
    logprobs = {"content": [{"token": "yes", "logprob": -0.1, "bytes": None, "top_logprobs": []}]}
    body = completion("yes", finish_reason)
    body["choices"][0]["logprobs"] = logprobs
    raw = json.dumps(body).encode()
    with LocalProvider(lambda request: Response(raw=raw)) as provider:
        expected = asyncio.run(live(spec(OPENAI, api_base=provider.base), call_of()))
    got = asyncio.run(OfflineModel(spec()).read(call_of(), (), 200, body))
    assert got.logprobs == [{"token": "yes", "logprob": -0.1, "top": []}]
    assert replace(got, cost_usd=None) == replace(expected, cost_usd=None)


@pytest.mark.parametrize(
    ("llm", "params", "said"),
    [
        (ANTHROPIC, {"seed": 3, "logprobs": True}, "does not take logprobs, seed"),
        (OPENAI, {"extra_headers": {"a": "b"}}, "a batch carries no headers; remove extra_headers"),
    ],
)
def test_params_that_no_batch_carries_are_named(llm, params, said):
    with pytest.raises(Denied, match=said):
        body_of(llm, **params)


def test_dropped_params_are_left_out_where_the_config_says_so():
    model = OfflineModel(spec(ANTHROPIC, {"seed": 3}, unsupported="drop"))
    body = asyncio.run(model.body(call_of(ANTHROPIC, {"seed": 3})))
    assert "seed" not in body
    assert model.dropped == ["seed"]


def test_a_second_turn_goes_to_anthropic_without_what_it_does_not_take():
    told = {"logprobs": True, "top_logprobs": 5}
    model = OfflineModel(spec(ANTHROPIC, told, optional=list(told)))
    talk = (*TALK, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Sure?"})
    body = asyncio.run(model.body(call_of(ANTHROPIC, told, talk)))
    assert [one["role"] for one in body["messages"]] == ["user", "assistant", "user"]
    assert "Yes." in json.dumps(body["messages"][1])
    assert {"logprobs", "top_logprobs"}.isdisjoint(body)
    assert model.dropped == ["logprobs", "top_logprobs"]


def test_no_key_is_needed_and_none_gets_in(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-marked-1234567890")
    assert "marked" not in json.dumps(body_of(OPENAI))
    monkeypatch.delenv("OPENAI_API_KEY")
    assert body_of(OPENAI)["model"] == "gpt-4o"


# --- files ---------------------------------------------------------------------------------------


def test_files_are_split_by_number_and_by_size():
    assert list(batch.split("openai", [10] * 5, requests=2)) == [
        slice(0, 2),
        slice(2, 4),
        slice(4, 5),
    ]
    # head and tail of OpenAI's layout: one byte; 10 + 1 + 10 + 1 = 22 bytes fit, a third does not.
    assert list(batch.split("openai", [10] * 3, megabytes=22e-6)) == [slice(0, 2), slice(2, 3)]
    assert list(batch.split("openai", [])) == []


def test_the_providers_limits_cannot_be_raised():
    assert len(list(batch.split("openai", [1] * 50_001, requests=100_000))) == 2


def test_a_request_that_fits_no_file_is_an_error():
    with pytest.raises(DocumentError, match=r"fits in no batch file .* raise asking\.batch_mb"):
        list(batch.split("anthropic", [10], megabytes=1e-5))


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_no_file_is_larger_than_it_may_be(provider):
    lines = [b"x" * size for size in range(1, 60)]
    for part in batch.split(provider, [len(line) for line in lines], megabytes=120e-6):
        assert len(batch.whole_file(provider, lines[part])) <= 120


# --- taking --------------------------------------------------------------------------------------


class Desk:
    """A model with a journal, and a batch of its calls."""

    def __init__(self, root, llm=OPENAI, prompts=3, **more):
        self.root, self.spec = root, spec(llm, {"max_tokens": 8}, **more)
        self.provider, self.identity = llm.split("/")[0], identity_of(llm, None)
        self.folder = root / "batches/m"
        asked = LanguageModel(self.spec, 5, 1).asked
        self.asked = asked
        self.prompts = [Prompt(f"p{number}", (f"Question {number}?",)) for number in range(prompts)]

    def pending(self, prompts=None, attempts=1):
        read = lambda _, texts: Reading(reads_yes(None, texts))  # noqa: E731
        prompts = prompts or self.prompts
        return pending(prompts, PLACE, self.asked, attempts, self.journal(), read)

    def journal(self):
        return Journal(self.root / "journal", "m", self.identity)

    def open(self):
        return open_calls(self.root / "batches", "m", self.identity)

    def write(self, found=None, **limits):
        """Write what is pending and not open; the keys."""
        todo = {k: c for k, c in (found or self.pending()).calls.items() if k not in self.open()}

        async def requests():
            model = OfflineModel(self.spec)
            return await requests_of(todo, PLACE, model, self.provider, "2026-11-01T00:00:00Z")

        write_files(self.folder, self.identity, self.provider, asyncio.run(requests()), **limits)
        return list(todo)

    def put(self, name, *lines):
        """A result file; a line that is no dict goes in as it is."""
        path = self.folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(texts) + "\n", encoding="utf-8")

    def take(self):
        """Outcomes of all lines."""
        journal = self.journal()
        written = Journal(self.root / "batches", "m", self.identity)
        try:
            rows = asyncio.run(take(self.folder, written, journal, OfflineModel(self.spec), 0.5))
        finally:
            journal.close()
        write_taken(self.folder, rows)
        self.rows = rows
        return [row.outcome for row in rows]

    def kept(self):
        """All journal records of the model by prompt."""
        paths = (self.root / "journal").rglob("*.jsonl")
        return {call["prompt_id"]: call for path in paths for call in calls(path)}


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path, prices=PRICES)


def test_the_custom_id_is_the_call_key_and_the_file_is_numbered(desk):
    keys = desk.write()
    lines = [json.loads(line) for line in (desk.folder / "openai-0001.jsonl").open()]
    assert [line["custom_id"] for line in lines] == keys == list(desk.pending().calls)
    assert lines[0]["body"]["messages"] == [{"role": "user", "content": "Question 0?"}]


def test_what_was_written_is_open_and_is_not_written_again(desk):
    keys = desk.write()
    assert desk.open() == set(keys)
    assert desk.write() == []


def test_openai_results_are_kept_like_live_replies_at_half_the_price(desk):
    first, *_ = desk.write()
    desk.put("out.jsonl", openai_line(first, completion("yes")))
    assert desk.take() == ["taken"]
    kept = desk.kept()["p0"]
    assert kept["batch"] is True
    assert (kept["study"], kept["form"], kept["block"], kept["turn"]) == (
        "psm",
        "listed",
        "block",
        0,
    )
    assert kept["asked_at"] == "2023-11-14T22:13:20Z"
    assert kept["reply"]["text"] == "yes"
    assert kept["reply"]["model_reported"] == "gpt-4o-2024-08-06"
    # (1000 x 2 + 10 x 8) / 10^6 US dollars, and half of it
    assert kept["reply"]["cost_usd"] == pytest.approx(0.00104)


def test_anthropic_results_are_kept_at_half_of_litellms_price(tmp_path):
    desk = Desk(tmp_path, ANTHROPIC)
    first, *_ = desk.write()
    desk.put("results.jsonl", anthropic_line(first, type="succeeded", message=message("yes")))
    assert desk.take() == ["taken"]
    kept = desk.kept()["p0"]
    assert (kept["reply"]["text"], kept["asked_at"]) == ("yes", "2026-11-01T00:00:00Z")
    # 3 and 15 dollars a million in litellm's table: (1000 x 3 + 10 x 15) / 10^6 / 2
    assert kept["reply"]["cost_usd"] == pytest.approx(0.001575)


def test_an_unknown_price_stays_unknown(tmp_path):
    desk = Desk(tmp_path, "openai/nobody-prices-this")
    first, *_ = desk.write()
    desk.put("out.jsonl", openai_line(first, completion("yes", model="nobody-prices-this")))
    assert desk.take() == ["taken"]
    assert desk.kept()["p0"]["reply"]["cost_usd"] is None


def test_a_live_job_finds_what_a_batch_brought(desk):
    keys = desk.write()
    desk.put("out.jsonl", *(openai_line(key, completion("yes")) for key in keys))
    assert desk.take() == ["taken"] * 3
    found = desk.pending()
    assert found.calls == {}
    assert [answer.status for answer in found.answers] == ["answered"] * 3
    assert found.answers[0].latency_s is None


def test_taking_twice_changes_nothing(desk):
    keys = desk.write()
    desk.put("out.jsonl", *(openai_line(key, completion("yes")) for key in keys))
    desk.take()
    table = (desk.folder / "taken.csv").read_bytes()
    assert desk.take() == ["taken"] * 3
    assert len(desk.kept()) == 3
    assert (desk.folder / "taken.csv").read_bytes() == table


@pytest.mark.parametrize(
    ("line", "outcome", "reason"),
    [
        ('{"custom_id": "', "unreadable", "no JSON"),
        ("[1]", "unreadable", "no JSON object"),
        ({"custom_id": "r1", "response": {}}, "unreadable", "needed: 64 hexadecimal digits"),
        ({"custom_id": KEY}, "unreadable", "neither OpenAI's response or error nor"),
        ({"custom_id": KEY, "method": "POST", "body": {}}, "unreadable", "was to be sent off"),
        ({"custom_id": KEY, "result": {"type": "new"}}, "unreadable", "result.type: found 'new'"),
        (openai_line(KEY, completion()), "unknown", "no batch file written for this model"),
    ],
)
def test_lines_that_cannot_be_used_are_listed_with_the_reason(desk, line, outcome, reason):
    desk.write()
    desk.put("out.jsonl", line)
    assert desk.take() == [outcome]
    assert reason in desk.rows[0].reason
    assert desk.kept() == {}
    assert (desk.folder / "in/out.jsonl").exists()
    assert pl.read_csv(desk.folder / "taken.csv")["outcome"].to_list() == [outcome]


def test_of_two_replies_to_one_call_the_first_counts(desk):
    first, *_ = desk.write()
    desk.put("a.jsonl", openai_line(first, completion("yes")))
    desk.put("b.jsonl", openai_line(first, completion("no")))
    assert desk.take() == ["taken", "duplicate"]
    assert desk.kept()["p0"]["reply"]["text"] == "yes"


def test_a_call_that_was_asked_live_keeps_its_live_reply(desk):
    first, *_ = desk.write()
    journal = desk.journal()
    call = desk.pending().calls[first]
    record = {"request": call.request(), "prompt_id": "p0", "reply": {"text": "live"}}
    journal.append(first, record)
    journal.close()
    desk.put("out.jsonl", openai_line(first, completion("yes")))
    assert desk.take() == ["held"]
    assert desk.kept()["p0"]["reply"]["text"] == "live"


def test_a_reply_of_another_model_is_not_taken_unless_the_user_says_so(desk):
    first, *_ = desk.write()
    line = openai_line(first, completion("yes", model="gpt-3.5-turbo"))
    desk.put("out.jsonl", line)
    assert desk.take() == ["other-model"]
    assert desk.open() >= {first}
    (desk.folder / "in/out.jsonl").unlink()
    desk.put("any-model/out.jsonl", line)
    assert desk.take() == ["taken"]


@pytest.mark.parametrize(
    ("asked", "reported", "same"),
    [
        ("openai/gpt-4o", "gpt-4o-2024-08-06", True),
        ("openai/org/llama-3", "org/llama-3", True),
        ("anthropic/claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", True),
        ("anthropic/claude-opus-4-0", "claude-opus-4-20250514", True),
        ("openai/gpt-4o", None, True),
        ("openai/gpt-4o-mini", "gpt-4o-2024-08-06", False),
    ],
)
def test_a_reported_name_may_have_a_version(asked, reported, same):
    assert batch.same_model(asked, reported) is same


def test_a_call_that_expired_stays_unanswered_and_is_written_again(desk):
    keys = desk.write()
    expired = {"code": "batch_expired", "message": "not done in time"}
    desk.put("errors.jsonl", openai_line(keys[0], error=expired))
    assert desk.take() == ["failed"]
    assert desk.rows[0].reason == "batch_expired: not done in time"
    assert desk.open() == set(keys[1:])
    assert desk.write() == [keys[0]]
    assert (desk.folder / "openai-0002.jsonl").exists()
    assert desk.open() == set(keys)


def test_a_failure_that_is_put_in_twice_counts_once(desk):
    keys = desk.write()
    line = openai_line(keys[0], error={"code": "batch_expired", "message": "late"})
    desk.put("errors.jsonl", line)
    desk.take()
    desk.write()
    desk.put("errors-again.jsonl", line, "")
    assert sorted(desk.take()) == ["duplicate", "failed"]
    assert desk.open() == set(keys)


@pytest.mark.parametrize(
    "result",
    [
        {"type": "expired"},
        {"type": "canceled"},
        {
            "type": "errored",
            "error": {"type": "error", "error": {"type": "api_error", "message": "down"}},
        },
    ],
)
def test_anthropics_results_without_a_reply_stay_unanswered(tmp_path, result):
    desk = Desk(tmp_path, ANTHROPIC)
    first, *rest = desk.write()
    desk.put("results.jsonl", anthropic_line(first, **result))
    assert desk.take() == ["failed"]
    assert desk.open() == set(rest)
    assert desk.kept() == {}


def test_what_the_content_filter_refused_is_kept_as_refused(desk):
    first, *_ = desk.write()
    error = {"error": {"message": "filtered", "code": "content_filter", "type": "invalid"}}
    desk.put("errors.jsonl", openai_line(first, error, status=400))
    assert desk.take() == ["filtered"]
    assert desk.kept()["p0"]["filtered"] is True
    assert desk.pending().answers[0].status == "refused"


def test_a_deleted_file_is_withdrawn_and_its_results_are_still_known(desk):
    keys = desk.write()
    (desk.folder / "openai-0001.jsonl").unlink()
    assert desk.open() == set()
    desk.put("out.jsonl", openai_line(keys[0], completion("yes")))
    assert desk.take() == ["taken"]


def test_no_number_is_used_twice(desk):
    desk.write()
    (desk.folder / "openai-0001.jsonl").unlink()
    desk.write(most=2)
    names = sorted(path.name for path in desk.folder.glob("openai-*"))
    assert names == ["openai-0002.jsonl", "openai-0003.jsonl"]


def test_open_calls_are_found_under_another_slug(desk):
    keys = desk.write()
    assert open_calls(desk.root / "batches", "renamed", desk.identity) == set(keys)


# --- turns, attempts, live jobs ------------------------------------------------------------------


def test_a_second_turn_is_written_when_the_first_is_in_the_journal(desk):
    talk = [Prompt("p0", ("First?", "Second?"))]
    first = desk.write(desk.pending(talk))
    desk.put("1.jsonl", openai_line(first[0], completion("no")))
    desk.take()
    (call,) = desk.pending(talk).calls.values()
    assert [one["content"] for one in call.messages] == ["First?", "no", "Second?"]
    second = desk.write(desk.pending(talk))
    desk.put("2.jsonl", openai_line(second[0], completion("yes")))
    assert desk.take() == ["taken", "taken"]
    assert desk.pending(talk).answers[0].text == ["no", "yes"]


def test_a_later_attempt_is_written_when_the_earlier_cannot_be_read(desk):
    keys = desk.write()
    texts = {keys[0]: "yes", keys[1]: "well", keys[2]: "yes"}
    desk.put("1.jsonl", *(openai_line(key, completion(text)) for key, text in texts.items()))
    desk.take()
    assert [call.prompt_id for call in desk.pending(attempts=3).calls.values()] == ["p1"]
    assert [call.attempt for call in desk.pending(attempts=3).calls.values()] == [2]
    assert desk.pending(attempts=1).calls == {}


def test_pending_lists_the_calls_that_a_job_then_makes(tmp_path):
    prompts = [Prompt("a", ("1?",)), Prompt("b", ("2?",)), Prompt("twin", ("2?",))]
    respondent = Scripted(lambda call: "yes")
    journal = Journal(tmp_path, "someone", "0123456789ab")
    read = lambda _, texts: Reading(reads_yes(None, texts))  # noqa: E731
    asked = Asked("test/model", None, {"temperature": 0})
    listed = pending(prompts, PLACE, asked, 3, journal, read)
    ask(respondent, tmp_path, prompts)
    assert list(listed.calls) == [call.key() for call in respondent.calls]
    assert list(tmp_path.rglob("*.jsonl")) != []


SETTINGS = {
    "attempts": 1,
    "concurrency": 2,
    "timeout_s": 5,
    "tries": 1,
    "max_wait_s": 0,
    "on_error": "record",
    "min_free_mb": 0,
}


def run_job(desk, provider, log, **settings):
    """A live job on the desk's prompts."""
    read = lambda expected, texts: Reading(reads_yes(None, texts))  # noqa: E731
    return asyncio.run(
        ask_block(
            to_table(desk.prompts),
            replace(PLACE, model="m"),
            {**desk.spec, "api_base": provider.base},
            0,
            {**SETTINGS, **settings},
            desk.root / "journal",
            read,
            log,
            batches=desk.root / "batches",
        )
    )


@pytest.fixture
def local(tmp_path):
    """A provider, and a desk of a model behind it, two of whose three calls are in a batch."""
    with LocalProvider(lambda request: Response("yes")) as provider:
        desk = Desk(tmp_path, "openai/test-model", api_base=provider.base)
        desk.identity = identity_of("openai/test-model", provider.base)
        found = desk.pending()
        first_two = dict(list(found.calls.items())[:2])
        desk.keys = desk.write(found._replace(calls=first_two))
        yield desk, provider


def test_a_live_job_asks_nothing_that_is_in_a_batch(local, tmp_path):
    desk, provider = local
    with (
        open(tmp_path / "log", "w", encoding="utf-8") as log,
        pytest.raises(Exception, match="2 calls wait for a batch"),
    ):
        run_job(desk, provider, log)
    assert [request.words for request in provider.requests] == ["Question 2?"]


def test_with_the_results_in_the_live_job_ends_and_nothing_was_asked_twice(local, tmp_path):
    desk, provider = local
    body = completion("yes", model="test-model")
    desk.put("out.jsonl", *(openai_line(key, body) for key in desk.keys))
    desk.take()
    with open(tmp_path / "log", "w", encoding="utf-8") as log:
        answers = run_job(desk, provider, log)
    assert answers["status"].to_list() == ["answered"] * 3
    assert [request.words for request in provider.requests] == ["Question 2?"]


def test_a_model_of_asking_batch_makes_no_call_even_where_errors_are_recorded(local, tmp_path):
    desk, provider = local
    with (
        open(tmp_path / "log", "w", encoding="utf-8") as log,
        pytest.raises(Exception, match="3 calls wait for a batch; none of them was made"),
    ):
        run_job(desk, provider, log, batch=["m"], on_error="record")
    assert provider.requests == []


def test_the_message_says_what_to_do():
    said = explain_waiting(2, 3, "m")
    for part in ("results/batches/m/in/", "take_batches", "write_batches", "1 other prompts"):
        assert part in said


# --- config --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slugs", "said"),
    [
        (["gpt"], "asking.batch: found 'gpt'; allowed: gpt-4o, other"),
        (["sim"], "asking.batch: found 'sim'"),
        (["other"], "other is asked through mistral, whose batch files are not known"),
    ],
)
def test_asking_batch_takes_language_models_of_known_providers(slugs, said):
    models = {
        "gpt-4o": {"llm": OPENAI},
        "other": {"llm": "mistral/large"},
        "sim": {"simulated": "random"},
    }
    with pytest.raises(DocumentError, match=said):
        read_config(
            {"seed": 1, "models": models, "asking": {"batch": slugs}}, [], "workflow/schemas"
        )


# --- odd results ---------------------------------------------------------------------------------


def test_a_result_that_counts_no_tokens_has_an_unknown_cost(desk):
    first, *_ = desk.write()
    body = completion("yes")
    del body["usage"]
    desk.put("out.jsonl", openai_line(first, body))
    assert desk.take() == ["taken"]
    reply = desk.kept()["p0"]["reply"]
    assert (reply["text"], reply["prompt_tokens"], reply["cost_usd"]) == ("yes", None, None)


def test_half_a_character_is_kept_as_a_live_call_keeps_it(desk):
    first, *_ = desk.write()
    desk.put("out.jsonl", openai_line(first, completion("\ud800yes")))
    assert desk.take() == ["taken"]
    assert desk.kept()["p0"]["reply"]["text"] == "\ufffdyes"


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": [{}]}, {"choices": "x"}])
def test_a_body_without_a_message_is_to_be_asked_again(desk, body):
    first, *_ = desk.write()
    desk.put("out.jsonl", openai_line(first, body))
    assert desk.take() == ["failed"]
    assert desk.rows[0].reason == "the body holds no choice with a message"
