"""The priced survey's part of a config: checked against its files before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rationale.schema import DocumentError
from rationale.surveys.psm.forms import form_files, opening_prompt, read_form
from rationale.surveys.psm.survey import Survey, read_survey

OPENING_FORM = "listed"


def check_psm(
    psm: Mapping,
    models: Mapping,
    resource: Callable[[str], str],
    form_path: Callable[[str], str],
    schemas: Path,
) -> tuple[Survey, dict[str, list[str]]]:
    """The survey, and the files of each form; the form of the open round is always among them.

    Raises DocumentError for a survey or form that cannot be used, for simulated respondents with
    another number of ideals or weights than the survey has statements, and for recorded files that
    lack columns.
    """
    survey = read_survey(resource(psm["survey"]), schemas / "survey.schema.json")
    problems: list[str] = []
    files: dict[str, list[str]] = {}
    for form in dict.fromkeys([OPENING_FORM, *psm["forms"]]):
        try:
            path = form_path(form)
            opening_prompt(read_form(path, schemas / "form.schema.json"), survey)
            files[form] = [str(file) for file in form_files(path)]
        except DocumentError as error:
            problems += [f"psm.forms: {form}: {problem}" for problem in error.problems]
    for slug, spec in models.items():
        problems += _respondent_problems(slug, spec, len(survey.statements))
    if problems:
        raise DocumentError(problems)
    return survey, files


def _respondent_problems(slug: str, spec: Mapping, statements: int) -> list[str]:
    problems = [
        f"models.{slug}.{key}: found {len(spec[key])} numbers; allowed: {statements}, "
        f"one for each statement of the survey."
        for key in ("ideal", "weights")
        if key in spec and len(spec[key]) != statements
    ]
    if "recorded" in spec:
        from rationale.respondents.recorded import read_recorded

        try:
            read_recorded(spec["recorded"])
        except DocumentError as error:
            problems += [f"models.{slug}: {problem}" for problem in error.problems]
    return problems
