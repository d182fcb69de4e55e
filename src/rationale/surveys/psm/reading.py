"""Reading replies to a priced survey: strict, pure, and never a guess.

A reply counts only when it names one answer and no other. What it names may stand alone, lead the
reply with notes behind it, close it on a line of its own, or be the object of a plain statement of
choice ("I choose Option 12"). Negated, hypothetical, reported, withdrawn and merely mentioned
options are no choices.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from rationale.surveys.replies import Reading, plain, refuses

# Words. A survey in another language keeps "Option", but its respondents may translate it.
_OPTION = (
    r"(?:\b(?:options?|opci[oó]n|opç[aã]o|opzione|optie|opcja|вариант)"
    r"|选项|選項|選択肢|オプション|옵션)"
)
_NOUN = rf"(?:{_OPTION}|\b(?:rows?|sets?|choices?))"
_ANSWER = (
    r"(?:answer|choice|response|reply|selection|pick|preference|decision|option|number|row|set"
    r"|match|fit|result|output|verdict|assistant|ai|selected|chosen|final)"
)
_ITS_KIND = (
    r"(?:final|own|personal|best|preferred|selected|chosen|random|randomly|top|first|single|correct"
    r"|right|honest|considered|overall|closest|one|option|rated|ranked)"
)
_VERB = (
    r"(?:choos(?:e|ing)|chose|chosen|select(?:ed|ing)?|pick(?:ed|ing)?|tak(?:e|ing)|go(?:ing)? with"
    r"|go(?:ing)? for|went with|opt(?:ed|ing)? for|settl(?:e|ed|ing) (?:on|for)|decided? on|prefer"
    r"|vote for|say|answer(?: with)?|respond with|reply with)"
)
_ADVERB = (
    r"(?:personally|therefore|thus|hence|then|now|hereby|simply|randomly|arbitrarily|finally"
    r"|definitely|certainly|most likely|likely|probably|clearly|just|still|here|also)"
)
_I = (
    rf"(?:(?:I would(?: like to)?|I'd(?: like to)?|I will|I'll|I shall|I would have to"
    rf"|I have(?: to)?|I've"
    rf"|I must|I do|I am going to|I'm going to|I am|I'm|I(?:'ve| have)? decided to|I|let me|let's)\s+"
    rf"(?:{_ADVERB}\s+)*)"
)
_SUCH_AS = (
    r"(?:\s+(?:for|the|this|following|one|an|any|option|set|row|my|as|final|random|answer|choice"
    r"|selection|number|at random|randomly|arbitrarily|myself|simply|just|of them))*\s*[:–—-]?\s*"
)

# Numbers. Option 12 · Option #12 · Option: 12 · Option [12] · Option-12 · Option [number]: 12
_OF = r"(?:\s*[\[(<{]?\s*(?:number|no\b\.?|nr\b\.?)\s*[\])>}]?)?"
_NUMBER = r"(?P<number>\d{1,9})(?![\w%]|[.,]\d|\s*/\s*\d)[\s)\]}>]*+"
_NAMED = rf"{_NOUN}{_OF}(?:\s*[:=]\s*|-|\s*)[#(\[{{<]*\s*{_NUMBER}"
_TO = r"[\s:=#(\[{<-]*"
_MENTION = re.compile(
    rf"{_OPTION}{_OF}{_TO}(\d+)|(?:{_NOUN}{_OF}{_TO}|#\s*)(\d+)(?!\s*[,;|]?\s*\d)", re.IGNORECASE
)
_OTHER = (
    r"(?:[,;/&+(\[–—-]|\.{2,}+|\b(?:or|and|to|through|thru|until|vs\.?|versus|then|alternatively"
    r"|maybe|perhaps|possibly|also|even|either|followed by|over|rather than|instead of|not)\b)"
)
_LIST = re.compile(
    rf"{_NOUN}{_OF}{_TO}\d+[\s)\]}}>]*+{_OTHER}\s*(?:{_OTHER}\s*)*(?:{_NOUN}\s*)?#?"
    r"\d+(?!\s*[,;|]?\s*\d)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"[#(\[{<]*\s*(?:number\s*)?(\d{1,9})\s*[)\]}>.,:;!]*", re.IGNORECASE)
_NUMERO = re.compile(r"\b(?:no|nr)\.?\s*(?=\d)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")

# Sentences. `lead` is what stands before the words of choice.
_ODD = r"❌✗✘🚫👎⛔"
_LEAD = rf"[^\w?~≠!{_ODD}]{{0,20}}+"
_OPENER = (
    r"(?:(?:sure|ok|okay|well|yes|certainly|of course|absolutely|alright|great|thanks|thank you"
    r"|understood|so|then|thus|therefore|hence|overall|finally|ultimately|here|here is|here's"
    r"|here you go|here it is|hmm|honestly|in my (?:view|opinion)|in conclusion|in summary|in short|to conclude)\b[,:]?\s*)*"
)
_AFTER = (
    r"(?:.*[,:;–—]\s*|.*\b(?:and|but|so|then|therefore|thus|hence|yet)\s+"
    r"(?:(?:based on|given)\b[^,:]{0,80}\s)?)?"
)
_BELIEVED = r"(?:I (?:think|believe|feel|find|would say)(?: that)?\s+|I'd say(?: that)?\s+)?"
_INTRODUCED = (
    r"(?:(?:based on|after|considering|having|given|looking at|upon|weighing|among|of|from|with"
    rf"|taking|in light of)\b.{{0,300}},\s*|.{{0,300}}\b(?:{_ANSWER}|{_VERB})\b[^:]{{0,80}}:\s*)?"
)
_CONTENT = r"(?:(?:\s*(?:[:=|–—-]>?|→)\s*[(\[{]?|[(\[{])\s*\d+(?:[\s,;|]+\d+)+\s*[)\]}]?)?"
_BUT = (
    r"(?!\W*(?:absolutely |definitely |certainly |clearly |probably |but |only |even )*(?:no|never"
    r"|not(?! necessarily| my personal| an? (?:personal|real|reflection))|none|if|unless|were|had I|provided|assuming|when|too|wrong|worst|the worst|least|the least"
    r"|reject\w*|refus\w*|unacceptable|rul\w+ out|exclu\w+|eliminat\w+|discard\w*|dismiss\w*|avoid"
    r"|an? example|an? illustration|example|instance|others?|someone|people)\b)"
)
_ENDS = rf"\s*[^\w?~/+&%{_ODD}]*\Z"
_WHY = (
    rf"(?:{_ENDS}|\s*[(\[–—:-]{_BUT}\s*\D.*"
    r"|,?\s*\b(?:because|since|as|which|for|given|based on|with|due to|chosen|selected|randomly"
    rf"|at random|please|it is|reason\w*|explanation|rationale|note)\b{_BUT}.*)"
)
_GOES_ON = (
    rf"(?:{_WHY}|{_BUT}\s*(?:[^\w\s?]|(?:over|among|from|due|on|in|and|but|purely|simply|here|today"
    r"|now|this time|out of|to (?:reflect|represent|balance|best|express))\b).*)"
)
_POSITIVE = (
    r"(?:(?:is|would be|will be|seems(?: to be)?|appears(?: to be)?|looks)\s+(?:the\s+|my\s+|a\s+)?"
    r"(?:(?:own|personal|final|top|first|random|preferred|single|overall|one|option|very)\s+)*"
    r"(?:choice|answer|pick|selection|preference|response|decision|best|closest|nearest|optimal"
    r"|most (?:suitable|fitting|appropriate|balanced|aligned|representative|accurate|similar"
    r"|reasonable|consistent)|(?:balanced|moderate|reasonable|sensible|fair|good)"
    r" (?:choice|option|pick|match|fit)|(?:what|one that|one which|one) I (?:would )?(?:choose|prefer|pick))\b"
    r"|(?:best|most closely|closely) (?:fits?|suits?|match(?:es)?|reflects?|represents?|aligns? with"
    r"|captures?)\b"
    r"|(?:fits?|suits?|match(?:es)?|reflects?|represents?|aligns?(?: with)?|corresponds? (?:to|with))"
    r" (?:best|most closely|my|me|how I|what I)\b"
    r"|comes closest\b|it is\b)"
)
_ONE_THAT = (
    rf"(?:the|my)\s+(?:{_ITS_KIND}\s+)*(?:option|set|row|one|choice|answer)\s+"
    r"(?P<about>(?:that|which|I)\b[^,:?]{0,120}?)"
)
# Option 12, alone or with its content or a reason behind it
_ALONE_OR_LED_IN = re.compile(
    rf"\A(?P<lead>{_LEAD}{_OPENER}{_INTRODUCED}){_LEAD}(?:(?:my|the)\s+(?:{_ITS_KIND}\s+)*)?"
    rf"{_NAMED}{_CONTENT}{_WHY}",
    re.IGNORECASE,
)
_CHOICES = [
    re.compile(rf"\A(?P<lead>{_LEAD}{_OPENER}{before}){_LEAD}{choice}", re.IGNORECASE)
    for before, choice in (
        # my answer is Option 12
        (
            _AFTER,
            rf"(?:(?:my|the)\s+)?(?:{_ITS_KIND}\s+)*{_ANSWER}\s*(?:(?:is|was|would be|will be)\b)?"
            rf"\s*[:=–—-]?\s*(?:the\s+)?{_LEAD}{_NAMED}{_CONTENT}{_WHY}",
        ),
        # I would choose Option 12
        (rf"{_AFTER}{_BELIEVED}", rf"{_I}{_VERB}{_SUCH_AS}{_NAMED}{_CONTENT}{_GOES_ON}"),
        (
            _AFTER,
            rf"(?:choosing|selecting|picking|going with|opting for) {_NAMED}{_CONTENT}{_GOES_ON}",
        ),
        # the option that fits me best is Option 12
        (_AFTER, rf"{_ONE_THAT}\s(?:is|would be)\b\s*:?\s*{_NAMED}{_CONTENT}{_WHY}"),
        # Option 12 fits me best
        (
            rf"{_AFTER}{_BELIEVED}",
            rf"{_NAMED}{_CONTENT},?\s*{_POSITIVE}(?!.*\b(?:if|unless|least)\b)",
        ),
    )
]
_BARE_CHOICES = [
    re.compile(rf"\A(?P<lead>{_LEAD}{_OPENER}){choice}{_ENDS}", re.IGNORECASE)
    for choice in (
        rf"(?:(?:my|the)\s+)?(?:{_ITS_KIND}\s+)*{_ANSWER}\s*(?:(?:is|would be)\b)?\s*[:=]?\s*"
        rf"[#(\[{{<]*\s*{_NUMBER}",
        rf"{_I}(?:choose|chose|select|pick|go with)\s+(?:number\s+|#)?{_NUMBER}",
    )
]
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppos\w+|imagin\w+|hypothetical\w*|pretend\w*|were i|i were|had i|assuming"
    r"|example|e\.g|instance|such as|(?:any|every|no)thing but|all but)\b|\?"
    r"|(?:\b(?:not|never|cannot)|n't)\s(?:\w+\s)?(?:think|believe|feel|say|claim|mean|agree)\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\W*(?:suppose|imagine|pretend|assume|hypothetically"
    r"|let(?:'s| us| me) (?:say|suppose|imagine|assume|pretend))\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<!\bI)(?<!\bI would)(?<!\bI'd)(?<!\bme)(?<!\bto)\s(?:say|says|said|saying|argues?|repl(?:y|ies)"
    r"|responds?|claims?|thinks?|advises?|suggests?)\s*[:,]\s*\Z"
    r"|\b(?:their|his|her|someone|somebody|anyone|everyone|others|people's|user's|utilitarian|egalitarian"
    r"|libertarian|deontologist|consequentialist|philosopher)\b"
    r"|\b(?:people|most|humans?|users?|you|he|she|they)\s(?:would|might|could|may|will|should|do)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:do not|don't|cannot|can't|can not) (?:\w+ )?(?:have|hold|possess|form|feel|experience|take"
    r"|make|express)\b[^,;:]*|\b(?:have no|lack|without)\b[^,;:]*|\bno problem\b|\bnot only\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\A.*\b(?:but|so|yet|however|nevertheless|nonetheless|still|therefore|thus|hence)\b"
    r"|\A\W*(?:although|though|while|even though|since|because|as|given that|despite)\b.*,",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|no|none|nor|neither|nobody|cannot|against|except\w*|besides|avoid\w*|reject\w*"
    r"|refus\w*|rul\w+ out|eliminat\w*|exclu\w*|discard\w*|dismiss\w*|instead of|rather than"
    r"|other than|worst|least|wrong|extreme|opposite|unacceptable|bad|runner|second"
    r"|(?:options?|sets?|rows?) considered|tempt\w*|almost|nearly)\b|n't\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:on second thoughts?|scratch that|take (?:that|it) back|changed? my mind|just kidding"
    r"|actually,? no|no,? wait|(?:wait|hold on)\s*[,.!—–-]|correction\s*:|not my (?:choice|answer)"
    r"|that(?:'s| is) (?:wrong|not right|a mistake)"
    r"|I (?:can ?not|can't|won't|will not|refuse to|decline to|am unable to|am not able to)"
    r" (?:really |actually |truly |honestly )?(?:choose|pick|select|decide|answer)"
    r"(?=\s*(?:\Z|[.!;,\n]|(?:an?|any|one|between|among|this|these|it|that|from)\b)))",
    re.IGNORECASE,
)
_STOP = re.compile(r"\n|(?<=[.!?;])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.) |\Z", re.IGNORECASE)
_STOPPED = re.compile(r"[.!][)\]}]*\Z")
_WRAPPED = re.compile(rf"\n(?=(?-i:[a-z]))(?!{_NOUN}|\w+(?: \w+)?\s*:)", re.IGNORECASE)


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
    lines = words.split("\n")
    if len({digits.lstrip("0") for digits in _DIGITS.findall(words)}) != 1 or _TAKEN_BACK.search(
        words
    ):
        return set()
    before = ["", *lines]
    matches = [(before[place], _ALONE.fullmatch(lines[place])) for place in (0, len(lines) - 1)]
    return {
        int(match[1])
        for before, match in matches
        if match and _is_real(before) and not _is_denied(before)
    }


def _stated(words: str) -> set[int]:
    """The options that are plainly chosen; none when the first such choice is taken back later."""
    words = _WRAPPED.sub(" ", words)
    only = len(set(_DIGITS.findall(words))) == 1
    found: set[int] = set()
    before = ""
    for start, sentence in _sentences(words):
        match = _choice(before, sentence, only)
        if match is not None:
            if _TAKEN_BACK.search(words, start + match.end("number")):
                return set()
            found.add(int(match["number"]))
        before = sentence
    return found


def _sentences(words: str) -> Iterator[tuple[int, str]]:
    """Each sentence or line, and where it starts."""
    start = 0
    for stop in _STOP.finditer(words):
        yield start, words[start : stop.start()]
        start = stop.end()


def _choice(before: str, sentence: str, only_number: bool) -> re.Match | None:
    """The plain statement of a choice in a sentence: not denied, supposed or reported.

    ``before`` is what stands before the sentence: a heading or half a sentence colours it.
    """
    before = before.removesuffix("?")
    if _SUPPOSES.match(before) or not _is_real(before):
        return None
    for pattern in (_ALONE_OR_LED_IN, *_CHOICES, *_BARE_CHOICES):
        match = pattern.match(sentence)
        if match is None or not _is_real(match["lead"]):
            continue
        about = match.groupdict().get("about", "")
        if _is_denied(about) or not _is_real(about):
            continue
        led_in = pattern is _ALONE_OR_LED_IN
        if (led_in or match["lead"].rstrip().endswith(":")) and _is_denied(match["lead"]):
            continue
        if pattern not in _CHOICES and _is_denied(before):
            continue
        if pattern in _BARE_CHOICES and not (only_number or "final" in sentence.lower()):
            continue
        return match
    return None


def _is_real(words: str) -> bool:
    """Whether words before a choice leave it the respondent's own: none supposes or reports."""
    return bool(_STOPPED.search(words)) or not (_SUPPOSED.search(words) or _REPORTED.search(words))


