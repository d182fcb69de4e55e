"""Random draws that follow from names, never from positions in a list."""

from __future__ import annotations

import hashlib

import numpy as np


def digest(*names: object) -> int:
    """A 128-bit integer that depends on every name and on their order.

    Names are joined by an unprintable separator, so ``("a", "b")`` and ``("ab",)`` differ.
    """
    text = "\x1f".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def generator(*names: object) -> np.random.Generator:
    """A generator of its own for these names, e.g. ``generator(seed, "psm", model, form, draw)``."""
    return np.random.Generator(np.random.Philox(key=digest(*names)))
