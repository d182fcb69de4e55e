"""Reading replies to a priced survey: strict, pure, and never a guess.

A reply counts only when it names one answer and no other. What it names may stand alone, lead the
reply with notes behind it, close it on a line of its own, or be the object of a plain statement of
choice ("I choose Option 12"). Negated, supposed, reported, withdrawn and merely mentioned options
are no choices: only the turns of phrase below are read, all others are asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rationale.surveys.replies import Reading, plain, refuses


def _any(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


# What is named: Option 12 · Option #12 · Option: 12 · Option [12] · Option-12 · Option [number]: 12
_OPTION = _any(
    r"\b(?:options?|opci[oó]n|opç[aã]o|opzione|optie|opcja|вариант)",
    "选项|選項|選択肢|オプション|옵션",
)
_NOUN = _any(_OPTION, r"\b(?:rows?|sets?|choices?)")
_OF = r"(?:\s*[\[(<{]?\s*(?:number|no\b\.?|nr\b\.?)\s*[\])>}]?)?"
_TO = r"[\s:=#(\[{<-]*"
_NUMBER = r"(?P<number>\d{1,9})(?![\w%]|[.,]\d|\s*/\s*\d)[\s)\]}>]*+"
_NAMED = rf"{_NOUN}{_OF}(?:\s*[:=]\s*|-|\s*)[#(\[{{<]*\s*{_NUMBER}"
_CONTENT = r"(?:(?:\s*(?:[:=|–—-]>?|→)\s*[(\[{]?|[(\[{])\s*\d+(?:[\s,;|]+\d+)+\s*[)\]}]?)?"
_ALONE = re.compile(r"[#(\[{<]*\s*(?:number\s*)?(\d{1,9})\s*[)\]}>.,:;!]*", re.IGNORECASE)
_NUMERO = re.compile(r"\b(?:no|nr)\.?\s*(?=\d)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")

# All that is named, chosen or not. "set 1, 1, 4" is no mention of set 1.
_MENTION = re.compile(
    rf"{_OPTION}{_OF}{_TO}(\d+)|(?:{_NOUN}{_OF}{_TO}|#\s*)(\d+)(?!\s*[,;|]?\s*\d)", re.IGNORECASE
)
_BESIDE = _any(
    r"[,;/&+(\[–—-]|\.{2,}+",
    r"\b(?:or|and|to|through|thru|until|vs\.?|versus|then|alternatively|maybe|perhaps|possibly|also"
    r"|even|either|followed by|over|rather than|instead of|not)\b",
)
_LIST = re.compile(
    rf"{_NOUN}{_OF}{_TO}\d+[\s)\]}}>]*+{_BESIDE}\s*(?:{_BESIDE}\s*)*(?:{_NOUN}\s*)?#?"
    r"\d+(?!\s*[,;|]?\s*\d)",
    re.IGNORECASE,
)

# Words of choice.
_ANSWER = _any(
    "answer|choice|response|reply|selection|pick|preference|decision|option|number|row|set|match|fit",
    "result|output|verdict|assistant|ai|selected|chosen|final",
)
_SORT = _any(
    "final|own|personal|best|preferred|selected|chosen|random|randomly|correct|right|honest|closest",
    "considered|overall|option|(?:first|top)(?= choice)",
)
_MINE = rf"(?:(?:my|the)\s+)?(?:{_SORT}\s+)*{_ANSWER}"
_VERB = _any(
    "choos(?:e|ing)|chose|chosen|select(?:ed|ing)?|pick(?:ed|ing)?|tak(?:e|ing)",
    "go(?:ing)? (?:with|for)|went with|opt(?:ed|ing)? for|settl(?:e|ed|ing) (?:on|for)",
    "decided? on|prefer|vote for|say|answer(?: with)?|respond with|reply with",
)
_ADVERB = _any(
    "personally|therefore|thus|hence|then|now|hereby|simply|randomly|arbitrarily|finally|definitely",
    "certainly|most likely|likely|probably|clearly|just|still|here|also",
)
_I = _any(
    "I would(?: like| have)? to|I would|I'd(?: like to)?|I will|I'll|I shall|I have(?: to)?|I've",
    "I must|I do|I am(?: going to)?|I'm(?: going to)?|I(?: have|'ve)? decided to|I|let me|let's",
)
_SUCH_AS = (
    r"(?:\s+(?:for|the|this|following|one|an|any|option|set|row|my|as|final|random|answer|choice"
    r"|selection|number|at random|randomly|arbitrarily|simply|just|of them))*\s*[:–—-]?\s*"
)
_VIEWS = _any(
    "views?|values?|stance|beliefs?|preferences?|ratings?|positions?|opinions?|principles?",
    "perspective|thinking|judge?ment|convictions?|answers?",
)
_MY_VIEWS = _any(
    rf"me|(?:my|the)\s+(?:own\s+|personal\s+|moral\s+)*{_VIEWS}",
    r"how I (?:would |'d )?(?:rate|see|answer)\b[^,:]*",
    "what I (?:would |'d )?(?:choose|rate|think|believe|answer)",
)
_FITS = _any(
    "fits?|suits?|match(?:es)?|reflects?|represents?|captures?",
    "aligns?(?: with)?|corresponds? (?:to|with)",
)
_CLOSEST = _any(
    "best|closest|nearest|optimal|balanced|moderate|reasonable|sensible|good",
    "most (?:suitable|fitting|appropriate|balanced|aligned|representative|accurate|similar|reasonable"
    "|consistent)",
)
_IS_MINE = _any(
    r"(?:is|would be|seems(?: to be)?|appears(?: to be)?) (?:(?:the|my|a) )?"
    rf"(?:(?:{_SORT}|{_CLOSEST}) )*"
    rf"(?:choice|answer|pick|selection|preference|response|decision|option|match|fit|{_CLOSEST})"
    rf"(?: (?:for|to|of|with|among) (?:{_MY_VIEWS}|all|these|those|the (?:options|sets|rows|list)))?",
    rf"comes closest(?: to {_MY_VIEWS})?",
    rf"(?:best |most closely |closely )?{_FITS} {_MY_VIEWS}(?: best| most closely| well)?",
    rf"{_FITS} (?:me )?(?:best|most closely)(?: with {_MY_VIEWS})?",
    "it is",
)
_THAT_IS_MINE = _any(
    r"(?:(?:that|which) )?I(?: would| will|'d| have|'ve)? (?:choose|chose|chosen|pick|select|prefer)",
    rf"(?:that|which) (?:best |most closely |closely )?(?:{_FITS}|comes|is|lies)"
    rf"(?: closest)?(?: to| with)?(?: {_MY_VIEWS})?(?: best| most closely)?",
)

# What may stand before them, and behind.
_ODD = "❌✗✘🚫👎⛔"
_LEAD = rf"[^\w?~≠!{_ODD}]{{0,20}}+"
_WELL = _any(
    "sure|ok|okay|well|yes|certainly|of course|absolutely|alright|great|thanks|thank you",
    "understood|so|then|thus|therefore|hence|overall|finally|ultimately|here you go|here is|here's",
    "here|hmm|however|honestly|personally|in my (?:view|opinion)|in conclusion|in short",
)
_OPENER = rf"(?:{_WELL}\b[,:]?\s*){{0,6}}+"
_HEADING = rf"{_MINE}(?: (?:in|to|for|from|among)\b[^:]{{0,60}}| {_THAT_IS_MINE})?"
_WEIGHED = (
    r"(?:based on|after|considering|having|given|looking at|upon|weighing|among|of|from|with|taking"
    r"|in light of|since|because|as|although|though|while|even though|despite)\b.{0,300},\s*"
)
_SO = r"(?:.{0,300}\b(?:but|so|then|therefore|thus|hence|and)\s+(?:(?:based on|given)\b[^,:]{0,80}\s)?)"
_BELIEVED = r"(?:I (?:think|believe|feel|find|would say)(?: that)? |I'd say(?: that)? )?"
_ENDS = rf"\s*[^\w?~/+&%{_ODD}]*\Z"
_NO = (
    r"(?!\W*(?:absolutely |definitely |certainly |clearly |probably |but |only |even )*"
    r"(?:no|never|not(?! necessarily| my personal| an? (?:personal|real|reflection))|none|if|unless"
    r"|were|had I|provided|assuming|when|too|x|an? example|example|instance)\b)"
)
_BECAUSE = (
    r",?\s*\b(?:because|since|as (?:it|this|they|these|that|the one|my)|given|based on|due to|chosen"
    rf"|selected|randomly|at random|please|reason\w*|explanation|rationale){_NO}\b[^?]*\Z"
)
_NOTE = rf"\s*(?:[(\[–—:-]|,?\s*(?:which|with|note)\b){_NO}(?P<note>\s*\D[^?]*)\Z"
_BEHIND = rf"{_CONTENT}(?:{_ENDS}|{_BECAUSE}|{_NOTE})"
_GOES_ON = (
    rf"{_CONTENT}(?:{_ENDS}|{_BECAUSE}|{_NO}(?P<note>\s*(?:[^\w\s?]|(?:over|among|from|out of|with"
    r"|which|and|but|to (?:reflect|represent|balance|best|express)|for (?:its|being|this|these))\b)"
    r"[^?]*)\Z)"
)


def _pattern(lead: str, choice: str) -> re.Pattern:
    return re.compile(rf"\A(?P<lead>{_LEAD}{_OPENER}{lead}){_LEAD}{choice}", re.IGNORECASE)


_CHOICES = [
    # Option 12 · My choice in short: Option 12 · After some thought, Option 12
    _pattern(
        rf"(?:{_WEIGHED}|{_HEADING}\s*:\s*)?",
        rf"(?:(?:my|the)\s+(?:{_SORT}\s+)*)?{_NAMED}{_BEHIND}",
    ),
    # My answer is Option 12
    _pattern(
        rf"(?:.{{0,300}}[,;–—]\s*|{_SO})?",
        rf"{_MINE}\s*(?:(?:is|would be|will be)\b\s*:?|[:=–—-]|(?<=answer))\s*{_LEAD}(?:the\s+)?"
        rf"{_NAMED}{_BEHIND}",
    ),
    # I would choose Option 12 · Choosing Option 12
    _pattern(
        rf"(?:{_HEADING}\s*:\s*|.{{0,300}}[,;–—]\s*|{_SO})?",
        rf"(?:{_BELIEVED}{_I}\s+(?:{_ADVERB}\s+)*{_VERB}{_SUCH_AS}"
        rf"|(?:choosing|selecting|picking|going with|opting for)\s+){_NAMED}{_GOES_ON}",
    ),
    # The option that fits me best is Option 12
    _pattern(
        rf"(?:.{{0,300}}[,;–—]\s*|{_SO})?",
        rf"(?:the|my)\s+(?:{_SORT}\s+)*(?:option|set|row|one|choice|answer)\s+{_THAT_IS_MINE}\s+"
        rf"(?:is|would be)\b\s*:?\s*{_NAMED}{_BEHIND}",
    ),
    # Option 12 fits me best
    _pattern(rf"(?:{_WEIGHED}|{_SO})?{_BELIEVED}", rf"{_NAMED}{_CONTENT},?\s*{_IS_MINE}{_BEHIND}"),
]
# My answer is 12 · I choose 12
_BARE_CHOICES = [
    _pattern("", rf"{_MINE}\s*(?:(?:is|would be)\b)?\s*[:=]?\s*[#(\[{{<]*\s*{_NUMBER}{_ENDS}"),
    _pattern(
        "", rf"{_I}\s+(?:choose|chose|select|pick|go with)\s+(?:number\s+|#)?{_NUMBER}{_ENDS}"
    ),
]

# What makes them none.
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppos\w+|imagin\w+|hypothetical\w*|pretend\w*|were i|i were|had i|assuming"
    r"|example|illustration|e\.g|instance|such as|say,|(?:any|every|no)thing but|all but|yesterday"
    r"|earlier|previous\w*|before|last (?:time|round)|at first|initially|originally|once)\b|\?"
    r"|(?:\b(?:not|never|cannot)|n't)\s(?:\w+\s)?(?:think|believe|feel|say|claim|mean|agree)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\W*(?:suppose|imagine|pretend|assume|hypothetically"
    r"|let(?:'s| us| me) (?:say|suppose|imagine|assume|pretend))\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:say|says|said|argues?|repl(?:y|ies)|writes?|claims?|thinks?|advises?|suggests?)\s*[:,]"
    r"|\b(?:utilitarian|egalitarian|libertarian|deontologist|consequentialist|philosopher)\b"
    r"|\b(?:people|most|many|some|someone|somebody|anyone|everyone|others|humans?|users?|you|he|she"
    r"|they)\s(?:would|might|could|may|will|should|do|want)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:do not|don't|cannot|can't|can not) (?:\w+ )?(?:have|hold|possess|form|feel|experience|take"
    r"|make|express)\b[^,;:]*|\b(?:have no|lack|without)\b[^,;:]*|\bno problem\b|\bnot only\b"
    r"|(?:\bnot|n't) (?:necessarily )?(?:reflect|represent|express|indicate|imply|constitute)\b[^,;:]*"
    r"|\bnot (?:necessarily|my personal|an? (?:personal|real|reflection))\b[^,;:]*",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\A.*\b(?:but|so|yet|however|nevertheless|nonetheless|still|therefore|thus|hence)\b"
    r"|\A\W*(?:although|though|while|even though|since|because|as|given that|despite)\b.*,",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|no|none|nor|neither|nobody|cannot|against|except\w*|besides|avoid\w*|reject\w*"
    r"|refus\w*|rul\w+ out|eliminat\w*|exclu\w*|discard\w*|dismiss\w*|dislik\w*|oppos\w*"
    r"|instead of|rather than|other than|worst|least|wrong|unacceptable|runner|second|tempt\w*"
    r"|almost|nearly)\b|n't\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:on second thoughts?|scratch that|take (?:that|it) back|changed? my mind|just kidding"
    r"|actually,? no|no,? wait|(?:wait|hold on)\s*[,.!—–-]|correction\s*:|not my (?:choice|answer)"
    r"|that(?:'s| is) (?:wrong|not right|a mistake)|not this one"
    r"|none of (?:these|them) (?:suits?|fits?)|I (?:refuse|reject)\b"
    r"|I (?:can ?not|can't|won't|will not|decline to|am unable to|am not able to|do not want to"
    r"|don't want to) (?:really |actually |truly |honestly )?(?:choose|pick|select|decide|answer)"
    r"(?=\s*(?:\Z|[.!;,\n]|(?:an?|any|one|between|among|this|these|it|that|from)\b)))"
    r"|[.!\n]\W{0,9}(?:no|nope|not|never|rejected)\W{0,9}(?:\n|\Z)"
    rf"|(?:\b(?:not|never|reject\w*|refuse|except)|n't)\s(?:\w+\s){{0,2}}{_NOUN}{_TO}\d",
    re.IGNORECASE,
)

# Sentences. A line that ends without a stop leads into the next, unless it is a mere heading.
_STOP = re.compile(r"\n|(?<=[.!?;])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.) |\Z", re.IGNORECASE)
_STOPPED = re.compile(r"[.!?][)\]}]*\Z")
_WRAPPED = re.compile(rf"\n(?=(?-i:[a-z]))(?!{_NOUN}|\w+(?: \w+)?\s*:)", re.IGNORECASE)
_NEUTRAL = re.compile(
    rf"\W*(?:{_LEAD}{_OPENER}(?:{_HEADING})?|option{_OF}{_TO}\d*)\W*"
    r"|(?:ratings|statement ratings|reason\w*|explanation|rationale|note|justification)\s*:.*|[\d\W]*",
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
    chosen = _lone_number(words) or _stated(words)
    named = {int("".join(number)[:10]) for number in _MENTION.findall(words)} | chosen
    if len(named) > 1 or _LIST.search(words) or not all(1 <= n <= options for n in named):
        return Reading("invalid")
    if chosen:
        return Reading("answered", named.pop())
    return Reading("refused" if refuses(words) else "invalid")


def _lone_number(words: str) -> set[int]:
    """The number on the first or the last line of a reply that has no other number."""
    numbers = {digits.lstrip("0") for digits in _DIGITS.findall(words)}
    if len(numbers) != 1 or _TAKEN_BACK.search(words):
        return set()
    lines = words.split("\n")
    before = ["", *lines]
    matches = [
        _ALONE.fullmatch(lines[place])
        for place in (0, len(lines) - 1)
        if _STOPPED.search(before[place]) or _NEUTRAL.fullmatch(before[place])
    ]
    return {int(match[1]) for match in matches if match}


def _stated(words: str) -> set[int]:
    """The options that are plainly chosen; none when a choice is taken back later."""
    words = _WRAPPED.sub(" ", words)
    only = len(set(_DIGITS.findall(words))) == 1
    withdrawn = [match.start() for match in _TAKEN_BACK.finditer(words)]
    found: set[int] = set()
    before = ""
    for start, sentence in _sentences(words):
        led_in = _led_in(before)
        match = None if led_in is None else _choice(led_in + sentence, only)
        if match is not None:
            end = start + match.end("number") - len(led_in)
            if withdrawn and (match.re is _CHOICES[0] or withdrawn[-1] >= end):
                return set()
            found.add(int(match["number"]))
        before = sentence
    return found


def _led_in(before: str) -> str | None:
    """The words before a sentence that belong to it; None where they leave no choice to it."""
    if _SUPPOSES.match(before) or (before.endswith("?") and not _leads_on(before[:-1])):
        return None
    if _STOPPED.search(before) or _NEUTRAL.fullmatch(before):
        return ""
    return f"{before[-300:]} "


def _sentences(words: str) -> Iterator[tuple[int, str]]:
    """Each sentence or line, and where it starts."""
    start = 0
    for stop in _STOP.finditer(words):
        yield start, words[start : stop.start()]
        start = stop.end()


def _choice(sentence: str, only_number: bool) -> re.Match | None:
    """The plain statement of a choice that a sentence makes, if it makes one."""
    for pattern in _CHOICES:
        match = pattern.match(sentence)
        if match is not None and _is_mine(match):
            return match
    for pattern in _BARE_CHOICES:
        match = pattern.match(sentence)
        if match is not None and (only_number or "final" in sentence.lower()):
            return match
    return None


def _is_mine(match: re.Match) -> bool:
    """Whether the words around a choice leave it one: they suppose, report and deny nothing."""
    lead, note = match["lead"], match.groupdict().get("note") or ""
    if match.re is _CHOICES[0] and not _leads_on(lead):
        return False
    return not (_SUPPOSED.search(lead) or _REPORTED.search(lead) or _is_denied(note))


def _leads_on(lead: str) -> bool:
    """Whether words may stand before an answer: they suppose, report and deny nothing."""
    if _SUPPOSED.search(lead) or _REPORTED.search(lead):
        return False
    return not _is_denied(_CONTRAST.sub("", lead))


def _is_denied(words: str) -> bool:
    return bool(_DENIED.search(_HARMLESS.sub("", words)))


_PLACE = r"(?:(?:statement|claim|question|answer|item|number|q)\s*)?#?\(?(\d{1,9})\)?"
_IS = r"\s*(?:[):=–—-]+\s*|\.\s+)"
_PAIR = re.compile(rf"{_PLACE}{_IS}\(?(\d{{1,9}})\)?\s*[.,;]?", re.IGNORECASE)
_RATED = re.compile(
    rf"{_PLACE}{_IS}(?:\D*[:=–—-]\s*)?\(?(\d{{1,9}})\)?(?:\s*[.,;:(–—-]\D*)?", re.IGNORECASE
)
_RATINGS = _any(
    r"(?:(?:here are|are|these are|my|the|final|own|honest|balanced)\s+)*"
    r"(?:answers?|ratings?|numbers?|responses?|scores?)(?:\s+(?:for|to|in)\b[^\d:,]{0,40})?",
    r"(?:I|I would|I'd|I will|I'll)\s+(?:rate|answer|give|say|respond)(?:\s+(?:with|them|these|the"
    r"|all|statements|claims))*",
)
_ROW = re.compile(
    rf"(?P<lead>{_OPENER}(?:(?:[^\d?:]{{0,300}}[,;]\s*(?:(?:but|so|and)\s+)?)?{_RATINGS}\s*"
    r"(?:(?:are|is|would be|as)\b\s*)?(?:as follows|follows)?\s*[:=]?\s*)?)"
    r"[\[({|]*\s*(?P<row>\d{1,9}(?:\s*(?:,\s*and\b|,|;|\||\band\b|\s)\s*\d{1,9})*)\s*[\])}|]*"
    r"\s*[.!;,]?",
    re.IGNORECASE,
)
_FULL_STOP = re.compile(r"(?<=[.!?]) ")


def read_scale(text: str, statements: int, high: int) -> Reading:
    """The S ratings that a reply gives: answered with a tuple of S ints in 0..high, or not.

    Accepted are one row of exactly S whole numbers that leads the reply or closes it, S lines of one
    number each, or S places with their ratings, in order. A reply that gives two different sets of
    ratings, or a row of another length, is invalid.
    """
    words = plain(text)
    lines = words.split("\n")
    rows = _rows(lines, min(2, statements))
    numbered = [place for place, line in enumerate(lines) if _DIGITS.search(line)]
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
        before = lines[place - 1] if place and not _STOPPED.search(lines[place - 1]) else ""
        for sentence in {line, *(_FULL_STOP.split(line) if fewest > 1 else ())}:
            row = _ROW.fullmatch(sentence)
            values = tuple(map(int, _DIGITS.findall(row["row"]))) if row else ()
            if len(values) >= fewest and _leads_on(f"{before[-300:]} {row['lead']}"):
                found.setdefault(place, set()).add(values)
    return found


def _places(lines: list[str], statements: int) -> set[tuple[int, ...]]:
    """The ratings of lines that give a place and a rating each, or a rating each, or nothing."""
    numbered = [line for line in lines if _DIGITS.search(line)]
    if all(re.fullmatch(r"\d{1,9}[,;]?", line) for line in numbered):
        ratings = [int(line.rstrip(",;")) for line in numbered]
        return {tuple(ratings)} if len(ratings) == statements > 1 else set()
    if len(numbered) == 1:
        found = [
            _PAIR.fullmatch(part) for part in re.split(r"\s*[,;|]\s*", numbered[0].rstrip(".,;"))
        ]
    else:
        found = [_RATED.fullmatch(line) for line in numbered]
    if not all(found) or [int(pair[1]) for pair in found] != list(range(1, statements + 1)):
        return set()
    return {tuple(int(pair[2]) for pair in found)}
