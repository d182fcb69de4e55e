"""The journal: every reply, kept the moment it arrives, whatever happens to anything else.

A line is one call. It opens with the call's key, so that indexing needs no parsing, and carries a
checksum of the rest, so that a line changed by hand is told from a line torn by a crash. Files are
written by one process each and never rewritten.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rationale.config import canonical

_HEAD = b'{"call_key":"'
_KEY = slice(len(_HEAD), len(_HEAD) + 64)
_CHECK_HEAD = b'","check":"'
_CHECK = slice(_KEY.stop + len(_CHECK_HEAD), _KEY.stop + len(_CHECK_HEAD) + 16)
_CALL_HEAD = b'","call":'
_CALL_START = _CHECK.stop + len(_CALL_HEAD)
_SYNC_EVERY_S = 2.0
_LOOK_EVERY_S = 0.25


class JournalError(RuntimeError):
    """The journal cannot be trusted or written; the message says where and what to do."""


class Journal:
    """All kept replies of one model, and a file of this process's own for new ones.

    ``root`` is the directory of all journals, ``slug`` the model's folder for new files, and
    ``identity`` the model's digest in file names: files of the same model under another slug are
    found as well.
    """

    def __init__(self, root: str | Path, slug: str, identity: str, min_free_mb: float = 0):
        self.folder = Path(root) / slug
        self.identity = identity
        self.min_free = min_free_mb * 1e6
        self.places: dict[str, tuple[Path, int]] = {}
        self.torn: list[str] = []
        for path in sorted(Path(root).glob(f"*/{identity}-*.jsonl")):
            self._index(path)
        self._fd: int | None = None
        self._size = 0
        self._synced = 0.0
        self._looked = float("-inf")

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def __len__(self) -> int:
        return len(self.places)

    def get(self, key: str) -> dict[str, Any] | None:
        """The kept call for a key, or None.

        Raises JournalError when its line was changed after it was written.
        """
        if key not in self.places:
            return None
        path, offset = self.places[key]
        with open(path, "rb") as file:
            file.seek(offset)
            line = file.readline()
        return _parse(line, path, offset)

    def room(self) -> None:
        """Make sure that what is about to be paid for can be kept; raise JournalError if not.

        The disk is looked at once in a quarter of a second: what can arrive meanwhile is small.
        """
        if self._fd is None:
            self._open()
        if time.monotonic() < self._looked + _LOOK_EVERY_S:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        disk = os.statvfs(self.folder)
        free = disk.f_bavail * disk.f_frsize
        if free < self.min_free:
            raise JournalError(
                f"{self.folder}: {free / 1e6:.0f} MB of disk left, less than the "
                f"{self.min_free / 1e6:.0f} MB of asking.min_free_mb; no further call is made. What "
                f"was answered is kept. Make room and run again: only the rest is asked."
            )
        self._looked = time.monotonic()

    def append(self, key: str, call: Mapping[str, Any]) -> None:
        """Keep a call: one line, handed to the operating system before this returns.

        Raises JournalError when it cannot be written; a line half written is taken back.
        """
        line = line_of(key, call)
        try:
            if self._fd is None:
                self._create()
            self._write(line)
        except OSError as error:
            raise JournalError(
                f"{self.folder}: a reply could not be kept ({error.strerror}). Every earlier reply is "
                f"kept.{self._rescue(line)} Make room and run again: only the rest is asked."
            ) from error
        self.places[key] = (self.path, self._size)
        self._size += len(line)
        if time.monotonic() - self._synced > _SYNC_EVERY_S:
            os.fsync(self._fd)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Bring what was written safely to disk."""
        if self._fd is not None:
            os.fsync(self._fd)
            os.close(self._fd)
            self._fd = None
            if self._size == 0:
                self.path.unlink()

    def _write(self, line: bytes) -> None:
        try:
            _write_all(self._fd, line)
        except OSError:
            os.ftruncate(self._fd, self._size)
            raise

    def _rescue(self, line: bytes) -> str:
        """Put a paid reply that the journal has no room for on another disk, and say where."""
        path = Path(tempfile.gettempdir()) / f"{self.identity}-rescued-{secrets.token_hex(4)}.jsonl"
        try:
            path.write_bytes(line)
        except OSError:
            path.unlink(missing_ok=True)
            return ""
        return f" This one is in {path}: move that file to {self.folder}."

    def _open(self) -> None:
        try:
            self._create()
        except OSError as error:
            raise JournalError(
                f"{self.folder}: no journal can be written there ({error.strerror}); no call is "
                f"made. Mend that and run again."
            ) from error

    def _create(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self.path = self.folder / f"{self.identity}-{stamp}-{secrets.token_hex(4)}.jsonl"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._fd = os.open(self.path, flags, 0o644)

    def _index(self, path: Path) -> None:
        offset = 0
        with open(path, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    self.torn.append(f"{path}: the last line is torn; its call will be made again")
                elif line.strip():
                    self.places.setdefault(_key_of(line, path, offset), (path, offset))
                offset += len(line)


def line_of(key: str, call: Mapping[str, Any]) -> bytes:
    """A call as a line of a journal file: its key, a checksum of the rest, and the rest."""
    body = canonical(call).encode()
    return b"".join((_HEAD, key.encode(), _CHECK_HEAD, _checksum(body), _CALL_HEAD, body, b"}\n"))


def keys(path: str | Path) -> list[str]:
    """The keys of every whole line of a file in the journal's layout; nothing else is looked at."""
    found, offset = [], 0
    with open(path, "rb") as file:
        for line in file:
            if line.endswith(b"\n") and line.strip():
                found.append(_key_of(line, Path(path), offset))
            offset += len(line)
    return found


def calls(path: str | Path) -> Iterator[dict[str, Any]]:
    """Every whole line of a journal file, checked; a torn last line is passed over."""
    offset = 0
    with open(path, "rb") as file:
        for line in file:
            if line.endswith(b"\n") and line.strip():
                yield _parse(line, Path(path), offset)
            offset += len(line)


def entries(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Key and call of every whole line of a journal file; a torn last line is passed over.

    Faster than `calls`: a line is held against its checksum, its key not against its request.
    Raises JournalError for a line that was changed.
    """
    path, offset = Path(path), 0
    with open(path, "rb") as file:
        for line in file:
            if line.endswith(b"\n") and line.strip():
                key, body = _key_of(line, path, offset), line[_CALL_START:-2]
                if _checksum(body) != line[_CHECK]:
                    raise _changed(path, offset)
                yield key, json.loads(body)
            offset += len(line)


def _write_all(fd: int, line: bytes) -> None:
    written = 0
    while written < len(line):
        written += os.write(fd, line[written:])


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def _key_of(line: bytes, path: Path, offset: int) -> str:
    key = line[_KEY]
    if not line.startswith(_HEAD) or line[_KEY.stop : _CHECK.start] != _CHECK_HEAD:
        raise _changed(path, offset)
    return key.decode("ascii", "replace")


def _parse(line: bytes, path: Path, offset: int) -> dict[str, Any]:
    body = line[_CALL_START:-2]
    if line[_CHECK.stop : _CALL_START] != _CALL_HEAD or _checksum(body) != line[_CHECK]:
        raise _changed(path, offset)
    call = json.loads(body)
    request = canonical(call["request"]).encode()
    if hashlib.sha256(request).hexdigest().encode() != line[_KEY]:
        raise _changed(path, offset)
    return call


def _changed(path: Path, offset: int) -> JournalError:
    with open(path, "rb") as file:
        number = file.read(offset).count(b"\n") + 1
    return JournalError(
        f"{path}, line {number}: changed after it was written (its checksum does not match). Nothing "
        f"was asked and nothing deleted. Put the original line back, or remove the line to have that "
        f"one call made again."
    )
