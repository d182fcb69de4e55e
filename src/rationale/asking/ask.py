"""Putting prompts to a respondent: bounded, patient, and never twice for what the journal holds."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from rationale.asking.answers import Answer, Status
from rationale.asking.budget import Budget
from rationale.asking.journal import Journal
from rationale.asking.limits import Limits
from rationale.asking.patience import Patience, send
from rationale.asking.progress import Progress
from rationale.asking.prompts import Prompt
from rationale.config import canonical
from rationale.respondents.base import (
    Asked,
    Awaited,
    Call,
    Filtered,
    Message,
    Passing,
    Rejected,
    Reply,
    Respondent,
)

Reader = Callable[[Prompt, list[str]], Status]
_HOPELESS = 10


class Stopped(RuntimeError):
    """Asking ended before every prompt was done; what was answered is in the journal."""


@dataclass(frozen=True)
class Place:
    """Where prompts belong: names for the journal and for recorded respondents."""

    study: str
    model: str
    form: str
    block: str


@dataclass(frozen=True)
class _Kept:
    """A reply with what the journal knows of it."""

    reply: Reply
    key: str
    latency_s: float | None
    asked_at: str
    filtered: bool = False


class Asking:
    """One job's asking. ``reader`` tells whether the words of a prompt's turns are an answer.

    A call whose key ``awaits`` holds for is not made: its prompt ends in an error, and ``waiting``
    has the call.
    """

    def __init__(
        self,
        respondent: Respondent,
        journal: Journal,
        reader: Reader,
        progress: Progress,
        place: Place,
        attempts: int = 3,
        concurrency: int = 8,
        limits: Limits | None = None,
        patience: Patience | None = None,
        budget: Budget | None = None,
        awaits: Callable[[str], bool] = lambda key: False,
    ):
        self.respondent, self.journal, self.reader = respondent, journal, reader
        self.progress, self.place, self.limits = progress, place, limits
        self.attempts, self.concurrency = attempts, concurrency
        self.patience, self.budget = patience or Patience(), budget
        self.awaits = awaits
        self.waiting: dict[str, Call] = {}
        self.stop: Exception | None = None
        self.left = 0
        self._rejected_in_a_row = 0
        # Two prompts of a job with equal words and sample are one call, asked once.
        self._under_way: dict[str, asyncio.Lock] = {}

    async def ask(self, prompts: Sequence[Prompt]) -> list[Answer]:
        """Every attempt at every prompt, in the order of the prompts.

        A prompt is put again, up to ``attempts`` times in all, while its reply is not read as an
        answer. Raises Denied, JournalError, Reached or Stopped when asking cannot go on; calls in
        flight are waited for and kept first, and ``left`` says how many prompts are not done.
        """
        waiting = iter(enumerate(prompts))
        answers: dict[int, list[Answer]] = {}

        async def worker() -> None:
            for index, prompt in waiting:
                if self.stop is not None:
                    return
                try:
                    answers[index] = await self._attempts(prompt)
                    self.progress.prompt()
                except Exception as error:
                    self.stop = self.stop or error
                    return

        with self._signals():
            await asyncio.gather(*(worker() for _ in range(min(self.concurrency, len(prompts)))))
        self.left = len(prompts) - sum(made[-1].status != "error" for made in answers.values())
        if self.stop is not None:
            raise self.stop
        return [answer for index in sorted(answers) for answer in answers[index]]

    async def _attempts(self, prompt: Prompt) -> list[Answer]:
        made: list[Answer] = []
        for attempt in range(1, self.attempts + 1):
            if self.stop is not None:
                raise self.stop
            answer, final = await self._attempt(prompt, attempt)
            made.append(answer)
            if final or answer.status == "answered":
                break
        return made

    async def _attempt(self, prompt: Prompt, attempt: int) -> tuple[Answer, bool]:
        """An attempt, and whether another one would be pointless."""
        messages = _before(prompt)
        kept: list[_Kept] = []
        blank = Answer(prompt.prompt_id, prompt.sample, attempt, "error")
        for turn, words in enumerate(prompt.turns):
            messages.append({"role": "user", "content": words})
            call = _call(self.respondent.asked, self.place, prompt, attempt, turn, messages)
            try:
                kept.append(await self._reply(call))
            except (Passing, Rejected) as error:
                self._count_rejection(error)
                failed = replace(blank, error=str(error), call_key=call.key())
                return self._described(failed, kept), True
            if kept[-1].filtered or kept[-1].reply.finish_reason == "content_filter":
                return self._described(replace(blank, status="refused"), kept), True
            messages.append({"role": "assistant", "content": kept[-1].reply.text})
        return self._described(replace(blank, status=self._status(prompt, kept)), kept), False

    def _status(self, prompt: Prompt, kept: list[_Kept]) -> Status:
        reasons = {one.reply.finish_reason for one in kept}
        if "length" in reasons:
            return "truncated"
        if "content_filter" in reasons:
            return "refused"
        return self.reader(prompt, [one.reply.text for one in kept])

    def _count_rejection(self, error: Exception) -> None:
        """Stop when calls are rejected one after another: the fault is then not the prompt's."""
        if not isinstance(error, Rejected) or not self.respondent.paid:
            return
        if isinstance(error, Awaited):
            return
        self._rejected_in_a_row += 1
        if self._rejected_in_a_row >= _HOPELESS and self.stop is None:
            self.stop = Stopped(f"{_HOPELESS} calls in a row were rejected; the last: {error}")

    async def _reply(self, call: Call) -> _Kept:
        key = call.key()
        async with self._under_way.setdefault(key, asyncio.Lock()):
            record = self.journal.get(key)
            if record is None:
                record = await self._ask_and_keep(call, key)
                self.progress.call(from_journal=False, cost=record["reply"]["cost_usd"])
            else:
                self.progress.call(from_journal=True, cost=None)
        self._under_way.pop(key, None)
        reply = Reply(**{**record["reply"], "dropped": tuple(record["reply"]["dropped"])})
        return _Kept(reply, key, record["latency_s"], record["asked_at"], record["filtered"])

    async def _ask_and_keep(self, call: Call, key: str) -> dict[str, Any]:
        if self.stop is not None:
            raise self.stop
        if self.awaits(key):
            self.waiting[key] = call
            raise Awaited("waits for a batch")
        if self.respondent.paid:
            self.journal.room()
        asked_at, clock = _now(), time.monotonic()
        filtered = False
        try:
            reply = await send(
                call,
                self.respondent,
                self.limits,
                self.patience,
                self.progress.say,
                self._stopped,
                self.budget,
            )
        except Filtered as error:
            reply, filtered = Reply(text=str(error), finish_reason="content_filter"), True
        self._rejected_in_a_row = 0
        record = {
            **asdict(self.place),
            "prompt_id": call.prompt_id,
            "turn": call.turn,
            "asked_at": asked_at,
            "latency_s": round(time.monotonic() - clock, 4),
            "filtered": filtered,
            "request": call.request(),
            "reply": asdict(reply),
        }
        self.journal.append(key, record)
        return record

    def _stopped(self) -> bool:
        return self.stop is not None

    def _described(self, answer: Answer, kept: list[_Kept]) -> Answer:
        params = dict(self.respondent.asked.params)
        if not kept:
            return replace(answer, params_asked=canonical(params), params_sent=canonical(params))
        replies = [one.reply for one in kept]
        dropped = {key: params[key] for key in replies[-1].dropped if key in params}
        sent = {key: value for key, value in params.items() if key not in dropped}
        scored = [reply.logprobs for reply in replies]
        return replace(
            answer,
            text=[reply.text for reply in replies],
            finish_reason=replies[-1].finish_reason,
            logprobs=None if all(one is None for one in scored) else scored,
            model_reported=replies[-1].model_reported,
            params_asked=canonical(params),
            params_sent=canonical(sent),
            params_dropped=canonical(dropped),
            prompt_tokens=_sum(reply.prompt_tokens for reply in replies),
            completion_tokens=_sum(reply.completion_tokens for reply in replies),
            reasoning_tokens=_sum(reply.reasoning_tokens for reply in replies),
            cost_usd=_sum(reply.cost_usd for reply in replies),
            latency_s=_sum(one.latency_s for one in kept),
            asked_at=kept[0].asked_at,
            call_key=answer.call_key or kept[-1].key,
        )

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """On Ctrl-C or a cluster's notice: no new call, but what is in flight is waited for."""
        loop = asyncio.get_running_loop()

        def halt() -> None:
            self.stop = self.stop or Stopped("stopped by a signal; replies so far are kept")

        numbers = (signal.SIGINT, signal.SIGTERM)
        try:
            for number in numbers:
                loop.add_signal_handler(number, halt)
        except (ValueError, RuntimeError, NotImplementedError):
            numbers = ()
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)


