"""The whole graph over real HTTP: faults, kill -9, and what it costs in calls."""

import hashlib
import os
import signal
import subprocess
import time
from collections import Counter

import polars as pl
import pytest
import yaml
from helpers import command, run
from server import LocalProvider, Response

from rationale.asking.journal import calls
from rationale.respondents import priced
from rationale.seeds import generator

IDEALS = {"one": [2.2, 1.4, 3.1, 3.6, 1.8], "two": [4, 1, 2, 4, 1]}


def words(request, names):
    """What a steady respondent would say: its words follow from the prompt alone."""
    task, draw = (
        priced.understand(request.words),
        generator("provider", request.model, request.words),
    )
    taste = priced.Taste(*map(priced.np.array, (IDEALS[names[request.model]], [0.2] * 5)), 0.05)
    if isinstance(task, priced.Rating):
        return priced.rate(task, taste, draw)
    return f"Option {priced.choose(task.options, taste, draw) + 1}"


def chance(*names):
    """A number in [0, 1) that follows from names."""
    return int(hashlib.sha256(repr(names).encode()).hexdigest()[:8], 16) / 2**32


def faulty(names, seen):
    """5 % of requests end in 429 or 500; 3 % of first replies cannot be read."""

    def script(request):
        trouble = chance("fault", request.number)
        if trouble < 0.05:
            wait = {"retry-after": "0"} if trouble < 0.02 else {}
            return Response(status=429 if trouble < 0.04 else 500, headers=wait)
        seen[request.digest] += 1
        if chance("mumble", request.digest, seen[request.digest]) < 0.03:
            return Response("It depends: Option 3 or Option 8.")
        return Response(words(request, names), wait_s=0.005)

    return script


def write_config(folder, provider, models, forms=("listed",), block_size=160, **asking):
    config = {
        "seed": 3,
        "studies": ["psm"],
        "models": {
            name: {
                "llm": f"openai/{name}",
                "api_base": provider.base,
                "params": {"temperature": 1, "max_tokens": 32},
                "prices": {"input": 1, "output": 4},
                "key_env": "RATIONALE_TEST_KEY",
            }
            for name in models
        },
        "asking": {"block_size": block_size, "concurrency": 8, **asking},
        "psm": {"forms": list(forms), "null_draws": 199},
    }
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


def journalled(folder):
    """(model, words) of every call in the journal."""
    return [
        (call["request"]["model"].split("/")[1], call["request"]["messages"][-1]["content"])
        for path in (folder / "results/journal").rglob("*.jsonl")
        for call in calls(path)
    ]


TABLE = "results/tables/rationality.csv"
KEY = {"RATIONALE_TEST_KEY": "marked-1234567890"}


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A run that was killed with -9 while asking, and run again to its end."""
    folder = tmp_path_factory.mktemp("http") / "killed"
    names = {name: name for name in IDEALS}
    script = lambda request: Response(words(request, names), wait_s=0.03)  # noqa: E731
    with LocalProvider(script) as provider:
        write_config(folder, provider, ["one"], concurrency=4)
        victim = subprocess.Popen(
            command(folder, TABLE),
            cwd=folder,
            env={**os.environ, **KEY},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 120
        while sum(provider.answered.values()) < 60 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait(20)
        kept, before = journalled(folder), len(provider.requests)
        assert run(folder, "--unlock").returncode == 0
        done = run(folder, TABLE, env=KEY)
        asked = [(request.model, request.words) for request in provider.requests[before:]]
    assert done.returncode == 0, done.stdout
    return folder, kept, asked


def test_after_kill_9_no_answered_call_is_asked_again(killed):
    folder, kept, asked = killed
    assert 40 <= len(kept) < 161
    assert set(asked) & set(kept) == set()
    assert len(asked) == 161 - len(kept)
    assert len(journalled(folder)) == len(set(journalled(folder))) == 161


@pytest.mark.slow
def test_with_a_full_journal_neither_key_nor_network_is_needed(killed):
    folder, _, _ = killed
    table = (folder / "results/tables/rationality.csv").read_bytes()
    again = run(folder, "--forceall")
    assert again.returncode == 0, again.stdout
    assert (folder / "results/tables/rationality.csv").read_bytes() == table


def test_no_file_holds_the_key(killed):
    folder, _, _ = killed
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if KEY["RATIONALE_TEST_KEY"].encode() in path.read_bytes()] == []


@pytest.mark.slow
def test_the_tables_after_kill_9_are_those_of_an_undisturbed_run(killed):
    folder, _, _ = killed
    whole = folder.parent / "whole"
    names = {name: name for name in IDEALS}
    with LocalProvider(lambda request: Response(words(request, names))) as provider:
        write_config(whole, provider, ["one"])
        done = run(whole, TABLE, env=KEY)
    assert done.returncode == 0, done.stdout
    for file in ("tables/rationality.csv", "psm/one/listed/choices.parquet"):
        assert (folder / "results" / file).read_bytes() == (whole / "results" / file).read_bytes()


def test_a_missing_key_is_named_before_any_call(tmp_path):
    with LocalProvider(lambda request: Response("yes")) as provider:
        write_config(tmp_path, provider, ["one"])
        done = run(tmp_path)
    assert done.returncode != 0
    expected = "models.one: no key for openai/one in the environment; set RATIONALE_TEST_KEY"
    assert expected in done.stdout
    assert provider.requests == []


def test_a_wrong_model_name_ends_with_a_message_and_few_calls(tmp_path):
    with LocalProvider(lambda r: Response(status=404, message="no such model")) as provider:
        write_config(tmp_path, provider, ["one"])
        done = run(tmp_path, env=KEY)
    assert done.returncode != 0
    assert "no such model" in done.stdout
    assert len(provider.requests) == 1


@pytest.mark.slow
def test_two_models_and_all_forms_with_faults_account_for_every_round(tmp_path):
    names, seen = {name: name for name in IDEALS}, Counter()
    forms = ["listed", "shuffled", "reworded", "repeat"]
    with LocalProvider(faulty(names, seen)) as provider:
        write_config(tmp_path, provider, ["one", "two"], forms)
        done = run(tmp_path, env=KEY)
    assert done.returncode == 0, done.stdout
    faults = sum(chance("fault", r.number) < 0.05 for r in provider.requests)
    assert faults > 30
    for name in names:
        for form in forms:
            choices = pl.read_parquet(tmp_path / f"results/psm/{name}/{form}/choices.parquet")
            assert choices["round"].to_list() == list(range(161))
            assert set(choices["status"]) <= {"answered", "invalid"}
    table = pl.read_csv(tmp_path / "results/tables/rationality.csv")
    assert len(table) == 8
    assert (table["rounds"] + table["missing"]).to_list() == [160] * 8
    assert table["error"].sum() == 0
    replies = len(journalled(tmp_path))
    assert replies == sum(provider.answered.values()) == len(provider.requests) - faults
    print(f"\n{len(provider.requests)} requests, {faults} failed, {replies} replies kept")
