"""The priced survey's part of a config: checked against its files before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rationale.schema import DocumentError, nearest
from rationale.surveys.psm.forms import opening_prompt, read_form
from rationale.surveys.psm.survey import Survey, read_survey
from rationale.surveys.templates import form_files

OPENING_FORM = "listed"


def check_psm(
    psm: Mapping,
    models: Mapping,
    resource: Callable[[str], str],
    form_path: Callable[[str], str],
    schemas: Path,
) -> tuple[Survey, dict[str, list[str]]]:
    """The survey, and the files of each form; the form of the open round is always among them.

    Raises DocumentError for a survey or form that cannot be used, for two forms whose replies could
    not be told apart, and for simulated respondents with another number of ideals or weights than
    the survey has statements.
    """
    survey = read_survey(resource(psm["survey"]), schemas / "survey.schema.json")
    names = list(dict.fromkeys([OPENING_FORM, *psm["forms"]]))
    files, problems = _check_forms(names, survey, form_path, schemas / "form.schema.json")
    for slug, spec in models.items():
        problems += _respondent_problems(slug, spec, len(survey.statements))
    if problems:
        raise DocumentError(problems)
    return survey, files


def _check_forms(
    names: list[str], survey: Survey, form_path: Callable[[str], str], schema: Path
) -> tuple[dict[str, list[str]], list[str]]:
    files: dict[str, list[str]] = {}
    problems: list[str] = []
    askings: dict[tuple, str] = {}
    for name in names:
        try:
            path = _file_of(name, form_path)
            form = read_form(path, schema)
            asking = (form.sample, form.system, opening_prompt(form, survey))
            files[name] = [str(file) for file in form_files(path)]
        except DocumentError as error:
            problems += [f"psm.forms: {name}: {problem}" for problem in error.problems]
            continue
        twin = askings.setdefault(asking, name)
        if twin != name:
            problems.append(
                f"psm.forms: {name}: puts the open round in the words of '{twin}' and has its "
                f"sample, {form.sample}: one reply would count for both; give it another sample."
            )
    return files, problems


def _file_of(form: str, form_path: Callable[[str], str]) -> Path:
    path = Path(form_path(form))
    if not path.exists():
        known = sorted(file.stem for file in path.parent.glob(f"*{path.suffix}"))
        raise DocumentError(
            [f"no such form, {path}; allowed: {', '.join(known)}.{nearest(form, known)}"]
        )
    return path


def _respondent_problems(slug: str, spec: Mapping, statements: int) -> list[str]:
    return [
        f"models.{slug}.{key}: found {len(spec[key])} numbers; allowed: {statements}, "
        f"one for each statement of the survey."
        for key in ("ideal", "weights")
        if key in spec and len(spec[key]) != statements
    ]
