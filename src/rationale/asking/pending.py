"""What is still to be asked: the very calls that asking would make next, and none of them made.

It walks prompts as a job that asks does, by the same code: turns and attempts that the journal holds
are passed through, so that a second turn or attempt is listed as soon as what it follows is kept.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rationale.asking.answers import Answer
from rationale.asking.ask import Asking, Place
from rationale.asking.journal import Journal
from rationale.asking.progress import Progress
from rationale.asking.prompts import Prompt
from rationale.respondents.base import Asked, Call, Reply


class Pending(NamedTuple):
    """The calls to be made next, by key, in the order of their prompts, and what is answered so far.

    With no call left ``answers`` are what the job would give; otherwise the last attempt at a
    prompt that waits has the status ``error``.
    """

    calls: dict[str, Call]
    answers: list[Answer]


class _Nobody:
    """Who is asked, without anybody there."""

    paid = False

    def __init__(self, asked: Asked):
        self.asked = asked

    async def reply(self, call: Call) -> Reply:
        raise AssertionError("no call is made while pending ones are listed")

    async def close(self) -> None:
        """Nothing is held."""


def pending(
    prompts: Sequence[Prompt],
    place: Place,
    asked: Asked,
    attempts: int,
    journal: Journal,
    read: Callable[[str, list[str]], object],
) -> Pending:
    """What asking these prompts would call next.

    ``asked`` is the respondent's, its parameters those of the study; ``read`` is the study's reader.
    One call a prompt at most: what follows depends on its reply. Calls with equal words, sample
    and attempt are one. Raises JournalError when a kept line was changed.
    """
    progress = Progress(len(prompts), "pending", io.StringIO())
    job = Asking(
        _Nobody(asked),
        journal,
        lambda prompt, texts: read(prompt.reply, texts).status,
        progress,
        place,
        attempts=attempts,
        concurrency=1,
        awaits=lambda key: True,
    )
    answers = asyncio.run(job.ask(prompts))
    return Pending(job.waiting, answers)
