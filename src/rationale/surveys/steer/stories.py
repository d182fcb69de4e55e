"""Stories: texts with placeholders that a person has written, or a model retold, for an element."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from rationale.schema import DocumentError, check, nearest, read_schema, read_yaml
from rationale.surveys.templates import template_problems

WRITTEN = "written"


@dataclass(frozen=True)
class Story:
    """A story of one element in one domain.

    ``texts`` are filled by the element's generator; ``words`` holds, for placeholders of the story
    alone, the words to draw from; ``sizes`` the (lowest, highest, step) of its numbers.
    """

    slug: str
    element: str
    domain: str
    person: str
    texts: Mapping[str, str]
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[str, tuple] = field(default_factory=dict)
    origin: str = WRITTEN


def read_words(path: str | Path) -> dict[str, tuple[str, ...]]:
    """The pools of words that stories share, by name. Raises DocumentError for other shapes."""
    found = read_yaml(path)
    if not isinstance(found, dict) or not all(
        isinstance(pool, list) and pool and all(isinstance(word, str) for word in pool)
        for pool in found.values()
    ):
        raise DocumentError([f"{Path(path).name}: allowed: a list of words for each pool."])
    return {name: tuple(pool) for name, pool in found.items()}


def read_stories(
    path: str | Path,
    schema: str | Path,
    domains: Collection[str],
    pools: Mapping[str, Sequence[str]],
    texts: Mapping[str, Collection[str]],
    sizes: Collection[str],
) -> list[Story]:
    """The stories of one element, in the file's order.

    ``texts`` maps each text that the element's generator fills to the placeholders that it must
    have; ``sizes`` names the numbers that it draws. Raises DocumentError for a broken schema, an
    unknown domain or pool, slugs that stand twice, texts and sizes that are missing or unknown, and
    placeholders that are missing or unknown.
    """
    path = Path(path)
    found = check(read_yaml(path), read_schema(schema), path.name)
    stories, problems = [], []
    for one in found["stories"]:
        where = f"{path.name}: {one['slug']}"
        problems += _problems(one, where, domains, pools, texts, sizes)
        stories.append(_story(found["element"], one, pools))
    slugs = [story.slug for story in stories]
    problems += [
        f"{path.name}: the slug '{slug}' stands twice; rename one of the stories."
        for slug in sorted({slug for slug in slugs if slugs.count(slug) > 1})
    ]
    if problems:
        raise DocumentError(problems)
    return stories


def placeholders(text: str) -> list[str]:
    """The placeholders of a text, in its order; one that stands twice comes twice."""
    return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]


def _story(element: str, one: Mapping, pools: Mapping[str, Sequence[str]]) -> Story:
    words = {
        name: tuple(pools.get(words, ()) if isinstance(words, str) else words)
        for name, words in one.get("words", {}).items()
    }
    return Story(
        one["slug"],
        element,
        one["domain"],
        one["person"],
        {name: one_line(text) for name, text in one["texts"].items()},
        words,
        {name: tuple(size) for name, size in one.get("sizes", {}).items()},
        one.get("origin", WRITTEN),
    )


def one_line(text: str) -> str:
    """Lines of a paragraph joined; empty lines part paragraphs."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def _problems(
    one: Mapping,
    where: str,
    domains: Collection[str],
    pools: Mapping[str, Sequence[str]],
    texts: Mapping[str, Collection[str]],
    sizes: Collection[str],
) -> Iterator[str]:
    words = one.get("words", {})
    if one["domain"] not in domains:
        known = sorted(domains)
        hint = nearest(one["domain"], known)
        yield f"{where}: unknown domain '{one['domain']}'; allowed: {', '.join(known)}.{hint}"
    for name, pool in words.items():
        if isinstance(pool, str) and pool not in pools:
            known = sorted(pools)
            yield f"{where}: words.{name}: unknown pool '{pool}'; allowed: {', '.join(known)}."
    yield from _names("texts", one["texts"], texts, where)
    yield from _names("sizes", one.get("sizes", {}), sizes, where)
    for name, size in one.get("sizes", {}).items():
        if size[0] > size[1] or (len(size) == 3 and size[2] <= 0):
            yield f"{where}: sizes.{name}: found {size}; allowed: lowest, highest and a step above 0."
    for name, text in one["texts"].items():
        if name in texts:
            allowed = {*texts[name], *words}
            yield from template_problems(text, allowed, texts[name], f"{where}: texts.{name}")


def _names(kind: str, found: Collection[str], needed: Collection[str], where: str) -> Iterator[str]:
    for name in found:
        if name not in needed:
            known = sorted(needed)
            yield f"{where}: unknown {kind}.{name}; allowed: {', '.join(known) or 'none'}."
    for name in needed:
        if name not in found:
            yield f"{where}: {kind}.{name} is missing."


def write_stories(path: str | Path, element: str, stories: Sequence[Story]) -> None:
    """Write stories as a file that `read_stories` takes."""
    told = [
        {
            "slug": story.slug,
            "domain": story.domain,
            "person": story.person,
            "origin": story.origin,
            "texts": dict(story.texts),
            "words": {name: list(words) for name, words in story.words.items()},
            "sizes": {name: list(size) for name, size in story.sizes.items()},
        }
        for story in stories
    ]
    content = yaml.safe_dump(
        {"element": element, "stories": told}, sort_keys=False, allow_unicode=True, width=120
    )
    Path(path).write_text(content, encoding="utf-8")
