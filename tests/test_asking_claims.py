"""Two processes that want the same calls: one asks, the other waits, whatever becomes of the first."""

import asyncio
import contextlib
import hashlib
import io
import subprocess
import sys
import time

import pytest
from helpers import PLACE
from server import LocalProvider, Response

from rationale.asking.ask import first_key
from rationale.asking.claims import FOLDER, claimed
from rationale.asking.job import ask_block
from rationale.asking.prompts import Prompt, to_table
from rationale.config import identity_of, params_of
from rationale.respondents.base import Asked

# Imported here, so that a call would be made at once.
pytest.importorskip("litellm")

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


@contextlib.contextmanager
def holding(path, keys):
    """Another process that holds the claims on these calls."""
    command = [sys.executable, "-c", HOLDER, str(path), *keys]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the claims on the first thirty calls."""
    with holding(tmp_path / "claims/model", KEYS[:30]) as process:
        yield process


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


SETTINGS = {
    "attempts": 1,
    "concurrency": 4,
    "timeout_s": 5,
    "tries": 2,
    "max_wait_s": 60,
    "on_error": "fail",
    "min_free_mb": 0,
}


class Read:
    status = "answered"


def test_a_job_makes_no_call_while_another_has_claimed_its_calls(tmp_path):
    """The lowest sample stands for all samples of the same words."""
    prompts = [Prompt("r1", ("word",), sample) for sample in (0, 1, 2)]
    with LocalProvider(lambda request: Response("yes")) as provider:
        spec = {"llm": "openai/one", "api_base": provider.base, "unsupported": "refuse"}
        asked = Asked(spec["llm"], spec["api_base"], params_of(spec))
        path = tmp_path / FOLDER / identity_of(asked.model, asked.api_base)
        seen = []

        async def both(holder):
            async def later():
                await asyncio.sleep(1)
                seen.append(len(provider.requests))
                holder.kill()

            job = ask_block(
                to_table(prompts), PLACE, spec, 0, SETTINGS, tmp_path, lambda *_: Read(), log
            )
            return (await asyncio.gather(job, later()))[0]

        log = io.StringIO()
        with holding(path, [first_key(asked, PLACE, prompts[0])]) as holder:
            table = asyncio.run(both(holder))
        assert seen == [0]
        assert len(provider.requests) == 3
    assert table["status"].to_list() == ["answered"] * 3
    assert "another process asks the same" in log.getvalue()
