"""How far an ask has come: a bar in a terminal, plain lines in a log."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from tqdm import tqdm


class Progress:
    """Counts prompts done; ``log`` gets a line every ``every_s`` seconds and one at the end."""

    def __init__(self, total: int, what: str, log: TextIO, every_s: float = 10.0):
        self.total, self.what, self.log, self.every_s = total, what, log, every_s
        self.done = self.asked = self.kept = 0
        self.spent: float | None = 0.0
        self.started = self.told = time.monotonic()
        self.bar = (
            tqdm(total=total, desc=what, file=sys.stderr, leave=False, unit="prompt")
            if sys.stderr.isatty()
            else None
        )

    def call(self, from_journal: bool, cost: float | None) -> None:
        """A reply is there: from the journal, or paid for now."""
        self.kept += from_journal
        self.asked += not from_journal
        if not from_journal:
            self.spent = None if self.spent is None or cost is None else self.spent + cost

    def prompt(self) -> None:
        """A prompt is done."""
        self.done += 1
        if self.bar is not None:
            self.bar.update()
        if time.monotonic() - self.told > self.every_s:
            self.say(self.line())
            self.told = time.monotonic()

    def say(self, line: str) -> None:
        """A line for the log, with the time."""
        print(time.strftime("%H:%M:%S"), line, file=self.log, flush=True)

    def line(self) -> str:
        """How far, how fast, and what it cost so far."""
        seconds = max(time.monotonic() - self.started, 1e-9)
        left = self.total - self.done
        rate = self.done / seconds
        eta = f", about {left / rate:.0f} s left" if left and self.done else ""
        spent = "unknown cost" if self.spent is None else f"{self.spent:.4f} USD"
        return (
            f"{self.what}: {self.done} of {self.total} prompts, {self.asked} calls made, "
            f"{self.kept} from the journal, {spent}, {rate:.1f} prompts/s{eta}"
        )

    def close(self) -> None:
        """Take the bar away and write the last line."""
        if self.bar is not None:
            self.bar.close()
        self.say(self.line())
