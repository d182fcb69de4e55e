"""Rubrics: what a report card looks at, and what counts on it. Each is a file that users write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rationale.schema import DocumentError, check, nearest, read_schema, read_yaml
from rationale.surveys.steer.behaviours import RATIONAL, elements_of, unknown_behaviour
from rationale.surveys.steer.taxonomy import Element, Taxonomy

KINDS = ("settings", "modules", "elements")


@dataclass(frozen=True)
class Rubric:
    """What is on a card. ``elements`` in the taxonomy's order; None for every domain, grade or form.

    ``polarity`` is the behaviour counted, by element; `rational` where an element is not named.
    ``left_out`` are elements that the file names and takes away again.
    """

    name: str
    title: str
    about: str | None
    elements: tuple[str, ...]
    left_out: tuple[str, ...]
    domains: tuple[str, ...] | None
    grades: tuple[int, ...] | None
    form: str
    forms: tuple[str, ...] | None
    metric: str
    polarity: Mapping[str, str]
    threshold: float

    def counts(self, element: str) -> str:
        """The behaviour that counts in an element."""
        return self.polarity.get(element, RATIONAL)


def read_rubric(
    path: str | Path, schema: str | Path, taxonomy: Taxonomy, form: str = "plain"
) -> Rubric:
    """The rubric in a YAML file, named for the file; ``form`` is scored where it names none.

    Raises DocumentError for a broken schema, names that the taxonomy does not have, behaviours that
    are not known in an element, and a rubric that leaves no question on its card.
    """
    path = Path(path)
    found = check(read_yaml(path), read_schema(schema), path.name)
    problems = list(_unknown(found, taxonomy, path.name))
    if problems:
        raise DocumentError(problems)
    chosen, left_out = _chosen(found, taxonomy)
    polarity = _polarity(found["polarity"], taxonomy, chosen)
    grades = _grades(found["grades"], taxonomy)
    problems = [
        *_meaningless(found["polarity"], polarity, path.name),
        *_idle(found["polarity"], taxonomy, chosen, path.name),
        *_empty(chosen, grades, taxonomy, path.name),
    ]
    if problems:
        raise DocumentError(problems)
    return Rubric(
        name=path.stem,
        title=found["title"],
        about=found.get("about"),
        elements=tuple(chosen),
        left_out=tuple(left_out),
        domains=_all_or(found["domains"]),
        grades=grades,
        form=found.get("form", form),
        forms=_all_or(found["forms"]),
        metric=found["metric"],
        polarity={slug: name for slug, name in polarity.items() if name != RATIONAL},
        threshold=float(found["threshold"]),
    )


def _all_or(value: str | Sequence) -> tuple | None:
    return None if value == "all" else tuple(value)


def _allowed(kind: str, taxonomy: Taxonomy) -> list[str]:
    return list(getattr(taxonomy, kind))


def _unknown(found: Mapping, taxonomy: Taxonomy, where: str) -> Iterator[str]:
    places = [(kind, found.get(kind, "all"), kind) for kind in KINDS]
    places += [(f"leave_out.{kind}", found["leave_out"][kind], kind) for kind in KINDS]
    places.append(("domains", found["domains"], "domains"))
    for key, value, kind in places:
        for slug in () if value == "all" else value:
            if slug not in getattr(taxonomy, kind):
                yield _no_such(f"{where}: {key}", slug, _allowed(kind, taxonomy))
    for slug, name in found["polarity"].items():
        if slug not in taxonomy.elements and slug not in taxonomy.modules:
            allowed = [*taxonomy.modules, *taxonomy.elements]
            yield _no_such(f"{where}: polarity", slug, allowed, "a module or an element")
        if problem := unknown_behaviour(name):
            yield f"{where}: polarity.{slug}: {problem}"
    yield from _unknown_grades(found["grades"], taxonomy, where)


def _unknown_grades(grades: Any, taxonomy: Taxonomy, where: str) -> Iterator[str]:
    known = _known_grades(taxonomy)
    for grade in grades if isinstance(grades, list) else ():
        if grade not in known:
            yield f"{where}: grades: found {grade}; allowed: {', '.join(map(str, known))}."
    if isinstance(grades, Mapping) and grades.get("from", 0) > grades.get(
        "to", grades.get("from", 0)
    ):
        yield (
            f"{where}: grades: found from {grades['from']} to {grades['to']}; "
            "name the lower grade first."
        )


def _no_such(where: str, slug: str, allowed: list[str], what: str | None = None) -> str:
    listed = what or ", ".join(allowed)
    return f"{where}: found '{slug}'; allowed: {listed}.{nearest(slug, allowed)}"


def _named(found: Mapping, taxonomy: Taxonomy) -> set[str]:
    """The elements of all settings, modules and elements that are named in a mapping."""
    lists = {kind: _allowed(kind, taxonomy) if v == "all" else v for kind, v in found.items()}
    return {
        one.slug
        for one in taxonomy.elements.values()
        if one.setting in lists.get("settings", ())
        or one.module in lists.get("modules", ())
        or one.slug in lists.get("elements", ())
    }


def _chosen(found: Mapping, taxonomy: Taxonomy) -> tuple[list[str], list[str]]:
    """The elements on the card, and those that were taken away again."""
    named = {kind: found[kind] for kind in KINDS if kind in found} or {"elements": "all"}
    among, without = _named(named, taxonomy), _named(found["leave_out"], taxonomy)
    order = [slug for slug in taxonomy.elements if slug in among]
    return [s for s in order if s not in without], [s for s in order if s in without]


def _polarity(
    found: Mapping[str, str], taxonomy: Taxonomy, chosen: Iterable[str]
) -> dict[str, str]:
    """By chosen element what counts: what is said of the element, else of its module.

    One name, `probability`, is both; what is said of it holds for the module.
    """
    modules = {slug: name for slug, name in found.items() if slug in taxonomy.modules}
    elements: list[Element] = [taxonomy.elements[slug] for slug in chosen]
    said = {one.slug: found.get(one.slug, modules.get(one.module)) for one in elements}
    return {slug: name for slug, name in said.items() if name is not None}


def _grades(found: Any, taxonomy: Taxonomy) -> tuple[int, ...] | None:
    if found == "all":
        return None
    if not isinstance(found, Mapping):
        return tuple(sorted(found))
    known = _known_grades(taxonomy)
    low, high = found.get("from", known[0]), found.get("to", known[-1])
    return tuple(grade for grade in known if low <= grade <= high)


def _known_grades(taxonomy: Taxonomy) -> list[int]:
    return sorted({grade for one in taxonomy.elements.values() for grade in one.grades})


def _meaningless(said: Mapping[str, str], polarity: Mapping[str, str], where: str) -> Iterator[str]:
    """Behaviours that are not known in an element that they are said of."""
    for slug, name in polarity.items():
        known = elements_of(name)
        if known is not None and slug not in known:
            key = slug if slug in said else f"the module of {slug}"
            yield (
                f"{where}: polarity: {name} is said of {key}, and is not known in {slug}; "
                f"known in: {', '.join(sorted(known))}. Leave the element out or name others."
            )


def _idle(
    said: Mapping[str, str], taxonomy: Taxonomy, chosen: Iterable[str], where: str
) -> Iterator[str]:
    """Behaviours that are said of what is not on the card."""
    there = {name for slug in chosen for name in (slug, taxonomy.elements[slug].module)}
    for slug in said:
        if slug not in there:
            yield (
                f"{where}: polarity.{slug}: it is not on the card; add it to elements or modules, or "
                f"take it out of polarity."
            )


def _empty(
    chosen: Sequence[str], grades: Sequence[int] | None, taxonomy: Taxonomy, where: str
) -> Iterator[str]:
    if not chosen:
        yield f"{where}: no element is left; take something out of leave_out."
    elif grades is not None:
        known = sorted({grade for slug in chosen for grade in taxonomy.elements[slug].grades})
        if not set(known) & set(grades):
            listed = ", ".join(map(str, known))
            yield f"{where}: grades: none of them is asked in these elements; allowed: {listed}."
