"""Lists within one text of a story: phrases parted by semicolons, opposites by a bar."""

from __future__ import annotations

from rationale.surveys.steer.questions import Draw


def phrases(draw: Draw, text: str) -> list[str]:
    """The phrases of a story's text: ``in the drawer; on the shelf``."""
    return [phrase.strip() for phrase in draw.phrase(text).split(";")]


def opposites(draw: Draw, text: str) -> list[tuple[str, str]]:
    """Pairs of a clause and its denial: ``the gate is open | the gate is shut; …``."""
    pairs = [tuple(part.strip() for part in phrase.split("|")) for phrase in phrases(draw, text)]
    return [(clause, denial) for clause, denial in pairs]
