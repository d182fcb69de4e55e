"""Two processes that want the same calls: one asks, the other waits, whatever becomes of the first."""

import asyncio
import hashlib
import subprocess
import sys
import time

import pytest

from rationale.asking.claims import claimed

KEYS = [hashlib.sha256(bytes([n])).hexdigest() for n in range(40)]
HOLDER = """
import asyncio, sys
from pathlib import Path
from rationale.asking.claims import claimed

async def hold():
    async with claimed(Path(sys.argv[1]), sys.argv[2:], print):
        print("held", flush=True)
        await asyncio.sleep(60)

asyncio.run(hold())
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the claims on the first thirty calls."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "claims/model"), *KEYS[:30]]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait(20)
    process.stdout.close()


async def seconds_to_claim(folder, keys, said, meanwhile=lambda: None):
    start = time.monotonic()

    async def later():
        await asyncio.sleep(0.5)
        meanwhile()

    task = asyncio.create_task(later())
    async with claimed(folder / "claims/model", keys, said.append):
        took = time.monotonic() - start
    await task
    return took


def test_other_calls_are_claimed_at_once(holder, tmp_path):
    said = []
    assert asyncio.run(seconds_to_claim(tmp_path, KEYS[30:], said)) < 0.4
    assert said == []


def test_a_call_of_another_process_is_waited_for_until_that_one_is_killed(holder, tmp_path):
    said = []
    took = asyncio.run(seconds_to_claim(tmp_path, KEYS[29:], said, holder.kill))
    assert took >= 0.5
    assert said == ["another process asks the same; its replies are waited for"]


def test_who_waits_can_be_stopped(holder, tmp_path):
    async def wait():
        await asyncio.wait_for(seconds_to_claim(tmp_path, KEYS, []), 0.6)

    with pytest.raises(TimeoutError):
        asyncio.run(wait())
    assert holder.poll() is None
