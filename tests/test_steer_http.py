"""STEER over real HTTP: kill -9, conversations, examples that must fit, and who tells probabilities."""

import hashlib
import math
import os
import re
import subprocess
import time
from collections import Counter

import polars as pl
import pytest
import yaml
from helpers import command, kill_tree, run
from server import LocalProvider, Response

from rationale.asking.journal import calls

pytest.importorskip("litellm")
ELEMENTS = {
    "sunk-cost": [4],
    "transitivity": [1, 3],
    "addition-subtraction": [0],
    "independence": [2],
}
FORMS = ["plain", "together", "apart", "shots-2"]
KEY = {"RATIONALE_TEST_KEY": "marked-1234567890", "NO_PROXY": "127.0.0.1"}
REASONS = ("A", " careful", " look", " favours", " one", " option", ".")
ROOM = 300  # tokens


def model(provider, llm, **more):
    return {
        "llm": llm,
        "api_base": provider.base,
        "params": {"max_tokens": 32},
        "prices": {"input": 1, "output": 4},
        "key_env": "RATIONALE_TEST_KEY",
        "limits": {"concurrency": 4},
        **more,
    }


def write_config(folder, models, forms=FORMS, **section):
    config = {
        "seed": 3,
        "studies": ["steer"],
        "models": models,
        "steer": {
            "elements": ELEMENTS,
            "per_cell": 3,
            "forms": list(forms),
            "bootstrap": 99,
            **section,
        },
    }
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def likely(words):
    """How likely each of the lettered options is said to be, and the letter that is said."""
    words = words.rpartition("Now comes your question.")[2]
    digest = hashlib.sha256(words.encode()).digest()
    letters = re.findall(r"^([A-Z])\. ", words, re.MULTILINE)
    weights = [1 + digest[n] for n in range(len(letters))]
    told = {letter: 0.9 * one / sum(weights) for letter, one in zip(letters, weights, strict=True)}
    return told, letters[digest[-1] % len(letters)]


def tokens(request):
    """A reply as tokens: reasons, then the letter, which alone is told with others."""
    if "Think this through" in request.words:
        return [*REASONS, " ", hashlib.sha256(request.words.encode()).hexdigest()[:6]], None
    told, letter = likely(request.words)
    if "First explain" in request.words:
        return [*REASONS, "\n\n", "Answer", ":", f" {letter}", ".\n", "A", " careful", " one"], told
    return [letter], told


def logprob(token, told):
    """A token that is sure, or a letter with what else might stand there."""
    dress = " " if token.startswith(" ") else ""
    tops = {f"{dress}{letter}": p for letter, p in (told or {}).items()}
    if token not in tops or not token.strip().isupper():
        tops = {token: 1.0}
    listed = [{"token": name, "logprob": math.log(p)} for name, p in tops.items()]
    return {"token": token, "logprob": math.log(tops[token]), "top_logprobs": listed}


def answer(request):
    """A reply; log-probabilities for who asks for them, but never of the model `silent`."""
    pieces, told = tokens(request)
    asked = request.body.get("logprobs") and request.model != "silent"
    scored = [logprob(token, told) for token in pieces] if asked else None
    return Response("".join(pieces), logprobs=scored, wait_s=0.02)


def graded(folder, model, form):
    table = pl.read_parquet(folder / f"results/steer/{model}/graded.parquet")
    return table.filter(pl.col("form") == form)


def put(folder, form):
    """The turns of each question as they are put."""
    files = (folder / f"results/steer/prompts/{form}").glob("*[!s].parquet")
    tables = [pl.read_parquet(path) for path in files]
    return dict(pl.concat(tables).select("prompt_id", "turns").iter_rows())


def journalled(folder):
    """The key and the request of every call in the journal."""
    return [call for path in (folder / "results/journal").rglob("*.jsonl") for call in calls(path)]


def body(request):
    return request.model, str(request.messages)


