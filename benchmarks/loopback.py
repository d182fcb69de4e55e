"""A provider on loopback for benchmarks: a process of its own that counts what it is asked.

It answers in the OpenAI layout, stops with its context, and by itself after ``lifetime_s``.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import multiprocessing
import time
import urllib.request
from collections import Counter

from aiohttp import web


class Loopback:
    """``with Loopback() as server:`` serves on ``server.base``; ``server.counts()`` tells the rest."""

    def __init__(self, wait_s: float = 0.0, lifetime_s: float = 1800):
        self.wait_s, self.lifetime_s = wait_s, lifetime_s

    def __enter__(self) -> Loopback:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=_run, args=(theirs, self.wait_s, self.lifetime_s), daemon=True
        )
        self._process.start()
        assert ours.poll(60), "the server did not start"
        self.root = f"http://127.0.0.1:{ours.recv()}"
        self.base = f"{self.root}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join(20)

    def counts(self) -> dict[str, int]:
        """Requests answered so far, distinct ones, and how often the most frequent was asked."""
        with urllib.request.urlopen(f"{self.root}/counts", timeout=60) as reply:
            return json.load(reply)


def _run(pipe, wait_s: float, lifetime_s: float) -> None:
    asyncio.run(_serve(pipe, wait_s, lifetime_s))


async def _serve(pipe, wait_s: float, lifetime_s: float) -> None:
    asked: Counter[bytes] = Counter()
    app = web.Application(client_max_size=2**24)

    async def answer(request: web.Request) -> web.Response:
        raw = await request.read()
        if wait_s:
            await asyncio.sleep(wait_s)
        digest = hashlib.blake2b(raw, digest_size=16).digest()
        asked[digest] += 1
        return web.Response(body=_completion(raw, digest), content_type="application/json")

    async def counts(_: web.Request) -> web.Response:
        found = {
            "answered": asked.total(),
            "distinct": len(asked),
            "most": max(asked.values(), default=0),
        }
        return web.json_response(found)

    app.router.add_post("/v1/chat/completions", answer)
    app.router.add_get("/counts", counts)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
    await site.start()
    pipe.send(site._server.sockets[0].getsockname()[1])
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), lifetime_s)
    await runner.cleanup()


def _completion(raw: bytes, digest: bytes) -> bytes:
    """A short answer in the vocabulary of the question, the same for the same words."""
    body = json.loads(raw)
    words = body["messages"][-1]["content"]
    first = digest[0] % 3 > 0
    if "yes or no" in words:
        text = "Yes" if first else "No"
    elif "\nA. " in words:
        text = "A" if first else "B"
    else:
        actions = [line[2:] for line in words.splitlines() if line.startswith("- ")]
        text = actions[0 if first else -1]
    return json.dumps(
        {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 150, "completion_tokens": 2, "total_tokens": 152},
        }
    ).encode()
