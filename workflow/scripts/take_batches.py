"""Take the results that providers sent back into the journal."""

import asyncio
from collections import Counter
from pathlib import Path

from rationale.asking.batch_files import result_files, take, write_taken
from rationale.asking.journal import Journal
from rationale.config import identity_of
from rationale.logs import job_log
from rationale.respondents.batched import OfflineModel

BATCHES, JOURNALS = Path("results/batches"), Path("results/journal")
STRANGE = ("unknown", "other-model", "unreadable")


async def taken(slug, spec, min_free_mb):
    """The rows of all result files of a model."""
    identity = identity_of(spec["llm"], spec.get("api_base"))
    journal = Journal(JOURNALS, slug, identity, min_free_mb)
    model = OfflineModel(spec)
    share = spec.get("prices", {}).get("batch_share", 0.5)
    try:
        journal.room()
        written = Journal(BATCHES, slug, identity)
        return await take(BATCHES / slug, written, journal, model, share)
    finally:
        journal.close()
        await model.close()


def say(line):
    """To the terminal, and to the log."""
    print(line, flush=True)
    print(line, file=log, flush=True)


with job_log(snakemake.log[0]) as log:
    models = snakemake.params.models.value
    there = {slug: spec for slug, spec in models.items() if result_files(BATCHES / slug)}
    for slug, spec in there.items():
        rows = asyncio.run(taken(slug, spec, snakemake.params.min_free_mb.value))
        write_taken(BATCHES / slug, rows)
        counts = Counter(row.outcome for row in rows)
        say(f"{slug}: {', '.join(f'{number} {name}' for name, number in sorted(counts.items()))}")
        for row in [row for row in rows if row.outcome in STRANGE][:5]:
            say(f"  {row.file}, line {row.line}: {row.outcome}: {row.reason}")
    if not there:
        say(
            "no result file found; put what the provider sent back into results/batches/{model}/in/"
        )
