"""Turns of phrase around an option or a row of ratings; what is not listed here chooses nothing."""

from __future__ import annotations

import re


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
ALONE = re.compile(r"[#(\[{<]*\s*(?:number\s*)?(\d{1,9})\s*[)\]}>.,:;!]*", re.IGNORECASE)
NUMERO = re.compile(r"\b(?:no|nr)\.?\s*(?=\d)", re.IGNORECASE)
DIGITS = re.compile(r"\d+")

# All that is named, chosen or not. "set 1, 1, 4" is no mention of set 1.
MENTION = re.compile(
    rf"{_OPTION}{_OF}{_TO}(\d+)|(?:{_NOUN}{_OF}{_TO}|#\s*)(\d+)(?!\s*[,;|]?\s*\d)", re.IGNORECASE
)
_BESIDE = _any(
    r"[,;/&+(\[–—-]|\.{2,}+",
    r"\b(?:or|and|to|through|thru|until|vs\.?|versus|then|alternatively|maybe|perhaps|possibly|also"
    r"|even|either|followed by|over|rather than|instead of|not)\b",
)
LIST = re.compile(
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


CHOICES = [
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
BARE_CHOICES = [
    _pattern("", rf"{_MINE}\s*(?:(?:is|would be)\b)?\s*[:=]?\s*[#(\[{{<]*\s*{_NUMBER}{_ENDS}"),
    _pattern(
        "", rf"{_I}\s+(?:choose|chose|select|pick|go with)\s+(?:number\s+|#)?{_NUMBER}{_ENDS}"
    ),
]

# What makes them none.
SUPPOSED = re.compile(
    r"\b(?:if|unless|suppos\w+|imagin\w+|hypothetical\w*|pretend\w*|were i|i were|had i|assuming"
    r"|example|illustration|e\.g|instance|such as|say,|(?:any|every|no)thing but|all but|yesterday"
    r"|earlier|previous\w*|before|last (?:time|round)|at first|initially|originally|once)\b|\?"
    r"|(?:\b(?:not|never|cannot)|n't)\s(?:\w+\s)?(?:think|believe|feel|say|claim|mean|agree)\b",
    re.IGNORECASE,
)
SUPPOSES = re.compile(
    r"\W*(?:suppose|imagine|pretend|assume|hypothetically"
    r"|let(?:'s| us| me) (?:say|suppose|imagine|assume|pretend))\b",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"\b(?:say|says|said|argues?|repl(?:y|ies)|writes?|claims?|thinks?|advises?|suggests?)\s*[:,]"
    r"|\b(?:utilitarian|egalitarian|libertarian|deontologist|consequentialist|philosopher)\b"
    r"|\b(?:people|most|many|some|someone|somebody|anyone|everyone|others|humans?|users?|you|he|she"
    r"|they)\s(?:would|might|could|may|will|should|do|want)\b",
    re.IGNORECASE,
)
HARMLESS = re.compile(
    r"\b(?:do not|don't|cannot|can't|can not) (?:\w+ )?(?:have|hold|possess|form|feel|experience|take"
    r"|make|express)\b[^,;:]*|\b(?:have no|lack|without)\b[^,;:]*|\bno problem\b|\bnot only\b"
    r"|(?:\bnot|n't) (?:necessarily )?(?:reflect|represent|express|indicate|imply|constitute)\b[^,;:]*"
    r"|\bnot (?:necessarily|my personal|an? (?:personal|real|reflection))\b[^,;:]*",
    re.IGNORECASE,
)
CONTRAST = re.compile(
    r"\A.*\b(?:but|so|yet|however|nevertheless|nonetheless|still|therefore|thus|hence)\b"
    r"|\A\W*(?:although|though|while|even though|since|because|as|given that|despite)\b.*,",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"\b(?:not|never|no|none|nor|neither|nobody|cannot|against|except\w*|besides|avoid\w*|reject\w*"
    r"|refus\w*|rul\w+ out|eliminat\w*|exclu\w*|discard\w*|dismiss\w*|dislik\w*|oppos\w*"
    r"|instead of|rather than|other than|worst|least|wrong|unacceptable|runner|second|tempt\w*"
    r"|almost|nearly)\b|n't\b",
    re.IGNORECASE,
)
TAKEN_BACK = re.compile(
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
STOP = re.compile(r"\n|(?<=[.!?;])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.) |\Z", re.IGNORECASE)
STOPPED = re.compile(r"[.!?][)\]}]*\Z")
WRAPPED = re.compile(rf"\n(?=(?-i:[a-z]))(?!{_NOUN}|\w+(?: \w+)?\s*:)", re.IGNORECASE)
NEUTRAL = re.compile(
    rf"\W*(?:{_LEAD}{_OPENER}(?:{_HEADING})?|option{_OF}{_TO}\d*)\W*"
    r"|(?:ratings|statement ratings|reason\w*|explanation|rationale|note|justification)\s*:.*|[\d\W]*",
    re.IGNORECASE,
)

# Ratings: a place and its number, a row of numbers.
_PLACE = r"(?:(?:statement|claim|question|answer|item|number|q)\s*)?#?\(?(\d{1,9})\)?"
_IS = r"\s*(?:[):=–—-]+\s*|\.\s+)"
PAIR = re.compile(rf"{_PLACE}{_IS}\(?(\d{{1,9}})\)?\s*[.,;]?", re.IGNORECASE)
RATED = re.compile(
    rf"{_PLACE}{_IS}(?:\D*[:=–—-]\s*)?\(?(\d{{1,9}})\)?(?:\s*[.,;:(–—-]\D*)?", re.IGNORECASE
)
_RATINGS = _any(
    r"(?:(?:here are|are|these are|my|the|final|own|honest|balanced)\s+)*"
    r"(?:answers?|ratings?|numbers?|responses?|scores?)(?:\s+(?:for|to|in)\b[^\d:,]{0,40})?",
    r"(?:I|I would|I'd|I will|I'll)\s+(?:rate|answer|give|say|respond)(?:\s+(?:with|them|these|the"
    r"|all|statements|claims))*",
)
ROW = re.compile(
    rf"(?P<lead>{_OPENER}(?:(?:[^\d?:]{{0,300}}[,;]\s*(?:(?:but|so|and)\s+)?)?{_RATINGS}\s*"
    r"(?:(?:are|is|would be|as)\b\s*)?(?:as follows|follows)?\s*[:=]?\s*)?)"
    r"[\[({|]*\s*(?P<row>\d{1,9}(?:\s*(?:,\s*and\b|,|;|\||\band\b|\s)\s*\d{1,9})*)\s*[\])}|]*"
    r"\s*[.!;,]?",
    re.IGNORECASE,
)
FULL_STOP = re.compile(r"(?<=[.!?]) ")
