"""Numbers and lists as a person writes them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def number(value: int | Fraction, decimals: int = 2) -> str:
    """A number with thousands separators; at most ``decimals`` digits behind the point.

    ``number(Fraction(2501, 2))`` is ``1,250.5``. A negative number has a hyphen before it.
    """
    if Fraction(value).denominator == 1:
        return f"{int(value):,}"
    rounded = round(Fraction(value), decimals)
    text = f"{float(rounded):,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


def money(value: int | Fraction, sign: str = "$") -> str:
    """An amount: whole, or with two digits behind the point; the sign stands before the currency."""
    amount = abs(Fraction(value))
    digits = f"{int(amount):,}" if amount.denominator == 1 else f"{float(round(amount, 2)):,.2f}"
    return f"{'-' if value < 0 else ''}{sign}{digits}"


def percent(share: Fraction, decimals: int = 1) -> str:
    """A share in per cent: ``percent(Fraction(1, 8))`` is ``12.5%``."""
    return f"{number(Fraction(share) * 100, decimals)}%"


def listing(items: Sequence[str], word: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """``1 dose``, ``1,250 doses``."""
    return f"{number(count)} {singular if count == 1 else plural or singular + 's'}"


def with_article(words: str) -> str:
    """``a 20% chance``, ``an 80% chance``, ``an apple``."""
    first = words.split()[0].lstrip("$").rstrip("%.,")
    digits = first.split(",")[0].split(".")[0]
    if digits.isdigit():
        vowel = digits.startswith("8") or (digits in ("11", "18"))
    else:
        vowel = first[:1].lower() in "aeiou"
    return f"{'an' if vowel else 'a'} {words}"


def capitalised(text: str) -> str:
    """The text with a capital at its start."""
    return text[:1].upper() + text[1:]
