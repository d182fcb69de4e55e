"""Estimate what is still to be asked of each model, and what it may cost; ask nobody."""

import json
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from rationale.asking import estimate as estimates
from rationale.asking.prices import prices_of
from rationale.config import cosmetic_of, identity_of, kind_of
from rationale.logs import job_log
from rationale.reporting.cost import Costs, cost_row, cost_table, free_row, shown, tokens_from
from rationale.respondents import build
from rationale.respondents.llm import may_reason
from rationale.surveys import reader_of
from rationale.surveys.moralchoice.forms import read_template
from rationale.surveys.moralchoice.prompts import block_prompts
from rationale.surveys.moralchoice.scenarios import read_scenarios
from rationale.surveys.psm.forms import read_form
from rationale.surveys.psm.planned import Planned
from rationale.surveys.psm.reading import read
from rationale.surveys.psm.survey import read_survey
from rationale.surveys.shortest import shortest_reply

PARAMS = snakemake.params
SCHEMAS = Path(PARAMS.schemas.value)
MODELS, PSM, MORAL = PARAMS.models.value, PARAMS.psm.value, PARAMS.moralchoice.value


@lru_cache
def planned():
    """The priced survey's prompts, form by form."""
    forms = {
        name: read_form(files[-1], SCHEMAS / "form.schema.json")
        for name, files in PSM["files"].items()
    }
    survey = read_survey(PSM["survey"], SCHEMAS / "survey.schema.json")
    return Planned(survey, forms, PSM["options"], PARAMS.seed)


@lru_cache(maxsize=256)
def psm_questions(form, chosen):
    """The open round of a form and, where the form is asked, its constrained rounds."""
    rounds = planned().rounds(form, chosen) if form in PSM["forms"] else []
    return estimates.questions([planned().opening(form), *rounds], shortest_reply)


@lru_cache
def scenarios():
    """All of MoralChoice's scenarios."""
    return read_scenarios(snakemake.input.scenarios, MORAL["leave_out"])


@lru_cache
def moral_questions(template, order):
    """Every scenario in one form, as often as it is sampled."""
    found = read_template(MORAL["templates"][template], SCHEMAS / "template.schema.json")
    numbers = range(1, len(scenarios()) + 1)
    prompts = block_prompts(scenarios(), numbers, found, order, MORAL["samples"])
    return estimates.questions(prompts, shortest_reply)


def part_of(study, asked, questions):
    """Questions with how they are put and read."""
    reader, attempts = reader_of(study), PARAMS.attempts if study == "psm" else 1
    return estimates.Part(
        asked, questions, attempts, lambda expected, text: reader(expected, [text]).status
    )


def open_answer(asked, kept):
    """The open answer in the journal, which the rounds follow from; None while there is none."""
    part = part_of("psm", asked, psm_questions("listed", None))
    question = part.questions.listed[0]
    text = estimates.readable(part, question, kept)
    return None if text is None else read(question.reply, text).value


def parts_of(study, forms, kept):
    """The parts of a model in a study; ``forms`` is form and who is asked for each."""
    if study == "psm":
        chosen = open_answer(dict(forms)["listed"], kept) if kept else None
        return [part_of(study, asked, psm_questions(form, chosen)) for form, asked in forms]
    return [
        part_of(study, asked, moral_questions(*MORAL["forms"][form][:2])) for form, asked in forms
    ]


def costs_of(study, parts, kept, reasons):
    """What is settled and left of the parts, by the model's own replies where they are enough."""
    counts = estimates.count(parts, kept)
    by_params = {}
    for part in parts:
        name = json.dumps(part.asked.params, sort_keys=True)
        if name not in by_params:
            by_params[name] = estimates.observe(kept.values(), study, part.asked.params)
    observed = [by_params[json.dumps(part.asked.params, sort_keys=True)] for part in parts]
    left = [
        estimates.estimate(count.left, part.asked, reasons, seen)
        for part, count, seen in zip(parts, counts, observed, strict=True)
    ]
    whole = [
        estimates.estimate(count.left, part.asked, reasons)
        for part, count in zip(parts, estimates.count(parts, {}), strict=True)
    ]
    return Costs(counts, estimates.together(left), estimates.together(whole), tokens_from(observed))


def asked_of(model, question):
    """Who is asked, as the ask job would say it; nothing connects."""
    spec = {**cosmetic_of(MODELS[model]), **json.loads(question)}
    return build(model, spec, PARAMS.seed, 1.0, 1).asked


def rows(journals):
    """A row a model and study; and the kept calls that no row counts."""
    made, kept, counted = [], {}, set()
    for (study, model), group in groupby(PARAMS.parts.value, key=lambda part: part[:2]):
        spec, kind = MODELS[model], kind_of(MODELS[model])
        forms = [(form, question) for _, _, form, question in group]
        if kind != "llm":
            parts = parts_of(study, [(form, None) for form, _ in forms], {})
            made.append(
                free_row(model, study, kind, sum(len(part.questions.listed) for part in parts))
            )
            continue
        identity = identity_of(spec["llm"], spec.get("api_base"))
        if identity not in kept:
            kept[identity] = estimates.kept_calls(journals, identity)
        asked = [(form, asked_of(model, question)) for form, question in forms]
        reasons = "api_base" in spec or may_reason(spec["llm"])
        costs = costs_of(study, parts_of(study, asked, kept[identity]), kept[identity], reasons)
        counted.update(id(call) for count in costs.counts for call in count.paid)
        made.append(cost_row(model, study, kind, costs, prices_of(spec)))
    elsewhere = [call for calls in kept.values() for call in calls.values()]
    return made, [call for call in elsewhere if id(call) not in counted]


with job_log(snakemake.log[0]) as log:
    made, elsewhere = rows(Path("results/journal"))
    table = cost_table(made)
    table.write_csv(snakemake.output[0])
    for file in (log, None):
        print(shown(table, elsewhere), file=file, flush=True)