def start(folder, *targets):
    return subprocess.Popen(
        command(folder, *targets),
        cwd=folder,
        env={**os.environ, **KEY},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class Asked:
    """What a finished run leaves: its folder, and the requests before and after a kill."""

    def __init__(self, folder, requests, before, kept):
        self.folder, self.requests = folder, requests
        self.first, self.second, self.kept = requests[:before], requests[before:], kept

    def of(self, model):
        return [request for request in self.requests if request.model == model]


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Three models in four forms, killed with -9 while they are asked, and run again."""
    folder = tmp_path_factory.mktemp("steer-http")
    with LocalProvider(answer) as provider:
        models = {
            "gpt": model(provider, "openai/gpt"),
            "silent": model(provider, "openai/silent", context_tokens=ROOM),
            "mistral": model(provider, "mistral/mistral-small"),
        }
        write_config(folder, models)
        targets = ["--", *(f"results/steer/{name}/graded.parquet" for name in models)]
        victim = start(folder, *targets)
        while sum(provider.finished.values()) < 60 and victim.poll() is None:
            time.sleep(0.02)
        kill_tree(victim)
        kept, before = journalled(folder), len(provider.requests)
        assert run(folder, "--unlock").returncode == 0
        done = run(folder, *targets, env=KEY)
        assert done.returncode == 0, done.stdout
        requests = list(provider.requests)
    return Asked(folder, requests, before, kept)


pytestmark = pytest.mark.slow


def test_after_kill_9_nothing_that_was_kept_is_asked_again(asked):
    kept = {
        (c["request"]["model"].split("/")[1], str(c["request"]["messages"])) for c in asked.kept
    }
    assert len(kept) >= 50
    assert kept & set(map(body, asked.second)) == set()
    lost = {body(request) for request in asked.first} - kept
    twice = [one for one, number in Counter(map(body, asked.requests)).items() if number > 1]
    assert set(twice) <= lost


def test_every_question_is_answered_in_every_form(asked):
    for name in ("gpt", "silent", "mistral"):
        for form in FORMS:
            assert set(graded(asked.folder, name, form)["status"]) == {"answered"}, (name, form)


def test_every_call_is_at_temperature_0_and_asks_for_log_probabilities(asked):
    sent = [request.body for request in asked.of("gpt")]
    assert {one["temperature"] for one in sent} == {0}
    assert {(one["logprobs"], one["top_logprobs"]) for one in sent} == {(True, 5)}


@pytest.mark.parametrize("form", FORMS)
def test_the_probabilities_that_arrive_are_those_that_were_told(asked, form):
    """A word 'A' stands in the reasons, and another behind the answer: neither is taken for it."""
    turns, rows = put(asked.folder, form), graded(asked.folder, "gpt", form).to_dicts()
    single = [row for row in rows if len(row["chosen"]) == 1]
    assert len(single) >= 20
    for row in single:
        told, letter = likely(turns[row["question_id"]][-1])
        assert row["p_options"] == pytest.approx(list(told.values()), abs=1e-9)
        assert row["chosen"] == ["ABCDEFGH".index(letter) + 1]
    assert all(row["p_options"] is None for row in rows if len(row["chosen"]) > 1)


def test_a_second_turn_carries_the_first_reply(asked):
    talks = [r.messages for r in asked.of("gpt") if r.words.startswith("These are the options.")]
    assert len(talks) == sum(len(turns) // 2 for turns in put(asked.folder, "apart").values())
    for messages in talks:
        for question, reply in zip(messages[:-1:2], messages[1::2], strict=True):
            assert (question["role"], reply["role"]) == ("user", "assistant")
            mark = hashlib.sha256(question["content"].encode()).hexdigest()[:6]
            assert mark in reply["content"] or re.fullmatch("[A-H]", reply["content"])


def test_the_texts_of_all_turns_are_kept(asked):
    for row in graded(asked.folder, "gpt", "apart").iter_rows(named=True):
        assert len(row["texts"]) == 2 * len(row["chosen"])


def test_examples_are_left_out_where_the_context_is_full(asked):
    whole, small = (graded(asked.folder, name, "shots-2") for name in ("gpt", "silent"))
    assert set(whole["shots"]) == {2}
    assert set(small["shots"]) != {2}
    for row in small.iter_rows(named=True):
        assert row["wanted"] == 2
    for turns, shots in zip(
        put(asked.folder, f"shots-2.{ROOM}").values(), small["shots"], strict=True
    ):
        assert shots == 0 or len("".join(turns)) <= 3 * ROOM


def test_who_tells_no_probabilities_has_none(asked):
    for name in ("silent", "mistral"):
        for form in FORMS:
            rows = graded(asked.folder, name, form)
            assert (rows["p_options"].null_count(), rows["key"].null_count()) == (len(rows),) * 2


def test_parameters_that_a_model_does_not_take_are_left_out_and_noted(asked):
    """litellm knows of no log-probabilities of Mistral's."""
    for request in asked.of("mistral-small"):
        assert request.body["temperature"] == 0
        assert {"logprobs", "top_logprobs"}.isdisjoint(request.body)
    files = (asked.folder / "results/steer/mistral").rglob("answers/*.parquet")
    dropped = {row for path in files for row in pl.read_parquet(path)["params_dropped"]}
    assert dropped == {'{"logprobs":true,"top_logprobs":5}'}


def test_the_table_of_replies_and_the_check_know_every_model_and_form(asked):
    done = run(asked.folder, "check", env=KEY)
    assert done.returncode == 0, done.stdout
    assert f"{3 * len(FORMS)} respondents x forms checked" in done.stdout
    rows = pl.read_csv(asked.folder / "results/tables/replies.csv")
    assert set(rows.select("study", "prompts", "answered", "attempts").rows()) == {
        ("steer", 45, 45, 45)
    }
    dropped = dict(rows.select("model", "params_dropped").iter_rows())
    assert dropped == {
        "gpt": "{}",
        "silent": "{}",
        "mistral": '{"logprobs":true,"top_logprobs":5}',
    }
