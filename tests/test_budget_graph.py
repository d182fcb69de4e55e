"""Budgets through the whole graph over HTTP: the end, the message, and going on."""

import asyncio
import io
import json

import numpy as np
import pytest
from helpers import PLACE, planned, run, simulated, write_project
from server import LocalProvider, Response

from rationale.asking.ask import Stopped
from rationale.asking.estimate import NONE_LEFT, Count, Left, kept_calls
from rationale.asking.job import ask_block
from rationale.asking.journal import calls
from rationale.asking.prices import Prices
from rationale.asking.prompts import Prompt, to_table
from rationale.reporting.cost import Costs, cost_row
from rationale.respondents.base import Call, Passing
from rationale.respondents.llm import LanguageModel

KEY = {"RATIONALE_TEST_KEY": "marked-1234567890"}
PROMPTS = 13


def words(request):
    """An option, or two numbers: whatever the prompt asks for."""
    return "Option 1" if "Option [number]" in request.words else "2, 2"


def write_config(folder, provider, own_usd=None, **asking):
    """Two models of the small survey: a round costs about 0.2 USD and reserves about 0.9."""
    models = {
        slug: {
            "llm": f"openai/{slug}",
            "api_base": provider.base,
            "params": {"max_tokens": 16},
            "prices": {"input": 1000, "output": 1000},
            "key_env": "RATIONALE_TEST_KEY",
        }
        for slug in ("one", "two")
    }
    if own_usd is not None:
        models["one"]["limits"] = {"max_usd": own_usd}
    config = simulated(**models)
    config["asking"] = {"block_size": 4, "concurrency": 4, **asking}
    write_project(folder, config)


def paid(folder):
    """US dollars in the journal, and the number of replies, by model."""
    found = {}
    for file in (folder / "results/journal").glob("*/*.jsonl"):
        for call in calls(file):
            usd, count = found.get(call["model"], (0.0, 0))
            found[call["model"]] = (usd + call["reply"]["cost_usd"], count + 1)
    return found


def unsure(response, timeout_s=5.0):
    """Whether a failed call may have been billed."""
    with LocalProvider(lambda request: response) as provider:
        spec = {"llm": "openai/one", "api_base": provider.base, "unsupported": "refuse"}
        model = LanguageModel(spec, timeout_s, 1)
        messages = ({"role": "user", "content": "hello"},)
        call = Call(model.asked.model, provider.base, model.asked.params, messages, 0, 1)

        async def once():
            try:
                await model.reply(call)
            finally:
                await model.close()

        with pytest.raises(Passing) as error:
            asyncio.run(once())
    return error.value.unsure


def test_a_time_out_may_have_been_billed_and_a_refusal_is_not():
    assert unsure(Response("late", wait_s=3), timeout_s=0.2)
    assert not unsure(Response(status=503))
    assert not unsure(Response(status=429))


def block(folder, provider, count, max_usd):
    """Ask a block of prompts: 1 USD a thousand tokens in and 10 out, 1.15 USD reserved a call.

    "word 7" is at most 150 tokens in (6 bytes, 16 a message, 128 a call) and 100 out.
    """
    spec = {
        "llm": "openai/one",
        "api_base": provider.base,
        "params": {"max_tokens": 100},
        "prices": {"input": 1000, "output": 10_000},
        "limits": {"max_usd": max_usd},
        "unsupported": "refuse",
    }
    settings = {
        "attempts": 1,
        "concurrency": 4,
        "timeout_s": 20,
        "tries": 3,
        "max_wait_s": 20,
        "on_error": "record",
        "min_free_mb": 1,
    }
    todo = to_table([Prompt(f"r{n:03d}", (f"word {n}",)) for n in range(count)])
    return asyncio.run(
        ask_block(todo, PLACE, spec, 0, settings, folder, lambda reply, texts: Read, io.StringIO())
    )


class Read:
    status = "answered"


