"""Run every fault of tests/chaos.py and print what became of each call, as a Markdown table.

python benchmarks/chaos.py [part of a case's name]
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from chaos import FAULTS, Case, Outcome, can_mount, outcome, table


def counted(case: Case) -> Outcome:
    """A case in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        found = outcome(case, Path(folder))
    print(table([found]).splitlines()[-1], file=sys.stderr, flush=True)
    return found


def main() -> None:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [case for case in FAULTS if wanted in case.name and (not case.around or can_mount())]
    with ThreadPoolExecutor(2) as pool:
        print(table(list(pool.map(counted, cases))))


if __name__ == "__main__":
    main()
