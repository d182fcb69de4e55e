"""Write every call that can be asked now, and that nobody has asked yet, into batch files."""

import asyncio
import json
import time
from pathlib import Path

import polars as pl

from rationale.asking.ask import Place
from rationale.asking.batch_files import open_calls, requests_of, write_files
from rationale.asking.journal import Journal
from rationale.asking.pending import pending
from rationale.asking.prompts import from_table
from rationale.config import identity_of
from rationale.logs import job_log
from rationale.respondents.base import Denied
from rationale.respondents.batched import OfflineModel
from rationale.schema import DocumentError
from rationale.surveys import reader_of
from rationale.surveys.psm.blocks import OPENING
from rationale.surveys.psm.check import OPENING_FORM
from rationale.surveys.psm.following import following_prompts
from rationale.surveys.psm.forms import read_form
from rationale.surveys.psm.survey import read_survey

BATCHES, JOURNALS = Path("results/batches"), Path("results/journal")


def say(line):
    """To the terminal, and to the log."""
    print(line, flush=True)
    print(line, file=log, flush=True)


class Writing:
    """One model's calls: found part by part, written together."""

    def __init__(self, slug, spec):
        self.slug, self.spec = slug, spec
        self.identity = identity_of(spec["llm"], spec.get("api_base"))
        self.journal = Journal(JOURNALS, slug, self.identity)
        self.open = open_calls(BATCHES, slug, self.identity)
        self.parts, self.waiting, self.seen, self.going_on = [], 0, set(), 0

    def add(self, part, prompts):
        """Note the calls of a part; its answers if it is complete, else None."""
        place = Place(part["study"], self.slug, part["form"], part["block"])
        model = OfflineModel({**self.spec, **json.loads(part["respondent"])})
        found = pending(
            prompts, place, model.asked, part["attempts"], self.journal, reader_of(place.study)
        )
        turns = {one.prompt_id: len(one.turns) for one in prompts}
        new = {key: call for key, call in found.calls.items() if key not in self.seen}
        self.going_on += sum(call.turn + 1 < turns[call.prompt_id] for call in new.values())
        self.seen |= set(new)
        self.waiting += sum(key in self.open for key in new)
        calls = {key: call for key, call in new.items() if key not in self.open}
        self.parts += [(place, model, calls)] if calls else []
        return None if found.calls else found.answers

    async def write(self, most, megabytes):
        """Write the files; what was written."""
        now, requests = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), []
        for place, model, calls in self.parts:
            requests += await requests_of(calls, place, model, model.provider, now)
            await model.close()
        provider = self.spec["llm"].split("/")[0]
        folder = BATCHES / self.slug
        return write_files(folder, self.identity, provider, requests, most, megabytes)


def add_rounds(writing, plan, opening, psm):
    """The constrained rounds of every form, once the open answer is known."""
    schemas = Path(snakemake.params.schemas.value)
    survey = read_survey(psm["survey"], schemas / "survey.schema.json")
    for form, files in psm["forms"].items():
        template = read_form(files[-1], schemas / "form.schema.json")
        blocks = following_prompts(
            survey, template, opening, psm["options"], psm["seed"], psm["blocks"]
        )
        for block, prompts in blocks.items():
            writing.add({**plan["rounds"], "form": form, "block": block}, prompts)


def write_model(slug, plan, psm, limits):
    """Write one model's batch files and say what was and was not written."""
    writing, opening = Writing(slug, plan["model"]), None
    for part in plan["parts"]:
        answers = writing.add(part, from_table(pl.read_parquet(part["path"])))
        if (part["study"], part["form"], part["block"]) == ("psm", OPENING_FORM, OPENING):
            opening = answers
    if opening is not None:
        add_rounds(writing, plan, opening, psm)
    written = asyncio.run(writing.write(*limits))
    for one in written:
        say(f"{slug}: {one.calls} calls, {one.size / 1e6:.3f} MB in {one.path}")
    if writing.waiting:
        say(f"{slug}: {writing.waiting} calls wait in files written before")
    if writing.going_on:
        say(
            f"{slug}: {writing.going_on} of these conversations go on; take their replies in, then "
            f"write again"
        )
    if plan["rounds"] and opening is None:
        say(
            f"{slug}: the constrained rounds follow from the open answer; take its reply in, then "
            f"write again"
        )
    if not written and not writing.waiting:
        say(f"{slug}: nothing is left to ask; the journal has every reply")


with job_log(snakemake.log[0]) as log:
    params, problems = snakemake.params, []
    for slug, plan in params.plans.value.items():
        try:
            write_model(slug, plan, params.psm.value, params.limits.value)
        except (Denied, DocumentError) as error:
            problems.append(f"models.{slug}: {error}")
    if problems:
        raise DocumentError(problems)
