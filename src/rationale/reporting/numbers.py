"""How numbers are written, in a terminal, on the page and in LaTeX alike."""

from __future__ import annotations


def number(value: float | None, digits: int = 3, unknown: str = "–") -> str:
    """A number with so many decimals, never -0; ``unknown`` where there is none."""
    return unknown if value is None else f"{round(value, digits) + 0.0:.{digits}f}"
