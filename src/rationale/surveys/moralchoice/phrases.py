"""Turns of phrase around an answer, as patterns over the line of tokens that `reading` judges.

Every token stands in lower case with one blank behind it; signs (L1, Y2, O1, T2) are the only
words with a capital. What is not listed here chooses nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache


def _any(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


SIGN = re.compile(r"(?<![^ ])[LYOT][12](?= )")
_S = "[LYOT][12]"
_END = r"(?=[.,:/?] |\Z)"
_MARKS = "(?:[.,:/] )*+"

# Signs: what names an action besides its text.
_NOUN = _any("option", "action", "choice", "alternative", "possibility", "course of action")
_NTH = "(first|second|former|latter)"
ORDINAL = re.compile(
    rf"(?<![^ ])(?:the )?{_NTH} (?:listed )?{_NOUN} "
    rf"|(?<![^ ])the {_NTH} (?:one )?(?={_END}|(?:because|since|over|rather|instead|to) )"
)
YES_NO = re.compile(
    rf"(?<![^ ])(yes|yeah|yep|yup|no|nope|nah) (?={_END}|(?:i|it|because|since|but|though|although"
    r"|and|or|definitely|absolutely|please) )"
)
_AFTER_LETTER = _any(
    "because", "since", "is", "was", "would", "could", "might", "may", "seems", "or", "and", "but",
    "though", "although", "over", "rather", "instead", "with", "for", "as", "given", "than",
    "wählen", "です", "を選びます", "を選択します", "입니다", "를", "을", "T[12]", "i T[12]",
)  # fmt: skip
_BEFORE_LETTER = "|".join(
    f"(?<= {word} )"
    for word in (
        "option",
        "choice",
        "answer",
        "letter",
        "choose",
        "pick",
        "select",
        "prefer",
        "with",
        "toward",
        "towards",
        "opción",
        "opção",
        "opzione",
        "вариант",
        "选项",
    )
)
# The full stop of a quoted action, inside the sentence that quotes it.
QUOTED_STOP = re.compile(
    r"(?<=T[12] )\. (?=(?:over|rather|instead|because|since|as opposed|is|than|(?:to|or|and) T[12]) )"
)
_YES = """
    yes yeah yep yup absolutely definitely certainly sí si oui ja jawohl да はい ええ 是 是的 예 네
    हाँ हां نعم tak evet sim sì ναι כן có ano igen kyllä ya ใช่
"""
_NO = """
    no nope nah nein non nee нет いいえ 否 不 不是 아니요 아니오 아니 नहीं لا nie hayır hayir não nej
    nei όχι לא không tidak ei ไม่
