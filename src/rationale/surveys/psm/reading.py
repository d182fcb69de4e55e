"""Reading replies to a priced survey: strict, pure, and never a guess.

A reply counts only when it names one answer and no other. What it names may stand alone, lead the
reply with notes behind it, close it on a line of its own, or be the object of a plain statement of
choice ("I choose Option 12"). Negated, hypothetical and merely mentioned options are no choices.
"""

from __future__ import annotations

import json
import re

from rationale.surveys.replies import Reading, plain, refuses

# Option 12 · Option #12 · Option: 12 · Option [12] · Option-12 · Option number 12
_NAMED = (
    r"\boptions?(?:\s+number\b)?(?:\s*[:=]\s*|-|\s*)"
    r"[#№(\[{<]*\s*(?P<number>\d+)(?![\w%]|[.,]\d|\s*/\s*\d)\s*[)\]}>]*"
)
_MENTION = re.compile(r"\boptions?(?:\s+number\b)?[\s:=#№(\[{<-]*(\d+)", re.IGNORECASE)
_LIST = re.compile(
    r"\boptions?[\s:=#(\[{<-]*\d+\s*[)\]}>]*\s*(?:[,;/&+–—-]|\b(?:or|and|to|through|vs|versus)\b)\s*"
    r"(?:(?:or|and|either)\s+)?(?:option\s*)?#?\d+(?!\s*[,;|]?\s*\d)",
    re.IGNORECASE,
)
_BARE = re.compile(r"\A[#(\[]?\s*(\d+)\s*[)\]]?\s*[.!]?\Z")
_NUMERO = re.compile(r"\b(?:no|nr)\.?\s*(?=\d)", re.IGNORECASE)
_STOP = re.compile(r"\n+|(?<=[.!?;])\s+")
_OPENER = (
    r"(?:(?:sure|ok|okay|well|certainly|of course|so|thus|therefore|hence|overall)\b[,:!]?\s*)*"
)
_CONTENT = r"(?:[:=–—-]?\s*[(\[]?\d+(?:[\s,;|]+\d+)+[)\]]?)?"
_REASON = r"(?:$|[(–—:-]\s*\D.*|,?\s*(?:because|since|as|which|for|given that|based on)\b.*)"
_VERB = (
    r"(?:choose|chose|chosen|choosing|select|selected|selecting|pick|picked|picking|take|taking"
    r"|go with|going with|opt for|opting for|opted for|settle on|prefer)"
)
_NOUN = r"(?:answer|choice|response|selection|pick|preference|decision)"
_FITS = r"(?:fits?|suits?|matches|match|reflects?|represents?|aligns? (?:best |most closely )?with|comes closest|is closest|is my)"
_CHOICES = [
    re.compile(rf"\A{_OPENER}{pattern}", re.IGNORECASE | re.DOTALL)
    for pattern in (
        # the option alone, led in by "My answer is", with its content or a reason behind it
        rf"(?:(?:(?:my|the|final)\s+)*{_NOUN}\s*(?:is\b|would be\b)?\s*[:=]?\s*)?[\[({{<]?{_NAMED}\s*{_CONTENT}\s*[.!;]?\s*{_REASON}",
        # I (would, will, have) choose Option 12
        rf"(?:[^.!?]*[,:]\s*|[^.!?]*\b(?:and|but|so|then)\s+)?(?:I|I would|I'd|I will|I'll|I have|I've|I am|I'm|I am going to|I'm going to)\s+(?:\w+ly\s+)?{_VERB}\s+(?:for\s+)?(?:the\s+)?{_NAMED}",
        # the option that fits best is Option 12
        rf"(?:the|my)\s+(?:\w+\s+){{0,2}}(?:option|set|row)\s+(?:that|which|I)\b[^.!?]*?\s(?:is|would be)\s*:?\s*{_NAMED}",
        # Option 12 fits my views best
        rf"{_NAMED}\s*(?:\w+ly\s+|best\s+|most\s+)*{_FITS}\b",
    )
]
_UNREAL = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|were|never|neither|nor|not|cannot|example|e\.g"
    r"|instance|might|may|could|maybe|perhaps|possibly|rather than|instead of|against|except|avoid"
    r"|some(?:one|body)|people|humans?|users?)\b|n't\b|\?",
    re.IGNORECASE,
)


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
    words = _NUMERO.sub("number ", plain(text))
    bare = _BARE.match(words)
    named = {int(bare.group(1))} if bare else {int(n) for n in _MENTION.findall(words)}
    if not named:
        return Reading("refused" if refuses(words) else "invalid")
    if len(named) > 1 or _LIST.search(words) or not 1 <= min(named) <= options:
        return Reading("invalid")
    if bare or any(_is_choice(sentence) for sentence in _STOP.split(words)):
        return Reading("answered", named.pop())
    return Reading("refused" if refuses(words) else "invalid")


def _is_choice(sentence: str) -> bool:
    """Whether a sentence states the choice plainly: not negated, not supposed, not an example."""
    sentence = sentence.strip().replace("’", "'")
    return any(
        match is not None and not _UNREAL.search(sentence[: match.end("number")])
        for match in (pattern.match(sentence) for pattern in _CHOICES)
    )


_LABELLED = re.compile(
    r"\A(?:(?:statement|claim|question|answer|item|no\.?|q)\s*)?#?\(?(\d+)\)?\s*[.):=\-–—]+\s*\(?(\d+)\)?\s*[.,;]?\Z",
    re.IGNORECASE,
)
_ROW = re.compile(
    r"\A(?:(?:my |the )*(?:answers?|ratings?|numbers?|response)\s*(?:are|is)?\s*[:=]?\s*)?"
    r"[\[({]?\s*(\d+(?:\s*[,;/|\s]\s*\d+)*)\s*[\])}]?\s*[.!]?\Z",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)?")


def read_scale(text: str, statements: int, high: int) -> Reading:
    """The S ratings that a reply gives: answered with a tuple of S ints in 0..high, or not.

    Accepted are one row of exactly S whole numbers (notes may follow on lines without numbers), or
    S lines that each give a statement's place and its rating, in order.
    """
    lines = [line for line in plain(text).splitlines() if line]
    values = _one_row(lines, statements) or _one_a_line(lines, statements)
    if values is None:
        return Reading("refused" if refuses(" ".join(lines)) else "invalid")
    if any(value > high for value in values):
        return Reading("invalid")
    return Reading("answered", values)


def _one_row(lines: list[str], statements: int) -> tuple[int, ...] | None:
    with_digits = [line for line in lines if _DIGITS.search(line)]
    if len(with_digits) != 1:
        return _one_number_a_line(lines, statements)
    row = _ROW.match(with_digits[0])
    if row is None or re.search(r"\d[.]\d", with_digits[0]):
        return None
    values = tuple(map(int, re.findall(r"\d+", row.group(1))))
    return values if len(values) == statements else None


def _one_number_a_line(lines: list[str], statements: int) -> tuple[int, ...] | None:
    if len(lines) == statements and all(re.fullmatch(r"\d+[.,;]?", line) for line in lines):
        return tuple(int(line.rstrip(".,;")) for line in lines)
    return None


def _one_a_line(lines: list[str], statements: int) -> tuple[int, ...] | None:
    with_digits = [line for line in lines if _DIGITS.search(line)]
    found = [_LABELLED.match(line) for line in with_digits]
    if len(found) != statements or not all(found):
        return None
    places = [int(match.group(1)) for match in found]
    if places != list(range(1, statements + 1)):
        return None
    return tuple(int(match.group(2)) for match in found)
