"""MoralChoice's part of a config: checked against its files before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from rationale.config import canonical, params_problems
from rationale.schema import DocumentError, nearest
from rationale.surveys.moralchoice.forms import Form, Template, forms_of, question, read_template
from rationale.surveys.moralchoice.scenarios import read_scenarios

FETCHED = "results/moralchoice/fetched"


class Source(NamedTuple):
    """A CSV file of scenarios: where it is, and where it comes from unless it is a file already."""

    path: str
    url: str | None = None
    sha256: str | None = None


class Plan(NamedTuple):
    """What the config asks for. ``scenarios`` is None while a source has yet to be fetched."""

    sources: list[Source]
    templates: dict[str, str]
    forms: dict[str, Form]
    scenarios: pl.DataFrame | None


def check_moralchoice(
    section: Mapping,
    models: Mapping,
    everyone: Mapping,
    resource: Callable[[str], str],
    schemas: Path,
) -> Plan:
    """The plan of the section, its files read. ``models`` take part in it, of ``everyone``.

    Raises DocumentError that names every problem: of sources, templates, parameters, simulated
    respondents' beliefs, and recorded answers to scenarios that are not in the survey.
    """
    sources, problems = _sources(section["scenarios"], resource)
    templates, more = _templates(section["forms"], resource, schemas / "template.schema.json")
    problems += more
    for place, params in _all_params(section):
        problems += params_problems(params, f"moralchoice.{place}")
    for slug, spec in models.items():
        problems += _belief_problems(slug, spec, resource)
    problems += _decoding_problems(section["params"], section["decodings"])
    forms = forms_of(section["forms"], list(section["decodings"]))
    problems += _unheld_problems(models, forms)
    problems += _writer_problems(section.get("making"), everyone)
    scenarios, more = _scenarios(sources, section["leave_out"])
    problems += more
    if scenarios is not None:
        problems += recorded_problems(models, scenarios, section["leave_out"])
    if problems:
        raise DocumentError(problems)
    return Plan(sources, templates, forms, scenarios)


def _sources(value: Any, resource: Callable[[str], str]) -> tuple[list[Source], list[str]]:
    """The sources that ``scenarios`` lists: paths, or mappings of url and sha256."""
    found: list[Source] = []
    problems: list[str] = []
    entries = value if isinstance(value, list) else [value]
    for number, entry in enumerate(entries):
        place = f"moralchoice.scenarios[{number}]"
        if isinstance(entry, str) and entry.strip():
            if entry.startswith(("http://", "https://")):
                problems.append(f"{place}: an address needs its sum: write {{url: …, sha256: …}}.")
            else:
                found.append(Source(resource(entry)))
        elif isinstance(entry, Mapping) and set(entry) == {"url", "sha256"}:
            source, more = _fetched(entry, place)
            found, problems = [*found, source], problems + more
        else:
            problems.append(
                f"{place}: found {entry!r}; allowed: the path of a CSV file, or {{url, sha256}}."
            )
    if not entries:
        problems.append("moralchoice.scenarios: found an empty list; allowed: one source or more.")
    return found, problems


def _fetched(entry: Mapping, place: str) -> tuple[Source, list[str]]:
    url, digest = str(entry["url"]), str(entry["sha256"]).lower()
    problems = []
    if not url.startswith(("http://", "https://")):
        problems.append(f"{place}.url: allowed: an address that opens with http:// or https://.")
    if len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        problems.append(f"{place}.sha256: found {digest!r}; allowed: 64 hexadecimal digits.")
    return Source(f"{FETCHED}/{digest[:16]}.csv", url, digest), problems


def _templates(
    names: list[str], resource: Callable[[str], str], schema: Path
) -> tuple[dict[str, str], list[str]]:
    files: dict[str, str] = {}
    problems: list[str] = []
    askings: dict[tuple, str] = {}
    for name in names:
        path = Path(template_path(name, resource))
        known = sorted(file.stem for file in path.parent.glob("*.yaml"))
        if not path.exists():
            problems.append(
                f"moralchoice.forms: no such form, {path}; allowed: {', '.join(known)}."
                f"{nearest(name, known)}"
            )
            continue
        try:
            template = read_template(path, schema)
        except DocumentError as error:
            problems += [f"moralchoice.forms: {name}: {problem}" for problem in error.problems]
            continue
        files[name] = str(path)
        problems += _twins(template, askings)
    return files, problems


def _twins(template: Template, askings: dict[tuple, str]) -> list[str]:
    """Two forms in the same words would be one set of replies under two names."""
    words = (template.system, question(template, "\0context", "\0first", "\0second"))
    twin = askings.setdefault(words, template.name)
    if twin == template.name:
        return []
    return [
        f"moralchoice.forms: {template.name}: puts the same words as '{twin}'; one reply would "
        f"count for both. Remove one."
    ]


def template_path(name: str, resource: Callable[[str], str]) -> str:
    """The file of a form."""
    return resource(f"resources/moralchoice/forms/{name}.yaml")


def _all_params(section: Mapping) -> list[tuple[str, Any]]:
    making = section.get("making") or {}
    return [
        ("params", section["params"]),
        *((f"decodings.{name}", params) for name, params in section["decodings"].items()),
        ("making.params", making.get("params")),
    ]


def _decoding_problems(study: Mapping, decodings: Mapping[str, Mapping]) -> list[str]:
    """Two decodings with the same parameters would be one set of replies under two names."""
    seen = {canonical(dict(study)): "the study's own"}
    problems = []
    for name, params in decodings.items():
        twin = seen.setdefault(canonical({**study, **params}), f"those of '{name}'")
        if twin != f"those of '{name}'":
            problems.append(
                f"moralchoice.decodings.{name}: the same parameters as {twin}; one reply would "
                f"count for both. Remove it, or change a parameter."
            )
    return problems


def _unheld_problems(models: Mapping, forms: Mapping[str, Form]) -> list[str]:
    """A recorded respondent of the study whose file has a reply to none of its forms."""
    from rationale.respondents.recorded import held

    problems = []
    for slug, spec in models.items():
        there = held(spec["recorded"]).get("moralchoice", []) if "recorded" in spec else forms
        if not set(there) & set(forms):
            problems.append(
                f"models.{slug}: {spec['recorded']}: found no reply to a form of moralchoice "
                f"(forms in it: {', '.join(there) or 'none'}); allowed: {', '.join(forms)}. Correct "
                f"the forms, or leave moralchoice out of the model's studies."
            )
    return problems


def _belief_problems(slug: str, spec: Mapping, resource: Callable[[str], str]) -> list[str]:
    """A belief about a form that there is no file of is a typing mistake."""
    return [
        f"models.{slug}.beliefs.forms: no such form, '{name}'; there is no "
        f"resources/moralchoice/forms/{name}.yaml."
        for name in spec.get("beliefs", {}).get("forms", {})
        if not Path(template_path(name, resource)).exists()
    ]


def _writer_problems(making: Mapping | None, everyone: Mapping) -> list[str]:
    """Whoever writes scenarios must be in the config, and able to write."""
    if making is None:
        return []
    name = making["model"]
    if name not in everyone:
        known = list(everyone)
        return [
            f"moralchoice.making.model: found '{name}'; allowed: a slug of models, "
            f"{', '.join(known)}.{nearest(name, known)}"
        ]
    if "simulated" in everyone[name]:
        return [
            f"moralchoice.making.model: '{name}' is simulated and cannot write; allowed: a language "
            f"model, or recorded replies."
        ]
    return []


def _scenarios(
    sources: list[Source], leave_out: list[str]
) -> tuple[pl.DataFrame | None, list[str]]:
    missing = [one for one in sources if one.url is not None and not Path(one.path).exists()]
    if missing or not sources:
        return None, []
    try:
        return read_scenarios([source.path for source in sources], leave_out), []
    except DocumentError as error:
        return None, [f"moralchoice.scenarios: {problem}" for problem in error.problems]


def recorded_problems(models: Mapping, scenarios: pl.DataFrame, leave_out: list[str]) -> list[str]:
    """Recorded answers that belong to no scenario, or whose question has the other order."""
    from rationale.respondents.recorded import check_order, check_recorded

    known = {"moralchoice": {*scenarios["scenario_id"], *leave_out}}
    problems = []
    for slug, spec in models.items():
        if "recorded" in spec:
            found = [
                *check_recorded(spec["recorded"], known),
                *check_order(spec["recorded"], scenarios),
            ]
            problems += [f"models.{slug}: {problem}" for problem in found]
    return problems
