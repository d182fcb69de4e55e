"""Prompts that one process at a time may ask: another that wants the same waits until it is done.

Snakemake keeps two runs off one folder, but not with --nolock, and not where two folders share a
journal. A claim is a byte of a file, named by a call's key and locked; the system lets go of it when
its process dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Collection
from pathlib import Path

FOLDER = "_claims"  # no slug may begin like this
_POLL_S = 0.2
# Offsets in a file have 63 bits.
_DIGITS = 15


@contextlib.asynccontextmanager
async def claimed(
    path: Path, keys: Collection[str], tell: Callable[[str], None]
) -> AsyncIterator[None]:
    """Hold the claims on calls by these keys; read the journal within, and ask what it lacks.

    They are taken in one order everywhere, so that no two processes wait for each other. ``tell``
    hears of a wait.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Opened once a process and closed at the end: closing lets go of every lock on the file.
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        told = False
        for place in sorted({int(key[:_DIGITS], 16) for key in keys}):
            while not _lock(fd, place):
                if not told:
                    tell("another process asks the same; its replies are waited for")
                    told = True
                await asyncio.sleep(_POLL_S)
        yield
    finally:
        os.close(fd)


def _lock(fd: int, place: int) -> bool:
    try:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):  # which of the two is up to the system
        return False
    return True
