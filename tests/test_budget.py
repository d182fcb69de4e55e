"""Budgets: reserved before a call, settled after it, never exceeded, whoever dies meanwhile."""

import asyncio
import io
import multiprocessing
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from helpers import PLACE, ROOT, Scripted, reads_yes
from hypothesis import given, settings
from hypothesis import strategies as st

from rationale.asking.ask import Asking
from rationale.asking.budget import (
    Reached,
    allowances,
    budget_of,
    explain,
    explain_stops,
    forget_stops,
    most,
)
from rationale.asking.journal import Journal, calls
from rationale.asking.ledger import FOLDER, Allowance, Books, Ledger, Short
from rationale.asking.limits import Limits
from rationale.asking.patience import Patience
from rationale.asking.prices import Prices
from rationale.asking.progress import Progress
from rationale.asking.prompts import Prompt
from rationale.config import identity_of, read_config
from rationale.respondents.base import Asked, Denied, Filtered, Passing, Reply
from rationale.schema import DocumentError
from rationale.surveys.psm.forms import read_form, round_prompt
from rationale.surveys.psm.survey import read_survey

# A reply of 100 tokens at most, a cent a token: a call reserves 1 USD.
MODEL = "test/model"
SPEC = {"llm": MODEL, "prices": {"input": 0, "output": 10_000}}
PARAMS = {"max_tokens": 100}
ME = identity_of(MODEL, None)


def spec(max_usd=None, **keys):
    return {**SPEC, **({} if max_usd is None else {"limits": {"max_usd": max_usd}}), **keys}


def priced(script, asked=None):
    """A paid respondent by script, its replies limited to 100 tokens."""
    respondent = Scripted(script)
    respondent.asked = Asked(MODEL, None, PARAMS) if asked is None else asked
    return respondent


def costing(usd):
    return priced(lambda call: Reply("yes", cost_usd=usd))


def prompts(count, head=""):
    return [Prompt(f"r{n:03d}", (f"{head}{n}",)) for n in range(count)]


def job(folder, respondent, own, run_usd=None, models=None, slug="someone", **settings):
    """An `Asking` with the budget of a model, on a journal in a folder."""
    journal = Journal(folder, slug, identity_of(own["llm"], own.get("api_base")))
    budget = budget_of(slug, own, run_usd, models or {}, journal)
    progress = Progress(1, "test", io.StringIO())
    return Asking(respondent, journal, reads_yes, progress, PLACE, budget=budget, **settings)


def ask(folder, respondent, own, todo, **settings):
    """The answers, and everything closed again."""
    asking = job(folder, respondent, own, **settings)
    try:
        return asyncio.run(asking.ask(todo))
    finally:
        asking.journal.close()
        if asking.budget is not None:
            asking.budget.close()


def paid(folder):
    return sum(
        call["reply"]["cost_usd"] for file in folder.glob("*/*.jsonl") for call in calls(file)
    )


def ledger(folder, max_usd, closed=0.0, name="a", file="a.jsonl"):
    allowance = Allowance(name, "somewhere", max_usd, frozenset([ME]))
    return Ledger(folder, [allowance], lambda identities, besides: closed, file)


def test_the_most_that_a_call_costs():
    """4 bytes + 16 + 128 tokens in at 1 USD, 100 out at 4 USD a million: (148 + 400) / 1e6."""
    prices = Prices(1, 4, "config")
    assert most([{"content": "four"}], PARAMS, prices) == pytest.approx(548e-6)


def test_letters_beyond_ascii_count_by_their_bytes():
    prices = Prices(1e6, 0, "config")
    one, other = (most([{"content": text}], PARAMS, prices) for text in ("ab", "äé"))
    assert other - one == 2


def test_a_limit_in_the_extra_body_counts_too():
    prices = Prices(0, 1e6, "config")
    assert most([], {"max_tokens": 5, "extra_body": {"max_tokens": 9}}, prices) == 9


def test_without_a_limit_on_the_reply_no_budget_can_be_kept():
    with pytest.raises(Denied, match=r"set params\.max_tokens"):
        most([], {"max_tokens": None}, Prices(1, 1, "config"))


