"""The graph with batches: written, answered, taken in, mixed with live calls; nothing asked twice."""

import json
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from helpers import SMALL_SURVEY, run, write_project
from server import LocalProvider, Response
from test_steer_http import answer, graded, likely, put

from rationale.asking.journal import calls
from rationale.respondents import priced
from rationale.seeds import generator

KEY = {"RATIONALE_TEST_KEY": "marked-1234567890"}
TASTE = priced.Taste(np.array([2, 3]), np.array([0.5, 0.5]), 0.05)
ROUNDS = 12  # three price vectors at the four corners of two statements


def words(prompt):
    """What a steady respondent would say: it follows from the prompt alone."""
    task, draw = priced.understand(prompt), generator("provider", prompt)
    if isinstance(task, priced.Rating):
        return priced.rate(task, TASTE, draw)
    return f"Option {priced.choose(task.options, TASTE, draw) + 1}"


def write_config(folder, base, batch=("one",), llm="openai/one", **asking):
    config = {
        "seed": 3,
        "studies": ["psm"],
        "models": {
            "one": {
                "llm": llm,
                "params": {"temperature": 1, "max_tokens": 32},
                "prices": {"input": 1, "output": 4},
                "key_env": "RATIONALE_TEST_KEY",
                **({"api_base": base} if base else {}),
            }
        },
        "asking": {"block_size": 5, "batch": list(batch), **asking},
        "psm": {
            "survey": "small.yaml",
            "options": 6,
            "null_draws": 99,
            "types": {"draws": 8, "rounds": 3, "chunk": 4},
        },
    }
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (folder / "small.yaml").write_text(yaml.safe_dump(SMALL_SURVEY), encoding="utf-8")


class Service:
    """A provider's batch service at a file's pace: answers whole files, and counts the calls."""

    def __init__(self, folder):
        self.folder = folder / "results/batches/one"
        self.put = Counter()

    def requests(self, name):
        """(custom id, words) of a file that was sent off."""
        path = self.folder / name
        if path.suffix == ".json":
            listed = json.loads(path.read_bytes())["requests"]
            return [
                (one["custom_id"], one["params"]["messages"][-1]["content"][0]["text"])
                for one in listed
            ]
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return [(one["custom_id"], one["body"]["messages"][-1]["content"]) for one in lines]

    def answer(self, name, expired=(), mumbled=()):
        """Put the results of a file into ``in``, in the order opposite to that of the requests."""
        anthropic, rows = name.startswith("anthropic"), []
        for index, (key, prompt) in reversed(list(enumerate(self.requests(name)))):
            if index in expired:
                rows.append(_expired(key, anthropic))
                continue
            self.put[prompt] += 1
            text = "It depends." if index in mumbled else words(prompt)
            rows.append(_succeeded(key, text, anthropic))
        path = self.folder / "in" / f"result-of-{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _expired(key, anthropic):
    if anthropic:
        return {"custom_id": key, "result": {"type": "expired"}}
    error = {"code": "batch_expired", "message": "late"}
    return {"id": f"batch_req_{key}", "custom_id": key, "response": None, "error": error}


def _succeeded(key, text, anthropic):
    if anthropic:
        usage = {"input_tokens": 100, "output_tokens": 2}
        message = {
            **{"id": "msg", "type": "message", "role": "assistant", "stop_reason": "end_turn"},
            **{"model": "one", "content": [{"type": "text", "text": text}], "usage": usage},
        }
        return {"custom_id": key, "result": {"type": "succeeded", "message": message}}
    usage = {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "one-1"}
    body |= {"choices": [choice], "usage": usage}
    return {"id": f"x{key}", "custom_id": key, "response": {"status_code": 200, "body": body}}


def journalled(folder):
    """Every record of the journal."""
    return [call for path in (folder / "results/journal").rglob("*.jsonl") for call in calls(path)]


def batches(folder, target, env=None):
    """A batch target, and what it said."""
    done = run(folder, target, env=env)
    assert done.returncode == 0, done.stdout
    return done.stdout


def prompt_of(call):
    return call["request"]["messages"][-1]["content"]


