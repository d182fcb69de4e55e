"""Batch files on disk: what was written, what of it is still open, and taking results in.

In ``batches/{slug}/`` stand the files to send off (``openai-0001.jsonl``), beside each a manifest of
its calls in the journal's line format (``{identity}-openai-0001.calls.jsonl``), the folder ``in`` for
the provider's result files, and ``taken.csv``. A call is open while it stands in more files than
results without a reply came back for it. Deleting a file that was never sent off withdraws it; its
manifest stays, so that a result that comes nonetheless is known.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import polars as pl

from rationale.asking import batch
from rationale.asking.ask import Place
from rationale.asking.journal import Journal, keys, line_of
from rationale.respondents.base import Call, Filtered, Reply, RespondentError

MANIFEST = ".calls.jsonl"
IN, ANY_MODEL, TAKEN_TABLE = "in", "any-model", "taken.csv"
_NUMBER = re.compile(r"(?:[0-9a-f]{12}-)?[a-z]+-(\d{4,})\..+")
_LATEST = 2**33


class Written(NamedTuple):
    """A file to send off, the calls in it, and its size in bytes."""

    path: Path
    calls: int
    size: int


class Request(NamedTuple):
    """A call as a line for the provider, and what the manifest keeps of it."""

    key: str
    line: bytes
    record: Mapping[str, Any]


class Row(NamedTuple):
    """What became of one line of a result file.

    ``outcome`` is ``taken`` (a reply, now in the journal), ``filtered`` (the provider's filter
    refused; kept as that), ``failed`` (no reply; the call may be written again), ``held`` (the
    journal has another reply to this call), ``duplicate``, ``unknown``, ``other-model`` or
    ``unreadable``; ``reason`` says why.
    """

    file: str
    line: int
    custom_id: str
    outcome: str
    reason: str = ""


class _Sender(Protocol):
    dropped: Sequence[str]

    async def body(self, call: Call) -> Mapping[str, Any]: ...


class _Reader(Protocol):
    async def read(
        self, call: Call, dropped: Collection[str], status: int, body: Mapping[str, Any]
    ) -> Reply: ...

    def redacted(self, text: str) -> str: ...


def open_calls(batches: Path, slug: str, identity: str) -> set[str]:
    """The keys of calls that were written and have not come back, under whatever slug.

    Raises JournalError for a manifest that was changed.
    """
    manifests = sorted(batches.glob(f"*/{identity}-*{MANIFEST}"))
    written = Counter(
        key for path in manifests if _sent_file(path) is not None for key in keys(path)
    )
    if not written:
        return set()
    folders = {batches / slug, *(path.parent for path in manifests)}
    failed = Counter(key for folder in folders for key in _failed(folder / TAKEN_TABLE))
    return {key for key, number in written.items() if number > failed[key]}


def write_files(
    folder: Path,
    identity: str,
    provider: str,
    requests: Sequence[Request],
    most: int | None = None,
    megabytes: float | None = None,
) -> list[Written]:
    """Write requests as files of the provider's layout, numbered on, each with its manifest.

    The manifest is on disk before the file that can be sent off: no result can come back unknown.
    Raises DocumentError for a request larger than a file may be.
    """
    parts = list(batch.split(provider, [len(one.line) for one in requests], most, megabytes))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / IN).mkdir(exist_ok=True)
    written = []
    for number, part in enumerate(parts, start=_next_number(folder)):
        name = f"{provider}-{number:04d}"
        lines = [line_of(one.key, one.record) for one in requests[part]]
        _replace(folder / f"{identity}-{name}{MANIFEST}", b"".join(lines))
        whole = batch.whole_file(provider, [one.line for one in requests[part]])
        path = folder / f"{name}{batch.LAYOUTS[provider].suffix}"
        _replace(path, whole)
        written.append(Written(path, len(lines), len(whole)))
    return written


async def requests_of(
    calls: Mapping[str, Call], place: Place, model: _Sender, provider: str, written_at: str
) -> list[Request]:
    """Calls as requests, each with what its reply will be journalled with.

    Raises Denied when a call cannot go into a batch.
    """
    requests = []
    for key, call in calls.items():
        line = batch.request_line(provider, key, await model.body(call))
        record = {
            **asdict(place),
            "prompt_id": call.prompt_id,
            "turn": call.turn,
            "written_at": written_at,
            "dropped": model.dropped,
            "request": call.request(),
        }
        requests.append(Request(key, line, record))
    return requests


def result_files(folder: Path) -> list[Path]:
    """What the user put into ``in``, hidden files left out."""
    found = sorted((folder / IN).rglob("*"))
    return [path for path in found if path.is_file() and not path.name.startswith(".")]


async def take(
    folder: Path, written: Journal, journal: Journal, reader: _Reader, share: float
) -> list[Row]:
    """Take every result in ``in`` into the journal; a row a line, in the order of files and lines.

    ``written`` indexes the manifests, ``reader`` reads replies as live ones are read, and ``share``
    is what a call in a batch costs of the price. Taking twice changes nothing. Raises JournalError
    when a reply cannot be kept; the result files are never touched.
    """
    taking = _Taking(written, journal, reader, share)
    rows = []
    for path in result_files(folder):
        name, digest = str(path.relative_to(folder / IN)), _digest(path)
        rows += [await taking.row(name, digest, number, line) for number, line in _lines(path)]
    return rows


def write_taken(folder: Path, rows: Sequence[Row]) -> None:
    """The table of all that came back."""
    table = pl.DataFrame(rows, schema=dict(zip(Row._fields, _TYPES, strict=True)), orient="row")
    _replace(folder / TAKEN_TABLE, table.write_csv().encode())


_TYPES = (pl.String, pl.Int64, pl.String, pl.String, pl.String)


class _Taking:
    """One pass over all result lines of a model."""

    def __init__(self, written: Journal, journal: Journal, reader: _Reader, share: float):
        self.written, self.journal, self.reader, self.share = written, journal, reader, share
        self._replied: set[str] = set()
        self._failures: set[tuple[str, str]] = set()

    async def row(self, file: str, digest: str, number: int, line: bytes) -> Row:
        try:
            result = batch.read_result(line)
        except batch.NoResult as error:
            return Row(file, number, "", "unreadable", self._shown(str(error)))
        outcome, reason = await self._outcome(result, file, result.line_id or digest)
        return Row(file, number, result.custom_id, outcome, self._shown(reason))

    def _shown(self, text: str) -> str:
        """One line that a file can hold, without any key."""
        text = text.encode("utf-8", "replace").decode()
        return " ".join(self.reader.redacted(text).split())[:500]

    async def _outcome(self, result: batch.Result, file: str, source: str) -> tuple[str, str]:
        key = result.custom_id
        record = self.written.get(key)
        if record is None:
            return "unknown", "no batch file written for this model has this call"
        if key in self._replied:
            return "duplicate", "an earlier line replies to this call"
        if result.status is None or result.body is None:
            return self._failure(result.custom_id, source, result.reason)
        reported = result.body.get("model") if result.status == 200 else None
        asked = record["request"]["model"]
        if not _may_be(asked, reported) and ANY_MODEL not in Path(file).parts[:-1]:
            return "other-model", (
                f"asked was {asked}, the reply is from {reported}; if that is the same model, move "
                f"the file into {IN}/{ANY_MODEL}/"
            )
        kept = self.journal.get(key)
        if kept is not None:
            self._replied.add(key)
            return _again(kept)
        return await self._keep(result, record, source)

    async def _keep(
        self, result: batch.Result, record: Mapping[str, Any], source: str
    ) -> tuple[str, str]:
        outcome, reason = "taken", ""
        try:
            reply = await self.reader.read(
                _call(record), record["dropped"], result.status, result.body
            )
        except Filtered as error:
            reply, outcome = Reply(text=str(error), finish_reason="content_filter"), "filtered"
        except RespondentError as error:
            return self._failure(result.custom_id, source, str(error))
        if reply.cost_usd is not None:
            reply = replace(reply, cost_usd=reply.cost_usd * self.share)
        self.journal.append(
            result.custom_id, _journalled(record, reply, outcome == "filtered", result.body)
        )
        self._replied.add(result.custom_id)
        return outcome, reason

    def _failure(self, key: str, source: str, reason: str) -> tuple[str, str]:
        """A result without a reply counts once, also where its file was put in twice."""
        if (key, source) in self._failures:
            return "duplicate", "this failure stands on an earlier line"
        self._failures.add((key, source))
        return "failed", reason


def _again(kept: Mapping[str, Any]) -> tuple[str, str]:
    if not kept.get("batch"):
        return "held", "this call was asked live; that reply counts"
    return ("filtered" if kept["filtered"] else "taken"), ""


def _may_be(asked: str, reported: object) -> bool:
    return reported is None or (isinstance(reported, str) and batch.same_model(asked, reported))


def _call(record: Mapping[str, Any]) -> Call:
    request = record["request"]
    return Call(
        request["model"],
        request["api_base"],
        request["params"],
        tuple(request["messages"]),
        request["sample"],
        request["attempt"],
    )


def _journalled(
    record: Mapping[str, Any], reply: Reply, filtered: bool, body: Mapping[str, Any]
) -> dict[str, Any]:
    """The journal's record of a call whose reply came in a batch."""
    names = ("study", "model", "form", "block", "prompt_id", "turn", "request")
    return {
        **{name: record[name] for name in names},
        "asked_at": _asked_at(body.get("created"), record["written_at"]),
        "latency_s": None,
        "filtered": filtered,
        "reply": asdict(reply),
        "batch": True,
    }


