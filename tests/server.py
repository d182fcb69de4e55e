"""A provider on loopback that speaks the OpenAI protocol: counts what it is asked, fails on cue.

It is bounded: it stops with its context, and by itself after ``lifetime_s``.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

Script = Callable[["Request"], "Response"]


@dataclass(frozen=True)
class Request:
    """What arrived: its number (from 0), the model, the messages, all of the body, and headers."""

    number: int
    model: str
    messages: list[dict]
    body: dict
    headers: dict

    @property
    def words(self) -> str:
        return self.messages[-1]["content"]

    @property
    def digest(self) -> str:
        text = json.dumps([self.model, self.messages], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Response:
    """What goes back. ``status`` other than 200 sends an error; ``raw`` sends these bytes."""

    text: str | None = ""
    status: int = 200
    headers: dict = field(default_factory=dict)
    finish_reason: str = "stop"
    wait_s: float = 0.0
    raw: bytes | None = None
    reset: bool = False
    message: str = "no"
    code: str | None = None
    logprobs: list | None = None
    usage: dict | None = None


class LocalProvider:
    """``with LocalProvider(script) as provider:`` serves on ``provider.base`` until the end."""

    def __init__(self, script: Script, lifetime_s: float = 900):
        self.script, self.lifetime_s = script, lifetime_s
        self.requests: list[Request] = []
        self.times: list[float] = []
        self.answered: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self._ready = threading.Event()

    def __enter__(self) -> LocalProvider:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
        await site.start()
        port = site._server.sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{port}/v1"
        self._ready.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), self.lifetime_s)
        await runner.cleanup()

    async def _answer(self, http: web.Request) -> web.StreamResponse:
        body = await http.json()
        request = Request(
            len(self.requests), body["model"], body["messages"], body, dict(http.headers)
        )
        self.requests.append(request)
        self.times.append(time.monotonic())
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            response = self.script(request)
            if response.wait_s:
                await asyncio.sleep(response.wait_s)
            if response.reset:
                http.transport.abort()
                raise ConnectionResetError
            if response.status != 200:
                return self._refuse(response)
            if response.raw is not None:
                return web.Response(body=response.raw, content_type="application/json")
            self.answered[request.digest] += 1
            return web.json_response(_completion(request, response))
        finally:
            self.in_flight -= 1

    @staticmethod
    def _refuse(response: Response) -> web.Response:
        error = {"message": response.message, "type": "error", "code": response.code}
        return web.json_response({"error": error}, status=response.status, headers=response.headers)


def _completion(request: Request, response: Response) -> dict:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": response.text},
        "finish_reason": response.finish_reason,
    }
    if response.logprobs is not None:
        choice["logprobs"] = {"content": response.logprobs}
    usage = response.usage or {
        "prompt_tokens": sum(len(m["content"]) // 4 for m in request.messages),
        "completion_tokens": max(1, len(response.text or "") // 4),
    }
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": f"{request.model}-2026-11-01",
        "choices": [choice],
        "usage": {**usage, "total_tokens": usage["prompt_tokens"] + usage["completion_tokens"]},
    }
