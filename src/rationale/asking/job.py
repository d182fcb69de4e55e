"""One ask from end to end: respondent, journal and limits put together, and taken down again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

import polars as pl

from rationale.asking import answers as answer_table
from rationale.asking import prompts as prompt_table
from rationale.asking.answers import Answer
from rationale.asking.ask import (
    Asking,
    Place,
    Stopped,
    explain_unanswered,
    explain_waiting,
    first_key,
    unanswered,
)
from rationale.asking.batch_files import open_calls
from rationale.asking.budget import Budget, Reached, budget_of, explain
from rationale.asking.claims import FOLDER, claimed
from rationale.asking.journal import Journal
from rationale.asking.limits import Limits
from rationale.asking.patience import Patience
from rationale.asking.progress import Progress
from rationale.asking.prompts import Prompt
from rationale.config import identity_of
from rationale.respondents import Respondent, build
from rationale.respondents.offline import Offline, is_offline


class _Read(Protocol):
    status: str


async def ask_block(
    prompts: pl.DataFrame,
    place: Place,
    spec: Mapping[str, Any],
    seed: int,
    asking: Mapping[str, Any],
    journals: Path,
    read: Callable[[str, list[str]], _Read],
    log: TextIO,
    scenarios: Mapping[str, tuple[str, str, str]] | None = None,
    models: Mapping[str, Mapping[str, Any]] | None = None,
    batches: Path | None = None,
    questions: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> pl.DataFrame:
    """The answers to a table of prompts, one row an attempt.

    ``spec`` is the model's checked entry in the config, ``asking`` that section of it, ``journals``
    the directory of all journals, and ``read`` the study's reader; ``scenarios`` and
    ``questions`` are for simulated respondents; ``models`` are all language models of the run, which
    ``asking.max_usd`` is for; ``batches`` is the directory of batch files, whose open calls are not
    made. With RATIONALE_OFFLINE set, no language model is called. Raises Stopped when a budget is
    reached, when a call waits for a batch, and when prompts are left without a reply, unless
    ``on_error`` is ``record``.
    """
    listed = prompt_table.from_table(prompts)
    concurrency = _limits_of(spec, asking)["concurrency"]
    known = (scenarios, questions)
    respondent = build(place.model, spec, seed, asking["timeout_s"], concurrency, *known)
    progress = Progress(len(listed), f"{place.model} {place.form} {place.block}", log)
    async with _claims(listed, place, respondent, journals, progress):
        opened = _open(place, spec, respondent, asking, journals, progress, models or {})
        job = _job(opened, place, asking, read, _awaits(opened, place, asking, batches))
        made = await _ask(job, opened, listed, place)
    _require_answers(made, opened, asking["on_error"], len(listed))
    return answer_table.to_table(made)


async def _ask(
    job: Asking, opened: _Opened, listed: Sequence[Prompt], place: Place
) -> list[Answer]:
    """Every attempt at prompts that no other process asks at the same time."""
    try:
        made = await job.ask(listed)
    except Reached as reached:
        raise _stopped(reached, opened.budget, place, job.left, len(listed)) from None
    finally:
        await opened.close()
    if job.waiting:
        raise Stopped(explain_waiting(len(job.waiting), len(unanswered(made)), place.model))
    return made


def _limits_of(spec: Mapping[str, Any], asking: Mapping[str, Any]) -> dict[str, Any]:
    """Limits of a model that are no budget."""
    limits = {"concurrency": asking["concurrency"], **spec.get("limits", {})}
    return {name: limit for name, limit in limits.items() if name != "max_usd"}


def _claims(
    prompts: Sequence[Prompt],
    place: Place,
    respondent: Respondent,
    journals: Path,
    progress: Progress,
) -> contextlib.AbstractAsyncContextManager[None]:
    """The claims on prompts that are paid for."""
    asked = respondent.asked
    if not respondent.paid or is_offline():
        return contextlib.nullcontext()
    path = journals / FOLDER / identity_of(asked.model, asked.api_base)
    return claimed(path, [first_key(asked, place, one) for one in _lowest(prompts)], progress.say)


def _lowest(prompts: Sequence[Prompt]) -> Collection[Prompt]:
    """Of the samples of the same words the lowest, which stands for them all.

    The system's locks are a list that each new one is held against: few are cheap, many are not.
    """
    found: dict[tuple[str | None, str], Prompt] = {}
    for prompt in sorted(prompts, key=lambda one: one.sample):
        found.setdefault((prompt.system, prompt.turns[0]), prompt)
    return found.values()


@dataclass(frozen=True)
class _Opened:
    """What a job holds open. ``asker`` is the respondent, or who refuses in its place offline."""

    respondent: Respondent
    asker: Respondent
    journal: Journal
    limits: Limits | None
    budget: Budget | None
    progress: Progress
    concurrency: int

    async def close(self) -> None:
        """Let go of everything, of the journal first: it holds what was paid for."""
        try:
            self.journal.close()
        finally:
            if self.budget is not None:
                self.budget.close()
            if self.limits is not None:
                self.limits.close()
            await self.respondent.close()
            self.progress.close()


def _open(
    place: Place,
    spec: Mapping[str, Any],
    respondent: Respondent,
    asking: Mapping[str, Any],
    journals: Path,
    progress: Progress,
    models: Mapping[str, Mapping[str, Any]],
) -> _Opened:
    """Opened behind the claims: what another process has just kept is in the journal then."""
    limits_of = _limits_of(spec, asking)
    asked = respondent.asked
    asker = Offline(asked) if respondent.paid and is_offline() else respondent
    identity = identity_of(asked.model, asked.api_base)
    journal = Journal(journals, place.model, identity, asking["min_free_mb"])
    limits = Limits(journals / place.model / "limits", **limits_of) if asker.paid else None
    budget = None
    if asker is respondent:
        budget = budget_of(place.model, spec, asking.get("max_usd"), models, journal)
    _tell(progress, journal, asked.model)
    return _Opened(respondent, asker, journal, limits, budget, progress, limits_of["concurrency"])


def _tell(progress: Progress, journal: Journal, model: str) -> None:
    progress.say(f"{progress.total} prompts; the journal holds {len(journal)} replies of {model}")
    for line in journal.torn:
        progress.say(line)


def _awaits(
    opened: _Opened, place: Place, asking: Mapping[str, Any], batches: Path | None
) -> Callable[[str], bool]:
    """Whether the call of a key is left to a batch: all of a model's are, or those in its files."""
    if not opened.asker.paid:
        return lambda key: False
    if place.model in asking.get("batch", ()) and place.study not in prompt_table.WRITING:
        return lambda key: True
    awaited = open_calls(batches, place.model, opened.journal.identity) if batches else {}
    return awaited.__contains__


def _job(
    opened: _Opened,
    place: Place,
    asking: Mapping[str, Any],
    read: Callable[[str, list[str]], _Read],
    awaits: Callable[[str], bool],
) -> Asking:
    return Asking(
        opened.asker,
        opened.journal,
        lambda prompt, texts: read(prompt.reply, texts).status,
        opened.progress,
        place,
        attempts=asking["attempts"],
        concurrency=opened.concurrency,
        limits=opened.limits,
        patience=Patience(asking["tries"], asking["max_wait_s"]),
        budget=opened.budget,
        awaits=awaits,
    )


def _stopped(reached: Reached, budget: Budget, place: Place, left: int, total: int) -> Stopped:
    """The end of a job whose budget is reached, noted for the end of the run."""
    budget.note(reached, left)
    what = f"{place.model}, {place.study}, {place.form}, {place.block}"
    return Stopped(explain(reached, what, left, total))


def _require_answers(made: Sequence[Answer], opened: _Opened, on_error: str, total: int) -> None:
    failed = unanswered(made)
    if not failed:
        return
    message = explain_unanswered(failed, total)
    if opened.respondent.paid and on_error == "fail":
        raise Stopped(message)
    opened.progress.say(message)
