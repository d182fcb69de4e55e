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
from rationale.surveys.steer.files import load_stories, load_taxonomy
from rationale.surveys.steer.forms import read_form as read_steer_form
from rationale.surveys.steer.planned import Planned as PlannedBank
from rationale.surveys.steer.published import read_published

PARAMS = snakemake.params
SCHEMAS = Path(PARAMS.schemas.value)
MODELS, PSM, MORAL = PARAMS.models.value, PARAMS.psm.value, PARAMS.moralchoice.value
STEER = PARAMS.steer.value


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


@lru_cache
def bank():
    """STEER's questions."""
    taxonomy = load_taxonomy(STEER["taxonomy"], SCHEMAS)
    files = [path for paths in STEER["stories"].values() for path in paths]
    return PlannedBank(
        taxonomy,
        load_stories(files, STEER["words"], taxonomy, SCHEMAS),
        **{name: STEER[name] for name in ("grades", "domains", "per_cell", "most_shots")},
        seed=PARAMS.seed,
        published=[read_published(folder, taxonomy) for folder in STEER["published"]],
    )


@lru_cache
def steer_questions(form, context_tokens):
    """The questions of a form for a model with such a context."""
    found = read_steer_form(STEER["forms"][form], SCHEMAS / "adaptation.schema.json")
    prompts = bank().prompts(found, context_tokens if found.shots else None)
    return estimates.questions(prompts, shortest_reply)


def part_of(study, asked, questions):
    """Questions with how they are put and read."""
    reader, attempts = reader_of(study), PARAMS.attempts if study == "psm" else 1
    return estimates.Part(
        asked, questions, attempts, lambda expected, texts: reader(expected, texts).status
    )


def open_answer(asked, kept):
    """The open answer in the journal, which the rounds follow from; None while there is none."""
    part = part_of("psm", asked, psm_questions("listed", None))
    question = part.questions.listed[0]
    text = estimates.readable(part, question, kept)
    return None if text is None else read(question.prompt.reply, text).value


def parts_of(study, model, forms, kept):
    """The parts of a model in a study; ``forms`` is form and who is asked for each."""
    if study == "steer":
        context = MODELS[model].get("context_tokens")
        return [part_of(study, asked, steer_questions(form, context)) for form, asked in forms]
    if study == "psm":
        chosen = open_answer(dict(forms)["listed"], kept) if kept else None
        return [part_of(study, asked, psm_questions(form, chosen)) for form, asked in forms]
    return [
        part_of(study, asked, moral_questions(*MORAL["forms"][form][:2])) for form, asked in forms
    ]


def alike(study, form):
    """The forms whose replies are as long as a form's; None where all are."""
    if study == "moralchoice":
        template = MORAL["forms"][form][0]
        return [name for name, found in MORAL["forms"].items() if found[0] == template]
    return [form] if study == "steer" else None


def observer(study, kept):
    """What the replies of a model to a study show of each turn of a part: looked at once a kind."""
    found = {}

    def observed(form, part):
        forms = alike(study, form)
        turns = 1 + int(part.questions.turns.max(initial=0))
        for turn in range(turns):
            name = json.dumps([part.asked.params, forms, turn], sort_keys=True)
            if name not in found:
                seen = estimates.observe(kept.values(), study, part.asked.params, forms, turn)
                found[name] = seen
            yield found[name]

    return observed


def costs_of(study, forms, parts, kept, reasons):
    """What is settled and left of the parts, by the model's own replies where they are enough."""
    counts, observed = estimates.count(parts, kept), observer(study, kept)
    seen = [list(observed(form, part)) for form, part in zip(forms, parts, strict=True)]
    left = [
        estimates.estimate(count.left, part.asked, reasons, *turns)
        for part, count, turns in zip(parts, counts, seen, strict=True)
    ]
    whole = [
        estimates.estimate(count.left, part.asked, reasons)
        for part, count in zip(parts, estimates.count(parts, {}), strict=True)
    ]
    tokens = tokens_from([turn for turns in seen for turn in turns])
    return Costs(counts, estimates.together(left), estimates.together(whole), tokens)


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
            parts = parts_of(study, model, [(form, None) for form, _ in forms], {})
            made.append(
                free_row(model, study, kind, sum(len(part.questions.listed) for part in parts))
            )
            continue
        identity = identity_of(spec["llm"], spec.get("api_base"))
        if identity not in kept:
            kept[identity] = estimates.kept_calls(journals, identity)
        asked = [(form, asked_of(model, question)) for form, question in forms]
        reasons = "api_base" in spec or may_reason(spec["llm"])
        parts = parts_of(study, model, asked, kept[identity])
        costs = costs_of(study, [form for form, _ in asked], parts, kept[identity], reasons)
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
