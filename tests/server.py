"""A provider on loopback that speaks the OpenAI protocol: counts what it is asked, fails on cue.

It is bounded: it stops with its context, and by itself after ``lifetime_s``.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

# Connections are broken on cue; a traceback of each would say nothing.
logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)

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
    """What goes back. ``status`` other than 200 sends an error; ``raw`` sends these bytes.

    ``reset`` breaks the connection instead of a reply, ``cut`` in the midst of one; ``hang`` never
    replies; ``die_s`` takes the whole server away for so many seconds, with every reply under way.
    """

    text: str | None = ""
    status: int = 200
    headers: dict = field(default_factory=dict)
    finish_reason: str = "stop"
    wait_s: float = 0.0
    raw: bytes | None = None
    reset: bool = False
    cut: bool = False
    hang: bool = False
    die_s: float = 0.0
    id: str | None = None
    message: str = "no"
    code: str | None = None
    logprobs: list | dict | None = None
    usage: dict | None = None


class LocalProvider:
    """``with LocalProvider(script) as provider:`` serves on ``provider.base`` until the end."""

    def __init__(self, script: Script, lifetime_s: float = 900):
        self.script, self.lifetime_s = script, lifetime_s
        self.finished: Counter[str] = Counter()
        self.requests: list[Request] = []
        self.times: list[float] = []
        self.answered: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self._ready = threading.Event()
        self._connections: set[asyncio.Transport] = set()
        self._tasks: set[asyncio.Task] = set()

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
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=2)
        await runner.setup()
        self._runner, self._port = runner, 0
        await self._listen()
        self._port = self._site._server.sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{self._port}/v1"
        self._ready.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), self.lifetime_s)
        await runner.cleanup()

    async def _listen(self) -> None:
        self._site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=1024)
        await self._site.start()

    async def _die(self, seconds: float) -> None:
        """Take the port away and every connection with it; come back on the same port."""
        self._site._server.close()
        for transport in self._connections:
            transport.abort()
        self._connections.clear()
        await self._site.stop()
        await asyncio.sleep(seconds)
        await self._listen()

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
            self._connections.add(http.transport)
            response = self.script(request)
            if response.die_s:
                task = asyncio.ensure_future(self._die(response.die_s))
                self._tasks.add(task)
                raise ConnectionResetError
            if response.wait_s:
                await asyncio.sleep(response.wait_s)
            if response.hang:
                await self._stop.wait()
            if response.reset or response.hang or http.transport is None:
                raise _broken(http)
            if response.cut:
                await _half(http, _completion(request, response))
                raise _broken(http)
            if response.status != 200:
                return self._refuse(response)
            if response.raw is not None:
                return web.Response(body=response.raw, content_type="application/json")
            self.answered[request.digest] += 1
            whole = web.json_response(_completion(request, response))
            await whole.prepare(http)
            await whole.write_eof()
            self.finished[request.digest] += 1
            return whole
        finally:
            self._connections.discard(http.transport)
            self.in_flight -= 1

    @staticmethod
    def _refuse(response: Response) -> web.Response:
        error = {"message": response.message, "type": "error", "code": response.code}
        return web.json_response({"error": error}, status=response.status, headers=response.headers)


def _broken(http: web.Request) -> ConnectionResetError:
    """Break a connection; what the handler then raises."""
    if http.transport is not None:
        http.transport.abort()
    return ConnectionResetError("on cue")


async def _half(http: web.Request, completion: dict) -> None:
    """Send the head of a reply and the first half of its body."""
    body = json.dumps(completion).encode()
    head = {"content-type": "application/json", "content-length": str(len(body))}
    reply = web.StreamResponse(headers=head)
    await reply.prepare(http)
    await reply.write(body[: len(body) // 2])


def _completion(request: Request, response: Response) -> dict:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": response.text},
        "finish_reason": response.finish_reason,
    }
    if response.logprobs is not None:
        told = response.logprobs
        choice["logprobs"] = told if isinstance(told, dict) else {"content": told}
    usage = response.usage or {
        "prompt_tokens": sum(len(m["content"]) // 4 for m in request.messages),
        "completion_tokens": max(1, len(response.text or "") // 4),
    }
    return {
        "id": response.id or f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": f"{request.model}-2026-11-01",
        "choices": [choice],
        "usage": {**usage, "total_tokens": usage["prompt_tokens"] + usage["completion_tokens"]},
    }
