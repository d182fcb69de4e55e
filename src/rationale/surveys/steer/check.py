"""STEER's part of a config: checked against the taxonomy and the stories before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rationale.config import SLUG, params_problems
from rationale.schema import DocumentError, nearest
from rationale.surveys.steer.forms import Form, read_form
from rationale.surveys.steer.published import FOLDERS
from rationale.surveys.steer.rubrics import read_rubric
from rationale.surveys.steer.taxonomy import Element, Taxonomy, read_taxonomy

RESOURCES = "resources/steer"


class Plan(NamedTuple):
    """What the config asks for: elements by slug with their grades, domains, files of stories.

    ``published`` maps an element to the folder of its published questions; ``forms`` are the ways to
    put questions, by name; ``rubrics`` the files of report cards, by name.
    """

    taxonomy: Taxonomy
    grades: dict[str, list[int]]
    domains: list[str]
    stories: dict[str, list[str]]
    published: dict[str, str]
    forms: dict[str, Form]
    rubrics: dict[str, str]


def check_steer(
    section: Mapping,
    models: Mapping,
    everyone: Mapping,
    resource: Callable[[str], str],
    schemas: Path,
) -> Plan:
    """The plan of the section. ``models`` take part in the study; ``everyone`` is in the config.

    Raises DocumentError that names every problem: elements, grades and domains that the taxonomy
    does not have, forms and rubrics that are missing or broken, folders that are missing or hold no
    story of an element, a storyteller that is no model or cannot write, reviewers' files that are
    missing, abilities in what is no element or form, and recorded files without a reply to any form.
    """
    taxonomy = read_taxonomy(
        resource(f"{RESOURCES}/taxonomy.yaml"), schemas / "taxonomy.schema.json"
    )
    grades, problems = _grades(section["elements"], taxonomy)
    domains, more = _domains(section["domains"], taxonomy)
    problems += more
    forms, more = _forms(section["forms"], resource, schemas)
    problems += more
    rubrics, more = _rubrics(section["rubrics"], taxonomy, resource, schemas)
    problems += more + params_problems(section["params"], "steer.params")
    folders = [resource(f"{RESOURCES}/stories"), *section["stories"]]
    problems += [problem for one in section["stories"] for problem in _folder(one, taxonomy)]
    published, more = _published(section.get("published"), grades)
    problems += more
    problems += _abilities(models, taxonomy, _known_forms(resource))
    problems += _unheld(models, section["forms"], _known_forms(resource))
    problems += _storyteller(section.get("storyteller"), everyone)
    problems += [
        f"steer.review.files.{name}: no such file, '{path}'; save it from the review page."
        for name, path in section["review"]["files"].items()
        if not Path(path).is_file()
    ]
    if problems:
        raise DocumentError(problems)
    stories = {slug: list(_files(folders, slug)) for slug in grades}
    return Plan(taxonomy, grades, domains, stories, published, forms, rubrics)


def form_path(form: str) -> str:
    """The file of a form, from the project's folder."""
    return f"{RESOURCES}/forms/{form}.yaml"


def _forms(
    names: Sequence[str], resource: Callable[[str], str], schemas: Path
) -> tuple[dict[str, Form], list[str]]:
    found, problems = {}, []
    for name in names:
        path = Path(resource(form_path(name)))
        if not path.is_file():
            known = _known_forms(resource)
            problems.append(
                f"steer.forms: unknown form '{name}'; allowed: {', '.join(known)}."
                f"{nearest(name, known)}"
            )
            continue
        try:
            found[name] = read_form(path, schemas / "adaptation.schema.json")
        except DocumentError as error:
            problems += [f"steer.forms: {problem}" for problem in error.problems]
    return found, problems


def _known_forms(resource: Callable[[str], str]) -> list[str]:
    return sorted(one.stem for one in Path(resource(f"{RESOURCES}/forms")).glob("*.yaml"))


def _abilities(models: Mapping, taxonomy: Taxonomy, forms: Sequence[str]) -> Iterator[str]:
    """Elements and forms that simulated respondents have abilities in, and that are none."""
    for slug, spec in models.items():
        abilities = spec.get("abilities", {})
        for key, known in (("bias", list(taxonomy.elements)), ("forms", list(forms))):
            for name in abilities.get(key, ()):
                if name not in known:
                    listed = "an element" if key == "bias" else ", ".join(known)
                    yield (
                        f"models.{slug}.abilities.{key}: found '{name}'; allowed: {listed}."
                        f"{nearest(name, known)}"
                    )