@pytest.mark.slow
def test_the_open_round_is_written_first_and_its_reply_brings_the_others(tmp_path):
    write_config(tmp_path, None)
    said = batches(tmp_path, "write_batches")
    assert "one: 1 calls" in said
    assert "the constrained rounds follow from the open answer" in said
    Service(tmp_path).answer("openai-0001.jsonl")
    assert "one: 1 taken" in batches(tmp_path, "take_batches")
    assert f"one: {ROUNDS} calls" in batches(tmp_path, "write_batches")


@pytest.mark.slow
def test_no_key_gets_into_a_batch_file_a_log_or_the_journal(tmp_path):
    marked = {"OPENAI_API_KEY": "sk-marked-1234567890", **KEY}
    write_config(tmp_path, None)
    said = batches(tmp_path, "write_batches", marked)
    service = Service(tmp_path)
    service.answer("openai-0001.jsonl")
    strange = {"code": "x", "message": f"your key {marked['OPENAI_API_KEY']} was not sent"}
    ((key, _),) = service.requests("openai-0001.jsonl")
    path = service.folder / "in" / "errors.jsonl"
    path.write_text(json.dumps({"custom_id": key, "response": None, "error": strange}) + "\n")
    said += batches(tmp_path, "take_batches", marked)
    files = [one for one in tmp_path.rglob("*") if one.is_file() and one != path]
    assert "marked" not in said
    assert [one for one in files if b"marked" in one.read_bytes()] == []


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_study_through_batches_alone_without_key_or_network(tmp_path, provider):
    end = {"openai": "jsonl", "anthropic": "json"}[provider]
    write_config(tmp_path, None, llm=f"{provider}/one")
    service = Service(tmp_path)
    assert "one: 1 calls" in batches(tmp_path, "write_batches")

    waiting = run(tmp_path)
    assert waiting.returncode != 0
    assert "1 calls wait for a batch; none of them was made" in waiting.stdout

    service.answer(f"{provider}-0001.{end}")
    assert "one: 1 taken" in batches(tmp_path, "take_batches")
    assert f"one: {ROUNDS} calls" in batches(tmp_path, "write_batches")
    assert f"one: {ROUNDS} calls wait in files written before" in batches(tmp_path, "write_batches")

    service.answer(f"{provider}-0002.{end}", expired=[0, 1], mumbled=[2])
    assert "one: 2 failed, 11 taken" in batches(tmp_path, "take_batches")
    # two that expired, and a second attempt at the one that could not be read
    assert "one: 3 calls" in batches(tmp_path, "write_batches")
    service.answer(f"{provider}-0003.{end}")
    assert "one: 2 failed, 14 taken" in batches(tmp_path, "take_batches")
    assert "nothing is left to ask" in batches(tmp_path, "write_batches")

    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    kept = journalled(tmp_path)
    assert len(kept) == ROUNDS + 2 == sum(service.put.values())
    assert all(call["batch"] for call in kept)
    # (100 x 1 + 2 x 4) / 10^6 US dollars a call, and half of it
    assert {call["reply"]["cost_usd"] for call in kept} == {0.000054}


@pytest.mark.slow
def test_batch_and_live_calls_mix_and_nothing_is_asked_twice(tmp_path):
    mixed, live = tmp_path / "mixed", tmp_path / "live"
    with LocalProvider(lambda request: Response(words(request.words))) as provider:
        write_config(mixed, provider.base, batch_requests=7)
        service = Service(mixed)
        batches(mixed, "write_batches")
        service.answer("openai-0001.jsonl")
        batches(mixed, "take_batches")
        batches(mixed, "write_batches")  # 12 rounds in files of 7 and of 5
        service.answer("openai-0002.jsonl", expired=[3])
        batches(mixed, "take_batches")
        assert provider.requests == []

        # Live from here on. The five of the third file are still open, and are not asked live.
        write_config(mixed, provider.base, batch=(), batch_requests=7)
        stopped = run(mixed, env=KEY)
        assert stopped.returncode != 0
        assert "calls wait for a batch" in stopped.stdout
        assert len(provider.requests) == 1  # the one that expired
        service.answer("openai-0003.jsonl")
        batches(mixed, "take_batches")
        done = run(mixed, env=KEY)
        assert done.returncode == 0, done.stdout
        asked = Counter(request.words for request in provider.requests) + service.put
        assert len(provider.requests) == 1

        write_config(live, provider.base, batch=())
        assert run(live, env=KEY).returncode == 0
    assert len(asked) == ROUNDS + 1
    assert set(asked.values()) == {1}
    assert sorted(map(prompt_of, journalled(mixed))) == sorted(asked)
    assert sorted(map(prompt_of, journalled(mixed))) == sorted(map(prompt_of, journalled(live)))
    for file in ("tables/rationality.csv", "psm/one/listed/choices.parquet"):
        assert (mixed / "results" / file).read_bytes() == (live / "results" / file).read_bytes()