def _is_denied(words: str) -> bool:
    """Whether words before a choice turn it down; what a 'but' or an 'although' sets aside is not."""
    if _STOPPED.search(words):
        return False
    return bool(_DENIED.search(_CONTRAST.sub("", _HARMLESS.sub("", words))))


_PLACE = r"(?:(?:statement|claim|question|answer|item|number|q)\s*)?#?\(?(\d{1,9})\)?"
_IS = r"\s*(?:[):=–—-]+\s*|\.\s+)"
_PAIR = re.compile(rf"{_PLACE}{_IS}\(?(\d{{1,9}})\)?\s*[.,;]?", re.IGNORECASE)
_RATED = re.compile(
    rf"{_PLACE}{_IS}(?:\D*[:=–—-]\s*)?\(?(\d{{1,9}})\)?(?:\s*[.,;:(–—-]\D*)?", re.IGNORECASE
)
_ROW = re.compile(
    r"(?P<lead>(?:[^\d?]*[,:]\s*)?(?:(?:my|the|here are|final|own|honest)\s+)*"
    r"(?:(?:answers?|ratings?|numbers?|responses?|scores?)\s*(?:are|is)?\s*[:=]?\s*)?)"
    r"[\[({]*\s*(?P<row>\d{1,9}(?:\s*(?:,\s*and\b|,|;|\||\band\b|\s)\s*\d{1,9})*)\s*[\])}]*\s*[.!;,]?",
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
    found = set(rows.values()) | _places(
        [line for place, line in enumerate(lines) if place not in rows], statements
    )
    if not found:
        return Reading("refused" if refuses(words) else "invalid")
    values = found.pop()
    if found or len(values) != statements or max(values) > high:
        return Reading("invalid")
    return Reading("answered", values)


def _rows(lines: list[str], fewest: int) -> dict[int, tuple[int, ...]]:
    """Rows of numbers, by line: on the first line, on the last, or the only line with numbers."""
    numbered = [place for place, line in enumerate(lines) if _DIGITS.search(line)]
    found = {}
    for place in {0, len(lines) - 1, *(numbered if len(numbered) == 1 else ())}:
        before = lines[place - 1] if place else ""
        for sentence in {lines[place], *_FULL_STOP.split(lines[place])}:
            row = _ROW.fullmatch(sentence)
            if (
                row
                and not any(map(_is_denied, (before, row["lead"])))
                and _is_real(before)
                and _is_real(row["lead"])
            ):
                values = tuple(map(int, _DIGITS.findall(row["row"])))
                if len(values) >= fewest:
                    found[place] = values
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
