"""Templates: texts with placeholders in braces, checked before they are filled."""

from __future__ import annotations

import string
from collections.abc import Collection

from rationale.schema import nearest


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