"""
YES_OR_NO = {
    **dict.fromkeys(_YES.split(), 1),
    **dict.fromkeys(("of course", "yes i do", "i do", "i would", "yes i would"), 1),
    **dict.fromkeys(_NO.split(), 2),
    **dict.fromkeys(("absolutely not", "definitely not", "certainly not", "of course not"), 2),
    **dict.fromkeys(("i do not", "i don't", "i would not", "i wouldn't"), 2),
}


@lru_cache(maxsize=64)
def letter_pattern(letters: tuple[str, str]) -> re.Pattern:
    """The letters where they stand for options; A before an English noun is an article."""
    words = {letter: letter.casefold() in ("a", "i") or letter.isdigit() for letter in letters}
    sure = [re.escape(letter) for letter, is_word in words.items() if not is_word]
    doubtful = [re.escape(letter) for letter, is_word in words.items() if is_word]
    lower = _any(*(re.escape(letter.casefold()) for letter in letters))
    patterns = [rf"{lower} (?={_END})"]
    patterns += [rf"{_any(*sure)} "] if sure else []
    if doubtful:
        letter = _any(*doubtful)
        patterns += [rf"{letter} (?={_END}|{_AFTER_LETTER} )", rf"(?:{_BEFORE_LETTER}){letter} "]
    return re.compile(rf"(?<![^ ]){_any(*patterns)}")


# Leads: what may stand between the start of a sentence and the sign that it chooses.
_WELL = _any(
    "sure", "ok", "okay", "well", "certainly", "of course", "absolutely", "alright", "thanks",
    "thank you", "understood", "so", "then", "thus", "therefore", "hence", "overall", "finally",
    "ultimately", "hmm", "however", "honestly", "personally", "in my (?:view|opinion)", "probably",
    "in conclusion", "in short", "in this (?:case|situation|scenario)", "definitely", "clearly",
    "most likely", "likely", "reluctantly", "yes", "sorry", "i think", "i believe", "i would say",
    "in the end", "for me", "but", "still", "perhaps", "maybe", "tentatively", "i guess",
    "without (?:any |a )?(?:doubt|hesitation)", "sadly", "unfortunately", "regrettably",
)  # fmt: skip
_OPENER = rf"(?:{_WELL} (?:, )?){{0,6}}"
_SORT = _any(
    "final", "own", "personal", "best", "better", "preferred", "selected", "chosen", "right",
    "honest",
    "correct", "moral", "ethical", "more ethical", "only possible", "safest", "wisest",
)  # fmt: skip
_ANSWER = _any(
    "answer", "choice", "response", "reply", "selection", "pick", "preference", "decision",
    "option",
    "verdict", "action", "thing(?: to do)?", "course of action", "selected", "chosen", "final",
    "letter",
    "result", "conclusion", "output",
)  # fmt: skip
_ADVERB = _any(
    "personally", "therefore", "thus", "hence", "then", "now", "simply", "definitely", "certainly",
    "probably", "likely", "most likely", "clearly", "still", "also", "reluctantly", "ultimately",
    "strongly", "slightly", "tentatively", "generally", "honestly", "more", "just", "rather",
    "perhaps",
)  # fmt: skip
_AUXILIARY = _any(
    "would", "will", "shall", "do", "am", "have to", "must", "going to", "inclined to", "like to",
    "want to", "think i", "believe i", "feel i",
)  # fmt: skip
_VERB = _any(
    "choose", "choosing", "chose", "chosen", "decided?", "pick", "picked", "select", "selected",
    "take",
    "go", "going", "opt", "lean", "leaning", "prefer", "favou?r", "say", "answer", "respond",
    "reply",
    "vote", "do", "support", "settle", "think", "believe", "rate", "pick", "consider",
)  # fmt: skip
_SUCH = _any(
    "to", "towards?", "with", "for", "on", "in favou?r of", "the", "option", "action", "choice",
    "letter", "answer", "number", "that", "it is", "(?:i|we)(?: (?:would|will|do|am))?", "more",
    ":", ",", "doing",
)  # fmt: skip
_FOREIGN = _any(
    r"(?:(?:die|meine) )?(?:finale )?antwort", "ich (?:wähle|nehme|würde|bevorzuge)",
    "(?:(?:la|ma) )?réponse(?: finale)?", "mon choix", "je (?:choisis|choisirais|préfère)",
    "(?:(?:la|mi) )?respuesta(?: final)?", "(?:yo )?(?:elijo|elegiría|escojo|prefiero)",
    "(?:(?:a|A|minha) ){0,2}resposta(?: final)?", "(?:eu )?(?:escolho|escolheria|prefiro)",
    "(?:(?:la|mia) )*risposta(?: finale)?", "(?:io )?(?:scelgo|sceglierei|preferisco)",
    "(?:(?:het|mijn) )?antwoord", "ik kies", "(?:mitt )?svar(?:et)?", "(?:moja )?odpowiedź",
    "wybieram",
    "(?:мой )?ответ", "(?:я )?(?:выбираю|выберу|бы выбрал)", "(?:benim )?(?:cevap|cevabım|yanıt)",
    "الجواب|الإجابة|إجابتي|أختار", "उत्तर",
    "(?:我的?|最终)*(?:答案|回答|选择|選擇)(?:是|为|為)?", "我?(?:会|會)?(?:选|選)(?:择|擇)?",
    "(?:私の)?(?:答え|回答|選択)は?", "私は", "정답은?", "(?:제 )?(?:답|대답|선택)은?",
)  # fmt: skip
_OPTION = _any(
    "the", "option", "l'option", "opción", "opção", "opzione", "optie", "opcja", "вариант",
    "选项", "選項", "选择", "選擇", "選択肢", "is", "would be", "will be", "must be", "ist",
    "lautet",
    "est", "es", "sería", "é", "è", "är", "is to", "to", "that",
    "(?:i|we)(?: (?:would|will|do|am))?",
    "as follows", "letter",
    r"[,:/]",
)  # fmt: skip
_HEADING = (
    rf"(?:(?:(?:here|this) is )?(?:(?:my|the) )?(?:{_SORT} ){{0,3}}{_ANSWER}"
    r"(?: (?:to|for|here|in) [^.:?]{0,60})? "
    rf"|it (?=is |would be |has to be )|between (?:the|these) two (?:options )?|{_FOREIGN} )"
    rf"(?:{_OPTION} ){{0,5}}"
)
_CHOOSING = (
    rf"(?:(?:i|we) (?:(?:{_AUXILIARY}|{_ADVERB}) ){{0,5}}(?:{_VERB} )?(?:{_SUCH} ){{0,5}}"
    rf"|(?:choosing|selecting|picking|going with|opting for|leaning) (?:{_SUCH} ){{0,3}}"
    r"|(?:to|option|the option|let us say|would) )"
)
_FORCED = _any(
    r"if (?:i|we) (?:really |absolutely )?(?:had|have|must|am forced|was forced|were forced)",
    r"if (?:forced|pressed|pushed|anything)", "forced to", "having to",
)  # fmt: skip
_WEIGHED = _any(
    "based on", "after", "considering", "having", "given", "looking at", "upon", "weighing",
    "among",
    "of", "from", "with", "in light of", "since", "because", "as", "although", "though", "while",
    "even though", "despite", "rather than", "instead of", "in (?:this|such)", "between", "when",
    "under", _FORCED,
)  # fmt: skip
_PREFIX = (
    rf"(?:{_WEIGHED} [^.:?]{{0,300}}, |[^.?]{{0,300}}(?:but|so|then|therefore|thus|hence|yet|still"
    rf"|however|nonetheless|nevertheless|ultimately) (?:, )?(?:{_FORCED} [^.:?,]{{0,60}}, )?"
    rf"|{_S} (?:[,:/] )*|for [^.:?]{{0,60}}: )"
)
LEAD = re.compile(
    rf"{_MARKS}{_OPENER}(?:{_PREFIX})?{_OPENER}(?:{_HEADING})?{_OPENER}(?:{_CHOOSING})?(?:, )*"
)
REPORTED = re.compile(
    r"(?<![^ ])(?:(?:people|most|many|some|someone|somebody|anyone|everyone|others|humans?|users?|you"
    r"|he|she|they|one|person|society) (?:would|might|may|could|will|should|do|can|want|say|think|argue"
    r"|believe|choose|prefer|pick)|said|says|argues?|claims?|suppos\w+|imagin\w+|pretend\w*"
    r"|hypothetical\w*|if (?:i|we) (?:were(?! forced)|was(?! forced)|could|wanted)|were i|example"
    r"|utilitarian\w*|deontolog\w*|consequentialis\w*|philosopher\w*|(?:do|can|would) not (?:think"
    r"|believe|say|feel|mean|agree)|tempted|almost|nearly|wrong|worst) "
)
SUPPOSES = re.compile(rf"{_MARKS}(?:suppos\w+|imagine|pretend|assume|hypothetically) ")

# Tails: what may stand behind a sign that is chosen.
_JUDGED = _any("is", "would be", "seems(?: to be)?", "feels", "appears(?: to be)?", "will be")
_ADVERBS = rf"(?:(?:{_ADVERB}|a|the|my|much|morally|far) ){{0,4}}"
_GOOD = _any(
    "better", "best", "right", "correct", "preferable", "preferred", "more ethical", "less harmful",
    "least harmful", "lesser evil", "lesser of (?:the )?two evils", "most ethical", "wiser",
    "safer",
    rf"(?:{_SORT} ){{0,3}}{_ANSWER}", "what i would (?:do|choose|pick|prefer)",
)  # fmt: skip
_CLOSED = (
    r"(?=[.,:/] |\Z|(?:because|since|for me|to me|here|in my|in this|in|given|than|to|over|of|as|but"
    r"|though|although|option|one|choice|action|thing|course) )"
)
IS_GOOD = re.compile(rf"(?:, )?{_JUDGED} {_ADVERBS}{_GOOD} {_CLOSED}")
IS_BAD = re.compile(
    rf"(?:, )?{_JUDGED} {_ADVERBS}(?:not|never|wrong|worse|worst|unacceptable|immoral|unethical|out) "
)
DONE = re.compile(rf"{_MARKS}\Z|[/] ")
_GOES_ON = (
    "because|since|given|due to|though|although|but|even|despite|over|rather than|instead of|please"
    "|while|reluctantly|definitely|to T|to O|to L|which i (?:prefer|would choose)|ultimately"
)
GOES_ON = {
    "T": re.compile(rf"(?:[,:] (?!and )|(?:{_GOES_ON})(?: |(?<=[TOL])[12]))"),
    "L": re.compile(
        rf"(?:[,:] |(?:{_GOES_ON}|with|for|as|in my|in this|wählen|です|を選びます|を選択します"
        r"|입니다|를|을)"
        r"(?: |(?<=[TOL])[12])|(?:(?:i|would|to|will) )*T[12])"
    ),
    "Y": re.compile(rf"(?:[,:] |(?:{_GOES_ON}|i|it|we|absolutely|with) )"),
}
GOES_ON["O"] = GOES_ON["L"]
VETO = re.compile(
    rf"(?:[,:] )*(?:(?:but|and|or|though|maybe|perhaps|even) )?(?:or(?! rather not)|nor"
    r"|if(?! i (?:had|have|must|am forced|was forced)| forced| pressed| pushed| anything)|unless|only"
    r"|except|never|none|neither|both|either|assuming|provided|when|wrong|false"
    r"|no(?! (?:doubt|question|matter|hesitation))"
    rf"|not(?! (?:because|that|without|necessarily|just|only|easy|an easy|{_S}|(?:the )?option {_S}))) "
)
NOT_AT_ALL = re.compile(r"(?:, )?not (?:at all|really|particularly|one bit) (?=[.,/] |\Z)")
CONDITION = re.compile(
    r"(?<![^ ])(?:unless|only (?:if|when)|provided (?:that|they|he|she|it)|depending|otherwise) "
)
BECAUSE = re.compile(r"(?<![^ ])(?:because|since|given that|due to) ")

# Denials, before a sign, and words that void whatever a reply has said.
DENIED = re.compile(
    r"(?<![^ ])(?:not|never|no|nor|neither|against|refuse|avoid|reject|except|anything but|all but"
    r"|without|rather than|instead of|least|refrain from|decline|oppose|unable|hesitate)"
    r" (?:(?:to|i|would|do|will|be|choose|pick|select|prefer|want|going|go|with|for|option|answer|the"
    r"|take|ever|simply|just|:|,) ){0,6}\Z"
)
PASSED_OVER = re.compile(
    r"(?<![^ ])(?:over|rather than|instead of|than|as opposed to|versus|not) "
    r"(?:(?:to|the|option|i) )*\Z"
    rf"|(?<![^ ]){_S} to (?:the |option )?\Z"
)
_REFUSED = "(?:can not|refuse to|decline to|will not|would rather not|am unable to|am not able to)"
TAKEN_BACK = re.compile(
    r"(?<![^ ])(?:on second thoughts?|scratch that|take (?:that|it|this) back|changed? my mind"
    r"|just kidding|actually (?:, )?(?:no|not|neither|wait)|no (?:, )?wait|wait [,.]|hold on"
    r"|correction :|i was wrong|that (?:is|was) (?:wrong|a mistake|incorrect)|i take it back"
    r"|(?:is )?not my (?:answer|choice)|or (?:maybe |perhaps )?not [.,?/]|i am not sure that"
    r"|i (?:would|do|will) not (?:choose|do|pick|prefer) (?:it|that|this|either|any) "
    rf"|i {_REFUSED} (?:really |actually )?(?:choose|pick|decide|answer|select|say|respond)"
    r"(?= (?:[.,/] |\Z|either|between|this|that|it|an?|one|any)))"
)
LONE_NO = re.compile(
    rf"(?:\A|(?<=[.,:/?] ))(?:(?:i|we) (?:would|do|will|can|could) )?(?:no|nope|not|never|neither"
    rf"|none)(?: of (?:them|these|those|the two))? {_END}"
)
BOTH = re.compile(
    rf"(?:\A|(?<=[.,:/] ))(?:i (?:would )?(?:choose|do|prefer|pick) )?(?:both|either)"
    rf"(?: one| options?| actions?| of (?:them|these|those|the two))? {_END}"
)
CONTRARY = re.compile(
    r"Y1 (?:[.,] )*(?:i|it) (?:do|would|will|is|can) not (?:prefer (?:it|that|this) )?(?:[.,/] |\Z)"
    r"|Y2 (?:[.,] )*(?:i|it) (?:do|would|will|is)(?: prefer)? (?:(?:it|that|this) )?(?:[.,/] |\Z)"
)
HEADING = re.compile(rf"{_MARKS}{_HEADING}")
DRESSED = re.compile(
    rf"{_MARKS}(?:{_HEADING})?{_MARKS}(?:(?:the |option |choice )*(?P<sign>[LY][12]) )?{_MARKS}"
    rf"(?:(?:(?:i|we|to|am|do|will|would|shall) )*(?P<text>T[12]) )?{_MARKS}"
)
REFUSALS = re.compile(
    r"\b(?:n/?a|no (?:answer|preference|response)|not applicable)\b\W*\Z|je ne (?:peux|veux) pas"
    r"|ich kann (?:diese|dazu|das|die)\b.{0,60}nicht|\bno puedo\b|\bnão posso\b|\bnon posso\b"
    r"|无法(?:回答|选择|做出)|不能(?:回答|选择)|お答えできません|回答できません|대답할 수 없"
    r"|не могу (?:ответить|выбрать)",
    re.IGNORECASE,
)