def _unheld(models: Mapping, forms: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    """Recorded respondents whose file has a reply to no asked form, or to what is no form."""
    from rationale.respondents.recorded import held

    for slug, spec in models.items():
        there = held(spec["recorded"]).get("steer", []) if "recorded" in spec else forms
        for name in there if "recorded" in spec else ():
            if name not in known:
                yield (
                    f"models.{slug}: {spec['recorded']}: found replies to steer in the form '{name}'; "
                    f"allowed: {', '.join(known)}.{nearest(name, known)}"
                )
        if not set(there) & set(forms):
            yield (
                f"models.{slug}: {spec['recorded']}: found no reply to a form of steer (forms in it: "
                f"{', '.join(there) or 'none'}); allowed: {', '.join(forms)}. Add one to steer.forms, "
                f"or leave steer out of the model's studies."
            )


def _rubrics(
    wanted: str | Sequence[str], taxonomy: Taxonomy, resource: Callable[[str], str], schemas: Path
) -> tuple[dict[str, str], list[str]]:
    """The files of rubrics: shipped ones by name, others by path; a card is named for its file."""
    folder = Path(resource(f"{RESOURCES}/rubrics"))
    files = sorted(folder.glob("*.yaml"), key=lambda one: (one.stem != "whole", one.stem))
    shipped = {one.stem: str(one) for one in files}
    found: dict[str, str] = {}
    problems = []
    for name in shipped if wanted == "all" else wanted:
        path = shipped.get(name, name)
        if not Path(path).is_file():
            problems.append(
                f"steer.rubrics: found '{name}', and no such file; allowed: the path of a file, from "
                f"where you run, or {', '.join(shipped)}.{nearest(name, list(shipped))}"
            )
            continue
        stem = Path(path).stem
        if not SLUG.fullmatch(stem):
            problems.append(f"steer.rubrics: {path}: name the file with a-z, 0-9, '.' and '-'.")
        elif stem in found:
            problems.append(f"steer.rubrics: {found[stem]} and {path} share a name; rename one.")
        else:
            problems += _rubric_problems(path, taxonomy, _known_forms(resource), schemas)
        found.setdefault(stem, path)
    return found, problems


def _rubric_problems(
    path: str, taxonomy: Taxonomy, forms: Sequence[str], schemas: Path
) -> list[str]:
    """What is wrong with a rubric, a form that is none included; it may name one that is not asked."""
    try:
        rubric = read_rubric(path, schemas / "rubric.schema.json", taxonomy)
    except DocumentError as error:
        return [f"steer.rubrics: {problem}" for problem in error.problems]
    named = dict.fromkeys([rubric.form, *(rubric.forms or ())])
    return [
        f"steer.rubrics: {path}: unknown form '{name}'; allowed: {', '.join(forms)}."
        f"{nearest(name, forms)}"
        for name in named
        if name not in forms
    ]


def _grades(chosen: str | Sequence | Mapping, taxonomy: Taxonomy) -> tuple[dict, list[str]]:
    known = list(taxonomy.elements)
    wanted = known if chosen == "all" else chosen
    asked = wanted if isinstance(wanted, Mapping) else dict.fromkeys(wanted, "all")
    problems = [
        f"steer.elements: unknown element '{slug}'; resources/steer/taxonomy.yaml lists them."
        f"{nearest(slug, known)}"
        for slug in asked
        if slug not in taxonomy.elements
    ]
    found = {}
    for slug, element in taxonomy.elements.items():
        if slug in asked:
            found[slug] = list(element.grades) if asked[slug] == "all" else sorted(asked[slug])
            problems += _unknown_grades(element, found[slug])
    return found, problems


def _unknown_grades(element: Element, grades: Sequence[int]) -> Iterator[str]:
    for grade in grades:
        if grade not in element.grades:
            allowed = ", ".join(f"{one} ({text})" for one, text in element.grades.items())
            yield f"steer.elements.{element.slug}: there is no grade {grade}; allowed: {allowed}."


def _domains(chosen: str | Sequence[str], taxonomy: Taxonomy) -> tuple[list[str], list[str]]:
    known = list(taxonomy.domains)
    wanted = known if chosen == "all" else chosen
    problems = [
        f"steer.domains: unknown domain '{one}'; allowed: {', '.join(known)}.{nearest(one, known)}"
        for one in wanted
        if one not in known
    ]
    return [one for one in known if one in wanted], problems


def _folder(folder: str, taxonomy: Taxonomy) -> Iterator[str]:
    path = Path(folder)
    if not path.is_dir():
        yield f"steer.stories: no such folder, '{folder}'."
        return
    names = sorted(one.stem for one in path.glob("*.yaml"))
    if not names:
        yield f"steer.stories: '{folder}' holds no file of stories; name them {{element}}.yaml."
    for name in names:
        if name not in taxonomy.elements:
            hint = nearest(name, list(taxonomy.elements))
            yield f"steer.stories: {folder}/{name}.yaml is named for no element.{hint}"


def _files(folders: Sequence[str], slug: str) -> Iterator[str]:
    for folder in folders:
        path = f"{folder}/{slug}.yaml"
        if Path(path).exists():
            yield path


def _published(
    folder: str | None, grades: Mapping[str, Sequence[int]]
) -> tuple[dict[str, str], list[str]]:
    if folder is None:
        return {}, []
    if not Path(folder).is_dir():
        return {}, [f"steer.published: no such folder, '{folder}'."]
    found = {
        slug: f"{folder}/{name}"
        for name, slug in FOLDERS.items()
        if slug in grades and Path(folder, name).is_dir()
    }
    if not found:
        return {}, [
            f"steer.published: '{folder}' has no folder of an element, such as 'add_sub'; name the "
            f"folder 'elements' of the authors' repository."
        ]
    return found, []


def _storyteller(section: Mapping | None, everyone: Mapping) -> list[str]:
    if section is None:
        return []
    name, known = section["model"], list(everyone)
    problems = params_problems(section["params"], "steer.storyteller.params")
    if name not in everyone:
        problems.append(
            f"steer.storyteller.model: found '{name}'; allowed: a slug of models, "
            f"{', '.join(known)}.{nearest(name, known)}"
        )
    elif "simulated" in everyone[name]:
        problems.append(
            f"steer.storyteller.model: '{name}' is simulated and cannot write; allowed: a language "
            f"model, or recorded replies."
        )
    return problems