def test_without_max_usd_there_is_no_budget(tmp_path):
    journal = Journal(tmp_path, "someone", ME)
    assert budget_of("someone", spec(), None, {"other": spec(5, llm="test/other")}, journal) is None
    assert budget_of("someone", {"simulated": "random"}, 5, {}, journal) is None
    assert not (tmp_path / FOLDER).exists()


def test_what_is_reserved_cannot_be_spent_by_another(tmp_path):
    one, other = ledger(tmp_path, 10, file="1"), ledger(tmp_path, 10, file="2")
    assert one.reserve(6) is None
    short = other.reserve(5)
    assert (short.paid, short.reserved) == (0, 6)
    one.settle(6, paid=1.5)
    assert other.reserve(8.5) is None
    assert one.reserve(0.1).paid == 1.5


def test_the_whole_amount_can_be_spent(tmp_path):
    one = ledger(tmp_path, 0.3)
    for _ in range(3):
        assert one.reserve(0.1) is None
        one.settle(0.1, paid=0.0999)
    assert one.reserve(0.1) is not None


def test_what_a_finished_process_paid_stays(tmp_path):
    one, other = ledger(tmp_path, 10), ledger(tmp_path, 10)
    one.reserve(5)
    one.settle(5, paid=4)
    one.close()
    assert other.reserve(7).paid == 4


def test_what_the_journal_holds_counts_from_the_start(tmp_path):
    assert ledger(tmp_path, 10, closed=9.5).reserve(1).paid == 9.5


def test_a_row_is_free_again_after_its_process(tmp_path):
    for _ in range(3):
        ledger(tmp_path, 10).close()
    assert [path.name for path in tmp_path.glob("slot-*")] == ["slot-0000"]


DIE = """
import sys, time
from pathlib import Path
from rationale.asking.ledger import Allowance, Ledger
allowance = Allowance("a", "somewhere", 10, frozenset([sys.argv[2]]))
one = Ledger(Path(sys.argv[1]), [allowance], lambda identities, besides: 0.0, "theirs")
one.reserve(9)
print("reserved", flush=True)
time.sleep(60)
"""


