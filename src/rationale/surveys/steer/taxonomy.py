"""The taxonomy of STEER: settings, modules and elements, and which element builds on which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from rationale.schema import DocumentError, check, nearest, read_schema, read_yaml

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Element:
    """One element of rationality. ``grades`` says what makes a question of a grade harder."""

    slug: str
    name: str
    ability: str
    setting: str
    module: str
    grades: Mapping[int, str]
    requires: tuple[str, ...]


@dataclass(frozen=True)
class Taxonomy:
    """Elements by slug in the study's order; names of settings, modules and domains by slug."""

    elements: Mapping[str, Element]
    settings: Mapping[str, str]
    modules: Mapping[str, str]
    domains: Mapping[str, str]

    @cached_property
    def dependencies(self) -> nx.DiGraph:
        """An edge from each element to those that build on it directly (figure 5 of the study)."""
        # A tenth of a second that reading the config need not take.
        import networkx as nx

        graph = nx.DiGraph()
        for element in self.elements.values():
            graph.add_node(element.slug, setting=element.setting, module=element.module)
        graph.add_edges_from(
            (needed, element.slug)
            for element in self.elements.values()
            for needed in element.requires
        )
        return graph

    def prerequisites(self, element: str) -> set[str]:
        """Every element that one builds on, directly or not."""
        import networkx as nx

        return nx.ancestors(self.dependencies, element)


def read_taxonomy(path: str | Path, schema: str | Path) -> Taxonomy:
    """The taxonomy in a YAML file.

    Raises DocumentError for a broken schema, a slug that stands twice, a prerequisite that is no
    element, and elements that build on each other in a circle.
    """
    path = Path(path)
    found = check(read_yaml(path), read_schema(schema), path.name)
    elements = list(_elements(found))
    modules = {m["slug"]: m["name"] for s in found["settings"] for m in s["modules"]}
    settings = {setting["slug"]: setting["name"] for setting in found["settings"]}
    taxonomy = Taxonomy({e.slug: e for e in elements}, settings, modules, found["domains"])
    slugs = [element.slug for element in elements]
    problems = [f"{path.name}: the slug '{slug}' stands twice." for slug in _twice(slugs)]
    problems += list(_unknown_prerequisites(taxonomy, path.name))
    problems = problems or list(_circle(elements, path.name))
    if problems:
        raise DocumentError(problems)
    return taxonomy


def _elements(found: Mapping) -> Iterator[Element]:
    for setting in found["settings"]:
        for module in setting["modules"]:
            for one in module["elements"]:
                yield Element(
                    one["slug"],
                    one["name"],
                    one["ability"],
                    setting["slug"],
                    module["slug"],
                    {int(grade): text for grade, text in one["grades"].items()},
                    tuple(one["requires"]),
                )


def _unknown_prerequisites(taxonomy: Taxonomy, where: str) -> Iterator[str]:
    known = list(taxonomy.elements)
    for element in taxonomy.elements.values():
        for needed in element.requires:
            if needed not in taxonomy.elements:
                yield (
                    f"{where}: {element.slug} requires '{needed}', which is no element."
                    f"{nearest(needed, known)}"
                )


def _circle(elements: list[Element], where: str) -> Iterator[str]:
    try:
        TopologicalSorter({one.slug: one.requires for one in elements}).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        yield f"{where}: elements build on each other in a circle: {circle}."


def _twice(slugs: list[str]) -> list[str]:
    return sorted({slug for slug in slugs if slugs.count(slug) > 1})
