"""What replies have in common whatever was asked: their dress, refusals, and how a reading ends."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Status = Literal["answered", "refused", "invalid"]

_THOUGHTS = r"(?:think|thinking|thoughts?|reasoning|analysis|scratchpad)"
_THOUGHT = re.compile(rf"<{_THOUGHTS}>|\[THINK\]|◁think▷", re.IGNORECASE)
_THOUGHT_ENDS = re.compile(rf"</{_THOUGHTS}>|\[/THINK\]|◁/think▷", re.IGNORECASE)
_FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
# Superscripts and fractions stay what they are: folded, 1² would be 12 and 1½ would be 11/2.
_FOLDED = re.compile("[^ªº²³¹¼-¾\u2070-\u209f\u2150-\u215f\u2189]+")
_FENCE_LINE = re.compile(r"^[ \t]*```[A-Za-z]*$", re.MULTILINE)
_TOKEN = re.compile(r"<\|[^|<>\s]{1,40}\|>|</?s>|</?[be]os>|<(?:start|end)_of_turn>|\[/?INST\]")
_BLOCK = re.compile(
    r"</?(?:(?:final[_ ]?)?answer|final|response|output|option|choice|selection|result|pre|p|div|br)"
    r"\s*/?>",
    re.IGNORECASE,
)
_INLINE = re.compile(r"</?(?:b|i|u|em|strong|code|span|mark)>", re.IGNORECASE)
_BOXED_LINE = re.compile(r"^([ \t$]*+(?:\\[\[(][ \t]*+)?)\\boxed\b(?=[ \t]*\{)", re.MULTILINE)
_LATEX = re.compile(r"\\(?:f?boxed|text(?:bf|it|rm)?|math(?:bf|rm)|mbox)\b(?=[ \t]*\{)|\\[()\[\]]")
_DOLLARS = re.compile(r"(\$\$?)([^$\n]+)\1")
_MARKS = re.compile(r"[*`\"“”«»„]+|(?<!\w)'+|'+(?!\w)")
_HEADING = re.compile(r"^[ \t]*(?:(?:#{1,6}[ \t]|>|[-•–+][ \t])[ \t]*)+", re.MULTILINE)
_SPACES = re.compile(r"[^\S\n]+|[\u200b\ufeff]+")

_UNABLE = (
    r"(?:can ?not|can't|could not|couldn't|will not|won't|must not|am unable to|am not able to"
    r"|am not comfortable|am not going to|must decline|have to decline|decline|refuse|abstain"
    r"|prefer not to|would rather not|would not choose|do not choose|don't choose)"
)
_VIEWS = r"(?:preference|opinion|belief|view|value|feeling|stance|position|side|conviction)"
_KINDS_OF_VIEWS = r"(?:personal |own |moral |subjective |human |individual |real |actual )*"
_REFUSALS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:i|we) {_UNABLE}\b",
        r"\A(?:sorry,? )?(?:unable to|can ?not|can't|i abstain|no comment|declined)\b",
        rf"\b(?:i|we) (?:do not|don't) (?:have|hold|possess|form|take) (?:any |a |an )?"
        rf"{_KINDS_OF_VIEWS}{_VIEWS}",
        rf"\b(?:i|we) (?:have no|lack) (?:any )?{_KINDS_OF_VIEWS}{_VIEWS}",
        r"\b(?:as|being|am|am just|am only) an? (?:ai|artificial intelligence|(?:large )?language model"
        r"|(?:ai |virtual )?assistant)\b",
        r"\b(?:none of (?:the|these|those)|no) (?:options?|sets?|rows?) (?:above |listed |here )*"
        r"(?:fits?|suits?|is acceptable|are acceptable|reflects?|represents?)",
        r"\b(?:sorry|apologi[sz]e)\b.{0,200}\b(?:can ?not|can't|unable|won't)\b",
        r"\b(?:inappropriate|not (?:be )?appropriate|wouldn't be appropriate) (?:for me )?to\b",
    )
]


@dataclass(frozen=True)
class Reading:
    """How one reply was read: a status and, when answered, the value; ``step`` is what decided."""

    status: Status
    value: object = None
    step: str | None = None


def first_readable(
    attempts: Iterable[Mapping], read: Callable[[str], Reading]
) -> tuple[Reading | None, str]:
    """The first attempt at a prompt that is an answer, and the status of the prompt.

    ``attempts`` are rows of answers in order. Without an answer the status is that of the last reply;
    an attempt that brought no reply takes no reason away from an earlier one. Replies that were cut off
    or filtered are not read.
    """
    status = "error"
    for row in attempts:
        if row["status"] in ("error", "truncated") or row["finish_reason"] == "content_filter":
            status = row["status"] if row["status"] != "error" else status
            continue
        reading = read(row["text"][-1])
        if reading.status == "answered":
            return reading, "answered"
        status = reading.status
    return None, status


def plain(text: str) -> str:
    """The reply without its dress: thoughts, markup, quotes, bold, headings, bullets, blank lines.

    What stands before the end of a thought is thought; a thought without an end leaves nothing. A
    JSON object is laid out as lines of key and value. Words and numbers are left as they stand, but
    wide and compatibility characters are folded (NFKC), so that full-width digits count as digits.
    """
    text = _laid_out(_FOLDED.sub(lambda part: unicodedata.normalize("NFKC", part[0]), said(text)))
    text = _INLINE.sub("", _BLOCK.sub("\n", _TOKEN.sub("\n", _FENCE_LINE.sub("", text))))
    text = _LATEX.sub("", _BOXED_LINE.sub(r"\1Final answer: ", text))
    text = _DOLLARS.sub(r"\2", text).replace("‘", "'").replace("’", "'").replace("_", " ")
    text = _HEADING.sub("", _MARKS.sub("", text))
    lines = (_SPACES.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def refuses(text: str) -> bool:
    """Whether a reply that names no answer, as `plain` gives it, declines to give one."""
    spelt_out = re.sub(r"\b(i)'(m|d|ve)\b", _spelt_out, text, flags=re.IGNORECASE)
    return any(pattern.search(spelt_out) for pattern in _REFUSALS)


def _spelt_out(short: re.Match) -> str:
    return f"{short[1]} {({'m': 'am', 'd': 'would', 've': 'have'})[short[2].lower()]}"


def said(text: str) -> str:
    """What stands behind a reply's thoughts; nothing where a thought has no end."""
    ends = list(_THOUGHT_ENDS.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    return "" if _THOUGHT.search(rest) else rest


def _laid_out(text: str) -> str:
    text = text.strip()
    fenced = _FENCE.match(text)
    try:
        found = json.loads(fenced[1] if fenced else text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return text
    return "\n".join(_lines(found)) if isinstance(found, _Pairs) else text


class _Pairs(list):
    """The keys and values of a JSON object, twins and all."""


def _lines(pairs: _Pairs) -> Iterator[str]:
    for key, value in pairs:
        if isinstance(value, _Pairs):
            yield f"{key}:"
            yield from _lines(value)
        elif isinstance(value, list):
            yield f"{key}: {', '.join(map(str, value))}"
        else:
            yield f"{key}: {value}"
