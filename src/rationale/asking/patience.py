"""Sending one call until it is answered or cannot be: retry only what can pass."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from rationale.asking.budget import Budget
from rationale.asking.limits import Limits
from rationale.asking.tokens import longest_reply, prompt_tokens
from rationale.respondents.base import Call, Passing, Reply, Respondent

_NOT_SENT = "not sent: asking was stopped"
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0


@dataclass(frozen=True)
class Patience:
    """How often one call is sent, and how long it may wait between its tries in all (seconds)."""

    tries: int = 8
    max_wait_s: float = 900.0


async def send(
    call: Call,
    respondent: Respondent,
    limits: Limits | None,
    patience: Patience,
    tell: Callable[[str], None],
    stopped: Callable[[], bool] = lambda: False,
    budget: Budget | None = None,
) -> Reply:
    """The reply to a call.

    Waits between tries, twice as long each time, half of it by chance, and at least as long as
    Retry-After says. Raises the last
    Passing error when tries or waiting time run out, and every other error at once. Once ``stopped``
    says so, nothing more is sent. Every try is paid from ``budget``, if there is one.
    """
    waited = 0.0
    for attempt in range(1, patience.tries + 1):
        try:
            return await _once(call, respondent, limits, stopped, budget)
        except Passing as error:
            wait = _wait(attempt, error)
            too_long = waited + wait > patience.max_wait_s
            if limits is not None and (error.busy or error.retry_after is not None):
                # A wait that nobody will sit out must not hold up the others.
                limits.slow_down(None if too_long else error.retry_after)
            if attempt == patience.tries or too_long or stopped():
                after = "" if error.retry_after is None else f", told to wait {wait:.0f} s"
                raise Passing(
                    f"{error} (sent {attempt} times, waited {waited:.0f} s{after})",
                    error.retry_after,
                ) from None
            tell(f"{call.prompt_id}: {error}; again in {wait:.1f} s")
            await _rest(wait, stopped)
            waited += wait
    raise AssertionError("patience.tries is at least 1")


async def _rest(seconds: float, stopped: Callable[[], bool]) -> None:
    while seconds > 0 and not stopped():
        await asyncio.sleep(min(seconds, 1.0))
        seconds -= 1.0


async def _once(
    call: Call,
    respondent: Respondent,
    limits: Limits | None,
    stopped: Callable[[], bool],
    budget: Budget | None,
) -> Reply:
    if stopped():
        raise Passing(_NOT_SENT)
    if limits is None:
        return await _paid(call, respondent, stopped, budget)
    estimate = estimated_tokens(call)
    async with limits.slot():
        await limits.turn(estimate, stopped)
        if stopped():
            raise Passing(_NOT_SENT)
        reply = await _paid(call, respondent, stopped, budget)
    limits.settle(estimate, _used(reply))
    return reply


def _used(reply: Reply) -> int | None:
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return reply.prompt_tokens + reply.completion_tokens


async def _paid(
    call: Call, respondent: Respondent, stopped: Callable[[], bool], budget: Budget | None
) -> Reply:
    if budget is None:
        return await respondent.reply(call)
    reply = await budget.pay(call, respondent.reply, stopped)
    if reply is None:
        raise Passing(_NOT_SENT)
    return reply


def estimated_tokens(call: Call) -> int:
    """The most tokens that a call may be, its whole reply among them: no tokenizer finds more.

    A reply without a limit counts as nothing until it is there.
    """
    return math.ceil(prompt_tokens(call.messages).high) + (longest_reply(call.params) or 0)


def _wait(attempt: int, error: Passing) -> float:
    # Never under half: a provider that is away for a minute must not use up the tries of a lucky draw.
    jitter = random.uniform(0.5, 1) * min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt)
    return jitter if error.retry_after is None else error.retry_after + min(jitter, 1.0)
