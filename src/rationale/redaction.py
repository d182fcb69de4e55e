"""Keys taken out of texts before they are kept or shown."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, quote_plus

_KEY_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
# Shorter ones are words ("none", "EMPTY") that stand in for a key where none is needed.
SHORTEST_KEY = 6
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|gsk|xai|key)-[\w*.-]{6,}|\bBearer\s+\S+|\bAIza[\w-]{10,}")


def redact(
    text: str, environment: Mapping[str, str] | None = None, keys: Sequence[str] = ()
) -> str:
    """The text without any key: values of the environment's secrets, and what looks like a key."""
    return _KEY_LIKE.sub("[key]", without_known(text, environment, keys))


def without_known(
    text: str, environment: Mapping[str, str] | None = None, keys: Sequence[str] = ()
) -> str:
    """The text without the values of the environment's secrets; what else looks like a key stays.

    Secrets are the variables named in ``keys`` and those whose names sound like it.
    """
    environment = os.environ if environment is None else environment
    for name, value in environment.items():
        value = value.strip()
        if len(value) >= SHORTEST_KEY and (name in keys or _KEY_NAMES.search(name)):
            text = without(text, value, name)
    return text


def without(text: str, key: str, name: str) -> str:
    """The text without a key, as it is, backwards, in a URL, in JSON or in base64."""
    plain = (
        key,
        key[::-1],
        quote(key, safe=""),
        quote_plus(key),
        quote(key),
        json.dumps(key)[1:-1],
    )
    for form in sorted({*plain, *_in_base64(key)}, key=len, reverse=True):
        text = text.replace(form, f"[{name}]")
    return text


def _in_base64(key: str) -> Iterator[str]:
    """What base64 makes of a key wherever it begins in what is encoded; nothing for short ones."""
    if len(key) < 8:
        return
    for before in range(3):
        raw = bytes(before) + key.encode()
        # Digits that hold bits of what stands around the key are left off.
        first, last = (0, 2, 3)[before], len(raw) * 8 // 6
        for code in (base64.b64encode, base64.urlsafe_b64encode):
            yield code(raw).decode()[first:last]
