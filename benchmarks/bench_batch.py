"""What writing a batch file and taking its results in cost: milliseconds of CPU a call.

Every request is made by litellm up to the point of sending, and every result is read by it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from rationale.asking.ask import Place
from rationale.asking.batch_files import IN, requests_of, take, write_files
from rationale.asking.journal import Journal
from rationale.respondents.base import Call
from rationale.respondents.batched import OfflineModel

SPEC = {"llm": "openai/gpt-4o", "params": {"max_tokens": 64}, "unsupported": "refuse"}
PLACE = Place("psm", "m", "listed", "opening")
IDENTITY = "0" * 12


def call(number: int, params: dict) -> Call:
    """A call whose words are its own, about as long as a round's."""
    words = f"Round {number}. " + "Which of these would you choose? " * 60
    return Call(SPEC["llm"], None, params, ({"role": "user", "content": words},), 0, 1)


def result(key: str) -> dict:
    """A line of OpenAI's result file."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "Option 3"}}
    body = {
        **{"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-4o"},
        "choices": [{**choice, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500, "completion_tokens": 3, "total_tokens": 503},
    }
    return {"id": key, "custom_id": key, "response": {"status_code": 200, "body": body}}


async def measure(folder: Path, number: int) -> tuple[float, float]:
    """Seconds of CPU to write and seconds to take in; litellm is imported before the clock starts."""
    model = OfflineModel(SPEC)
    await model.body(call(0, dict(model.asked.params)))
    calls = {one.key(): one for one in (call(n, model.asked.params) for n in range(number))}
    start = time.process_time()
    requests = await requests_of(calls, PLACE, model, "openai", "2026-11-01T00:00:00Z")
    write_files(folder / "batches/m", IDENTITY, "openai", requests)
    written = time.process_time() - start
    lines = "".join(json.dumps(result(key)) + "\n" for key in calls)
    (folder / "batches/m" / IN / "out.jsonl").write_text(lines, encoding="utf-8")
    start = time.process_time()
    journal = Journal(folder / "journal", "m", IDENTITY)
    manifest = Journal(folder / "batches", "m", IDENTITY)
    rows = await take(folder / "batches/m", manifest, journal, model, 0.5)
    journal.close()
    assert {row.outcome for row in rows} == {"taken"}
    return written, time.process_time() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    number = parser.parse_args().calls
    with tempfile.TemporaryDirectory() as folder:
        written, taken = asyncio.run(measure(Path(folder), number))
    print(f"{number} calls: {1e3 * written / number:.1f} ms of CPU a call to write them, ", end="")
    print(f"{1e3 * taken / number:.1f} ms to take their results in")


if __name__ == "__main__":
    main()