def test_a_target_without_models_says_which_key_to_set(tmp_path):
    write_config(tmp_path, None, batch=())
    done = run(tmp_path, "write_batches")
    assert done.returncode != 0
    assert "List its slug in asking.batch in the config" in done.stdout


def test_params_that_no_batch_carries_end_with_their_names(tmp_path):
    write_config(tmp_path, None)
    config = yaml.safe_load((tmp_path / "config.yaml").read_text())
    config["models"]["one"]["params"]["extra_headers"] = {"x-lab": "ours"}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    done = run(tmp_path, "write_batches")
    assert done.returncode != 0
    assert "models.one: openai/one: a batch carries no headers; remove extra_headers" in done.stdout
    assert not list(tmp_path.rglob("openai-*"))


def write_steer_config(folder):
    """Questions, put plain and in a form that asks for reasons in a turn before each part."""
    model = {"llm": "openai/one", "params": {"max_tokens": 32}, "key_env": "RATIONALE_TEST_KEY"}
    config = {
        "seed": 3,
        "studies": ["steer"],
        "models": {"one": model},
        "asking": {"batch": ["one"]},
        "steer": {"elements": {"sunk-cost": [4]}, "per_cell": 1, "forms": ["plain", "apart"]},
    }
    write_project(folder, config)


def answer_steer(folder, name):
    """Put the results of a file into ``in``; the conversations that were in it."""
    path, seen, rows = folder / "results/batches/one" / name, [], []
    for line in path.read_text().splitlines():
        body, messages = json.loads(line)["body"], json.loads(line)["body"]["messages"]
        reply = answer(SimpleNamespace(model="one", words=messages[-1]["content"], body=body))
        row = _succeeded(json.loads(line)["custom_id"], reply.text, False)
        row["response"]["body"]["choices"][0]["logprobs"] = {"content": reply.logprobs}
        rows.append(row)
        seen.append(messages)
    result = path.parent / "in" / f"result-of-{name}.jsonl"
    result.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return seen


@pytest.mark.slow
def test_conversations_go_through_batches_a_turn_at_a_time(tmp_path):
    """Reasons come in the first of two turns; what the letters' probabilities were is kept."""
    write_steer_config(tmp_path)
    files = []
    while "nothing is left to ask" not in (said := batches(tmp_path, "write_batches")):
        assert ("conversations go on" in said) == (len(files) < 1)
        files.append(answer_steer(tmp_path, f"openai-{len(files) + 1:04d}.jsonl"))
        batches(tmp_path, "take_batches")
    assert [len(file) for file in files] == [3 + 3, 3]
    for talk in files[1]:
        assert talk[-2] == {"role": "assistant", "content": reply_to(talk[-3])}

    done = run(tmp_path, "results/steer/one/graded.parquet")
    assert done.returncode == 0, done.stdout
    for form in ("plain", "apart"):
        for row in graded(tmp_path, "one", form).iter_rows(named=True):
            assert row["status"] == "answered"
            told, _ = likely(put(tmp_path, form)[row["question_id"]][-1])
            assert row["p_options"] == pytest.approx(list(told.values()))


def reply_to(message):
    return answer(SimpleNamespace(model="one", words=message["content"], body={})).text