def _asked_at(created: object, written_at: str) -> str:
    """When the provider says that it replied, else when the batch was written."""
    if not isinstance(created, int) or not 0 < created < _LATEST:
        return written_at
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created))


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line


def _failed(table: Path) -> list[str]:
    if not table.exists():
        return []
    rows = pl.read_csv(table, schema_overrides=dict(zip(Row._fields, _TYPES, strict=True)))
    return rows.filter(pl.col("outcome") == "failed")["custom_id"].to_list()


def _sent_file(manifest: Path) -> Path | None:
    """The file to send off that a manifest belongs to; None once it is withdrawn."""
    name = manifest.name.removesuffix(MANIFEST).split("-", 1)[1]
    suffix = batch.LAYOUTS[name.rsplit("-", 1)[0]].suffix
    path = manifest.with_name(f"{name}{suffix}")
    return path if path.exists() else None


def _next_number(folder: Path) -> int:
    """One more than the largest number of a file or a manifest: none is ever used twice."""
    found = (_NUMBER.fullmatch(path.name) for path in folder.iterdir())
    return 1 + max((int(one[1]) for one in found if one), default=0)


def _replace(path: Path, content: bytes) -> None:
    """Put a whole file on disk, or none."""
    beside = path.with_name(f".{path.name}.part")
    with open(beside, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
