"""A job's log: what it says, and how it ends when it fails."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rationale.asking.ask import Stopped
from rationale.asking.journal import JournalError
from rationale.respondents.base import RespondentError
from rationale.schema import DocumentError

EXPECTED = (DocumentError, JournalError, RespondentError, Stopped)


@contextlib.contextmanager
def job_log(path: str | Path) -> Iterator[TextIO]:
    """The open log of a job.

    An error that a user can mend ends the job with its message alone; any other with the whole
    traceback. Either way the process exits with status 1.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as log:
        try:
            yield log
        except EXPECTED as error:
            print(f"Error: {error}", file=log)
        except Exception:
            traceback.print_exc(file=log)
        else:
            return
    sys.exit(1)
