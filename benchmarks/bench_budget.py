"""What a budget adds: microseconds a call in the ledger, and seconds to open it on a long journal."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from rationale.asking.budget import most, recorded_cost
from rationale.asking.journal import Journal
from rationale.asking.ledger import FOLDER, Allowance, Books, Ledger
from rationale.asking.prices import Prices
from rationale.config import identity_of
from rationale.respondents.base import Call

CALLS, FILES, LINES = 5000, 50, 1000
ME = identity_of("openai/bench", None)
MESSAGES = ({"role": "user", "content": "word " * 180},)


def ledger_microseconds(folder: Path, allowances: int, rows: int) -> float:
    """Reserving and settling a call, beside so many rows of living processes."""
    found = [Allowance(f"{n}", "bench", 1e9, frozenset([ME])) for n in range(allowances)]
    ledgers = [
        Ledger(folder / FOLDER, found, lambda identities, besides: 0.0, str(row))
        for row in range(rows)
    ]
    start = perf_counter()
    for _ in range(CALLS):
        ledgers[-1].reserve(1e-3)
        ledgers[-1].settle(1e-3, 1e-4)
    seconds = perf_counter() - start
    for one in ledgers:
        one.close()
    return seconds / CALLS * 1e6


def bound_microseconds() -> float:
    """The most that a call of 900 characters can cost."""
    start = perf_counter()
    for _ in range(CALLS):
        most(MESSAGES, {"max_tokens": 16}, Prices(1, 4, "config"))
    return (perf_counter() - start) / CALLS * 1e6


def write_journal(folder: Path) -> None:
    """Files of a journal, a cent of a cent a line."""
    for file in range(FILES):
        journal = Journal(folder, f"slug-{file}", ME)
        for number in range(LINES):
            params = {"max_tokens": 16}
            call = Call("openai/bench", None, params, MESSAGES, file * LINES + number, 1)
            reply = {"cost_usd": 1e-4, "text": "A"}
            journal.append(
                call.key(), {"filtered": False, "request": call.request(), "reply": reply}
            )
        journal.close()


def main() -> None:
    for allowances, rows in ((1, 1), (2, 1), (2, 64)):
        with tempfile.TemporaryDirectory() as folder:
            taken = ledger_microseconds(Path(folder), allowances, rows)
        print(f"{allowances} max_usd, {rows} jobs: {taken:.1f} µs a call")
    print(f"the most a call can cost: {bound_microseconds():.1f} µs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_journal(folder)
        (folder / FOLDER).mkdir()
        for what in ("first", "second"):
            start = perf_counter()
            usd = Books(folder, recorded_cost, lambda call: 0.0).paid(frozenset([ME]), set())
            seconds = perf_counter() - start
            print(f"{FILES * LINES:,} replies, {what} opening: {seconds:.4f} s, {usd:.2f} USD")


if __name__ == "__main__":
    main()
