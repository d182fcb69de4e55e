"""One ask from end to end: respondent, journal and limits put together, and taken down again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    unanswered,
)
from rationale.asking.batch_files import open_calls
from rationale.asking.budget import Budget, Reached, budget_of, explain
from rationale.asking.journal import Journal
from rationale.asking.limits import Limits
from rationale.asking.patience import Patience
from rationale.asking.progress import Progress
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
) -> pl.DataFrame:
    """The answers to a table of prompts, one row an attempt.

    ``spec`` is the model's checked entry in the config, ``asking`` that section of it, ``journals``
    the directory of all journals, and ``read`` the study's reader; ``scenarios`` is
    for simulated respondents; ``models`` are all language models of the run, which
    ``asking.max_usd`` is for; ``batches`` is the directory of batch files, whose open calls are not
    made. With RATIONALE_OFFLINE set, no language model is called. Raises Stopped when a budget is
    reached, when a call waits for a batch, and when prompts are left without a reply, unless
    ``on_error`` is ``record``.
    """
    listed = prompt_table.from_table(prompts)
    opened = _open(place, spec, seed, asking, journals, log, len(listed), scenarios, models or {})
    job = _job(opened, place, asking, read, _awaits(opened, place, asking, batches))
    try:
        made = await job.ask(listed)
    except Reached as reached:
        raise _stopped(reached, opened.budget, place, job.left, len(listed)) from None
    finally:
        await opened.close()
    if job.waiting:
        raise Stopped(explain_waiting(len(job.waiting), len(unanswered(made)), place.model))
    _require_answers(made, opened, asking["on_error"], len(listed))
    return answer_table.to_table(made)


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
    seed: int,
    asking: Mapping[str, Any],
    journals: Path,
    log: TextIO,
    total: int,
    scenarios: Mapping[str, tuple[str, str, str]] | None,
    models: Mapping[str, Mapping[str, Any]],
) -> _Opened:
    limits_of = {"concurrency": asking["concurrency"], **spec.get("limits", {})}
    limits_of.pop("max_usd", None)
    concurrency = limits_of["concurrency"]
    respondent = build(place.model, spec, seed, asking["timeout_s"], concurrency, scenarios)
    asked = respondent.asked
    asker = Offline(asked) if respondent.paid and is_offline() else respondent
    identity = identity_of(asked.model, asked.api_base)
    journal = Journal(journals, place.model, identity, asking["min_free_mb"])
    limits = Limits(journals / place.model / "limits", **limits_of) if asker.paid else None
    budget = None
    if asker is respondent:
        budget = budget_of(place.model, spec, asking.get("max_usd"), models, journal)
    progress = _progress(place, journal, asked.model, total, log)
    return _Opened(respondent, asker, journal, limits, budget, progress, concurrency)


def _progress(place: Place, journal: Journal, model: str, total: int, log: TextIO) -> Progress:
    progress = Progress(total, f"{place.model} {place.form} {place.block}", log)
    progress.say(f"{total} prompts; the journal holds {len(journal)} replies of {model}")
    for line in journal.torn:
        progress.say(line)
    return progress


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