def test_kill_9_frees_what_was_reserved(tmp_path):
    """The dead process's file is then read: here it had paid 2."""
    other = subprocess.Popen(
        [sys.executable, "-c", DIE, str(tmp_path), ME], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "reserved\n"
    allowance = Allowance("a", "somewhere", 10, frozenset([ME]))
    journal = {"theirs": 2.0, "mine": 0.0}

    def count(identities, besides):
        return sum(usd for file, usd in journal.items() if file not in besides)

    one = Ledger(tmp_path, [allowance], count, "mine")
    assert one.reserve(5).reserved == 9
    other.kill()
    other.wait(10)
    other.stdout.close()
    one.release_dead()
    assert one.reserve(9).paid == 2
    assert one.reserve(8) is None


def test_entries_that_ask_the_same_model_share_what_is_spent():
    models = {"hot": spec(5), "cold": spec(), "else": spec(llm="test/other")}
    (hot,), (cold,) = (allowances(slug, None, models) for slug in ("hot", "cold"))
    assert (hot.name, hot.max_usd, cold.name, cold.max_usd) == (ME, 5, ME, float("inf"))
    assert allowances("else", None, models) == []


def test_the_run_counts_every_model():
    models = {"one": spec(), "two": spec(5, llm="test/other")}
    (run,) = allowances("one", 7, models)
    assert (run.setting, run.max_usd, len(run.identities)) == ("asking.max_usd", 7, 2)
    assert [one.setting for one in allowances("two", 7, models)] == [
        "models.two.limits.max_usd",
        "asking.max_usd",
    ]


def test_asking_ends_when_the_next_call_may_not_fit(tmp_path):
    """1 USD is reserved a call and 0.3 paid: after 2.1 there is 0.9 left of 3."""
    respondent = costing(0.3)
    with pytest.raises(Reached) as reached:
        ask(tmp_path, respondent, spec(3), prompts(50), concurrency=1)
    assert len(respondent.calls) == 7
    assert paid(tmp_path) == pytest.approx(2.1)
    assert str(reached.value) == (
        "the budget is reached: models.someone.limits.max_usd allows 3 USD, 2.1000 USD are spent, "
        "and the next call may cost up to 1.0000 USD"
    )


def test_calls_in_flight_are_waited_for_before_asking_ends(tmp_path):
    """Eight at once reserve 8 of 3: all the same seven calls are made."""
    respondent = costing(0.3)
    with pytest.raises(Reached):
        ask(tmp_path, respondent, spec(3), prompts(50), concurrency=8)
    assert len(respondent.calls) == 7
    assert paid(tmp_path) == pytest.approx(2.1)


def test_after_raising_it_the_rest_is_asked_and_nothing_twice(tmp_path):
    first, second = costing(0.3), costing(0.3)
    with pytest.raises(Reached):
        ask(tmp_path, first, spec(3), prompts(20))
    assert len(ask(tmp_path, second, spec(30), prompts(20))) == 20
    assert len(first.calls) + len(second.calls) == 20


def test_earlier_runs_count_and_an_unchanged_amount_asks_nothing_more(tmp_path):
    with pytest.raises(Reached):
        ask(tmp_path, costing(0.3), spec(3), prompts(20))
    again = costing(0.3)
    with pytest.raises(Reached):
        ask(tmp_path, again, spec(3), prompts(20))
    assert again.calls == []


def test_the_ledger_can_be_deleted(tmp_path):
    with pytest.raises(Reached):
        ask(tmp_path, costing(0.3), spec(3), prompts(20))
    shutil.rmtree(tmp_path / FOLDER)
    again = costing(0.3)
    with pytest.raises(Reached) as reached:
        ask(tmp_path, again, spec(3), prompts(20))
    assert again.calls == []
    assert reached.value.short.paid == pytest.approx(2.1)


def test_a_ledger_that_was_written_over_is_made_anew(tmp_path):
    ask(tmp_path, costing(0.5), spec(3), prompts(4))
    (tmp_path / FOLDER / f"{ME}.account").write_bytes(b"not a table")
    with pytest.raises(Reached) as reached:
        ask(tmp_path, costing(0.5), spec(3), prompts(20))
    assert reached.value.short.paid == pytest.approx(2.5)


def test_what_was_paid_under_another_slug_counts(tmp_path):
    ask(tmp_path, costing(0.5), spec(), prompts(4), slug="before")
    with pytest.raises(Reached) as reached:
        ask(tmp_path, costing(0.5), spec(2.4), prompts(4, "other"), slug="after")
    assert reached.value.short.paid == pytest.approx(2)


def test_the_run_stops_a_model_for_what_another_paid(tmp_path):
    models = {"one": spec(), "two": spec(llm="test/other")}
    ask(tmp_path, costing(0.5), models["one"], prompts(4), slug="one", models=models, run_usd=2.5)
    other = priced(lambda call: Reply("yes", cost_usd=0.5), Asked("test/other", None, PARAMS))
    with pytest.raises(Reached, match=r"asking\.max_usd allows 2\.5 USD, 2\.0000 USD are spent"):
        ask(tmp_path, other, models["two"], prompts(4), slug="two", models=models, run_usd=2.5)
    assert other.calls == []


def test_a_model_with_budget_left_goes_on_beside_one_without(tmp_path):
    models = {"one": spec(1), "two": spec(9, llm="test/other")}
    with pytest.raises(Reached):
        ask(tmp_path, costing(0.5), models["one"], prompts(4), slug="one", models=models)
    other = priced(lambda call: Reply("yes", cost_usd=0.5), Asked("test/other", None, PARAMS))
    assert len(ask(tmp_path, other, models["two"], prompts(4), slug="two", models=models)) == 4


def test_every_try_reserves_and_a_refused_one_is_free(tmp_path, no_wait):
    def script(call):
        return (
            Passing("busy", busy=True) if len(respondent.calls) % 2 else Reply("yes", cost_usd=0.5)
        )

    respondent = priced(script)
    assert len(ask(tmp_path, respondent, spec(2.5), prompts(4), concurrency=1)) == 4
    assert len(respondent.calls) == 8


def test_a_filtered_call_is_free(tmp_path):
    answers = ask(tmp_path, priced(lambda call: Filtered("no")), spec(1), prompts(5))
    assert {answer.status for answer in answers} == {"refused"}
    assert len(ask(tmp_path, costing(0.1), spec(1), prompts(1, "other"))) == 1


def test_a_call_that_may_have_been_billed_counts_until_the_job_ends(tmp_path, no_wait):
    """Two time-outs of up to 1 USD leave nothing of 2; the next job knows the journal alone."""
    lost = priced(lambda call: Passing("no reply within 1 s", unsure=True))
    with pytest.raises(Reached):
        ask(tmp_path, lost, spec(2), prompts(1), patience=Patience(tries=8))
    assert len(lost.calls) == 2
    assert len(ask(tmp_path, costing(0.1), spec(2), prompts(1))) == 1


def test_a_reply_that_does_not_say_its_cost_is_counted_by_its_tokens(tmp_path):
    """50 tokens are 0.5 USD: the same during the job and when the journal is read again."""
    respondent = priced(lambda call: Reply("yes", prompt_tokens=7, completion_tokens=50))
    with pytest.raises(Reached) as first:
        ask(tmp_path, respondent, spec(2), prompts(9), concurrency=1)
    with pytest.raises(Reached) as again:
        ask(tmp_path, respondent, spec(2), prompts(9), concurrency=1)
    assert first.value.short.paid == again.value.short.paid == 1.5


def test_a_reply_without_cost_and_tokens_is_counted_as_reserved(tmp_path):
    respondent = priced(lambda call: Reply("yes"))
    with pytest.raises(Reached) as reached:
        ask(tmp_path, respondent, spec(2.5), prompts(9), concurrency=1)
    assert reached.value.short.paid == 2


def test_a_provider_that_bills_more_than_it_should_is_reserved_more_for(tmp_path):
    """The first call costs 2 where 1 was reserved: from then on 2 are."""
    respondent = costing(2)
    with pytest.raises(Reached):
        ask(tmp_path, respondent, spec(5), prompts(9), concurrency=1)
    assert len(respondent.calls) == 2


def test_unknown_prices_stop_before_a_call(tmp_path):
    respondent = costing(0.1)
    own = {"llm": MODEL, "api_base": "http://127.0.0.1:1/v1", "limits": {"max_usd": 1}}
    with pytest.raises(Denied, match=r"the prices of test/model are unknown.*Write 'prices:"):
        ask(tmp_path, respondent, own, prompts(3))
    assert respondent.calls == []


def test_a_full_journal_needs_no_price_and_no_budget(tmp_path):
    ask(tmp_path, costing(0.1), spec(), prompts(3))
    own = {"llm": MODEL, "limits": {"max_usd": 0}}
    assert len(ask(tmp_path, costing(0.1), own, prompts(3))) == 3


def test_a_free_model_passes_a_budget_of_nothing(tmp_path):
    own = spec(0, prices={"input": 0, "output": 0})
    assert len(ask(tmp_path, costing(0), own, prompts(3))) == 3


def test_a_finished_journal_file_is_read_once(tmp_path):
    ask(tmp_path, costing(0.25), spec(), prompts(4))
    read = []

    def cost(call):
        read.append(call)
        return call["reply"]["cost_usd"]

    (tmp_path / FOLDER).mkdir()
    for _ in range(3):
        assert Books(tmp_path, cost, lambda call: 0.0).paid(frozenset([ME]), set()) == 1
    assert len(read) == 4


def test_prompts_left_undone_are_counted(tmp_path):
    asking = job(tmp_path, costing(0.3), spec(3), concurrency=3)
    with pytest.raises(Reached) as reached:
        asyncio.run(asking.ask(prompts(20)))
    assert asking.left == 13
    said = explain(reached.value, "someone, psm, listed, b1", asking.left, 20)
    assert "prompts left undone: 13 of 20; every reply so far is kept" in said
    assert "raise models.someone.limits.max_usd in the config and run again" in said


def test_another_job_of_a_stopped_model_ends_without_looking_for_prices(tmp_path, monkeypatch):
    asking = job(tmp_path, costing(0.3), spec(3))
    with pytest.raises(Reached) as reached:
        asyncio.run(asking.ask(prompts(20)))
    asking.budget.note(reached.value, asking.left)
    monkeypatch.setattr("rationale.asking.budget.prices_of", lambda spec: pytest.fail("looked"))
    with pytest.raises(Reached):
        ask(tmp_path, costing(0.3), spec(3), prompts(20, "other"))


def test_a_stop_of_an_earlier_amount_stops_nobody(tmp_path):
    asking = job(tmp_path, costing(0.3), spec(3))
    with pytest.raises(Reached) as reached:
        asyncio.run(asking.ask(prompts(20)))
    asking.budget.note(reached.value, asking.left)
    assert len(ask(tmp_path, costing(0.3), spec(9), prompts(20))) == 20


def test_a_prompt_broken_off_between_its_attempts_is_left_undone(tmp_path):
    asking = job(tmp_path, priced(lambda call: Reply("hm", cost_usd=1)), spec(2), concurrency=1)
    with pytest.raises(Reached):
        asyncio.run(asking.ask(prompts(4)))
    assert asking.left == 4


def test_the_end_of_a_run_names_each_model_once(tmp_path):
    assert explain_stops(tmp_path) == ""
    budget = budget_of("gpt", spec(5), None, {}, Journal(tmp_path, "gpt", ME))
    (tmp_path / FOLDER).mkdir()
    allowance = Allowance(ME, "models.gpt.limits.max_usd", 5, frozenset([ME]))
    for spent, left in ((4.2, 10), (4.9, 7)):
        budget.note(Reached(Short(allowance, spent, 0.0), 1.0), left)
    assert explain_stops(tmp_path).splitlines()[1:] == [
        "  gpt: 4.9000 USD of the 5 USD of models.gpt.limits.max_usd are spent; "
        "jobs ended: 2, prompts left undone in them: 17",
        "To go on, raise models.gpt.limits.max_usd and run again: only what is left is asked.",
    ]
    forget_stops(tmp_path)
    assert explain_stops(tmp_path) == ""


@pytest.mark.parametrize(
    ("own", "asking", "named"),
    [
        ({"limits": {"max_usd": 5}}, {}, "models.local.limits.max_usd cannot be kept"),
        ({}, {"max_usd": 5}, "asking.max_usd cannot be kept"),
    ],
)
def test_the_config_refuses_a_budget_for_a_model_of_unknown_cost(own, asking, named):
    from test_config import SCHEMAS

    local = {"llm": "openai/local", "api_base": "http://127.0.0.1:1/v1", **own}
    document = {"seed": 1, "models": {"local": local}, "asking": asking}
    with pytest.raises(DocumentError, match=r"models\.local: with api_base and no prices") as error:
        read_config(document, [], SCHEMAS)
    assert named in str(error.value)
    local["prices"] = {"input": 0, "output": 0}
    assert read_config(document, [], SCHEMAS)


def test_asking_takes_over_what_a_dead_process_had_reserved(tmp_path):
    """9 of 10 USD are reserved by a process that dies while this one waits for them."""
    folder = tmp_path / FOLDER
    own = spec(10)
    asking = job(tmp_path, costing(1), own)
    other = subprocess.Popen(
        [sys.executable, "-c", DIE.replace('"a"', "sys.argv[2]"), str(folder), ME],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "reserved\n"
    other.stdout.close()

    async def ask_and_kill():
        asyncio.get_running_loop().call_later(0.3, other.kill)
        async with asyncio.timeout(20):
            return await asking.ask(prompts(10))

    assert len(asyncio.run(ask_and_kill())) == 10
    other.wait(10)


def grab(folder, number, barrier, grabbed):
    """Take 1 USD as often as the ledger grants it."""
    one = ledger(folder, 3000, file=str(number))
    barrier.wait(60)
    count = 0
    while one.reserve(1) is None:
        one.settle(1, paid=1)
        count += 1
    grabbed.put(count)
    barrier.wait(60)


def test_no_amount_is_granted_twice(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, grabbed = context.Barrier(3), context.SimpleQueue()
    workers = [
        context.Process(target=grab, args=(tmp_path, number, barrier, grabbed))
        for number in range(3)
    ]
    for one in workers:
        one.start()
    counts = [grabbed.get() for _ in workers]
    for one in workers:
        one.join(60)
    assert sum(counts) == 3000


@pytest.fixture(scope="module")
def tokens():
    """Number of tokens by the tokeniser that litellm ships (cl100k_base)."""
    import litellm  # noqa: F401
    from litellm.litellm_core_utils.default_encoding import encoding

    return lambda text: len(encoding.encode(text, disallowed_special=()))


@pytest.mark.slow
@given(text=st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_a_text_has_no_more_tokens_than_bytes(tokens, text):
    assert tokens(text) <= len(text.encode())


@pytest.mark.slow
def test_a_round_of_figures_has_fewer_than_two_characters_a_token(tokens):
    """Why the bound is not a token for every 2.5 characters: it would be too low by a third."""
    survey = read_survey(
        ROOT / "resources/psm/moral.yaml", ROOT / "workflow/schemas/survey.schema.json"
    )
    form = read_form(
        ROOT / "resources/psm/forms/listed.yaml", ROOT / "workflow/schemas/form.schema.json"
    )
    options = np.random.default_rng(1).integers(0, survey.high + 1, (100, len(survey.statements)))
    text = round_prompt(form, survey, options)
    print(f"\n{len(text)} characters, {tokens(text)} tokens")
    assert len(text) / 2.5 < tokens(text) < len(text.encode())


CONCURRENCY = 5


def spend(folder, seed, number, max_usd, calls_each):
    """One process of many: random costs up to what was reserved, some calls failing."""
    draw = random.Random(f"{seed} {number}")

    class Random(Scripted):
        async def reply(self, call):
            await asyncio.sleep(draw.random() * 0.003)
            return await super().reply(call)

    def script(call):
        if draw.random() < 0.1:
            return Passing("busy", retry_after=0)
        return Reply("yes", cost_usd=draw.choice([0.01, 0.3, 1.0]) * draw.random())

    respondent = Random(script)
    respondent.asked = Asked(MODEL, None, PARAMS)
    limits = Limits(folder / "limits", CONCURRENCY)
    try:
        ask(
            folder,
            respondent,
            spec(max_usd),
            prompts(calls_each, f"{number}-"),
            limits=limits,
            concurrency=CONCURRENCY,
            patience=Patience(tries=50),
        )
    except Reached:
        return True
    finally:
        limits.close()
    return False


def stress(folder, seed, processes, max_usd, calls_each):
    """Whether each process was stopped, and what the journal says was paid."""
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        work = [
            pool.submit(spend, folder, seed, number, max_usd, calls_each)
            for number in range(processes)
        ]
        return [one.result(120) for one in work], paid(folder)


def test_processes_together_never_spend_more(tmp_path):
    """No more than 20 USD, and no less than 20 less one reservation of 1, with more to ask."""
    stopped, usd = stress(tmp_path, 1, 4, 20.0, 200)
    assert all(stopped)
    assert 19 <= usd <= 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_processes_killed_at_random_still_never_spend_more(tmp_path, seed):
    """Six processes, some killed -9 and begun anew, until each of them is told to stop."""
    context, draw = multiprocessing.get_context("spawn"), random.Random(seed)
    start = lambda number: context.Process(  # noqa: E731
        target=spend, args=(tmp_path, seed, number, 30.0, 400), daemon=True
    )
    running = [start(number) for number in range(6)]
    for one in running:
        one.start()
    deadline = time.monotonic() + 60
    while paid(tmp_path) < 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    for number in range(6, 12):
        time.sleep(draw.random() * 0.1)
        victim = draw.choice([one for one in running if one.is_alive()])
        victim.kill()
        victim.join(20)
        running.append(start(number))
        running[-1].start()
    for one in running:
        one.join(120)
    usd = paid(tmp_path)
    killed = sum(one.exitcode == -signal.SIGKILL for one in running)
    print(f"\nseed {seed}: {usd:.4f} of 30 USD, {killed} of {len(running)} processes killed")
    assert killed >= 3
    assert 29 <= usd <= 30
