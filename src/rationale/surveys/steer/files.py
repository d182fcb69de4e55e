"""Stories and taxonomy from the files that a job is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rationale.schema import DocumentError
from rationale.surveys.steer.bank import generator_of
from rationale.surveys.steer.stories import Story, read_stories, read_words
from rationale.surveys.steer.taxonomy import Taxonomy, read_taxonomy


def load_taxonomy(path: str | Path, schemas: str | Path) -> Taxonomy:
    """The taxonomy. Raises DocumentError as `read_taxonomy` does."""
    return read_taxonomy(path, Path(schemas) / "taxonomy.schema.json")


def load_stories(
    paths: Sequence[str | Path], words: str | Path, taxonomy: Taxonomy, schemas: str | Path
) -> dict[str, list[Story]]:
    """The stories in several files, by element; a file is named for its element.

    Raises DocumentError for every file that `read_stories` refuses, for a file that names another
    element than its own name does, and for a slug that two files of an element share.
    """
    pools = read_words(words)
    found: dict[str, list[Story]] = {}
    problems: list[str] = []
    for path in map(Path, paths):
        generator = generator_of(taxonomy.elements[path.stem])
        try:
            stories = read_stories(
                path,
                Path(schemas) / "stories.schema.json",
                taxonomy.domains,
                pools,
                generator.texts,
                generator.sizes,
            )
        except DocumentError as error:
            problems += error.problems
            continue
        if stories and stories[0].element != path.stem:
            problems.append(
                f"{path}: element: found '{stories[0].element}'; allowed: {path.stem}, as the file."
            )
        found.setdefault(path.stem, []).extend(stories)
    problems += _twice(found)
    if problems:
        raise DocumentError(problems)
    return found


def _twice(found: Mapping[str, Sequence[Story]]) -> list[str]:
    problems = []
    for element, stories in found.items():
        slugs = [story.slug for story in stories]
        problems += [
            f"{element}: two files have a story '{slug}'; rename one of them."
            for slug in sorted({slug for slug in slugs if slugs.count(slug) > 1})
        ]
    return problems
