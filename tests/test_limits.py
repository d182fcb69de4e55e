"""Limits that processes keep together: slots in flight, pace, and back-off."""

import asyncio
import runpy
import subprocess
import sys
import time

import pytest
from helpers import ROOT, Scripted

from rationale.asking.limits import Limits
from rationale.asking.patience import Patience, estimated_tokens, send
from rationale.respondents.base import Call, Reply


@pytest.fixture
def clock(monkeypatch):
    """A clock that only sleeping moves."""
    import rationale.asking.limits as limits

    class Clock:
        now = 1000.0

        def time(self):
            return self.now

    told = Clock()
    real = asyncio.sleep

    async def sleep(seconds):
        told.now += seconds
        await real(0)

    monkeypatch.setattr(limits, "time", told)
    monkeypatch.setattr(limits.asyncio, "sleep", sleep)
    return told


def turns(limits, count, tokens=0):
    async def take():
        for _ in range(count):
            await limits.turn(tokens)

    asyncio.run(take())


def test_requests_a_minute_space_requests_evenly(tmp_path, clock):
    """30 a minute is one every 2 s: the fifth starts 8 s after the first."""
    turns(Limits(tmp_path, 4, requests_per_minute=30), 5)
    assert clock.now == pytest.approx(1008)


def test_tokens_a_minute_make_large_requests_wait(tmp_path, clock):
    """6,000 tokens a minute is 100 a second: after 500 tokens the next request is due in 5 s."""
    turns(Limits(tmp_path, 4, tokens_per_minute=6000), 3, tokens=500)
    assert clock.now == pytest.approx(1010)


def test_a_reply_that_used_fewer_tokens_gives_the_rest_back(tmp_path, clock):
    limits = Limits(tmp_path, 4, tokens_per_minute=6000)
    turns(limits, 1, tokens=500)
    limits.settle(500, 100)
    turns(limits, 1, tokens=500)
    assert clock.now == pytest.approx(1001)


PRICED_ROUND = "\n".join(
    f"Option {n}: {n % 6}, {n // 2 % 6}, {n // 3 % 6}, {n // 5 % 6}, {n // 7 % 6}"
    for n in range(1, 101)
)


def call_of(text, **params):
    return Call("test/model", None, params, ({"role": "user", "content": text},), 0, 1)


@pytest.fixture(scope="module")
def counted():
    """Tokens of the priced round by each real tokenizer."""
    pytest.importorskip("tiktoken")
    tokenizers = runpy.run_path(str(ROOT / "benchmarks/tokens.py"))["tokenizers"]()
    return {name: count(PRICED_ROUND) for name, count in tokenizers.items()}


def test_a_call_is_estimated_at_what_any_tokenizer_may_find(counted):
    """A quarter of a priced round's characters is less than half of what it costs."""
    estimate = estimated_tokens(call_of(PRICED_ROUND))
    assert max(counted.values()) <= estimate <= 1.5 * max(counted.values())
    assert len(PRICED_ROUND) // 4 < max(counted.values()) / 2


@pytest.mark.parametrize(
    ("params", "room"),
    [
        ({"max_tokens": 12}, 12),
        ({"max_completion_tokens": 500}, 500),
        ({"max_tokens": None, "extra_body": {"max_tokens": 30}}, 30),
        ({"max_tokens": None}, 0),
    ],
)
def test_the_room_for_a_reply_counts_under_whatever_name(params, room):
    assert estimated_tokens(call_of("hi", **params)) - estimated_tokens(call_of("hi")) == room


@pytest.mark.parametrize("replies", [Reply("yes"), Reply("yes", prompt_tokens=9)])
def test_tokens_a_minute_hold_for_priced_rounds_whose_tokens_nobody_counts(
    tmp_path, clock, counted, replies
):
    """All calls of any minute together, by the tokenizer that finds most in them, and one more."""
    sent = []

    def script(call):
        sent.append(clock.now)
        return replies

    async def ask_all():
        limits = Limits(tmp_path, 1, tokens_per_minute=20_000)
        for _ in range(40):
            await send(call_of(PRICED_ROUND), Scripted(script), limits, Patience(), print)

    asyncio.run(ask_all())
    each = max(counted.values())
    busiest = max(sum(start <= at < start + 60 for at in sent) for start in sent)
    assert 0.6 * 20_000 <= busiest * each <= 20_000 + each


def test_without_limits_nobody_waits(tmp_path, clock):
    turns(Limits(tmp_path, 4), 100, tokens=10_000)
    assert clock.now == 1000


def test_retry_after_holds_everybody(tmp_path, clock):
    Limits(tmp_path, 4).slow_down(12)
    turns(Limits(tmp_path, 4), 1)
    assert clock.now == pytest.approx(1012)


def test_a_hold_left_over_from_another_day_holds_nobody(tmp_path, clock):
    Limits(tmp_path, 4).slow_down(86_400)
    turns(Limits(tmp_path, 4), 1)
    assert clock.now == 1000


def test_a_busy_provider_doubles_the_gap_and_replies_close_it(tmp_path, clock):
    limits = Limits(tmp_path, 4)
    gaps = []
    for _ in range(3):
        clock.now += 2
        limits.slow_down(None)
        start = clock.now
        turns(limits, 2)
        gaps.append(clock.now - start)
    assert gaps == pytest.approx([0.05, 0.1, 0.2])
    for _ in range(30):
        limits.settle(0, None)
    clock.now += 100
    start = clock.now
    turns(limits, 5)
    assert clock.now == start


def test_calls_refused_together_count_once(tmp_path, clock):
    """Eight calls in flight refused in the same second double the gap once: 0.05 s, not 6.4 s."""
    limits = Limits(tmp_path, 8)
    for _ in range(8):
        limits.slow_down(None)
    turns(limits, 2)
    assert clock.now == pytest.approx(1000.05)


def test_two_processes_share_the_pace(tmp_path, clock):
    """Two objects on one folder stand for two processes: together they keep 30 a minute."""
    first, second = (Limits(tmp_path, 4, requests_per_minute=30) for _ in range(2))
    for _ in range(3):
        turns(first, 1)
        turns(second, 1)
    assert clock.now == pytest.approx(1010)


def test_slots_are_shared_between_objects(tmp_path):
    async def most_at_once():
        now = most = 0
        both = [Limits(tmp_path, 3), Limits(tmp_path, 3)]

        async def hold(limits):
            nonlocal now, most
            async with limits.slot():
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.005)
                now -= 1

        await asyncio.gather(*(hold(both[n % 2]) for n in range(20)))
        return most

    assert asyncio.run(most_at_once()) == 3


HOLD = """
import asyncio, sys, time
from rationale.asking.limits import Limits
async def main():
    async with Limits(sys.argv[1], 1).slot():
        print("held", flush=True)
        time.sleep(60)
asyncio.run(main())
"""


def test_a_killed_process_lets_go_of_its_slot(tmp_path):
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "held\n"
    other.kill()
    other.wait(10)

    async def take():
        async with asyncio.timeout(5), Limits(tmp_path, 1).slot():
            return True

    assert asyncio.run(take())
    other.stdout.close()


def test_the_clock_of_the_module_is_the_wall_clock():
    """Processes compare times, so a clock that starts with the process would not do."""
    import rationale.asking.limits as limits

    assert abs(limits.time.time() - time.time()) < 5
