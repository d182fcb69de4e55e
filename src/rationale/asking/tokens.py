"""How many tokens words may be, between a low and a high count, without any tokenizer.

Tokenizers differ: one takes "12" whole, another digit by digit; some put the blank before a number
into a token of its own. Counted are therefore what all of them split at: words, numbers, digits,
signs. The factors hold the counts of three real tokenizers on every prompt that Rationale writes;
``benchmarks/tokens.py`` shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

# A word is 0.8 to 1.5 tokens, or one for every three letters of long words.
_WORD, _LETTERS = (0.8, 1.5), 3
# A number is at least 0.8 of a token, at most one a digit and one for the blank before it.
_NUMBER, _SIGN = 0.8, (0.8, 1.0)
# Outside ASCII: Chinese in a large vocabulary, and a script that falls apart into bytes.
_OTHER = (0.25, 3.0)
# What the chat format puts around a message.
_MESSAGE = (3.0, 15.0)
_REPLY_LIMITS = ("max_tokens", "max_completion_tokens")

_WORDS = re.compile(r"[A-Za-z]+")
_NUMBERS = re.compile(r"[0-9]+")
_SIGNS = re.compile(r"[!-/:-@\[-`{-~]")
_LINES = re.compile(r"\n+")


class Span(NamedTuple):
    """A low and a high count; ``high`` is None where nothing bounds it."""

    low: float
    high: float | None

    def plus(self, other: Span) -> Span:
        """The sum of two spans."""
        high = None if self.high is None or other.high is None else self.high + other.high
        return Span(self.low + other.low, high)

    def times(self, count: Span) -> Span:
        """So many calls of this many tokens each; none of any size are none."""
        if count.high == 0:
            return NOTHING
        high = None if self.high is None or count.high is None else self.high * count.high
        return Span(self.low * count.low, high)


NOTHING = Span(0.0, 0.0)


@lru_cache(maxsize=65_536)
def tokens(text: str) -> Span:
    """The tokens of a text."""
    words, numbers = _WORDS.findall(text), _NUMBERS.findall(text)
    letters, digits = sum(map(len, words)), sum(map(len, numbers))
    signs, lines = len(_SIGNS.findall(text)), len(_LINES.findall(text))
    other = 0 if text.isascii() else sum(not char.isascii() for char in text)
    low = _WORD[0] * len(words) + _NUMBER * len(numbers) + _SIGN[0] * signs + _OTHER[0] * other
    long_words = max(_WORD[1] * len(words), letters / _LETTERS)
    high = long_words + digits + len(numbers) + _SIGN[1] * signs + lines + _OTHER[1] * other
    return Span(low, high)


def prompt_tokens(messages: Iterable[Mapping[str, str]]) -> Span:
    """The tokens of a call's messages and of the format around them."""
    found = NOTHING
    for message in messages:
        found = found.plus(tokens(message["content"])).plus(Span(*_MESSAGE))
    return found


def longest_reply(params: Mapping[str, Any]) -> int | None:
    """The tokens that a call's parameters leave a reply; None when nothing limits it."""
    places = (params, params.get("extra_body") or {})
    limits = [one[name] for one in places for name in _REPLY_LIMITS if one.get(name) is not None]
    return max(map(int, limits)) if limits else None
