"""What is paid and reserved, kept together by all processes that may spend from one amount.

The truth is the journal. Beside it, in a folder of its own, an account is a table of numbers: what
finished processes paid, then a row a living process: paid, reserved. A row is held by a file lock,
which the system lets go of when the process dies; what the dead one paid is then read from its
journal file, and what it reserved is free again. Every look and change is under one lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rationale.asking.journal import calls

FOLDER = "_ledger"  # no slug may begin like this
_NUMBER = array("d").itemsize
_LARGEST_TABLE = 2**20

Paid = Callable[[frozenset[str], set[str]], float]


class Allowance(NamedTuple):
    """An amount that may be spent on the models of some identities.

    ``setting`` is where the config says so, ``name`` that of the account. ``max_usd`` is infinite for a
    model that has no such limit itself, but shares its account with one that has.
    """

    name: str
    setting: str
    max_usd: float
    identities: frozenset[str]


class Short(NamedTuple):
    """An amount that does not fit: the allowance, and what is paid and reserved of it (US dollars)."""

    allowance: Allowance
    paid: float
    reserved: float


class Ledger:
    """A process's row in the accounts of its allowances.

    ``paid`` gives what the journal files of some identities cost, some files left out;
    ``journal_file`` is the one that this process writes.
    """

    def __init__(
        self, folder: Path, allowances: Sequence[Allowance], paid: Paid, journal_file: str
    ):
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._allowances, self._journal_paid = folder, allowances, paid
        self._lock = _open(folder / "lock")
        self._tables = [_open(folder / f"{one.name}.account") for one in allowances]
        self._paid = self._unsure = self._reserved = 0.0
        self._in_flight = 0
        with self._locked():
            living = self._living()
            self._place = next(n for n in range(len(living) + 1) if n not in living)
            self._held = _open(self._slot(self._place))
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._held, 0)
            os.pwrite(self._held, journal_file.encode(), 0)
            self._recount(living | {self._place: journal_file})

    def reserve(self, usd: float) -> Short | None:
        """Set an amount aside for a call, or say of which allowance too little is left."""
        with self._locked():
            for table, allowance in zip(self._tables, self._allowances, strict=True):
                if math.isinf(allowance.max_usd):
                    continue
                numbers = _read(table)
                paid, reserved = numbers[0] + sum(numbers[1::2]), sum(numbers[2::2])
                if paid + reserved + usd > allowance.max_usd:
                    return Short(allowance, paid, reserved)
            self._reserved += usd
            self._in_flight += 1
            self._write_row()
        return None

    def settle(self, reserved: float, paid: float, unsure: float = 0.0) -> None:
        """A call is over: its reservation is free, and what it cost is paid.

        ``unsure`` may have been billed, but no reply came: it counts until this process ends.
        """
        self._in_flight -= 1
        # Exactly nothing when nothing is in flight: sums of fractions leave crumbs.
        self._reserved = self._reserved - reserved if self._in_flight else 0.0
        self._paid += paid
        self._unsure += unsure
        with self._locked():
            self._write_row()

    def release_dead(self) -> None:
        """Free what processes that were killed had reserved, and read what they paid."""
        with self._locked():
            living = self._living()
            if any(_rows(_read(table)) - living.keys() for table in self._tables):
                self._recount(living)

    def close(self) -> None:
        """Give the row back; what was paid stays."""
        with self._locked():
            for table in self._tables:
                numbers = _read(table)
                numbers[0] += self._paid
                os.pwrite(table, numbers[:1].tobytes(), 0)
            self._paid = self._unsure = self._reserved = 0.0
            self._write_row()
            os.close(self._held)
        for fd in (*self._tables, self._lock):
            os.close(fd)

    def _write_row(self) -> None:
        row = array("d", [self._paid + self._unsure, self._reserved]).tobytes()
        for table in self._tables:
            os.pwrite(table, row, (1 + 2 * self._place) * _NUMBER)

    def _recount(self, living: dict[int, str]) -> None:
        """Rows of the living stay; the rest is what the journal says."""
        for table, allowance in zip(self._tables, self._allowances, strict=True):
            old = _read(table)
            numbers = array("d", [0.0] * (1 + 2 * (max(living, default=-1) + 1)))
            numbers[0] = self._journal_paid(allowance.identities, set(living.values()))
            for place in _rows(old) & living.keys():
                numbers[1 + 2 * place : 3 + 2 * place] = old[1 + 2 * place : 3 + 2 * place]
            os.ftruncate(table, 0)
            os.pwrite(table, numbers.tobytes(), 0)

    def _living(self) -> dict[int, str]:
        """The journal file of every row whose process lives."""
        found = {}
        for path in self._folder.glob("slot-*"):
            fd = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                found[int(path.name.removeprefix("slot-"))] = os.pread(fd, 4096, 0).decode()
            finally:
                os.close(fd)
        return found

    def _slot(self, place: int) -> Path:
        return self._folder / f"slot-{place:04d}"

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_UN)


class Books:
    """What the files of a journal cost, in US dollars.

    A finished file is read once: its sum is kept by its size. ``cost`` is that of a line, None when
    the line does not say; ``assumed`` then stands for it, and the file is read again next time.
    """

    def __init__(
        self,
        journals: Path,
        cost: Callable[[dict[str, Any]], float | None],
        assumed: Callable[[dict[str, Any]], float],
    ):
        self._journals, self._cost, self._assumed = journals, cost, assumed
        self._file = journals / FOLDER / "counted.tsv"

    def paid(self, identities: frozenset[str], besides: set[str]) -> float:
        """The cost of all files of these identities, under whatever slug, ``besides`` left out.

        Raises JournalError for a line that was changed after it was written.
        """
        known = self._known()
        before, total = dict(known), []
        for path in sorted(self._journals.glob("*/*.jsonl")):
            name = path.relative_to(self._journals).as_posix()
            if path.name.split("-")[0] in identities and name not in besides:
                total.append(self._cost_of(path, name, known))
        if known != before:
            self._keep(known)
        return math.fsum(total)

    def _cost_of(self, path: Path, name: str, known: dict[str, tuple[int, float]]) -> float:
        size = path.stat().st_size
        if name in known and known[name][0] == size:
            return known[name][1]
        said, guessed = [], []
        for call in calls(path):
            cost = self._cost(call)
            (guessed if cost is None else said).append(
                self._assumed(call) if cost is None else cost
            )
        if not guessed:
            known[name] = (size, math.fsum(said))
        return math.fsum(said + guessed)

    def _known(self) -> dict[str, tuple[int, float]]:
        if not self._file.exists():
            return {}
        rows = (line.split("\t") for line in self._file.read_text().splitlines())
        return {name: (int(size), float(usd)) for name, size, usd in rows}

    def _keep(self, known: dict[str, tuple[int, float]]) -> None:
        lines = [f"{name}\t{size}\t{usd!r}\n" for name, (size, usd) in sorted(known.items())]
        beside = self._file.with_suffix(".new")
        beside.write_text("".join(lines))
        beside.replace(self._file)


def _rows(numbers: array) -> set[int]:
    """The places whose rows hold anything."""
    return {n for n in range(len(numbers) // 2) if any(numbers[1 + 2 * n : 3 + 2 * n])}


def _read(table: int) -> array:
    numbers = array("d")
    raw = os.pread(table, _LARGEST_TABLE, 0)
    numbers.frombytes(raw[: len(raw) // _NUMBER * _NUMBER])
    return numbers or array("d", [0.0])


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