def test_a_job_that_reaches_its_budget_says_what_is_left_and_keeps_what_it_has(tmp_path):
    """50 tokens in and 1 out are 0.06 USD."""
    usage = {"prompt_tokens": 50, "completion_tokens": 1}
    with LocalProvider(lambda request: Response("Option 1", usage=usage)) as provider:
        with pytest.raises(Stopped) as stopped:
            block(tmp_path, provider, 60, 2.5)
        asked = len(provider.requests)
        done = block(tmp_path, provider, 60, 9)
    assert len(done) == len(provider.requests) == 60
    assert f"prompts left undone: {60 - asked} of 60" in str(stopped.value)
    assert 2.5 - 1.16 <= asked * 0.06 <= 2.5


def uncounted(request):
    """A reply as a provider sends it that counts no tokens."""
    choice = {"message": {"role": "assistant", "content": "Option 1"}, "finish_reason": "stop"}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "one"}
    return Response(raw=json.dumps({**body, "choices": [{"index": 0, **choice}]}).encode())


def test_replies_without_a_count_of_tokens_are_paid_at_all_that_was_set_aside(tmp_path):
    """Two calls of 1.150 USD fit 2.5, in the job that makes them and in the next one alike."""
    with LocalProvider(uncounted) as provider:
        for _ in range(2):
            with pytest.raises(Stopped, match=r"2\.3000 USD are spent"):
                block(tmp_path, provider, 60, 2.5)
        assert len(provider.requests) == 2
        done = block(tmp_path, provider, 4, 6)
    assert done["cost_usd"].to_list() == done["prompt_tokens"].to_list() == [None] * 4
    assert len(provider.requests) == 4


def test_replies_without_a_count_of_tokens_leave_what_is_spent_unknown(tmp_path):
    with LocalProvider(uncounted) as provider:
        block(tmp_path, provider, 3, 6)
    (file,) = tmp_path.glob("*/*.jsonl")
    kept = kept_calls(tmp_path, file.name.split("-")[0])
    none = Left(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    count = Count(3, 3, list(kept.values()), none)
    costs = Costs([count], NONE_LEFT, NONE_LEFT, "words and max_tokens")
    row = cost_row("one", "psm", "llm", costs, Prices(1000, 10_000, "config"))
    assert (row["paid_calls"], row["spent_known_calls"], row["spent_usd"]) == (3, 0, None)


@pytest.mark.slow
def test_a_model_stops_at_its_budget_another_goes_on_and_raising_it_finishes(tmp_path):
    with LocalProvider(lambda request: Response(words(request), wait_s=0.02)) as provider:
        write_config(tmp_path, provider, own_usd=1.5)
        stopped = run(tmp_path, env=KEY)
        first, requests = paid(tmp_path), len(provider.requests)
        again = run(tmp_path, env=KEY)
        unchanged = len(provider.requests)
        write_config(tmp_path, provider, own_usd=50)
        done = run(tmp_path, env=KEY)
    write_config(tmp_path, provider, own_usd=60, max_usd=90)
    assert planned(tmp_path).jobs == {}
    print(stopped.stdout)
    assert stopped.returncode != 0
    assert again.returncode != 0
    assert 0.6 <= first["one"][0] <= 1.5
    assert first["two"][1] == PROMPTS
    assert requests == unchanged == first["one"][1] + PROMPTS
    said = "the budget is reached: models.one.limits.max_usd allows 1.5 USD"
    assert said in stopped.stdout
    assert "Traceback" not in stopped.stdout
    assert stopped.stdout.count("Stopped because a budget is reached:") == 1
    assert "To go on, raise models.one.limits.max_usd and run again" in stopped.stdout
    assert done.returncode == 0, done.stdout
    assert len(provider.requests) == 2 * PROMPTS
    assert set(provider.answered.values()) == {1}


@pytest.mark.slow
def test_the_run_stops_at_its_budget_over_all_models(tmp_path):
    with LocalProvider(lambda request: Response(words(request), wait_s=0.02)) as provider:
        write_config(tmp_path, provider, max_usd=3)
        stopped = run(tmp_path, env=KEY, cores=4)
        usd = sum(spent for spent, _ in paid(tmp_path).values())
        write_config(tmp_path, provider)
        done = run(tmp_path, env=KEY)
    print(stopped.stdout)
    assert stopped.returncode != 0
    assert 2 <= usd <= 3
    assert "asking.max_usd allows 3 USD" in stopped.stdout
    assert done.returncode == 0, done.stdout
    assert set(provider.answered.values()) == {1}
    assert len(provider.requests) == 2 * PROMPTS
