"""Reading replies to a priced survey: strict, pure, and never a guess.

A reply counts only when it names one answer and no other. What it names may stand alone, lead the
reply with notes behind it, close it on a line of its own, or be the object of a plain statement of
choice ("I choose Option 12"). Negated, supposed, reported, withdrawn and merely mentioned options
are no choices: only the turns of phrase in `phrases` are read, all others are asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rationale.surveys.psm.phrases import (
    ALONE,
    BARE_CHOICES,
    CHOICES,
    CONTRAST,
    DENIED,
    DIGITS,
    FULL_STOP,
    HARMLESS,
    LIST,
    MENTION,
    NEUTRAL,
    NUMERO,
    PAIR,
    RATED,
    REPORTED,
    ROW,
    STOP,
    STOPPED,
    SUPPOSED,
    SUPPOSES,
    TAKEN_BACK,
    WRAPPED,
)
from rationale.surveys.replies import Reading, plain, refuses


def option_reply(options: int) -> str:
    """What `read` needs to know of a constrained round."""
    return json.dumps({"kind": "option", "options": options})


def scale_reply(statements: int, high: int) -> str:
    """What `read` needs to know of the open round."""
    return json.dumps({"kind": "scale", "statements": statements, "high": high})


def read(expected: str, text: str) -> Reading:
    """The reading of a reply to a prompt that expects what `option_reply` or `scale_reply` wrote."""
    known = json.loads(expected)
    if known["kind"] == "option":
        return read_option(text, known["options"])
    return read_scale(text, known["statements"], known["high"])


def read_option(text: str, options: int) -> Reading:
    """The option that a reply names: answered with its 1-based number, refused, or invalid.

    ``options`` is how many were shown. A reply is invalid when it names two different options, a
    number out of range, or a number inside prose that is no choice.
    """
    words = NUMERO.sub("number ", plain(text))
    chosen = _lone_number(words) or _stated(words)
    named = {int("".join(number)[:10]) for number in MENTION.findall(words)} | chosen
    if len(named) > 1 or LIST.search(words) or not all(1 <= n <= options for n in named):
        return Reading("invalid")
    if chosen:
        return Reading("answered", named.pop())
    return Reading("refused" if refuses(words) else "invalid")


def _lone_number(words: str) -> set[int]:
    """The number on the first or the last line of a reply that has no other number."""
    numbers = {digits.lstrip("0") for digits in DIGITS.findall(words)}
    if len(numbers) != 1 or TAKEN_BACK.search(words):
        return set()
    lines = words.split("\n")
    before = ["", *lines]
    matches = [
        ALONE.fullmatch(lines[place])
        for place in (0, len(lines) - 1)
        if STOPPED.search(before[place]) or NEUTRAL.fullmatch(before[place])
    ]
    return {int(match[1]) for match in matches if match}


def _stated(words: str) -> set[int]:
    """The options that are plainly chosen; none when a choice is taken back later."""
    words = WRAPPED.sub(" ", words)
    only = len(set(DIGITS.findall(words))) == 1
    withdrawn = [match.start() for match in TAKEN_BACK.finditer(words)]
    found: set[int] = set()
    before = ""
    for start, sentence in _sentences(words):
        led_in = _led_in(before)
        match = None if led_in is None else _choice(led_in + sentence, only)
        if match is not None:
            end = start + match.end("number") - len(led_in)
            if withdrawn and (match.re is CHOICES[0] or withdrawn[-1] >= end):
                return set()
            found.add(int(match["number"]))
        before = sentence
    return found


def _led_in(before: str) -> str | None:
    """The words before a sentence that belong to it; None where they leave no choice to it."""
    if SUPPOSES.match(before) or (before.endswith("?") and not _leads_on(before[:-1])):
        return None
    if STOPPED.search(before) or NEUTRAL.fullmatch(before):
        return ""
    return f"{before[-300:]} "


def _sentences(words: str) -> Iterator[tuple[int, str]]:
    """Each sentence or line, and where it starts."""
    start = 0
    for stop in STOP.finditer(words):
        yield start, words[start : stop.start()]
        start = stop.end()


def _choice(sentence: str, only_number: bool) -> re.Match | None:
    """The plain statement of a choice that a sentence makes, if it makes one."""
    for pattern in CHOICES:
        match = pattern.match(sentence)
        if match is not None and _is_mine(match):
            return match
    for pattern in BARE_CHOICES:
        match = pattern.match(sentence)
        if match is not None and (only_number or "final" in sentence.lower()):
            return match
    return None


def _is_mine(match: re.Match) -> bool:
    """Whether the words around a choice leave it one: they suppose, report and deny nothing."""
    lead, note = match["lead"], match.groupdict().get("note") or ""
    if match.re is CHOICES[0] and not _leads_on(lead):
        return False
    return not (SUPPOSED.search(lead) or REPORTED.search(lead) or _is_denied(note))


def _leads_on(lead: str) -> bool:
    """Whether words may stand before an answer: they suppose, report and deny nothing."""
    if SUPPOSED.search(lead) or REPORTED.search(lead):
        return False
    return not _is_denied(CONTRAST.sub("", lead))


def _is_denied(words: str) -> bool:
    return bool(DENIED.search(HARMLESS.sub("", words)))


def read_scale(text: str, statements: int, high: int) -> Reading:
    """The S ratings that a reply gives: answered with a tuple of S ints in 0..high, or not.

    Accepted are one row of exactly S whole numbers that leads the reply or closes it, S lines of one
    number each, or S places with their ratings, in order. A reply that gives two different sets of
    ratings, or a row of another length, is invalid.
    """
    words = plain(text)
    lines = words.split("\n")
    rows = _rows(lines, min(2, statements))
    numbered = [place for place, line in enumerate(lines) if DIGITS.search(line)]
    ends = {0, len(lines) - 1} | (set(numbered) if len(numbered) == 1 else set())
    found = _places([lines[place] for place in numbered if place not in rows], statements)
    found |= {row for place in rows for row in rows[place]}
    if not found:
        return Reading("refused" if refuses(words) else "invalid")
    values = found.pop()
    if found or len(values) != statements or max(values) > high or (rows and not ends & set(rows)):
        return Reading("invalid")
    return Reading("answered", values)


def _rows(lines: list[str], fewest: int) -> dict[int, set[tuple[int, ...]]]:
    """The rows of numbers that lines or sentences in them are, by line."""
    found: dict[int, set[tuple[int, ...]]] = {}
    for place, line in enumerate(lines):
        before = lines[place - 1] if place and not STOPPED.search(lines[place - 1]) else ""
        for sentence in {line, *(FULL_STOP.split(line) if fewest > 1 else ())}:
            row = ROW.fullmatch(sentence)
            values = tuple(map(int, DIGITS.findall(row["row"]))) if row else ()
            if len(values) >= fewest and _leads_on(f"{before[-300:]} {row['lead']}"):
                found.setdefault(place, set()).add(values)
    return found


def _places(lines: list[str], statements: int) -> set[tuple[int, ...]]:
    """The ratings of lines that give a place and a rating each, or a rating each, or nothing."""
    numbered = [line for line in lines if DIGITS.search(line)]
    if all(re.fullmatch(r"\d{1,9}[,;]?", line) for line in numbered):
        ratings = [int(line.rstrip(",;")) for line in numbered]
        return {tuple(ratings)} if len(ratings) == statements > 1 else set()
    if len(numbered) == 1:
        found = [
            PAIR.fullmatch(part) for part in re.split(r"\s*[,;|]\s*", numbered[0].rstrip(".,;"))
        ]
    else:
        found = [RATED.fullmatch(line) for line in numbered]
    if not all(found) or [int(pair[1]) for pair in found] != list(range(1, statements + 1)):
        return set()
    return {tuple(int(pair[2]) for pair in found)}
