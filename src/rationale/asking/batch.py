"""The providers' batch layouts: a call as a line to send off, a line that came back as a result.

OpenAI takes JSON lines of ``custom_id``, ``method``, ``url`` and ``body``; Anthropic one JSON body,
``{"requests": [{"custom_id", "params"}, …]}``. Both send back JSON lines in any order. The custom id
is the call's key: 64 hexadecimal digits, the longest that both take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rationale.schema import DocumentError


class Layout(NamedTuple):
    """How a provider's batch file is put together, and what it takes at most."""

    suffix: str
    head: bytes
    between: bytes
    tail: bytes
    requests: int
    megabytes: float


LAYOUTS = {
    "openai": Layout(".jsonl", b"", b"\n", b"\n", 50_000, 200),
    "anthropic": Layout(".json", b'{"requests":[\n', b",\n", b"\n]}\n", 100_000, 256),
}
_ERROR_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_KEY = re.compile(r"[0-9a-f]{64}")
_ALIAS = re.compile(r"-(?:latest|preview|0)$")


class NoResult(ValueError):
    """A line that is no result of a batch; the message says what is wrong with it."""


@dataclass(frozen=True)
class Result:
    """What came back for one call.

    ``status`` and ``body`` are what a live call would have got over HTTP; both are None when the
    provider never put it (expired, canceled), and ``reason`` then says why. ``line_id`` is the
    provider's own name of the line, where there is one.
    """

    custom_id: str
    status: int | None = None
    body: Mapping[str, Any] | None = None
    reason: str = ""
    line_id: str | None = None


def request_line(provider: str, key: str, body: Mapping[str, Any]) -> bytes:
    """One request in a provider's layout, without a line end."""
    if provider == "anthropic":
        request: dict[str, Any] = {"custom_id": key, "params": body}
    else:
        request = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
    return json.dumps(request, separators=(",", ":")).encode()


def whole_file(provider: str, lines: Sequence[bytes]) -> bytes:
    """A batch file of these requests."""
    layout = LAYOUTS[provider]
    return layout.head + layout.between.join(lines) + layout.tail


def split(
    provider: str,
    sizes: Sequence[int],
    requests: int | None = None,
    megabytes: float | None = None,
) -> Iterator[slice]:
    """Which requests go into one file, given the size of each line in bytes.

    ``requests`` and ``megabytes`` (of 10^6 bytes) lower the provider's limits. Raises DocumentError
    for a request that no file can hold.
    """
    layout = LAYOUTS[provider]
    most = min(layout.requests, requests or layout.requests)
    room = min(layout.megabytes, megabytes or layout.megabytes) * 1e6
    frame = len(layout.head) + len(layout.tail)
    start, used = 0, frame
    for index, size in enumerate(sizes):
        if frame + size > room:
            raise DocumentError(
                [
                    f"a request of {size / 1e6:.3f} MB fits in no batch file of {room / 1e6:g} MB; "
                    f"raise asking.batch_mb, or ask it live."
                ]
            )
        if index - start == most or used + len(layout.between) + size > room:
            yield slice(start, index)
            start, used = index, frame
        used += size + (len(layout.between) if index > start else 0)
    if sizes:
        yield slice(start, len(sizes))


def read_result(line: bytes) -> Result:
    """A line of a provider's result or error file. Raises NoResult for any other line."""
    found = _object(line)
    key = found.get("custom_id")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise NoResult(f"custom_id: found {ascii(key)[:80]}; needed: 64 hexadecimal digits")
    if isinstance(found.get("result"), dict):
        return _anthropic(key, found["result"])
    if isinstance(found.get("response"), dict) or isinstance(found.get("error"), dict):
        return _openai(key, found)
    if "body" in found or "params" in found:
        raise NoResult("a request that was to be sent off, and no result")
    raise NoResult("neither OpenAI's response or error nor Anthropic's result is in it")


def same_model(asked: str, reported: str | None) -> bool:
    """Whether a reported model can be the one that was asked: its name, or that and a version.

    ``asked`` is litellm's provider/model. A provider that reports no model is believed.
    """
    name = asked.split("/", 1)[-1]
    tails = {one.split("/")[-1] for one in (name, _ALIAS.sub("", name))}
    return not reported or any(reported.split("/")[-1].startswith(tail) for tail in tails)


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NoResult(f"no JSON ({ascii(str(error))[1:-1][:80]}); was the file cut off?") from None
    if not isinstance(found, dict):
        raise NoResult("no JSON object")
    return found


def _openai(key: str, found: Mapping[str, Any]) -> Result:
    line_id = found.get("id") if isinstance(found.get("id"), str) else None
    response, error = found.get("response"), found.get("error")
    if not isinstance(response, dict):
        return Result(key, reason=f"{error.get('code')}: {error.get('message')}", line_id=line_id)
    status, body = response.get("status_code"), response.get("body")
    if not isinstance(status, int) or not isinstance(body, dict):
        raise NoResult("response: a whole number as status_code and an object as body are needed")
    if status == 200 and not _has_message(body):
        return Result(key, reason="the body holds no choice with a message", line_id=line_id)
    return Result(key, status, body, line_id=line_id)


def _has_message(body: Mapping[str, Any]) -> bool:
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return False
    message = choices[0].get("message")
    return isinstance(message, dict) and isinstance(message.get("content"), str | None)


def _has_text(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return (
        isinstance(content, list)
        and all(isinstance(part, dict) for part in content)
        and all(isinstance(part.get("text", ""), str) for part in content)
        and isinstance(message.get("stop_reason"), str)
    )


def _anthropic(key: str, result: Mapping[str, Any]) -> Result:
    kind = result.get("type")
    if kind == "succeeded" and isinstance(result.get("message"), dict):
        if not _has_text(result["message"]):
            return Result(key, reason="the message holds no content")
        return Result(key, 200, result["message"])
    if kind == "errored" and isinstance(result.get("error"), dict):
        error = result["error"]
        inner = error.get("error") if isinstance(error.get("error"), dict) else error
        body = {"type": "error", "error": inner}
        return Result(key, _ERROR_STATUS.get(str(inner.get("type")), 500), body)
    if kind in ("canceled", "expired"):
        return Result(key, reason=kind)
    raise NoResult(f"result.type: found {ascii(kind)[:40]} without what belongs to it")
