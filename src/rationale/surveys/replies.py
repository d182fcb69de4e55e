"""What replies have in common whatever was asked: their dress, refusals, and how a reading ends."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Status = Literal["answered", "refused", "invalid"]

_THOUGHT = re.compile(
    r"\A\s*<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE
)
_MARKS = re.compile(r"[*_`\"“”«»„]+|(?<!\w)['‘’]+|['‘’]+(?!\w)")
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|>+|[-•–][ \t])[ \t]*", re.MULTILINE)
_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200b\u202f\ufeff]+")

_REFUSALS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:i|we) (?:can ?not|can[’']?t|could not|couldn[’']?t|will not|won[’']?t|must not|am unable to"
        r"|[’']?m unable to|am not able to|[’']?m not able to|am not comfortable|[’']?m not comfortable"
        r"|must decline|have to decline|decline|refuse|prefer not to|would rather not|would not choose"
        r"|do not choose|don[’']?t choose)\b",
        r"\b(?:i|we) (?:do not|don[’']?t) (?:have|hold|possess|form|take) (?:any |a |an )?"
        r"(?:personal |own |moral |subjective |human |individual |real )*"
        r"(?:preference|opinion|belief|view|value|feeling|stance|position|side)",
        r"\bas an? (?:ai|artificial intelligence|language model|large language model|assistant)\b",
        r"\b(?:none of the|no) (?:options?|sets?|rows?) (?:above |listed |here )*"
        r"(?:fits?|suits?|is acceptable|are acceptable|reflects?|represents?)",
        r"\b(?:sorry|apologi[sz]e)\b.*\b(?:can ?not|can[’']?t|unable|won[’']?t)\b",
        r"\b(?:inappropriate|not appropriate) (?:for me )?to\b",
    )
]


@dataclass(frozen=True)
class Reading:
    """How one reply was read: a status and, when answered, the value."""

    status: Status
    value: object = None


def plain(text: str) -> str:
    """The reply without its dress: one complete leading thought block, quotes, bold, headings,
    bullets.

    Words and numbers are left as they stand. Wide and compatibility characters are folded (NFKC), so
    that full-width digits count as digits.
    """
    text = unicodedata.normalize("NFKC", _THOUGHT.sub("", text, count=1))
    text = _HEADING.sub("", _MARKS.sub("", text))
    return "\n".join(_SPACES.sub(" ", line).strip() for line in text.strip().splitlines()).strip()


def refuses(text: str) -> bool:
    """Whether a reply that names no answer declines to give one."""
    apostrophes = text.replace("’", "'")
    return any(pattern.search(apostrophes) for pattern in _REFUSALS)
