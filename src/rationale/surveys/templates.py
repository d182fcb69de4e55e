"""Templates: texts with placeholders in braces, checked before they are filled, and files of them."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Mapping
from pathlib import Path

from rationale.schema import DocumentError, nearest, read_yaml

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


def template_problems(
    template: str, allowed: Collection[str], needed: Collection[str], where: str
) -> list[str]:
    """What is wrong with a template, a line a problem; none when it can be filled.

    Every placeholder must be one of ``allowed`` and stand bare; every one of ``needed`` must be
    there. ``where`` opens each line.
    """
    try:
        found = [field for field in string.Formatter().parse(template) if field[1] is not None]
    except ValueError as error:
        return [f"{where}: {error}; write a literal brace twice: {{{{ or }}}}."]
    fields = {name for _, name, _, _ in found}
    known = sorted(allowed)
    listed = ", ".join(f"{{{name}}}" for name in known)
    return [
        *(
            f"{where}: unknown placeholder {{{name}}}; allowed: {listed}.{nearest(name, known)}"
            for name in sorted(fields - set(known))
        ),
        *(
            f"{where}: the placeholder {{{name}}} is missing."
            for name in sorted(set(needed) - fields)
        ),
        *(
            f"{where}: found a conversion or a format behind {{{name}}}; "
            f"allowed: the bare placeholder."
            for _, name, style, conversion in found
            if style or conversion
        ),
    ]


def form_files(path: str | Path) -> list[Path]:
    """The file of a form and, where it is `like` another, that form's file before it.

    Raises DocumentError for a `like` that names no other form.
    """
    path = Path(path)
    like = _keys(path).get("like")
    if like is None:
        return [path]
    if not isinstance(like, str) or not _NAME.fullmatch(like) or like == path.stem:
        raise DocumentError(
            [f"{path.name}: like: found {like!r}; allowed: another form's name, without .yaml."]
        )
    return [path.with_name(f"{like}{path.suffix}"), path]


def merged_keys(path: str | Path) -> dict:
    """The keys of a form's file over those of the form that it is `like`.

    Raises DocumentError for a `like` that names no other form or leads to another `like`.
    """
    path = Path(path)
    merged: dict = {}
    for file in form_files(path):
        own = _keys(file)
        if file != path and "like" in own:
            raise DocumentError(
                [f"{path.name}: like: '{file.stem}' is itself like '{own['like']}'; name that one."]
            )
        merged |= own
    return merged


def _keys(path: Path) -> Mapping:
    found = read_yaml(path)
    if not isinstance(found, Mapping):
        raise DocumentError([f"{path.name}: found {found!r}; allowed: a mapping of keys."])
    return found
