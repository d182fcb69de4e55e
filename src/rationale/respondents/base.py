"""What every respondent is: something that replies to a call, or says why it cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from rationale.config import canonical

Message = dict[str, str]


@dataclass(frozen=True)
class Call:
    """One request: the messages so far and what tells it from others with the same words.

    ``model``, ``api_base`` and ``params`` come from the respondent; ``study``, ``form``,
    ``prompt_id`` and ``turn`` only say where the call belongs and are no part of its key.
    """

    model: str
    api_base: str | None
    params: Mapping[str, Any]
    messages: tuple[Message, ...]
    sample: int
    attempt: int
    study: str = ""
    form: str = ""
    prompt_id: str = ""
    turn: int = 0

    def request(self) -> dict[str, Any]:
        """All that can change the reply."""
        return {
            "model": self.model,
            "api_base": self.api_base,
            "params": dict(self.params),
            "messages": list(self.messages),
            "sample": self.sample,
            "attempt": self.attempt,
        }

    def key(self) -> str:
        """sha256 of the canonical JSON of the request, in hexadecimal."""
        return hashlib.sha256(canonical(self.request()).encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came back: the words as they were, and what the provider said about them.

    ``logprobs`` holds a dict a token (token, logprob, top); None means the provider gave none.
    Token counts and costs are None when unknown, never 0. ``dropped`` names parameters that were asked
    for and not sent.
    """

    text: str
    finish_reason: str | None = "stop"
    logprobs: list[dict[str, Any]] | None = None
    model_reported: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """Who is asked, and the parameters that the config asks for."""

    model: str
    api_base: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)


class Respondent(Protocol):
    """Who answers. ``paid`` tells whether limits, time-outs and the disk check apply."""

    asked: Asked
    paid: bool

    async def reply(self, call: Call) -> Reply:
        """The reply to a call. Raises one of the errors below and no other."""

    async def close(self) -> None:
        """Let go of connections."""


class RespondentError(Exception):
    """A call without a reply. The message is fit to be shown: it holds no key."""


class Passing(RespondentError):
    """May pass when tried again: busy, out of reach, broken off. ``retry_after`` is in seconds.

    ``unsure`` says that the provider may have done the work, and billed it, although no reply came.
    """

    def __init__(
        self,
        message: str,
        retry_after: float | None = None,
        busy: bool = False,
        unsure: bool = False,
    ):
        super().__init__(message)
        self.retry_after = retry_after
        self.busy = busy
        self.unsure = unsure


class Rejected(RespondentError):
    """This call will never be answered: malformed, too long, or not in a recorded file."""


class Awaited(Rejected):
    """This call is not made now: its reply is to come from elsewhere, a batch."""


class Filtered(RespondentError):
    """The provider's content filter refused the call: an answer of its own kind."""


class Denied(RespondentError):
    """No call of this respondent can be answered: key, model name or rights are wrong."""
