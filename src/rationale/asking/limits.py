"""Limits that all processes of a machine keep together: calls in flight, calls and tokens a minute.

Slots are file locks, which the system lets go of when a process dies. The pace is five numbers in
one small file: when the next request and the next tokens are due (the generic cell rate algorithm),
until when everybody waits (Retry-After), an extra gap between requests that doubles when the provider
is busy and shrinks when it answers, and when it last doubled.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import random
import struct
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

_STATE = struct.Struct("5d")
_POLL_S = 0.02
_FIRST_GAP_S, _LARGEST_GAP_S, _SMALLEST_GAP_S = 0.05, 10.0, 0.005
# Calls in flight are refused together: one refusal in this time counts.
_EPISODE_S = 1.0
# A hold further ahead than any job would wait is a leftover and holds nobody.
_LONGEST_HOLD_S = 3600.0


class Limits:
    """What one model allows; ``None`` is no limit. ``folder`` is shared by all processes."""

    def __init__(
        self,
        folder: str | Path,
        concurrency: int,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
    ):
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._slots = [_open(folder / f"slot-{number:04d}") for number in range(concurrency)]
        self._free = list(range(concurrency))
        self._mine = asyncio.Semaphore(concurrency)
        self._pace = _open(folder / "pace")
        self._request_gap = 60 / requests_per_minute if requests_per_minute else 0.0
        self._token_gap = 60 / tokens_per_minute if tokens_per_minute else 0.0
        self._gap_seen = 0.0

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the places in flight."""
        async with self._mine:
            place = await self._lock_any()
            try:
                yield
            finally:
                fcntl.flock(self._slots[place], fcntl.LOCK_UN)
                self._free.append(place)

    async def turn(self, tokens: int, stopped: Callable[[], bool] = lambda: False) -> None:
        """Wait until a request of this size is due, or ``stopped``. ``tokens`` is an estimate."""
        while (wait := self._book(tokens)) > 0 and not stopped():  # noqa: ASYNC110
            await asyncio.sleep(min(wait, 1.0))

    def settle(self, estimated: int, used: int | None) -> None:
        """Correct the token count after a reply, and close the extra gap a little."""
        if not self._token_gap and not self._gap_seen:
            return  # nothing to correct: a call costs fewer system calls
        with self._state() as state:
            if used is not None:
                state[1] += (used - estimated) * self._token_gap
            state[3] = 0.0 if state[3] < _SMALLEST_GAP_S else state[3] * 0.8

    def slow_down(self, wait_s: float | None) -> None:
        """The provider is busy: everybody waits, and the gap between requests doubles."""
        with self._state() as state:
            now = time.time()
            if wait_s is not None:
                state[2] = max(state[2], now + wait_s)
            if now > state[4] + _EPISODE_S:
                state[3] = min(max(state[3] * 2, _FIRST_GAP_S), _LARGEST_GAP_S)
                self._gap_seen = state[3]
                state[4] = now

    def close(self) -> None:
        """Let go of the files."""
        for fd in (*self._slots, self._pace):
            os.close(fd)

    async def _lock_any(self) -> int:
        while True:
            for index, place in enumerate(self._free):
                try:
                    fcntl.flock(self._slots[place], fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                return self._free.pop(index)
            await asyncio.sleep(_POLL_S * (0.5 + random.random()))

    def _book(self, tokens: int) -> float:
        """Seconds to wait, or 0 and the request is booked."""
        now = time.time()
        with self._state() as state:
            hold = state[2] if state[2] < now + _LONGEST_HOLD_S else 0.0
            due = max(state[0], state[1], hold)
            if due > now:
                return due - now
            self._gap_seen = state[3]
            gap = max(self._request_gap, self._gap_seen)
            if gap:
                state[0] = now + gap
            if self._token_gap:
                state[1] = max(state[1], now) + tokens * self._token_gap
        return 0.0

    @contextlib.contextmanager
    def _state(self) -> Iterator[list[float]]:
        fcntl.flock(self._pace, fcntl.LOCK_EX)
        try:
            raw = os.pread(self._pace, _STATE.size, 0)
            state = list(_STATE.unpack(raw)) if len(raw) == _STATE.size else [0.0] * 5
            before = state.copy()
            yield state
            if state != before:
                os.pwrite(self._pace, _STATE.pack(*state), 0)
        finally:
            fcntl.flock(self._pace, fcntl.LOCK_UN)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
