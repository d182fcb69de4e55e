"""Reading scenarios from replies: three labelled parts and nothing else, or nothing at all."""

from __future__ import annotations

import json
import re
from functools import partial

import polars as pl

from rationale.surveys.moralchoice.making import PARTS, READINGS
from rationale.surveys.replies import Reading, first_readable, plain, refuses, said

_LABEL = (
    r"(?:(?P<context>context|scenario|situation)(?:\s*\#?\d{1,4})?"
    r"|(?:action|option)[\s_#(\[-]*(?P<number>[12ab]|one|two)\b[)\]]{0,2})"
)
_KEY = re.compile(_LABEL, re.IGNORECASE)
_LINE = re.compile(
    r"[\s>#*_`•·–+(\[-]*+(?:\d{1,3}[.)]\s+)?+[*_`]*+"
    rf"{_LABEL}[*_`\s]*(?:\([^()]{{1,60}}\))?[*_`]*(?:[:：.]|\s[–—-]\s|(?<=[)\]])\s|$)",
    re.IGNORECASE,
)
_NUMBERS = {"1": "action1", "a": "action1", "one": "action1"}
_NUMBERS |= {"2": "action2", "b": "action2", "two": "action2"}
_NO_PART = re.compile(
    r"```\w*|\W*+(?:(?:the |possible |two )*+(?:actions|options))?+\W*+", re.IGNORECASE
)
_FENCED = re.compile(r"^```\w*[^\S\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PAIRS = {'"': '"', "“": "”", "«": "»", "'": "'", "[": "]", "(": ")"}
_MARKUP = re.compile(r"[*`_<>{}\[\]|\\]")
_INVISIBLE = re.compile("[\u200b\ufeff]")


def made_readings(prompts: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """The columns of READINGS, a row a prompt: its first attempt that is a scenario, else its last.

    ``prompts`` and ``answers`` are what was asked and every attempt at it. Raises ValueError for a
    prompt without an attempt.
    """
    attempts = answers.sort("attempt").partition_by("prompt_id", as_dict=True)
    rows = []
    for prompt in prompts.iter_rows(named=True):
        name = prompt["prompt_id"]
        if (name,) not in attempts:
            raise ValueError(f"the prompt {name} was never put; ask its block again")
        expected = prompt["reply"]
        reading, status = first_readable(
            attempts[(name,)].iter_rows(named=True), partial(read_making, expected)
        )
        known = {key: json.loads(expected)[key] for key in ("ambiguity", "rule")}
        parts = {} if reading is None else reading.value
        rows.append({"prompt_id": name, **known, "status": status, **parts})
    return pl.DataFrame(rows, schema=READINGS)


def read_making(expected: str, text: str) -> Reading:
    """The scenario that a reply writes: answered with its PARTS by name, refused, or invalid.

    The three parts must be there once each, behind their labels or as the keys of one JSON object,
    each on a line of its own; words before the first label are no part. Bold labels, headings,
    bullets, quotes and code fences are dress. Anything behind a part, an empty part and markup
    left in a part make the reply invalid. The words of a part are never changed, but for white
    space. Raises ValueError when ``expected`` is not what `scenario_reply` wrote.
    """
    if json.loads(expected).get("kind") != "scenario":
        raise ValueError(f"expected a prompt for a scenario; found {expected}")
    parts = _parts(said(text))
    if not any(name for name, _ in parts):
        return Reading("refused" if refuses(plain(text)) else "invalid")
    value = {name: _bare(words) for name, words in parts}
    if sorted(name for name, _ in parts) != sorted(PARTS) or not all(
        map(_is_clean, value.values())
    ):
        return Reading("invalid")
    return Reading("answered", {name: value[name] for name in PARTS})


def _parts(text: str) -> list[tuple[str, str]]:
    """The labelled parts in their order; what stands behind a part and has no label is named ''."""
    fenced = _FENCED.findall(text)
    body = (fenced[0] if len(fenced) == 1 else text).strip()
    if body.startswith("{"):
        return _keyed(body)
    found: list[tuple[str, str]] = []
    for line in _INVISIBLE.sub("", text).splitlines():
        _add(found, line)
    return found


def _keyed(body: str) -> list[tuple[str, str]]:
    try:
        pairs = json.loads(body, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return []
    return [
        (_name(_KEY.fullmatch(key)), value if isinstance(value, str) else "")
        for key, value in pairs
    ]


def _add(found: list[tuple[str, str]], line: str) -> None:
    """Add what a line says; the line behind a label that stands alone is that label's part."""
    waiting = bool(found) and not found[-1][1]
    label = _LINE.match(line)
    if label is not None:
        part = (_name(label), line[label.end() :].strip(" \t*_`"))
        # A heading 'Scenario' may stand above the three parts.
        found[-1 if waiting and found[-1][0] == part[0] == "context" else len(found) :] = [part]
    elif waiting and _bare(line):
        found[-1] = (found[-1][0], line)
    elif found and not _NO_PART.fullmatch(line):
        found.append(("", line))


def _name(label: re.Match | None) -> str:
    if label is None:
        return ""
    return "context" if label["context"] else _NUMBERS[label["number"].lower()]


def _bare(words: str) -> str:
    """The words of a part without bullet, bold and the quotes around the whole."""
    words = words.strip().strip("*_`").strip()
    words = re.sub(r"\A(?:[-•·>+]\s+)+[*_`]*", "", words)
    while len(words) > 1 and _PAIRS.get(words[0]) == words[-1] and _is_pair(words):
        words = words[1:-1].strip()
    return re.sub(r"[^\S\n\r]+", " ", words)


def _is_pair(words: str) -> bool:
    return not {words[0], words[-1]} & set(words[1:-1])


def _is_clean(words: str) -> bool:
    return bool(words) and words.isprintable() and not _MARKUP.search(words)
