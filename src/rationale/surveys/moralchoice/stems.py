"""Words and their stems: what a reply and an action have in common under tense, dress and articles.

A line of tokens is the form in which replies are compared and judged: case-folded words with short
forms spelt out, and five marks apart from them: `.` ends a sentence, `?` a question, `/` a line,
`:` leads in, `,` is any lesser mark. Negations are words like all others and are never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise

MARKS = frozenset(".?/:,")
_WHOLE = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "wont": ("will", "not"),
    "cant": ("can", "not"),
    "e.g.": ("for", "example"),
    "i.e.": ("that", "is"),
    "vs.": ("versus",),
    **{
        f"{verb}nt": (verb, "not")
        for verb in ("do", "does", "did", "would", "could", "should", "is", "was")
    },
}
_ENDINGS = {"m": "am", "d": "would", "ll": "will", "ve": "have"}
_PRONOUNS = frozenset(["i", "we", "you", "they", "he", "she", "it", "that", "there"])
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = rf"[^\W{_CJK}]+"
_TOKEN = re.compile(
    r"(?P<word>(?<!\w)(?:(?:[^\W\d]\.){2,}|[nN]/[aA]\b|[vV][sS]\.)"
    rf"|{_WORD}(?:[-'‐+]{_WORD})*)|(?P<cjk>[{_CJK}]+)|(?P<odd>[❌✗✘🚫👎⛔≠¬+]|~~)"
    r"|(?P<mark>[!?]+|\.(?!\.)|[;。｡؟:\n])"
    r"|(?P<lesser>[,(){}\[\]<>/\\|–—→、،=-]|\.\.+)"
)
_WRAPPED = re.compile(r"\n(?=[a-z]{2,} )")
_LED_ON = re.compile(r":\s*\n\s*")
_PARTS = re.compile(r"[-‐+]")
_MARK = {"\n": "/", "؟": "?", ":": ":"}
# What a reply may add to an action or leave out of it and still name the same deed.
_DROPPED = frozenset(
    ["i", "we", "a", "an", "the", "do", "does", "did", "would", "will", "shall", "am", "to"]
)
_OWNERS = frozenset(["my", "your", "his", "her", "its", "our", "their", "the", "a", "living"])


def tokens(words: str, kept: frozenset[str] = frozenset()) -> list[str]:
    """The tokens of a reply or an action; single words in ``kept`` keep their case."""
    return list(_tokens(_WRAPPED.sub(" ", _LED_ON.sub(": ", words)), kept))


def _tokens(words: str, kept: frozenset[str]) -> Iterator[str]:
    for match in _TOKEN.finditer(words):
        kind, token = match.lastgroup, match[0]
        if kind == "word":
            yield from (token,) if token in kept else _spelt(token)
        elif kind == "mark":
            yield "?" if "?" in token else _MARK.get(token, ".")
        else:
            yield {"cjk": token, "odd": "not", "lesser": ","}[kind]


@lru_cache(maxsize=8192)
def _spelt(word: str) -> tuple[str, ...]:
    """A word in lower case, without short forms, hyphens and the stops of initials."""
    word = word.casefold()
    if word in _WHOLE:
        return _WHOLE[word]
    if word.endswith("n't"):
        return word[:-3], "not"
    if "." in word or "/" in word:
        return (word.replace(".", ""),)
    start, mark, end = word.partition("'")
    if mark and start in _PRONOUNS and end in _ENDINGS:
        return start, _ENDINGS[end]
    if mark and end == "s" and start in ("it", "that", "there", "here", "he", "she"):
        return start, "is"
    return tuple(part for part in _PARTS.split(word) if part)


def bare(found: Iterable[str]) -> str:
    """The words of a line of tokens, without marks."""
    return " ".join(token.casefold() for token in found if token not in MARKS)


def stems(found: list[str]) -> tuple[list[str], list[int]]:
    """The stems of a line of tokens, and the place of the token of each.

    Dropped are commas, articles, "I", "to" and the auxiliaries that only carry tense; whatever ends
    a sentence stays as "." so that no deed is put together from two sentences.
    """
    words = [token.casefold() for token in found]
    kept = [
        ("." if token in MARKS else _stem(token), place)
        for place, (before, token) in enumerate(pairwise(["", *words]))
        if token != "," and (token not in _DROPPED or (token == "will" and before in _OWNERS))
    ]
    return [stem for stem, _ in kept], [place for _, place in kept]


def spans(key: str, found: list[str]) -> list[tuple[int, int]]:
    """Where the stems in ``key``, joined by spaces, stand in a list: first and last place of each."""
    line = f" {' '.join(found)} "
    if f" {key} " not in line:
        return []
    ends = accumulate((len(stem) + 1 for stem in found), initial=0)
    starts = {start: place for place, start in enumerate(ends)}
    length = key.count(" ")
    at, places = line.find(f" {key} "), []
    while at >= 0:
        places.append((starts[at], starts[at] + length))
        at = line.find(f" {key} ", at + len(key) + 1)
    return places


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """A word without its inflection: plural, -ed, -ing, final e; step 1 and 5 of Porter (1980).

    Derivations stay apart, since they change what is done: harm is not harmless.
    """
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) < 3 or not word.isascii():
        return word
    word = _present(_IRREGULAR.get(word) or _singular(word))
    word = word[:-1] + "i" if word.endswith("y") and _VOWEL.search(word[:-1]) else word
    return word.rstrip("e") or word


_VOWEL = re.compile(r"[aeiou]|(?<=.)y")
_IRREGULAR = {"dying": "die", "lying": "lie", "tying": "tie", "goes": "go", "does": "do"}


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and word[-2] not in "su" and len(word) > 3 else word


def _present(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if len(word) > 4 and _VOWEL.search(word[:-3]) else word
    for suffix in ("ed", "ing"):
        root = word.removesuffix(suffix)
        if root != word and _VOWEL.search(root):
            return _undoubled(root)
    return word


def _undoubled(root: str) -> str:
    return root[:-1] if len(root) > 2 and root[-1] == root[-2] and root[-1] not in "lsz" else root
