"""A provider on loopback for benchmarks: a process of its own that counts what it is asked.

It answers in the OpenAI layout, stops with its context, and by itself after ``lifetime_s``. Where a
request asks for log-probabilities it names a lettered option and tells what `told` gives.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import math
import multiprocessing
import re
import time
import urllib.request
from collections import Counter
from typing import Any, NamedTuple

from aiohttp import web

# A letter as replies dress it: the tokens, the letter's own as {}.
DRESSES = (("{}",), (" {}",), ("{}", "."), ("(", "{}", ")"), ("**", "{}", "**"), ("\u2581{}",))


class Told(NamedTuple):
    """What is said to lettered options: the place of the letter from 0, its dress, and how likely
    each letter is."""

    place: int
    dress: tuple[str, ...]
    letters: list[str]
    probabilities: list[float]


def told(messages: list[dict[str, str]]) -> Told:
    """What the provider answers these words, the same each time; 5 % is left for no letter at all."""
    digest = hashlib.blake2b(json.dumps(messages, sort_keys=True).encode()).digest()
    letters = re.findall(r"^([A-Z])\. ", messages[-1]["content"], re.MULTILINE)
    weights = [1 + digest[n] for n in range(len(letters))]
    probabilities = [0.95 * weight / sum(weights) for weight in weights]
    return Told(digest[-1] % len(letters), DRESSES[digest[-2] % 6], letters, probabilities)


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

    def counts(self) -> dict[str, Any]:
        """Requests answered so far, distinct ones, how often the most frequent was asked, how many
        were asked more than once, and by their parameters how many were."""
        with urllib.request.urlopen(f"{self.root}/counts", timeout=60) as reply:
            return json.load(reply)


def _run(pipe, wait_s: float, lifetime_s: float) -> None:
    asyncio.run(_serve(pipe, wait_s, lifetime_s))


async def _serve(pipe, wait_s: float, lifetime_s: float) -> None:
    asked: Counter[bytes] = Counter()
    params: Counter[str] = Counter()
    app = web.Application(client_max_size=2**24)

    async def answer(request: web.Request) -> web.Response:
        raw = await request.read()
        if wait_s:
            await asyncio.sleep(wait_s)
        digest = hashlib.blake2b(raw, digest_size=16).digest()
        asked[digest] += 1
        params[_params(raw)] += 1
        return web.Response(body=_completion(raw, digest), content_type="application/json")

    async def counts(_: web.Request) -> web.Response:
        found = {
            "answered": asked.total(),
            "distinct": len(asked),
            "most": max(asked.values(), default=0),
            "again": sum(number > 1 for number in asked.values()),
            "params": params,
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


def _params(raw: bytes) -> str:
    """All of a request's body but its words, as JSON."""
    body = {key: value for key, value in json.loads(raw).items() if key != "messages"}
    return json.dumps(body, sort_keys=True)


def _lettered(body: dict) -> tuple[str, dict]:
    """A letter in some dress, and the log-probabilities of its tokens."""
    found = told(body["messages"])
    said, tokens = found.letters[found.place], []
    ranked = sorted(zip(found.probabilities, found.letters, strict=True), reverse=True)
    for piece in found.dress:
        likeliest = [(piece.format(letter), math.log(p)) for p, letter in ranked]
        if "{}" not in piece:
            likeliest = [(piece, -0.01)]
        tops = [{"token": token, "logprob": value} for token, value in likeliest]
        own = next(one for one in tops if one["token"] == piece.format(said))
        tokens.append({**own, "top_logprobs": tops[: body["top_logprobs"]]})
    text = "".join(found.dress).format(said).replace("\u2581", " ")
    return text, {"content": tokens}


def _completion(raw: bytes, digest: bytes) -> bytes:
    """A short answer in the vocabulary of the question, the same for the same words."""
    body = json.loads(raw)
    words = body["messages"][-1]["content"]
    first = digest[0] % 3 > 0
    logprobs = None
    if body.get("logprobs"):
        text, logprobs = _lettered(body)
    elif "yes or no" in words:
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
                    "logprobs": logprobs,
                }
            ],
            "usage": {"prompt_tokens": 150, "completion_tokens": 2, "total_tokens": 152},
        }
    ).encode()
