"""What is asked, and how a reply is read: one package a study."""

from __future__ import annotations

from collections.abc import Callable

from rationale.asking.prompts import WRITING
from rationale.surveys.replies import Reading

STUDIES = ("psm", "moralchoice", "steer")


def reader_of(study: str) -> Callable[[str, list[str]], Reading]:
    """The reader of a study: from what a prompt expects and the texts of its turns to a reading."""
    if study == "steer":
        from rationale.surveys.steer.reading import read as read_parts

        return read_parts
    if study == "psm":
        from rationale.surveys.psm.reading import read
    elif study == "moralchoice":
        from rationale.surveys.moralchoice.reading import read
    elif study == "making":
        from rationale.surveys.moralchoice.making.reading import read_making as read
    elif study == "retelling":
        from rationale.surveys.steer.retelling import read_retold as read
    else:
        allowed = ", ".join((*STUDIES, *WRITING))
        raise ValueError(f"no study is called '{study}'; allowed: {allowed}")
    return lambda expected, texts: read(expected, texts[-1])
