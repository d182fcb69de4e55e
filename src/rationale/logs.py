"""A job's log: what it says, and how it ends when it fails."""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from rationale.asking.ask import Stopped
from rationale.asking.journal import JournalError
from rationale.redaction import without_known
from rationale.respondents.base import RespondentError
from rationale.schema import DocumentError

EXPECTED = (DocumentError, JournalError, RespondentError, Stopped)


class _Log(io.TextIOWrapper):
    """A text file that no key of the environment is written to.

    A traceback shows whatever a library put into its error: headers, addresses.
    """

    def __init__(self, path: str | Path, keys: Sequence[str]):
        super().__init__(io.BufferedWriter(io.FileIO(path, "w")), encoding="utf-8")
        self._keys = keys

    def write(self, text: str) -> int:
        super().write(without_known(text, keys=self._keys))
        return len(text)


@contextlib.contextmanager
def job_log(path: str | Path, keys: Sequence[str] = ()) -> Iterator[TextIO]:
    """The open log of a job.

    ``keys`` are variables of the environment whose values are kept out of it; those whose names
    sound like a key's are in any case.

    An error that a user can mend ends the job with its message alone; any other with the whole
    traceback. Either way the process exits with status 1.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with _Log(path, keys) as log:
        try:
            yield log
        except EXPECTED as error:
            print(f"Error: {error}", file=log)
        except Exception:
            traceback.print_exc(file=log)
        else:
            return
    sys.exit(1)