def first_key(asked: Asked, place: Place, prompt: Prompt) -> str:
    """The key of the first call of a prompt: all its others follow from its reply."""
    messages = [*_before(prompt), {"role": "user", "content": prompt.turns[0]}]
    return _call(asked, place, prompt, 1, 0, messages).key()


def _before(prompt: Prompt) -> list[Message]:
    """What stands before a prompt's first turn."""
    return [] if prompt.system is None else [{"role": "system", "content": prompt.system}]


def _call(
    asked: Asked, place: Place, prompt: Prompt, attempt: int, turn: int, messages: list[Message]
) -> Call:
    return Call(
        model=asked.model,
        api_base=asked.api_base,
        params=asked.params,
        messages=tuple(messages),
        sample=prompt.sample,
        attempt=attempt,
        study=place.study,
        form=place.form,
        prompt_id=prompt.prompt_id,
        turn=turn,
    )


def unanswered(answers: Sequence[Answer]) -> list[Answer]:
    """Attempts that ended without any reply."""
    return [answer for answer in answers if answer.status == "error"]


def explain_unanswered(failed: Sequence[Answer], total: int) -> str:
    """What was not answered and what to do: the message of a job that fails for it."""
    shown = "\n".join(f"  {one.prompt_id}: {one.error}" for one in failed[:5])
    more = f"\n  and {len(failed) - 5} more" if len(failed) > 5 else ""
    return (
        f"{len(failed)} of {total} prompts were not answered; every other reply is in the journal.\n"
        f"{shown}{more}\n"
        f"Run again: only these are asked. Or set 'asking: on_error: record' to go on without them."
    )


def explain_waiting(waiting: int, failed: int, slug: str) -> str:
    """What a job says that ends because replies are to come from a batch."""
    more = f"{failed - waiting} other prompts were not answered. " if failed > waiting else ""
    return (
        f"{waiting} calls wait for a batch; none of them was made. {more}Every reply so far is in the "
        f"journal.\n"
        f"Put the provider's result files into results/batches/{slug}/in/ and run 'snakemake "
        f"take_batches'; 'snakemake write_batches' writes what no batch file holds yet. To ask live "
        f"instead, take {slug} out of asking.batch, and delete those files results/batches/{slug}/"
        f"{{openai,anthropic}}-* that were never sent off."
    )


def _sum(values) -> Any:
    values = list(values)
    return None if any(value is None for value in values) else sum(values)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
